// @ts-check
/**
 * Turns a step of a script into the chunks of an OpenAI chat completion.
 */

const CHARACTERS_PER_CHUNK = 24;

/**
 * @typedef {object} Delta
 * @property {string} [role]
 * @property {string} [content]
 * @property {string} [reasoning_content]
 * @property {{ index: number, id: string, type: "function", function: { name: string, arguments: string } }[]} [tool_calls]
 *
 * @typedef {object} Chunk
 * @property {string} id
 * @property {"chat.completion.chunk"} object
 * @property {number} created
 * @property {string} model
 * @property {{ index: number, delta: Delta, finish_reason: string | null }[]} choices
 * @property {{ prompt_tokens: number, completion_tokens: number, total_tokens: number }} [usage]
 */

/**
 * Yields the chunks of a step in the order they are sent.
 *
 * @param {import("./script.mjs").Step} step
 * @param {string} model
 * @param {() => string} newId
 * @returns {Generator<Chunk, void>}
 */
export function* chunksOf(step, model, newId) {
  const id = `chatcmpl-${newId()}`;
  /**
   * @param {Delta} delta
   * @param {string | null} finish
   * @returns {Chunk}
   */
  const chunk = (delta, finish = null) => ({
    id,
    object: "chat.completion.chunk",
    created: Math.floor(Date.now() / 1000),
    model,
    choices: [{ index: 0, delta, finish_reason: finish }],
  });

  yield chunk({ role: "assistant" });
  const size = step.chunk ?? CHARACTERS_PER_CHUNK;
  for (const piece of pieces(step.reasoning ?? "", size)) yield chunk({ reasoning_content: piece });
  for (const piece of pieces(step.text ?? "", size)) yield chunk({ content: piece });
  for (const [index, call] of (step.tools ?? []).entries()) {
    const sent = { name: call.name, arguments: JSON.stringify(call.input) };
    yield chunk({ tool_calls: [{ index, id: `call_${newId()}`, type: "function", function: sent }] });
  }
  if (step.finish !== null) yield chunk({}, step.finish ?? (step.tools?.length ? "tool_calls" : "stop"));
  const tokens = Math.ceil(((step.text ?? "") + (step.reasoning ?? "")).length / 4);
  yield { ...chunk({}), choices: [], usage: { prompt_tokens: 100, completion_tokens: tokens, total_tokens: 100 + tokens } };
}

/**
 * @param {string} text
 * @param {number} size
 */
function pieces(text, size) {
  const characters = [...text];
  /** @type {string[]} */
  const found = [];
  for (let at = 0; at < characters.length; at += size) found.push(characters.slice(at, at + size).join(""));
  return found;
}
