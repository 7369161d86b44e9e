//! Builds the dashboard with Trunk into `dist/`, compressed as it is served, unless that was done.
//!
//! Cargo knows when nothing changed, but Trunk joins and shrinks the WebAssembly again each time, which takes a minute.

use std::path::Path;
use std::{env, fs};

use crate::compress;
use crate::fingerprint::{Fingerprint, entries};
use crate::parts;
use crate::problem::{Problem, Result};
use crate::process;
use crate::repository;
use crate::tools;

/// Cargo tells what happens. Trunk's minifier warns of modern JavaScript, which it then leaves as it is.
const LOG: &str = "error,trunk=warn,trunk::processing::minify=error";

/// Everything in the repository that the dashboard is made of and by.
const SOURCES: [&str; 25] = [
    ".cargo/config.toml",
    "Cargo.lock",
    "Cargo.toml",
    "Trunk.toml",
    "core/Cargo.toml",
    "core/src",
    "web/browser/Cargo.toml",
    "web/browser/src",
    "web/dashboard/Cargo.toml",
    "web/dashboard/build.rs",
    "web/dashboard/src",
    "web/wire/Cargo.toml",
    "web/wire/src",
    "www/boot.js",
    "www/icon.svg",
    "www/index.html",
    "www/style",
    "www/npm/serve/compress.mjs",
    "xtask/parts",
    "xtask/src/compress.rs",
    "xtask/src/dashboard.rs",
    "xtask/src/names.rs",
    "xtask/src/parts.rs",
    "xtask/src/styles.rs",
    "xtask/src/tools/cargo_tool.rs",
];

/// The programs that make it.
const PROGRAMS: [&str; 5] = ["esbuild", "rustc", "trunk", "wasm-bindgen", "wasm-opt"];

/// How the settings of Cargo, Rust and Trunk begin in the environment.
const SETTINGS: [&str; 6] = [
    "CARGO_BUILD_",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_PROFILE_",
    "CARGO_TARGET_",
    "RUSTFLAGS",
    "TRUNK_",
];

pub(crate) fn build() -> Result<()> {
    let record = repository::path("target/dashboard.built");
    unless_built(
        &record,
        ingredients()?,
        || product(&repository::path("dist")),
        || {
            run_trunk()?;
            compress::run("dist")
        },
    )
}

/// Builds, unless the record says that the same ingredients have become the product that is there.
fn unless_built(
    record: &Path,
    ingredients: u64,
    product: impl Fn() -> Result<u64>,
    build: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let recorded = |product| format!("{ingredients:016x} became {product:016x}\n");
    let known = fs::read_to_string(record).ok();
    if known.is_some() && known == product().ok().map(recorded) {
        println!("The dashboard is as it was built: nothing that it is made of has changed.");
        return Ok(());
    }
    build()?;
    fs::write(record, recorded(product()?))
        .map_err(|error| Problem::new(format!("{} cannot be written: {error}.", record.display())))
}

fn ingredients() -> Result<u64> {
    let mut fingerprint = Fingerprint::default();
    for source in SOURCES {
        fingerprint.add_path(&repository::path(source))?;
    }
    for program in PROGRAMS {
        fingerprint.add(process::printed_by(tools::command(program).arg("--version")));
    }
    let is_setting = |name: &str| SETTINGS.iter().any(|start| name.starts_with(start));
    let mut settings: Vec<_> = env::vars_os()
        .filter(|(name, _)| name.to_str().is_some_and(is_setting))
        .collect();
    settings.sort();
    fingerprint.add(settings);
    Ok(fingerprint.value())
}

/// The files of the page with their compressed copies. What is built into folders beside them comes later.
fn product(folder: &Path) -> Result<u64> {
    let mut fingerprint = Fingerprint::default();
    for file in entries(folder)? {
        if file.is_file() {
            fingerprint.add_path(&file)?;
        }
    }
    Ok(fingerprint.value())
}

fn run_trunk() -> Result<()> {
    // Trunk works offline: it must not look for tools, which are all on its path, and so Cargo must have its crates.
    process::run(
        tools::command("cargo").arg("fetch"),
        "The crates of the dashboard could not be downloaded: check the network connection and run this command again.",
    )?;
    println!("Building the dashboard: a minute, up to four the first time.");
    let mut trunk = tools::command_for_release("trunk");
    trunk
        .args(["build", "--release", "--offline", "--log", LOG])
        // Trunk takes NO_COLOR=1 for a mistake, and would bury what failed under a trace of itself.
        .env_remove("NO_COLOR")
        .env("RUST_BACKTRACE", "0");
    parts::cut(&mut trunk);
    process::run(&mut trunk, "The dashboard could not be built; the lines above say why.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_built_again_when_its_sources_or_its_files_have_changed() {
        let folder = env::temp_dir().join(format!("switchboard-dashboard-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let record = env::temp_dir().join(format!("switchboard-dashboard-{}.built", std::process::id()));
        let page = folder.join("index.html");
        let copy = folder.join("index.html.br");
        let built = std::cell::Cell::new(0);
        let build_from = |sources| {
            unless_built(
                &record,
                sources,
                || product(&folder),
                || {
                    built.set(built.get() + 1);
                    fs::write(&page, format!("page of {sources}")).unwrap();
                    fs::write(&copy, "a copy").unwrap();
                    Ok(())
                },
            )
            .unwrap();
            built.get()
        };
        assert_eq!(build_from(7), 1);
        assert_eq!(build_from(7), 1);
        assert_eq!(build_from(8), 2);
        fs::create_dir_all(folder.join("npm")).unwrap();
        assert_eq!(build_from(8), 2);
        fs::write(&page, "page of somebody else").unwrap();
        assert_eq!(build_from(8), 3);
        fs::remove_file(&page).unwrap();
        assert_eq!(build_from(8), 4);
        fs::remove_file(&copy).unwrap();
        assert_eq!(build_from(8), 5);
        fs::remove_dir_all(&folder).unwrap();
        fs::remove_file(&record).unwrap();
    }

    #[test]
    fn a_build_that_failed_is_not_taken_for_done() {
        let record = env::temp_dir().join(format!("switchboard-failed-{}.built", std::process::id()));
        unless_built(&record, 7, || Ok(1), || Err(Problem::new("no"))).unwrap_err();
        assert!(!record.exists());
    }
}
