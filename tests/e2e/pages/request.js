// @ts-check
/** One request on a page of its own, as a phone shows it. */
import { expect } from "@playwright/test";
import { Card } from "./card.js";

/** The page of a request. */
export class RequestPage {
  /** @param {import("@playwright/test").Page} page */
  constructor(page) {
    this.page = page;
    this.back = page.getByRole("link", { name: "Back to the inbox" });
    this.next = page.getByRole("link", { name: "Next request" });
    this.place = page.getByTestId("request-place");
    this.card = new Card(page.getByRole("main").getByRole("article").first(), /./);
  }

  /**
   * Scrolls to it like a person does, and sees that nothing lies over it.
   *
   * @param {import("@playwright/test").Locator} target
   */
  async reach(target) {
    const covered = await target.evaluate((element) => {
      const found = [];
      for (const block of /** @type {const} */ (["start", "end"])) {
        element.scrollIntoView({ block });
        const { left, top, bottom, width, height } = element.getBoundingClientRect();
        const inside = Math.min(height, 20) / 2;
        const hit = document.elementFromPoint(left + Math.min(width, 40) / 2, block === "start" ? top + inside : bottom - inside);
        if (!hit || !(element.contains(hit) || hit.contains(element))) found.push(`the ${block} of ${element.tagName} lies under ${hit?.tagName}.${hit?.className}`);
      }
      return found;
    });
    expect(covered).toEqual([]);
  }

  /** Sees that no part of the card is cut off, and none lies over another. */
  async expectWhole() {
    const faults = await this.card.article.evaluate((article) => {
      const found = [];
      const name = (/** @type {Element} */ element) => `${element.tagName.toLowerCase()}.${element.className}`;
      for (const element of article.querySelectorAll("*")) {
        const { overflowY, display, position } = getComputedStyle(element);
        const scrolls = overflowY === "auto" || overflowY === "scroll";
        if (element.closest(".why-folded") || position === "absolute" || display === "inline" || element instanceof HTMLTextAreaElement) continue;
        if (!scrolls && element.clientHeight > 0 && element.scrollHeight > element.clientHeight + 2) {
          found.push(`${name(element)} shows ${element.clientHeight} of ${element.scrollHeight} px`);
        }
      }
      const body = article.querySelector(".request-body");
      const parts = [...(body?.children ?? [])].filter((part) => getComputedStyle(part).position === "static" && part.getBoundingClientRect().height > 0);
      const boxes = parts.map((part) => ({ part, box: part.getBoundingClientRect() })).sort((one, other) => one.box.top - other.box.top);
      boxes.forEach(({ part, box }, at) => {
        const below = boxes[at + 1];
        if (below && box.bottom > below.box.top + 1) found.push(`${name(part)} lies over ${name(below.part)}`);
      });
      return found;
    });
    expect(faults).toEqual([]);
  }
}
