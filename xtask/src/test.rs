//! `cargo xtask test`: every test there is, or those of one step.

use std::process::Command;
use std::sync::mpsc;
use std::time::Duration;

use crate::build;
use crate::check;
use crate::problem::{Problem, Result};
use crate::process;
use crate::quarantine;
use crate::repository;
use crate::steps::Steps;
use crate::suite::{self, Failure, Report};
use crate::tools;

/// The environment variable that adds what belongs into `cargo xtask soak` to a suite.
pub(crate) const SOAK: &str = "SWITCHBOARD_SOAK";

/// The environment variable that lets the tests of the page under quarantine run.
const QUARANTINE: &str = "SWITCHBOARD_QUARANTINE";

/// A file of tests for Node may take so long; the slowest needs two and a half minutes on a free machine.
const NODE_FILE_LIMIT_MS: u32 = 600_000;

/// A suite may take so long: three times as long as on a free machine.
const SUITE_LIMIT: Duration = Duration::from_secs(20 * 60);
const PAGE_LIMIT: Duration = Duration::from_secs(50 * 60);

pub(crate) fn run(only: Option<String>) -> Result<()> {
    let mut steps = Steps::only(only);
    steps.run("tools for the dashboard", tools::prepare_for_building);
    steps.run("tools for wasm tests", tools::prepare_for_wasm_tests);
    steps.run("tools for browser tests", tools::prepare_for_browser_tests);
    steps.run("tools of the Rust toolchain", tools::prepare_for_checking);
    let (building, built) = moment();
    let (computing, alone) = moment();
    steps.run_lanes(
        |steps| {
            steps.run("release build", build::build);
            drop(building);
            check::run_steps(steps);
            steps.run_suite("wasm tests in Chromium", wasm_tests);
            drop(computing);
        },
        move |steps| {
            steps.run_suite("real OpenCode", || real_server(&alone));
            steps.run_suite("demo servers and fault proxy", || server_tests(&alone));
            built.wait();
            steps.run_suite("npm package", || package_tests(&alone));
            steps.run_suite("npm package in bundlers and runtimes", || packaging_tests(&alone));
        },
    );
    steps.run_suite("page in Chromium", page_tests);
    steps.run_suite("page: tests under quarantine", quarantined_tests);
    steps.finish()
}

/// A moment that comes when its first half is dropped.
fn moment() -> (mpsc::Sender<()>, Moment) {
    let (sender, receiver) = mpsc::channel();
    (sender, Moment(receiver))
}

struct Moment(mpsc::Receiver<()>);

impl Moment {
    fn wait(&self) {
        // Nothing is ever sent: it fails when the other half is gone.
        let _ = self.0.recv();
    }
}

fn wasm_tests() -> Result<Vec<Failure>> {
    let mut flaky = Vec::new();
    // The dashboard's program is large, and is tested as a page.
    for package in ["web/browser", "web/js"] {
        let mut wasm_pack = tools::command("wasm-pack");
        wasm_pack
            .args(["test", "--headless", "--chrome", "--mode", "no-install", package])
            // A panic names its line without it, and `wasm-bindgen` has a tenth to read.
            .env("CARGO_PROFILE_DEV_DEBUG", "false")
            // Seconds until the driver is there, and for all tests of a program: by themselves 5 and 20.
            .env("WASM_BINDGEN_TEST_DRIVER_TIMEOUT", "60")
            .env("WASM_BINDGEN_TEST_TIMEOUT", "300")
            .env("CHROMEDRIVER", tools::chromedriver()?);
        let mut ended = process::run_and_keep(process::LIMIT, &mut wasm_pack)?;
        let says_why =
            |line: &String| line.starts_with("test result: FAILED") || line.starts_with("error: could not compile");
        if !ended.succeeded && !ended.lines.iter().any(says_why) {
            let error = "the browser or its driver did not start, or broke off";
            process::say(&format!("\nNo test has failed: {error}. Once more."));
            flaky.push(Failure {
                file: package.to_owned(),
                test: package.to_owned(),
                error: error.to_owned(),
            });
            ended = process::run_and_keep(process::LIMIT, &mut wasm_pack)?;
        }
        if !ended.succeeded {
            return Err(Problem::new("A wasm test failed."));
        }
    }
    Ok(flaky)
}

