//! Why a run ended as it did, behind the word for how it ended: `stopped, before it was done`.

use switchboard_core::view::EndReason;

/// The reason in words.
#[must_use]
pub fn end_reason(reason: &EndReason) -> String {
    let words = match reason {
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
        EndReason::Failed { name, message } => return format!("{name}: {message}"),
    };
    words.to_owned()
}
