//! Chromium and its driver, for tests.

use std::env;
use std::path::PathBuf;

use nix::unistd::geteuid;

use crate::problem::{Problem, Result};
use crate::process;
use crate::tools::command;

/// Both must have the same version; the packages of the distribution do.
const PACKAGES: [&str; 3] = ["chromium", "chromium-driver", "fonts-liberation"];

/// Installs Chromium and chromedriver with apt-get, as root or through a sudo that asks for no password.
pub(crate) fn install() -> Result<()> {
    if chromedriver().is_ok() && find("chromium").is_some() {
        return Ok(());
    }
    println!("Installing Chromium and chromedriver with apt-get: one to two minutes, once.");
    apt_get(&["update"])?;
    apt_get(
        &["install", "--yes", "--no-install-recommends"]
            .into_iter()
            .chain(PACKAGES)
            .collect::<Vec<_>>(),
    )
}

/// Where chromedriver is.
pub(crate) fn chromedriver() -> Result<PathBuf> {
    find("chromedriver").ok_or_else(not_installed)
}

fn apt_get(arguments: &[&str]) -> Result<()> {
    let is_root = geteuid().is_root();
    if find("apt-get").is_none() || !(is_root || process::printed_by(command("sudo").args(["-n", "true"])).is_some()) {
        return Err(not_installed());
    }
    let mut command = if is_root {
        command("apt-get")
    } else {
        let mut sudo = command("sudo");
        sudo.args(["-n", "--preserve-env=DEBIAN_FRONTEND", "apt-get"]);
        sudo
    };
    process::run_patiently(
        command
            .arg("--quiet")
            .args(arguments)
            .env("DEBIAN_FRONTEND", "noninteractive"),
        &not_installed().to_string(),
    )
}

fn not_installed() -> Problem {
    Problem::new(format!(
        "The tests need Chromium and chromedriver, which could not be installed from here: run \
         `sudo apt-get install {}`, then this command again.",
        PACKAGES.join(" ")
    ))
}

fn find(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .map(|folder| folder.join(program))
        .find(|file| file.is_file())
}
