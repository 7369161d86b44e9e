//! One step of the model: its message, from the first word to `time.completed` (docs/opencode.md, section 3).

use std::time::Duration;

use futures::future::join_all;
use switchboard_core::model::{
    CallId, Message, MessageError, MessageId, PartBody, SessionId, Status, ToolPart, ToolStatus,
};

use super::abort::abort_call;
use super::ask::Place;
use super::run::StepEnd;
use super::script::{Finish, Step, ToolCall, choose_step};
use super::state::{Speech, Verdict};
use super::tools::{ASKS_NOTHING, existing, questions_of, rejection, subject_of, text_of};
use super::{OpenCode, timing};

/// Characters of text per chunk.
const CHUNK: usize = 24;

impl OpenCode {
    pub(super) async fn step(&self, session: &SessionId) -> StepEnd {
        let step = self.with(|state| {
            let stored = state.sessions.get(session);
            let messages = stored.map_or(&[][..], |stored| &stored.messages);
            choose_step(messages, &state.scripts, &mut state.steps_before)
        });
        let message = self.add_assistant(session);
        self.touch(session);
        if let Some(error) = self.be_refused(session, &step).await {
            return StepEnd::Failed { message, error };
        }
        self.pause(timing::MODEL + Duration::from_millis(step.delay)).await;
        self.add_part(session, &message, PartBody::StepStart);
        self.speak(session, &message, &step).await;
        let blocked = match self.call_all(session, &message, &step.tools).await {
            Ok(blocked) => blocked,
            Err(error) => return StepEnd::Failed { message, error },
        };

        let finish = finish_of(&step);
        self.add_part(session, &message, PartBody::StepFinish);
        self.add_patch(session, &message);
        self.change_message(session, &message, |message| {
            message.finish = Some(finish.clone());
            message.error = (finish == "content-filter").then(|| MessageError {
                name: "ContentFilterError".to_owned(),
                message: "The response was blocked by the provider's content filter".to_owned(),
            });
        });
        self.pause(timing::COMPLETED).await;
        let now = self.stamp();
        let (tokens, cost) = self.with(|state| state.price);
        self.change_message(session, &message, |message| {
            message.completed = Some(now);
            message.context_tokens = tokens;
            message.cost = cost;
        });
        if let Some(reason) = blocked {
            return StepEnd::Blocked(reason);
        }
        match finish.as_str() {
            "tool-calls" | "unknown" => StepEnd::Continues,
            _ => StepEnd::Finished,
        }
    }

    /// Lists the files that a step has changed.
    fn add_patch(&self, session: &SessionId, id: &MessageId) {
        let files: Vec<String> = self.with_messages(session, |messages| {
            let tools = messages
                .iter()
                .filter(|message| message.id == *id)
                .flat_map(Message::tools);
            let changed = tools
                .map(|(_, tool)| tool)
                .filter(|tool| matches!(tool.tool.as_str(), "write" | "edit") && tool.status == ToolStatus::Completed);
            changed.filter_map(|tool| tool.subject.clone()).collect()
        });
        if !files.is_empty() {
            self.add_part(session, id, PartBody::Patch { files });
        }
    }

    /// Lets the provider refuse: with 429 and 5xx the server tries again, with other errors the run fails.
    async fn be_refused(&self, session: &SessionId, step: &Step) -> Option<MessageError> {
        let status = step.status?;
        let words = format!("scripted {status}");
        if status != 429 && status < 500 {
            self.pause(timing::MODEL).await;
            return Some(MessageError {
                name: "APIError".to_owned(),
                message: words,
            });
        }
        let wanted = step.headers.get("retry-after").and_then(|wait| wait.parse().ok());
        let mut wait = wanted.map_or(timing::RETRY, Duration::from_secs);
        for attempt in 1..=step.times.unwrap_or(u32::MAX) {
            self.pause(timing::MODEL).await;
            let next = self.stamp() + u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
            let status = Status::Retry {
                attempt,
                message: words.clone(),
                next: Some(next),
            };
            self.set_status(session, Some(status));
            self.pause(wait).await;
            if wanted.is_none() {
                wait *= 2;
            }
        }
        self.set_status(session, Some(Status::Busy));
        None
    }

    /// Streams. Until a part ends, its text reads as empty (docs/opencode.md, trap 10).
    async fn speak(&self, session: &SessionId, message: &MessageId, step: &Step) {
        if let Some(text) = &step.reasoning {
            let started = Some(self.stamp());
            let part = self.add_part(
                session,
                message,
                PartBody::Reasoning {
                    text: String::new(),
                    started,
                    ended: None,
                },
            );
            self.pause(time_to_say(text, step)).await;
            let ended = Some(self.stamp());
            let whole = PartBody::Reasoning {
                text: text.clone(),
                started,
                ended,
            };
            self.change_part(session, message, &part, |body| *body = whole);
        }
        if let Some(text) = step.text.as_ref().filter(|text| !text.is_empty()) {
            let part = self.add_part(
                session,
                message,
                PartBody::Text {
                    text: String::new(),
                    synthetic: false,
                },
            );
            let speech = Speech {
                text: text.clone(),
                begun: self.now(),
                pace: (step.chunk.unwrap_or(CHUNK), step.chunk_delay),
            };
            self.with(|state| state.speeches.insert(part.clone(), speech));
            self.pause(time_to_say(text, step)).await;
            self.with(|state| state.speeches.remove(&part));
            let whole = PartBody::Text {
                text: text.clone(),
                synthetic: false,
            };
            self.change_part(session, message, &part, |body| *body = whole);
        }
    }

