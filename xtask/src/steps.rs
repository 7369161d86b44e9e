//! Runs the steps of a check one after the other, and counts them.

use std::time::{Duration, Instant};

use crate::problem::{Problem, Result};

/// What ran so far. A failed step does not stop the next one: one run shows everything that is wrong.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    finished: Vec<Step>,
}

#[derive(Debug)]
struct Step {
    name: &'static str,
    took: Duration,
    passed: bool,
}

impl Steps {
    pub(crate) fn run(&mut self, name: &'static str, step: impl FnOnce() -> Result<()>) {
        println!("\n── {name}");
        let begun = Instant::now();
        let result = step();
        let step = Step {
            name,
            took: begun.elapsed(),
            passed: result.is_ok(),
        };
        if let Err(problem) = result {
            println!("{problem}");
        }
        println!("{}", step.line());
        self.finished.push(step);
    }

    /// Prints every step again with its time, then how many passed and failed; a problem if one failed.
    pub(crate) fn finish(self) -> Result<()> {
        let (summary, failed) = self.summary();
        print!("\n{summary}");
        match failed {
            0 => Ok(()),
            _ => Err(Problem::new("Look for the steps marked FAILED above.")),
        }
    }

    fn summary(&self) -> (String, usize) {
        let failed = self.finished.iter().filter(|step| !step.passed).count();
        let mut summary: String = self.finished.iter().map(|step| step.line() + "\n").collect();
        summary += &format!("{} passed, {failed} failed\n", self.finished.len() - failed);
        (summary, failed)
    }
}

impl Step {
    fn line(&self) -> String {
        let verdict = if self.passed { "passed" } else { "FAILED" };
        format!("{verdict} {:7.1} s  {}", self.took.as_secs_f64(), self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_counts_steps() {
        let steps = Steps {
            finished: vec![
                Step {
                    name: "format",
                    took: Duration::from_millis(1250),
                    passed: true,
                },
                Step {
                    name: "native tests",
                    took: Duration::from_secs(61),
                    passed: false,
                },
            ],
        };
        assert_eq!(
            steps.summary(),
            (
                "passed     1.2 s  format\nFAILED    61.0 s  native tests\n1 passed, 1 failed\n".to_owned(),
                1
            )
        );
    }

    #[test]
    fn a_failed_step_does_not_stop_the_next_one() {
        let mut steps = Steps::default();
        steps.run("fails", || Err(Problem::new("no")));
        steps.run("passes", || Ok(()));
        assert!(steps.summary().0.ends_with("1 passed, 1 failed\n"));
        assert!(steps.finish().is_err());
    }
}
