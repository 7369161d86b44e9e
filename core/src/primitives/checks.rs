//! What a check has printed: which of its lines tell what failed, how many tests failed, and what of it is sent back.

mod counts;
mod escapes;
mod sameness;

use counts::Counts;
pub use escapes::without_escapes;
use sameness::digest;

/// So many failing lines are kept of a check.
pub const FAILING_MAX: usize = 50;

/// Bytes of the output of a check that are sent back at most: what fails, and the end, as an agent needs them.
pub const SENT_MAX: usize = 16 * 1024;

/// Bytes of a line that are kept.
const LINE_MAX: usize = 500;

/// What stands between the failing lines and the end, where something is left out.
pub(crate) const LEFT_OUT: &str = "[…]";

/// A check that did not exit with 0, or took too long.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failure {
    /// Its exit code; none when it was killed.
    pub exit: Option<i32>,
    /// Whether it took too long, and was stopped.
    pub timed_out: bool,
    /// What is sent back of what it printed: the failing lines, then the end.
    pub output: String,
    /// The lines that tell what failed, the first 50.
    pub failing: Vec<String>,
    /// How many tests failed, where that was said.
    pub failed: Option<u32>,
    /// How many tests there were, where that was said.
    pub total: Option<u32>,
    /// A digest of all that it printed, for [`Failure::is_same_as`]; none in a record of an older version.
    pub digest: Option<u64>,
}

/// What a check has printed that did not exit with 0.
///
/// ```
/// use switchboard_core::checks::failure;
///
/// let printed = "test limit::applies ... FAILED\ntest result: FAILED. 146 passed; 1 failed; 0 ignored\n";
/// let failure = failure(printed, Some(101));
/// assert_eq!(failure.failing, ["test limit::applies ... FAILED"]);
/// assert_eq!((failure.failed, failure.total), (Some(1), Some(147)));
/// ```
#[must_use]
pub fn failure(printed: &str, exit: Option<i32>) -> Failure {
    let plain = without_escapes(printed);
    let mut failing: Vec<String> = Vec::new();
    let mut counts = Counts::default();
    let mut is_error = false;
    for line in plain.lines().map(str::trim_end) {
        if counts.take(line) {
            continue;
        }
        let cut = cut_line(line.trim_start());
        // Rust says on the next line where an error is: two errors of one kind differ in that alone.
        let is_place = is_error && cut.starts_with("--> ");
        is_error = cut.starts_with("error");
        if (is_place || is_failing(line)) && failing.len() < FAILING_MAX && failing.iter().all(|known| known != cut) {
            failing.push(cut.to_owned());
        }
    }
    Failure {
        exit,
        timed_out: false,
        output: useful(&plain, &failing, SENT_MAX),
        failed: counts.failed(&failing),
        total: counts.total(),
        digest: Some(digest(&plain)),
        failing,
    }
}

impl Failure {
    /// What the agent is told of it: [`Failure::output`], and how it ended.
    #[must_use]
    pub fn message(&self) -> String {
        let ended = match (self.timed_out, self.exit) {
            (true, _) => "it took too long, and was stopped".to_owned(),
            (false, Some(code)) => format!("exit code {code}"),
            (false, None) => "no exit code".to_owned(),
        };
        let printed = match self.output.trim_end() {
            "" => "It printed nothing.",
            printed => printed,
        };
        format!("{printed}\n({ended})")
    }
}

/// The output within a budget of bytes: whole where it fits, else the failing lines, or the beginning where there are none, and as
/// much of the end as fits.
fn useful(output: &str, failing: &[String], budget: usize) -> String {
    let output = output.trim_end();
    if output.len() <= budget {
        return output.to_owned();
    }
    let mut text = String::new();
    for line in failing {
        if text.len() + line.len() + 1 > budget / 2 {
            break;
        }
        text.push_str(line);
        text.push('\n');
    }
    if failing.is_empty() {
        let beginning = &output[..output.floor_char_boundary(budget / 4)];
        text.push_str(beginning.trim_end());
        text.push('\n');
    }
    text.push_str(LEFT_OUT);
    text.push('\n');
    let from = output.ceil_char_boundary(output.len() - (budget - text.len()));
    let end = &output[from..];
    // A whole line is better than a part of one, where no more is lost.
    let whole = end.split_once('\n').filter(|(part, _)| part.len() <= LINE_MAX);
    text.push_str(whole.map_or(end, |(_, lines)| lines));
    text
}

/// A text whole where it has at most so many bytes, else its beginning and its end, cut between two characters.
pub(crate) fn ends_of(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_owned();
    }
    let between = format!("\n{LEFT_OUT}\n");
    let half = max.saturating_sub(between.len()) / 2;
    let beginning = &text[..text.floor_char_boundary(half)];
    let end = &text[text.ceil_char_boundary(text.len() - half)..];
    format!("{beginning}{between}{end}")
}

fn cut_line(line: &str) -> &str {
    &line[..line.floor_char_boundary(LINE_MAX)]
}

