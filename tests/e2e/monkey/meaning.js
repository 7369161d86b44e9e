// @ts-check
/** What a press means, and whether something that the page has sent was meant by one. */

/**
 * @typedef {import("./recorder.js").Press} Press
 * @typedef {import("./recorder.js").Card} Card
 * @typedef {import("../fault-proxy.mjs").Exchange} Exchange
 */

/** A card that changes right before a press was not what the press was meant for, in ms. */
const REACTION = 250;
/** How far the clocks of browser and test may be apart, in ms. */
const CLOCKS_DIFFER = 50;

/**
 * Returns what is wrong with something that the page has sent; nothing when a press has meant it.
 *
 * @param {Exchange} sent
 * @param {Press[]} presses All presses of all tabs.
 * @param {Exchange[]} posts All that the page has posted.
 * @returns {string | null}
 */
export function unmeant(sent, presses, posts) {
  const before = presses.filter((press) => press.at <= sent.at + CLOCKS_DIFFER);
  const [, kind, id, verb] = sent.path.match(/^\/(question|permission|session)\/([^/]+)\/(\w+)$/) ?? [];
  const body = sent.body ? JSON.parse(sent.body) : {};
  const what = `${sent.path} ${sent.body}`;
  const isMeantBy = (/** @type {(press: Press) => boolean} */ means, /** @type {string} */ wrong) => (before.some(means) ? null : `${wrong}: ${what}`);
  if (sent.path === "/session") return isMeantBy((press) => startsSession(press) || startsLoop(press), "nobody started this");
  if (kind === "session") {
    const of = (/** @type {Press} */ press) => press.place.startsWith(`#/session/${id}`);
    if (verb === "prompt_async") return isMeantBy((press) => meansPrompt(press, id, textOf(body)), "nobody wrote this");
    if (verb === "shell") return isMeantBy(startsLoop, "nobody started this");
    // Nobody sees the sessions of reviewers, which end with what asked them.
    const isReviewer = posts.some((post) => post.path === `/session/${id}/prompt_async` && post.body !== "" && isForReviewer(textOf(JSON.parse(post.body))));
    if (verb === "abort") return isReviewer ? null : isMeantBy((press) => of(press) && isPressOf(press, /^Stop the run/), "nobody stopped this");
  }
  if (kind !== "question" && kind !== "permission") return `nobody knows what this is for: ${what}`;
  if (verb === "reject" && before.some((press) => isPressOf(press, /^Clear it/))) return null;
  const aimed = before.flatMap((press) => {
    const card = press.request === null ? press.open.find((card) => card.id === id) : press.request === id ? press.card : null;
    return card ? [{ press, card }] : [];
  });
  const means = kind === "permission" ? permission : verb === "reject" ? dismissal : answers;
  const meant = aimed.filter(({ press, card }) => means(press, card, body));
  if (meant.length === 0) return `nobody chose this: ${what}; ${told("on it", sent, aimed.map(({ press }) => press))}; ${told("of all", sent, presses)}`;
  if (meant.every(({ card }) => !card.inView)) return `chosen out of sight: ${what}`;
  if (meant.every(({ press }) => press.kind === "key" && press.openFor < REACTION)) {
    return `the card came ${meant[0].press.openFor} ms before the key ${meant[0].press.key}: ${what}`;
  }
  return null;
}

/** @param {Press} press @param {Card} card @param {{ reply?: string }} body */
function permission(press, card, body) {
  const confirms = press.key === "Enter" && card.sheet;
  if (body.reply === "once") return /^(Allow once|Only once)/.test(press.label) || press.key === "a";
  if (body.reply === "always") return confirms || (card.sheet && /^Always allow/.test(press.label));
  return confirms || /^(Control\+)?Enter$/.test(press.key) || /^Reject (all )?(and|with)/.test(press.label);
}

/** @param {Press} press @param {Card} card */
function dismissal(press, card) {
  return (press.key === "Enter" && card.sheet) || /^Dismiss(?!…)/.test(press.label);
}

/** @param {Press} press @param {Card} card @param {{ answers?: string[][] }} body */
function answers(press, card, body) {
  if (!/^(Control\+)?Enter$/.test(press.key) && !/^Send/.test(press.label)) return false;
  if (body.answers?.length !== 1) return true;
  // The button names what it sends.
  const [only, ...more] = body.answers[0];
  const named = press.label.match(/^Send “(.*)”/)?.[1];
  if (more.length === 0 && named !== undefined && named !== only) return false;
  const chosen = card.chosen.map((label) => (/own answer/i.test(label) ? (card.own?.trim() ?? "") : label)).filter((text) => text !== "");
  return JSON.stringify([...chosen].sort()) === JSON.stringify([...body.answers[0]].sort());
}

/** What the page itself writes, by the button that sends it. @type {[RegExp, RegExp][]} */
const OWN_PROMPTS = [
  [/^Send “continue”/, /^continue$/],
  [/^Ask for a summary/, /^Sum up what you did/],
  [/^Start it/, /^$/],
  [/^Send \d+ issues? to the agent/, /^Reviewers found these issues/],
];

/** @param {Press} press @param {string} session @param {string} text */
function meansPrompt(press, session, text) {
  if (isForReviewer(text)) return startsLoop(press);
  if (press.place.startsWith(`#/session/${session}`) && OWN_PROMPTS.some(([label, own]) => isPressOf(press, label) && own.test(text))) return true;
  const isRescue = /^(Send it as a message|Send mine)/.test(press.label) || press.key === "m";
  if (isRescue && (press.card ?? press.open[0])) return true;
  const sends = press.key === "Control+Enter" || press.key === "Enter" || /^(Send|Queue|Start)/.test(press.label);
  const written = [press.texts[`prompt ${session}`], press.texts["first message"]];
  return sends && written.some((written) => written?.trim() === text.trim());
}

/** @param {{ parts?: { text?: string }[] }} body */
function textOf(body) {
  return body.parts?.[0]?.text ?? "";
}

/** @param {string} text */
function isForReviewer(text) {
  return text.startsWith("You are the reviewer “");
}

/** @param {Press} press */
function startsSession(press) {
  return press.place === "#/new" && (press.key === "Enter" || isPressOf(press, /^Start/));
}

/** Starts checks or reviews, or goes on with them. @param {Press} press */
function startsLoop(press) {
  return press.place.endsWith("/checks") && (press.key === "Enter" || isPressOf(press, /^(Start|Go on|Ask the reviewers again)/));
}

/** A button was pressed, not merely focused. @param {Press} press */
export function isPressed({ kind, key }) {
  return kind === "click" || key === "Enter" || key === " ";
}

/** @param {Press} press @param {RegExp} label */
function isPressOf(press, label) {
  return isPressed(press) && label.test(press.label);
}

/** @param {string} which @param {Exchange} sent @param {Press[]} presses */
function told(which, sent, presses) {
  const lines = presses.slice(-6).map((press) => {
    const open = press.open.map(({ id, chosen, own }) => `${id} [${chosen.join(", ")}] “${own ?? ""}”`);
    return `${press.at - sent.at} ms tab ${press.tab} ${press.key || `click “${press.label}”`} in ${press.request}, open ${open.join(", ")}`;
  });
  return `the last presses ${which}: ${lines.join(" · ") || "none"}`;
}
