//! Builds the dashboard with Trunk into `dist/`.

use crate::problem::Result;
use crate::process;
use crate::tools;

/// Cargo tells what happens. Trunk's minifier warns of modern JavaScript, which it then leaves as it is.
const LOG: &str = "error,trunk=warn,trunk::processing::minify=error";

pub(crate) fn build() -> Result<()> {
    // Trunk works offline: it must not look for tools, which are all on its path, and so Cargo must have its crates.
    process::run(
        tools::command("cargo").arg("fetch"),
        "The crates of the dashboard could not be downloaded: check the network connection and run this command again.",
    )?;
    println!("Building the dashboard: a few seconds when nothing changed, up to four minutes the first time.");
    let mut trunk = tools::command("trunk");
    trunk
        .args(["build", "--release", "--offline", "--log", LOG])
        // Trunk takes NO_COLOR=1 for a mistake, and would bury what failed under a trace of itself.
        .env_remove("NO_COLOR")
        .env("RUST_BACKTRACE", "0");
    process::run(&mut trunk, "The dashboard could not be built; the lines above say why.")
}
