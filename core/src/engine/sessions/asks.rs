//! Tells which questions of a session another process asks: one that waits shows as a running call in the messages, whichever
//! process asks it, and only the one that does lists it (docs/opencode.md §14).

use crate::collections::{SortedMap, SortedSet};
use crate::engine::server_clock::ServerClock;
use crate::engine::sessions::runner::open_message;
use crate::engine::sessions::transcript::Transcript;
use crate::model::{CallId, Message, MessageId, PartId, ToolPart, ToolStatus};
use crate::view::{AskedElsewhere, TurnState};

/// The questions of a session that wait and were seen while this server did not run it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Asks(SortedMap<PartId, Ask>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Ask {
    message: MessageId,
    asker: Asker,
}

/// The process that asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asker {
    /// This server: it has listed the question.
    Here,
    /// Another one, which may be gone. Where it is not certain, it may also have been this server before a restart.
    Elsewhere { certain: bool },
    /// No status that was read after this number tells yet.
    Unknown { since: u64 },
}

/// The newest reads, by number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewestReads {
    pub(crate) status: u64,
    pub(crate) messages: u64,
}

impl Asks {
    /// Takes the questions of the open message of a session that this server does not run. Another process asks them once a
    /// status that was read after them does not name the session either. One that another process is known to ask stays until
    /// its call has ended, also when this server has gone on with the session. `is_listed` says whether this server has listed
    /// the request of a call. Returns true when something has changed.
    pub(crate) fn observe(
        &mut self,
        transcript: &Transcript,
        state: &TurnState,
        read: NewestReads,
        is_listed: impl Fn(&MessageId, &CallId) -> bool,
    ) -> bool {
        let runs_there = if let TurnState::Elsewhere { certain } = state {
            Some(*certain)
        } else if self.0.is_empty() {
            return false;
        } else {
            None
        };
        let open = open_message(transcript.tail()).filter(|_| runs_there.is_some());
        let mut asked = SortedMap::new();
        for message in self.messages(transcript).chain(open) {
            for (part, tool) in asks_of(message) {
                let there = runs_there.filter(|_| open.is_some_and(|open| open.id == message.id));
                let known = self.0.get(part).map(|ask| ask.asker);
                let is_listed = tool.call.as_ref().is_some_and(|call| is_listed(&message.id, call));
                let asker = match (known, there) {
                    _ if is_listed => Some(Asker::Here),
                    (Some(Asker::Here | Asker::Elsewhere { certain: true }), _) => known,
                    (Some(Asker::Unknown { since }), Some(_)) if read.status <= since => known,
                    (Some(Asker::Unknown { .. } | Asker::Elsewhere { .. }), Some(certain)) => {
                        Some(Asker::Elsewhere { certain })
                    }
                    (None, Some(_)) => Some(Asker::Unknown {
                        since: read.status.max(read.messages),
                    }),
                    (Some(Asker::Unknown { .. } | Asker::Elsewhere { .. }) | None, None) => None,
                };
                if let Some(asker) = asker {
                    let message = message.id.clone();
                    asked.insert(part.clone(), Ask { message, asker });
                }
            }
        }
        let has_changed = self.0 != asked;
        self.0 = asked;
        has_changed
    }

    /// Which process asks each, for the log.
    pub(crate) fn describe(&self) -> String {
        let asks = self.0.iter().map(|(part, ask)| {
            let asker = match ask.asker {
                Asker::Here => "this server",
                Asker::Elsewhere { certain: true } => "another process",
                Asker::Elsewhere { certain: false } => "another process or none",
                Asker::Unknown { .. } => "a process that is not known yet",
            };
            format!("{part} is asked by {asker}")
        });
        let asks: Vec<String> = asks.collect();
        if asks.is_empty() {
            "nothing is asked by another process".to_owned()
        } else {
            asks.join(", ")
        }
    }

    /// Whether the next status may tell which process asks.
    pub(crate) fn are_open(&self) -> bool {
        self.0.values().any(|ask| matches!(ask.asker, Asker::Unknown { .. }))
    }

    /// Whether another process is known to ask.
    pub(crate) fn are_certain(&self) -> bool {
        self.0
            .values()
            .any(|ask| ask.asker == Asker::Elsewhere { certain: true })
    }

    /// Those that another process asks. `clock` is that of the server.
    pub(crate) fn show(&self, transcript: &Transcript, clock: &ServerClock) -> Vec<AskedElsewhere> {
        let asked = self.messages(transcript).flat_map(|message| {
            asks_of(message).filter_map(|(part, tool)| {
                let Asker::Elsewhere { certain } = self.0.get(part)?.asker else {
                    return None;
                };
                Some(AskedElsewhere {
                    message: message.id.clone(),
                    part: part.clone(),
                    questions: tool.questions.clone(),
                    asked: tool.started.map(|started| clock.ours(started)),
                    certain,
                })
            })
        });
        asked.collect()
    }

