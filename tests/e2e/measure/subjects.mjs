// @ts-check
/** The two pages that are compared: ours, and the one that OpenCode serves itself. */

/**
 * @typedef {object} Subject
 * @property {"ours" | "official"} name
 * @property {string} requestSelector What a request that waits is inside of.
 * @property {(serverUrl: string) => string} homeUrl
 * @property {(serverUrl: string, session: { id: string }) => string} sessionUrl
 * @property {(serverUrl: string, session: { id: string }) => string} waitingUrl Where a question of this session is answered.
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
    homeUrl: (serverUrl) => at(serverUrl, "inbox"),
    sessionUrl: (serverUrl, session) => at(serverUrl, `session/${session.id}`),
    waitingUrl: (serverUrl) => at(serverUrl, "inbox"),
    isPageFile: (url) => url.startsWith(`${siteUrl}/`),
  };
}

/** Its inbox is each session's own page. @returns {Subject} */
export function official() {
  const sessionUrl = (/** @type {string} */ serverUrl, /** @type {{ id: string }} */ session) =>
    `${serverUrl}/server/${Buffer.from(serverUrl).toString("base64url")}/session/${session.id}`;
  return {
    name: "official",
    requestSelector: '[data-component="session-question-dock"]',
    homeUrl: (serverUrl) => `${serverUrl}/`,
    sessionUrl,
    waitingUrl: sessionUrl,
    isPageFile: (_, type) => !["Fetch", "XHR", "EventSource"].includes(type),
  };
}
