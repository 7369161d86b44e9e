// @ts-check
/**
 * Tells requests that name the server they are for from those that a web page elsewhere has made to arrive here.
 *
 * A web page elsewhere can point a name of its own at an address here (DNS rebinding). Its requests then carry that name in
 * `Host`, which is how they are told apart: it cannot do the same with an address, nor with a name of somebody else.
 */
import { isIP } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import { isLoopbackName, nameIn } from "./loopback.mjs";

/**
 * Returns what tells whether a `Host` header names a server that listens on this host.
 *
 * On a loopback address only names of this machine do. Elsewhere any address does, this machine's own name, and the name that
 * the server was told to listen on.
 *
 * @param {string} host
 * @returns {(header: string | undefined) => boolean}
 */
export function hostCheck(host) {
  const ours = [hostname(), `${hostname()}.local`, host].map((name) => name.toLowerCase());
  return (header) => {
    const name = nameIn(header);
    if (name === null) return false;
    return isLoopbackName(name) || (!isLoopbackName(host) && (isIP(name) !== 0 || ours.includes(name)));
  };
}

/**
 * Returns the origins under which browsers find a server that listens on this host.
 *
 * @param {string} host
 * @param {number} port
 */
export function originsOf(host, port) {
  const isEverywhere = host === "0.0.0.0" || host === "::";
  const others = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.filter(isReachable(host)).map(({ address }) => address));
  const names = isEverywhere ? ["127.0.0.1", ...others] : [host];
  return names.map((name) => `http://${isIP(name) === 6 ? `[${name}]` : name}:${port}`);
}

/**
 * Link-local addresses are left out: a browser cannot be given their zone.
 *
 * @param {string} host
 * @returns {(address: import("node:os").NetworkInterfaceInfo) => boolean}
 */
function isReachable(host) {
  return ({ address, family, internal }) => !internal && (family === "IPv4" || (host === "::" && !address.startsWith("fe80:")));
}
