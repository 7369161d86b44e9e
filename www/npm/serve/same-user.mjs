// @ts-check
/**
 * Tells, on Linux, whether the other end of a local connection belongs to the user who runs this program.
 *
 * A port on 127.0.0.1 is open to every account of the machine. What is worth a shell must not be read by all of them.
 */
import { readFile } from "node:fs/promises";

const ROOT = 0;

/**
 * Returns true as well on systems where nothing tells.
 *
 * @param {import("node:net").Socket} socket
 * @returns {Promise<boolean>}
 */
export async function isSameUser(socket) {
  if (process.platform !== "linux") return true;
  const us = process.getuid?.();
  for (const table of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    const rows = await readFile(table, "utf8").catch(() => "");
    const owner = ownerOf(rows, socket.remotePort ?? 0, socket.localPort ?? 0);
    if (owner !== null) return owner === us || owner === ROOT;
  }
  return false;
}

/**
 * Returns the user id of the socket with these two ports in a table of the kernel.
 *
 * @param {string} rows
 * @param {number} localPort
 * @param {number} remotePort
 * @returns {number | null}
 */
export function ownerOf(rows, localPort, remotePort) {
  for (const row of rows.split("\n").slice(1)) {
    const [, local, remote, , , , , uid] = row.trim().split(/\s+/);
    if (portOf(local) === localPort && portOf(remote) === remotePort) return Number(uid);
  }
  return null;
}

/** @param {string | undefined} address Address and port as in `0100007F:1F90`. */
function portOf(address) {
  return Number.parseInt(address?.split(":").at(-1) ?? "", 16);
}
