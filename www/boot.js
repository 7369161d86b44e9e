// @ts-check
/**
 * Starts the dashboard, and does what the program itself cannot: it refuses to be framed, shows the chosen theme and the
 * frame of the desk before the program is there, and says so when the program has stopped.
 *
 * The files of the program have names that change with their content; the page's preload links know them.
 */

// The renderer makes elements of its own templates, in which nothing runs. The browser refuses all other markup.
const { trustedTypes } = /** @type {any} */ (globalThis);
trustedTypes?.createPolicy("default", {
  createHTML: (/** @type {string} */ html) => (/<(script|iframe|object|embed)|\son\w+\s*=|javascript:/i.test(html) ? null : html),
});

// A page around this one could lay its own words over a button that grants something.
if (top === self) await begin();
else say("Switchboard does not run inside another page.", [link("Open it in a tab of its own", location.href)]);

async function begin() {
  showTheme();
  showFrame();
  if (location.hash.startsWith("#/session/")) loadBeside("boot-session");
  if (!isServerKnown()) loadBeside("boot-connect");
  addEventListener("switchboard:theme", showThemeColor);
  addEventListener("switchboard:stopped", stopped);
  addEventListener("error", ({ error }) => error instanceof WebAssembly.RuntimeError && stopped());
  addEventListener("unhandledrejection", ({ reason }) => reason instanceof WebAssembly.RuntimeError && stopped());
  try {
    const { default: start } = await import(address("boot-script"));
    await start({ module_or_path: address("boot-wasm") });
  } catch (error) {
    say(`Switchboard could not start. Reload the page; if that does not help, try a newer browser. (${error})`);
    throw error;
  }
}

/** @param {string} id */
function address(id) {
  const link = document.getElementById(id);
  if (!(link instanceof HTMLLinkElement)) throw new Error(`the page has no link with the id ${id}`);
  return link.href;
}

/**
 * Has the browser load what links of the page name while it loads the program, which asks for it then.
 *
 * @param {string} kind
 */
function loadBeside(kind) {
  for (const link of document.getElementsByClassName(kind)) link.setAttribute("rel", "preload");
}

/** Shows the theme that a person has chosen; without one the system decides. */
function showTheme() {
  const chosen = kept("switchboard:theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
  showThemeColor();
}

/** Shows the frame of the desk where a server is known; without one the program begins with a form. */
function showFrame() {
  const frame = document.getElementById("boot-frame");
  const title = document.getElementById("boot-title");
  if (!frame || !title || !isServerKnown()) return;
  if (["", "#/", "#/inbox"].includes(location.hash)) title.textContent = "Inbox";
  frame.hidden = false;
}

/** Whether the program can begin without a form. */
function isServerKnown() {
  return Boolean(kept("switchboard:servers")?.length) || new URLSearchParams(location.search).has("server");
}

/** Gives what is around the page the colour of the page. */
function showThemeColor() {
  const { theme } = document.documentElement.dataset;
  for (const meta of document.querySelectorAll("meta[name=theme-color]")) {
    const scheme = meta.getAttribute("data-scheme");
    meta.setAttribute("media", theme ? (theme === scheme ? "all" : "not all") : `(prefers-color-scheme: ${scheme})`);
  }
}

/** @param {string} key */
function kept(key) {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null");
  } catch {
    return null;
  }
}

/**
 * The program has stopped in the middle of something: what is left of it must neither look alive nor act. Its locks go
 * back, so that another tab takes over.
 */
function stopped() {
  if (document.querySelector(".stopped")) return;
  globalThis.fetch = () => new Promise(() => {});
  stop();
  const reload = document.createElement("button");
  reload.className = "button button-primary";
  reload.textContent = "Reload";
  reload.addEventListener("click", () => location.reload());
  document.body.replaceChildren();
  say("Switchboard stopped. Your answers are kept.", [reload]);
  reload.focus();
  giveBackLocks().catch(() => {});
}

async function giveBackLocks() {
  const { locks } = navigator;
  await locks?.request(`switchboard:stopped:${Math.random()}`, async (own) => {
    const { held = [] } = await locks.query();
    const client = held.find(({ name }) => name === own?.name)?.clientId;
    for (const { name = "", clientId } of held) {
      if (clientId === client && name !== own?.name) await locks.request(name, { steal: true }, () => {});
    }
  });
}

/**
 * @param {string} text
 * @param {HTMLElement[]} [actions]
 */
function say(text, actions = []) {
  const words = document.createElement("p");
  words.textContent = text;
  const notice = document.createElement("div");
  notice.className = "stopped";
  notice.setAttribute("role", "alert");
  notice.append(words, ...actions);
  document.body.append(notice);
}

/**
 * @param {string} text
 * @param {string} href
 */
function link(text, href) {
  const element = document.createElement("a");
  element.href = href;
  element.target = "_blank";
  element.rel = "noopener";
  element.textContent = text;
  return element;
}
