//! What the server does when it is told to (docs/opencode.md, sections 1, 2 and 5).

use std::sync::Arc;

use switchboard_core::Time;
use switchboard_core::model::{Directory, Part, PartBody, Prompt, Refusal, Reply, RequestId, SessionId};
use switchboard_core::ports::{Post, Posted};

use super::history::{Client, Event, Reached};
use super::state::{Asked, Verdict};
use super::{Accepted, OpenCode, timing};

/// Agents that exist. A prompt to another one is swallowed (docs/opencode.md, trap 1).
const AGENTS: [&str; 3] = ["build", "plan", "general"];

impl OpenCode {
    /// Takes a send, as of this moment.
    pub fn post(&self, by: Client, post: &Post) -> Posted {
        if let Some(refusal) = refusal_of(post) {
            return refusal;
        }
        match post {
            Post::Reply {
                request,
                directory,
                reply,
            } => self.reply(by, request, directory, reply),
            Post::Prompt { session, prompt, .. } => self.prompt(by, session, prompt),
            Post::Abort { session, .. } => {
                self.tell(Event::Aborted {
                    session: session.clone(),
                    by,
                    works_at: self.works_at(session),
                });
                self.abort(session);
                Posted::Accepted
            }
            Post::Shell { agent, .. } if !AGENTS.contains(&agent.as_str()) => internal_error(),
            Post::Shell { session, command, .. } => self.run_shell(session, command),
            Post::Create { directory, title } => {
                let title = title.as_deref().unwrap_or("New session");
                Posted::Created(Box::new(self.add_session(directory, None, title)))
            }
        }
    }

    /// Whether the answer to a send that was accepted is still to come: a command has to end, a stop to be through.
    #[must_use]
    pub fn is_at_work(&self, post: &Post) -> bool {
        match post {
            Post::Shell { session, .. } => self.status(session).is_some(),
            Post::Abort { session, .. } => self.is_closing(session),
            Post::Reply { .. } | Post::Prompt { .. } | Post::Create { .. } => false,
        }
    }

    fn reply(&self, by: Client, request: &RequestId, directory: &Directory, reply: &Reply) -> Posted {
        let taken = self.with(|state| {
            let asked = &mut state.instance(directory).asked;
            let at = asked.iter().position(|asked| asked.request.id == *request)?;
            Some(asked.remove(at))
        });
        let to = match &taken {
            Some(asked) if asked.is_ghost() => Reached::Ghost,
            Some(_) => Reached::Agent,
            None => Reached::Nothing,
        };
        self.tell(Event::Replied {
            request: request.clone(),
            reply: reply.clone(),
            by,
            to,
        });
        match taken {
            Some(asked) => {
                self.hand_over(asked, directory, reply);
                self.die_after(Accepted::Reply);
                Posted::Accepted
            }
            None if self.with(|state| state.accepts_any_reply) => Posted::Accepted,
            None => Posted::NotFound(format!("request not found: {request}")),
        }
    }

    /// Tells the tool call that waits, and those that the reply takes along.
    fn hand_over(&self, asked: Asked, directory: &Directory, reply: &Reply) {
        let session = asked.request.session.clone();
        if self.session(&session).is_none() {
            self.with(|state| state.instance(directory).statuses.remove(&session));
        }
        let verdict = match reply {
            Reply::Answers(answers) => Verdict::Answered(answers.clone()),
            Reply::Dismiss => Verdict::Dismissed,
            Reply::Once => Verdict::Allowed,
            Reply::Always => {
                self.allow_from_now_on(&asked.request, directory);
                Verdict::Allowed
            }
            Reply::Reject { message } => {
                let others = self.reject_others(&session, directory);
                Verdict::Rejected {
                    message: message.clone(),
                    ends_run: message.is_none() || others > 0,
                }
            }
        };
        // A ghost has nobody who hears this.
        let _ = asked.waiter.send(verdict);
    }

    fn prompt(&self, by: Client, session: &SessionId, prompt: &Arc<Prompt>) -> Posted {
        let Some(directory) = self.with(|state| state.directory(session)) else {
            return Posted::NotFound("Session not found".to_owned());
        };
        self.tell(Event::Prompted {
            session: session.clone(),
            message: prompt.message.clone(),
            by,
        });
        if prompt.agent.as_deref().is_some_and(|agent| !AGENTS.contains(&agent)) {
            return Posted::Accepted;
        }
        let (server, session, prompt) = (self.clone(), session.clone(), Arc::clone(prompt));
        let (stored_at, is_cold) = self.warm_up(&directory);
        self.0.executor.spawn(self.group(), async move {
            server.0.clock.sleep_to(stored_at).await;
            server.store(&session, &prompt);
            let begins_after = if is_cold { timing::BUSY_COLD } else { timing::BUSY };
            server.begin_run(&session, begins_after, None);
        });
        self.die_after(Accepted::Prompt);
        Posted::Accepted
    }

    /// When a prompt that comes in this moment is stored, and whether it is the first one.
    fn warm_up(&self, directory: &Directory) -> (Time, bool) {
        let now = self.now();
        self.with(|state| {
            let cold = if state.starts_cold {
                timing::STORE_COLD
            } else {
                timing::STORE
            };
            let starts_cold = state.starts_cold;
            let instance = state.instance(directory);
            let is_first = instance.warm_from.is_none();
            let warm_from = *instance.warm_from.get_or_insert(now + cold);
            ((now + timing::STORE).max(warm_from), is_first && starts_cold)
        })
    }

    /// Stores a prompt, in the session that has its id if there is one: ids of messages are one space for all sessions.
    ///
    /// The same ids again make no second message. It has the text that was sent last, and is the newest prompt again.
    fn store(&self, session: &SessionId, prompt: &Prompt) {
        if self.session(session).is_none() {
            return;
        }
        let holder = self.with(|state| {
            let mut stored = state.sessions.iter();
            let held = stored.find(|(_, stored)| stored.arrivals.contains_key(&prompt.message));
            held.map(|(session, _)| session.clone())
        });
        if let Some(holder) = holder {
            let now = self.stamp();
            self.change_message(&holder, &prompt.message, |message| {
                message.created = now;
                message.parts = vec![Part {
                    id: prompt.part.clone(),
                    body: PartBody::Text {
                        text: prompt.text.clone(),
                        synthetic: false,
                    },
                }];
            });
            return;
        }
        self.add_user(session, prompt.message.clone(), prompt.part.clone(), &prompt.text);
        self.address(session, &prompt.message, prompt.agent.as_deref(), prompt.model.as_ref());
        self.touch(session);
        self.tell(Event::Stored {
            session: session.clone(),
            message: prompt.message.clone(),
            text: prompt.text.clone(),
        });
    }
}

/// Ids are refused by their first letters: questions and permissions have routes of their own.
fn refusal_of(post: &Post) -> Option<Posted> {
    match post {
        Post::Reply { request, reply, .. } => {
            let prefix = match reply {
                Reply::Answers(_) | Reply::Dismiss => "que",
                Reply::Once | Reply::Always | Reply::Reject { .. } => "per",
            };
            (!request.as_str().starts_with(prefix)).then(|| {
                Posted::Refused(Refusal {
                    status: 400,
                    message: Some(format!("Expected a string starting with \"{prefix}\"")),
                })
            })
        }
        Post::Prompt { session, .. } | Post::Abort { session, .. } | Post::Shell { session, .. } => {
            (!session.as_str().starts_with("ses")).then(internal_error)
        }
        Post::Create { .. } => None,
    }
}

fn internal_error() -> Posted {
    Posted::InDoubt("500 UnknownError".to_owned())
}
