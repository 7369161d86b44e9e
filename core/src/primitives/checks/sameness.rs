//! Whether a check failed twice in the same way.

use super::Failure;

impl Failure {
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
