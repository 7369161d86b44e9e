//! What ends a run from outside: stop, deletion, disposal (docs/opencode.md, sections 1 and 3).

use std::time::Duration;

use switchboard_core::model::{
    Directory, Message, MessageError, MessageId, PartBody, PartId, Role, SessionId, ToolPart, ToolStatus,
};

use super::history::Event;
use super::state::{Asked, RunEnd};
use super::{OpenCode, timing};

impl OpenCode {
    /// Stops a session and those below it. What its calls have asked stays listed, and is a ghost; what names no call goes.
    pub(super) fn abort(&self, session: &SessionId) {
        let children = self.running_children(session);
        for child in &children {
            self.abort(child);
        }
        if !children.is_empty() && self.with(|state| state.parents_outrun_stops) {
            return;
        }
        let ended = self.with(|state| {
            state.instances.values_mut().find_map(|instance| {
                instance.statuses.remove(session);
                let names_none = |asked: &Asked| asked.request.session == *session && asked.request.tool.is_none();
                instance.asked.retain(|asked| !names_none(asked));
                instance.runs.remove(session)
            })
        });
        let Some(run) = ended else { return };
        self.0.executor.cancel(run.task);
        self.tell(Event::RunEnded {
            session: session.clone(),
            blocked: false,
        });
        let span = self.with(|state| state.closes_after);
        self.close_later(session, span);
        if let Some(done) = run.done {
            let _ = done.send(RunEnd::Aborted);
        }
    }

    /// Deletes a session without stopping it first. Its requests stay listed, and its id stays busy.
    pub fn delete(&self, session: &SessionId) {
        self.with(|state| {
            let Some(stored) = state.sessions.remove(session) else {
                return;
            };
            let instance = state.instance(&stored.session.directory);
            if let Some(run) = instance.runs.remove(session) {
                self.0.executor.cancel(run.task);
            }
        });
        self.tell(Event::Deleted {
            session: session.clone(),
        });
    }

    /// Disposes of the instance of a directory: its requests are gone, its tool calls fail a moment later.
    pub fn dispose(&self, directory: &Directory) {
        let instance = self.with(|state| state.instances.remove(directory));
        let Some(instance) = instance else { return };
        self.tell(Event::Disposed {
            directory: directory.clone(),
        });
        for (session, run) in instance.runs {
            self.0.executor.cancel(run.task);
            self.close_later(&session, timing::DISPOSED);
        }
    }

    /// The prompt that the newest step of a session answers, where something runs there.
    pub(super) fn works_at(&self, session: &SessionId) -> Option<MessageId> {
        self.status(session)?;
        self.with_messages(session, |messages| {
            let step = messages.iter().rfind(|message| message.role == Role::Assistant);
            step?.parent.clone()
        })
    }

    fn running_children(&self, session: &SessionId) -> Vec<SessionId> {
        self.with_messages(session, |messages| {
            let tools = messages.iter().flat_map(Message::tools).map(|(_, tool)| tool);
            let open = tools.filter(|tool| !tool.status.is_final());
            open.filter_map(|tool| tool.child.clone()).collect()
        })
    }

    /// Lets the messages that are open in this moment end as stopped ones, a while later: a new run may have begun by then.
    fn close_later(&self, session: &SessionId, span: Duration) {
        let open: Vec<MessageId> = self.with_messages(session, |messages| {
            let open = messages
                .iter()
                .filter(|message| message.role == Role::Assistant && message.completed.is_none());
            open.map(|message| message.id.clone()).collect()
        });
        self.break_off(session, &open);
        let (server, session) = (self.clone(), session.clone());
        self.with(|state| state.stopping.insert(session.clone()));
        self.0.executor.spawn(self.group(), async move {
            server.pause(span).await;
            server.close_messages(&session, open);
            server.with(|state| state.stopping.remove(&session));
        });
    }

    /// Leaves of each text on its way what was said.
    fn break_off(&self, session: &SessionId, messages: &[MessageId]) {
        let now = self.now();
        for id in messages {
            let parts: Vec<PartId> = self.with_messages(session, |held| {
                let message = held.iter().find(|held| held.id == *id);
                let parts = message.map(|message| message.parts.iter().map(|part| part.id.clone()).collect());
                parts.unwrap_or_default()
            });
            for part in parts {
                let Some(speech) = self.with(|state| state.speeches.remove(&part)) else {
                    continue;
                };
                self.change_part(session, id, &part, |body| {
                    *body = PartBody::Text {
                        text: speech.said(now),
                        synthetic: false,
                    };
                });
            }
        }
    }

    fn close_messages(&self, session: &SessionId, open: Vec<MessageId>) {
        let now = self.stamp();
        for id in open {
            self.change_message(session, &id, |message| {
                message.completed = Some(now);
                // The answer to a command is no step of a model; a run that was only tried has left nothing.
                let is_step = message.parts.iter().any(|part| part.body == PartBody::StepStart);
                if is_step {
                    message.error = Some(MessageError {
                        name: "MessageAbortedError".to_owned(),
                        message: "Aborted".to_owned(),
                    });
                }
                for part in &mut message.parts {
                    let PartBody::Tool(tool) = &mut part.body else { continue };
                    if !tool.status.is_final() && !is_step {
                        tool.status = ToolStatus::Completed;
                        tool.output = Some("\n\n<metadata>\nUser aborted the command\n</metadata>".to_owned());
                        tool.ended = Some(now);
                    } else if !tool.status.is_final() {
                        abort_call(tool, now);
                    }
                }
            });
        }
    }
}

/// Ends a call with its run.
pub(super) fn abort_call(tool: &mut ToolPart, now: u64) {
    let reason = if tool.tool == "task" {
        "Task cancelled"
    } else {
        "Tool execution aborted"
    };
    tool.status = ToolStatus::Error;
    tool.title = None;
    tool.error = Some(reason.to_owned());
    tool.ended = Some(now);
}
