//! What a check has printed: which of its lines tell what failed, how many tests failed, and what of it is sent back.

/// So many failing lines are kept of a check.
pub const FAILING_MAX: usize = 50;

/// Bytes of the output of a check that are sent back at most: what fails, and the end, as an agent needs them.
pub const SENT_MAX: usize = 16 * 1024;

/// Bytes of a line that are kept.
const LINE_MAX: usize = 500;

/// What stands between the failing lines and the end, where something is left out.
const LEFT_OUT: &str = "[…]";

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

    /// Whether another check failed in the same way, whenever that was and however long it took: the same lines tell what failed,
    /// or, where none does, both printed the same.
    #[must_use]
    pub fn is_same_as(&self, other: &Self) -> bool {
        (self.exit, self.timed_out) == (other.exit, other.timed_out)
            && (self.failed, self.total) == (other.failed, other.total)
            && if self.failing.is_empty() && other.failing.is_empty() {
                fingerprint(&self.output) == fingerprint(&other.output)
            } else {
                fingerprint(&self.failing.join("\n")) == fingerprint(&other.failing.join("\n"))
            }
    }
}

/// The output within a budget of bytes: whole where it fits, else the failing lines and as much of the end as fits.
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
    text.push_str(LEFT_OUT);
    text.push('\n');
    let from = output.ceil_char_boundary(output.len() - (budget - text.len()));
    let end = &output[from..];
    // A whole line is better than a part of one.
    text.push_str(end.split_once('\n').map_or(end, |(_, lines)| lines));
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

/// A text without the escape sequences and the control characters of a terminal, and with what a carriage return overwrites
/// left out. No sequence goes on over the end of its line: a cut may have taken its end away.
#[must_use]
pub fn without_escapes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    let mut is_overwritten = false;
    while let Some(next) = rest.next() {
        match next {
            '\u{1b}' => match rest.next() {
                // A control sequence ends with a letter or one of @ to ~.
                Some('[') => {
                    while rest
                        .next_if(|inner| !('@'..='~').contains(inner) && *inner != '\n')
                        .is_some()
                    {}
                    let _end = rest.next_if(|end| *end != '\n');
                }
                // A command to the terminal, such as its title or a link, ends with a bell or with another escape.
                Some(']') => {
                    while let Some(inner) = rest.next_if(|inner| *inner != '\n') {
                        if inner == '\u{7}' || inner == '\u{1b}' && rest.next_if_eq(&'\\').is_some() {
                            break;
                        }
                    }
                }
                // Two characters name a set of letters, one everything else.
                Some('(' | ')') => drop(rest.next()),
                Some(_) | None => {}
            },
            '\r' => is_overwritten = true,
            '\n' => {
                is_overwritten = false;
                plain.push('\n');
            }
            control if control.is_control() && control != '\t' => {}
            other => {
                if std::mem::take(&mut is_overwritten) {
                    plain.truncate(plain.rfind('\n').map_or(0, |end| end + 1));
                }
                plain.push(other);
            }
        }
    }
    plain
}

/// Whether a line tells what failed: of the test programs of Rust, JavaScript, Python and Go, and of compilers.
fn is_failing(line: &str) -> bool {
    let line = line.trim_start();
    let starts = [
        "error:",
        "error[",
        "Error:",
        "ERROR ",
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
        || line.contains(": error TS")
}

/// How many tests there were, as the summaries say.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    passed: u32,
    failed: u32,
    said: bool,
}

