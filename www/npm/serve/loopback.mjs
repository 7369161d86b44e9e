// @ts-check
/**
 * Tells names of this machine from all others.
 */

/**
 * Returns whether a host name, without a port, always means this machine.
 *
 * @param {string} name
 */
export function isLoopbackName(name) {
  return name === "localhost" || name === "::1" || /^127(\.\d{1,3}){3}$/.test(name);
}

/**
 * Returns whether a `Host` header names this machine, with or without a port.
 *
 * @param {string | undefined} header
 */
export function isLoopbackHost(header) {
  const name = nameIn(header);
  return name !== null && isLoopbackName(name);
}

/**
 * Returns the host name in a `Host` header: in small letters, without port and brackets.
 *
 * @param {string | undefined} header
 * @returns {string | null}
 */
export function nameIn(header) {
  const match = /^(?:\[([0-9a-f:]+)\]|([^:[\]]+))(?::\d{1,5})?$/i.exec(header ?? "");
  return (match?.[1] ?? match?.[2])?.toLowerCase() ?? null;
}
