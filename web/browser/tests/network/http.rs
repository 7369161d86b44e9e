//! Requests: what they carry, what ends them, what is made of their answers.

use std::cell::RefCell;
use std::rc::Rc;

use futures::future::{Either, join, select};
use switchboard_browser::opencode::http::{Credentials, FetchTransport, SharedCredentials};
use switchboard_core::model::Reply;
use switchboard_core::ports::{Fetched, Post, Posted, Read, ReadError, Transport};
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::fake_clock::FakeClock;
use crate::fake_server::{FakeServer, HTML, JSON};

fn transport(server: &FakeServer) -> FetchTransport {
    FetchTransport::new(
        &server.base,
        SharedCredentials::default(),
        Rc::new(FakeClock::default()),
    )
}

fn questions() -> Read {
    Read::Questions("/a b".into())
}

fn dismiss() -> Post {
    Post::Reply {
        request: "que_1".into(),
        directory: "/d".into(),
        reply: Reply::Dismiss,
    }
}

fn sessions() -> Read {
    Read::Sessions {
        since: None,
        page: None,
    }
}

#[test]
async fn every_request_carries_no_cookies_no_referrer_and_follows_no_redirect() {
    let server = FakeServer::new("http://plain.test/behind/a/proxy");
    let transport = transport(&server);
    let (read, ()) = join(transport.read(questions()), async {
        let call = server.next_call().await;
        assert_eq!(call.path(), "/question?directory=%2Fa%20b");
        let options = ["method", "redirect", "credentials", "referrerPolicy", "cache"].map(|name| call.option(name));
        assert_eq!(options, ["GET", "error", "omit", "no-referrer", "no-store"]);
        assert_eq!(call.header("authorization"), None);
        assert_eq!(call.header("content-type"), None);
        call.answer(200, JSON, "[]");
    })
    .await;
    assert_eq!(read, Ok(Fetched::Requests(Vec::new())));
}

#[test]
async fn a_new_password_counts_from_the_next_request_on() {
    let server = FakeServer::new("http://password.test");
    let credentials = SharedCredentials::default();
    let transport = FetchTransport::new(&server.base, credentials.clone(), Rc::new(FakeClock::default()));
    let (read, ()) = join(transport.read(questions()), async {
        server.next_call().await.answer(401, "", "");
    })
    .await;
    assert_eq!(read, Err(ReadError::Unauthorized));
    credentials.set(Some(Credentials {
        username: "opencode".to_owned(),
        password: "grün 😀".to_owned(),
    }));
    let (_, authorization) = join(transport.read(questions()), async {
        let call = server.next_call().await;
        call.answer(200, JSON, "[]");
        call.header("authorization")
    })
    .await;
    assert_eq!(authorization.as_deref(), Some("Basic b3BlbmNvZGU6Z3LDvG4g8J+YgA=="));
}

#[test]
async fn dropping_a_read_ends_its_request_before_and_while_it_is_answered() {
    let server = FakeServer::new("http://dropped.test");
    let transport = transport(&server);
    for is_answering in [false, true] {
        let wait_for_call = server.next_call();
        let read = transport.read(questions());
        let (call, read) = match select(Box::pin(wait_for_call), read).await {
            Either::Left((call, read)) => (call, read),
            Either::Right(_) => panic!("nobody has answered"),
        };
        if is_answering {
            call.begin(200, JSON);
            call.push(b"[");
        }
        assert!(!call.is_aborted());
        drop(read);
        assert!(call.is_aborted(), "while it is answered: {is_answering}");
    }
}

/// R4
#[test]
async fn a_send_whose_answer_does_not_arrive_is_in_doubt() {
    let server = FakeServer::new("http://doubt.test");
    let transport = transport(&server);
    for is_answering in [false, true] {
        let (posted, ()) = join(transport.post(dismiss()), async {
            let call = server.next_call().await;
            assert_eq!(call.option("method"), "POST");
            if is_answering {
                call.begin(200, JSON);
                call.push(b"tr");
                call.break_off();
            } else {
                call.refuse();
            }
        })
        .await;
        assert!(matches!(posted, Posted::InDoubt(_)), "{posted:?}");
    }
}

/// R4
#[test]
async fn a_send_is_accepted_by_the_word_true_alone() {
    let server = FakeServer::new("http://accepted.test");
    let transport = transport(&server);
    for (content_type, body, is_accepted) in [(JSON, "true", true), (HTML, "true", false), (JSON, "\"true\"", false)] {
        let (posted, ()) = join(transport.post(dismiss()), async {
            server.next_call().await.answer(200, content_type, body);
        })
        .await;
        assert_eq!(
            posted == Posted::Accepted,
            is_accepted,
            "{content_type} {body}: {posted:?}"
        );
    }
}

