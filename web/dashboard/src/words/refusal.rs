//! Why something was not sent: a sentence for everybody, and the words of the server for those who look for the cause.

use switchboard_core::model::{NotSentReason, Refusal};

/// The reason as a sentence without its full stop.
#[must_use]
pub fn sentence(reason: &NotSentReason) -> &'static str {
    match reason {
        NotSentReason::Refused(Refusal { status, .. }) => match status {
            400 | 422 => "The server does not accept it",
            403 => "The server does not allow it",
            413 => "It is too large for the server",
            500.. => "The server failed over it",
            _ => "The server refused it",
        },
        NotSentReason::Changed => "The request has changed since you answered it. Look again",
        NotSentReason::TooOld => "You decided more than 10 minutes ago. Decide again",
        NotSentReason::AgeUnknown => "It is not known when you decided, for the clocks differ. Decide again",
        NotSentReason::AlwaysDelayed => "“Always” is sent at once or not at all. Decide again",
        NotSentReason::NotStored => {
            "The server accepted it several times and did not keep it; it may not know the agent"
        }
        NotSentReason::SessionDeleted => "The session was deleted",
        NotSentReason::Other(_) => "It was refused",
    }
}

/// The server's own words, and its status.
#[must_use]
pub fn details(reason: &NotSentReason) -> Option<String> {
    match reason {
        NotSentReason::Refused(refusal) => Some(refusal.to_string()),
        NotSentReason::Other(text) => Some(text.clone()),
        NotSentReason::Changed
        | NotSentReason::TooOld
        | NotSentReason::AgeUnknown
        | NotSentReason::AlwaysDelayed
        | NotSentReason::NotStored
        | NotSentReason::SessionDeleted => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(status: u16, message: Option<&str>) -> NotSentReason {
        NotSentReason::Refused(Refusal {
            status,
            message: message.map(str::to_owned),
        })
    }

    /// R4
    #[test]
    fn what_a_server_says_is_told_in_a_sentence_and_kept_for_details() {
        for (reason, said, kept) in [
            (
                refused(400, Some("Missing key\n  at [\"answers\"]")),
                "The server does not accept it",
                "Missing key\n  at [\"answers\"] (400)",
            ),
            (refused(413, None), "It is too large for the server", "HTTP status 413"),
            (
                refused(409, Some("Session is busy: ses_1")),
                "The server refused it",
                "Session is busy: ses_1 (409)",
            ),
            (
                NotSentReason::Other("UnknownError (500)".to_owned()),
                "It was refused",
                "UnknownError (500)",
            ),
        ] {
            assert_eq!((sentence(&reason), details(&reason).as_deref()), (said, Some(kept)));
        }
    }

    #[test]
    fn our_own_reasons_have_no_words_of_a_server() {
        let changed = NotSentReason::Changed;
        assert_eq!(
            (sentence(&changed), details(&changed)),
            ("The request has changed since you answered it. Look again", None)
        );
    }
}
