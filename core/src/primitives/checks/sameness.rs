//! Whether a check failed twice in the same way.

use super::{Failure, LEFT_OUT};

/// Lines at the end of an output that was cut which are compared: how much of the rest is kept depends on its length.
const TAIL: usize = 40;

impl Failure {
    /// Whether another check failed in the same way, whenever that was and however long it took: both printed the same lines, in
    /// any order. Left out are times, addresses and temporary files, and what a build tool says of its progress. Of an output that
    /// was cut the lines that tell what failed are compared, and the last 40.
    #[must_use]
    pub fn is_same_as(&self, other: &Self) -> bool {
        let have_same =
            |text: fn(&Self) -> String, last| are_same(prints(&text(self), last), prints(&text(other), last));
        (self.exit, self.timed_out) == (other.exit, other.timed_out)
            && (self.failed, self.total) == (other.failed, other.total)
            && if self.is_cut() || other.is_cut() {
                have_same(|failure| failure.failing.join("\n"), usize::MAX)
                    && have_same(|failure| failure.output.clone(), TAIL)
            } else {
                have_same(|failure| failure.output.clone(), usize::MAX)
            }
    }

    fn is_cut(&self) -> bool {
        self.output.lines().any(|line| line == LEFT_OUT)
    }
}

/// What is the same in two outputs that tell of the same, line by line: of so many lines at the end.
fn prints(text: &str, last: usize) -> Vec<String> {
    let lines = text.lines().rev().take(last).filter(|line| !is_progress(line));
    lines.map(fingerprint).filter(|print| !print.is_empty()).collect()
}

/// Whether two lists hold the same, in any order: test programs run tests side by side.
fn are_same(one: Vec<String>, mut other: Vec<String>) -> bool {
    let mut take = |print: &String| {
        let place = other.iter().position(|other| other == print);
        place.map(|place| other.swap_remove(place)).is_some()
    };
    one.iter().all(&mut take) && other.is_empty()
}

/// Whether a line is said by a build tool or a test program where it has something to do, or by chance.
fn is_progress(line: &str) -> bool {
    let starts = [
        "Compiling ",
        "Checking ",
        "Downloading ",
        "Downloaded ",
        "Finished ",
        "Running ",
        "Blocking ",
        "Randomized with seed ",
    ];
    starts.iter().any(|start| line.trim_start().starts_with(start))
}

/// A line without when that was, how long it took, what a process numbers anew each time, and where temporary files are.
fn fingerprint(line: &str) -> String {
    let mut print = String::with_capacity(line.len());
    let mut words = line.split_whitespace().map(bare_word).peekable();
    while let Some(word) = words.next() {
        let is_span = is_number(word) && words.next_if(|next| is_unit(next)).is_some();
        // Rust names the thread that panics, and its number.
        let is_thread = is_number(word) && words.peek() == Some(&"panicked");
        // Go says so instead of how long a package took.
        let is_cached = word == "cached";
        if is_span || is_thread || is_cached || is_time(word) || is_address(word) || is_temporary(word) {
            continue;
        }
        if is_span_of(word) {
            words.next_if(|next| is_number(next));
        }
        print.push_str(word);
        print.push(' ');
    }
    print
}

