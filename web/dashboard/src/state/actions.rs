//! What a person does: the calls that components make. Everything else about the server they only read.

use std::sync::Arc;

use leptos::prelude::*;
use switchboard_core::metrics::Figure;
use switchboard_core::model::{
    Directory, Draft, DraftField, DraftKey, DraftText, EntryId, Reply, Request, RequestId, SessionId,
};
use switchboard_core::policy::Unattended;
use switchboard_core::{AnswerError, Answering, Handle, PostFailure, PromptError, PromptOptions, RescueError, Storing};

/// The calls that components make. Comes from context.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Actions {
    handle: StoredValue<Handle, LocalStorage>,
}

impl Actions {
    /// Passes everything on to `handle`.
    pub(crate) fn new(handle: Handle) -> Self {
        Self {
            handle: StoredValue::new_local(handle),
        }
    }

    /// Answers a request as it was shown. Sending starts at once; the future may be dropped.
    pub(crate) fn answer(self, shown: &Request, reply: Reply) -> Result<Answering, AnswerError> {
        self.handle.with_value(|handle| handle.answer(shown, reply))
    }

    /// Sets what happens to requests that nobody answers.
    pub(crate) fn set_unattended(self, unattended: Unattended) {
        self.handle.with_value(|handle| handle.set_unattended(unattended));
    }

    /// Keeps a policy from answering a request.
    pub(crate) fn stop_countdown(self, request: &RequestId) {
        self.handle.with_value(|handle| handle.stop_countdown(request));
    }

    /// The figures of the requests of the last 30 days.
    pub(crate) fn figures(self) -> Vec<Figure> {
        self.handle.with_value(Handle::figures)
    }

    /// Keeps what is filled in for a request; blank fields drop the draft.
    pub(crate) fn draft_form(self, request: Arc<Request>, fields: Vec<DraftField>) {
        let key = DraftKey::Request(request.id.clone());
        let text = DraftText::Form { request, fields };
        self.handle.with_value(|handle| handle.draft(Draft { key, text }));
    }

    /// Keeps what is typed into the prompt box of a session; a blank text drops the draft.
    pub(crate) fn draft_prompt(self, session: &SessionId, text: String) {
        let key = DraftKey::Prompt(session.clone());
        let text = DraftText::Prompt(text);
        self.handle.with_value(|handle| handle.draft(Draft { key, text }));
    }

    /// Sends a prompt. Resolves when the server has it; the future may be dropped.
    pub(crate) fn prompt(
        self,
        session: &SessionId,
        text: &str,
        options: PromptOptions,
    ) -> Result<Storing, PromptError> {
        self.handle.with_value(|handle| handle.prompt(session, text, options))
    }

    /// Starts a run over the prompts of a session that were never picked up. The future may be dropped.
    pub(crate) fn start(self, session: &SessionId) -> Result<Storing, PromptError> {
        self.handle.with_value(|handle| handle.start(session))
    }

    /// Rejects a question that the server still lists although its call has ended. The future may be dropped.
    pub(crate) fn clear_ghost(self, request: &RequestId) -> impl Future<Output = Result<(), PostFailure>> + use<> {
        self.handle.with_value(|handle| handle.clear_ghost(request))
    }

    /// Stops the run of a session. Sending starts at once; the future may be dropped.
    pub(crate) fn abort(self, session: &SessionId) -> impl Future<Output = Result<(), PostFailure>> + use<> {
        self.handle.with_value(|handle| handle.abort(session))
    }

    /// Makes a session. Sending starts at once; the future may be dropped.
    pub(crate) fn create_session(
        self,
        directory: &Directory,
        title: Option<String>,
    ) -> impl Future<Output = Result<SessionId, PostFailure>> + use<> {
        self.handle.with_value(|handle| handle.create_session(directory, title))
    }

    /// Sends the answer of a dead request as a message.
    pub(crate) fn rescue(self, request: &RequestId) -> Result<Storing, RescueError> {
        self.handle.with_value(|handle| handle.rescue(request))
    }

    /// Gives up the text of a dead request.
    pub(crate) fn discard(self, request: &RequestId) {
        self.handle.with_value(|handle| handle.discard(request));
    }

    /// Gives up a prompt that was not taken.
    pub(crate) fn discard_prompt(self, entry: &EntryId) {
        self.handle.with_value(|handle| handle.discard_prompt(entry));
    }

    /// Says whose messages are wanted.
    pub(crate) fn open(self, session: Option<&SessionId>) {
        self.handle.with_value(|handle| handle.open(session));
    }

    /// Asks for older messages of the open session.
    pub(crate) fn load_older(self) {
        self.handle.with_value(Handle::load_older);
    }

    /// Refreshes and sends now what would be tried again later.
    pub(crate) fn try_now(self) {
        self.handle.with_value(Handle::try_now);
    }
}
