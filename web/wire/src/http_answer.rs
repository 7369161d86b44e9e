//! What an HTTP answer means: the status alone proves nothing.
//!
//! OpenCode answers paths that it does not know with 200 and its own web page, for POST too (docs/opencode.md, trap 5). So
//! a yes is the right status, JSON, and the right word; for a send everything unclear is in doubt, never a refusal.

use switchboard_core::model::Refusal;
use switchboard_core::ports::{Fetched, Post, Posted, Read, ReadError};

use super::{WireError, decode, error_message, error_text, is_true, session};

/// An HTTP answer, read to its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpAnswer {
    /// The HTTP status.
    pub status: u16,
    /// The header `content-type`.
    pub content_type: Option<String>,
    /// The header `x-next-cursor`.
    pub cursor: Option<String>,
    /// The body.
    pub body: String,
}

/// What was read.
///
/// # Errors
/// When it is not what was asked for, by status, content type or content.
pub fn fetched(read: &Read, answer: &HttpAnswer) -> Result<Fetched, ReadError> {
    understood(answer, |body| decode(read, body, answer.cursor.as_deref()))
}

/// What `decode` finds in the body of an answer.
///
/// # Errors
/// When it is not what was asked for, by status, content type or content.
pub fn understood<T>(answer: &HttpAnswer, decode: impl FnOnce(&str) -> Result<T, WireError>) -> Result<T, ReadError> {
    let HttpAnswer { status, body, .. } = answer;
    match status {
        200..=299 if answer.is_json() => {
            decode(body).map_err(|error| ReadError::Unexpected(format!("{status} with {error}")))
        }
        401 => Err(ReadError::Unauthorized),
        404 if answer.is_json() => Err(ReadError::NotFound(error_text(body))),
        400..=499 if *status != 404 => Err(ReadError::Refused {
            status: *status,
            message: error_text(body),
        }),
        500..=599 => Err(ReadError::Server {
            status: *status,
            message: error_text(body),
        }),
        _ => Err(ReadError::Unexpected(answer.described())),
    }
}

/// What came of a send.
#[must_use]
pub fn posted(post: &Post, answer: &HttpAnswer) -> Posted {
    let HttpAnswer { status, body, .. } = answer;
    match status {
        401 => Posted::Unauthorized,
        404 if answer.is_json() => Posted::NotFound(error_text(body)),
        // A proxy in between says these when it is overloaded; the same send may well be taken later.
        408 | 425 | 429 => Posted::InDoubt(answer.described()),
        400..=499 if *status != 404 => Posted::Refused(Refusal {
            status: *status,
            message: error_message(body),
        }),
        _ => accepted(post, answer).unwrap_or_else(|| Posted::InDoubt(answer.described())),
    }
}

/// The yes in the form that this send must get, if it is one.
fn accepted(post: &Post, answer: &HttpAnswer) -> Option<Posted> {
    let json_ok = answer.status == 200 && answer.is_json();
    match post {
        Post::Reply { .. } | Post::Abort { .. } => (json_ok && is_true(&answer.body)).then_some(Posted::Accepted),
        Post::Prompt { .. } => (answer.status == 204).then_some(Posted::Accepted),
        Post::Shell { .. } => json_ok.then_some(Posted::Accepted),
        Post::Create { .. } if json_ok => Some(Posted::Created(Box::new(session(&answer.body).ok()?))),
        Post::Create { .. } => None,
    }
}

impl HttpAnswer {
    /// True when the content type says JSON.
    #[must_use]
    pub fn is_json(&self) -> bool {
        self.media_type() == Some("application/json")
    }

    /// The answer in words: `200 with a web page`.
    #[must_use]
    pub fn described(&self) -> String {
        let content = match self.media_type() {
            Some("text/html") => "a web page".to_owned(),
            Some(_) | None if self.body.trim().is_empty() => "nothing".to_owned(),
            Some("application/json" | "text/plain") if self.status >= 400 => error_text(&self.body),
            Some("application/json") => "JSON of another form".to_owned(),
            Some(other) => other.to_owned(),
            None => "something without a type".to_owned(),
        };
        format!("{} with {content}", self.status)
    }

