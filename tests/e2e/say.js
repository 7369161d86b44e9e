// @ts-check
/** Prompts that are scripts: what a test lets the agent do. */

/**
 * @typedef {import("../../www/npm/serve/script.mjs").Step} Step
 * @typedef {import("../../www/npm/serve/script.mjs").ToolCall} ToolCall
 * @typedef {{ question: string, header: string, multiple?: boolean, options: { label: string, description: string }[] }} Question
 */

/** The tools that stop for a person in the servers of the tests. */
const ASKING = new Set(["question", "bash", "edit", "write"]);

/**
 * A prompt whose run is these steps.
 *
 * @param {...(Step | ToolCall)} steps A tool call is a step with that call alone.
 */
export function script(...steps) {
  return JSON.stringify({ steps: steps.map((step) => ("name" in step ? { tools: [step] } : step)) });
}

/**
 * Whether the run of this prompt stops for a person: for an answer, or for a permission unless the session has it already.
 *
 * @param {string} prompt
 * @returns {boolean}
 */
export function asks(prompt) {
  if (!prompt.startsWith("{")) return false;
  /** @type {{ steps: Step[] }} */
  const { steps } = JSON.parse(prompt);
  if (steps.some(repeats)) return true;
  return steps.flatMap(({ tools = [] }) => tools).some(({ name, input }) => ASKING.has(name) || (name === "task" && asks(String(input.prompt))));
}

/**
 * Whether the last three calls of a step are the same: then the server asks whether the run may go on.
 *
 * @param {Step} step
 */
function repeats({ tools = [] }) {
  const last = tools.slice(-3).map((call) => JSON.stringify(call));
  return last.length === 3 && new Set(last).size === 1;
}

/**
 * A question for one request of its own.
 *
 * @param {string} question
 * @param {string[]} labels
 * @param {{ multiple?: boolean, header?: string }} [more]
 * @returns {Question}
 */
export function question(question, labels, { header = question.split(" ")[0], ...more } = {}) {
  return { question, header, ...more, options: labels.map((label) => ({ label, description: `About ${label}` })) };
}

/**
 * A call that asks these questions in one request.
 *
 * @param {...Question} questions
 * @returns {ToolCall}
 */
export function ask(...questions) {
  return { name: "question", input: { questions } };
}

/**
 * A call that runs a command.
 *
 * @param {string} command
 * @param {string} [workdir]
 * @returns {ToolCall}
 */
export function run(command, workdir) {
  return { name: "bash", input: { command, description: "A command of the test", ...(workdir ? { workdir } : {}) } };
}

/**
 * A call that writes a file.
 *
 * @param {string} filePath
 * @param {string} content
 * @returns {ToolCall}
 */
export function write(filePath, content) {
  return { name: "write", input: { filePath, content } };
}

/**
 * A call that reads a file.
 *
 * @param {string} filePath
 * @returns {ToolCall}
 */
export function read(filePath) {
  return { name: "read", input: { filePath } };
}

/**
 * A call that starts a sub-agent with this prompt.
 *
 * @param {string} description
 * @param {string} prompt
 * @returns {ToolCall}
 */
export function delegate(description, prompt) {
  return { name: "task", input: { description, prompt, subagent_type: "general" } };
}
