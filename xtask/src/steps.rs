//! Runs the steps of a check, one after the other or in two lanes, and counts them.

use std::thread;
use std::time::{Duration, Instant};

use crate::problem::{Problem, Result};
use crate::process;
use crate::suite::{self, Failure};

/// How many lines the output of all failed steps may have at the end: what people see of a log is a page.
const LINES_TOLD: usize = 45;

/// The steps that ran so far. A failed step does not stop the next one: one run shows everything that is wrong.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    /// A word that is in the names of those that run; what installs tools runs in any case.
    only: Option<String>,
    finished: Vec<Step>,
}

#[derive(Debug)]
struct Step {
    name: &'static str,
    took: Duration,
    verdict: Verdict,
}

#[derive(Debug)]
enum Verdict {
    Passed,
    /// Some tests passed only when they were repeated.
    Flaky(Vec<Failure>),
    /// The last lines of its output, then what is wrong.
    Failed(Vec<String>),
}

impl Steps {
    /// Steps of which only those run whose names contain a word.
    pub(crate) fn only(only: Option<String>) -> Self {
        Self {
            only,
            finished: Vec::new(),
        }
    }

    pub(crate) fn run(&mut self, name: &'static str, step: impl FnOnce() -> Result<()>) {
        self.run_suite(name, || step().map(|()| Vec::new()));
    }

    /// The same for a step that returns its flaky tests.
    pub(crate) fn run_suite(&mut self, name: &'static str, step: impl FnOnce() -> Result<Vec<Failure>>) {
        let is_chosen = self
            .only
            .as_ref()
            .is_none_or(|only| name.contains(only.as_str()) || name.starts_with("tools"));
        if !is_chosen {
            return;
        }
        process::say(&format!("\n── {name}"));
        process::take_last_lines();
        let begun = Instant::now();
        let result = step();
        let took = begun.elapsed();
        let verdict = match result {
            Ok(flaky) if flaky.is_empty() => Verdict::Passed,
            Ok(flaky) => Verdict::Flaky(flaky),
            Err(problem) => {
                process::say(&problem.to_string());
                let mut told = process::take_last_lines();
                told.extend(problem.to_string().lines().map(str::to_owned));
                Verdict::Failed(told)
            }
        };
        let step = Step { name, took, verdict };
        process::say(&step.line());
        process::print_held();
        self.finished.push(step);
    }

    /// Runs steps in two lanes at once. What the lane `beside` prints comes when each of its steps has ended. Where one step
    /// was chosen, nothing runs beside it.
    pub(crate) fn run_lanes(&mut self, lane: impl FnOnce(&mut Self), beside: impl FnOnce(&mut Self) + Send) {
        if self.only.is_some() {
            lane(self);
            beside(self);
            return;
        }
        let mut other = Self::default();
        thread::scope(|scope| {
            scope.spawn(|| {
                process::hold_output();
                beside(&mut other);
            });
            lane(self);
        });
        self.finished.append(&mut other.finished);
    }

    /// Prints how each failed step ended, every step again with its time, then how many passed and failed; a problem if one
    /// failed.
    pub(crate) fn finish(self) -> Result<()> {
        let written = suite::write(&self.flaky().collect::<Vec<_>>());
        let (summary, failed) = self.summary();
        print!("\n{summary}");
        written?;
        match failed {
            0 => Ok(()),
            _ => Err(Problem::new("Look for the steps marked FAILED above.")),
        }
    }

    fn summary(&self) -> (String, usize) {
        let failed: Vec<_> = self.finished.iter().filter_map(Step::told).collect();
        let share = LINES_TOLD / failed.len().max(1);
        let mut summary = String::new();
        for (name, told) in &failed {
            summary += &format!("── how it ended: {name}\n");
            for line in &told[told.len().saturating_sub(share)..] {
                summary += &format!("{line}\n");
            }
        }
        summary.extend(self.finished.iter().map(|step| step.line() + "\n"));
        let flaky: Vec<_> = self
            .flaky()
            .map(|(step, failure)| format!("{step}: {}", failure.test))
            .collect();
        if !flaky.is_empty() {
            summary += &format!("flaky: {} ({})\n", flaky.len(), flaky.join("; "));
        }
        summary += &format!(
            "{} passed, {} failed\n",
            self.finished.len() - failed.len(),
            failed.len()
        );
        (summary, failed.len())
    }

