//! What belongs to the Rust toolchain: the wasm target, the components, a linker.

use crate::problem::{Problem, Result};
use crate::process;
use crate::tools::command;

const WASM_TARGET: &str = "wasm32-unknown-unknown";

pub(crate) fn check_c_compiler() -> Result<()> {
    match process::printed_by(command("cc").arg("--version")) {
        Some(_) => Ok(()),
        None => Err(Problem::new(format!(
            "A C compiler is needed to build the tools, and `cc` was not found: install it with `{}`.",
            if cfg!(target_os = "macos") {
                "xcode-select --install"
            } else {
                "sudo apt-get install build-essential"
            }
        ))),
    }
}

pub(crate) fn add_wasm_target() -> Result<()> {
    let libraries = process::printed_by(command("rustc").args(["--print", "target-libdir", "--target", WASM_TARGET]));
    if libraries.is_some_and(|folder| std::path::Path::new(&folder).is_dir()) {
        return Ok(());
    }
    println!("Adding the target {WASM_TARGET} to the Rust toolchain: the dashboard is compiled for it.");
    process::run_patiently(
        command("rustup").args(["target", "add", WASM_TARGET]),
        &format!(
            "Rust cannot compile for {WASM_TARGET} here: check the network connection, then run \
             `rustup target add {WASM_TARGET}` and this command again."
        ),
    )
}

/// Adds rustfmt and clippy, which the minimal profile of rustup leaves out.
pub(crate) fn add_components() -> Result<()> {
    for (component, subcommand) in [("rustfmt", "fmt"), ("clippy", "clippy")] {
        if process::printed_by(command("cargo").args([subcommand, "--version"])).is_some() {
            continue;
        }
        println!("Adding {component} to the Rust toolchain.");
        process::run_patiently(
            command("rustup").args(["component", "add", component]),
            &format!(
                "{component} is missing: check the network connection, then run \
                 `rustup component add {component}` and this command again."
            ),
        )?;
    }
    Ok(())
}
