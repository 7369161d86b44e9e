//! Whether a check failed twice in the same way.

use super::Failure;

impl Failure {
    /// Whether another check failed in the same way, whenever that was and however long it took: both printed the same lines, in
    /// any order, as test programs run tests side by side. Left out are times where they are no values, addresses, the names of
    /// temporary directories, and what a build tool says of its progress.
    #[must_use]
    pub fn is_same_as(&self, other: &Self) -> bool {
        (self.exit, self.timed_out) == (other.exit, other.timed_out)
            && (self.failed, self.total) == (other.failed, other.total)
            && self.digest_of_lines() == other.digest_of_lines()
    }

    fn digest_of_lines(&self) -> u64 {
        // A record of an older version has what was kept of the output alone.
        self.digest.unwrap_or_else(|| digest(&self.output))
    }
}

/// A number that is the same for two outputs that tell of the same.
pub(super) fn digest(output: &str) -> u64 {
    let lines = output.lines().filter(|line| !is_progress(line)).map(fingerprint);
    let lines = lines.filter(|print| !print.is_empty());
    lines.fold(0, |sum, print| sum.wrapping_add(hash(&print)))
}

/// FNV-1a.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Whether a line is said by a build tool where it has something to do, or is drawn by lot.
fn is_progress(line: &str) -> bool {
    let line = line.trim_start();
    let starts = [
        "Downloading ",
        "Downloaded ",
        "Blocking waiting ",
        "Randomized with seed ",
    ];
    // Cargo names a package and its version.
    let of_package = ["Compiling ", "Checking ", "Updating ", "Locking ", "Adding "];
    let is_of_package = of_package.iter().any(|start| line.starts_with(start))
        && line.split_whitespace().nth(2).is_some_and(|version| {
            version
                .strip_prefix('v')
                .is_some_and(|number| number.starts_with(|first: char| first.is_ascii_digit()))
        });
    is_of_package || starts.iter().any(|start| line.starts_with(start))
}

/// A line without what differs although it tells of the same.
fn fingerprint(line: &str) -> String {
    if is_of_diff(line) {
        return line.trim_end().to_owned();
    }
    let (has_values, is_result) = (has_values(line), is_result(line));
    let mut print = String::with_capacity(line.len());
    let mut words = line.split_whitespace().peekable();
    let (mut before, mut depth) = ("", 0);
    while let Some(word) = words.next() {
        depth += word.matches(['(', '[']).count();
        let bare = bare_word(word);
        let tells_time = is_result || depth > 0 || tells_time(before);
        let is_span = is_span_of_time(bare) || is_digits(bare) && words.peek().is_some_and(|next| is_unit(next));
        let is_time = tells_time && is_span || is_clock(bare) || names_number(before) && is_digits(bare);
        let is_left_out = is_time && !has_values;
        if is_left_out && is_digits(bare) {
            words.next_if(|next| is_unit(next));
        }
        // Rust names the thread that panics, and its number; Go says that a package is cached instead of how long it took.
        let is_thread = line.starts_with("thread '") && words.peek() == Some(&"panicked");
        let is_cached = word == "(cached)" && is_result;
        depth = depth.saturating_sub(word.matches([')', ']']).count());
        before = bare;
        if !is_left_out && !is_thread && !is_cached && !is_address(bare) {
            push_without_temporary(&mut print, word);
            print.push(' ');
        }
    }
    print
}

fn bare_word(word: &str) -> &str {
    word.trim_matches(['(', ')', '[', ']', '<', '>', ',', ';', '.', '\'', '"', '`'])
}

/// Whether blanks and punctuation of a line may be what is wrong.
fn is_of_diff(line: &str) -> bool {
    line.starts_with(['+', '-']) && !line.starts_with("---")
}

/// Whether the times of a line may be what was compared.
fn has_values(line: &str) -> bool {
    let signs = ["xpected", "got ", "want", "ssert", "!=", "==", "left: ", "right: "];
    line.starts_with("E   ") || signs.iter().any(|sign| line.contains(sign))
}

/// Whether a line is the result of a test or a package, as Go says it: `ok`, `FAIL`, `PASS`, `--- FAIL:`.
fn is_result(line: &str) -> bool {
    ["ok ", "ok\t", "FAIL", "PASS", "--- "]
        .iter()
        .any(|start| line.starts_with(start))
}

/// Whether a time follows a word.
fn tells_time(word: &str) -> bool {
    let word = word.trim_end_matches([':', '=']);
    matches!(
        word,
        "in" | "took" | "after" | "Finished" | "finished" | "Duration" | "duration" | "Time" | "time" | "elapsed"
    )
}

/// Whether a number follows a word that differs each time.
fn names_number(word: &str) -> bool {
    let word = word.trim_end_matches([':', '=']);
    matches!(word, "duration_ms" | "seed" | "--seed" | "Time")
}

fn is_digits(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_digit())
        && word
            .chars()
            .all(|each| each.is_ascii_digit() || matches!(each, '.' | ':'))
}

fn is_unit(word: &str) -> bool {
    matches!(
        bare_word(word),
        "ms" | "s" | "sec" | "second" | "seconds" | "min" | "minutes"
    )
}

