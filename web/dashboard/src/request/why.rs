//! Why a request is asked: what the agent said and did before it.

use switchboard_core::model::{Message, PartBody, Request, Role, Todo, ToolPart};

/// What came before a request, as far as its session's messages are held.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Why {
    /// The agent's last text before it.
    pub said: Option<String>,
    /// The last tool calls before it, oldest first.
    pub before: Vec<ToolPart>,
    /// The newest plan.
    pub plan: Vec<Todo>,
    /// The agent and the model, as far as known.
    pub agent: Option<String>,
    /// Tokens in the context.
    pub context_tokens: Option<u64>,
}

/// How many tool calls are told.
const CALLS_MAX: usize = 3;

/// Gathers what came before a request from the messages of its session.
#[must_use]
pub fn gather<'a>(messages: impl DoubleEndedIterator<Item = &'a Message>, request: &Request) -> Why {
    let mut why = Why::default();
    let mut is_before = request.tool.is_none();
    for message in messages.rev() {
        why.note_speaker(message);
        for part in message.parts.iter().rev() {
            if let (PartBody::Tool(tool), Some(asked)) = (&part.body, &request.tool)
                && message.id == asked.message
                && tool.call.as_ref() == Some(&asked.call)
            {
                is_before = true;
            } else if is_before && message.role == Role::Assistant {
                why.note_part(&part.body);
            }
        }
    }
    why.before.reverse();
    why
}

impl Why {
    fn note_speaker(&mut self, message: &Message) {
        if self.agent.is_none() && message.agent.is_some() {
            let model = message.model.as_ref().map(|model| format!(" · {}", model.model));
            self.agent = message.agent.clone().map(|agent| agent + &model.unwrap_or_default());
        }
        self.context_tokens = self
            .context_tokens
            .or(message.context_tokens.filter(|tokens| *tokens > 0));
    }

    fn note_part(&mut self, body: &PartBody) {
        match body {
            PartBody::Text { text, synthetic: false } if self.said.is_none() && !text.trim().is_empty() => {
                self.said = Some(text.trim().to_owned());
            }
            PartBody::Tool(tool) if !tool.todos.is_empty() => {
                if self.plan.is_empty() {
                    self.plan.clone_from(&tool.todos);
                }
            }
            PartBody::Tool(tool) if self.before.len() < CALLS_MAX && tool.status.is_final() => {
                self.before.push(tool.as_ref().clone());
            }
            PartBody::Tool(_)
            | PartBody::Text { .. }
            | PartBody::Reasoning { .. }
            | PartBody::File { .. }
            | PartBody::Patch { .. }
            | PartBody::Agent { .. }
            | PartBody::Compaction
            | PartBody::StepStart
            | PartBody::StepFinish
            | PartBody::Retry { .. }
            | PartBody::Other(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use switchboard_core::model::{Ask, Part, ToolRef, ToolStatus};

    use super::*;

    fn text(words: &str) -> PartBody {
        PartBody::Text {
            text: words.to_owned(),
            synthetic: false,
        }
    }

    fn call(name: &str, todos: Vec<Todo>) -> PartBody {
        PartBody::Tool(Box::new(ToolPart {
            call: Some(name.into()),
            tool: name.to_owned(),
            status: ToolStatus::Completed,
            todos,
            ..ToolPart::default()
        }))
    }

    fn message(id: &str, role: Role, bodies: Vec<PartBody>) -> Message {
        let parts = bodies
            .into_iter()
            .enumerate()
            .map(|(place, body)| Part {
                id: format!("prt_{id}_{place}").into(),
                body,
            })
            .collect();
        Message {
            id: id.into(),
            session: "ses_1".into(),
            role,
            created: 0,
            completed: None,
            error: None,
            finish: None,
            parent: None,
            agent: Some("build".to_owned()),
            model: None,
            cost: None,
            context_tokens: None,
            summary: false,
            fault: None,
            parts,
        }
    }

    #[test]
    fn what_a_person_has_written_is_not_what_the_agent_said() {
        let request = Request {
            id: "que_1".into(),
            session: "ses_1".into(),
            directory: "/d".into(),
            tool: None,
            ask: Ask::Questions(Vec::new()),
        };
        let asked = message("msg_1", Role::User, vec![text("Port the store.")]);
        let silent = message("msg_2", Role::Assistant, vec![call("read", Vec::new())]);
        let why = gather([asked, silent].iter(), &request);
        assert_eq!((why.said, why.before.len()), (None, 1));
    }

    #[test]
    fn only_what_came_before_the_request_explains_it() {
        let request = Request {
            id: "que_1".into(),
            session: "ses_1".into(),
            directory: "/d".into(),
            tool: Some(ToolRef {
                message: "msg_2".into(),
                call: "question".into(),
            }),
            ask: Ask::Questions(Vec::new()),
        };
        let step = Todo {
            content: "port the store".to_owned(),
            status: "pending".to_owned(),
        };
        let messages = [
            message(
                "msg_1",
                Role::Assistant,
                vec![text("earlier"), call("todowrite", vec![step.clone()])],
            ),
            message(
                "msg_2",
                Role::Assistant,
                vec![
                    call("read", Vec::new()),
                    call("bash", Vec::new()),
                    text("I need the driver."),
                    call("question", Vec::new()),
                    text("later"),
                ],
            ),
            message("msg_3", Role::User, vec![text("queued")]),
        ];
        let why = gather(messages.iter(), &request);
        assert_eq!(why.said.as_deref(), Some("I need the driver."));
        let before: Vec<&str> = why.before.iter().map(|tool| tool.tool.as_str()).collect();
        assert_eq!(before, ["read", "bash"]);
        assert_eq!(why.plan, [step]);
        assert_eq!(why.agent.as_deref(), Some("build"));
    }
}
