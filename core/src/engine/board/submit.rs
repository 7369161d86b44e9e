//! What a person does: answers, prompts, rescues, stops, makes sessions.

use std::sync::Arc;

use futures::channel::oneshot;

use crate::engine::action::Action;
use crate::engine::board::Board;
use crate::engine::board::deliver::{message_of, rescue_of};
use crate::engine::outbox::submission::{
    AnswerError, OwnEntry, PromptError, PromptOptions, PromptReceiver, RescueError,
};
use crate::engine::requests::{Resolution, TrackedRequest};
use crate::engine::told::Waiter;
use crate::log::Level;
use crate::metrics::AnsweredBy;
use crate::model::{
    Answers, Ask, Directory, Draft, DraftKey, ElsewhereAnswer, Entry, EntryId, MessageId, Outcome, Prompt, PromptIds,
    Question, Reply, Request, RequestId, Sent, SessionId, Stage, validate,
};
use crate::ports::{Post, Posted, SessionLink};
use crate::time::Time;
use crate::view::{Rescue, SessionRef};

/// Something that a caller awaits and that is in no ledger, or only under another name.
#[derive(Debug)]
pub(crate) enum Commanded {
    /// The end of a prompt.
    Prompt {
        entry: EntryId,
        waiter: Option<Waiter<(Outcome, MessageId)>>,
    },
    /// The result of a send.
    Post {
        session: Option<SessionId>,
        waiter: Option<Waiter<Posted>>,
    },
}

impl Commanded {
    /// Whether this awaits the end of that prompt.
    pub(crate) fn is_prompt(&self, prompt: &EntryId) -> bool {
        matches!(self, Commanded::Prompt { entry, .. } if entry == prompt)
    }

    /// Tells the end of a prompt to whoever awaits it, and which message it was: another tab may have sent the same answer
    /// first. Returns true when this was the one.
    pub(crate) fn handle_prompt_ended(&mut self, ended: &EntryId, outcome: &Outcome, message: &MessageId) -> bool {
        let Commanded::Prompt { entry, waiter } = self else {
            return false;
        };
        if entry != ended {
            return false;
        }
        if let Some(waiter) = waiter.take() {
            waiter.tell((outcome.clone(), message.clone()));
        }
        true
    }
}

impl Board {
    /// Takes an answer to a request as it was `shown`. Sending begins at once; the receiver hears how the request ends.
    pub(crate) fn answer(
        &mut self,
        shown: &Request,
        reply: Reply,
        now: Time,
    ) -> Result<oneshot::Receiver<Resolution>, AnswerError> {
        match self.requests.get(&shown.id) {
            Some(tracked) if tracked.ended().is_none() && !tracked.request.asks_the_same(shown) => {
                Err(AnswerError::Changed(tracked.request.clone()))
            }
            Some(_) | None => self.reply(&shown.id, reply, AnsweredBy::Here, now),
        }
    }

    /// Takes an answer of a person, or of a policy.
    pub(crate) fn reply(
        &mut self,
        id: &RequestId,
        reply: Reply,
        by: AnsweredBy,
        now: Time,
    ) -> Result<oneshot::Receiver<Resolution>, AnswerError> {
        let tracked = self
            .requests
            .get_mut(id)
            .ok_or_else(|| AnswerError::Unknown(id.clone()))?;
        validate(&tracked.request, &reply).map_err(AnswerError::Invalid)?;
        if let Some((outcome, _)) = tracked.ended() {
            return Err(AnswerError::Ended(outcome.clone()));
        }
        let entry = tracked.entry.clone();
        if let Some(delivery) = self.outbox.queue.get(&entry)
            && delivery.entry.is_on_its_way()
            && let Sent::Reply { reply: sent, .. } = &delivery.entry.sent
        {
            return Err(AnswerError::AlreadySent(sent.summary()));
        }
        let request = tracked.request.clone();
        let (waiter, receiver) = self.told.waiter();
        tracked.wait(waiter);
        let (session, directory) = (request.session.clone(), request.directory.clone());
        let by_policy = by == AnsweredBy::Policy;
        let sent = Sent::Reply {
            request,
            reply,
            by_policy,
        };
        self.enter(entry, session, directory, sent, now);
        self.note(id, |figure| {
            if figure.confirmed.is_none() {
                figure.answered = Some(now);
                figure.by = Some(by);
            }
        });
        Ok(receiver)
    }

    /// Takes a prompt. The receiver hears whether it is stored.
    pub(crate) fn prompt(
        &mut self,
        session: &SessionId,
        text: &str,
        options: PromptOptions,
        now: Time,
    ) -> Result<(MessageId, PromptReceiver), PromptError> {
        self.prompt_as(None, session, text, options, now)
    }

