//! What is said where an address leads to nothing.

/// A request that was there, or never was.
pub const NO_REQUEST: &str = "This request is no longer there";

/// Why.
pub const WHY_NO_REQUEST: &str = "It was answered, its run has ended, or it belongs to another server.";

/// A session that the server does not know.
pub const NO_SESSION: &str = "This server has no such session";

/// Why.
pub const WHY_NO_SESSION: &str = "It was deleted, or it belongs to another server.";

/// No page has this address.
pub const NO_PAGE: &str = "There is nothing at this address";

/// Why.
pub const WHY_NO_PAGE: &str = "The link is incomplete, or from another version.";
