//! How many tests there were and failed, as the summaries of test programs say.

use super::is_failing;

/// How many tests there were, as the summaries say.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    passed: u32,
    failed: u32,
    said: bool,
}

/// `2 failing`, or `146 passing (5ms)`.
fn is_count_of_mocha(words: &str) -> bool {
    let mut words = words.split_whitespace();
    let is_number = words.next().is_some_and(|number| number.parse::<u32>().is_ok());
    is_number && matches!(words.next(), Some("failing" | "passing"))
}

impl Counts {
    /// Takes a line. Returns true when it is a summary.
    pub(super) fn take(&mut self, line: &str) -> bool {
        let words = line.trim().trim_matches(|end| end == '=' || end == ' ');
        let is_summary = words.starts_with("test result:")
            || words.starts_with("Tests:")
            || words.starts_with("Tests ")
            || words.starts_with("# fail ")
            || words.starts_with("# pass ")
            || words.starts_with("ℹ fail ")
            || words.starts_with("ℹ pass ")
            || is_count_of_mocha(words)
            || words.contains(" in ")
                && (words.contains(" failed") || words.contains(" passed"))
                && words.ends_with('s')
                && !is_failing(line);
        if !is_summary {
            return false;
        }
        let mut number = None;
        let mut before = "";
        for word in words.split(|end: char| end.is_whitespace() || matches!(end, ',' | ';' | '|' | '(' | ')' | '.')) {
            let value = word.parse::<u32>().ok();
            match (word, number) {
                ("failed" | "failing", Some(count)) => self.add(0, count),
                ("passed" | "passing", Some(count)) => self.add(count, 0),
                _ => {}
            }
            if let Some(count) = value {
                match before {
                    "fail" => self.add(0, count),
                    "pass" => self.add(count, 0),
                    _ => {}
                }
            }
            number = value;
            before = word;
        }
        true
    }

    fn add(&mut self, passed: u32, failed: u32) {
        self.passed = self.passed.saturating_add(passed);
        self.failed = self.failed.saturating_add(failed);
        self.said = true;
    }

    /// How many failed: as it was said, else as many as failing lines of Go name.
    pub(super) fn failed(&self, failing: &[String]) -> Option<u32> {
        if self.said {
            return (self.failed > 0).then_some(self.failed);
        }
        let named = failing.iter().filter(|line| line.starts_with("--- FAIL")).count();
        u32::try_from(named).ok().filter(|named| *named > 0)
    }

    pub(super) fn total(&self) -> Option<u32> {
        self.said.then(|| self.passed.saturating_add(self.failed))
    }
}
