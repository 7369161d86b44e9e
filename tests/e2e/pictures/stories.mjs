// @ts-check
/** What the agents of the pictures do: a session each, and what it asks. */
import { ask, delegate, run } from "../say.js";
import { LIMIT, STORE } from "./workplace.mjs";

/**
 * @typedef {object} Story
 * @property {string} repository
 * @property {string} title
 * @property {string} prompt
 * @property {(directory: string) => import("../../../www/npm/serve/script.mjs").Step[]} steps
 * @property {unknown[]} [permission] What it may do without asking.
 * @property {boolean} [unread] The prompt is only stored.
 */

const REVIEW = "Look for error paths of the rate limiter that let a request through.";

const ALLOWED = ["edit", "bash"].map((permission) => ({ permission, pattern: "*", action: "allow" }));

/** Sessions that ask nothing: they are there before the others ask. @type {Story[]} */
export const QUIET = [
  {
    repository: "atlas-api",
    title: "Fix flaky login test",
    prompt: "The login test fails once in ten runs. Find out why.",
    steps: () => [{ text: "The test waited for the cookie, not for the redirect. It waits for both and passed 200 times in a row." }],
  },
  {
    repository: "atlas-web",
    title: "Dark mode for charts",
    prompt: "Let the charts follow the theme.",
    steps: () => [{ delay: 600_000, text: "Done." }],
  },
  { repository: "atlas-web", title: "Trim the bundle", prompt: "Make the bundle smaller.", steps: () => [{ text: "" }] },
  {
    repository: "infra",
    title: "Prune old images",
    prompt: "Delete images that nothing has used for a month.",
    steps: () => [{ status: 400, body: { error: { message: "the account has no credit left", type: "invalid_request_error" } } }],
  },
  {
    repository: "payments",
    title: "Translate error texts",
    prompt: "Translate the error texts to German.",
    steps: () => [{ status: 429, headers: { "retry-after": "600" }, body: { error: { message: "Rate limit exceeded" } } }],
  },
  { repository: "payments", title: "Export to Markdown", prompt: "Write the invoices as Markdown, too.", steps: () => [], unread: true },
];

/** Sessions that ask, in the order in which they do. @type {Story[]} */
export const ASKING = [
  {
    repository: "atlas-api",
    title: "Move sessions to Postgres",
    prompt: "Move the login sessions from cookies to Postgres. Keep the public API of `Sessions` as it is.",
    permission: ALLOWED,
    steps: (directory) => [
      {
        reasoning: "The store needs a trait before it can have a second version. First I read what is there.",
        text:
          "I will go in three steps so that every commit stays green:\n\n- a `SessionStore` trait with the present in-memory version behind it,\n" +
          "- a Postgres version with the same tests run against both,\n- the migration, with a way back.",
        tools: ["memory.rs", "mod.rs", "session.rs"].map((name) => ({ name: "read", input: { filePath: `${directory}/src/store/${name}` } })),
      },
      { tools: [plan()] },
      { tools: [edit(`${directory}/src/store/mod.rs`, STORE.slice(STORE.indexOf("use std")), NEW_STORE)] },
      { tools: [run("cargo test -p atlas-store")] },
      {
        text:
          "The store trait is ready and the in-memory version passes. Before I write the Postgres one I need the driver: it decides " +
          "whether migrations run in `build.rs` and how the tests get a database.",
        tools: [
          ask({
            question: "Which Postgres driver should the new storage layer use?",
            header: "Driver",
            options: [
              { label: "sqlx", description: "async, checks queries at compile time, pulls in macros" },
              { label: "tokio-postgres", description: "smaller, no macros, queries unchecked" },
              { label: "diesel", description: "full ORM, blocking core, most migration work" },
            ],
          }),
        ],
      },
    ],
  },
  {
    repository: "atlas-web",
    title: "Settings page redesign",
    prompt: "Design the settings page anew.",
    steps: () => [
      {
        text: "Five sections come from the old page. Some of them nobody has opened for a year.",
        tools: [
          ask({
            question: "Which sections should the first version contain?",
            header: "Sections",
            multiple: true,
            options: [
              { label: "Profile", description: "name, picture, language" },
              { label: "Security", description: "password, second factor, sessions" },
              { label: "Notifications", description: "mail and browser" },
              { label: "Billing", description: "plan, invoices" },
              { label: "Labs", description: "what is not finished" },
            ],
          }),
        ],
      },
    ],
  },
  {
    repository: "payments",
    title: "Upgrade to Rust 1.90",
    prompt: "Upgrade the workspace to Rust 1.90.",
    steps: () => [
      {
        text: "The build passes on 1.90. Clippy adds 41 warnings, most of them `uninlined_format_args`. CI denies warnings, so it stays red until you decide.",
        tools: [ask(...UPGRADE)],
      },
    ],
  },
  {
    repository: "infra",
    title: "Rotate TLS certificates",
    prompt: "Rotate the certificates that end this month.",
    steps: () => [
      {
        text: "Two certificates end on Friday. A dry run shows whether the new ones would be issued; it changes nothing.",
        tools: [run("certbot renew --dry-run --deploy-hook ./reload.sh")],
      },
    ],
  },
  {
    repository: "atlas-api",
    title: "Rate-limit the public API",
    prompt: "Give every tenant a limit of its own.",
    steps: (directory) => [
      { tools: [{ name: "read", input: { filePath: `${directory}/src/middleware/limit.rs` } }] },
      {
        text: "The fixed limit of 100 hits every tenant alike. I replace the global counter with a sliding window and look the limit up per plan.",
        tools: [edit(`${directory}/src/middleware/limit.rs`, LIMIT, NEW_LIMIT), delegate("review: error paths", REVIEW)],
      },
    ],
  },
];

