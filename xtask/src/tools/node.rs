//! Node, npm and the packages that come from it.

use std::fs;

use crate::problem::{Problem, Result};
use crate::process;
use crate::repository;
use crate::tools::command;

const OLDEST_NODE: u32 = 20;

/// Sees to it that Node and npm are there and new enough.
pub(crate) fn check() -> Result<()> {
    let found = match process::printed_by(command("node").arg("--version")) {
        Some(version) if major(&version).is_some_and(|major| major >= OLDEST_NODE) => None,
        Some(version) => Some(format!("Node {OLDEST_NODE} or newer is needed, and this is {version}")),
        None => Some(format!(
            "Node {OLDEST_NODE} or newer is needed, and `node` was not found"
        )),
    };
    let missing = found.or_else(|| match process::printed_by(command("npm").arg("--version")) {
        Some(_) => None,
        None => Some("npm is needed, and was not found beside Node".to_owned()),
    });
    match missing {
        None => Ok(()),
        Some(missing) => Err(Problem::new(format!(
            "{missing}: install it with `{}`.",
            install_command()
        ))),
    }
}

/// Debian 12 has Node 18, hence the packages of Node's own distributor.
fn install_command() -> &'static str {
    if cfg!(target_os = "macos") {
        "brew install node"
    } else {
        "curl -fsSL https://deb.nodesource.com/setup_22.x | sudo -E bash - && sudo apt-get install -y nodejs"
    }
}

/// Installs OpenCode, wasm-opt, the TypeScript compiler, and what checks packages.
pub(crate) fn install_dashboard_packages() -> Result<()> {
    install("www/npm", check_open_code)
}

/// Installs Playwright.
pub(crate) fn install_browser_test_packages() -> Result<()> {
    install("tests/e2e", || Ok(()))
}

/// Installs bundlers, runtimes and compilers.
pub(crate) fn install_packaging_packages() -> Result<()> {
    install("www/npm/packaging", || Ok(()))
}

/// Installs the packages of a folder exactly as its lock file says, unless that was done and `check` passed.
fn install(folder: &str, check: impl FnOnce() -> Result<()>) -> Result<()> {
    let lock = repository::path(folder).join("package-lock.json");
    let installed = repository::path(folder).join("node_modules/.installed-package-lock.json");
    let wanted =
        fs::read(&lock).map_err(|error| Problem::new(format!("{} cannot be read: {error}.", lock.display())))?;
    if fs::read(&installed).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    process::say(&format!(
        "Installing the npm packages of {folder}: up to a minute, once."
    ));
    process::run_patiently(
        // A download that stands still is begun again after two minutes, not after five.
        command("npm").args([
            "ci",
            "--loglevel=error",
            "--fetch-timeout=120000",
            "--fetch-retries=4",
            "--prefix",
            folder,
        ]),
        &format!(
            "The npm packages of {folder} could not be installed; the lines above say why: if it was the network, run \
             this command again."
        ),
    )?;
    check()?;
    fs::write(&installed, wanted)
        .map_err(|error| Problem::new(format!("{} cannot be written: {error}.", installed.display())))
}

/// The executable is in an optional package, one per platform; npm says nothing when it cannot be downloaded.
fn check_open_code() -> Result<()> {
    let script = "import { findOpenCode } from './www/npm/serve/binary.mjs'; findOpenCode();";
    match process::printed_by(command("node").args(["--input-type=module", "--eval", script])) {
        Some(_) => Ok(()),
        None => Err(Problem::new(
            "OpenCode could not be downloaded: check the network connection and run this command again.",
        )),
    }
}

/// The first number of `v20.20.2`.
fn major(version: &str) -> Option<u32> {
    version.strip_prefix('v')?.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_major_version_is_the_first_number() {
        assert_eq!(major("v20.20.2"), Some(20));
        assert_eq!(major("v9.1.0"), Some(9));
        assert_eq!(major("unknown"), None);
    }
}
