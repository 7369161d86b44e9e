//! How far an entry is, as a record.

use switchboard_core::model::{Attempt, ElsewhereAnswer, GoneReason, NotSentReason, Outcome, Refusal, Stage};

use crate::codec::{choice, record};

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

choice!(NotSentReason {
    "refused" => Refused(refusal),
    "changed" => Changed,
    "too_old" => TooOld,
    "age_unknown" => AgeUnknown,
    "always_delayed" => AlwaysDelayed,
    "not_stored" => NotStored,
    "session_deleted" => SessionDeleted,
    "other" => Other(text),
} or text => Other);

record!(Refusal { status, message });

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