impl Counts {
    /// Takes a line. Returns true when it is a summary.
    fn take(&mut self, line: &str) -> bool {
        let words = line.trim().trim_matches(|end| end == '=' || end == ' ');
        let is_summary = words.starts_with("test result:")
            || words.starts_with("Tests:")
            || words.starts_with("Tests ")
            || words.starts_with("# fail ")
            || words.starts_with("# pass ")
            || words.starts_with("ℹ fail ")
            || words.starts_with("ℹ pass ")
            || words.contains(" in ")
                && (words.contains(" failed") || words.contains(" passed"))
                && words.ends_with('s');
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
    fn failed(&self, failing: &[String]) -> Option<u32> {
        if self.said {
            return (self.failed > 0).then_some(self.failed);
        }
        let named = failing.iter().filter(|line| line.starts_with("--- FAIL")).count();
        u32::try_from(named).ok().filter(|named| *named > 0)
    }

    fn total(&self) -> Option<u32> {
        self.said.then(|| self.passed.saturating_add(self.failed))
    }
}

/// What is the same in two outputs that tell of the same: when that was, how long it took, and what a process numbers anew each
/// time are left out.
fn fingerprint(output: &str) -> String {
    let mut print = String::with_capacity(output.len());
    let mut words = output.split_whitespace().map(bare_word).peekable();
    while let Some(word) = words.next() {
        let is_span = is_number(word) && words.next_if(|next| is_unit(next)).is_some();
        // Rust names the thread that panics, and its number.
        let is_thread = is_number(word) && words.peek() == Some(&"panicked");
        if !is_span && !is_thread && !is_time(word) && !is_address(word) {
            print.push_str(word);
            print.push(' ');
        }
    }
    print
}

fn bare_word(word: &str) -> &str {
    word.trim_matches(['(', ')', '[', ']', '<', '>', ',', ';', '.'])
}

fn is_number(word: &str) -> bool {
    let is_part = |each: char| each.is_ascii_digit() || matches!(each, '.' | ':' | '-' | 'T' | 'Z' | '+');
    word.starts_with(|first: char| first.is_ascii_digit()) && word.chars().all(is_part)
}

fn is_address(word: &str) -> bool {
    let digits = word.strip_prefix("0x");
    digits.is_some_and(|digits| digits.len() >= 6 && digits.chars().all(|digit| digit.is_ascii_hexdigit()))
}

fn is_unit(word: &str) -> bool {
    matches!(word, "ms" | "s" | "sec" | "seconds" | "m" | "min" | "minutes")
}

/// Whether a word is a time of day, or a span of time.
fn is_time(word: &str) -> bool {
    let number = word.trim_end_matches(['s', 'm', 'h', 'µ', 'n']);
    is_number(number) && (number.len() < word.len() || number.contains(':'))
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

    /// F2
    #[test]
    fn an_output_of_one_long_line_is_cut_between_two_characters() {
        let printed = "ä".repeat(SENT_MAX);
        let sent = failure(&printed, Some(1)).output;
        assert!(sent.len() <= SENT_MAX && sent.ends_with('ä'), "{}", sent.len());
    }

    /// F7
    #[test]
    fn what_a_terminal_would_not_show_is_left_out() {
        let cases = [
            ("\u{1b}[31;1merror\u{1b}[0m: no", "error: no"),
            ("\u{1b}]8;;http://x\u{7}link\u{1b}]8;;\u{1b}\\!", "link!"),
            ("10%\r50%\rdone\nnext\r\n", "done\nnext\n"),
            ("\u{1b}(Bplain\u{1b}", "plain"),
            ("kept\r\r\nkept at the end\r", "kept\nkept at the end"),
            ("cut \u{1b}]0;title\nnext \u{1b}[3\nlast", "cut \nnext \nlast"),
            ("\0nul\u{7} bell\ttab", "nul bell\ttab"),
        ];
        for (printed, plain) in cases {
            assert_eq!(without_escapes(printed), plain);
        }
    }

    /// F7
    #[test]
    fn the_same_failure_is_the_same_whenever_it_was() {
        let numbered = |thread, address| {
            fingerprint(&format!(
                "thread 'a' ({thread}) panicked at src/a.rs:3:5:\nassert <A object at {address}>"
            ))
        };
        assert_eq!(numbered(4711, "0x7f10aa20c1f0"), numbered(4802, "0x7f9e1b30c1f0"));
        let first = fingerprint("test a ... FAILED\nexpected 3, got 2\nfinished in 0.02s at 14:02:11 (17 ms, 4ms)");
        for (other, is_same) in [
            (
                "test a ... FAILED\nexpected 3, got 2\nfinished in 1.38s at 14:03:59 (9 ms, 12ms)",
                true,
            ),
            (
                "test b ... FAILED\nexpected 3, got 2\nfinished in 0.02s at 14:02:11 (17 ms, 4ms)",
                false,
            ),
            (
                "test a ... FAILED\nexpected 3, got 1\nfinished in 0.02s at 14:02:11 (17 ms, 4ms)",
                false,
            ),
        ] {
            assert_eq!(fingerprint(other) == first, is_same, "{other}");
        }
    }

    /// F7
    #[test]
    fn a_check_that_printed_nothing_says_so() {
        assert_eq!(failure("", Some(2)).message(), "It printed nothing.\n(exit code 2)");
    }

    /// F7: only so many failing lines are kept
    #[test]
    fn fewer_failures_are_no_stall_although_the_lines_that_are_kept_are_the_same() {
        let run = |failed: u32| {
            let lines: String = (0..failed)
                .map(|test| format!("test t{test:03} ... FAILED\n"))
                .collect();
            let summary = format!("test result: FAILED. {} passed; {failed} failed\n", 200 - failed);
            failure(&format!("{lines}{summary}"), Some(101))
        };
        assert!(run(60).is_same_as(&run(60)));
        assert!(!run(60).is_same_as(&run(55)));
    }

    /// F7
    #[test]
    fn an_error_of_the_same_kind_in_another_place_is_no_stall() {
        let run = |place: &str| {
            let errors = format!("error[E0308]: mismatched types\n --> {place}\n  |\n1 | let a: u8 = \"\";\n");
            failure(
                &format!("{errors}error: could not compile `a` due to 1 previous error\n"),
                Some(101),
            )
        };
        assert!(run("src/a.rs:3:5").is_same_as(&run("src/a.rs:3:5")));
        assert!(!run("src/a.rs:3:5").is_same_as(&run("src/a.rs:40:9")));
        assert!(!run("src/a.rs:3:5").is_same_as(&run("src/b.rs:3:5")));
    }
}
