//! Keeps what is shown on the screen long enough to be read, also when it is over at once.

use std::time::Duration;

use switchboard_core::Time;

/// How long something stays at least, once it is shown.
pub const SHOWN_MIN: Duration = Duration::from_secs(3);

/// Things that are shown, each under a key, and since when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasting<T> {
    rows: Vec<(T, Time)>,
}

impl<T: Clone> Lasting<T> {
    /// What is shown after `before`: what is `present` now, and what has not been shown for long enough. A thing that
    /// comes back, or changes, keeps its time.
    #[must_use]
    pub fn next<K: PartialEq>(before: Option<&Self>, present: Vec<T>, key: impl Fn(&T) -> K, now: Time) -> Self {
        let held = before.map_or(&[][..], |before| &before.rows);
        let is_present = |(row, _): &&(T, Time)| present.iter().any(|other| key(other) == key(row));
        let over = held.iter().filter(|row| !is_present(row));
        let lingering: Vec<(T, Time)> = over
            .filter(|(_, since)| now.since(*since) < SHOWN_MIN)
            .cloned()
            .collect();
        let since = |row: &T| {
            held.iter()
                .find(|(other, _)| key(other) == key(row))
                .map_or(now, |(_, since)| *since)
        };
        let rows = present
            .iter()
            .map(|row| (row.clone(), since(row)))
            .chain(lingering)
            .collect();
        Self { rows }
    }

    /// What is shown.
    pub fn shown(&self) -> impl Iterator<Item = &T> {
        self.rows.iter().map(|(row, _)| row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is shown when this is present at these times, in seconds.
    fn shown(history: &[(u64, &[&'static str])]) -> Vec<Vec<&'static str>> {
        let mut held = None;
        let step = |(seconds, present): &(u64, &[&'static str])| {
            let now = Time(seconds * 1000);
            let next = Lasting::next(held.as_ref(), present.to_vec(), |row| row.chars().next(), now);
            held = Some(next.clone());
            next.shown().copied().collect()
        };
        history.iter().map(step).collect()
    }

    #[test]
    fn what_is_over_at_once_stays_long_enough_to_be_read() {
        let found = shown(&[(0, &["offline"]), (0, &[]), (2, &[]), (3, &[])]);
        assert_eq!(found, [vec!["offline"], vec!["offline"], vec!["offline"], vec![]]);
    }

    #[test]
    fn what_has_been_shown_for_long_goes_at_once() {
        let found = shown(&[(0, &["offline"]), (9, &["offline 9 s"]), (9, &[])]);
        assert_eq!(found, [vec!["offline"], vec!["offline 9 s"], vec![]]);
    }

    #[test]
    fn what_comes_back_meanwhile_is_one_row_with_its_newest_words() {
        let found = shown(&[(0, &["offline"]), (1, &["stale"]), (2, &["offline 2"]), (3, &[])]);
        assert_eq!(
            found,
            [
                vec!["offline"],
                vec!["stale", "offline"],
                vec!["offline 2", "stale"],
                vec!["stale"]
            ]
        );
    }
}
