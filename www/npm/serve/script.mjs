// @ts-check
/**
 * Decides what the scripted model says to a request, from the conversation in the request alone.
 *
 * The choice has no memory. The last prompt that names a script decides the script, and the number of assistant
 * messages after it is the step. So a run goes on at the right place after a restart of either side.
 */

/**
 * @typedef {{ name: string, input: Record<string, unknown> }} ToolCall
 *
 * @typedef {object} Step What the model does with one request.
 * @property {string} [text]
 * @property {string} [reasoning]
 * @property {ToolCall[]} [tools] Several calls in one step run in parallel.
 * @property {number} [delay] Milliseconds before the first byte.
 * @property {number} [chunkDelay] Milliseconds between chunks.
 * @property {number} [chunk] Characters of text per chunk. Defaults to 24.
 * @property {"stop"|"length"|"content_filter"|"tool_calls"|null} [finish] `null` sends no finish reason at all.
 * @property {number} [status] An HTTP error instead of an answer.
 * @property {Record<string, string>} [headers] Headers of that error.
 * @property {unknown} [body] Body of that error.
 * @property {string} [model] The error comes to requests for this model alone.
 * @property {number} [times] How many times the error comes before the step goes on as if there was none.
 * @property {Step} [again] What it does instead once the same step of the same script has come before, in any conversation, such as that of a reviewer who is asked again.
 *
 * @typedef {object} Script
 * @property {string} [prompt]
 * @property {string} [about]
 * @property {string} [title] Title of the session.
 * @property {Step[]} steps
 *
 * @typedef {{ id: string, function: { name: string, arguments: string } }} SentCall
 * @typedef {{ role: string, content?: unknown, tool_calls?: SentCall[], tool_call_id?: string }} Message
 * @typedef {{ script: Script | null, index: number, step: Step }} Choice
 */

/**
 * Returns the script a conversation is in, and the step that is due.
 *
 * @param {Message[]} messages
 * @param {Script[]} scripts
 * @returns {Choice}
 */
export function chooseStep(messages, scripts) {
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    if (messages[at].role !== "user") continue;
    const script = findScript(messages[at], scripts);
    if (!script) continue;
    const since = messages.slice(at + 1);
    const index = since.filter((message) => message.role === "assistant").length;
    if (index < script.steps.length) return { script, index, step: script.steps[index] };
    if (index === script.steps.length) return { script, index, step: { text: reportReceived(since) } };
    break;
  }
  return { script: null, index: 0, step: { text: listPrompts(scripts) } };
}

/**
 * Returns a title for the session that these messages begin.
 *
 * @param {Message[]} messages
 * @param {Script[]} scripts
 */
export function titleOf(messages, scripts) {
  const users = messages.filter((message) => message.role === "user");
  for (const message of users) {
    const script = findScript(message, scripts);
    if (script) return script.title ?? script.prompt ?? "Scripted session";
  }
  const text = textsOf(users.at(-1)).at(-1) ?? "";
  return text.trim().split("\n").at(-1)?.slice(0, 50) || "Untitled";
}

/**
 * Returns the texts of a message: one per content part.
 *
 * @param {Message | undefined} message
 * @returns {string[]}
 */
export function textsOf(message) {
  const content = message?.content;
  if (typeof content === "string") return [content];
  if (!Array.isArray(content)) return [];
  return content.flatMap((part) => (typeof part?.text === "string" ? [part.text] : []));
}

/**
 * @param {Message} message
 * @param {Script[]} scripts
 * @returns {Script | null}
 */
function findScript(message, scripts) {
  for (const text of textsOf(message).reverse()) {
    // A script may be a line of a longer prompt, such as that of a reviewer.
    for (const part of [text, ...text.split("\n").reverse()]) {
      const written = parseScript(part);
      if (written) return written;
    }
    const known = scripts.find((script) => script.prompt && plain(script.prompt) === plain(text));
    if (known) return known;
  }
  return null;
}

/**
 * @param {string} text
 * @returns {Script | null}
 */
function parseScript(text) {
  if (!text.trimStart().startsWith("{")) return null;
  try {
    const value = JSON.parse(text);
    return Array.isArray(value?.steps) ? value : null;
  } catch {
    return null;
  }
}

/** @param {string} text */
function plain(text) {
  return text.trim().replace(/[.!?]+$/, "").toLowerCase();
}

/**
 * Says what came back since the prompt, so that a person sees the answer arrive.
 *
 * @param {Message[]} since
 */
function reportReceived(since) {
  const calls = new Map(since.flatMap((message) => message.tool_calls ?? []).map((call) => [call.id, call]));
  const lines = since.flatMap((message) => {
    if (message.role === "user") return [`You wrote: ${textsOf(message).join(" ").trim()}`];
    if (message.role !== "tool") return [];
    const call = calls.get(message.tool_call_id ?? "");
    const output = textsOf(message).join("\n");
    if (call?.function.name === "question") return [reportAnswers(call, output)];
    if (call?.function.name === "read") return [];
    return [`${call?.function.name ?? "The tool"} returned: ${output.trim().slice(0, 400)}`];
  });
  return lines.join("\n\n") || "Done.";
}

/**
 * @param {SentCall} call
 * @param {string} output
 */
function reportAnswers(call, output) {
  const questions = questionsOf(call);
  const answers = questions.map((question, at) => {
    const begin = output.indexOf(`"${question}"="`);
    if (begin < 0) return null;
    const from = begin + question.length + 4;
    const next = questions[at + 1];
    const to = next === undefined ? output.lastIndexOf('".') : output.indexOf(`", "${next}"="`, from);
    return to < from ? null : output.slice(from, to);
  });
  if (answers.length === 0 || answers.includes(null)) return `The question returned: ${output}`;
  return `You answered: ${answers.join(" · ")}.`;
}

/**
 * @param {SentCall} call
 * @returns {string[]}
 */
function questionsOf(call) {
  try {
    /** @type {{ questions?: { question: string }[] }} */
    const input = JSON.parse(call.function.arguments);
    return (input.questions ?? []).map((question) => question.question);
  } catch {
    return [];
  }
}

/** @param {Script[]} scripts */
function listPrompts(scripts) {
  const lines = scripts.map((script) => `- **${script.prompt}**: ${script.about}`);
  return ["I am a scripted model. I know these prompts:", "", ...lines].join("\n");
}
