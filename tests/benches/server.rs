//! A server with one directory that answers at once, and a store that keeps nothing.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::{LocalBoxFuture, ready};
use switchboard_core::SortedMap;
use switchboard_core::metrics::Figure;
use switchboard_core::model::{
    Directory, Draft, DraftKey, Entry, EntryId, Health, Message, MessageId, Page, Part, PartBody, PartId, Role,
    Session, SessionId, SessionPage, Status,
};
use switchboard_core::ports::{
    Claim, CommitError, Fetched, Post, Posted, Read, ReadError, Saved, SessionLink, Store, StoreError, Transport,
};

use crate::refresh::BEGINNING;

/// A server with one directory, that answers at once.
pub(crate) struct Server {
    sessions: RefCell<SortedMap<SessionId, Session>>,
    /// How many messages each session has. They are made when they are read.
    messages: usize,
    busy: SortedMap<SessionId, Status>,
    /// Refreshes of the directory that have begun.
    pub(crate) refreshes: Cell<usize>,
    /// Time spent on making answers.
    pub(crate) spent: Cell<Duration>,
}

impl Server {
    pub(crate) fn new(sessions: usize, busy: usize, messages: usize) -> Self {
        let all = (0..sessions).map(|number| {
            let id = session_id(number);
            (id.clone(), session(id, number))
        });
        Self {
            sessions: RefCell::new(all.collect()),
            messages,
            busy: (0..busy).map(|number| (session_id(number), Status::Busy)).collect(),
            refreshes: Cell::default(),
            spent: Cell::default(),
        }
    }

    /// Changes the newest message of every session.
    pub(crate) fn change_all(&self) {
        for session in self.sessions.borrow_mut().values_mut() {
            session.updated += 1;
        }
    }

    fn answer(&self, read: Read) -> Fetched {
        let sessions = self.sessions.borrow();
        match read {
            Read::Health => Fetched::Health(Health {
                version: "1.18.33".to_owned(),
            }),
            Read::Directories => Fetched::Directories(vec![directory()]),
            Read::Sessions { since, .. } => {
                let all = sessions.values();
                let mut sessions: Vec<_> = all
                    .filter(|session| session.updated >= since.unwrap_or(0))
                    .cloned()
                    .collect();
                sessions.sort_by_key(|session| std::cmp::Reverse(session.updated));
                Fetched::Sessions(SessionPage { sessions, next: None })
            }
            Read::Session { session, .. } => Fetched::Session(Box::new(sessions[&session].clone())),
            Read::Questions(_) | Read::Permissions(_) => Fetched::Requests(Vec::new()),
            Read::Status(_) => {
                self.refreshes.set(self.refreshes.get() + 1);
                Fetched::Statuses(self.busy.clone())
            }
            Read::Messages { session, limit, .. } => {
                let first = self.messages.saturating_sub(limit as usize);
                let messages = (first..self.messages).map(|place| self.message(&sessions[&session], place));
                Fetched::Page(Page {
                    messages: messages.collect(),
                    older: (first > 0).then(|| first.to_string()),
                })
            }
            Read::Message { session, message, .. } => {
                let mut all = (0..self.messages).map(|place| self.message(&sessions[&session], place));
                let found = all.find(|one| one.id == message);
                Fetched::Message(Box::new(found.expect("the board asks for what it has seen")))
            }
        }
    }

    /// One message. The newest one changes with its session.
    fn message(&self, session: &Session, place: usize) -> Message {
        let is_newest = place + 1 == self.messages;
        message(&session.id, place, if is_newest { session.updated } else { 0 })
    }
}

impl Transport for Server {
    fn read(&self, read: Read) -> LocalBoxFuture<'static, Result<Fetched, ReadError>> {
        let begin = Instant::now();
        let answer = self.answer(read);
        self.spent.set(self.spent.get() + begin.elapsed());
        ready(Ok(answer)).boxed_local()
    }

    fn post(&self, _: Post) -> LocalBoxFuture<'static, Posted> {
        ready(Posted::Accepted).boxed_local()
    }
}

/// Keeps nothing: nothing is sent.
pub(crate) struct NoStore;

impl Store for NoStore {
    fn load(&self) -> LocalBoxFuture<'static, Result<Saved, StoreError>> {
        ready(Ok(Saved::default())).boxed_local()
    }

    fn commit(&self, _: Arc<Entry>, _: Option<u64>) -> LocalBoxFuture<'static, Result<(), CommitError>> {
        ready(Ok(())).boxed_local()
    }

    fn keep_draft(&self, draft: Draft, _: Option<Draft>) -> LocalBoxFuture<'static, Result<Draft, StoreError>> {
        ready(Ok(draft)).boxed_local()
    }

    fn drop_draft(&self, _: DraftKey) -> LocalBoxFuture<'static, Result<(), StoreError>> {
        ready(Ok(())).boxed_local()
    }

    fn load_figures(&self) -> LocalBoxFuture<'static, Result<Vec<Figure>, StoreError>> {
        ready(Ok(Vec::new())).boxed_local()
    }

    fn keep_figure(&self, _: Figure) -> LocalBoxFuture<'static, Result<(), StoreError>> {
        ready(Ok(())).boxed_local()
    }

    fn keep_link(&self, _: SessionLink) -> LocalBoxFuture<'static, Result<(), StoreError>> {
        ready(Ok(())).boxed_local()
    }

    fn claim(&self, _: EntryId) -> LocalBoxFuture<'static, Option<Claim>> {
        ready(None).boxed_local()
    }
}

fn directory() -> Directory {
    Directory::from("/project")
}

pub(crate) fn session_id(number: usize) -> SessionId {
    SessionId::from(format!("ses_{number:06}"))
}

fn session(id: SessionId, number: usize) -> Session {
    let updated = BEGINNING.0 - number as u64;
    Session {
        title: format!("Session {number}"),
        id,
        directory: directory(),
        parent: None,
        created: updated,
        updated,
        archived: false,
        cost: None,
    }
}

fn message(session: &SessionId, place: usize, revision: u64) -> Message {
    let paragraph = "A paragraph of the size that agents like to write, with a name or two in it. ";
    let text = PartBody::Text {
        text: format!("{}{revision}", paragraph.repeat(10)),
        synthetic: false,
    };
    let created = BEGINNING.0 - 1_000_000 + place as u64;
    let is_user = place.is_multiple_of(10);
    Message {
        id: MessageId::from(format!("msg_{place:06}{session}")),
        session: session.clone(),
        role: if is_user { Role::User } else { Role::Assistant },
        created,
        completed: (!is_user).then_some(created),
        error: None,
        finish: (!is_user).then(|| "tool-calls".to_owned()),
        parent: None,
        agent: None,
        model: None,
        cost: None,
        context_tokens: None,
        summary: false,
        fault: None,
        parts: vec![Part {
            id: PartId::from(format!("prt_{place:06}{session}")),
            body: text,
        }],
    }
}
