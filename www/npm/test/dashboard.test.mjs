// @ts-check
/** The dashboard in the package: everything that its files load is there, also what they load later. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { startFiles } from "../../../dist/npm/serve/files.mjs";

/** What a page names, and what a script imports or fetches. */
const NAMED = /(?:href=|src=|from ?["']|new URL\(["'])\.\/([\w.-]+)/g;

test("the package serves each file that its dashboard loads, packed and to be kept for ever", async (t) => {
  const site = await startFiles({ dist: fileURLToPath(new URL("../../../dist/npm/dashboard", import.meta.url)) });
  t.after(() => site.close());
  const loaded = new Set();
  const left = [""];
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    const response = await fetch(`${site.url}/${name}`, { headers: { "accept-encoding": "br" } });
    assert.equal(response.status, 200, name);
    if (name !== "") assert.match(response.headers.get("cache-control") ?? "", /immutable/, name);
    if (/\.(js|css|wasm)$/.test(name)) assert.equal(response.headers.get("content-encoding"), "br", name);
    if (name.endsWith(".wasm")) assert.equal(response.headers.get("content-type"), "application/wasm", name);
    loaded.add(name);
    const isText = name === "" || name.endsWith(".js");
    const named = isText ? [...(await response.text()).matchAll(NAMED)].map(([, found]) => found) : [];
    left.push(...named.filter((found) => !loaded.has(found)));
  }
  for (const part of ["split_session", "split_other", "split_connect", "split_why"]) {
    assert.ok([...loaded].some((name) => name.startsWith(`${part}-`)), `no file of the dashboard loads ${part}`);
  }
});
