//! The files of a project, and what a session has changed in them.

use std::rc::Rc;

use futures::future::join;
use switchboard_browser::opencode::http::{FetchTransport, SharedCredentials};
use switchboard_core::ports::ReadError;
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::fake_clock::FakeClock;
use crate::fake_server::{FakeServer, JSON};

fn transport(server: &FakeServer) -> FetchTransport {
    FetchTransport::new(
        &server.base,
        SharedCredentials::default(),
        Rc::new(FakeClock::default()),
    )
}

#[test]
async fn a_project_is_checked_by_what_lies_in_it_and_only_what_is_there_is_read() {
    let server = FakeServer::new("http://project.test");
    let (checks, ()) = join(transport(&server).suggested_checks("/d".into()), async {
        let root = r#"[{"name":"tests","type":"directory"},{"name":"package.json","type":"file"},
            {"name":"yarn.lock","type":"file"},{"name":"Makefile","type":"file"}]"#;
        server.answer("/file?directory=%2Fd&path=", 200, JSON, root).await;
        let package = r#"{"type":"text","content":"{\"scripts\":{\"test\":\"vitest\"}}"}"#;
        server
            .answer("/file/content?directory=%2Fd&path=package.json", 200, JSON, package)
            .await;
        server
            .answer("/file/content?directory=%2Fd&path=Makefile", 500, JSON, "{}")
            .await;
        let tests = r#"[{"name":"test_a.py","type":"file"}]"#;
        server.answer("/file?directory=%2Fd&path=tests", 200, JSON, tests).await;
    })
    .await;
    assert_eq!(checks, Ok(vec!["yarn test".to_owned(), "pytest".to_owned()]));
}

#[test]
async fn a_directory_that_is_gone_is_told_as_such() {
    let server = FakeServer::new("http://gone.test");
    let (checks, ()) = join(transport(&server).suggested_checks("/d".into()), async {
        server.answer("/file?directory=%2Fd&path=", 500, JSON, "{}").await;
    })
    .await;
    assert!(
        matches!(checks, Err(ReadError::Server { status: 500, .. })),
        "{checks:?}"
    );
}

fn messages(file: &str, patch: &str) -> String {
    format!(r#"[{{"info":{{"role":"user","summary":{{"diffs":[{{"file":"{file}","patch":"{patch}"}}]}}}}}}]"#)
}

#[test]
async fn what_a_session_has_changed_is_read_from_all_its_messages() {
    let server = FakeServer::new("http://changes.test");
    let (changes, ()) = join(transport(&server).session_changes("ses_1".into(), "/d".into()), async {
        let newest = server.next_call().await;
        assert_eq!(newest.path(), "/session/ses_1/message?directory=%2Fd&limit=200");
        newest.answer_with_cursor(&messages("b", "+second"), "older");
        let path = "/session/ses_1/message?directory=%2Fd&limit=200&before=older";
        server.answer(path, 200, JSON, &messages("a", "+first")).await;
    })
    .await;
    let changes = changes.expect("they are read");
    assert_eq!(
        (changes.files, changes.diff.as_str()),
        (vec!["a".to_owned(), "b".to_owned()], "+first\n+second\n")
    );
}

#[test]
async fn of_a_session_that_is_too_long_the_newest_changes_are_read() {
    let server = FakeServer::new("http://long.test");
    let (changes, ()) = join(transport(&server).session_changes("ses_1".into(), "/d".into()), async {
        for page in ["2", "1"] {
            let call = server.next_call().await;
            call.answer_with_cursor(&messages(page, &format!("+{page}{}", "\\n+".repeat(20_000))), page);
        }
    })
    .await;
    let diff = changes.expect("they are read").diff;
    let first =
        "[This session is long, and only its newest messages were looked at. Older changes are not shown.]\n+1\n";
    assert!(diff.starts_with(first), "{}", &diff[..200]);
    assert!(diff.contains("\n+2\n"));
}
