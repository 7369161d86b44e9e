//! Where a span lies on the scale of the chart: logarithmic, from a tenth of a second to a day.

use std::time::Duration;

/// How long the scale is.
pub const WIDTH: u32 = 300;

/// What is written below the scale.
pub const MARKS: [(Duration, &str); 4] = [
    (Duration::from_secs(1), "1 s"),
    (Duration::from_secs(60), "1 min"),
    (Duration::from_secs(60 * 60), "1 h"),
    (DAY, "1 d"),
];

const SHORTEST: Duration = Duration::from_millis(100);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The place of a span. What is too short or too long lies at the end.
#[must_use]
pub fn place(span: Duration) -> u32 {
    let from_start = logarithm(span.clamp(SHORTEST, DAY)) - logarithm(SHORTEST);
    from_start * WIDTH / (logarithm(DAY) - logarithm(SHORTEST))
}

/// The binary logarithm of the milliseconds, in thousandths; linear between the powers of two. That of the standard library
/// is for floating-point numbers, whose code is larger than the chart.
fn logarithm(span: Duration) -> u32 {
    // A day has 27 bits.
    let millis = span.as_millis() as u32;
    let whole = millis.ilog2();
    whole * 1_000 + ((u64::from(millis - (1 << whole)) * 1_000) >> whole) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_has_its_ends_and_keeps_the_order() {
        assert_eq!(place(Duration::ZERO), 0);
        assert_eq!(place(SHORTEST), 0);
        assert_eq!(place(DAY), WIDTH);
        assert_eq!(place(DAY * 9), WIDTH);
        let places = MARKS.map(|(span, _)| place(span));
        assert!(places.is_sorted(), "{places:?}");
    }

    #[test]
    fn ten_times_as_long_is_as_far_everywhere() {
        for (from, to) in [(1, 10), (10, 100), (1_000, 10_000)] {
            let distance = place(Duration::from_secs(to)) - place(Duration::from_secs(from));
            assert!((48..=53).contains(&distance), "{from} s to {to} s: {distance}");
        }
    }
}
