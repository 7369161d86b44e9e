// @ts-check
/** Answers a question by a click in a page that shows what waits. */
import { connect } from "opencode-switchboard";
import { post } from "./report.js";
import { SCRIPT } from "./story.js";

/**
 * Shows a board in a place of the page, chooses the first button that says "Blue" there, and posts the reply when nothing waits any
 * more.
 *
 * @param {(board: import("opencode-switchboard").Board, place: Element) => void} show
 */
export function reportClicks(show) {
  post(async ({ baseUrl, directory }) => {
    const board = await connect({ baseUrl });
    const place = document.body.appendChild(document.createElement("main"));
    show(board, place);
    const session = await board.createSession({ directory });
    const replying = session.prompt(SCRIPT, { timeout: "2m" });
    (await found(place, () => [...place.querySelectorAll("button")].find(({ textContent }) => textContent === "Blue"))).click();
    const { text } = await replying;
    await found(place, () => place.querySelector("li") === null || undefined);
    await board.close();
    return text;
  });
}

/**
 * Waits until a page shows something.
 *
 * @template T
 * @param {Element} place
 * @param {() => T | undefined} find
 * @returns {Promise<T>}
 */
function found(place, find) {
  return new Promise((resolve) => {
    const look = () => {
      const thing = find();
      if (thing === undefined) return;
      observer.disconnect();
      resolve(thing);
    };
    const observer = new MutationObserver(look);
    observer.observe(place, { childList: true, subtree: true, characterData: true });
    look();
  });
}
