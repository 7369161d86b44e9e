//! Errors, in the words of the server.

use switchboard_core::model::Reply;
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

/// R4
#[test]
fn a_lost_reply_a_refused_one_and_a_doubtful_one_are_told_apart() {
    let reply = Post::Reply {
        request: "que_unknown".into(),
        directory: "/home/user/project".into(),
        reply: Reply::Answers(vec![vec!["Blue".to_owned()]]),
    };
    let sent = |status, file| {
        let answer = HttpAnswer {
            status,
            content_type: Some("application/json".to_owned()),
            cursor: None,
            body: recorded(file),
        };
        wire::posted(&reply, &answer)
    };
    assert!(matches!(sent(404, "error-404-question.json"), Posted::NotFound(_)));
    assert!(matches!(
        sent(400, "error-400-payload.json"),
        Posted::Refused { status: 400, .. }
    ));
    assert!(matches!(sent(500, "error-500.json"), Posted::InDoubt(_)));
}
