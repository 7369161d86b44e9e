//! The event stream of a server: wakes and previews, for as long as somebody holds it.
//!
//! A stream that is open and silent is the worst one: nothing says that it is dead. The server sends a heartbeat every
//! 10 s, so silence of 15 s ends the stream, and it is opened again.

use std::rc::Rc;
use std::time::Duration;

use futures::future::{Either, select};
use switchboard_core::model::SessionId;
use switchboard_core::ports::Wake;
use switchboard_core::{Clock, SortedMap, Time};
use switchboard_wire::{Event, EventReader, Frames, streaming_session};

use crate::opencode::http::{Call, Fetch, Method, Mode, Opened, SharedCredentials};
use crate::platform::task::Task;

/// The longest silence of a stream that lives; also the longest time that opening it may take.
const SILENCE_MAX: Duration = Duration::from_secs(15);

/// The pause before the first try to open it again. It doubles each time.
const PAUSE_MIN: Duration = Duration::from_secs(1);

/// The longest pause between two tries.
const PAUSE_MAX: Duration = Duration::from_secs(10);

/// How far apart the texts of a session are that nobody follows: each is a sign of life, and nothing else.
const SIGN_GAP: Duration = Duration::from_secs(1);

/// An event stream that is kept open. Dropping it closes it.
#[derive(Debug)]
pub struct EventStream {
    _task: Task,
}

impl EventStream {
    /// Opens the stream of all directories of the server at `base`, and calls `on_event` for each wake and preview.
    ///
    /// It never fails: it tries again, with the credentials that are given by then. Of the texts of sessions that
    /// `is_followed` denies only one a second is read.
    pub fn open(
        base: &str,
        credentials: SharedCredentials,
        fetch: Fetch,
        clock: Rc<dyn Clock>,
        is_followed: impl Fn(&SessionId) -> bool + 'static,
        on_event: impl Fn(Event) + 'static,
    ) -> Self {
        let url = format!("{base}/global/event");
        let keep_open = async move {
            let mut pause = PAUSE_MIN;
            loop {
                if listen(&url, &credentials, &fetch, &*clock, &is_followed, &on_event).await {
                    on_event(Event::Wake(Wake::Lost));
                    pause = PAUSE_MIN;
                }
                clock.sleep_until(clock.now() + pause).await;
                pause = (pause * 2).min(PAUSE_MAX);
            }
        };
        Self {
            _task: Task::spawn(keep_open),
        }
    }
}

/// Listens until the stream ends, breaks or falls silent. True when it had begun.
async fn listen(
    url: &str,
    credentials: &SharedCredentials,
    fetch: &Fetch,
    clock: &dyn Clock,
    is_followed: &impl Fn(&SessionId) -> bool,
    on_event: &impl Fn(Event),
) -> bool {
    let call = Call {
        fetch: fetch.clone(),
        method: Method::Get,
        mode: Mode::Cors,
        url: url.to_owned(),
        authorization: credentials.header(),
        accept: "text/event-stream",
        body: None,
        keepalive: false,
    };
    let Some(Ok(mut stream)) = unless_silent(clock, call.open()).await else {
        return false;
    };
    if !is_event_stream(&stream) {
        return false;
    }
    let mut frames = Frames::default();
    let mut reader = EventReader::default();
    let mut signs = Signs::default();
    let mut has_begun = false;
    while let Some(Ok(Some(chunk))) = unless_silent(clock, stream.next_chunk()).await {
        let now = clock.now();
        let mut frames = frames.push(&chunk);
        frames.retain(|frame| {
            streaming_session(frame)
                .map(SessionId::from)
                .is_none_or(|session| is_followed(&session) || signs.is_due(session, now))
        });
        for event in frames.iter().filter_map(|frame| reader.read(frame)) {
            has_begun |= event == Event::Wake(Wake::Connected);
            on_event(event);
        }
    }
    has_begun
}

/// When each session that nobody follows has last given a sign of life.
#[derive(Default)]
struct Signs(SortedMap<SessionId, Time>);

impl Signs {
    fn is_due(&mut self, session: SessionId, now: Time) -> bool {
        let is_due = self.0.get(&session).is_none_or(|last| now.since(*last) >= SIGN_GAP);
        if is_due {
            self.0.retain(|_, last| now.since(*last) < SIGN_GAP);
            self.0.insert(session, now);
        }
        is_due
    }
}

/// What comes of it, unless that takes longer than a living stream is silent.
async fn unless_silent<T>(clock: &dyn Clock, work: impl Future<Output = T>) -> Option<T> {
    match select(std::pin::pin!(work), clock.sleep_until(clock.now() + SILENCE_MAX)).await {
        Either::Left((result, _)) => Some(result),
        Either::Right(((), _)) => None,
    }
}

fn is_event_stream(stream: &Opened) -> bool {
    let content_type = stream.header("content-type").unwrap_or_default();
    stream.status() == 200 && content_type.starts_with("text/event-stream")
}
