// @ts-check
/** Compares what became of requests, runs and messages with what was pressed and what the page says about it. */

import { isPressed } from "./meaning.js";

/**
 * @typedef {import("./truth.js").Outcome} Outcome
 * @typedef {import("./truth.js").Run} Run
 * @typedef {import("./recorder.js").Press} Press
 * @typedef {import("./recorder.js").Claim} Claim
 * @typedef {import("../fault-proxy.mjs").Exchange} Exchange
 *
 * @typedef {object} Given All replies to requests that have been sent.
 * @property {Exchange[]} posts By the page. Each was meant by a press, which another check sees to.
 * @property {Map<string, unknown>} elsewhere By the other client, by request.
 * @property {Set<string>} stopped Sessions that the other client has stopped.
 */

/** A run that a stop has reached may begin one more message meanwhile, in ms. */
const STOP_TAKES = 2000;

/**
 * Returns what is wrong with how a request ended; nothing when somebody has chosen that end.
 *
 * @param {Outcome} outcome
 * @param {Given} given
 * @param {Outcome[]} all
 * @returns {string | null}
 */
export function unchosen({ asked, end, answers }, given, all) {
  const replies = repliesTo(asked.id, given);
  const inSession = all.filter((other) => other.asked.session === asked.session).flatMap((other) => repliesTo(other.asked.id, given));
  const isStopped = given.stopped.has(asked.session) || given.posts.some((post) => post.path === `/session/${asked.session}/abort`);
  const isChosen = {
    waits: () => true,
    answered: () => replies.includes(JSON.stringify(answers)),
    dismissed: () => replies.includes("dismiss"),
    ran: () => replies.some((reply) => reply === "once" || reply === "always"),
    rejected: () => inSession.includes("reject"),
    ended: () => isStopped,
  }[end];
  return isChosen() ? null : `nobody chose this end: ${asked.id} (${asked.name}) ${end} ${JSON.stringify(answers)}; replies: ${replies.join(" · ") || "none"}`;
}

/**
 * All replies to a request, in one word or as JSON.
 *
 * @param {string} id
 * @param {Given} given
 */
function repliesTo(id, { posts, elsewhere }) {
  const ours = posts.flatMap(({ path, body }) => {
    if (path === `/question/${id}/reject`) return ["dismiss"];
    if (!path.endsWith(`/${id}/reply`) || !body) return [];
    const { answers, reply } = JSON.parse(body);
    return [reply ?? JSON.stringify(answers)];
  });
  const theirs = elsewhere.get(id);
  return theirs === undefined ? ours : [...ours, typeof theirs === "string" ? theirs : JSON.stringify(theirs)];
}

/**
 * Returns what is wrong with what a page has said about the end of a request.
 *
 * @param {Claim} claim
 * @param {Outcome} outcome
 * @returns {string | null}
 */
export function untrue(claim, { asked, end, answers }) {
  const wrong = `a page says of ${asked.id} (${asked.name}) “${claim.word}: ${claim.said.join(" / ")} ${claim.sentence}”, and it is ${end} ${JSON.stringify(answers)}`;
  const texts = answers.map((given) => given.join(" and ").trim());
  const isAnswered = asked.command ? end === "ran" || end === "ended" : end === "answered";
  switch (claim.word) {
    case "answered": {
      if (!isAnswered) return wrong;
      return asked.command || claim.said.length === 0 || claim.said.join("\n") === texts.join("\n") ? null : wrong;
    }
    case "rejected":
      return end === "rejected" || end === "ended" ? null : wrong;
    case "dismissed":
      return end === "dismissed" ? null : wrong;
    case "answered elsewhere": {
      if (/^Allowed/.test(claim.sentence)) return isAnswered ? null : wrong;
      if (/^Rejected/.test(claim.sentence)) return end === "rejected" ? null : wrong;
      const named = claim.sentence.match(/^Answered (?:elsewhere|in another tab): (.*)\.$/)?.[1];
      const isRight = named === undefined ? end !== "waits" : isAnswered && named === texts.join(", ");
      return isRight ? null : wrong;
    }
    default:
      return null;
  }
}

/**
 * Returns the replies of the page that the server took and that have no effect.
 *
 * @param {Outcome} outcome
 * @param {Given} given
 * @returns {string | null}
 */
export function unheard({ asked, end }, given) {
  const replies = repliesTo(asked.id, given);
  return end === "waits" && replies.length > 0 ? `still waits after ${replies.join(" · ")}: ${asked.id} (${asked.name})` : null;
}

/**
 * Returns the stops that were pressed and did not end the run that was on. One whose page was loaded anew before it was sent, as
 * its prompt was not yet there, is not repeated: the session shows that it works, and its person can press again.
 *
 * @param {Run[]} runs Of one session, oldest first.
 * @param {Press[]} presses
 * @param {boolean} isBusy
 * @param {Exchange[]} posts
 * @param {{ number: number, loads: number[] }[]} tabs
 * @returns {string[]}
 */
export function unstopped(runs, presses, isBusy, posts, tabs) {
  const stops = presses.filter((press) => /^Stop the run/.test(press.label) && isPressed(press) && press.place.startsWith(`#/session/${runs[0]?.session}`));
  return stops.flatMap((stop) => {
    const run = runs.findLast((run) => run.messages.some(({ created }) => created < stop.at));
    if (!run) return [];
    const isLast = run === runs.findLast((run) => run.messages.length > 0);
    const wentOn = run.messages.some(({ created }) => created > stop.at + STOP_TAKES);
    const isOn = isLast && isBusy;
    if (!isOn && !wentOn) return [];
    const left = tabs.find(({ number }) => number === stop.tab)?.loads.find((load) => load > stop.at);
    const isSent = posts.some(({ path, at }) => path === `/session/${run.session}/abort` && at >= stop.at && at < (left ?? Infinity));
    if (left !== undefined && !isSent) return [];
    const aborts = posts.filter(({ path }) => path === `/session/${run.session}/abort`).map(({ at, outcome }) => `${at - stop.at} (${outcome})`);
    const begun = runs.map((run) => `${run.begun - stop.at} “${run.text.slice(0, 30)}”: ${run.messages.map(({ created }) => created - stop.at).join(", ")}`);
    return [`pressed “Stop the run” in ${run.session}, and the run ${isOn ? "is on" : "went on"}; aborts: ${aborts.join(" · ")}; runs: ${begun.slice(-4).join(" · ")}`];
  });
}

/**
 * Returns the messages that arrived more often than they were sent.
 *
 * @param {Run[]} runs
 * @param {Press[]} presses
 * @returns {string[]}
 */
export function repeated(runs, presses) {
  const texts = runs.map((run) => run.text).filter((text) => /^word\d/.test(text));
  return [...new Set(texts)].flatMap((text) => {
    const arrived = texts.filter((other) => other === text).length;
    const isSending = (/** @type {Press} */ press) => isPressed(press) || /Enter$/.test(press.key);
    const sent = presses.filter((press) => isSending(press) && (/^Send it again/.test(press.label) || Object.values(press.texts).some((written) => written.trim() === text.trim()))).length;
    return arrived > Math.max(1, sent) ? [`arrived ${arrived} times, sent ${sent} times: ${text}`] : [];
  });
}

