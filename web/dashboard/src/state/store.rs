//! What the server shows, as signals. [`Store::following`] is the one place that writes them.
//!
//! Core shares the parts of a view (`Arc`) and keeps those that did not change, so parts are compared by pointer.

use std::sync::Arc;

use futures::StreamExt;
use leptos::prelude::*;
use leptos::task::spawn_local_scoped_with_cancellation;
use switchboard_core::model::{Message, PartId, RequestId, SessionId};
use switchboard_core::view::{PromptView, RequestView, ServerView, SessionView, Timeline, View};
use switchboard_core::{Handle, List, SortedMap};

use crate::kit::erased::{leave_at_end, memo};
use crate::state::per_message::PerMessage;

/// The newest view of the server, in parts. Comes from context.
///
/// Each part is a signal of its own, which is written only when that part has changed: a token that streams is no news for
/// what shows requests, sessions or messages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Store {
    server: RwSignal<ServerView>,
    requests: RwSignal<List<RequestView>>,
    sessions: RwSignal<List<SessionView>>,
    timeline: RwSignal<Option<Arc<Timeline>>>,
    previews: RwSignal<Previews>,
    prompts: RwSignal<List<PromptView>>,
    prompt_drafts: RwSignal<Arc<SortedMap<SessionId, String>>>,
}

/// The text that streams, by part.
pub(crate) type Previews = SortedMap<PartId, Arc<str>>;

impl Store {
    /// Shows what `handle` knows, and goes on until it is closed or the owner of the store is gone.
    pub(crate) fn following(handle: &Handle) -> Self {
        let store = Self::new(&handle.view());
        let mut views = handle.views();
        spawn_local_scoped_with_cancellation(async move {
            while let Some(view) = views.next().await {
                store.show(&view);
            }
        });
        store
    }

    fn new(view: &View) -> Self {
        Self {
            server: RwSignal::new(view.server.clone()),
            requests: RwSignal::new(view.requests.clone()),
            sessions: RwSignal::new(view.sessions.clone()),
            timeline: RwSignal::new(view.timeline.clone()),
            previews: RwSignal::new(previews_of(view)),
            prompts: RwSignal::new(view.prompts.clone()),
            prompt_drafts: RwSignal::new(view.prompt_drafts.clone()),
        }
    }

    /// Effects run once all parts are written.
    fn show(self, view: &View) {
        write(self.server, &view.server, PartialEq::eq);
        write(self.requests, &view.requests, List::is_same);
        write(self.sessions, &view.sessions, List::is_same);
        write(self.timeline, &view.timeline, is_same_timeline);
        write(self.previews, &previews_of(view), is_same_text);
        write(self.prompts, &view.prompts, List::is_same);
        write(self.prompt_drafts, &view.prompt_drafts, |one, other| {
            Arc::ptr_eq(one, other) || one == other
        });
    }

    /// The server itself.
    pub(crate) fn server(self) -> ReadSignal<ServerView> {
        self.server.read_only()
    }

    /// All requests that are shown, oldest first.
    pub(crate) fn requests(self) -> ReadSignal<List<RequestView>> {
        self.requests.read_only()
    }

    /// One request.
    pub(crate) fn request(self, id: RequestId) -> Memo<Option<Arc<RequestView>>> {
        shared(move || {
            self.requests
                .with(|requests| requests.iter().find(|view| view.request.id == id).cloned())
        })
    }

    /// All sessions, newest first.
    pub(crate) fn sessions(self) -> ReadSignal<List<SessionView>> {
        self.sessions.read_only()
    }

    /// One session.
    pub(crate) fn session(self, id: SessionId) -> Memo<Option<Arc<SessionView>>> {
        shared(move || {
            self.sessions
                .with(|sessions| sessions.iter().find(|view| view.session.id == id).cloned())
        })
    }

    /// The open session, without the text that streams.
    pub(crate) fn timeline(self) -> ReadSignal<Option<Arc<Timeline>>> {
        self.timeline.read_only()
    }

    /// The text that streams in the open session.
    pub(crate) fn previews(self) -> ReadSignal<Previews> {
        self.previews.read_only()
    }

