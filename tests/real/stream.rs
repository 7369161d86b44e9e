//! Listens to the events of a real OpenCode, with the frames and the reader of the dashboard.

use std::io::Read;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::Value;
use switchboard_core::model::{Directory, SessionId};
use switchboard_core::ports::{Post, Posted};
use switchboard_wire::{Event, EventReader, Frames};

use crate::http::Http;

/// How long it waits for an event.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long it waits for an event that a stream may not have listened for, and how often.
const MOMENT: Duration = Duration::from_millis(500);
const TRIES_MAX: usize = 20;
/// The events whose order is told: those that say what a session or its requests do.
const TOLD: [&str; 5] = [
    "question.",
    "permission.",
    "session.idle",
    "session.error",
    "session.deleted",
];

/// A stream that is open.
pub(crate) struct Stream {
    frames: Receiver<String>,
    reader: EventReader,
    pub(crate) heard: Vec<Heard>,
}

/// An event, and what the dashboard makes of it.
#[derive(Debug)]
pub(crate) struct Heard {
    pub(crate) frame: Value,
    pub(crate) event: Option<Event>,
}

impl Stream {
    /// Opens it, and returns when it tells what happens: it says that it is connected some moments before it listens.
    pub(crate) fn open(http: &Http, path: &str, directory: &Directory) -> Self {
        let mut body = http.open(path);
        let (sender, frames) = channel();
        std::thread::spawn(move || {
            let (mut cutter, mut chunk) = (Frames::default(), [0; 4096]);
            while let Ok(size @ 1..) = body.read(&mut chunk) {
                for frame in cutter.push(&chunk[..size]) {
                    if sender.send(frame).is_err() {
                        return;
                    }
                }
            }
        });
        let mut stream = Self {
            frames,
            reader: EventReader::default(),
            heard: Vec::new(),
        };
        stream.until("the beginning", |_| true);
        let (directory, title) = (directory.clone(), Some("stream".to_owned()));
        let create = Post::Create { directory, title };
        let is_heard = (0..TRIES_MAX).any(|_| {
            assert!(matches!(http.post(&create), Posted::Created(_)), "no session was made");
            stream.frames.recv_timeout(MOMENT).is_ok()
        });
        assert!(is_heard, "the stream tells nothing");
        stream
    }

    /// Listens until an event is so.
    pub(crate) fn until(&mut self, what: &str, is_it: impl Fn(&Heard) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while let Ok(frame) = self
            .frames
            .recv_timeout(deadline.saturating_duration_since(Instant::now()))
        {
            let event = self.reader.read(&frame);
            let frame = serde_json::from_str(&frame).expect("events are JSON");
            self.heard.push(Heard { frame, event });
            if self.heard.last().is_some_and(&is_it) {
                return;
            }
        }
        panic!("{what} was not told; heard: {:#?}", self.heard)
    }

    /// Listens until this was told of a session.
    pub(crate) fn until_told(&mut self, session: &SessionId, kind: &str) {
        self.until(kind, |heard| heard.kind() == kind && heard.is_of(session));
    }

    /// Listens to the end, and says whether it has come.
    pub(crate) fn until_closed(&mut self) -> bool {
        let deadline = Instant::now() + PATIENCE;
        while self
            .frames
            .recv_timeout(deadline.saturating_duration_since(Instant::now()))
            .is_ok()
        {}
        Instant::now() < deadline
    }

    /// What a session and its requests were told to do, in order.
    pub(crate) fn told_of(&self, session: &SessionId) -> Vec<&str> {
        let of_it = self.heard.iter().filter(|heard| heard.is_of(session));
        let kinds = of_it.map(Heard::kind);
        kinds
            .filter(|kind| TOLD.iter().any(|told| kind.starts_with(told)))
            .collect()
    }
}

impl Heard {
    /// What `/event` sends as it is, and `/global/event` in an envelope.
    pub(crate) fn payload(&self) -> &Value {
        self.frame.get("payload").unwrap_or(&self.frame)
    }

    pub(crate) fn kind(&self) -> &str {
        self.payload()["type"].as_str().unwrap_or_default()
    }

    pub(crate) fn is_of(&self, session: &SessionId) -> bool {
        self.payload()["properties"]["sessionID"] == session.as_str()
    }
}
