//! `cargo xtask check`: what one runs before a commit.

use std::ffi::OsString;

use crate::javascript;
use crate::problem::Result;
use crate::process;
use crate::quarantine;
use crate::sim;
use crate::steps::Steps;
use crate::tools;

pub(crate) fn run() -> Result<()> {
    let mut steps = Steps::default();
    steps.run("tools of the Rust toolchain", tools::prepare_for_checking);
    run_steps(&mut steps);
    steps.run("tools for the npm package", tools::prepare_for_packing);
    steps.run("npm package: its manifest and where its types are", javascript::check);
    steps.finish()
}

/// The steps that need neither a browser nor Node.
pub(crate) fn run_steps(steps: &mut Steps) {
    steps.run("format", || cargo("fmt --all --check", "Run `cargo fmt --all`."));
    steps.run("list of tests under quarantine", quarantine::check);
    steps.run("lints", || {
        clippy("--workspace --all-targets --features switchboard-tests/real-server")
    });
    steps.run("lints of what is built as WebAssembly", || {
        clippy(
            "--package switchboard-browser --package switchboard-dashboard --package switchboard-js --all-targets \
             --target wasm32-unknown-unknown",
        )
    });
    steps.run("native tests", || {
        cargo("test --workspace --quiet --no-fail-fast", "A native test failed.")
    });
    steps.run("packages of the crates that are published", || {
        cargo(
            "package --quiet --no-verify --offline --allow-dirty --package switchboard-core --package switchboard-wire",
            "A crate cannot be packaged.",
        )
    });
    steps.run("20,000 random histories", || {
        sim::run(process::LIMIT, &["--seeds", "20000", "--brief"].map(OsString::from))
    });
}

fn clippy(selection: &str) -> Result<()> {
    cargo(
        &format!("clippy --quiet {selection} -- -D warnings"),
        "Clippy has something to say.",
    )
}

/// Runs `cargo` with arguments that contain no spaces.
pub(crate) fn cargo(arguments: &str, failure: &str) -> Result<()> {
    process::run(tools::command("cargo").args(arguments.split(' ')), failure)
}
