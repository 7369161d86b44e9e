//! What is said where a part of the page is not there yet.

/// In place of the part.
pub const LOADING: &str = "Loading…";

/// It could not be loaded.
pub const NOT_LOADED: &str =
    "This part of the page could not be loaded. After an update of Switchboard, reload the page.";
