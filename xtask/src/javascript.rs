//! Builds the npm package into `dist/npm` (the engine as WebAssembly, its TypeScript face, and the dashboard if it was built), and
//! its API reference into `dist/reference`.

use std::fs;

use crate::names;
use crate::problem::{Problem, Result};
use crate::process;
use crate::repository;
use crate::tools;

const COMPILED: &str = "target/wasm32-unknown-unknown/release/switchboard_js.wasm";
const OUTPUT: &str = "dist/npm/wasm";
const FAILURE: &str = "Something is wrong with the npm package; the lines above say what.";

pub(crate) fn build() -> Result<()> {
    println!("Building the npm package.");
    // What an older build left would be published with the rest.
    drop(fs::remove_dir_all(repository::path("dist/npm")));
    let optimised = format!("{OUTPUT}/switchboard_bg.wasm");
    // With an rlib beside it, which the tests need, Cargo would leave out the link-time optimisation.
    run("cargo rustc --release --package switchboard-js --lib --crate-type cdylib --target wasm32-unknown-unknown")?;
    // Bundlers would take a default path of the file for a file that they have to copy.
    run(&format!(
        "wasm-bindgen --target web --omit-default-module-path --out-dir {OUTPUT} --out-name switchboard {COMPILED}"
    ))?;
    // Nothing but the very end of the stack is in the low memory. Large functions compress better than those that they were
    // inlined into.
    run(&format!(
        "wasm-opt -Oz --converge --low-memory-unused --one-caller-inline-max-function-size=50 {optimised} --output {optimised}"
    ))?;
    names::number(&[
        repository::path(&optimised),
        repository::path(&format!("{OUTPUT}/switchboard.js")),
    ])?;
    run(&assemble("dist"))?;
    run("tsc --project www/npm")?;
    run("typedoc --options www/npm/typedoc.json")
}

/// Checks what the package says of itself: which file there is for which program, and its types. Neither depends on what is in the
/// WebAssembly, so that nothing is compiled.
pub(crate) fn check() -> Result<()> {
    const TRIAL: &str = "target/manifest";
    let folder = repository::path(TRIAL).join("npm");
    drop(fs::remove_dir_all(&folder));
    for name in ["switchboard_bg.wasm", "switchboard.js"] {
        let path = folder.join("wasm").join(name);
        fs::create_dir_all(folder.join("wasm"))
            .and_then(|()| fs::write(&path, ""))
            .map_err(|error| Problem::new(format!("{} cannot be written: {error}.", path.display())))?;
    }
    run(&assemble(TRIAL))?;
    run(&format!("tsc --project www/npm --noCheck --outDir {TRIAL}/npm/lib"))?;
    run(&format!("publint run {TRIAL}/npm --strict"))?;
    // It is an ES module, which `require` takes since Node 20.19.
    run(&format!("attw --pack {TRIAL}/npm --ignore-rules cjs-resolves-to-esm"))
}

/// The command that lays out the package; the links are those of the workspace, and left out where it has none.
fn assemble(folder: &str) -> String {
    let links = [
        ("repository", env!("CARGO_PKG_REPOSITORY")),
        ("homepage", env!("CARGO_PKG_HOMEPAGE")),
    ];
    let given = links.into_iter().filter(|(_, link)| !link.is_empty());
    let options: String = given.map(|(name, link)| format!(" --{name} {link}")).collect();
    let version = env!("CARGO_PKG_VERSION");
    format!("node www/npm/pack/assemble.mjs {folder} {version}{options}")
}

fn run(line: &str) -> Result<()> {
    let mut words = line.split_whitespace();
    let program = words.next().unwrap_or_default();
    process::run(tools::command_for_release(program).args(words), FAILURE)
}
