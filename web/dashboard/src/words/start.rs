//! What is said while a session is started.

/// The directory is missing.
pub const NO_DIRECTORY: &str = "Name a directory.";

/// The directory is not a path.
pub const NO_PATH: &str = "The directory begins with a slash: it is a path on the server.";

/// The message is missing.
pub const NO_MESSAGE: &str = "Write a first message.";

/// There is no session.
#[must_use]
pub fn failed(problem: &str) -> String {
    format!("Not started: {problem}")
}
