//! How far an entry is, as a record.

use switchboard_core::model::{Attempt, ElsewhereAnswer, GoneReason, Outcome, Stage};

use crate::codec::choice;

choice!(Stage {
    "saved" => Saved,
    "attempting" => Attempting { begun },
    "attempted" => Attempted { attempt, at },
    "ended" => Ended { outcome, at },
});

choice!(Attempt {
    "accepted" => Accepted,
    "not_found" => NotFound,
    "refused" => Refused(reason),
    "unauthorized" => Unauthorized,
    "in_doubt" => InDoubt(reason),
});

choice!(Outcome {
    "confirmed" => Confirmed { note },
    "answered_elsewhere" => AnsweredElsewhere(answer),
    "dismissed" => Dismissed,
    "gone" => Gone(reason),
    "cancelled" => Cancelled { by_us },
});

choice!(ElsewhereAnswer {
    "answers" => Answers(answers),
    "allowed" => Allowed,
    "rejected" => Rejected,
    "unknown" => Unknown,
});

choice!(GoneReason {
    "restarted" => Restarted,
    "stopped" => Stopped { by_us },
    "session_deleted" => SessionDeleted,
    "message_removed" => MessageRemoved,
    "failed" => Failed(words),
});