    /// Takes a prompt as an entry of the caller's own, if there is one.
    pub(crate) fn prompt_as(
        &mut self,
        own: Option<OwnEntry>,
        session: &SessionId,
        text: &str,
        options: PromptOptions,
        now: Time,
    ) -> Result<(MessageId, PromptReceiver), PromptError> {
        if text.trim().is_empty() {
            return Err(PromptError::Empty);
        }
        let directory = self.directory_of(session)?;
        let is_own = own.is_some();
        let (message, receiver) =
            self.enter_prompt(own, session.clone(), directory, text.to_owned(), options, None, now);
        let key = DraftKey::Prompt(session.clone());
        // A program may follow up while a person types something else.
        if !is_own && self.drafts.get(&key).is_some_and(|draft| draft.says(text)) {
            self.drafts.send(key, EntryId::new(message.as_str()));
        }
        Ok((message, receiver))
    }

    /// A prompt that is on its way, or is stored already: its message, and how it has ended. One that was refused or withdrawn is
    /// none: it may be sent again.
    pub(crate) fn held_prompt(&self, entry: &EntryId) -> Option<(MessageId, Option<Outcome>)> {
        let entry = &self.outbox.queue.get(entry)?.entry;
        let message = message_of(entry)?;
        match &entry.stage {
            Stage::Ended {
                outcome: outcome @ Outcome::Confirmed { .. },
                ..
            } => Some((message, Some(outcome.clone()))),
            Stage::Saved | Stage::Attempting { .. } | Stage::Attempted { .. } | Stage::Ended { .. } => {
                entry.is_on_its_way().then_some((message, None))
            }
        }
    }

    /// Takes a prompt of the caller's own. Where the board holds it already, the receiver hears of that one.
    pub(crate) fn prompt_once(
        &mut self,
        own: OwnEntry,
        session: &SessionId,
        text: &str,
        now: Time,
    ) -> Result<(MessageId, PromptReceiver), PromptError> {
        match self.held_prompt(&own.entry) {
            Some((message, Some(outcome))) => {
                let (sender, receiver) = self.told.waiter();
                sender.tell((outcome, message.clone()));
                Ok((message, receiver))
            }
            Some((message, None)) => Ok((message, self.await_prompt(own.entry))),
            None => self.prompt_as(Some(own), session, text, PromptOptions::default(), now),
        }
    }

    /// Sends a prompt without a text. The receiver hears whether it is stored.
    pub(crate) fn start(&mut self, session: &SessionId, now: Time) -> Result<(MessageId, PromptReceiver), PromptError> {
        let directory = self.directory_of(session)?;
        let options = PromptOptions::default();
        Ok(self.enter_prompt(None, session.clone(), directory, String::new(), options, None, now))
    }

    fn directory_of(&self, session: &SessionId) -> Result<Directory, PromptError> {
        let node = self.sessions.nodes.get(session);
        let node = node.ok_or_else(|| PromptError::UnknownSession(session.clone()))?;
        Ok(node.session.directory.clone())
    }

    /// Sends the answer of a dead question as a message that quotes it (requirements R7).
    pub(crate) fn rescue(&mut self, id: &RequestId, now: Time) -> Result<(MessageId, PromptReceiver), RescueError> {
        let tracked = self.requests.get(id).filter(|tracked| tracked.ended().is_some());
        let tracked = tracked.ok_or_else(|| RescueError::NotDead(id.clone()))?;
        if tracked.request.permission().is_some() {
            return Err(RescueError::Permission);
        }
        if matches!(tracked.ended(), Some((Outcome::Confirmed { .. }, _))) {
            return Err(RescueError::Answered(id.clone()));
        }
        let rescue = self.rescue_of(tracked).ok_or(RescueError::NoSession)?;
        if !rescue.complete {
            return Err(RescueError::NoAnswer);
        }
        let entry = rescue_of(id);
        if self.is_on_its_way(&entry) {
            return Err(RescueError::AlreadySent);
        }
        let node = self.sessions.nodes.get(&rescue.to.id).ok_or(RescueError::NoSession)?;
        let directory = node.session.directory.clone();
        let options = PromptOptions::default();
        Ok(self.enter_prompt(
            Some(OwnEntry::new(entry)),
            rescue.to.id,
            directory,
            rescue.text,
            options,
            Some(id.clone()),
            now,
        ))
    }

    /// Gives up the text of a dead or refused request. Nothing happens to an answer that is on its way.
    pub(crate) fn discard(&mut self, id: &RequestId) {
        if self.is_on_its_way(&EntryId::of_reply(id)) {
            return;
        }
        self.record(Level::Info, format!("{id}: discarded"));
        let ended = self.requests.get(id).is_some_and(|tracked| tracked.ended().is_some());
        if ended {
            self.settle_request(id);
        } else {
            self.outbox.queue.settle(&EntryId::of_reply(id));
            self.drop_draft(DraftKey::Request(id.clone()));
        }
        self.changed = true;
    }

