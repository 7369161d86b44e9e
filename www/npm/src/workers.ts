/** Cloudflare Workers, whose `fetch` knows no `redirect: "error"`. */

/** Returns a function that refuses redirects as browsers and Node do; the given one where it does so itself. @internal */
export function refusingRedirects(given: typeof fetch | undefined): typeof fetch | undefined {
  if (globalThis.navigator?.userAgent !== "Cloudflare-Workers") return given;
  return async (input, init) => {
    const response = await (given ?? fetch)(input, { ...init, redirect: "manual" });
    if (response.status < 300 || response.status >= 400) return response;
    await response.body?.cancel();
    throw new TypeError("the server redirects to another address");
  };
}
