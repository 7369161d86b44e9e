//! What the real server answers to requests that the simulated one never sees: wrong bodies, paths, passwords and origins.
//!
//! The meaning of an answer is told by the parsers of the dashboard, so that both are checked.

use std::sync::{PoisonError, RwLockReadGuard};

use serde_json::json;
use switchboard_core::model::{Reply, Request, SessionId};
use switchboard_core::ports::{Post, Posted, Read};
use switchboard_tests::scripts::asks;
use switchboard_wire::{Outgoing, fetched, outgoing, path_of, posted, second_generation};

use crate::http::Answer;
use crate::process::Real;
use crate::stories::real;
use crate::story::{Story, outcome_of, result_of};

const JSON: (&str, &str) = ("content-type", "application/json");
const TEXT: (&str, &str) = ("content-type", "text/plain");
const PAGE: (&str, &str) = ("origin", "http://localhost:8080");

pub(crate) fn server() -> RwLockReadGuard<'static, Real> {
    real().read().unwrap_or_else(PoisonError::into_inner)
}

fn status_of(answer: &Answer) -> (u16, Option<&str>) {
    (answer.status, answer.header("content-type"))
}

/// R4
#[test]
fn paths_and_methods_that_do_not_exist_answer_with_a_web_page() {
    let real = server();
    let http = real.http();
    for (method, path) in [
        ("GET", "/no/such/path"),
        ("POST", "/no/such/path"),
        ("DELETE", "/question"),
        ("GET", "/api/info"),
    ] {
        let answer = http.send(method, path, &[JSON], "");
        assert_eq!(status_of(&answer), (200, Some("text/html")), "{method} {path}");
        let abort = Post::Abort {
            session: "ses_1".into(),
            directory: "/".into(),
        };
        let answer = answer.read();
        assert_eq!(outcome_of(&posted(&abort, &answer)), "in doubt");
        assert_eq!(
            result_of(&fetched(&Read::Health, &answer)),
            "answered something unexpected: 200 with a web page"
        );
        assert_eq!(second_generation(&answer), None);
    }
}

/// A question that waits, in a session of its own.
fn asking(real: &mut &Real, name: &'static str) -> (SessionId, Request) {
    let mut story = Story::new(name, real);
    let session = story.begin(&asks("Which?"));
    let request = story.until_listed(1).remove(0);
    (session, request)
}

fn dismiss(request: &Request) -> Post {
    Post::Reply {
        request: request.id.clone(),
        directory: request.directory.clone(),
        reply: Reply::Dismiss,
    }
}

