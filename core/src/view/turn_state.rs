//! How the newest turn of a session stands, or how it ended.

use crate::model::SessionId;
use crate::time::Time;

/// How the newest turn of a session stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TurnState {
    /// Nothing is known yet, or the session has never been prompted.
    Unknown,
    /// The agent works.
    Working,
    /// Requests wait: of the session itself, or of this descendant.
    WaitingForHuman {
        /// The descendant that asks, when the session itself does not.
        descendant: Option<SessionId>,
    },
    /// The provider refused, the server tries again by itself.
    Retrying {
        /// How often it has tried.
        attempt: u32,
        /// What the provider said.
        message: String,
        /// The next try, by our clock, milliseconds since the epoch.
        next: Option<u64>,
    },
    /// Nothing moves. The cause is always named.
    Stuck {
        /// The cause.
        cause: StuckCause,
        /// Since when nothing moves.
        since: Time,
    },
    /// The turn has ended.
    Ended {
        /// How.
        ending: Ending,
        /// Why this ending was recognised, in words.
        reason: String,
    },
}

/// Why nothing moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StuckCause {
    /// A request of a descendant waits for a person.
    DescendantWaits(SessionId),
    /// The session is said to work, but shows no sign of it.
    Silent,
}

/// How a turn ended: exactly one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With a text.
    Done,
    /// Without a text.
    Empty,
    /// A question was dismissed or a permission rejected.
    Dismissed,
    /// With an error.
    Failed,
    /// Somebody stopped it.
    Aborted,
    /// The server went away in the middle.
    Interrupted,
    /// The prompt was never picked up.
    NotStarted,
    /// It took longer than whoever awaited it would wait, and was stopped for that.
    TimedOut,
}
