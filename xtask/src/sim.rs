//! `cargo xtask sim`: random histories against a reference model, in an optimised build.

use std::ffi::OsString;
use std::time::Duration;

use crate::problem::Result;
use crate::process;
use crate::tools;

/// Plays them; a run that takes longer than `limit` is ended, and has failed.
pub(crate) fn run(limit: Duration, arguments: &[OsString]) -> Result<()> {
    process::run_within(
        limit,
        tools::command("cargo")
            .args("run --quiet --profile tool --package switchboard-tests --bin sim --".split(' '))
            .args(arguments),
        "A history has failed; the lines above tell which.",
    )
}
