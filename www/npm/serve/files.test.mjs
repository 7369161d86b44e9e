// @ts-check
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { brotliCompressSync } from "node:zlib";
import { startFiles } from "./files.mjs";

/**
 * @param {import("node:test").TestContext} t
 * @param {Promise<import("./files.mjs").Introduction>} [introduction]
 * @param {string} [host]
 */
async function startSite(t, introduction, host) {
  const folder = mkdtempSync(join(tmpdir(), "switchboard-files-"));
  const dist = join(folder, "dist");
  mkdirSync(join(dist, ".git"), { recursive: true });
  writeFileSync(join(folder, "secret.txt"), "secret");
  writeFileSync(join(folder, "dist-secret.txt"), "secret");
  symlinkSync(join(folder, "secret.txt"), join(dist, "link.txt"));
  writeFileSync(join(dist, ".git", "config"), "secret");
  writeFileSync(join(dist, "index.html"), "<!doctype html>");
  writeFileSync(join(dist, "app-0123456789abcdef.js"), "let a;");
  writeFileSync(join(dist, "app-0123456789abcdef_bg.wasm"), "wasm");
  writeFileSync(join(dist, "app-0123456789abcdef.js.br"), brotliCompressSync("let a;"));
  const site = await startFiles({ dist, introduction, host });
  t.after(async () => {
    await site.close();
    rmSync(folder, { recursive: true });
  });
  return { site, dist };
}

/**
 * Sends a request as it stands: `fetch` would tidy the path and refuse the headers.
 *
 * @param {string} url
 * @param {{ path?: string, method?: string, headers?: Record<string, string> }} [options]
 * @returns {Promise<{ status: number | undefined, headers: import("node:http").IncomingHttpHeaders, body: string }>}
 */
function send(url, { path = "/", method = "GET", headers = {} } = {}) {
  return new Promise((resolve, reject) => {
    const sent = request({ port: new URL(url).port, host: "127.0.0.1", path, method, headers, agent: false }, (response) => {
      let body = "";
      response.on("data", (data) => (body += data));
      response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, body }));
    });
    sent.on("error", reject);
    sent.end();
  });
}

test("files have their type, and hashed names are kept for ever", async (t) => {
  const { site } = await startSite(t);
  const page = await send(site.url);
  assert.equal(page.headers["content-type"], "text/html; charset=utf-8");
  assert.equal(page.headers["cache-control"], "no-cache");
  assert.match(String(page.headers["content-security-policy"]), /^default-src 'none'; script-src 'self' 'wasm-unsafe-eval'/);
  const wasm = await send(site.url, { path: "/app-0123456789abcdef_bg.wasm" });
  assert.equal(wasm.headers["content-type"], "application/wasm");
  assert.match(String(wasm.headers["cache-control"]), /immutable/);
});

test("every answer forbids what the page does not need", async (t) => {
  const { site } = await startSite(t);
  for (const options of [{}, { path: "/missing" }, { method: "POST" }, { headers: { host: "evil.example" } }]) {
    const { headers } = await send(site.url, options);
    assert.match(String(headers["content-security-policy"]), /^default-src 'none'; .*base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types default$/);
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["referrer-policy"], "no-referrer");
    assert.equal(headers["cross-origin-resource-policy"], "same-origin");
  }
});

test("a known entity tag saves the body", async (t) => {
  const { site } = await startSite(t);
  const { headers } = await send(site.url);
  const again = await send(site.url, { headers: { "if-none-match": `"other", W/${headers.etag}` } });
  assert.equal(again.status, 304);
  assert.equal(again.body, "");
});

test("the compressed neighbour is sent to those who take it, unless it is older", async (t) => {
  const { site, dist } = await startSite(t);
  const path = "/app-0123456789abcdef.js";
  const accept = { "accept-encoding": "gzip, br" };
  assert.equal((await send(site.url, { path, headers: accept })).headers["content-encoding"], "br");
  assert.equal((await send(site.url, { path, headers: { "accept-encoding": "br;q=0" } })).body, "let a;");
  utimesSync(join(dist, `${path}.br`), 1, 1);
  assert.equal((await send(site.url, { path, headers: accept })).body, "let a;");
});

