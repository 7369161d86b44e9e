//! What is said where an address leads to nothing.

/// A request that was there, or never was.
pub const NO_REQUEST: &str = "This request is no longer there";

/// Why.
pub const WHY_NO_REQUEST: &str = "It was answered, its run has ended, or it belongs to another server.";

/// A session that the server does not know.
pub const NO_SESSION: &str = "This server has no such session";

/// Why.
pub const WHY_NO_SESSION: &str = "It was deleted, or it belongs to another server.";

/// The server of a page was removed.
#[must_use]
pub fn removed(server: &str) -> String {
    format!("{server} was removed from this page")
}

/// What became of what was written there.
#[must_use]
pub fn why_removed(server: &str) -> String {
    format!("Its sessions go on without this page. {}", what_is_kept(server))
}

/// What happens to drafts and answers of a server that was removed.
#[must_use]
pub fn what_is_kept(server: &str) -> String {
    format!("What you wrote and did not send is kept on this device, and is here again when {server} is.")
}

/// Connects to it once more.
#[must_use]
pub fn connect_again(server: &str) -> String {
    format!("{CONNECT_AGAIN} to {server}")
}

/// The same where its name stands beside it.
pub const CONNECT_AGAIN: &str = "Connect again";

/// Another tab has removed a server.
#[must_use]
pub fn removed_elsewhere(server: &str) -> String {
    format!("{server} was removed in another tab.")
}

/// No server has the name in the address.
#[must_use]
pub fn no_server(named: &str) -> String {
    format!("No server is called {named} here")
}

/// Why, and what to do.
pub const WHY_NO_SERVER: &str =
    "It was removed, or the link was made on another device. Connect to it to follow the link.";

/// No page has this address.
pub const NO_PAGE: &str = "There is nothing at this address";

/// Why.
pub const WHY_NO_PAGE: &str = "The link is incomplete, or from another version.";
