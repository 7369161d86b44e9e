// @ts-check
/**
 * Tells names of this machine from all others.
 *
 * A web page elsewhere can point a name of its own at 127.0.0.1 (DNS rebinding). Its requests then carry that name in
 * `Host`, which is how they are told apart.
 */

/**
 * Returns whether a host name, without a port, always means this machine.
 *
 * @param {string} name
 */
export function isLoopbackName(name) {
  return name === "localhost" || name === "[::1]" || name === "::1" || /^127(\.\d{1,3}){3}$/.test(name);
}

/**
 * Returns whether a `Host` header names this machine, with or without a port.
 *
 * @param {string | undefined} header
 */
export function isLoopbackHost(header) {
  const match = /^(\[[0-9a-f:]+\]|[^:]+)(:\d{1,5})?$/i.exec(header ?? "");
  return match !== null && isLoopbackName(match[1].toLowerCase());
}
