//! What the server does when it is told to (facts.md, sections 1, 2 and 5).

use std::sync::Arc;

use switchboard_core::model::{Ask, Directory, Reply, RequestId, SessionId};
use switchboard_core::runtime::{Post, Posted, Prompt};
use switchboard_core::time::Time;

use super::history::{Client, Event, Reached};
use super::state::{Asked, Verdict};
use super::timing;
use super::{Accepted, OpenCode};
use crate::executor::Group;

/// Agents that exist. A prompt to another one is swallowed (facts.md, trap 1).
const AGENTS: [&str; 3] = ["build", "plan", "general"];

impl OpenCode {
    /// Takes a send, as of this moment.
    pub fn post(&self, by: Client, post: &Post) -> Posted {
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
                });
                self.abort(session);
                Posted::Accepted
            }
            Post::Shell { session, command, .. } => self.run_shell(session, command),
            Post::Create { directory, title } => {
                let title = title.as_deref().unwrap_or("New session");
                Posted::Created(Box::new(self.add_session(directory, None, title)))
            }
        }
    }

    fn reply(&self, by: Client, request: &RequestId, directory: &Directory, reply: &Reply) -> Posted {
        let taken = self.with(|state| {
            let asked = &mut state.instance(directory).asked;
            let at = asked
                .iter()
                .position(|asked| asked.request.id == *request && fits(&asked.request.ask, reply))?;
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
            message: prompt.message.clone(),
            by,
        });
        if prompt.agent.as_deref().is_some_and(|agent| !AGENTS.contains(&agent)) {
            return Posted::Accepted;
        }
        let (server, session, prompt) = (self.clone(), session.clone(), Arc::clone(prompt));
        let (stored_at, is_cold) = self.warm_up(&directory);
        self.0.executor.spawn(Group::Server, async move {
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

    /// Stores a prompt, unless it is there: the same ids again change nothing.
    fn store(&self, session: &SessionId, prompt: &Prompt) {
        if self.session(session).is_none() {
            return;
        }
        let is_there = self.with_messages(session, |messages| {
            messages.iter().any(|held| held.id == prompt.message)
        });
        if is_there {
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

/// Questions and permissions have routes of their own.
fn fits(ask: &Ask, reply: &Reply) -> bool {
    match ask {
        Ask::Questions(_) => matches!(reply, Reply::Answers(_) | Reply::Dismiss),
        Ask::Permission(_) => matches!(reply, Reply::Once | Reply::Always | Reply::Reject { .. }),
    }
}
