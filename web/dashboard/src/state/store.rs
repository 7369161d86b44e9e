//! What the server shows, as signals. [`Store::following`] is the one place that writes them.
//!
//! Core shares the parts of a view (`Arc`) and keeps those that did not change, so parts are compared by pointer.

use std::sync::Arc;

use futures::StreamExt;
use leptos::prelude::*;
use leptos::task::spawn_local_scoped_with_cancellation;
use switchboard_core::model::{RequestId, SessionId};
use switchboard_core::view::{PromptView, RequestView, ServerView, SessionView, Timeline, View};
use switchboard_core::{Handle, List};

/// The newest view of the server, in parts. Comes from context.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Store {
    view: RwSignal<Arc<View>>,
    server: Memo<ServerView>,
    requests: Memo<List<RequestView>>,
    sessions: Memo<List<SessionView>>,
    timeline: Memo<Option<Arc<Timeline>>>,
    prompts: Memo<List<PromptView>>,
}

impl Store {
    /// Shows what `handle` knows, and goes on until it is closed or the owner of the store is gone.
    pub(crate) fn following(handle: &Handle) -> Self {
        let store = Self::new(handle.view());
        let mut views = handle.views();
        spawn_local_scoped_with_cancellation(async move {
            while let Some(view) = views.next().await {
                store.view.set(view);
            }
        });
        store
    }

    fn new(view: Arc<View>) -> Self {
        let view = RwSignal::new(view);
        Self {
            view,
            server: Memo::new(move |_| view.with(|view| view.server.clone())),
            requests: shared_list(move || view.with(|view| view.requests.clone())),
            sessions: shared_list(move || view.with(|view| view.sessions.clone())),
            timeline: shared(move || view.with(|view| view.timeline.clone())),
            prompts: shared_list(move || view.with(|view| view.prompts.clone())),
        }
    }

    /// The server itself.
    pub(crate) fn server(self) -> Memo<ServerView> {
        self.server
    }

    /// All requests that are shown, oldest first.
    pub(crate) fn requests(self) -> Memo<List<RequestView>> {
        self.requests
    }

    /// One request.
    pub(crate) fn request(self, id: RequestId) -> Memo<Option<Arc<RequestView>>> {
        shared(move || self.view.with(|view| view.request(&id).cloned()))
    }

    /// All sessions, newest first.
    pub(crate) fn sessions(self) -> Memo<List<SessionView>> {
        self.sessions
    }

    /// One session.
    pub(crate) fn session(self, id: SessionId) -> Memo<Option<Arc<SessionView>>> {
        shared(move || self.view.with(|view| view.session(&id).cloned()))
    }

    /// The messages of the open session.
    pub(crate) fn timeline(self) -> Memo<Option<Arc<Timeline>>> {
        self.timeline
    }

    /// Prompts that are on their way or were not taken.
    pub(crate) fn prompts(self) -> Memo<List<PromptView>> {
        self.prompts
    }

    /// The draft in the prompt box of a session as it was kept.
    pub(crate) fn prompt_draft(self, session: SessionId) -> Memo<Option<String>> {
        Memo::new(move |_| self.view.with(|view| view.prompt_drafts.get(&session).cloned()))
    }

    /// How many requests wait for a person.
    pub(crate) fn waiting(self) -> usize {
        self.requests
            .with(|requests| requests.iter().filter(|request| request.state.is_waiting()).count())
    }
}

fn shared<T: Send + Sync + 'static>(read: impl Fn() -> Option<Arc<T>> + Send + Sync + 'static) -> Memo<Option<Arc<T>>> {
    Memo::new_with_compare(
        move |_| read(),
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