#[test]
async fn a_read_that_breaks_is_told_from_one_that_is_not_understood() {
    let server = FakeServer::new("http://broken.test");
    let transport = transport(&server);
    let (broken, ()) = join(transport.read(questions()), async {
        let call = server.next_call().await;
        call.begin(200, JSON);
        call.push(b"[");
        call.break_off();
    })
    .await;
    assert!(matches!(broken, Err(ReadError::Unreachable(_))), "{broken:?}");
    let (cut, ()) = join(transport.read(questions()), async {
        server.next_call().await.answer(200, JSON, "[");
    })
    .await;
    assert!(matches!(cut, Err(ReadError::Unexpected(_))), "{cut:?}");
}

#[test]
async fn a_body_without_an_end_is_not_kept() {
    let server = FakeServer::new("http://endless.test");
    let transport = transport(&server);
    let (endless, ()) = join(transport.read(questions()), async {
        let call = server.next_call().await;
        call.begin(200, JSON);
        for _ in 0..9 {
            call.push(&vec![b' '; 8 << 20]);
        }
    })
    .await;
    assert_eq!(endless, Err(ReadError::Unexpected("more than 64 MB".to_owned())));
}

#[test]
async fn a_server_that_is_too_old_lists_the_sessions_of_its_own_project() {
    let server = FakeServer::new("http://old.test");
    let transport = transport(&server);
    let (first, ()) = join(transport.read(sessions()), async {
        server.answer("/experimental/session?limit=100", 500, JSON, "{}").await;
        server
            .answer("/global/health", 200, JSON, r#"{"healthy":true,"version":"1.1.58"}"#)
            .await;
        server.answer("/session?limit=10000", 200, JSON, "[]").await;
    })
    .await;
    assert!(first.is_ok(), "{first:?}");
    let (second, ()) = join(transport.read(sessions()), async {
        server.answer("/session?limit=10000", 200, JSON, "[]").await;
    })
    .await;
    assert!(second.is_ok(), "{second:?}");
}

#[test]
async fn a_web_page_in_place_of_a_list_does_not_make_a_server_old() {
    let server = FakeServer::new("http://proxied.test");
    let transport = transport(&server);
    let (first, ()) = join(transport.read(sessions()), async {
        server
            .answer("/experimental/session?limit=100", 200, HTML, "<html>")
            .await;
        server
            .answer("/global/health", 200, JSON, r#"{"healthy":true,"version":"1.18.33"}"#)
            .await;
    })
    .await;
    assert!(matches!(first, Err(ReadError::Unexpected(_))), "{first:?}");
    let (second, ()) = join(transport.read(sessions()), async {
        server.answer("/experimental/session?limit=100", 200, JSON, "[]").await;
    })
    .await;
    assert!(second.is_ok(), "{second:?}");
}

#[test]
async fn other_tabs_are_told_what_was_read_and_only_that() {
    let server = FakeServer::new("http://shared.test");
    let told = Rc::new(RefCell::new(Vec::new()));
    let transport = {
        let told = told.clone();
        transport(&server).with_tap(Rc::new(move |shared| told.borrow_mut().push(shared)))
    };
    for (read, body) in [
        (sessions(), "[]"),
        (questions(), "{"),
        (Read::Health, r#"{"healthy":true,"version":"1"}"#),
    ] {
        let (read, ()) = join(transport.read(read), async {
            server.next_call().await.answer(200, JSON, body);
        })
        .await;
        assert_eq!(read.is_ok(), body != "{");
    }
    let told = told.borrow();
    assert_eq!(told.len(), 1);
    assert_eq!((&told[0].read, told[0].body.as_str()), (&sessions(), "[]"));
}

/// R15: the server exposes this header to pages of other origins, unlike that of the session list
#[test]
async fn a_page_of_messages_leads_to_the_older_ones() {
    let server = FakeServer::new("http://messages.test");
    let messages = Read::Messages {
        session: "ses_1".into(),
        directory: "/d".into(),
        limit: 2,
        before: None,
    };
    let (read, ()) = join(transport(&server).read(messages), async {
        server.next_call().await.answer_with_cursor("[]", "older");
    })
    .await;
    let Ok(Fetched::Page(page)) = read else {
        panic!("{read:?}");
    };
    assert_eq!(page.older.as_deref(), Some("older"));
}
