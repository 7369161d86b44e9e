// @ts-check
/** The repositories that the agents of the pictures work in, and the one program they run. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeRepository } from "../../../www/npm/serve/folder.mjs";

export const STORE = `pub mod memory;
pub mod session;

use std::collections::HashMap;
use std::sync::Mutex;

/// All login sessions.
pub struct Sessions {
    map: Mutex<HashMap<Id, Session>>,
}
`;

export const LIMIT = `impl Limiter {
    pub fn check(&self, req: &Request) -> Result<(), TooMany> {
        let key = tenant(&req);
        let n = COUNTS.lock().unwrap().add(key);
        if n > 100 {
            return Err(TooMany::retry_after(1));
        }
        Ok(())
    }
}
`;

/** @type {Record<string, Record<string, string>>} */
const REPOSITORIES = {
  "atlas-api": {
    "src/store/mod.rs": STORE,
    "src/store/memory.rs": "//! Sessions in memory.\n\npub struct Memory;\n",
    "src/store/session.rs": "//! One session.\n\npub struct Session;\n",
    "src/middleware/limit.rs": LIMIT,
  },
  "atlas-web": {},
  infra: {},
  payments: {},
};

const CARGO = `#!/bin/sh
echo "test memory::expires_after_idle ... ok"
echo "test result: ok. 23 passed; 0 failed; finished in 0.41s"
`;

/**
 * Makes them in this folder.
 *
 * @param {string} folder
 * @returns {{ path: string }} Where their program is found.
 */
export function makeWorkplace(folder) {
  for (const [name, files] of Object.entries(REPOSITORIES)) {
    makeRepository(directoryOf(folder, name));
    for (const [path, content] of Object.entries(files)) write(join(directoryOf(folder, name), path), content);
  }
  const cargo = join(folder, "bin", "cargo");
  write(cargo, CARGO);
  chmodSync(cargo, 0o755);
  return { path: dirname(cargo) };
}

/**
 * @param {string} folder
 * @param {string} repository
 */
export function directoryOf(folder, repository) {
  return join(folder, "code", repository);
}

/**
 * @param {string} path
 * @param {string} content
 */
function write(path, content) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}
