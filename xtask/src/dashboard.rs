//! Builds the dashboard with Trunk into `dist/`.

use crate::problem::Result;
use crate::process;
use crate::tools;

pub(crate) fn build() -> Result<()> {
    println!("Building the dashboard: a few seconds when nothing changed, up to four minutes the first time.");
    let mut trunk = tools::command("trunk");
    // Trunk must not look for tools: they are all on its path. It takes NO_COLOR=1 for a mistake.
    trunk.args(["build", "--release", "--offline"]).env_remove("NO_COLOR");
    process::run(&mut trunk, "The dashboard could not be built; the lines above say why.")
}
