// @ts-check
/** Records in the page, at the moment of each press, what a person sees and means by it. The page itself is not asked. */

/**
 * @typedef {object} Card What a card shows.
 * @property {string} id
 * @property {string} state
 * @property {boolean} inView
 * @property {string[]} chosen Labels that are chosen on the tab in front.
 * @property {string | null} own The text of the own answer, or of a rejection.
 * @property {boolean} sheet Whether something is to be confirmed in it.
 *
 * @typedef {object} Press
 * @property {number} at
 * @property {number} [tab] Which tab, from 1.
 * @property {"key" | "click"} kind
 * @property {string} key The key with its modifiers; empty for a click.
 * @property {string} label What the pressed button says.
 * @property {string} place Where in the page, as its address says.
 * @property {string | null} request The request of the card that was pressed in.
 * @property {Card[]} open The cards that are marked as open.
 * @property {number} openFor How long the first of them has been marked, in ms.
 * @property {Card | null} card The card that was pressed in.
 * @property {Record<string, string>} texts What stands in the text fields that the page keeps, by field.
 *
 * @typedef {{ at: number, field: string, text: string }} Typed
 *
 * @typedef {object} Claim What the page says has become of a request.
 * @property {string} id
 * @property {string} word
 * @property {string[]} said The answers as the page repeats them; none where it shows one line.
 * @property {string} sentence
 */

/**
 * @param {import("@playwright/test").Page} page
 * @param {{ press: (press: Press) => void, typed: (typed: Typed) => void, claimed: (claim: Claim) => void }} listener
 */
export async function recordPresses(page, listener) {
  await page.exposeFunction("monkeyPressed", listener.press);
  await page.exposeFunction("monkeyTyped", listener.typed);
  await page.exposeFunction("monkeyClaimed", listener.claimed);
  await page.addInitScript(() => {
    const tell = /** @type {any} */ (globalThis);
    /** @type {{ id: string | null, since: number, own: boolean }} */
    const marked = { id: null, since: 0, own: true };
    let lastPress = 0;
    let lastVisit = Date.now();
    addEventListener("hashchange", () => (lastVisit = Date.now()));

    /** @param {Element | null} element */
    const idOf = (element) => element?.getAttribute("data-request-id") ?? null;

    /** @param {Element} article */
    const card = (article) => {
      const { top, bottom } = article.getBoundingClientRect();
      const inputs = [...article.querySelectorAll("input")].filter((input) => input.checked);
      const own = article.querySelector("textarea");
      return {
        id: idOf(article) ?? "",
        state: article.getAttribute("data-state") ?? "",
        inView: bottom > 0 && top < innerHeight,
        chosen: inputs.map((input) => input.getAttribute("aria-label") ?? ""),
        own: own ? own.value : null,
        sheet: [...article.querySelectorAll("button")].some((button) => /^(Keep waiting|Only once)/.test(button.textContent ?? "")),
      };
    };

    /** What is typed into a field of a name is kept by the page; other fields have none. @param {Element} field @returns {string | null} */
    const nameOf = (field) => {
      const article = field.closest("article");
      const tab = article?.querySelector('[role="tab"][aria-selected="true"]')?.textContent?.trim() ?? "";
      if (article) return `${idOf(article)}/${tab}`;
      const [, session] = location.hash.match(/^#\/session\/([^/]+)/) ?? [];
      if (field.closest('[data-testid="prompt-box"]')) return `prompt ${session}`;
      const label = field.closest("label")?.textContent ?? "";
      if (label.startsWith("What to review")) return `material ${session}`;
      return label.startsWith("First message") ? "first message" : null;
    };
    tell.monkeyTexts = () => {
      const fields = [...document.querySelectorAll("main textarea")].flatMap((field) => {
        const name = nameOf(field);
        return name === null ? [] : [[name, /** @type {HTMLTextAreaElement} */ (field).value]];
      });
      return Object.fromEntries(fields);
    };

    const look = () => {
      const id = idOf(document.querySelector("article[data-open]"));
      if (id === marked.id) return;
      Object.assign(marked, { id, since: Date.now(), own: Date.now() - lastPress < 100 || Date.now() - lastVisit < 1000 });
    };
    new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-open"] });

    /** @type {Map<string, string>} */
    const claimed = new Map();
    const readClaims = () => {
      for (const article of document.querySelectorAll("article[data-request-id]")) {
        const textOf = (/** @type {string} */ selector) => [...article.querySelectorAll(selector)].map((element) => element.textContent?.trim() ?? "");
        const [word = ""] = textOf("[data-testid=request-state]");
        const claim = { id: idOf(article) ?? "", word, said: textOf("[data-testid=said] .said-text"), sentence: textOf(".progress-text strong")[0] ?? "" };
        if (/^waiting|^sending/.test(word) || claimed.get(claim.id) === JSON.stringify(claim)) continue;
        claimed.set(claim.id, JSON.stringify(claim));
        tell.monkeyClaimed(claim);
      }
    };
    // A state is read once all of its card is drawn.
    new MutationObserver(() => requestAnimationFrame(readClaims)).observe(document, { subtree: true, childList: true, characterData: true });

    /** @param {Event} event @param {"key" | "click"} kind @param {string} key */
    const press = (event, kind, key) => {
      if (!event.isTrusted) return;
      const target = event.target instanceof Element ? event.target : document.body;
      const inside = target.closest("article");
      tell.monkeyPressed({
        at: Date.now(),
        kind,
        key,
        label: target.closest("button, a, label")?.textContent?.trim() ?? "",
        place: location.hash,
        request: idOf(inside),
        open: [...document.querySelectorAll("article[data-open]")].map(card),
        openFor: marked.own ? Infinity : Date.now() - marked.since,
        card: inside ? card(inside) : null,
        texts: tell.monkeyTexts(),
      });
      lastPress = Date.now();
    };
    addEventListener("keydown", (event) => {
      const modifiers = `${event.ctrlKey ? "Control+" : ""}${event.shiftKey ? "Shift+" : ""}`;
      press(event, "key", modifiers + event.key);
    }, true);
    addEventListener("click", (event) => press(event, "click", ""), true);
    addEventListener("input", (event) => {
      const field = event.target;
      const name = event.isTrusted && field instanceof HTMLTextAreaElement ? nameOf(field) : null;
      if (name !== null) tell.monkeyTyped({ at: Date.now(), field: name, text: /** @type {HTMLTextAreaElement} */ (field).value });
    }, true);
  });
}
