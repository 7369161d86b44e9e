//! What the search in a session says.

/// The search, its field, and what its key does.
pub const FIND: &str = "Find in this session";

/// A button.
pub const PREVIOUS: &str = "Previous result";

/// A button.
pub const NEXT: &str = "Next result";

/// While older messages are not held.
pub const NOT_LOADED: &str = "Older messages are not loaded yet.";

/// A button.
pub const LOAD: &str = "Load them";

/// Which message of how many is shown; `place` counts from zero.
#[must_use]
pub fn place_of(place: Option<usize>, count: usize) -> String {
    match (place, count) {
        (_, 0) => "No results".to_owned(),
        (Some(place), count) => format!("{} of {count}", place + 1),
        (None, 1) => "1 result".to_owned(),
        (None, count) => format!("{count} results"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_counted() {
        assert_eq!(
            [(Some(2), 12), (None, 1), (None, 7), (Some(0), 0)].map(|(place, count)| place_of(place, count)),
            ["3 of 12", "1 result", "7 results", "No results"]
        );
    }
}