/// Whether a line tells what failed: of the test programs of Rust, JavaScript, Python and Go, and of compilers.
fn is_failing(line: &str) -> bool {
    let line = line.trim_start();
    let starts = [
        "error:",
        "error[",
        "Error:",
        "ERROR ",
        "ERROR:",
        "fatal error:",
        "FAILED ",
        "FAIL ",
        "FAIL:",
        "--- FAIL",
        "not ok ",
        "E   ",
        "✕ ",
        "✖ ",
        "× ",
        "● ",
        "AssertionError",
        "panic:",
    ];
    let ends = [" FAILED", " ... FAILED", " FAIL"];
    starts.iter().any(|start| line.starts_with(start))
        || ends.iter().any(|end| line.ends_with(end))
        || line.contains(" panicked at ")
        || line.contains(": error:")
        || line.contains(": fatal error:")
        || line.contains("undefined reference to ")
        || line.contains(": error TS")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// F7
    #[test]
    fn the_failing_lines_of_common_test_programs_are_found_and_counted() {
        let cases = [
            (
                "running 3 tests\ntest a ... ok\ntest limit::applies ... FAILED\ntest result: FAILED. 1 passed; 2 failed; 0 ignored; finished in 0.02s\n",
                &["test limit::applies ... FAILED"][..],
                (Some(2), Some(3)),
            ),
            (
                "FAILED tests/test_a.py::test_b - assert 1 == 2\n=========== 1 failed, 146 passed in 0.34s ===========\n",
                &["FAILED tests/test_a.py::test_b - assert 1 == 2"],
                (Some(1), Some(147)),
            ),
            (
                "  ● limit › applies\nTests:       2 failed, 146 passed, 148 total\n",
                &["● limit › applies"],
                (Some(2), Some(148)),
            ),
            (
                "not ok 2 - b\n# pass 1\n# fail 1\n",
                &["not ok 2 - b"],
                (Some(1), Some(2)),
            ),
            (
                "--- FAIL: TestA (0.00s)\nFAIL\n",
                &["--- FAIL: TestA (0.00s)"],
                (Some(1), None),
            ),
            (
                "a.c:1:10: fatal error: foo.h: No such file\n",
                &["a.c:1:10: fatal error: foo.h: No such file"],
                (None, None),
            ),
            (
                "  146 passing (5ms)\n  2 failing\n\n  1) limit applies:\n     AssertionError: no\n",
                &["AssertionError: no"],
                (Some(2), Some(148)),
            ),
            (
                "ERROR: test_a (t.T.test_a)\nFAILED (errors=1)\n",
                &["ERROR: test_a (t.T.test_a)", "FAILED (errors=1)"],
                (None, None),
            ),
            (
                "src/main.rs:1:1: error: expected one of\nmake: *** [all] Error 2\n",
                &["src/main.rs:1:1: error: expected one of"],
                (None, None),
            ),
            (
                "warning: unused\n --> src/a.rs:1:1\nerror[E0308]: mismatched types\n --> src/a.rs:3:5\n  |\nerror[E0308]: mismatched types\n --> src/b.rs:9:2\n",
                &["error[E0308]: mismatched types", "--> src/a.rs:3:5", "--> src/b.rs:9:2"],
                (None, None),
            ),
            ("nothing of that\n", &[], (None, None)),
        ];
        for (printed, failing, counts) in cases {
            let failure = failure(printed, Some(1));
            assert_eq!(failure.failing, failing, "{printed}");
            assert_eq!((failure.failed, failure.total), counts, "{printed}");
        }
    }

    /// F7, F2
    #[test]
    fn of_a_long_output_the_failing_lines_and_the_end_are_sent_back() {
        let noise = "compiling something\n".repeat(10_000);
        let printed = format!("error: the first\n{noise}test a ... FAILED\n{noise}the very end\n");
        let sent = failure(&printed, Some(1)).output;
        assert!(sent.len() <= SENT_MAX, "{}", sent.len());
        assert!(
            sent.starts_with("error: the first\ntest a ... FAILED\n[…]\ncompiling something\n"),
            "{sent:.200}"
        );
        assert!(sent.ends_with("compiling something\nthe very end"), "it ends elsewhere");
    }

    /// F7, F2
    #[test]
    fn where_no_line_tells_what_failed_the_beginning_is_sent_back_too() {
        let printed = format!("Traceback of a tool\n{}the end", "on and on\n".repeat(10_000));
        let sent = failure(&printed, Some(1)).output;
        assert!(sent.starts_with("Traceback of a tool\n") && sent.ends_with("\nthe end"));
        assert!(sent.len() <= SENT_MAX, "{}", sent.len());
    }

    /// F7, F2
    #[test]
    fn of_a_giant_line_before_a_short_one_the_end_is_sent_back() {
        let sent = failure(&format!("{}the cause\nbye\n", "x".repeat(50_000)), Some(1)).output;
        assert!(sent.ends_with("the cause\nbye"), "it ends elsewhere");
    }

    /// F7
    #[test]
    fn a_failing_line_is_no_summary_although_it_counts_something() {
        let line = "FAILED t.py::test_b - RuntimeError: 3 calls failed in 2 attempts";
        let found = failure(&format!("{line}\n1 passed, 1 failed in 0.1s\n"), Some(1));
        assert_eq!(
            (found.failing.as_slice(), found.failed),
            ([line.to_owned()].as_slice(), Some(1))
        );
    }

    /// F2
    #[test]
    fn an_output_of_one_long_line_is_cut_between_two_characters() {
        let printed = "ä".repeat(SENT_MAX);
        let sent = failure(&printed, Some(1)).output;
        assert!(sent.len() <= SENT_MAX && sent.ends_with('ä'), "{}", sent.len());
    }

    /// F7
    #[test]
    fn a_check_that_printed_nothing_says_so() {
        assert_eq!(failure("", Some(2)).message(), "It printed nothing.\n(exit code 2)");
    }
}
