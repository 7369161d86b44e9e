//! Shell commands on the server's machine, for checks (requirements F7).
//!
//! The server's own call blocks until the command ends, and then reports no exit code (docs/opencode.md §5). So the request is
//! given up after a moment, the result is read from the session, and the command itself prints its exit code, after a word
//! that nothing else prints. Needs `sh` and `base64` there.

use std::fmt;
use std::time::Duration;

use crate::model::{Directory, SessionId};
use crate::ports::PostFailure;

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellCommand {
    /// Where it runs.
    pub directory: Directory,
    /// The title of its session.
    pub title: String,
    /// The session that it checks. The server knows of no such thing: the title names it, and the store keeps it.
    pub made_for: Option<SessionId>,
    /// The command, for `sh`.
    pub command: String,
    /// The agent whose rules hold.
    pub agent: String,
    /// How long it may take; it is stopped then. Defaults to 10 minutes.
    pub timeout: Duration,
}

impl ShellCommand {
    /// A command that runs as the agent `build`.
    #[must_use]
    pub fn new(directory: Directory, title: &str, command: &str) -> Self {
        Self {
            directory,
            title: title.to_owned(),
            made_for: None,
            command: command.to_owned(),
            agent: "build".to_owned(),
            timeout: Duration::from_secs(600),
        }
    }
}

/// What a command has printed, and how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellResult {
    /// Its session.
    pub session: SessionId,
    /// What it printed to standard output and standard error, in the order of the server.
    pub output: String,
    /// Its exit code; none when its shell was killed before it could say so.
    pub exit: Option<i32>,
}

/// Why the result of a command is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShellError {
    /// No session was made for it. It has not run.
    NotCreated(PostFailure),
    /// The server would not run it; in its words.
    Refused(String),
    /// It may or may not have run: nothing of it was ever seen. It is not sent again by itself.
    InDoubt(String),
    /// It took too long, and was stopped.
    TimedOut {
        /// What it had printed.
        output: String,
    },
    /// The board was closed first. The command goes on.
    Closed,
}

impl fmt::Display for ShellError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ShellError::NotCreated(failure) => write!(formatter, "no session was made for the command: {failure}"),
            ShellError::Refused(reason) => write!(formatter, "the server would not run the command: {reason}"),
            ShellError::InDoubt(reason) => write!(formatter, "the command may or may not have run: {reason}"),
            ShellError::TimedOut { .. } => formatter.write_str("the command took too long, and was stopped"),
            ShellError::Closed => formatter.write_str("the board was closed while the command ran"),
        }
    }
}

impl std::error::Error for ShellError {}

/// The command as it is sent: what was asked for, in a shell of its own so that it may exit, and then its exit code after
/// the token.
///
/// The server hands a command on as a JSON string between double quotes to `eval`: line breaks arrive as `\n`, and what
/// begins with `$` is replaced before the command runs. So the command travels in base64. It reads nothing from standard
/// input, where the rest of its script is.
pub(crate) fn wrapped(command: &str, token: &str) -> String {
    let script = format!("(\n{command}\n) </dev/null\nprintf '\\n%s %s\\n' '{token}' \"$?\"\n");
    format!(": {token}; echo {} | base64 -d | sh", base64(script.as_bytes()))
}

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let number = byte(0) << 16 | byte(1) << 8 | byte(2);
        for (at, shift) in [18, 12, 6, 0].into_iter().enumerate() {
            let digit = char::from(ALPHABET[(number >> shift & 63) as usize]);
            text.push(if at <= group.len() { digit } else { '=' });
        }
    }
    text
}

/// What a wrapped command has printed, and its exit code if it came so far.
pub(crate) fn unwrapped(output: &str, token: &str) -> (String, Option<i32>) {
    let told = output.rfind(token).and_then(|at| {
        let code = output[at + token.len()..].trim().parse().ok()?;
        Some((output[..at].strip_suffix('\n').unwrap_or(&output[..at]), code))
    });
    match told {
        Some((printed, code)) => (printed.to_owned(), Some(code)),
        None => (output.to_owned(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// F7
    #[test]
    fn the_exit_code_is_what_follows_the_token_at_the_end() {
        assert_eq!(unwrapped("ok\n\ntok 0\n", "tok"), ("ok\n".to_owned(), Some(0)));
        assert_eq!(
            unwrapped("says tok 3\n\ntok 2\n", "tok"),
            ("says tok 3\n".to_owned(), Some(2))
        );
        assert_eq!(unwrapped("killed", "tok"), ("killed".to_owned(), None));
    }

    /// F7
    #[test]
    fn a_command_travels_without_anything_that_a_shell_would_read_early() {
        let sent = wrapped("echo \"$HOME\" `date` # done\nexit 3", "tok");
        assert!(sent.starts_with(": tok; echo "), "{sent}");
        assert!(!sent.contains(['$', '`', '"', '\\', '\n']), "{sent}");
    }

    #[test]
    fn base64_is_that_of_rfc_4648() {
        let cases = ["", "f", "fo", "foo", "foob"].map(|text| base64(text.as_bytes()));
        assert_eq!(cases, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="]);
    }
}
