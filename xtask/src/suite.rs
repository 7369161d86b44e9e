//! Runs a suite of tests; those that failed run once more, alone.
//!
//! A test that passes then is flaky: the gate stays open for it, but says so, with its first error. A suite with more than
//! one flaky test in fifty has failed, and so has one in which a test fails twice. Tests in virtual time get no second run:
//! one that fails now and then shows a fault.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use crate::problem::{Problem, Result};
use crate::process;
use crate::repository;

/// The environment variable that names the file in which a runner lists what has failed.
const FAILURES: &str = "SWITCHBOARD_FAILURES";

/// One flaky test in so many is let through; a small suite may have one.
const TESTS_PER_FLAKY: usize = 50;

/// A test that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    /// Its file as its runner takes it; the name of the test where the runner takes names.
    pub(crate) file: String,
    /// Its place or its name, for people.
    pub(crate) test: String,
    /// Its first error, in a line.
    pub(crate) error: String,
}

/// The result of one run of a suite.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Report {
    pub(crate) succeeded: bool,
    /// How many tests ran; `None` if the run broke off.
    pub(crate) ran: Option<usize>,
    pub(crate) failures: Vec<Failure>,
}

/// Runs a suite: `attempt` with nothing chosen runs all of it, else these tests alone, once `until_alone` has returned. Returns
/// those that failed at first.
pub(crate) fn run(
    failure: &str,
    until_alone: impl FnOnce(),
    mut attempt: impl FnMut(&[Failure]) -> Result<Report>,
) -> Result<Vec<Failure>> {
    let first = attempt(&[])?;
    if first.succeeded {
        return Ok(Vec::new());
    }
    let ran = first.ran.filter(|_| !first.failures.is_empty());
    let Some(ran) = ran else {
        return Err(Problem::new(failure));
    };
    let failed = first.failures.len();
    process::say(&format!("\n{failed} of {ran} failed, and run once more, alone."));
    until_alone();
    let second = attempt(&first.failures)?;
    if !second.succeeded {
        let twice = listed(&second.failures);
        return Err(Problem::new(format!("{failure} Failed twice:\n{twice}")));
    }
    let allowed = (ran / TESTS_PER_FLAKY).max(1);
    if first.failures.len() > allowed {
        return Err(Problem::new(format!(
            "{failure} {} of {ran} passed only when repeated alone, and at most {allowed} may:\n{}",
            first.failures.len(),
            listed(&first.failures)
        )));
    }
    Ok(first.failures)
}

