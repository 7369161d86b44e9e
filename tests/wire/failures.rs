//! Errors, in the words of the server.

use switchboard_core::model::{Refusal, Reply};
use switchboard_core::ports::{Post, Posted};
use switchboard_wire::{self as wire, HttpAnswer};

use crate::fixture::recorded;

#[test]
fn every_error_gives_the_servers_words() {
    let cases = [
        ("error-400-payload.json", "Missing key\n  at [\"answers\"]"),
        ("error-404-question.json", "Question request not found: que_unknown"),
        ("error-404-session.json", "Session not found: ses_unknown00000000000000"),
        ("error-409-busy.json", "Session is busy: ses_e001578f1ffeVVzeFRX5J0Utt6"),
        (
            "error-500.json",
            "Unexpected server error. Check server logs for details.",
        ),
    ];
    for (file, words) in cases {
        assert_eq!(wire::error_text(&recorded(file)), words, "{file}");
    }
}

/// What a server of version 1.18.33 says to a message of an unknown kind.
const UNKNOWN_KIND: &str = r#"{"name":"BadRequest","data":{"message":"Expected { readonly \"type\": \"text\", ... }, got {\"type\":\"nope\"}\n  at [\"parts\"][0]","kind":"Payload"}}"#;

/// R4
#[test]
fn each_error_of_the_server_is_lost_refused_or_doubtful_with_its_own_words() {
    let refused = |status, words: &str| {
        Posted::Refused(Refusal {
            status,
            message: Some(words.to_owned()),
        })
    };
    let without_words = |status| Posted::Refused(Refusal { status, message: None });
    let unknown_kind = "Expected { readonly \"type\": \"text\", ... }, got {\"type\":\"nope\"}\n  at [\"parts\"][0]";
    let json = "application/json";
    for (status, content_type, body, expected) in [
        (
            400,
            json,
            recorded("error-400-payload.json"),
            refused(400, "Missing key\n  at [\"answers\"]"),
        ),
        (400, json, UNKNOWN_KIND.to_owned(), refused(400, unknown_kind)),
        (
            400,
            json,
            r#"{"_tag":"BadRequest"}"#.to_owned(),
            refused(400, "BadRequest"),
        ),
        (
            409,
            json,
            recorded("error-409-busy.json"),
            refused(409, "Session is busy: ses_e001578f1ffeVVzeFRX5J0Utt6"),
        ),
        (
            415,
            "text/plain",
            "Unsupported content-type: text/plain".to_owned(),
            refused(415, "Unsupported content-type: text/plain"),
        ),
        (413, "text/html", "<html>413</html>".to_owned(), without_words(413)),
        (403, "", String::new(), without_words(403)),
        (401, "", String::new(), Posted::Unauthorized),
        (
            404,
            json,
            recorded("error-404-question.json"),
            Posted::NotFound("Question request not found: que_unknown".to_owned()),
        ),
        (
            404,
            json,
            recorded("error-404-session.json"),
            Posted::NotFound("Session not found: ses_unknown00000000000000".to_owned()),
        ),
        (
            500,
            json,
            recorded("error-500.json"),
            Posted::InDoubt("500 with Unexpected server error. Check server logs for details.".to_owned()),
        ),
    ] {
        let answer = HttpAnswer {
            status,
            content_type: Some(content_type.to_owned()),
            cursor: None,
            body,
        };
        assert_eq!(wire::posted(&reply(), &answer), expected, "{answer:?}");
    }
}

fn reply() -> Post {
    Post::Reply {
        request: "que_unknown".into(),
        directory: "/home/user/project".into(),
        reply: Reply::Answers(vec![vec!["Blue".to_owned()]]),
    }
}