    /// Gives up a prompt that was not taken. Nothing happens to one that is on its way.
    pub(crate) fn discard_prompt(&mut self, entry: &EntryId) {
        if self.is_on_its_way(entry) {
            return;
        }
        self.outbox.queue.settle(entry);
        self.drafts.handle_entry_kept(entry, &mut self.actions);
        self.changed = true;
    }

    /// Rejects a ghost, so that the server lists it no more (requirements R12). The receiver hears what the server said.
    pub(crate) fn clear_ghost(&mut self, id: &RequestId) -> oneshot::Receiver<Posted> {
        let ghost = self.requests.get(id).filter(|tracked| tracked.is_ghost());
        let Some(request) = ghost.map(|tracked| tracked.request.clone()) else {
            let (sender, receiver) = self.told.waiter();
            sender.tell_at_once(Posted::NotFound(format!("{id} is no ghost")));
            return receiver;
        };
        self.record(Level::Info, format!("{id} of {}: cleared", request.session));
        let post = Post::Reply {
            request: request.id.clone(),
            directory: request.directory.clone(),
            reply: Reply::Dismiss,
        };
        self.command(post, Some(request.session.clone()))
    }

    fn is_on_its_way(&self, entry: &EntryId) -> bool {
        let delivery = self.outbox.queue.get(entry);
        delivery.is_some_and(|delivery| delivery.entry.is_on_its_way())
    }

    /// Keeps a draft; a blank one is dropped.
    pub(crate) fn draft(&mut self, draft: Draft) {
        if draft.is_blank() {
            return self.drop_draft(draft.key);
        }
        self.changed |= self.drafts.keep(draft, &mut self.actions);
    }

    /// Makes a session. The receiver hears what the server said.
    pub(crate) fn create(&mut self, directory: &Directory, title: Option<String>) -> oneshot::Receiver<Posted> {
        self.command(
            Post::Create {
                directory: directory.clone(),
                title,
            },
            None,
        )
    }

    /// A session was made for another one.
    pub(crate) fn link(&mut self, session: &SessionId, made_for: &SessionId, now: Time) {
        let link = SessionLink {
            session: session.clone(),
            made_for: made_for.clone(),
            made: now,
        };
        self.sessions.links.insert(session.clone(), made_for.clone());
        self.actions.push_back(Action::KeepLink(link));
        if let Some(node) = self.sessions.nodes.get(session) {
            self.observe_session((*node.session).clone(), node.read.unwrap_or_default(), now);
        }
    }

    pub(crate) fn handle_commanded(&mut self, number: u64, posted: Posted, now: Time) {
        self.next_number();
        self.outbox.last_sent = now;
        if self.observe_stop_posted(number, &posted, now) {
            return;
        }
        let Some(Commanded::Post { session, waiter }) = self.waits.posts.remove(&number) else {
            return;
        };
        let directory = match &posted {
            Posted::Created(created) => {
                // On a slow line it has been listed meanwhile, and has moved since it was made.
                self.observe_session((**created).clone(), Time::default(), now);
                Some(created.directory.clone())
            }
            Posted::Accepted
            | Posted::Refused { .. }
            | Posted::NotFound(_)
            | Posted::Unauthorized
            | Posted::InDoubt(_) => session
                .as_ref()
                .and_then(|session| self.sessions.nodes.get(session))
                .map(|node| node.session.directory.clone()),
        };
        if let Some(directory) = directory {
            self.refresh_now(&directory, now);
        }
        if let Some(session) = &session {
            self.observe_shell_posted(session, &posted, now);
        }
        if let Some(waiter) = waiter {
            waiter.tell(posted);
        }
    }

    pub(crate) fn command(&mut self, post: Post, session: Option<SessionId>) -> oneshot::Receiver<Posted> {
        let (sender, receiver) = self.told.waiter();
        let number = self.next_number();
        self.waits.posts.insert(
            number,
            Commanded::Post {
                session,
                waiter: Some(sender),
            },
        );
        self.actions.push_back(Action::Command { number, post });
        receiver
    }

    fn enter(&mut self, id: EntryId, session: SessionId, directory: Directory, sent: Sent, now: Time) {
        self.record(Level::Info, format!("{id}: taken"));
        let entry = Entry {
            id,
            version: 1,
            created: now,
            session,
            directory,
            sent,
            stage: Stage::Saved,
            attempts: 0,
            settled: false,
        };
        self.line_up(&entry, now);
        self.outbox.queue.add(entry, self.number, now);
        self.changed = true;
    }