    /// The messages of a session, while it is the open one.
    pub(crate) fn messages(self, session: SessionId) -> Memo<List<Message>> {
        shared_list(move || {
            self.timeline.with(|timeline| {
                let timeline = timeline.as_ref().filter(|timeline| timeline.session == session);
                timeline.map(|timeline| timeline.messages.clone()).unwrap_or_default()
            })
        })
    }

    /// Prompts that are on their way or were not taken.
    pub(crate) fn prompts(self) -> ReadSignal<List<PromptView>> {
        self.prompts.read_only()
    }

    /// The draft in the prompt box of a session as it was kept.
    pub(crate) fn prompt_draft(self, session: SessionId) -> Memo<Option<String>> {
        memo(move || self.prompt_drafts.with(|drafts| drafts.get(&session).cloned()))
    }
}

/// What `look` finds in each of these messages. A message is looked at again only when it has changed itself.
pub(crate) fn in_messages<T: Send + Sync + 'static>(
    messages: Memo<List<Message>>,
    look: impl Fn(&Message) -> T + Send + Sync + 'static,
) -> Memo<PerMessage<T>> {
    Memo::new_owning(move |found: Option<PerMessage<T>>| {
        leave_at_end();
        let mut found = found.unwrap_or_default();
        messages.with(|messages| found.update(messages, &look));
        (found, true)
    })
}

/// What `read` finds, which has changed when another object is found.
pub(crate) fn shared<T: Send + Sync + 'static>(
    read: impl Fn() -> Option<Arc<T>> + Send + Sync + 'static,
) -> Memo<Option<Arc<T>>> {
    shared_of(Box::new(read))
}

#[inline(never)]
fn shared_of<T: Send + Sync + 'static>(read: Box<dyn Fn() -> Option<Arc<T>> + Send + Sync>) -> Memo<Option<Arc<T>>> {
    Memo::new_with_compare(
        move |_| {
            leave_at_end();
            read()
        },
        |old, new| match (old.and_then(Option::as_ref), new.and_then(Option::as_ref)) {
            (Some(old), Some(new)) => !Arc::ptr_eq(old, new),
            (None, None) => false,
            (Some(_), None) | (None, Some(_)) => true,
        },
    )
}

fn shared_list<T: Send + Sync + 'static>(read: impl Fn() -> List<T> + Send + Sync + 'static) -> Memo<List<T>> {
    Memo::new_with_compare(
        move |_| read(),
        |old, new| match (old, new) {
            (Some(old), Some(new)) => !old.is_same(new),
            (Some(_), None) | (None, Some(_)) | (None, None) => true,
        },
    )
}

fn previews_of(view: &View) -> Previews {
    let timeline = view.timeline.as_ref();
    timeline.map(|timeline| timeline.previews.clone()).unwrap_or_default()
}

/// Whether all but the text that streams is the same.
fn is_same_timeline(one: &Option<Arc<Timeline>>, other: &Option<Arc<Timeline>>) -> bool {
    let (Some(one), Some(other)) = (one, other) else {
        return one.is_none() && other.is_none();
    };
    let Timeline {
        session,
        messages,
        older,
        previews: _,
        abandoned,
        catching_up,
        problem,
        fallback,
        ghosts,
    } = &**one;
    Arc::ptr_eq(one, other)
        || messages.is_same(&other.messages)
            && (session, older, catching_up) == (&other.session, &other.older, &other.catching_up)
            && (abandoned, problem, fallback) == (&other.abandoned, &other.problem, &other.fallback)
            && *ghosts == other.ghosts
}

/// A text that grows is another one each time it is shown.
fn is_same_text(one: &Previews, other: &Previews) -> bool {
    one.len() == other.len()
        && one
            .iter()
            .zip(other)
            .all(|((one, text), (other, new))| one == other && Arc::ptr_eq(text, new))
}

fn write<T: Clone + Send + Sync + 'static>(signal: RwSignal<T>, new: &T, is_same: impl FnOnce(&T, &T) -> bool) {
    if !signal.with_untracked(|old| is_same(old, new)) {
        signal.set(new.clone());
    }
}
