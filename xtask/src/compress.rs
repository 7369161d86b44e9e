//! Compresses what is served, once, with the best that gzip and brotli can do.

use crate::problem::Result;
use crate::process;
use crate::tools;

/// Writes the compressed copies of the files of a folder (not of those below it) beside them.
pub(crate) fn run(folder: &str) -> Result<()> {
    process::run(
        tools::command("node").args(["www/npm/serve/compress.mjs", folder]),
        &format!("The files in {folder} could not be compressed; the lines above say why."),
    )
}
