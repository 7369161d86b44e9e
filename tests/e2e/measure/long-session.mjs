// @ts-check
/**
 * Makes a session of a thousand messages, or of another number: one real turn, repeated in a file that `opencode import` reads.
 *
 * A thousand prompts with `noReply` take four times as long here, and have no agent in them.
 */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { findOpenCode } from "../../../www/npm/serve/binary.mjs";
import { prepareFolder } from "../../../www/npm/serve/folder.mjs";
import { until } from "../api.js";
import { script } from "../say.js";

export const MESSAGES = 1000;
/** What the last message says, and no other. */
export const LAST_WORDS = "This was the last of a thousand messages.";

/** The first turn of a server takes seconds, and on a busy machine much longer. */
const FIRST_TURN_LIMIT_MS = 120_000;
const BETWEEN_MESSAGES_MS = 1000;
const PARAGRAPH =
  "The store now has **one owner**, and everybody else borrows it: `src/store/mod.rs` says who. What follows from that:\n\n" +
  "- a session is read once and then kept,\n- a write goes to the journal first,\n- *nothing* is deleted before it was copied.\n\n" +
  '```rust\npub fn open(path: &Path) -> Result<Store> {\n    let journal = Journal::open(path.join("journal"))?;\n    Store::replay(journal)\n}\n```\n\n' +
  "The tests pass on both targets. The next step moves the index, which is the larger half of the work.";

/**
 * @param {Pick<import("./lab.mjs").Lab, "api" | "server" | "modelUrl">} lab
 * @param {number} [count] How many messages; a multiple of four.
 * @returns {Promise<import("../api.js").Session>}
 */
export async function importLongSession(lab, count = MESSAGES) {
  const { api, server } = lab;
  const read = { name: "read", input: { filePath: join(server.directory, "notes.md") } };
  const steps = [{ reasoning: "First the notes.", tools: [read] }, { text: "Once more.", tools: [read] }, { text: PARAGRAPH }];
  const made = await api.begin(script(...steps), { title: "One turn" });
  const turn = await until("a turn to repeat", async () => wholeTurn(await api.messages(made)), FIRST_TURN_LIMIT_MS);
  const session = { ...(await api.call("GET", `/session/${made.id}`)), id: `${made.id.slice(0, -4)}Long`, title: `${count} messages` };
  const file = join(server.folder, "long-session.json");
  writeFileSync(file, JSON.stringify({ info: session, messages: repeat(turn, session.id, count) }));
  const env = { ...process.env, ...prepareFolder(server.folder, lab.modelUrl).env, OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" };
  await promisify(execFile)(findOpenCode(), ["import", file], { cwd: server.directory, env });
  return session;
}

/**
 * @param {import("../api.js").Message[]} messages
 * @returns {import("../api.js").Message[] | null}
 */
function wholeTurn(messages) {
  const last = messages.at(-1)?.info;
  return last?.finish === "stop" && last.time.completed ? messages : null;
}

/**
 * The messages of a session that is this turn again and again. Its length divides `count`: the last one ends a turn.
 *
 * @param {import("../api.js").Message[]} turn
 * @param {string} sessionID
 * @param {number} count
 */
function repeat(turn, sessionID, count) {
  const begun = Date.now() - count * BETWEEN_MESSAGES_MS;
  let parentID = "";
  let ids = 0;
  return Array.from({ length: count }, (_, index) => {
    const { info, parts } = turn[index % turn.length];
    const at = begun + index * BETWEEN_MESSAGES_MS;
    const messageID = newId("msg", at, (ids += 1));
    if (info.role === "user") parentID = messageID;
    const isLast = index === count - 1;
    return {
      info: { ...info, id: messageID, sessionID, ...(info.role === "user" ? {} : { parentID }), time: { created: at, ...("completed" in info.time ? { completed: at + 500 } : {}) } },
      parts: parts.map((part) => ({ ...part, id: newId("prt", at, (ids += 1)), sessionID, messageID, ...textOf(info.role, part, index, isLast) })),
    };
  });
}

/**
 * @param {string} role
 * @param {{ type: string }} part
 * @param {number} index
 * @param {boolean} isLast
 */
function textOf(role, part, index, isLast) {
  if (part.type !== "text") return {};
  if (role === "user") return { text: `Go on with step ${index}, and say what follows from it.` };
  return isLast ? { text: `${PARAGRAPH}\n\n${LAST_WORDS}` } : {};
}

/**
 * An id as the server makes them: it begins with its time.
 *
 * @param {string} kind
 * @param {number} at
 * @param {number} number
 */
function newId(kind, at, number) {
  const time = BigInt.asUintN(48, BigInt(at) * 0x1000n + BigInt(number % 0x1000));
  return `${kind}_${time.toString(16).padStart(12, "0")}${String(number).padStart(14, "0")}`;
}
