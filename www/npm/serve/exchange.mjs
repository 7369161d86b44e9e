// @ts-check
/**
 * Reads a request body and sends a JSON response.
 */

const BODY_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Reads a whole request body as text.
 *
 * @param {import("node:http").IncomingMessage} request
 * @returns {Promise<string>}
 */
export async function readBody(request) {
  /** @type {Buffer[]} */
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > BODY_BYTES_MAX) throw new Error(`request body is larger than ${BODY_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/**
 * Sends a JSON response that nobody stores.
 *
 * @param {import("node:http").ServerResponse} response
 * @param {number} status
 * @param {unknown} value
 */
export function sendJson(response, status, value) {
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(JSON.stringify(value));
}
