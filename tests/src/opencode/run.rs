//! A run: from a prompt to idle, one step of the model after the other (docs/opencode.md, sections 3 and 5).

use std::time::Duration;

use futures::channel::oneshot;
use switchboard_core::model::{Message, MessageError, MessageId, Role, SessionId, Status};

use super::history::Event;
use super::messages::the_model;
use super::state::{Run, RunEnd};
use super::{OpenCode, timing};

/// How a step ended.
pub(super) enum StepEnd {
    /// The model is asked again.
    Continues,
    /// The model has said its last word, unless somebody has prompted in the meantime.
    Finished,
    /// A question was dismissed or a permission rejected, in these words.
    Blocked(String),
    /// The provider failed.
    Failed { message: MessageId, error: MessageError },
}

impl OpenCode {
    /// Begins a run, unless one goes on: then its next step reads what is new.
    pub(super) fn begin_run(&self, session: &SessionId, after: Duration, done: Option<oneshot::Sender<RunEnd>>) {
        let Some(directory) = self.with(|state| state.directory(session)) else {
            return;
        };
        if self.has_run(session) || !self.has_work(session) || !self.knows_model(session) {
            return;
        }
        let (server, id) = (self.clone(), session.clone());
        let task = self.0.executor.spawn(self.group(), async move {
            server.pause(after).await;
            server.run(&id).await;
        });
        self.with(|state| {
            state
                .instance(&directory)
                .runs
                .insert(session.clone(), Run { task, done })
        });
    }

    pub(super) fn has_run(&self, session: &SessionId) -> bool {
        self.with(|state| {
            let directory = state.directory(session);
            directory.is_some_and(|directory| state.instance(&directory).runs.contains_key(session))
        })
    }

    async fn run(&self, session: &SessionId) {
        self.set_status(session, Some(Status::Busy));
        self.tell(Event::RunBegan {
            session: session.clone(),
        });
        loop {
            match self.step(session).await {
                StepEnd::Continues => {}
                StepEnd::Finished => {
                    self.pause(timing::IDLE).await;
                    if !self.has_work(session) {
                        let text = self.with_messages(session, |messages| {
                            messages.last().map(|last| last.text()).unwrap_or_default()
                        });
                        return self.end_run(session, RunEnd::Finished(text));
                    }
                }
                StepEnd::Blocked(reason) => {
                    self.pause(timing::IDLE).await;
                    return self.end_run(session, RunEnd::Blocked(reason));
                }
                StepEnd::Failed { message, error } => {
                    self.set_status(session, None);
                    let span = self.with(|state| state.closes_after);
                    self.pause(span).await;
                    let now = self.stamp();
                    let text = error.message.clone();
                    self.change_message(session, &message, |message| {
                        message.completed = Some(now);
                        message.error = Some(error);
                    });
                    // A run that fails leaves its session where it was (docs/opencode.md §4).
                    return self.close_run(session, RunEnd::Finished(text));
                }
            }
        }
    }

    fn end_run(&self, session: &SessionId, end: RunEnd) {
        self.set_status(session, None);
        self.touch(session);
        self.close_run(session, end);
    }

    fn close_run(&self, session: &SessionId, end: RunEnd) {
        self.tell(Event::RunEnded {
            session: session.clone(),
            blocked: matches!(end, RunEnd::Blocked(_)),
        });
        let run = self.with(|state| {
            let directory = state.directory(session)?;
            state.instance(&directory).runs.remove(session)
        });
        if let Some(done) = run.and_then(|run| run.done) {
            let _ = done.send(end);
        }
    }

    pub(super) fn set_status(&self, session: &SessionId, status: Option<Status>) {
        self.with(|state| {
            let Some(directory) = state.directory(session) else {
                return;
            };
            let statuses = &mut state.instance(&directory).statuses;
            match status {
                Some(status) => statuses.insert(session.clone(), status),
                None => statuses.remove(session),
            };
        });
    }

    /// True unless the last answer is to the newest prompt, and complete.
    pub(super) fn has_work(&self, session: &SessionId) -> bool {
        self.with_messages(session, |messages| {
            let Some(prompt) = newest_prompt(messages) else {
                return false;
            };
            let answer = messages.iter().rfind(|message| message.role == Role::Assistant);
            !answer.is_some_and(|answer| {
                let is_complete = !matches!(answer.finish.as_deref(), None | Some("tool-calls" | "unknown"));
                is_complete && answer.parent.as_ref() == Some(&prompt.id)
            })
        })
    }

    /// A prompt to a model that does not exist stays without any answer.
    fn knows_model(&self, session: &SessionId) -> bool {
        self.with_messages(session, |messages| {
            let model = newest_prompt(messages).and_then(|prompt| prompt.model.as_ref());
            model.is_some_and(|model| *model == the_model())
        })
    }
}

/// The prompt that is answered next: one that is sent again is new again, and keeps its place in the list.
pub(super) fn newest_prompt(messages: &[Message]) -> Option<&Message> {
    let prompts = messages.iter().filter(|message| message.role == Role::User);
    prompts.max_by_key(|prompt| prompt.created)
}