    #[expect(clippy::too_many_arguments, reason = "one call makes a prompt out of its parts")]
    fn enter_prompt(
        &mut self,
        own: Option<OwnEntry>,
        session: SessionId,
        directory: Directory,
        text: String,
        options: PromptOptions,
        rescues: Option<RequestId>,
        now: Time,
    ) -> (MessageId, PromptReceiver) {
        let (entry, ids) = own.map(|own| (own.entry, own.ids)).unzip();
        let PromptIds { message, part } = ids.flatten().unwrap_or_else(|| self.prompt_ids(now));
        let agent = options
            .agent
            .or_else(|| self.sessions.nodes.get(&session)?.last_agent());
        let entry = entry.unwrap_or_else(|| EntryId::new(message.as_str()));
        let prompt = Prompt {
            message: message.clone(),
            part,
            text,
            agent,
            model: options.model,
        };
        let receiver = self.await_prompt(entry.clone());
        self.enter(
            entry,
            session,
            directory,
            Sent::Prompt {
                prompt: Arc::new(prompt),
                rescues,
            },
            now,
        );
        (message, receiver)
    }

    /// Hears how a prompt ends.
    fn await_prompt(&mut self, entry: EntryId) -> PromptReceiver {
        let (sender, receiver) = self.told.waiter();
        let number = self.next_number();
        let waiter = Some(sender);
        self.waits.posts.insert(number, Commanded::Prompt { entry, waiter });
        receiver
    }

    /// The message that could carry the answer of a dead question, and who would get it.
    pub(crate) fn rescue_of(&self, tracked: &TrackedRequest) -> Option<Rescue> {
        let request = &tracked.request;
        let Ask::Questions(questions) = &request.ask else {
            return None;
        };
        let (outcome, _) = tracked.ended()?;
        let to = self.living_ancestor(&request.session)?;
        let taken = match outcome {
            Outcome::AnsweredElsewhere(ElsewhereAnswer::Answers(taken)) => Some(taken),
            Outcome::AnsweredElsewhere(_)
            | Outcome::Confirmed { .. }
            | Outcome::Dismissed
            | Outcome::Gone(_)
            | Outcome::Cancelled { .. } => None,
        };
        let answers = self.answers_for(request, taken);
        let complete = answers
            .as_ref()
            .is_some_and(|answers| answers.iter().any(|given| !given.is_empty()));
        Some(Rescue {
            text: message_text(questions, answers.as_deref(), taken.is_some()),
            to,
            complete,
        })
    }

    /// What was sent or, before that, drafted. What another tab has sent is not the answer of this one.
    fn answers_for(&self, request: &Request, taken: Option<&Answers>) -> Option<Vec<Vec<String>>> {
        let sent = self
            .outbox
            .queue
            .get(&EntryId::of_reply(&request.id))
            .and_then(|delivery| match &delivery.entry.sent {
                Sent::Reply {
                    reply: Reply::Answers(answers),
                    ..
                } => Some(answers.clone()),
                Sent::Reply { .. } | Sent::Prompt { .. } => None,
            });
        let sent = sent.filter(|sent| Some(sent) != taken);
        sent.or_else(|| self.drafts.get(&DraftKey::Request(request.id.clone()))?.answers())
    }

    /// The session itself if it can take a message whose reply reaches somebody: it has no parent, or its parent still
    /// waits for it. Otherwise the nearest ancestor of which that is true.
    fn living_ancestor(&self, session: &SessionId) -> Option<SessionRef> {
        let mut next = self.sessions.nodes.get(session);
        let mut nearest = None;
        for _ in 0..crate::engine::board::conclude::NESTING_MAX {
            let Some(node) = next else { break };
            nearest = Some(SessionRef {
                id: node.session.id.clone(),
                title: node.session.title.clone(),
            });
            // Who has made it here awaits it here.
            let parent = node
                .session
                .parent
                .as_ref()
                .filter(|_| !self.sessions.links.contains_key(&node.session.id));
            let parent = parent.and_then(|parent| self.sessions.nodes.get(parent));
            let awaited = parent
                .is_some_and(|parent| parent.is_running() && parent.running_children().contains(&node.session.id));
            if parent.is_none() || awaited {
                break;
            }
            next = parent;
        }
        nearest
    }
}

/// The message that quotes a question: “You asked: … My answer: …”.
fn message_text(questions: &[Question], answers: Option<&[Vec<String>]>, correction: bool) -> String {
    let pairs: Vec<String> = questions
        .iter()
        .enumerate()
        .map(|(place, question)| {
            let given = answers
                .and_then(|answers| answers.get(place))
                .map(|given| given.join(", "))
                .unwrap_or_default();
            format!("You asked: “{}” My answer: {given}", question.text)
        })
        .collect();
    let text = pairs.join("\n\n");
    if correction {
        format!("A correction. {text}")
    } else {
        text
    }
}
