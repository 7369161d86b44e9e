//! `cargo xtask build`: everything that is served and published, in `dist/`.

use crate::dashboard;
use crate::javascript;
use crate::problem::Result;
use crate::process;
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
    // The package takes the compressed files of the dashboard.
    compress("dist")?;
    javascript::build()?;
    compress("dist/npm/lib")?;
    compress("dist/npm/wasm")?;
    print!("\n{}", sizes::table(&sizes::measure(&repository::path("dist"))?));
    Ok(())
}

fn compress(folder: &str) -> Result<()> {
    process::run(
        tools::command("node").args(["www/npm/serve/compress.mjs", folder]),
        &format!("The files in {folder} could not be compressed; the lines above say why."),
    )
}