test("nothing outside the folder is found", async (t) => {
  const { site } = await startSite(t);
  for (const path of [
    "/../secret.txt",
    "/%2e%2e/secret.txt",
    "/..%2fsecret.txt",
    "/..%5csecret.txt",
    "/x/../../secret.txt",
    "/link.txt",
    "/.git/config",
    "/%00",
    "/%",
    "/../dist-secret.txt",
    "//etc/passwd",
  ]) {
    const { status, body } = await send(site.url, { path });
    assert.equal(status, 404, path);
    assert.doesNotMatch(body, /secret/);
  }
});

test("only names of this machine are answered", async (t) => {
  const { site } = await startSite(t);
  for (const host of ["localhost", "127.0.0.1:8080", "[::1]:8080"]) assert.equal((await send(site.url, { headers: { host } })).status, 200, host);
  for (const host of ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "10.0.0.1"]) {
    assert.equal((await send(site.url, { headers: { host } })).status, 421, host);
  }
});

test("on other addresses than this machine's own, addresses and this machine's name are answered, no other name", async (t) => {
  const { site } = await startSite(t, undefined, "0.0.0.0");
  for (const host of ["localhost", "127.0.0.1:8080", "10.0.0.1:8080", "[fd00::1]:8080", `${hostname().toUpperCase()}:8080`]) {
    assert.equal((await send(site.url, { headers: { host } })).status, 200, host);
  }
  for (const host of ["evil.example", "10.0.0.1.evil.example", `${hostname()}.evil.example`, "[evil.example]", "10.0.0.1:8080:1"]) {
    assert.equal((await send(site.url, { headers: { host } })).status, 421, host);
  }
});

test("where it listens on all addresses, each of them is named", async (t) => {
  const { site } = await startSite(t, undefined, "0.0.0.0");
  const { port } = new URL(site.url);
  assert.equal(site.urls[0], `http://127.0.0.1:${port}`);
  for (const url of site.urls) assert.equal((await fetch(url)).status, 200, url);
});

test("nothing is taken", async (t) => {
  const { site } = await startSite(t);
  for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) assert.equal((await send(site.url, { method })).status, 405);
});

test("only the page itself learns the password of the demo", async (t) => {
  const { site } = await startSite(t, Promise.resolve({ server: "http://127.0.0.1:1", password: "pw" }));
  const path = "/demo.json";
  for (const origin of ["same-origin", "none"]) {
    const answer = await send(site.url, { path, headers: { "sec-fetch-site": origin } });
    assert.equal(JSON.parse(answer.body).password, "pw");
    assert.equal(answer.headers["access-control-allow-origin"], undefined);
    assert.equal(answer.headers["cache-control"], "no-store");
  }
  for (const origin of ["cross-site", "same-site"]) {
    assert.equal((await send(site.url, { path, headers: { "sec-fetch-site": origin } })).status, 403);
  }
});

test("without a demo there is nothing to learn", async (t) => {
  const { site } = await startSite(t);
  assert.equal((await send(site.url, { path: "/demo.json" })).status, 404);
});

test("a file that is there in brotli alone is unpacked for whoever cannot do that", async (t) => {
  const { site, dist } = await startSite(t);
  writeFileSync(join(dist, "packed.js.br"), brotliCompressSync("let packed;"));
  const plain = await send(site.url, { path: "/packed.js" });
  assert.equal(plain.body, "let packed;");
  assert.equal(plain.headers["content-type"], "text/javascript; charset=utf-8");
  assert.equal(plain.headers["content-encoding"], undefined);
  const packed = await send(site.url, { path: "/packed.js", headers: { "accept-encoding": "br" } });
  assert.equal(packed.headers["content-encoding"], "br");
  assert.notEqual(packed.headers.etag, plain.headers.etag);
});
