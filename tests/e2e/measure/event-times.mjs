// @ts-check
/** Notes when the server says that a question was asked: the beginning of what is measured. */
import { get } from "node:http";

/**
 * @typedef {object} EventTimes
 * @property {(question: string) => number | undefined} askedAt Epoch milliseconds, once it was asked.
 * @property {() => void} close
 */

/**
 * Listens to the server itself, past every proxy.
 *
 * @param {string} serverUrl
 * @returns {Promise<EventTimes>}
 */
export async function watchEvents(serverUrl) {
  /** @type {Map<string, number>} */
  const asked = new Map();
  let unread = "";
  /** @param {string} data */
  const read = (data) => {
    const at = Date.now();
    const lines = (unread + data).split("\n");
    unread = lines.pop() ?? "";
    for (const line of lines) {
      if (!line.startsWith("data: ") || !line.includes('"question.asked"')) continue;
      const { payload } = JSON.parse(line.slice("data: ".length));
      for (const { question } of payload.properties?.questions ?? []) if (!asked.has(question)) asked.set(question, at);
    }
  };
  const request = get(`${serverUrl}/global/event`);
  const response = await new Promise((resolve, reject) => request.once("response", resolve).once("error", reject));
  response.setEncoding("utf8").on("data", read);
  request.on("error", () => {});
  return { askedAt: (question) => asked.get(question), close: () => request.destroy() };
}