/// Each test with its error, a line each.
pub(crate) fn listed(failures: &[Failure]) -> String {
    let lines = failures
        .iter()
        .map(|Failure { test, error, .. }| format!("  {test}: {error}"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Runs a program that lists what has failed in the file which it is told, `target/gate/NAME.jsonl`, and reads that file.
pub(crate) fn run_and_read(name: &str, limit: Duration, command: &mut Command) -> Result<Report> {
    let file = repository::path(&format!("target/gate/{name}.jsonl"));
    empty(&file)?;
    let succeeded = process::run_within(limit, command.env(FAILURES, &file), "").is_ok();
    let lines = fs::read_to_string(&file).map_err(|error| unusable(&file, &error))?;
    Ok(Report {
        succeeded,
        ..report_of(&lines)
    })
}

/// Runs tests of Cargo that print what has failed, and reads what they print.
pub(crate) fn run_and_listen(limit: Duration, command: &mut Command) -> Result<Report> {
    let ended = process::run_and_keep(limit, command)?;
    Ok(report_of_cargo(ended.succeeded, &ended.lines))
}

/// Writes the flaky tests of a whole run into `target/gate/flaky.json`.
pub(crate) fn write(flaky: &[(&str, Failure)]) -> Result<()> {
    let file = repository::path("target/gate/flaky.json");
    empty(&file)?;
    let entries = flaky.iter();
    let entries =
        entries.map(|(suite, Failure { test, error, .. })| json!({ "suite": suite, "test": test, "error": error }));
    let text = format!("{:#}\n", Value::Array(entries.collect()));
    fs::write(&file, text).map_err(|error| unusable(&file, &error))
}

fn empty(file: &PathBuf) -> Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    let made = fs::create_dir_all(folder).and_then(|()| fs::write(file, ""));
    made.map_err(|error| unusable(file, &error))
}

fn unusable(file: &Path, error: &std::io::Error) -> Problem {
    Problem::new(format!("{} cannot be used: {error}.", file.display()))
}

/// Reads lines of JSON: one for each failed test, and how many ran at the end.
fn report_of(lines: &str) -> Report {
    let mut report = Report::default();
    for line in lines.lines() {
        let line: Value = serde_json::from_str(line).unwrap_or_default();
        let text = |name: &str| line[name].as_str().unwrap_or_default().to_owned();
        match line["ran"].as_u64() {
            Some(ran) => report.ran = usize::try_from(ran).ok(),
            None => report.failures.push(Failure {
                file: text("file"),
                test: text("test"),
                error: text("error"),
            }),
        }
    }
    report
}

fn report_of_cargo(succeeded: bool, lines: &[String]) -> Report {
    let ran = lines.iter().find_map(|line| {
        let count = line.strip_prefix("running ")?.split(' ').next()?;
        count.parse().ok()
    });
    let is_complete = lines.iter().any(|line| line.starts_with("test result: "));
    let names = lines
        .iter()
        .filter_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... FAILED"));
    let failures = names.map(|name| Failure {
        file: name.to_owned(),
        test: name.to_owned(),
        error: said_by(name, lines),
    });
    Report {
        succeeded,
        ran: ran.filter(|_| is_complete),
        failures: failures.collect(),
    }
}

/// The first lines of what a failed test of Cargo has printed.
fn said_by(name: &str, lines: &[String]) -> String {
    const LINES: usize = 3;
    let heading = format!("---- {name} stdout ----");
    let after = lines.iter().skip_while(|line| **line != heading).skip(1);
    let said = after.filter(|line| !line.trim().is_empty()).take(LINES);
    said.map(|line| line.trim()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(test: &str) -> Failure {
        Failure {
            file: test.to_owned(),
            test: test.to_owned(),
            error: "not found".to_owned(),
        }
    }

    /// Plays a suite of this many tests, of which these fail at first, and these again; returns what ran the second time.
    fn play(tests: usize, first: &[&str], second: &[&str]) -> (Result<Vec<Failure>>, Vec<Failure>) {
        let failures = |names: &[&str]| names.iter().map(|name| failure(name)).collect::<Vec<_>>();
        let mut repeated = Vec::new();
        let result = run(
            "It failed.",
            || (),
            |only| {
                repeated = only.to_vec();
                let failures = failures(if only.is_empty() { first } else { second });
                Ok(Report {
                    succeeded: failures.is_empty(),
                    ran: Some(if only.is_empty() { tests } else { only.len() }),
                    failures,
                })
            },
        );
        (result, repeated)
    }

    #[test]
    fn what_failed_runs_once_more_and_is_flaky_when_it_passes() {
        assert_eq!(play(200, &[], &[]), (Ok(vec![]), vec![]));
        let flaky = vec![failure("a"), failure("b")];
        assert_eq!(play(200, &["a", "b"], &[]), (Ok(flaky.clone()), flaky));
    }

    #[test]
    fn a_test_that_fails_twice_has_failed() {
        let (result, _) = play(200, &["a", "b"], &["b"]);
        assert_eq!(
            result.unwrap_err().to_string(),
            "It failed. Failed twice:\n  b: not found"
        );
    }

    #[test]
    fn one_flaky_test_in_fifty_is_let_through() {
        assert!(play(200, &["a", "b", "c", "d"], &[]).0.is_ok());
        let problem = play(200, &["a", "b", "c", "d", "e"], &[]).0.unwrap_err().to_string();
        assert!(problem.starts_with("It failed. 5 of 200 passed only when repeated alone, and at most 4 may:\n  a: "));
        assert!(play(7, &["a"], &[]).0.is_ok());
        assert!(play(7, &["a", "b"], &[]).0.is_err());
    }

    #[test]
    fn a_run_that_breaks_off_has_failed() {
        let mut runs = 0;
        let result = run(
            "It failed.",
            || (),
            |_| {
                runs += 1;
                Ok(Report {
                    failures: vec![failure("a")],
                    ..Report::default()
                })
            },
        );
        assert_eq!((result, runs), (Err(Problem::new("It failed.")), 1));
    }

    #[test]
    fn reports_are_read() {
        let lines = "{\"file\":\"/a.test.mjs\",\"test\":\"a.test.mjs:4\",\"error\":\"no\"}\n{\"ran\":3}\n";
        let failures = vec![Failure {
            file: "/a.test.mjs".to_owned(),
            test: "a.test.mjs:4".to_owned(),
            error: "no".to_owned(),
        }];
        let report = report_of(lines);
        assert_eq!((report.ran, report.failures), (Some(3), failures));
        assert_eq!(report_of(""), Report::default());
    }

    #[test]
    fn what_cargo_prints_is_read() {
        let printed = "\
running 2 tests
test stops::late ... FAILED
test stops::early ... ok

failures:

---- stops::late stdout ----

thread 'stops::late' panicked at tests/real/story.rs:9:9:
the end did not come

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out";
        let lines: Vec<String> = printed.lines().map(str::to_owned).collect();
        let error = "thread 'stops::late' panicked at tests/real/story.rs:9:9: the end did not come ";
        let report = report_of_cargo(false, &lines);
        assert_eq!(report.ran, Some(2));
        assert_eq!(report.failures[0].file, "stops::late");
        assert!(report.failures[0].error.starts_with(error));
        assert_eq!(report_of_cargo(false, &lines[..3]).ran, None);
    }
}