    fn media_type(&self) -> Option<&str> {
        self.content_type.as_deref()?.split(';').next().map(str::trim)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchboard_core::model::{Prompt, Reply};

    const HTML: &str = "text/html;charset=utf-8";
    const JSON: &str = "application/json; charset=utf-8";

    fn answer(status: u16, content_type: &str, body: &str) -> HttpAnswer {
        HttpAnswer {
            status,
            content_type: Some(content_type.to_owned()),
            cursor: None,
            body: body.to_owned(),
        }
    }

    fn reply() -> Post {
        Post::Reply {
            request: "que_1".into(),
            directory: "/d".into(),
            reply: Reply::Dismiss,
        }
    }

    /// R4
    #[test]
    fn only_the_right_word_in_the_right_form_accepts_a_reply() {
        let in_doubt = |words: &str| Posted::InDoubt(words.to_owned());
        let refused = |status, message: Option<&str>| {
            Posted::Refused(Refusal {
                status,
                message: message.map(str::to_owned),
            })
        };
        let cases = [
            (answer(200, JSON, "true"), Posted::Accepted),
            (answer(200, JSON, "false"), in_doubt("200 with JSON of another form")),
            (answer(200, HTML, "true"), in_doubt("200 with a web page")),
            (answer(204, "", ""), in_doubt("204 with nothing")),
            (
                answer(400, JSON, r#"{"_tag":"BadRequest"}"#),
                refused(400, Some("BadRequest")),
            ),
            (
                answer(415, "text/plain", "no such type"),
                refused(415, Some("no such type")),
            ),
            (answer(413, HTML, "<html>"), refused(413, None)),
            (answer(403, "", ""), refused(403, None)),
            (answer(401, "", ""), Posted::Unauthorized),
            (
                answer(404, JSON, r#"{"message":"not found"}"#),
                Posted::NotFound("not found".to_owned()),
            ),
            (answer(404, HTML, "<html>"), in_doubt("404 with a web page")),
            (answer(429, "text/plain", "slow down"), in_doubt("429 with slow down")),
            (answer(500, JSON, r#"{"message":"boom"}"#), in_doubt("500 with boom")),
            (answer(502, HTML, "<html>"), in_doubt("502 with a web page")),
        ];
        for (answer, expected) in cases {
            assert_eq!(posted(&reply(), &answer), expected, "{answer:?}");
        }
    }

    #[test]
    fn each_kind_of_send_has_a_yes_of_its_own() {
        let prompt = Post::Prompt {
            session: "ses_1".into(),
            directory: "/d".into(),
            prompt: std::sync::Arc::new(Prompt {
                message: "msg_1".into(),
                part: "prt_1".into(),
                text: String::new(),
                agent: None,
                model: None,
            }),
        };
        assert_eq!(posted(&prompt, &answer(204, "", "")), Posted::Accepted);
        assert!(matches!(
            posted(&prompt, &answer(200, HTML, "<html>")),
            Posted::InDoubt(_)
        ));
        let create = Post::Create {
            directory: "/d".into(),
            title: None,
        };
        let made = answer(200, JSON, r#"{"id":"ses_1","directory":"/d"}"#);
        assert!(matches!(posted(&create, &made), Posted::Created(session) if session.id == "ses_1".into()));
        assert!(matches!(
            posted(&create, &answer(200, JSON, "true")),
            Posted::InDoubt(_)
        ));
    }

    #[test]
    fn a_read_that_got_something_else_says_what() {
        let read = Read::Questions("/d".into());
        let unexpected = |words: &str| Err(ReadError::Unexpected(words.to_owned()));
        let cases = [
            (answer(200, JSON, "[]"), Ok(Fetched::Requests(Vec::new()))),
            (answer(200, HTML, "<html>"), unexpected("200 with a web page")),
            (
                answer(200, JSON, "{}"),
                unexpected("200 with an object where a list was expected"),
            ),
            (answer(401, "", ""), Err(ReadError::Unauthorized)),
            (answer(404, HTML, "<html>"), unexpected("404 with a web page")),
            (
                answer(404, JSON, r#"{"message":"gone"}"#),
                Err(ReadError::NotFound("gone".to_owned())),
            ),
        ];
        for (answer, expected) in cases {
            assert_eq!(fetched(&read, &answer), expected, "{answer:?}");
        }
        assert!(matches!(
            fetched(&read, &answer(200, JSON, "[{\"id\":")),
            Err(ReadError::Unexpected(_))
        ));
        assert!(matches!(
            fetched(&read, &answer(503, HTML, "")),
            Err(ReadError::Server { status: 503, .. })
        ));
        assert!(matches!(
            fetched(&read, &answer(400, JSON, "{}")),
            Err(ReadError::Refused { status: 400, .. })
        ));
    }
}
