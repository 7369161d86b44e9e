// @ts-check
/** Serves the files of the package from an origin of its own, as content delivery networks do: as they are, to every page. */
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL("./", import.meta.url));
const contents = fileURLToPath(new URL("../node_modules/opencode-switchboard/", import.meta.url));

/**
 * Writes the page, and starts what it loads the package from, by the address that the README gives.
 *
 * @param {string} out
 * @returns {Promise<() => void>} Ends it.
 */
export async function startCdn(out) {
  const read = (/** @type {string} */ name) => readFileSync(join(contents, name), "utf8");
  const { version } = JSON.parse(read("package.json"));
  const root = `/npm/opencode-switchboard@${version}/`;
  const cdn = createServer((request, response) => {
    const path = String(request.url);
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader("content-type", extname(path) === ".js" ? "text/javascript" : "text/plain");
    try {
      if (!path.startsWith(root)) throw new Error("of another package");
      response.end(readFileSync(join(contents, path.slice(root.length))));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => cdn.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (cdn.address());
  const page = readFileSync(join(here, "index.html"), "utf8");
  const [, path = ""] = /"https:\/\/cdn\.jsdelivr\.net(\/[^"]+)"/.exec(read("README.md")) ?? [];
  writeFileSync(join(out, "index.html"), page.replace("ENTRY", `http://127.0.0.1:${port}${path}`));
  for (const name of ["report.js", "story.js"]) cpSync(join(here, "../app", name), join(out, name));
  return () => {
    cdn.closeAllConnections();
    cdn.close();
  };
}
