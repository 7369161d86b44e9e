//! How long ago something was, in words: `3 s`, `14 min`, `2 h`, `5 d`.

use std::time::Duration;

/// An age in words.
#[must_use]
pub fn age(span: Duration) -> String {
    let (count, unit) = parts(span);
    format!("{count} {unit}")
}

/// An age where there is little room: `14 m`; below two seconds it is `now`.
#[must_use]
pub fn short_age(span: Duration) -> String {
    match parts(span) {
        (0 | 1, "s") => "now".to_owned(),
        (count, "min") => format!("{count} m"),
        (count, unit) => format!("{count} {unit}"),
    }
}

/// A short time with its tenths, as it is told after an answer: `1.2 s`; from ten seconds on without them.
#[must_use]
pub fn short_span(span: Duration) -> String {
    if span < Duration::from_secs(10) {
        // Formatting floating-point numbers would take 16 KB of WebAssembly.
        let tenths = (span.as_millis() + 50) / 100;
        format!("{}.{} s", tenths / 10, tenths % 10)
    } else {
        age(span)
    }
}

/// A number as in `3rd try`.
#[must_use]
pub fn ordinal(number: u32) -> String {
    let ending = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

/// A number with its noun: `1 answer`, `2 answers`.
#[must_use]
pub fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

fn parts(span: Duration) -> (u64, &'static str) {
    let seconds = span.as_secs();
    match seconds {
        0..60 => (seconds, "s"),
        60..3_600 => (seconds / 60, "min"),
        3_600..86_400 => (seconds / 3_600, "h"),
        _ => (seconds / 86_400, "d"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_change_their_unit_when_the_larger_one_is_full() {
        for (seconds, long, short) in [
            (0, "0 s", "now"),
            (59, "59 s", "59 s"),
            (60, "1 min", "1 m"),
            (3_599, "59 min", "59 m"),
            (3_600, "1 h", "1 h"),
            (200_000, "2 d", "2 d"),
        ] {
            let span = Duration::from_secs(seconds);
            assert_eq!((age(span).as_str(), short_age(span).as_str()), (long, short));
        }
    }

    #[test]
    fn tries_are_counted_as_people_say_them() {
        let said = [1, 2, 3, 4, 11, 12, 13, 21, 22, 111].map(ordinal);
        assert_eq!(
            said,
            [
                "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "22nd", "111th"
            ]
        );
    }
}
