//! What a view holds, as plain objects. The messages of an open session are not part of it: [`super::timeline`] gives them.

use serde::Serialize;
use switchboard_core::SortedMap;
use switchboard_core::model::SessionId;
use switchboard_core::view::{FailingDirectory, Link, PromptState, PromptView, RequestView, ServerView, SessionView};
use wasm_bindgen::JsValue;

use super::outcome::NotSentShape;
use super::plain::plain;
use super::request::RequestShape;
use super::session::SessionShape;

/// What a server is called, and where it is.
#[derive(Debug, Default)]
pub(super) struct ServerPlace {
    pub(super) name: String,
    pub(super) base: String,
}

pub(super) fn server(server: &ServerView, place: &ServerPlace) -> Result<JsValue, JsValue> {
    plain(&ServerShape::new(server, place))
}

pub(super) fn request(shown: &RequestView, revision: usize, server: &str) -> Result<JsValue, JsValue> {
    plain(&RequestShape::new(shown, revision, server))
}

pub(super) fn session(shown: &SessionView, server: &str) -> Result<JsValue, JsValue> {
    plain(&SessionShape::new(shown, server))
}

pub(super) fn prompt(shown: &PromptView, server: &str) -> Result<JsValue, JsValue> {
    plain(&PromptShape::new(shown, server))
}

pub(super) fn prompt_drafts(texts: &SortedMap<SessionId, String>) -> Result<JsValue, JsValue> {
    plain(&DraftsShape(texts))
}

#[derive(Serialize)]
#[serde(transparent)]
struct DraftsShape<'a>(#[serde(serialize_with = "texts_by_session")] &'a SortedMap<SessionId, String>);

fn texts_by_session<S: serde::Serializer>(
    texts: &SortedMap<SessionId, String>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(texts.iter().map(|(session, text)| (session.as_str(), text)))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ServerShape<'a> {
    name: &'a str,
    base_url: &'a str,
    link: LinkShape,
    version: Option<&'a str>,
    read: Option<u64>,
    listed: bool,
    next_try: Option<u64>,
    failing: Vec<FailingShape<'a>>,
    unsaved: Option<String>,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
enum LinkShape {
    Connecting,
    Live,
    Stale { since: u64, reason: String },
    Offline { since: u64, reason: String },
    Password,
}

#[derive(Serialize)]
struct FailingShape<'a> {
    directory: &'a str,
    since: Option<u64>,
    reason: String,
}

#[derive(Serialize)]
struct PromptShape<'a> {
    server: &'a str,
    entry: &'a str,
    session: &'a str,
    message: &'a str,
    text: &'a str,
    rescues: Option<&'a str>,
    state: PromptStateShape<'a>,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
enum PromptStateShape<'a> {
    Sending { attempt: u32, problem: Option<&'a str> },
    Sent,
    Stored { at: u64 },
    NotSent { reason: NotSentShape<'a>, text: String },
}

impl<'a> ServerShape<'a> {
    fn new(server: &'a ServerView, place: &'a ServerPlace) -> Self {
        Self {
            name: &place.name,
            base_url: &place.base,
            link: (&server.link).into(),
            version: server.version.as_deref(),
            read: server.read.map(|at| at.0),
            listed: server.listed,
            next_try: server.next_try.map(|at| at.0),
            failing: server.failing.iter().map(FailingShape::from).collect(),
            unsaved: server.unsaved.as_ref().map(ToString::to_string),
        }
    }
}

impl From<&Link> for LinkShape {
    fn from(link: &Link) -> Self {
        match link {
            Link::Connecting => Self::Connecting,
            Link::Live => Self::Live,
            Link::Stale { since, error } => Self::Stale {
                since: since.0,
                reason: error.to_string(),
            },
            Link::Offline { since, error } => Self::Offline {
                since: since.0,
                reason: error.to_string(),
            },
            Link::Password => Self::Password,
        }
    }
}

impl<'a> From<&'a FailingDirectory> for FailingShape<'a> {
    fn from(failing: &'a FailingDirectory) -> Self {
        Self {
            directory: failing.directory.as_str(),
            since: failing.since.map(|at| at.0),
            reason: failing.error.to_string(),
        }
    }
}

impl<'a> PromptShape<'a> {
    fn new(prompt: &'a PromptView, server: &'a str) -> Self {
        Self {
            server,
            entry: prompt.entry.as_str(),
            session: prompt.session.as_str(),
            message: prompt.message.as_str(),
            text: &prompt.text,
            rescues: prompt.rescues.as_ref().map(|request| request.as_str()),
            state: match &prompt.state {
                PromptState::Sending { attempt, problem } => PromptStateShape::Sending {
                    attempt: *attempt,
                    problem: problem.as_deref(),
                },
                PromptState::Sent => PromptStateShape::Sent,
                PromptState::Stored { at } => PromptStateShape::Stored { at: at.0 },
                PromptState::NotSent { reason } => PromptStateShape::NotSent {
                    reason: reason.into(),
                    text: reason.to_string(),
                },
            },
        }
    }
}
