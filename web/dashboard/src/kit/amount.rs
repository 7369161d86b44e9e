//! Numbers as a person types them.

use std::time::Duration;

/// A whole number from 1 to `most`.
#[must_use]
pub fn whole(text: &str, most: u64) -> Option<u64> {
    text.trim().parse().ok().filter(|number| (1..=most).contains(number))
}

/// A time-out in seconds, of a day at most.
#[must_use]
pub fn timeout(text: &str) -> Option<Duration> {
    whole(text, 86_400).map(Duration::from_secs)
}

/// What is typed where nothing means that there is no bound; none when it is no bound.
pub fn bound<T>(text: &str, read: impl Fn(&str) -> Option<T>) -> Option<Option<T>> {
    if text.trim().is_empty() {
        return Some(None);
    }
    read(text).map(Some)
}

/// Dollars above 0, with or without a fraction.
#[must_use]
pub fn dollars(text: &str) -> Option<f64> {
    let (whole, cents) = text.trim().split_once('.').unwrap_or((text.trim(), "0"));
    let is_number =
        |digits: &str| (1..=6).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_digit());
    if !is_number(whole) || !is_number(cents) {
        return None;
    }
    let parts: f64 = cents.parse::<u32>().ok()?.into();
    let scale: f64 = 10_u32.pow(u32::try_from(cents.len()).ok()?).into();
    let whole: f64 = whole.parse::<u32>().ok()?.into();
    Some(whole + parts / scale).filter(|dollars| *dollars > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_within_their_bounds() {
        for (text, expected) in [
            (" 5 ", Some(5)),
            ("0", None),
            ("51", None),
            ("1.5", None),
            ("-5", None),
            ("five", None),
            ("", None),
        ] {
            assert_eq!(whole(text, 50), expected, "{text}");
        }
        assert_eq!(timeout("600"), Some(Duration::from_secs(600)));
        assert_eq!(timeout("86401"), None);
    }

    #[test]
    fn dollars_have_a_fraction_or_none() {
        for (text, expected) in [
            ("2", Some(2.0)),
            ("0.25", Some(0.25)),
            (" 10.5 ", Some(10.5)),
            ("0.001", Some(0.001)),
        ] {
            let read = dollars(text);
            assert!(
                read.zip(expected)
                    .is_some_and(|(read, expected)| (read - expected).abs() < 1e-9),
                "{text}: {read:?}"
            );
        }
        for text in ["", "0", "0.0", "-1", "1,5", ".5", "1.", "1e3", "1234567"] {
            assert_eq!(dollars(text), None, "{text}");
        }
    }

    #[test]
    fn nothing_is_no_bound() {
        assert_eq!(bound(" ", dollars), Some(None));
        assert_eq!(bound("0.5", dollars), Some(Some(0.5)));
        assert_eq!(bound("much", dollars), None);
    }
}
