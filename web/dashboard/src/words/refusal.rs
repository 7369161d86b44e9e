//! Why something was not sent: a sentence for everybody, and the words of the server for those who look for the cause.

/// A reason in two parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// A sentence without its full stop.
    pub sentence: String,
    /// The server's own words, where the reason is the server's.
    pub raw: Option<String>,
}

impl Refusal {
    /// Takes a reason apart: the server's words come with the status of its response, ours are a sentence already.
    #[must_use]
    pub fn of(reason: &str) -> Self {
        let Some(status) = status(reason) else {
            return Self {
                sentence: reason.to_owned(),
                raw: None,
            };
        };
        let sentence = match status {
            400 | 422 => "The server does not accept it",
            403 => "The server does not allow it",
            413 => "It is too large for the server",
            500.. => "The server failed over it",
            _ => "The server refused it",
        };
        Self {
            sentence: sentence.to_owned(),
            raw: Some(reason.to_owned()),
        }
    }
}

/// The status at the end of the words of a server: `Missing key (400)`.
fn status(reason: &str) -> Option<u16> {
    let (_, end) = reason.rsplit_once(" (")?;
    let digits = end.strip_suffix(')')?;
    (digits.len() == 3).then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_says_is_told_in_a_sentence_and_kept_for_details() {
        for (reason, sentence) in [
            (
                r#"{"success":false,"errors":["answers"]} (400)"#,
                "The server does not accept it",
            ),
            ("Payload Too Large (413)", "It is too large for the server"),
            ("UnknownError (500)", "The server failed over it"),
            ("Conflict (409)", "The server refused it"),
        ] {
            let raw = Some(reason.to_owned());
            assert_eq!(
                Refusal::of(reason),
                Refusal {
                    sentence: sentence.to_owned(),
                    raw
                }
            );
        }
    }

    #[test]
    fn our_own_words_stay_as_they_are() {
        for reason in ["the session was deleted", "the server took it (3 times)", "see (abc)"] {
            assert_eq!(
                Refusal::of(reason),
                Refusal {
                    sentence: reason.to_owned(),
                    raw: None
                }
            );
        }
    }
}
