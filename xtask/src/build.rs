//! `cargo xtask build`: everything that is served and published, in `dist/`.

use std::fs;

use crate::compress;
use crate::crates;
use crate::dashboard;
use crate::javascript;
use crate::problem::{Problem, Result};
use crate::repository;
use crate::sizes;
use crate::tools;

pub(crate) fn run() -> Result<()> {
    tools::prepare_for_building()?;
    build()
}

pub(crate) fn build() -> Result<()> {
    // The dashboard first: when Trunk builds it, it empties dist/.
    dashboard::build()?;
    javascript::build()?;
    compress::run("dist/npm/lib")?;
    compress::run("dist/npm/wasm")?;
    for folder in ["dist", "dist/npm/wasm"] {
        names_no_machine(folder)?;
    }
    let files = sizes::measure(&repository::path("dist"))?;
    print!("\n{}\n{}", crates::table()?, sizes::table(&files));
    sizes::check(&files)
}

/// Fails for WebAssembly that names folders of the machine that has built it.
fn names_no_machine(folder: &str) -> Result<()> {
    // As long as they can be: a repository may lie in `/src`, which is a part of many relative paths.
    let sources = [repository::path("core/src/"), repository::path("web/")];
    let crates = tools::cargo_home().map(|home| home.join("registry/src/"));
    for file in repository::files_ending(".wasm", folder)? {
        let bytes =
            fs::read(&file).map_err(|error| Problem::new(format!("{} cannot be read: {error}.", file.display())))?;
        for named in sources.iter().chain(&crates) {
            let name = named.as_os_str().as_encoded_bytes();
            if bytes.windows(name.len()).any(|window| window == name) {
                let (file, named) = (file.display(), named.display());
                return Err(Problem::new(format!(
                    "{file} names {named}, a folder of this machine: see `command_for_release` in xtask/src/tools.rs."
                )));
            }
        }
    }
    Ok(())
}