    /// The flaky tests with the names of their steps.
    fn flaky(&self) -> impl Iterator<Item = (&'static str, Failure)> {
        self.finished.iter().flat_map(|step| {
            let flaky = match &step.verdict {
                Verdict::Flaky(flaky) => flaky.as_slice(),
                Verdict::Passed | Verdict::Failed(_) => &[],
            };
            flaky.iter().map(|failure| (step.name, failure.clone()))
        })
    }
}

impl Step {
    fn line(&self) -> String {
        let verdict = match self.verdict {
            Verdict::Passed => "passed",
            Verdict::Flaky(_) => "flaky ",
            Verdict::Failed(_) => "FAILED",
        };
        format!("{verdict} {:7.1} s  {}", self.took.as_secs_f64(), self.name)
    }

    /// How it ended, if it failed.
    fn told(&self) -> Option<(&'static str, &[String])> {
        match &self.verdict {
            Verdict::Failed(told) => Some((self.name, told)),
            Verdict::Passed | Verdict::Flaky(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(name: &'static str, seconds: f64, verdict: Verdict) -> Step {
        Step {
            name,
            took: Duration::from_secs_f64(seconds),
            verdict,
        }
    }

    #[test]
    fn the_last_line_counts_steps_and_the_one_before_it_names_flaky_tests() {
        let late = Failure {
            file: "late.spec.js".to_owned(),
            test: "late.spec.js:7".to_owned(),
            error: "too late".to_owned(),
        };
        let steps = Steps {
            only: None,
            finished: vec![
                step("format", 1.25, Verdict::Passed),
                step("page", 900.0, Verdict::Flaky(vec![late])),
                step("native tests", 61.0, Verdict::Failed(vec!["left: 1".to_owned()])),
            ],
        };
        let expected = "\
── how it ended: native tests
left: 1
passed     1.2 s  format
flaky    900.0 s  page
FAILED    61.0 s  native tests
flaky: 1 (page: late.spec.js:7)
2 passed, 1 failed
";
        assert_eq!(steps.summary(), (expected.to_owned(), 1));
    }

    #[test]
    fn of_many_failed_steps_each_tells_the_end_of_its_output() {
        let lines: Vec<String> = (1..=60).map(|line| format!("line {line}")).collect();
        let failed = |name| step(name, 1.0, Verdict::Failed(lines.clone()));
        let steps = Steps {
            only: None,
            finished: vec![failed("one"), failed("two"), failed("three")],
        };
        let (summary, _) = steps.summary();
        assert!(summary.lines().count() < 60);
        assert_eq!(summary.matches("line 46\n").count(), 3);
        assert_eq!(summary.matches("line 45\n").count(), 0);
    }

    #[test]
    fn steps_of_two_lanes_run_at_once_and_are_counted_together() {
        let (sender, receiver) = std::sync::mpsc::channel();
        let mut steps = Steps::default();
        steps.run_lanes(
            |steps| {
                steps.run("builds", || {
                    sender.send(()).expect("the other lane listens");
                    Ok(())
                });
            },
            move |steps| steps.run("waits", move || receiver.recv().map_err(|_| Problem::new("alone"))),
        );
        let (summary, failed) = steps.summary();
        assert_eq!(failed, 0, "{summary}");
        assert!(summary.ends_with("2 passed, 0 failed\n"));
    }

    #[test]
    fn a_failed_step_does_not_stop_the_next_one() {
        let mut steps = Steps::default();
        steps.run("fails", || Err(Problem::new("no")));
        steps.run("passes", || Ok(()));
        let (summary, _) = steps.summary();
        assert!(summary.starts_with("── how it ended: fails\n"));
        assert!(summary.ends_with("1 passed, 1 failed\n"));
    }
}
