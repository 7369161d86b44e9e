// @ts-check
/** Servers that are made up. */

/**
 * Makes the requests to a server that answers at once and has nothing but what is given.
 *
 * @param {Record<string, unknown>} [bodies] By path.
 * @returns {typeof fetch}
 */
export function madeUp(bodies = {}) {
  const known = /** @type {Record<string, unknown>} */ ({ "/global/health": { healthy: true, version: "1.18.33" }, "/session/status": {}, ...bodies });
  return async (input) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    if (/event$/.test(pathname)) return new Response(new ReadableStream(), { headers: { "content-type": "text/event-stream" } });
    return Response.json(known[pathname] ?? []);
  };
}
