//! `cargo xtask sim`: random histories against a reference model, in an optimised build.

use std::ffi::OsString;

use crate::problem::Result;
use crate::process;
use crate::tools;

pub(crate) fn run(arguments: &[OsString]) -> Result<()> {
    process::run(
        tools::command("cargo")
            .args("run --quiet --profile tool --package switchboard-tests --bin sim --".split(' '))
            .args(arguments),
        "A history has failed; the lines above tell which.",
    )
}
