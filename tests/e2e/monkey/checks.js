// @ts-check
/** Compares what the page shows with what the server knows. */
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../api.js";
import { unmeant } from "./meaning.js";
import { repeated, unchosen, unheard, unstopped, untrue } from "./outcomes.js";

/** What waits is shown or announced, and what another tab has typed is followed, within this time, also while the server is slow, in ms. */
const SHOWN_WITHIN = 30_000;
const LOOK_AGAIN = 100;
const NEEDS_A_WORD = ["elsewhere", "gone"];

/**
 * @typedef {import("./tab.js").Tab} Tab
 * @typedef {import("./tab.js").Shown} Shown
 * @typedef {import("./world.js").World} World
 * @typedef {import("./recorder.js").Press} Press
 * @typedef {import("./truth.js").Truth} Truth
 */

/** What it has found so far, and how much it has looked at. */
export class Checks {
  /** What has been judged. @type {Set<import("../fault-proxy.mjs").Exchange>} */
  #judged = new Set();
  /** What was typed last in any tab, by field. @type {Map<string, { text: string, at: number }>} */
  #typed = new Map();
  /** @type {string[]} */
  found = [];
  figures = { sent: 0, shown: 0, answered: 0, typed: 0, ended: 0, claimed: 0, stopped: 0, slowest: 0 };

  /**
   * @param {World} world
   * @param {Truth} truth
   * @param {import("../fault-proxy.mjs").FaultProxy} faults
   * @param {Press[]} presses
   */
  constructor(world, truth, faults, presses) {
    this.world = world;
    this.truth = truth;
    this.faults = faults;
    this.presses = presses;
  }

