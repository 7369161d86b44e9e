//! Installs the tools that come from crates.io into `target/tools`.
//!
//! They are compiled without optimisation and debug information: that takes a fifth of the time, and they run for less
//! than a second each on our files.

use std::fs;

use crate::problem::{Problem, Result};
use crate::process;
use crate::repository;
use crate::tools::command;

/// A program that `cargo install` can build.
#[derive(Debug)]
pub(crate) struct CargoTool {
    package: &'static str,
    program: &'static str,
    version: Wanted,
    purpose: &'static str,
    /// How long it takes on two cores.
    usual_time: &'static str,
    arguments: &'static [&'static str],
}

#[derive(Debug)]
enum Wanted {
    Exactly(&'static str),
    /// The version of the crate of this name in `Cargo.lock`.
    Locked(&'static str),
}

pub(crate) const TRUNK: CargoTool = CargoTool {
    package: "trunk",
    program: "trunk",
    version: Wanted::Exactly("0.21.14"),
    purpose: "assembles the page",
    usual_time: "two to four minutes",
    arguments: &["--locked", "--no-default-features", "--features", "rustls"],
};

/// Its own lock file is not used: it names a crate version that was withdrawn.
pub(crate) const WASM_BINDGEN: CargoTool = CargoTool {
    package: "wasm-bindgen-cli",
    program: "wasm-bindgen",
    version: Wanted::Locked("wasm-bindgen"),
    purpose: "joins WebAssembly and JavaScript",
    usual_time: "one to two minutes",
    arguments: &[],
};

/// It does not tell its version: that of `wasm_split_helpers`, which Leptos has, must suit it.
pub(crate) const WASM_SPLIT: CargoTool = CargoTool {
    package: "wasm_split_cli_support",
    program: "wasm-split-cli",
    version: Wanted::Exactly("0.2.4"),
    purpose: "cuts the dashboard into parts",
    usual_time: "one minute",
    arguments: &["--locked", "--features", "build-binary"],
};

pub(crate) const WASM_PACK: CargoTool = CargoTool {
    package: "wasm-pack",
    program: "wasm-pack",
    version: Wanted::Exactly("0.15.1"),
    purpose: "runs tests inside a browser",
    usual_time: "one minute",
    arguments: &["--locked"],
};

/// Installs the tool unless the fitting version is there, in `target/tools` or on the `PATH`.
pub(crate) fn install(tool: &CargoTool) -> Result<()> {
    let CargoTool {
        package,
        program,
        purpose,
        usual_time,
        ..
    } = tool;
    let version = match tool.version {
        Wanted::Exactly(version) => version.to_owned(),
        Wanted::Locked(name) => locked_version(name)?,
    };
    let present = process::printed_by(command(program).arg("--version"));
    if present.as_deref().and_then(version_in) == Some(&version) || is_installed(package, &version) {
        return Ok(());
    }
    println!("Installing {package} {version} into target/tools, which {purpose}: {usual_time} on two cores, once.");
    process::run_patiently(
        command("cargo")
            .args(["install", "--debug", "--force", "--root", "target/tools"])
            .args(["--target-dir", "target/tools/build"])
            .arg(format!("{package}@{version}"))
            .args(tool.arguments)
            .env("CARGO_PROFILE_DEV_OPT_LEVEL", "0")
            .env("CARGO_PROFILE_DEV_DEBUG", "false")
            .env("CARGO_PROFILE_DEV_DEBUG_ASSERTIONS", "false")
            .env("CARGO_INCREMENTAL", "0"),
        &format!(
            "{package} {version} could not be installed; the lines above say why: if it was the network, run this \
             command again, it goes on where it stopped."
        ),
    )
}

/// Whether Cargo has put this version of a package into `target/tools`.
fn is_installed(package: &str, version: &str) -> bool {
    let installed = fs::read_to_string(repository::path("target/tools/.crates.toml")).unwrap_or_default();
    installed.contains(&format!("\"{package} {version} "))
}

/// The version in what a program prints for `--version`: `trunk 0.21.14` or `wasm-bindgen 0.2.130 (1a2b3c4)`.
fn version_in(printed: &str) -> Option<&str> {
    printed.split_whitespace().nth(1)
}

fn locked_version(name: &str) -> Result<String> {
    let lock = fs::read_to_string(repository::path("Cargo.lock"))
        .map_err(|error| Problem::new(format!("Cargo.lock cannot be read: {error}.")))?;
    version_in_lock(&lock, name).map(str::to_owned).ok_or_else(|| {
        Problem::new(format!(
            "Cargo.lock names no version of {name}: bring it back with `git checkout Cargo.lock`."
        ))
    })
}

fn version_in_lock<'lock>(lock: &'lock str, name: &str) -> Option<&'lock str> {
    let mut lines = lock.lines();
    lines.find(|line| {
        line.strip_prefix("name = ")
            .is_some_and(|quoted| quoted.trim_matches('"') == name)
    })?;
    let version = lines.next()?.strip_prefix("version = ")?;
    Some(version.trim_matches('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_the_second_word() {
        assert_eq!(version_in("trunk 0.21.14"), Some("0.21.14"));
        assert_eq!(version_in("wasm-bindgen 0.2.130 (1a2b3c4)"), Some("0.2.130"));
        assert_eq!(version_in(""), None);
    }

    #[test]
    fn the_lock_file_is_read_by_whole_names() {
        let lock = "\
[[package]]
name = \"wasm-bindgen-futures\"
version = \"0.4.66\"

[[package]]
name = \"wasm-bindgen\"
version = \"0.2.130\"
";
        assert_eq!(version_in_lock(lock, "wasm-bindgen"), Some("0.2.130"));
        assert_eq!(version_in_lock(lock, "wasm"), None);
    }
}
