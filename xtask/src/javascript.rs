//! Builds the JavaScript package into `dist/npm`: the engine without the page.

use std::fs;

use crate::problem::{Problem, Result};
use crate::process;
use crate::repository;
use crate::tools;

/// Its own target folder: the dashboard's library has the same file name and other features.
const TARGET: &str = "target/javascript";
const OUTPUT: &str = "dist/npm";
const FAILURE: &str = "The JavaScript package could not be built; the lines above say why.";

pub(crate) fn build() -> Result<()> {
    println!("Building the JavaScript package.");
    let compiled = format!("{TARGET}/wasm32-unknown-unknown/release/switchboard_web.wasm");
    let optimised = format!("{OUTPUT}/switchboard_bg.wasm");
    run(&format!(
        "cargo build --release --package switchboard-web --lib --target wasm32-unknown-unknown --target-dir {TARGET} \
         --no-default-features --features js"
    ))?;
    run(&format!(
        "wasm-bindgen --target web --out-dir {OUTPUT} --out-name switchboard {compiled}"
    ))?;
    run(&format!("wasm-opt -Oz {optimised} --output {optimised}"))?;
    write_manifest()
}

fn run(line: &str) -> Result<()> {
    let mut words = line.split_whitespace();
    let program = words.next().unwrap_or_default();
    process::run(tools::command(program).args(words), FAILURE)
}

fn write_manifest() -> Result<()> {
    let manifest = format!(
        r#"{{
  "name": "switchboard",
  "version": "{}",
  "license": "{}",
  "type": "module",
  "types": "./switchboard.d.ts",
  "exports": {{ ".": {{ "types": "./switchboard.d.ts", "default": "./switchboard.js" }} }}
}}
"#,
        env!("CARGO_PKG_VERSION"),
        env!("CARGO_PKG_LICENSE"),
    );
    fs::write(repository::path(OUTPUT).join("package.json"), manifest)
        .map_err(|error| Problem::new(format!("{OUTPUT}/package.json cannot be written: {error}.")))
}
