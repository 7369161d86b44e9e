//! Builds the npm package into `dist/npm` (the engine as WebAssembly, its TypeScript face, and the dashboard if it was built), and
//! its API reference into `dist/reference`.

use std::fs;

use crate::problem::Result;
use crate::process;
use crate::repository;
use crate::tools;

const COMPILED: &str = "target/wasm32-unknown-unknown/release/switchboard_js.wasm";
const OUTPUT: &str = "dist/npm/wasm";
const FAILURE: &str = "The npm package could not be built; the lines above say why.";

pub(crate) fn build() -> Result<()> {
    println!("Building the npm package.");
    // What an older build left would be published with the rest.
    drop(fs::remove_dir_all(repository::path("dist/npm")));
    let optimised = format!("{OUTPUT}/switchboard_bg.wasm");
    let version = env!("CARGO_PKG_VERSION");
    // With an rlib beside it, which the tests need, Cargo would leave out the link-time optimisation.
    run("cargo rustc --release --package switchboard-js --lib --crate-type cdylib --target wasm32-unknown-unknown")?;
    // Bundlers would take a default path of the file for a file that they have to copy.
    run(&format!(
        "wasm-bindgen --target web --omit-default-module-path --out-dir {OUTPUT} --out-name switchboard {COMPILED}"
    ))?;
    // Nothing but the very end of the stack is in the low memory.
    run(&format!(
        "wasm-opt -Oz --converge --low-memory-unused {optimised} --output {optimised}"
    ))?;
    run(&format!("node www/npm/pack/assemble.mjs dist {version}"))?;
    run("tsc --project www/npm")?;
    run("typedoc --options www/npm/typedoc.json")
}

fn run(line: &str) -> Result<()> {
    let mut words = line.split_whitespace();
    let program = words.next().unwrap_or_default();
    process::run(tools::command_for_release(program).args(words), FAILURE)
}
