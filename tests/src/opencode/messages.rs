//! What is on the server's disk: sessions, messages and parts.

use std::collections::BTreeMap;

use switchboard_core::model::{
    Directory, Message, MessageId, ModelRef, Part, PartBody, PartId, Prompt, Role, Session, SessionId, ToolPart,
};

use super::OpenCode;
use super::run::newest_prompt;
use super::state::{Stored, plain};

impl OpenCode {
    pub(super) fn add_session(&self, directory: &Directory, parent: Option<SessionId>, title: &str) -> Session {
        let now = self.stamp();
        let session = Session {
            id: SessionId::new(self.id("ses")),
            directory: plain(directory),
            parent,
            title: title.to_owned(),
            created: now,
            updated: now,
            archived: false,
            cost: None,
        };
        let stored = Stored {
            session: session.clone(),
            messages: Vec::new(),
            arrivals: BTreeMap::new(),
        };
        self.with(|state| state.sessions.insert(session.id.clone(), stored));
        session
    }

    /// Moves `time.updated`: a prompt arrived, a step began or a run ended.
    pub fn touch(&self, session: &SessionId) {
        let now = self.stamp();
        self.with(|state| {
            if let Some(stored) = state.sessions.get_mut(session) {
                stored.session.updated = now;
            }
        });
    }

    pub(super) fn add_user(&self, session: &SessionId, id: MessageId, part: PartId, text: &str) {
        let body = PartBody::Text {
            text: text.to_owned(),
            synthetic: false,
        };
        let parts = (!text.is_empty()).then_some(Part { id: part, body });
        self.add(Message {
            parts: parts.into_iter().collect(),
            ..self.blank(session, id, Role::User)
        });
    }

    /// Sets who is spoken to, as far as it is said.
    pub(super) fn address(
        &self,
        session: &SessionId,
        message: &MessageId,
        agent: Option<&str>,
        model: Option<&ModelRef>,
    ) {
        self.change_message(session, message, |message| {
            if let Some(agent) = agent {
                message.agent = Some(agent.to_owned());
            }
            if let Some(model) = model {
                message.model = Some(model.clone());
            }
        });
    }

    /// Adds the empty message of a step, which answers the newest user message.
    pub(super) fn add_assistant(&self, session: &SessionId) -> MessageId {
        let id = MessageId::new(self.id("msg"));
        let parent = self.with_messages(session, |messages| {
            newest_prompt(messages).map(|message| message.id.clone())
        });
        self.add(Message {
            parent,
            ..self.blank(session, id.clone(), Role::Assistant)
        });
        id
    }

    /// The model is that of the newest prompt. So is the agent of an answer; a prompt goes to the first one unless it says more.
    fn blank(&self, session: &SessionId, id: MessageId, role: Role) -> Message {
        let (agent, model) = self.with_messages(session, |messages| {
            let last = newest_prompt(messages);
            let agent = last
                .filter(|_| role != Role::User)
                .and_then(|last| last.agent.clone())
                .unwrap_or_else(|| "build".to_owned());
            let model = last.and_then(|last| last.model.clone()).unwrap_or_else(the_model);
            (Some(agent), Some(model))
        });
        Message {
            id,
            session: session.clone(),
            role,
            created: self.stamp(),
            completed: None,
            error: None,
            finish: None,
            parent: None,
            agent,
            model,
            cost: None,
            context_tokens: None,
            summary: false,
            fault: None,
            parts: Vec::new(),
        }
    }

    fn add(&self, message: Message) {
        self.with(|state| {
            if let Some(stored) = state.sessions.get_mut(&message.session) {
                stored.arrivals.insert(message.id.clone(), message.created);
                stored.messages.push(message);
                let arrivals = &stored.arrivals;
                stored.messages.sort_by_key(|message| arrivals.get(&message.id));
            }
        });
    }

    pub(super) fn add_part(&self, session: &SessionId, message: &MessageId, body: PartBody) -> PartId {
        let id = PartId::new(self.id("prt"));
        let part = Part { id: id.clone(), body };
        self.change_message(session, message, |message| message.parts.push(part));
        id
    }

    /// Changes a message; nothing happens when it is no longer there.
    pub(super) fn change_message(&self, session: &SessionId, id: &MessageId, change: impl FnOnce(&mut Message)) {
        self.with(|state| {
            let stored = state.sessions.get_mut(session);
            if let Some(message) =
                stored.and_then(|stored| stored.messages.iter_mut().find(|message| message.id == *id))
            {
                change(message);
            }
        });
    }

    /// Changes a part; nothing happens when it is no longer there.
    pub(super) fn change_part(
        &self,
        session: &SessionId,
        message: &MessageId,
        id: &PartId,
        change: impl FnOnce(&mut PartBody),
    ) {
        self.change_message(session, message, |message| {
            if let Some(part) = message.parts.iter_mut().find(|part| part.id == *id) {
                change(&mut part.body);
            }
        });
    }

    pub(super) fn change_tool(
        &self,
        session: &SessionId,
        message: &MessageId,
        id: &PartId,
        change: impl FnOnce(&mut ToolPart),
    ) {
        self.change_part(session, message, id, |body| {
            if let PartBody::Tool(tool) = body {
                change(tool);
            }
        });
    }

    /// Puts finished exchanges into a session, so that it has a past.
    pub fn fill(&self, session: &SessionId, exchanges: usize) {
        for number in 1..=exchanges {
            let user = MessageId::new(self.id("msg"));
            let part = PartId::new(self.id("prt"));
            self.add_user(session, user, part, &format!("prompt {number}"));
            let assistant = self.add_assistant(session);
            let text = format!("answer {number}");
            self.add_part(session, &assistant, PartBody::Text { text, synthetic: false });
            let now = self.stamp();
            self.change_message(session, &assistant, |message| {
                message.finish = Some("stop".to_owned());
                message.completed = Some(now);
            });
        }
        self.touch(session);
    }

    /// Stores a prompt with a format, which no model answers.
    pub fn store_with_format(&self, session: &SessionId, prompt: &Prompt) {
        self.add_user(session, prompt.message.clone(), prompt.part.clone(), &prompt.text);
        self.with(|state| state.spoiled.insert(prompt.message.clone()));
        self.touch(session);
    }

    /// Removes a message, as a revert or a compaction does.
    pub fn remove_message(&self, session: &SessionId, id: &MessageId) {
        self.with(|state| {
            if let Some(stored) = state.sessions.get_mut(session) {
                stored.messages.retain(|message| message.id != *id);
                stored.arrivals.remove(id);
            }
        });
    }
}

/// The scripted model.
pub(super) fn the_model() -> ModelRef {
    ModelRef {
        provider: "stub".to_owned(),
        model: "scripted".to_owned(),
    }
}