  /**
   * Everything the page has sent was meant by a press. What is still on its way is judged later: its body may not have come yet.
   *
   * @param {Tab[]} tabs
   */
  async sent(tabs) {
    const isWhole = (/** @type {import("../fault-proxy.mjs").Exchange} */ { outcome, path, body }) => outcome !== "open" && (body !== "" || /\/(reject|abort)$/.test(path));
    const whole = this.#posts().filter((exchange) => isWhole(exchange) && !this.#judged.has(exchange));
    await Promise.all(tabs.map((tab) => tab.told()));
    for (const sent of whole) {
      this.#judged.add(sent);
      this.figures.sent += 1;
      const wrong = unmeant(sent, this.presses, this.#posts());
      if (wrong) this.found.push(wrong);
    }
  }

  #posts() {
    return this.faults.exchanges.filter((exchange) => exchange.method === "POST");
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
    const [, session, page] = shown.hash.match(/^#\/session\/([^/?]+)(\/checks)?/) ?? [];
    const isInbox = shown.hash === "#/inbox" || shown.hash === "";
    this.figures.shown += open.length;
    if (session) {
      const here = open.filter((request) => request.session === session);
      // Beside the timeline no request has its card: the head says that one waits.
      if (page) return shown.state === "waiting" ? [] : here.map((request) => `${request.id} (${request.name}) in ${shown.hash}, which says “${shown.state}”`);
      const unseen = here.filter((request) => !shown.waiting.includes(request.id) && !shown.announced.includes(request.id));
      return unseen.length > shown.others ? unseen.map((request) => `${request.id} (${request.name}) in ${shown.hash}`) : [];
    }
    if (isInbox) return open.filter((request) => !shown.present.includes(request.id)).map((request) => `${request.id} (${request.name}) in the inbox`);
    return [];
  }

  /** @param {import("./recorder.js").Typed} typed */
  heard({ field, text, at }) {
    this.#typed.set(field, { text, at });
  }

  /**
   * What was typed in any tab stands in its field, or beside what was taken instead.
   *
   * @param {Tab} tab
   */
  async typedIsThere(tab) {
    const begun = Date.now();
    for (;;) {
      const lost = await this.#lost(tab);
      if (lost.length === 0) return;
      if (Date.now() - begun > SHOWN_WITHIN) {
        this.found.push(...lost);
        return;
      }
      await sleep(LOOK_AGAIN);
    }
  }

  /** @param {Tab} tab */
  async #lost(tab) {
    const shown = await tab.shown();
    const lost = [];
    for (const [field, text] of Object.entries(shown.texts)) {
      const newest = this.#typed.get(field);
      if (newest === undefined) continue;
      this.figures.typed += 1;
      if (newest.text === text) continue;
      if (this.#wasSent(newest.text, field) || this.#wasClosed(field, newest.at) || shown.main.includes(newest.text.trim())) continue;
      lost.push(`typed “${newest.text}” into ${field}, which now shows “${text}”`);
    }
    for (const [id, card] of Object.entries(shown.cards)) {
      if (!NEEDS_A_WORD.includes(card.state)) continue;
      const typed = [...this.#typed].filter(([field, { text }]) => field.startsWith(`${id}/`) && text.trim() !== "");
      for (const [field, { text, at }] of typed) {
        this.figures.typed += 1;
        if (card.text.includes(text.trim()) || Object.values(shown.texts).includes(text) || this.#wasGivenUp(id, at) || this.#wasSent(text, field)) continue;
        lost.push(`typed “${text}” for ${id}, which is ${card.state} and does not show it: ${card.text.slice(0, 300)}`);
      }
    }
    return lost;
  }

  /** @param {string} text @param {string} field */
  #wasSent(text, field) {
    if (text.trim() === "") return true;
    const quoted = JSON.stringify(text.trim()).slice(1, -1);
    const [id] = field.split("/");
    const isAbout = (/** @type {string} */ path) => path.includes(id) || path.endsWith("/prompt_async");
    return this.faults.exchanges.some((exchange) => exchange.method === "POST" && isAbout(exchange.path) && exchange.body.includes(quoted));
  }

  /** The form around what is to be reviewed was sent or given up. @param {string} field @param {number} since */
  #wasClosed(field, since) {
    const [, session] = field.match(/^material (.*)$/) ?? [];
    const isClosing = (/** @type {Press} */ press) => /^(Start|Cancel)/.test(press.label) || press.key === "Enter";
    return this.presses.some((press) => press.at >= since && press.place === `#/session/${session}/checks` && isClosing(press));
  }

  /** Another option was chosen or another reply sent, or the text was discarded. @param {string} id @param {number} since */
  #wasGivenUp(id, since) {
    const isAnother = (/** @type {import("./recorder.js").Card | null} */ card) => card?.id === id && card.chosen.some((label) => !/own answer/i.test(label));
    const isGivingUp = (/** @type {Press} */ press) => (press.request === id && /^Discard/.test(press.label)) || [press.card, ...press.open].some(isAnother);
    return this.presses.some((press) => press.at >= since && isGivingUp(press)) || this.#posts().some(({ path }) => path.includes(`/${id}/`));
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

  /**
   * Every request, run and message has ended as somebody has chosen, and as the page says. Called without faults.
   *
   * @param {Tab[]} tabs
   */
  async endsAreChosen(tabs) {
    const given = () => ({ posts: this.#posts(), elsewhere: this.world.replied, stopped: this.world.aborted });
    const outcomes = () => this.truth.outcomes();
    const late = async () => (await outcomes()).flatMap((outcome) => unheard(outcome, given()) ?? []);
    await until("effects of all replies", async () => (await late()).length === 0).catch(async () => this.found.push(...(await late())));
    const ended = await outcomes();
    this.figures.ended = ended.filter(({ end }) => end !== "waits").length;
    this.found.push(...ended.flatMap((outcome) => unchosen(outcome, given(), ended) ?? []));
    for (const claim of tabs.flatMap((tab) => tab.claims)) {
      const outcome = ended.find(({ asked }) => asked.id === claim.id);
      if (!outcome) continue;
      this.figures.claimed += 1;
      const wrong = untrue(claim, outcome);
      if (wrong) this.found.push(wrong);
    }
    for (const session of this.world.sessions) {
      const on = async () => unstopped(await this.truth.runs(session), this.presses, session.id in (await this.world.api.status()), this.#posts(), tabs);
      await until("the end of stopped runs", async () => (await on()).length === 0).catch(async () => this.found.push(...(await on())));
      this.found.push(...repeated(await this.truth.runs(session), this.presses));
    }
    this.figures.stopped = this.#posts().filter(({ path }) => path.endsWith("/abort")).length;
  }
}
