//! `cargo xtask measure`: the figures of the dashboard beside those of OpenCode's own page, on a real server, and their limits.

use crate::build;
use crate::problem::Result;
use crate::process;
use crate::repository;
use crate::tools;

pub(crate) fn run() -> Result<()> {
    tools::prepare_for_browser_tests()?;
    build_if_missing()?;
    process::run(
        tools::command("node").arg("tests/e2e/measure/main.mjs"),
        "A figure exceeds its limit or could not be measured; the lines above say which.",
    )
}

/// What is in `dist/` is what is looked at: a person who wants something newer there builds it.
pub(crate) fn build_if_missing() -> Result<()> {
    if repository::path("dist/index.html").exists() {
        println!("Using the dashboard in dist/ as it is; `cargo xtask build` renews it.");
        return Ok(());
    }
    build::run()
}