fn server_tests(alone: &Moment) -> Result<Vec<Failure>> {
    suite::run(
        "A test of the servers written for Node failed.",
        || alone.wait(),
        |only| {
            let folders = ["www/npm/serve", "www/npm/pack", "tests/e2e", "tests/e2e/measure"];
            node_tests("servers", &folders, only)
        },
    )
}

fn package_tests(alone: &Moment) -> Result<Vec<Failure>> {
    suite::run(
        "A test of the npm package failed.",
        || alone.wait(),
        |only| node_tests("package", &["www/npm/test"], only),
    )
}

fn packaging_tests(alone: &Moment) -> Result<Vec<Failure>> {
    tools::install_packaging_packages()?;
    suite::run(
        "The npm package does not work everywhere.",
        || alone.wait(),
        |only| node_tests("packaging", &["www/npm/packaging"], only),
    )
}

/// The tests of the package in bundlers, runtimes and compilers, also in those that few people use.
pub(crate) fn rare_packaging_tests() -> Result<()> {
    tools::install_packaging_packages()?;
    let mut node = tools::command("node");
    node.env(SOAK, "1").arg("--test");
    node.args(repository::files_ending(".test.mjs", "www/npm/packaging")?);
    process::run(&mut node, "The npm package does not work everywhere.")
}

/// Runs the tests for Node of these folders, or the files of those that failed, one after the other.
fn node_tests(name: &str, folders: &[&str], only: &[Failure]) -> Result<Report> {
    let mut node = tools::command("node");
    node.args(["--test", &format!("--test-timeout={NODE_FILE_LIMIT_MS}")]);
    for reporter in ["spec", "./tests/failures/node.mjs"] {
        node.arg(format!("--test-reporter={reporter}"));
        node.arg("--test-reporter-destination=stdout");
    }
    if only.is_empty() {
        // Each file starts a server of its own: more than two of them wait for each other.
        node.arg("--test-concurrency=2");
        for folder in folders {
            node.args(repository::files_ending(".test.mjs", folder)?);
        }
    } else {
        let mut files: Vec<_> = only.iter().map(|failure| failure.file.as_str()).collect();
        files.sort_unstable();
        files.dedup();
        node.arg("--test-concurrency=1").args(files);
    }
    suite::run_and_read(name, SUITE_LIMIT, &mut node)
}

fn real_server(alone: &Moment) -> Result<Vec<Failure>> {
    suite::run(
        "A test against the real OpenCode failed.",
        || alone.wait(),
        |only| {
            let mut cargo = tools::command("cargo");
            cargo.args("test --package switchboard-tests --features real-server --test real".split(' '));
            if !only.is_empty() {
                cargo.args(["--", "--test-threads=1", "--exact"]);
                cargo.args(only.iter().map(|failure| &failure.test));
            }
            suite::run_and_listen(SUITE_LIMIT, &mut cargo)
        },
    )
}

fn page_tests() -> Result<Vec<Failure>> {
    suite::run(
        "A test of the page failed.",
        || (),
        |only| {
            let mut playwright = playwright();
            if !only.is_empty() {
                // What the first run has kept of its failures stays.
                playwright.args(["--last-failed", "--last-failed-file=../../target/e2e/.last-run.json"]);
                playwright.args(["--workers=1", "--output=../../target/e2e-again"]);
            }
            suite::run_and_read("page", PAGE_LIMIT, &mut playwright)
        },
    )
}

/// Those that fail are named as flaky, and fail nothing.
fn quarantined_tests() -> Result<Vec<Failure>> {
    if quarantine::tagged()?.is_empty() {
        return Ok(Vec::new());
    }
    let mut playwright = playwright();
    playwright
        .env(QUARANTINE, "1")
        .arg(format!("--grep={}", quarantine::TAG));
    playwright.arg("--output=../../target/e2e-quarantine");
    let report = suite::run_and_read("quarantine", SUITE_LIMIT, &mut playwright)?;
    match report.ran {
        Some(ran) if ran > 0 => Ok(report.failures),
        _ => Err(Problem::new("The tests under quarantine did not run to their end.")),
    }
}

pub(crate) fn playwright() -> Command {
    let mut node = tools::command("node");
    node.args(["node_modules/@playwright/test/cli.js", "test"]);
    node.current_dir(repository::path("tests/e2e"));
    node
}