/// A span such as `17ms`, `0.02s` or `1m2.3s`.
fn is_span_of_time(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_digit())
        && word.ends_with(['s', 'm', 'h'])
        && word
            .chars()
            .all(|each| each.is_ascii_digit() || matches!(each, '.' | 's' | 'm' | 'h' | 'µ' | 'n'))
}

/// A time of day with its seconds, with or without its date. One colon alone stands in a place, too: `3:14`.
fn is_clock(word: &str) -> bool {
    let is_part = |each: char| each.is_ascii_digit() || matches!(each, '.' | ',' | ':' | '-' | 'T' | 'Z' | '+');
    word.starts_with(|first: char| first.is_ascii_digit())
        && word.chars().all(is_part)
        && word.matches(':').count() >= 2
}

/// An address in memory: a number of 32 bits is shorter.
fn is_address(word: &str) -> bool {
    let digits = word.strip_prefix("0x");
    digits.is_some_and(|digits| digits.len() > 8 && digits.chars().all(|digit| digit.is_ascii_hexdigit()))
}

/// A word, without the parts of a path that are drawn anew for each temporary directory.
fn push_without_temporary(print: &mut String, word: &str) {
    let is_temporary = word.contains("/tmp/") || word.contains("/var/folders/");
    for (place, part) in word.split('/').enumerate() {
        let is_drawn = is_temporary && is_drawn(part);
        if place > 0 {
            print.push('/');
        }
        if !is_drawn {
            print.push_str(part);
        }
    }
}

fn is_drawn(part: &str) -> bool {
    let starts = ["tmp", ".tmp", "pytest-", "go-build", "cc"];
    part.len() >= 8
        && starts.iter().any(|start| part.starts_with(start))
        && part.contains(|each: char| each.is_ascii_digit() || each.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::super::failure;
    use super::*;

    /// F7
    #[test]
    fn the_same_failure_is_the_same_whenever_it_was() {
        let numbered =
            |thread, address| format!("thread 'a' ({thread}) panicked at src/a.rs:3:5:\n<A object at {address}>\n");
        assert!(are_alike(
            &numbered(4711, "0x7f10aa20c1f0"),
            &numbered(4802, "0x7f9e1b30c1f0")
        ));
        let first = "test a ... FAILED\nexpected 3, got 2\nfinished in 0.02s at 14:02:11 (17 ms, 4ms)";
        assert!(are_alike(
            first,
            "test a ... FAILED\nexpected 3, got 2\nfinished in 1.38s at 14:03:59 (9 ms, 12ms)"
        ));
        for other in [
            "test b ... FAILED\nexpected 3, got 2\n",
            "test a ... FAILED\nexpected 3, got 1\n",
        ] {
            assert!(
                !are_alike(first, &format!("{other}finished in 0.02s at 14:02:11 (17 ms, 4ms)")),
                "{other}"
            );
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
    }

    /// F7: what would be left out elsewhere is what is wrong
    #[test]
    fn a_value_that_has_changed_is_no_stall() {
        for (one, other) in [
            ("  left: 10s\n right: 5s\n", "  left: 7s\n right: 5s\n"),
            ("got 10ms, want 5ms\n", "got 7ms, want 5ms\n"),
            (
                "expected timeout of 5 s, got 30 s\n",
                "expected timeout of 5 s, got 10 s\n",
            ),
            ("AssertionError: time: 3 != 5\n", "AssertionError: time: 4 != 5\n"),
            ("/tmp/work/src/a.c:3:5: error: x\n", "/tmp/work/src/b.c:9:5: error: x\n"),
            ("-    a\n+  a\n", "-    a\n+ a\n"),
            ("+let a = 1;\n", "+let a = 1\n"),
            ("Running lint on a.js: failed\n", "Running lint on b.js: failed\n"),
            ("Compiling a.swift failed\n", "Compiling b.swift failed\n"),
            ("got cached value\n", "got value\n"),
            ("flags 0xdeadbeef\n", "flags 0xdeadbeee\n"),
            ("  3:5  m\n", "  9:9  m\n"),
            ("  3:5  error  no-undef\n", "  9:1  error  no-undef\n"),
            ("sleep 5s failed\n", "sleep 6s failed\n"),
        ] {
            assert!(!are_alike(one, other), "{one}");
        }
    }

    /// F7, F2
    #[test]
    fn what_is_not_sent_back_of_a_long_output_is_compared_too() {
        let run = |seconds: u32, value: &str| {
            let tests: String = (0..2_000).map(|test| format!("test t{test} ... ok\n")).collect();
            format!(
                "built in {seconds}s\nundefined: {value}\n{tests}test result: FAILED. 2000 passed; 1 failed; finished in {seconds}s\n"
            )
        };
        assert!(are_alike(&run(3, "a"), &run(1_000, "a")));
        assert!(!are_alike(&run(3, "a"), &run(3, "b")));
    }

    /// F7: of a loop that an older version of the page has begun
    #[test]
    fn a_failure_without_a_digest_is_compared_by_its_output() {
        let old = |printed: &str| Failure {
            digest: None,
            ..failure(printed, Some(1))
        };
        assert!(old("FAILED a\n").is_same_as(&failure("FAILED a\n", Some(1))));
        assert!(!old("FAILED a\n").is_same_as(&old("FAILED b\n")));
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
