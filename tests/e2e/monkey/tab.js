// @ts-check
/** One tab as the monkey sees it: what can be pressed, what waits, what is typed. */
import { recordPresses } from "./recorder.js";

/**
 * @typedef {{ label: string, x: number, y: number, kind: string, request: string | null }} Target
 *
 * @typedef {object} Shown
 * @property {string} hash
 * @property {string} title
 * @property {string | null} state What the head of a session says of it, in one word; none on other pages.
 * @property {string} main All text of the main column.
 * @property {string[]} waiting Requests that are shown as waiting and in view.
 * @property {string[]} present All requests that have a card.
 * @property {string[]} announced Requests that a pill names.
 * @property {number} others How many more the pills announce.
 * @property {Record<string, string>} texts
 * @property {Record<string, { state: string, text: string }>} cards
 */

export class Tab {
  /**
   * @param {import("../pages/desk.js").Desk} desk
   * @param {import("./recorder.js").Press[]} presses
   * @param {number} number
   */
  constructor(desk, presses, number) {
    this.desk = desk;
    this.number = number;
    this.page = desk.page;
    this.presses = presses;
    /** @type {import("./recorder.js").Claim[]} */
    this.claims = [];
    /** @type {number[]} When a page was loaded. */
    this.loads = [];
  }

  /** Call before the page is opened. @param {(typed: import("./recorder.js").Typed) => void} onTyped */
  async record(onTyped) {
    this.page.on("domcontentloaded", () => void this.loads.push(Date.now()));
    await recordPresses(this.page, {
      press: (press) => void this.presses.push({ ...press, tab: this.number }),
      typed: onTyped,
      claimed: (claim) => void this.claims.push(claim),
    });
  }

  /** Goes back to the desk when the page has been left, or shows the connect form. @param {string} server */
  async return(server) {
    const form = this.page.getByTestId("connect");
    if (!this.page.url().includes("?server=")) await this.desk.openInbox(server);
    else if (await form.isVisible()) await this.page.reload();
    await this.page.locator("#main").waitFor();
  }

  /** Resolves when every press so far is among the presses. */
  async told() {
    await this.page.evaluate(() => {});
  }

  /** @returns {Promise<Target[]>} */
  targets() {
    return this.page.evaluate(() => {
      const dialog = document.querySelector("dialog[open]");
      const elements = [...(dialog ?? document).querySelectorAll("button:not([disabled]), main a, nav a, textarea, input[type=radio], input[type=checkbox]")];
      const forbidden = /Servers|Settings|Forget|Single-key|Theme|Dark|Light/i;
      return elements.flatMap((element) => {
        const { left, top, width, height } = element.getBoundingClientRect();
        const [x, y] = [left + width / 2, top + height / 2];
        const hit = document.elementFromPoint(x, y);
        const label = (element.getAttribute("aria-label") ?? element.textContent ?? "").trim();
        const isReachable = width > 0 && hit !== null && (element.contains(hit) || hit.contains(element));
        const isForeign = element instanceof HTMLAnchorElement && (!element.hash || /servers/.test(element.hash));
        if (!isReachable || isForeign || forbidden.test(label)) return [];
        return [{ label: label.slice(0, 60), x, y, kind: element.localName, request: element.closest("article")?.getAttribute("data-request-id") ?? null }];
      });
    });
  }

  /** @returns {Promise<Shown>} */
  shown() {
    return this.page.evaluate(() => {
      const articles = [...document.querySelectorAll("article[data-request-id]")];
      const idOf = (/** @type {Element} */ element) => element.getAttribute("data-request-id") ?? "";
      const scroller = document.querySelector("main [data-scrolls=main]")?.getBoundingClientRect();
      const [top, bottom] = [Math.max(0, scroller?.top ?? 0), Math.min(innerHeight, scroller?.bottom ?? innerHeight)];
      const isInView = (/** @type {Element} */ article) => {
        const card = article.getBoundingClientRect();
        return card.height > 0 && Math.min(card.bottom, bottom) - Math.max(card.top, top) >= Math.min(48, card.height);
      };
      const pills = [...document.querySelectorAll("[data-testid=beyond]")];
      return {
        hash: location.hash,
        title: document.title,
        state: document.querySelector("[data-testid=session-state]")?.getAttribute("data-state") ?? null,
        main: document.querySelector("main")?.textContent ?? "",
        waiting: articles.filter((article) => isInView(article)).map(idOf),
        present: articles.map(idOf),
        announced: pills.map(idOf),
        others: pills.reduce((sum, pill) => sum + Number(pill.textContent?.match(/and (\d+) more/)?.[1] ?? 0), 0),
        texts: /** @type {any} */ (globalThis).monkeyTexts(),
        cards: Object.fromEntries(articles.map((article) => [idOf(article), { state: article.getAttribute("data-state") ?? "", text: article.textContent ?? "" }])),
      };
    });
  }

  /** @returns {Promise<import("../pages/history.js").Shown[]>} */
  newHistory() {
    return this.page.evaluate(() => /** @type {any} */ (globalThis).shownHistory.splice(0));
  }
}
