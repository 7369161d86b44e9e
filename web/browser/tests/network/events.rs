//! The event stream: what comes out of it, and what keeps it open.

use std::rc::Rc;
use std::time::Duration;

use futures::StreamExt;
use futures::channel::mpsc::{UnboundedReceiver, unbounded};
use switchboard_browser::opencode::events::EventStream;
use switchboard_browser::opencode::http::{Credentials, Fetch, SharedCredentials};
use switchboard_core::ports::Wake;
use switchboard_wire::Event;
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::fake_clock::FakeClock;
use crate::fake_server::{FakeServer, HTML};

const EVENTS: &str = "text/event-stream";
const CONNECTED: &str = "data: {\"payload\":{\"id\":\"evt_1\",\"type\":\"server.connected\",\"properties\":{}}}\n\n";
const SILENCE: Duration = Duration::from_secs(15);

struct World {
    server: FakeServer,
    clock: FakeClock,
    credentials: SharedCredentials,
    events: UnboundedReceiver<Event>,
    stream: EventStream,
}

fn world(base: &str) -> World {
    let (server, clock) = (FakeServer::new(base), FakeClock::default());
    let credentials = SharedCredentials::default();
    let (tell, events) = unbounded();
    let stream = EventStream::open(
        base,
        credentials.clone(),
        Fetch::default(),
        Rc::new(clock.clone()),
        |session| session.as_str() == "s",
        move |event| {
            tell.unbounded_send(event).expect("the test listens");
        },
    );
    World {
        server,
        clock,
        credentials,
        events,
        stream,
    }
}

#[test]
async fn text_is_whole_although_its_bytes_come_one_by_one() {
    let mut world = world("http://bytes.test");
    let call = world.server.next_call().await;
    assert_eq!(call.path(), "/global/event");
    call.begin(200, EVENTS);
    let delta = "{\"directory\":\"/d\",\"payload\":{\"type\":\"message.part.delta\",\"properties\":{\"sessionID\":\"s\",\
                 \"messageID\":\"m\",\"partID\":\"p\",\"field\":\"text\",\"delta\":\"grün 😀\"}}}";
    for byte in format!("{CONNECTED}data: {delta}\n\n").bytes() {
        call.push(&[byte]);
    }
    assert_eq!(world.events.next().await, Some(Event::Wake(Wake::Connected)));
    let Some(Event::Preview(preview)) = world.events.next().await else {
        panic!("a preview expected")
    };
    assert_eq!(preview.delta, "grün 😀");
}

/// C6
#[test]
async fn of_a_session_that_nobody_follows_one_text_a_second_is_a_sign_of_life() {
    let mut world = world("http://others.test");
    let call = world.server.next_call().await;
    call.begin(200, EVENTS);
    let say = |session: &str, text: &str| {
        let properties = format!(
            "{{\"sessionID\":\"{session}\",\"messageID\":\"m\",\"partID\":\"p\",\"field\":\"text\",\"delta\":\"{text}\"}}"
        );
        let payload = format!("{{\"type\":\"message.part.delta\",\"properties\":{properties}}}");
        call.push(format!("data: {{\"directory\":\"/d\",\"payload\":{payload}}}\n\n").as_bytes());
    };
    for (session, text) in [
        ("other", "one"),
        ("other", "two"),
        ("third", "three"),
        ("s", "four"),
        ("s", "five"),
    ] {
        say(session, text);
    }
    let mut heard = Vec::new();
    while heard.last().is_none_or(|text| text != "five") {
        let Some(Event::Preview(preview)) = world.events.next().await else {
            panic!("a preview expected")
        };
        heard.push(preview.delta);
    }
    assert_eq!(heard, ["one", "three", "four", "five"]);
    world.clock.advance(Duration::from_secs(1));
    say("other", "six");
    assert!(matches!(world.events.next().await, Some(Event::Preview(preview)) if preview.delta == "six"));
}

#[test]
async fn a_stream_that_falls_silent_is_closed_and_opened_again() {
    let mut world = world("http://silent.test");
    let first = world.server.next_call().await;
    first.begin(200, EVENTS);
    first.push(CONNECTED.as_bytes());
    world.events.next().await;
    world.clock.pass(SILENCE).await;
    world.clock.pass(Duration::from_secs(1)).await;
    let second = world.server.next_call().await;
    assert!(first.is_aborted());
    assert_eq!(world.events.next().await, Some(Event::Wake(Wake::Lost)));
    second.begin(200, EVENTS);
    second.push(CONNECTED.as_bytes());
    assert_eq!(world.events.next().await, Some(Event::Wake(Wake::Connected)));
}

#[test]
async fn a_heartbeat_keeps_the_stream_open() {
    let mut world = world("http://heartbeat.test");
    let call = world.server.next_call().await;
    call.begin(200, EVENTS);
    call.push(CONNECTED.as_bytes());
    world.events.next().await;
    for _ in 0..3 {
        world.clock.advance(Duration::from_secs(10));
        call.push(b": heartbeat\n\n");
        call.push(CONNECTED.as_bytes());
        world.events.next().await;
        assert!(!call.is_aborted());
    }
}

#[test]
async fn a_stream_that_cannot_be_had_is_tried_again_ever_more_slowly_with_the_password_of_the_day() {
    let world = world("http://refused.test");
    world.server.next_call().await.refuse();
    for (seconds, status, content_type) in [(1, 200, HTML), (2, 401, ""), (4, 500, ""), (8, 404, ""), (10, 503, "")] {
        world.clock.pass(Duration::from_secs(seconds)).await;
        world.server.next_call().await.answer(status, content_type, "");
    }
    world.credentials.set(Some(Credentials {
        username: "a".to_owned(),
        password: "b".to_owned(),
    }));
    world.clock.pass(Duration::from_secs(10)).await;
    let call = world.server.next_call().await;
    assert_eq!(call.header("authorization").as_deref(), Some("Basic YTpi"));
}

#[test]
async fn a_stream_that_had_begun_is_opened_again_after_a_second() {
    let mut world = world("http://dropped-often.test");
    for _ in 0..3 {
        let call = world.server.next_call().await;
        call.begin(200, EVENTS);
        call.push(CONNECTED.as_bytes());
        assert_eq!(world.events.next().await, Some(Event::Wake(Wake::Connected)));
        call.end();
        assert_eq!(world.events.next().await, Some(Event::Wake(Wake::Lost)));
        world.clock.pass(Duration::from_secs(1)).await;
    }
}

#[test]
async fn a_stream_that_hangs_while_it_opens_is_given_up() {
    let world = world("http://hanging.test");
    let first = world.server.next_call().await;
    world.clock.pass(SILENCE).await;
    world.clock.pass(Duration::from_secs(1)).await;
    world.server.next_call().await;
    assert!(first.is_aborted());
}

#[test]
async fn dropping_it_closes_the_stream() {
    let mut world = world("http://closed.test");
    let call = world.server.next_call().await;
    call.begin(200, EVENTS);
    call.push(CONNECTED.as_bytes());
    world.events.next().await;
    drop(world.stream);
    assert_eq!(world.events.next().await, None, "nobody is left to tell");
    assert!(call.is_aborted());
}