/** What the sub-agent does. @type {import("../../../www/npm/serve/script.mjs").Script} */
export const SUB_AGENT = {
  prompt: REVIEW,
  steps: [
    {
      text: "A request without a tenant header takes no path of its own: today it is counted for everybody.",
      tools: [
        ask({
          question: "May I treat a missing tenant header as “anonymous”?",
          header: "Tenant",
          options: [
            { label: "Yes", description: "all of them share one limit" },
            { label: "No, answer 400", description: "breaks two old clients" },
            { label: "Ask the gateway", description: "it knows the address" },
          ],
        }),
      ],
    },
  ],
};

const UPGRADE = [
  {
    question: "How far should the upgrade go?",
    header: "Scope",
    options: [
      { label: "Only the toolchain", description: "no change of edition" },
      { label: "Edition 2024, too", description: "cargo fix does most of it" },
    ],
  },
  {
    question: "What should happen with the 41 new clippy warnings?",
    header: "Lints",
    options: [
      { label: "Fix them now", description: "about 40 small edits in 12 files" },
      { label: "Allow them, with a ticket", description: "adds #[allow] and a note per module" },
      { label: "Only deny new ones", description: "keeps a baseline file" },
    ],
  },
  {
    question: "When should it be released?",
    header: "Release",
    options: [
      { label: "With 4.2", description: "next Tuesday" },
      { label: "On its own", description: "4.1.1, today" },
    ],
  },
];

const NEW_STORE = `use std::sync::Arc;

/// All login sessions.
pub struct Sessions {
    store: Arc<dyn SessionStore>,
}
`;

const NEW_LIMIT = LIMIT.replace("let n = COUNTS.lock().unwrap().add(key);", "let n = self.window.hit(key, now());").replace(
  "if n > 100 {",
  "if n > self.limit_for(&req) {",
);

function plan() {
  const steps = ["Extract a SessionStore trait", "Port the in-memory store", "Write the Postgres store", "Migration and rollback", "Load test with 10k sessions"];
  const status = (/** @type {number} */ at) => (at < 2 ? "completed" : at === 2 ? "in_progress" : "pending");
  return { name: "todowrite", input: { todos: steps.map((content, at) => ({ content, status: status(at), priority: "medium" })) } };
}

/**
 * @param {string} filePath
 * @param {string} oldString
 * @param {string} newString
 */
function edit(filePath, oldString, newString) {
  return { name: "edit", input: { filePath, oldString, newString } };
}
