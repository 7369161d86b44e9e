// @ts-check
/** The two pages that are compared: ours, and the one that OpenCode serves itself. */

/**
 * @typedef {object} Subject
 * @property {"ours" | "official"} name
 * @property {string} requestSelector What a request that waits is inside of.
 * @property {(directory: string) => Record<string, string>} remembered What the page keeps in the browser of a person who has worked in this directory.
 * @property {(serverUrl: string) => string} homeUrl Where the sessions are listed.
 * @property {(serverUrl: string, session: { id: string }) => string} sessionUrl
 * @property {(url: string, type: string) => boolean} isPageFile Whether a response is part of the page, not of what it shows.
 */

/**
 * @param {string} siteUrl
 * @returns {Subject}
 */
export function ours(siteUrl) {
  const at = (/** @type {string} */ serverUrl, /** @type {string} */ place) => `${siteUrl}/?server=${serverUrl}#/${place}`;
  return {
    name: "ours",
    requestSelector: "article",
    remembered: () => ({}),
    homeUrl: (serverUrl) => at(serverUrl, "inbox"),
    sessionUrl: (serverUrl, session) => at(serverUrl, `session/${session.id}`),
    isPageFile: (url) => url.startsWith(`${siteUrl}/`),
  };
}

/** Its home lists the sessions of the directories that were opened in this browser. @returns {Subject} */
export function official() {
  return {
    name: "official",
    requestSelector: '[data-component="session-question-dock"]',
    remembered: (directory) => ({
      "opencode.global.dat:server": JSON.stringify({ list: [], projects: { local: [{ worktree: directory, expanded: true }] }, lastProject: { local: directory } }),
    }),
    homeUrl: (serverUrl) => `${serverUrl}/`,
    sessionUrl: (serverUrl, session) => `${serverUrl}/server/${Buffer.from(serverUrl).toString("base64url")}/session/${session.id}`,
    isPageFile: (_, type) => !["Fetch", "XHR", "EventSource", "fetch", "xhr", "eventsource"].includes(type),
  };
}
