//! What a server says when it does not do what it was asked, and the one word it says when it does.

use serde_json::Value;

use super::json;

/// The longest text of a server that is repeated to a person, in characters.
const SHOWN_MAX: usize = 300;

/// The server's words out of the body of an error: `data.message`, else `message`, else `name` or `_tag`, else its text.
#[must_use]
pub fn error_text(body: &str) -> String {
    let value = json::parse(body).unwrap_or(Value::Null);
    let places = [
        &value["data"]["message"],
        &value["message"],
        &value["name"],
        &value["_tag"],
    ];
    let words = places.into_iter().find_map(json::filled);
    shorten(&words.unwrap_or_else(|| plain_text(body)))
}

/// True for the body `true`, the only yes of a reply, a rejection or an abort.
#[must_use]
pub fn is_true(body: &str) -> bool {
    body.trim() == "true"
}

fn plain_text(body: &str) -> String {
    let text = body.trim();
    if text.is_empty() {
        "no reason given".to_owned()
    } else if text.starts_with('<') {
        "a web page".to_owned()
    } else {
        text.to_owned()
    }
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