#[test]
fn a_body_that_says_nothing_answers_nothing() {
    let real = server();
    let http = real.http();
    let (session, request) = asking(&mut &*real, "bodies");
    let reply = Post::Reply {
        request: request.id.clone(),
        directory: request.directory.clone(),
        reply: Reply::Answers(vec![vec!["Blue".to_owned()]]),
    };
    let Outgoing { path, body } = outgoing(&reply);
    let body = body.unwrap_or_default();
    let cases = [
        (TEXT, body.as_str(), "refused with 415"),
        (JSON, r#"{"answers":"#, "in doubt"),
        (JSON, "{}", "refused with 400"),
        (JSON, r#"{"answers":["Red"]}"#, "refused with 400"),
        (JSON, r#"{"answers":[null]}"#, "refused with 400"),
        (JSON, "null", "refused with 400"),
        (JSON, "", "refused with 400"),
    ];
    for (header, body, expected) in cases {
        let answer = http.send("POST", &path, &[header], body).read();
        assert_eq!(outcome_of(&posted(&reply, &answer)), expected, "{body}: {answer:?}");
    }
    let prompt = format!("/session/{session}/prompt_async");
    let ids = json!({ "messageID": "odd", "parts": [] }).to_string();
    for (header, body, expected) in [
        (TEXT, r#"{"parts":[]}"#, 415),
        (JSON, "{", 500),
        (JSON, "{}", 400),
        (JSON, ids.as_str(), 400),
    ] {
        let answer = http.send("POST", &prompt, &[header], body);
        assert_eq!(answer.status, expected, "{body}: {answer:?}");
    }
    assert_eq!(
        http.post(&dismiss(&request)),
        Posted::Accepted,
        "it waits for an answer still"
    );
}

#[test]
fn windows_of_odd_sizes_are_refused() {
    let real = server();
    let http = real.http();
    let mut subject = &*real;
    let session = Story::new("sizes", &mut subject).create();
    let sizes = [
        ("limit=-1", 400),
        ("limit=1.5", 400),
        ("limit=x", 400),
        ("limit=", 200),
        ("before=eyJ9", 400),
    ];
    for (query, expected) in sizes {
        let answer = http.send("GET", &format!("/session/{session}/message?{query}"), &[], "");
        assert_eq!(answer.status, expected, "{query}: {answer:?}");
    }
}

#[test]
fn a_directory_is_named_by_the_query_and_else_by_a_header() {
    let real = server();
    let http = real.http();
    let (_, request) = asking(&mut &*real, "headers");
    let directory = request.directory.as_str();
    let escaped = directory.replace('/', "%2F");
    let cases = [
        ("/question", directory, true),
        ("/question", escaped.as_str(), true),
        ("/question", "/no/such/folder", false),
        ("/question?directory=%2Fno%2Fsuch%2Ffolder", directory, false),
    ];
    for (path, header, is_listed) in cases {
        let answer = http.send("GET", path, &[("x-opencode-directory", header)], "");
        assert_eq!(status_of(&answer), (200, Some("application/json")));
        let found = answer.read().body.contains(request.id.as_str());
        assert_eq!(found, is_listed, "{path}, {header}");
    }
    assert_eq!(http.post(&dismiss(&request)), Posted::Accepted);
}

/// The body of a 401 is empty; that it asks for a name and a password is in a header.
#[test]
fn without_the_password_nothing_is_answered() {
    let real = server();
    let stranger = real.http().without_password();
    let bearer = ("authorization", "Bearer x");
    for (method, path) in [
        ("GET", "/global/health"),
        ("GET", "/"),
        ("POST", "/session"),
        ("GET", "/global/event"),
    ] {
        for headers in [vec![], vec![bearer]] {
            let answer = stranger.send(method, path, &headers, "");
            assert_eq!(
                (answer.status, answer.header("content-type")),
                (401, None),
                "{method} {path}"
            );
            assert!(
                answer
                    .header("www-authenticate")
                    .is_some_and(|asks| asks.starts_with("Basic"))
            );
            let unauthorized = fetched(&Read::Health, &answer.read());
            assert_eq!(result_of(&unauthorized), "wants a password");
        }
    }
    let token = real.http().token().replace('+', "%2B").replace('=', "%3D");
    let allowed = stranger.send("GET", &format!("/global/health?auth_token={token}"), &[], "");
    assert_eq!(allowed.status, 200);
}

/// 401 carries the header, too: a page can tell that a password is wanted.
#[test]
fn pages_of_this_machine_may_ask_and_others_may_not() {
    let real = server();
    let http = real.http();
    let allowed = |answer: &Answer| answer.header("access-control-allow-origin").map(str::to_owned);
    let origins = [
        ("http://localhost:8080", true),
        ("http://127.0.0.1:9", true),
        ("https://localhost", false),
        ("http://192.168.0.1", false),
        ("null", false),
    ];
    for (origin, may) in origins {
        let answer = http.send("GET", "/global/health", &[("origin", origin)], "");
        assert_eq!(allowed(&answer).is_some(), may, "{origin}");
    }
    let wanted = "authorization,content-type,x-opencode-directory";
    let preflight = [
        PAGE,
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", wanted),
    ];
    let stranger = http.without_password();
    let answer = stranger.send("OPTIONS", "/session", &preflight, "");
    assert_eq!(
        (answer.status, answer.header("access-control-allow-headers")),
        (204, Some(wanted))
    );
    assert_eq!(
        allowed(&stranger.send("GET", "/session", &[PAGE], "")).as_deref(),
        Some(PAGE.1)
    );
}

#[test]
fn a_prompt_that_wants_a_form_makes_its_window_unreadable() {
    let real = server();
    let http = real.http();
    let mut subject = &*real;
    let mut story = Story::new("poison", &mut subject);
    let session = story.create();
    let directory = story.directory();
    let format = json!({ "type": "json_schema", "schema": { "type": "object" } });
    let body = json!({ "format": format, "parts": [{ "type": "text", "text": "hello" }] });
    let path = format!("/session/{session}/prompt_async");
    assert_eq!(http.send("POST", &path, &[JSON], &body.to_string()).status, 204);
    let window = |limit| Read::Messages {
        session: session.clone(),
        directory: directory.clone(),
        limit,
        before: None,
    };
    let mut is_poisoned = || result_of(&story.read(&window(100))) == "refused with 400";
    assert!((0..500).any(|_| is_poisoned()), "it can be read");
}

#[test]
fn an_archived_session_leaves_the_list_of_all_projects() {
    let real = server();
    let http = real.http();
    let mut subject = &*real;
    let session = Story::new("archived", &mut subject).create();
    let list = path_of(&Read::Sessions {
        since: None,
        page: None,
    });
    let is_listed = |query: &str| {
        let answer = http.send("GET", &format!("{list}{query}"), &[], "").read();
        answer.body.contains(session.as_str())
    };
    assert!(is_listed(""));
    let archive = json!({ "time": { "archived": 1_795_300_000_000_u64 } }).to_string();
    let answer = http.send("PATCH", &format!("/session/{session}"), &[JSON], &archive);
    assert_eq!(answer.status, 200);
    assert!(!is_listed(""));
    assert!(is_listed("&archived=true"));
}
