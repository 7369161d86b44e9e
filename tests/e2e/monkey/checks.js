// @ts-check
/** Compares what the page shows with what the server knows. */
import { setTimeout as sleep } from "node:timers/promises";
import { unmeant } from "./meaning.js";

/** What waits has to be shown or announced within this time, also while the server is slow, in ms. */
const SHOWN_WITHIN = 30_000;
const LOOK_AGAIN = 100;
const NEEDS_A_WORD = ["elsewhere", "gone"];

/**
 * @typedef {import("./tab.js").Tab} Tab
 * @typedef {import("./tab.js").Shown} Shown
 * @typedef {import("./world.js").World} World
 * @typedef {import("./recorder.js").Press} Press
 */

/** What it has found so far, and how much it has looked at. */
export class Checks {
  #sent = 0;
  /** What was typed last in any tab, by field. @type {Map<string, { text: string, at: number }>} */
  #typed = new Map();
  /** @type {string[]} */
  found = [];
  figures = { sent: 0, shown: 0, answered: 0, typed: 0, slowest: 0 };

  /**
   * @param {World} world
   * @param {import("../fault-proxy.mjs").FaultProxy} faults
   * @param {Press[]} presses
   */
  constructor(world, faults, presses) {
    this.world = world;
    this.faults = faults;
    this.presses = presses;
  }

  /** Everything the page has sent was meant by a press. */
  sent() {
    const posts = this.faults.exchanges.filter((exchange) => exchange.method === "POST");
    for (const sent of posts.slice(this.#sent)) {
      this.figures.sent += 1;
      const wrong = unmeant(sent, this.presses);
      if (wrong) this.found.push(wrong);
    }
    this.#sent = posts.length;
  }

  /** @param {Tab} tab */
  async waitingIsShown(tab) {
    const begun = Date.now();
    for (;;) {
      const missing = await this.#missing(tab);
      const took = Date.now() - begun;
      if (missing.length === 0) {
        this.figures.slowest = Math.max(this.figures.slowest, took);
        return;
      }
      if (took > SHOWN_WITHIN) {
        this.found.push(`not in view and not announced after ${SHOWN_WITHIN / 1000} s: ${missing.join("; ")}`);
        return;
      }
      await sleep(LOOK_AGAIN);
    }
  }

  /** @param {Tab} tab */
  async #missing(tab) {
    const replied = new Set(this.faults.exchanges.flatMap((exchange) => exchange.path.match(/^\/(?:question|permission)\/([^/]+)\/(?:reply|reject)$/)?.[1] ?? []));
    const [waiting, shown] = await Promise.all([this.world.waiting(), tab.shown()]);
    const open = waiting.filter((request) => !replied.has(request.id));
    const session = shown.hash.match(/^#\/session\/([^/?]+)/)?.[1];
    const isInbox = shown.hash === "#/inbox" || shown.hash === "";
    this.figures.shown += open.length;
    if (session) {
      const here = open.filter((request) => request.session === session);
      const unseen = here.filter((request) => !shown.waiting.includes(request.id) && !shown.announced.includes(request.id));
      return unseen.length > shown.others ? unseen.map((request) => `${request.id} (${request.name}) in ${shown.hash}`) : [];
    }
    if (isInbox) return open.filter((request) => !shown.present.includes(request.id)).map((request) => `${request.id} (${request.name}) in the inbox`);
    return [];
  }

  /** @param {Tab} tab @param {import("./recorder.js").Typed} typed */
  heard(tab, { field, text, at }) {
    tab.typed.set(field, text);
    this.#typed.set(field, { text, at });
  }

  /**
   * What was typed stands in its field, or beside what was taken instead. What another tab has typed since this one was
   * loaded is not compared.
   *
   * @param {Tab} tab
   */
  async typedIsThere(tab) {
    const shown = await tab.shown();
    for (const [field, text] of Object.entries(shown.texts)) {
      const newest = this.#typed.get(field);
      const typed = tab.typed.get(field) ?? (newest && newest.at < tab.loadedAt ? newest.text : undefined);
      if (typed === undefined) continue;
      this.figures.typed += 1;
      if (typed === text || this.#wasSent(typed, field) || shown.main.includes(typed.trim())) continue;
      this.found.push(`typed “${typed}” into ${field}, which now shows “${text}”`);
    }
    for (const [id, card] of Object.entries(shown.cards)) {
      if (!NEEDS_A_WORD.includes(card.state)) continue;
      const typed = [...tab.typed].filter(([field, text]) => field.startsWith(`${id}/`) && text.trim() !== "");
      for (const [field, text] of typed) {
        this.figures.typed += 1;
        if (card.text.includes(text.trim()) || Object.values(shown.texts).includes(text) || this.#wasGivenUp(id) || this.#wasSent(text, field)) continue;
        this.found.push(`typed “${text}” for ${id}, which is ${card.state} and does not show it: ${card.text.slice(0, 300)}`);
      }
    }
  }

  /** @param {string} text @param {string} field */
  #wasSent(text, field) {
    if (text.trim() === "") return true;
    const quoted = JSON.stringify(text.trim()).slice(1, -1);
    const [id] = field.split("/");
    const isAbout = (/** @type {string} */ path) => path.includes(id) || path.endsWith("/prompt_async");
    return this.faults.exchanges.some((exchange) => exchange.method === "POST" && isAbout(exchange.path) && exchange.body.includes(quoted));
  }

  /** Another option was chosen, or the text was discarded. @param {string} id */
  #wasGivenUp(id) {
    return this.presses.some((press) => press.request === id && (/^Discard/.test(press.label) || press.card?.chosen.some((label) => !/own answer/i.test(label))));
  }

  /** The page says that a question is answered only when its tool part does. @param {Tab} tab */
  async answeredIsProven(tab) {
    for (const entry of await tab.newHistory().catch(() => [])) {
      const name = entry.request.match(/^Q\d+: [^?]+\?/)?.[0];
      if (!name || !/^answered\b(?! elsewhere)/i.test(entry.state)) continue;
      const part = await this.world.partOf(name);
      this.figures.answered += 1;
      const at = part?.state.status === "completed" ? part.state.time?.end : undefined;
      if (at === undefined || at > entry.at) this.found.push(`says answered at ${entry.at}, its tool part at ${at}: ${name}`);
    }
  }
}
