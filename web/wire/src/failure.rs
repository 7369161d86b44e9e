//! What a server says when it does not do what it was asked, and the one word it says when it does.

use serde_json::Value;

use super::json;

/// The longest text of a server that is repeated to a person, in characters.
const SHOWN_MAX: usize = 300;

/// The server's words out of the body of an error, or that it has none.
#[must_use]
pub fn error_text(body: &str) -> String {
    error_message(body).unwrap_or_else(|| {
        let without_words = if body.trim().is_empty() {
            "no reason given"
        } else {
            "a web page"
        };
        without_words.to_owned()
    })
}

/// The server's words out of the body of an error: `data.message`, else `message`, else `name` or `_tag`, else its text;
/// none when it is empty or a web page.
#[must_use]
pub fn error_message(body: &str) -> Option<String> {
    let value = json::parse(body).unwrap_or(Value::Null);
    let places = [
        &value["data"]["message"],
        &value["message"],
        &value["name"],
        &value["_tag"],
    ];
    let words = places.into_iter().find_map(json::filled);
    words.or_else(|| plain_text(body)).as_deref().map(shorten)
}

/// True for the body `true`, the only yes of a reply, a rejection or an abort.
#[must_use]
pub fn is_true(body: &str) -> bool {
    body.trim() == "true"
}

fn plain_text(body: &str) -> Option<String> {
    let text = body.trim();
    (!text.is_empty() && !text.starts_with('<')).then(|| text.to_owned())
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(SHOWN_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_shapes_of_errors_give_the_servers_words() {
        let cases = [
            (
                r#"{"name":"NotFoundError","data":{"message":"Session not found"}}"#,
                "Session not found",
            ),
            (
                r#"{"_tag":"QuestionNotFoundError","message":"Question not found"}"#,
                "Question not found",
            ),
            (r#"{"_tag":"BadRequest"}"#, "BadRequest"),
            (r#"{"name":"UnknownError","data":{}}"#, "UnknownError"),
            ("Unsupported Media Type", "Unsupported Media Type"),
            ("<!doctype html><html>", "a web page"),
            ("", "no reason given"),
        ];
        for (body, expected) in cases {
            assert_eq!(error_text(body), expected, "{body}");
        }
    }

    #[test]
    fn a_long_text_is_cut_at_a_character() {
        let text = error_text(&"ä".repeat(5_000));
        assert_eq!(text.chars().count(), SHOWN_MAX + 1);
    }
}