    /// Runs the tool calls of a step side by side. Says why when one of them ends the run; an error when the run may not go on.
    async fn call_all(
        &self,
        session: &SessionId,
        message: &MessageId,
        calls: &[ToolCall],
    ) -> Result<Option<String>, MessageError> {
        let Some(directory) = self.with(|state| state.directory(session)) else {
            return Ok(None);
        };
        let agent = self.with_messages(session, |messages| {
            let speaker = messages.iter().find(|held| held.id == *message);
            speaker.and_then(|speaker| speaker.agent.clone()).unwrap_or_default()
        });
        let calls: Vec<(Place, ToolCall)> = calls
            .iter()
            .map(|call| {
                let id = CallId::new(self.id("call"));
                let call = existing(call);
                let tool = ToolPart {
                    call: Some(id.clone()),
                    tool: call.name.clone(),
                    input: serde_json::to_string_pretty(&call.input).unwrap_or_default(),
                    subject: subject_of(&call),
                    workdir: Some(text_of(&call.input, "workdir")).filter(|workdir| !workdir.is_empty()),
                    questions: if call.name == "question" {
                        questions_of(&call.input)
                    } else {
                        Vec::new()
                    },
                    ..ToolPart::default()
                };
                let part = self.add_part(session, message, PartBody::Tool(Box::new(tool)));
                let place = Place {
                    session: session.clone(),
                    directory: directory.clone(),
                    message: message.clone(),
                    part,
                    call: id,
                    agent: agent.clone(),
                };
                (place, call)
            })
            .collect();
        if !calls.is_empty() {
            self.pause(timing::ARGUMENTS).await;
        }
        let now = self.stamp();
        for (place, _) in &calls {
            self.change_tool(&place.session, &place.message, &place.part, |tool| {
                tool.status = ToolStatus::Running;
                tool.started = Some(now);
            });
        }
        if let Some((place, call)) = looped(&calls) {
            let may_go_on = self.may_go_on(place, &call.name).await;
            let now = self.stamp();
            may_go_on.inspect_err(|_| {
                for (place, _) in &calls {
                    self.change_tool(&place.session, &place.message, &place.part, |tool| {
                        abort_call(tool, now)
                    });
                }
            })?;
        }
        let running = calls.iter().map(|(place, call)| self.call(place, call));
        let ends = join_all(running.collect::<Vec<_>>()).await;
        Ok(ends.into_iter().flatten().next())
    }

    /// Asks whether the run may go on; the error of its message if it may not, also where the refusal says something.
    async fn may_go_on(&self, place: &Place, tool: &str) -> Result<(), MessageError> {
        let (request, verdict) = self.ask_to_go_on(place, tool).await;
        self.deliver(request).await;
        match verdict {
            Verdict::Rejected { message, .. } => Err(MessageError {
                name: "UnknownError".to_owned(),
                message: rejection(message.as_deref()),
            }),
            Verdict::Allowed | Verdict::Dismissed | Verdict::Answered(_) => Ok(()),
        }
    }
}

/// How often the same may be called in a row before the server asks.
const LOOP: usize = 3;

/// The last of so many calls of the same in a row, among those that ask for nothing themselves.
fn looped(calls: &[(Place, ToolCall)]) -> Option<&(Place, ToolCall)> {
    let (_, last) = calls.last()?;
    let tail = calls.len().checked_sub(LOOP).map(|first| &calls[first..])?;
    let is_same = |(_, call): &(Place, ToolCall)| call.name == last.name && call.input == last.input;
    (ASKS_NOTHING.contains(&last.name.as_str()) && tail.iter().all(is_same)).then(|| calls.last())?
}

fn time_to_say(text: &str, step: &Step) -> Duration {
    let chunks = text.chars().count().div_ceil(step.chunk.unwrap_or(CHUNK)).max(1);
    let milliseconds = u64::try_from(chunks)
        .unwrap_or(u64::MAX)
        .saturating_mul(step.chunk_delay.max(1));
    Duration::from_millis(milliseconds)
}

fn finish_of(step: &Step) -> String {
    match &step.finish {
        Finish::Untold => "unknown".to_owned(),
        Finish::Reason(reason) => reason.replace('_', "-"),
        Finish::Usual if step.tools.is_empty() => "stop".to_owned(),
        Finish::Usual => "tool-calls".to_owned(),
    }
}
