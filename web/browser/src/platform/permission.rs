//! Whether the browser lets the page show notifications.

/// Whether this page may show notifications.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permission {
    /// A person has not been asked, or the browser has forgotten what they said.
    NotAsked,
    /// It may.
    Granted,
    /// A person or the browser has refused.
    Refused,
    /// Never for a page that came over plain HTTP from another machine.
    Insecure,
    /// The browser has no notifications for pages.
    Unsupported,
}
