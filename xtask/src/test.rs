//! `cargo xtask test`: every test there is.

use crate::build;
use crate::check;
use crate::problem::Result;
use crate::process;
use crate::repository;
use crate::steps::Steps;
use crate::tools;

pub(crate) fn run() -> Result<()> {
    let mut steps = Steps::default();
    steps.run("tools for the dashboard", tools::prepare_for_building);
    steps.run("tools for wasm tests", tools::prepare_for_wasm_tests);
    steps.run("tools for browser tests", tools::prepare_for_browser_tests);
    check::run_steps(&mut steps);
    steps.run("wasm tests in Chromium", wasm_tests);
    steps.run("demo servers and fault proxy", server_tests);
    steps.run("release build", build::build);
    steps.run("npm package", package_tests);
    steps.run("npm package in bundlers and runtimes", packaging_tests);
    steps.run("real OpenCode", real_server);
    steps.run("page in Chromium", page_tests);
    steps.finish()
}

fn wasm_tests() -> Result<()> {
    // The dashboard's program is large, and is tested as a page.
    for package in ["web/browser", "web/js"] {
        process::run(
            tools::command("wasm-pack")
                .args(["test", "--headless", "--chrome", "--mode", "no-install", package])
                // A panic names its line without it, and `wasm-bindgen` has a tenth to read.
                .env("CARGO_PROFILE_DEV_DEBUG", "false")
                .env("CHROMEDRIVER", tools::chromedriver()?),
            "A wasm test failed.",
        )?;
    }
    Ok(())
}

fn server_tests() -> Result<()> {
    let mut node = tools::command("node");
    node.arg("--test");
    for folder in ["www/npm/serve", "www/npm/pack", "tests/e2e", "tests/e2e/measure"] {
        node.args(repository::files_ending(".test.mjs", folder)?);
    }
    process::run(&mut node, "A test of the servers written for Node failed.")
}

fn package_tests() -> Result<()> {
    let mut node = tools::command("node");
    // Each file starts a server of its own: more than two of them wait for each other.
    node.args(["--test", "--test-concurrency=2"]);
    node.args(repository::files_ending(".test.mjs", "www/npm/test")?);
    process::run(&mut node, "A test of the npm package failed.")
}

fn packaging_tests() -> Result<()> {
    tools::install_packaging_packages()?;
    let mut node = tools::command("node");
    node.arg("--test");
    node.args(repository::files_ending(".test.mjs", "www/npm/packaging")?);
    process::run(&mut node, "The npm package does not work everywhere.")
}

fn real_server() -> Result<()> {
    check::cargo(
        "test --package switchboard-tests --features real-server --test real",
        "A test against the real OpenCode failed.",
    )
}

fn page_tests() -> Result<()> {
    process::run(
        tools::command("node")
            .args(["node_modules/@playwright/test/cli.js", "test"])
            .current_dir(repository::path("tests/e2e")),
        "A test of the page failed.",
    )
}
