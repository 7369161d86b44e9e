//! Finds the programs that the commands need, and installs the missing ones.
//!
//! Tools that Cargo builds are kept in the user's cache (`~/.cache/switchboard/tools`), for all clones: they take five minutes.
//! Packages of npm go into the folders that name them. A program on the `PATH` whose version fits is used as it is.

mod browser;
mod cargo_tool;
mod node;
mod rust;

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use crate::problem::Result;
use crate::repository;

pub(crate) use browser::chromedriver;
pub(crate) use node::install_packaging_packages;

/// Sees to it that the dashboard can be built and tried.
pub(crate) fn prepare_for_building() -> Result<()> {
    rust::check_c_compiler()?;
    node::check()?;
    rust::add_wasm_target()?;
    cargo_tool::install(&cargo_tool::WASM_BINDGEN)?;
    cargo_tool::install(&cargo_tool::TRUNK)?;
    cargo_tool::install(&cargo_tool::WASM_SPLIT)?;
    node::install_dashboard_packages()
}

/// Sees to it that the npm package can be laid out and checked.
pub(crate) fn prepare_for_packing() -> Result<()> {
    node::check()?;
    node::install_dashboard_packages()
}

/// Sees to it that code can be formatted, linted and compiled.
pub(crate) fn prepare_for_checking() -> Result<()> {
    rust::check_c_compiler()?;
    rust::add_wasm_target()?;
    rust::add_components()
}

/// Sees to it that wasm tests can run in a browser.
pub(crate) fn prepare_for_wasm_tests() -> Result<()> {
    cargo_tool::install(&cargo_tool::WASM_BINDGEN)?;
    cargo_tool::install(&cargo_tool::WASM_PACK)?;
    browser::install()
}

/// Sees to it that Playwright can drive the page against a real OpenCode.
pub(crate) fn prepare_for_browser_tests() -> Result<()> {
    node::check()?;
    browser::install()?;
    node::install_dashboard_packages()?;
    node::install_browser_test_packages()
}

/// A command that finds our tools before those on the `PATH`.
pub(crate) fn command(program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(repository::root()).env("PATH", search_path());
    command
}

/// The same for what builds WebAssembly that people load: its panics name source files without the folders of this machine.
pub(crate) fn command_for_release(program: &str) -> Command {
    /// Cargo adds it to the flags of the configuration.
    const FLAGS: &str = "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS";
    let mut command = command(program);
    if let Some(home) = cargo_home() {
        let flags = env::var(FLAGS).unwrap_or_default();
        let sources = home.join("registry/src");
        command.env(
            FLAGS,
            format!("{flags} --remap-path-prefix={}=crates", sources.display()),
        );
    }
    command
}

/// Where Cargo keeps the crates that it has downloaded.
pub(crate) fn cargo_home() -> Option<PathBuf> {
    let set = env::var_os("CARGO_HOME").map(PathBuf::from);
    set.or_else(|| Some(env::home_dir()?.join(".cargo")))
}

/// Where programs are looked for: ours first.
pub(crate) fn search_path() -> OsString {
    let tools = cargo_tool::program_folders().iter().cloned();
    let inherited = env::var_os("PATH").unwrap_or_default();
    let folders = tools.chain([repository::path("www/npm/node_modules/.bin")]);
    let folders = folders.chain(env::split_paths(&inherited));
    env::join_paths(folders).unwrap_or(inherited)
}
