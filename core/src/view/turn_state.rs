//! How the newest turn of a session stands, or how it ended.

use std::fmt;

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
        /// When this engine first saw it try again, without a run in between.
        since: Time,
    },
    /// Nothing moves. The cause is always named.
    Stuck {
        /// The cause.
        cause: StuckCause,
        /// Since when nothing moves.
        since: Time,
    },
    /// The newest message is open, and this server does not run the session. Several OpenCode processes on the same data share
    /// sessions and messages; each knows only of the runs and requests of its own. The state is taken back once the message is
    /// complete, or this server runs the session.
    Elsewhere {
        /// True when another process has begun the run: it began while this server was watched, and this server never ran it.
        /// Whether that process still lives cannot be known. False when it began before that: then this server may also have
        /// run it, and have been restarted since.
        certain: bool,
    },
    /// The turn has ended.
    Ended {
        /// How.
        ending: Ending,
        /// Why this ending was recognised.
        reason: EndReason,
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
    /// In the middle: the server went away, or never completed the message.
    Interrupted,
    /// The prompt was never picked up.
    NotStarted,
    /// It took longer than whoever awaited it would wait, and was stopped for that.
    TimedOut,
}

/// Why a run ended as it did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// The server never began to work on the prompt.
    NeverPickedUp,
    /// A time-out of this client stopped it.
    TookTooLong,
    /// The last message was never completed, and the server was out of reach meanwhile.
    ServerLeft,
    /// The last message was never completed, although the server is there.
    NotCompleted,
    /// The last message was completed, and a tool call of it never ended.
    ToolNotEnded,
    /// The last step asks for another one, which did not come.
    BetweenSteps,
    /// It was stopped.
    Stopped,
    /// It was stopped before the provider had answered.
    StoppedInRetry,
    /// A question was dismissed.
    QuestionDismissed,
    /// A permission was rejected.
    PermissionRejected,
    /// The last message has a text; the model did not say why it ends.
    NoFinishReason,
    /// The last message ends at the limit of tokens.
    TokenLimit,
    /// The last message is complete.
    Complete,
    /// The same, and some of it cannot be read.
    CompleteInPart,
    /// A command ran to its end.
    CommandEnded,
    /// The last message has no text.
    NoText,
    /// The provider failed.
    Failed {
        /// What the server calls the error.
        name: String,
        /// The error in the provider's words.
        message: String,
    },
}

impl fmt::Display for EndReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            EndReason::NeverPickedUp => "the prompt was never picked up",
            EndReason::TookTooLong => "it took too long, and was stopped for that",
            EndReason::ServerLeft => "the server went away in the middle of the run",
            EndReason::NotCompleted => "the run ended without completing its message",
            EndReason::ToolNotEnded => "the run ended while a tool was running",
            EndReason::BetweenSteps => "the run stopped between two steps",
            EndReason::Stopped => "before it was done",
            EndReason::StoppedInRetry => "while the provider was being asked again",
            EndReason::QuestionDismissed => "a question was dismissed",
            EndReason::PermissionRejected => "a permission was rejected",
            EndReason::NoFinishReason => "the model gave no reason to stop",
            EndReason::TokenLimit => "the token limit was reached",
            EndReason::Complete => "the last message is complete",
            EndReason::CompleteInPart => "the last message is complete, and could be read in part only",
            EndReason::CommandEnded => "the command has ended",
            EndReason::NoText => "the last message has no text",
            EndReason::Failed { name, message } => return write!(formatter, "{name}: {message}"),
        })
    }
}