    /// The messages that asked what is known, as far as they are held.
    fn messages<'a>(&'a self, transcript: &'a Transcript) -> impl Iterator<Item = &'a Message> {
        let asking: SortedSet<&MessageId> = self.0.values().map(|ask| &ask.message).collect();
        asking.into_iter().filter_map(|id| {
            let newest = transcript.tail().iter().find(|message| message.id == *id);
            newest.or_else(|| transcript.message(id)).map(|message| &**message)
        })
    }
}

/// The calls of a message that ask and wait.
fn asks_of(message: &Message) -> impl Iterator<Item = (&PartId, &ToolPart)> {
    let waits = |tool: &ToolPart| tool.status == ToolStatus::Running && !tool.questions.is_empty();
    message.tools().filter(move |(_, tool)| waits(tool))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Page, Part, PartBody, Question, Role};
    use crate::view::{EndReason, Ending};

    const THERE: TurnState = TurnState::Elsewhere { certain: true };
    const PERHAPS: TurnState = TurnState::Elsewhere { certain: false };

    fn done() -> TurnState {
        TurnState::Ended {
            ending: Ending::Done,
            reason: EndReason::Complete,
        }
    }

    fn asking(id: &str, status: ToolStatus) -> Message {
        let tool = ToolPart {
            call: Some("call_1".into()),
            questions: vec![Question::new("Which?", "", Vec::new())],
            ..ToolPart::new("question", status)
        };
        let part = Part {
            id: format!("prt_{id}").as_str().into(),
            body: PartBody::Tool(Box::new(tool)),
        };
        Message {
            parts: vec![part],
            ..Message::new(id.into(), "ses_1".into(), Role::Assistant, 10)
        }
    }

    fn holding(messages: Vec<Message>) -> Transcript {
        let mut transcript = Transcript::new();
        transcript.observe_tail(Page { messages, older: None });
        transcript
    }

    /// What is shown after it was observed in these states, by these reads of status and messages.
    fn shown(transcript: &Transcript, observed: &[(&TurnState, u64, u64)], is_listed: bool) -> Vec<bool> {
        let mut asks = Asks::default();
        for (state, status, messages) in observed {
            let read = NewestReads {
                status: *status,
                messages: *messages,
            };
            asks.observe(transcript, state, read, |_, _| is_listed);
        }
        let shown = asks.show(transcript, &ServerClock::default());
        shown.into_iter().map(|asked| asked.certain).collect()
    }

    /// R24: a status that was read before the question was seen does not tell
    #[test]
    fn a_question_is_of_another_process_once_a_later_status_does_not_name_the_session() {
        let open = holding(vec![asking("msg_1", ToolStatus::Running)]);
        assert!(shown(&open, &[(&THERE, 5, 7)], false).is_empty());
        assert!(shown(&open, &[(&THERE, 5, 7), (&THERE, 7, 7)], false).is_empty());
        assert_eq!(shown(&open, &[(&THERE, 5, 7), (&THERE, 8, 7)], false), [true]);
        assert_eq!(shown(&open, &[(&PERHAPS, 5, 7), (&PERHAPS, 8, 7)], false), [false]);
        assert!(shown(&open, &[(&THERE, 5, 7), (&THERE, 8, 7)], true).is_empty());
        let over = holding(vec![asking("msg_1", ToolStatus::Completed)]);
        assert!(shown(&over, &[(&THERE, 5, 7), (&THERE, 8, 7)], false).is_empty());
    }

    /// R24
    #[test]
    fn what_another_process_is_known_to_ask_stays_when_this_server_goes_on() {
        let next = Message {
            completed: Some(30),
            ..Message::new("msg_3".into(), "ses_1".into(), Role::Assistant, 20)
        };
        let later = holding(vec![asking("msg_1", ToolStatus::Running), next.clone()]);
        let early = holding(vec![asking("msg_1", ToolStatus::Running)]);
        for (state, expected) in [(&THERE, vec![true]), (&PERHAPS, Vec::new())] {
            let mut asks = Asks::default();
            for status in [5, 8] {
                let read = NewestReads { status, messages: 7 };
                asks.observe(&early, state, read, |_, _| false);
            }
            let read = NewestReads { status: 9, messages: 9 };
            asks.observe(&later, &done(), read, |_, _| false);
            let shown = asks.show(&later, &ServerClock::default());
            assert_eq!(shown.iter().map(|asked| asked.certain).collect::<Vec<_>>(), expected);
            let answered = holding(vec![asking("msg_1", ToolStatus::Completed), next.clone()]);
            assert!(asks.show(&answered, &ServerClock::default()).is_empty());
        }
    }
}
