//! `cargo xtask pictures`: the pictures of the README, taken of the dashboard in front of a real server.

use crate::measure;
use crate::problem::Result;
use crate::process;
use crate::tools;

pub(crate) fn run() -> Result<()> {
    tools::prepare_for_browser_tests()?;
    measure::build_if_missing()?;
    process::run(
        tools::command("node").arg("tests/e2e/pictures/main.mjs"),
        "The pictures could not be taken; the lines above say why.",
    )
}