fn bare_word(word: &str) -> &str {
    word.trim_matches(['(', ')', '[', ']', '<', '>', ',', ';', '.', '\'', '"', '`'])
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

/// Whether the number after a word is a span of time.
fn is_span_of(word: &str) -> bool {
    let name = word.trim_end_matches([':', '=']);
    matches!(name, "duration_ms" | "duration" | "time" | "elapsed")
}

/// Whether a word is a time of day with its seconds, or a span of time such as `17ms` or `1m2.3s`. One colon alone stands in a place,
/// too: `3:14`.
fn is_time(word: &str) -> bool {
    let is_span = word.starts_with(|first: char| first.is_ascii_digit())
        && word.ends_with(['s', 'm', 'h'])
        && word
            .chars()
            .all(|each| each.is_ascii_digit() || matches!(each, '.' | 's' | 'm' | 'h' | 'µ' | 'n'));
    is_span || is_number(word) && word.matches(':').count() >= 2
}

fn is_temporary(word: &str) -> bool {
    word.contains("/tmp/") || word.contains("/var/folders/") || word.contains("\\Temp\\")
}

#[cfg(test)]
mod tests {
    use super::super::failure;
    use super::*;

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

    fn are_alike(one: &str, other: &str) -> bool {
        failure(one, Some(1)).is_same_as(&failure(other, Some(1)))
    }

    /// F7: the lines that tell what failed are the same, and the cause is in others
    #[test]
    fn another_cause_below_the_same_failing_line_is_no_stall() {
        let long_type = "a: string; ".repeat(60);
        let programs: [fn(&str) -> String; 10] = [
            |name| {
                format!(
                    "a.c:(.text+0x9): undefined reference to `{name}'\ncollect2: error: ld returned 1 exit status\n"
                )
            },
            |rule| format!("/w/a.js\n  3:5  error  'x' is wrong  {rule}\n\n✖ 1 problem (1 error, 0 warnings)\n"),
            |name| {
                format!(
                    "ERROR: test_a (t.T.test_a)\nNameError: name '{name}' is not defined\nRan 2 tests in 0.000s\n\nFAILED (errors=1)\n"
                )
            },
            |error| {
                format!(
                    "FAIL src/a.test.js\n  ● Test suite failed to run\n\n    Cannot find {error}\n\nTests:       0 total\n"
                )
            },
            |value| {
                format!(
                    "test a ... FAILED\nthread 'a' (77) panicked at a.rs:3:5:\nassertion `left == right` failed\n  left: {value}\n right: 2\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; finished in 0.00s\n"
                )
            },
            |found| {
                format!(
                    "error[E0308]: mismatched types\n --> src/a.rs:3:5\n  |     ^^^ expected `u8`, found `{found}`\n"
                )
            },
            |value| format!("not ok 1 - x\n  error: |-\n    {value} !== 2\n# pass 0\n# fail 1\n"),
            |value| {
                format!(
                    "--- FAIL: TestA (0.00s)\n    a_test.go:9: got {value}, want 2\nFAIL\nFAIL\texample.com/a\t0.003s\nFAIL\n"
                )
            },
            |file| {
                format!("Diff in /w/src/{file}.rs:3:\n-a\n+b\nerror: Recipe `lint` failed on line 3 with exit code 1\n")
            },
            |name| {
                format!(
                    "> Task :compileKotlin FAILED\ne: file:///w/A.kt:3:5 Unresolved reference: {name}\n\nBUILD FAILED in 1s\n"
                )
            },
        ];
        for program in programs {
            assert!(!are_alike(&program("one"), &program("other")), "{}", program("one"));
            assert!(are_alike(&program("one"), &program("one")), "{}", program("one"));
        }
        let of_long_lines =
            |name: &str| format!("a.ts(3,5): error TS2322: Type '{{ {long_type} }}' is not a '{name}'.\n");
        assert!(!are_alike(&of_long_lines("A"), &of_long_lines("B")));
    }

    /// F7
    #[test]
    fn fewer_failing_tests_are_no_stall_although_all_say_the_same() {
        let run = |failing: usize| {
            let each: String = (1..=failing)
                .map(|test| format!("  {test}) limit t{test}:\n     AssertionError: no\n"))
                .collect();
            format!("  {} passing (5ms)\n  {failing} failing\n\n{each}", 9 - failing)
        };
        assert!(!are_alike(&run(5), &run(1)));
    }

    /// F7: tests run side by side, a build has nothing more to do
    #[test]
    fn the_same_failure_is_the_same_in_another_order_and_without_a_new_build() {
        for (one, other) in [
            (
                "test a ... FAILED\ntest b ... FAILED\n",
                "test b ... FAILED\ntest a ... FAILED\n",
            ),
            (
                "   Compiling a v0.1.0 (/w)\n    Finished `dev` profile in 0.30s\nbad thing\n",
                "    Finished `dev` profile in 0.02s\nbad thing\n",
            ),
            ("FAIL\nok  \ta\t0.003s\n", "FAIL\nok  \ta\t(cached)\n"),
            (
                "1 failure\nRandomized with seed 1234\n",
                "1 failure\nRandomized with seed 4711\n",
            ),
            (
                "not ok 1 - x\n  duration_ms: 3.45\n",
                "not ok 1 - x\n  duration_ms: 11.2\n",
            ),
            ("took 1m2.3s\n", "took 1m3.4s\n"),
            (
                "E   OSError: no such file: '/tmp/pytest-of-me/pytest-3/x'\n",
                "E   OSError: no such file: '/tmp/pytest-of-me/pytest-4/x'\n",
            ),
            (
                "E   '<A object at 0x7f10aa20c1f0>' has no x\n",
                "E   '<A object at 0x7f10aa20c1f8>' has no x\n",
            ),
        ] {
            assert!(are_alike(one, other), "{one}");
        }
        assert!(!are_alike("  3:5  error  no-undef\n", "  9:1  error  no-undef\n"));
    }

    /// F7, F2
    #[test]
    fn of_outputs_that_were_cut_what_failed_and_the_last_lines_are_compared() {
        let run = |seconds: u32, value: &str| {
            let tests: String = (0..2_000).map(|test| format!("test t{test} ... ok\n")).collect();
            format!(
                "built in {seconds}s\n{tests}test a ... FAILED\n  left: {value}\ntest result: FAILED. 2000 passed; 1 failed; finished in {seconds}s\n"
            )
        };
        assert!(are_alike(&run(3, "1"), &run(1_000, "1")));
        assert!(!are_alike(&run(3, "1"), &run(3, "2")));
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
