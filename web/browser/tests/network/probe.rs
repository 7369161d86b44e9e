//! The probe: everything that a person would mend in another way is told apart.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use futures::future::{Either, join, select};
use switchboard_browser::opencode::http::Credentials;
use switchboard_browser::opencode::probe::{
    Finding, InvalidAddress, answers, is_loopback, normalise_address, probe, probe_until_started,
};
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::fake_clock::FakeClock;
use crate::fake_server::{FakeServer, HTML, JSON};

const HEALTHY: &str = r#"{"healthy":true,"version":"1.18.33"}"#;

/// What is found when the server answers these requests, in this order, so.
async fn found(name: &str, answers: &[(&str, u16, &str, &str)], password: Option<&str>) -> Finding {
    let server = FakeServer::new(&format!("http://{name}.test"));
    let credentials = password.map(|password| Credentials {
        username: "opencode".to_owned(),
        password: password.to_owned(),
    });
    let (finding, ()) = join(probe(&server.base, credentials, Rc::new(FakeClock::default())), async {
        for (path, status, content_type, body) in answers {
            server.answer(path, *status, content_type, body).await;
        }
    })
    .await;
    finding
}

#[test]
async fn each_kind_of_server_is_told_apart() {
    let health = ("/global/health", 200, JSON, HEALTHY);
    let page = |path| (path, 200, HTML, "<html>");
    let fine = found("fine", &[health, ("/question", 200, JSON, "[]")], None).await;
    assert_eq!(
        fine,
        Finding::Fine {
            version: "1.18.33".to_owned()
        }
    );
    let old_lists = [health, page("/question")];
    let old = found("old-lists", &[old_lists, old_lists].concat(), None).await;
    assert_eq!(
        old,
        Finding::TooOld {
            version: Some("1.18.33".to_owned())
        }
    );
    let oldest = [
        ("/global/health", 404, HTML, ""),
        ("/api/info", 404, HTML, ""),
        ("/session/status", 200, JSON, "{}"),
        ("/question", 404, HTML, ""),
    ];
    let oldest = found("oldest", &[oldest, oldest].concat(), None).await;
    assert_eq!(oldest, Finding::TooOld { version: None });
    let info = ("/api/info", 200, JSON, r#"{"version":"2.0.1","pid":7}"#);
    let second = found("second", &[page("/global/health"), info], None).await;
    assert_eq!(
        second,
        Finding::SpeaksV2 {
            version: "2.0.1".to_owned()
        }
    );
    let other = [page("/global/health"), page("/api/info"), page("/session/status")];
    let answer = "200 with a web page".to_owned();
    let other = found("other", &[other, other].concat(), None).await;
    assert_eq!(other, Finding::NotOpenCode { answer });
}

#[test]
async fn one_answer_that_was_spoilt_on_its_way_ends_nothing() {
    let (health, questions) = (("/global/health", 200, JSON, HEALTHY), ("/question", 200, JSON, "[]"));
    let page = |path| (path, 200, HTML, "<html>");
    let fine = Finding::Fine {
        version: "1.18.33".to_owned(),
    };
    let spoilt_health = [
        page("/global/health"),
        page("/api/info"),
        page("/session/status"),
        health,
        questions,
    ];
    assert_eq!(found("spoilt-health", &spoilt_health, None).await, fine);
    let server = FakeServer::new("http://cut-off.test");
    let (cut_off, ()) = join(probe(&server.base, None, Rc::new(FakeClock::default())), async {
        let call = server.next_call().await;
        call.begin(200, JSON);
        call.push(b"{\"healthy\":");
        call.break_off();
        server.next_call().await.answer(200, HTML, "");
        server.next_call().await.refuse();
        for (path, status, content_type, body) in [health, questions] {
            server.answer(path, status, content_type, body).await;
        }
    })
    .await;
    assert_eq!(cut_off, fine);
    let spoilt_list = [health, ("/question", 200, JSON, "[{\"id"), health, questions];
    assert_eq!(found("spoilt-list", &spoilt_list, None).await, fine);
}

#[test]
async fn a_server_that_is_fine_is_known_after_one_round_trip() {
    let begun = |health: (u16, &'static str, &'static str), questions: (u16, &'static str, &'static str), name| async move {
        let server = FakeServer::new(&format!("http://{name}.test"));
        let (is_fine, ()) = join(answers(&server.base, None, Rc::new(FakeClock::default())), async {
            // Both are asked before either is answered.
            let first = server.next_call().await;
            let second = server.next_call().await;
            second.answer(questions.0, questions.1, questions.2);
            first.answer(health.0, health.1, health.2);
        })
        .await;
        is_fine
    };
    let healthy = (200, JSON, HEALTHY);
    let none = (200, JSON, "[]");
    let page = (200, HTML, "<html>");
    let newer = (200, JSON, r#"{"healthy":true,"version":"2.0.1"}"#);
    assert!(begun(healthy, none, "glance").await);
    assert!(!begun(page, none, "glance-page").await);
    assert!(!begun(healthy, page, "glance-old").await);
    assert!(!begun(newer, none, "glance-newer").await);
    assert!(!begun((401, "", ""), (401, "", ""), "glance-locked").await);
}

#[test]
async fn a_server_that_holds_on_to_requests_is_left_to_the_probe() {
    let server = FakeServer::new("http://glance-holds.test");
    let clock = FakeClock::default();
    let (is_fine, ()) = join(answers(&server.base, None, Rc::new(clock.clone())), async {
        let calls = [server.next_call().await, server.next_call().await];
        clock.advance(Duration::from_secs(1));
        drop(calls);
    })
    .await;
    assert!(!is_fine);
}

#[test]
async fn a_password_that_is_missing_is_told_from_one_that_is_wrong() {
    let refused = [("/global/health", 401, "", "")];
    assert_eq!(found("locked", &refused, None).await, Finding::PasswordNeeded);
    assert_eq!(
        found("locked-too", &refused, Some("guess")).await,
        Finding::WrongPassword
    );
}

#[test]
async fn one_error_is_forgiven_and_two_are_told() {
    let error = |path| (path, 503, HTML, "");
    let once = [
        error("/global/health"),
        ("/global/health", 200, JSON, HEALTHY),
        ("/question", 200, JSON, "[]"),
    ];
    assert!(matches!(found("stumbling", &once, None).await, Finding::Fine { .. }));
    let twice = [
        error("/global/health"),
        error("/global/health"),
        error("/api/info"),
        error("/api/info"),
        error("/session/status"),
        error("/session/status"),
    ];
    let answer = "503 with a web page".to_owned();
    assert_eq!(found("down", &twice, None).await, Finding::Unavailable { answer });
}

#[test]
async fn a_server_that_does_not_let_the_page_in_is_told_from_none() {
    for (name, answers) in [("shut", true), ("nobody", false)] {
        let server = FakeServer::new(&format!("http://{name}.test"));
        let (finding, ()) = join(probe(&server.base, None, Rc::new(FakeClock::default())), async {
            // A refusal is looked at twice.
            for _ in 0..if answers { 2 } else { 1 } {
                server.next_call().await.refuse();
                let blind = server.next_call().await;
                assert_eq!(blind.option("mode"), "no-cors");
                assert_eq!(blind.header("authorization"), None);
                if answers {
                    blind.answer(200, HTML, "");
                    let unled = server.next_call().await;
                    assert_eq!(unled.option("redirect"), "manual");
                    assert_eq!(unled.header("authorization"), None);
                    unled.refuse();
                } else {
                    blind.refuse();
                }
            }
        })
        .await;
        let (base, command) = if answers {
            let Finding::CorsRefused { origin } = &finding else {
                panic!("{finding:?}")
            };
            assert!(origin.starts_with("http://127.0.0.1:"), "{origin}");
            (
                "http://localhost:4096",
                format!("opencode serve --port 4096 --cors {origin}"),
            )
        } else {
            assert_eq!(finding, Finding::Unreachable);
            let command = "OPENCODE_SERVER_PASSWORD=… opencode serve --hostname 0.0.0.0 --port 4096";
            ("http://10.0.0.7:4096", command.to_owned())
        };
        assert_eq!(finding.words("build-01", base).command, Some(command));
    }
}

#[test]
async fn a_server_that_holds_on_to_requests_may_be_starting_and_counts_as_silent_after_three_tries() {
    let server = FakeServer::new("http://starting.test");
    let clock = FakeClock::default();
    let tries = RefCell::new(Vec::new());
    let wait = |finding: Finding, next| tries.borrow_mut().push((finding, next));
    let finding = probe_until_started(&server.base, None, Rc::new(clock.clone()), wait);
    let passing = async {
        let mut calls = vec![server.next_call().await];
        clock.pass(Duration::from_secs(8)).await;
        for _ in 0..2 {
            clock.pass(Duration::from_secs(2)).await;
            calls.push(server.next_call().await);
            clock.pass(Duration::from_secs(8)).await;
        }
        calls
    };
    let (finding, calls) = join(finding, passing).await;
    assert_eq!(finding, Finding::Silent);
    assert!(calls.iter().all(|call| call.is_aborted()));
    assert_eq!(*tries.borrow(), [(Finding::Silent, 2), (Finding::Silent, 3)]);
}

#[test]
async fn giving_up_the_probe_ends_its_request() {
    let server = FakeServer::new("http://given-up.test");
    let finding = Box::pin(probe(&server.base, None, Rc::new(FakeClock::default())));
    let call = match select(Box::pin(server.next_call()), finding).await {
        Either::Left((call, _)) => call,
        Either::Right(_) => panic!("nobody has answered"),
    };
    assert!(call.is_aborted());
}

#[test]
fn addresses_are_read_as_people_type_them() {
    let cases = [
        (" localhost:4096 ", Ok("http://localhost:4096")),
        ("https://Build-01.example.org:443/", Ok("https://build-01.example.org")),
        (
            "http://host/behind/a/proxy/?x=1#inbox",
            Ok("http://host/behind/a/proxy"),
        ),
        ("[::1]:4096", Ok("http://[::1]:4096")),
        ("", Err(InvalidAddress::Empty)),
        ("http://", Err(InvalidAddress::Unreadable)),
        ("not an address", Err(InvalidAddress::Unreadable)),
        ("ftp://host", Err(InvalidAddress::OtherScheme)),
        ("http://user:secret@host", Err(InvalidAddress::Credentials)),
        ("http://host/?auth_token=abc", Err(InvalidAddress::Credentials)),
    ];
    for (text, expected) in cases {
        assert_eq!(normalise_address(text), expected.map(str::to_owned), "{text}");
    }
}

#[test]
fn only_this_machine_is_loopback() {
    for address in [
        "http://localhost:4096",
        "http://127.0.0.1",
        "http://127.9.9.9:80",
        "http://[::1]:1",
        "http://a.localhost",
    ] {
        assert!(is_loopback(address), "{address}");
    }
    for address in [
        "http://192.168.0.7",
        "http://127.0.0.1.example.org",
        "http://localhost.example.org",
        "nonsense",
    ] {
        assert!(!is_loopback(address), "{address}");
    }
}
