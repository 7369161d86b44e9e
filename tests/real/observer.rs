//! Records in which order each request, tool part and session goes through distinct states.
//!
//! Only the order counts, and only states that last. What lasts for the blink of an eye on a real server (a tool call
//! that asks nobody, a reply that was taken and is not yet shown, a prompt before its run) is left out on both sides.

use std::collections::BTreeMap;
use std::fmt::Write;

use switchboard_core::model::{
    Ask, Message, PartId, Request, RequestId, Role, SessionId, Status, ToolPart, ToolStatus,
};
use switchboard_core::ports::{Fetched, Read, ReadError};

use crate::subject::Subject;

/// What one look at the server has shown.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) requests: Vec<Request>,
    pub(crate) sessions: Vec<SeenSession>,
}

/// A session in one look.
#[derive(Debug)]
pub(crate) struct SeenSession {
    pub(crate) id: SessionId,
    pub(crate) status: Option<Status>,
    /// It was deleted.
    pub(crate) is_gone: bool,
    pub(crate) messages: Vec<Message>,
}

impl Seen {
    /// Whether a call of this session waits for somebody. A run that waits for nobody may be over before anybody looks.
    fn waits(&self, session: &SeenSession) -> bool {
        let mut tools = session.messages.iter().flat_map(Message::tools);
        tools.any(|(_, tool)| tool.status == ToolStatus::Running && self.lasts(tool))
    }

    /// Whether a call asks, or has a sub-agent.
    fn lasts(&self, tool: &ToolPart) -> bool {
        let asks = |request: &Request| request.tool.as_ref().map(|tool| &tool.call) == tool.call.as_ref();
        tool.child.is_some() || self.requests.iter().any(asks)
    }
}

impl SeenSession {
    /// True while it is in the status map.
    pub(crate) fn is_running(&self) -> bool {
        self.status.is_some()
    }
}

/// The states of things so far. Sessions have no names but the order in which they appeared; parts are counted in their
/// session, and requests are called by what they first ask there: of two that work at once either may be first.
#[derive(Default)]
pub(crate) struct History {
    sessions: Vec<SessionId>,
    requests: Vec<(RequestId, String)>,
    parts: BTreeMap<usize, Vec<PartId>>,
    states: BTreeMap<String, Vec<String>>,
}

/// Looks once, the status first and the messages last: else an "idle" goes with messages from before the end.
pub(crate) fn look(subject: &mut dyn Subject, roots: &[SessionId]) -> Option<Seen> {
    let directory = subject.directory();
    let mut seen = Seen::default();
    let Ok(Fetched::Statuses(statuses)) = subject.read(&Read::Status(directory.clone())) else {
        return None;
    };
    for list in [Read::Questions(directory.clone()), Read::Permissions(directory.clone())] {
        let Ok(Fetched::Requests(requests)) = subject.read(&list) else {
            return None;
        };
        seen.requests.extend(requests);
    }
    let mut sessions: Vec<SessionId> = roots.to_vec();
    while let Some(id) = sessions.get(seen.sessions.len()).cloned() {
        let read = Read::Messages {
            session: id.clone(),
            directory: directory.clone(),
            limit: 100,
            before: None,
        };
        let (is_gone, messages) = match subject.read(&read) {
            Ok(Fetched::Page(page)) => (false, page.messages),
            Err(ReadError::NotFound(_)) => (true, Vec::new()),
            Ok(_) | Err(_) => return None,
        };
        let tools = messages.iter().flat_map(Message::tools);
        sessions.extend(tools.filter_map(|(_, tool)| tool.child.clone()));
        seen.sessions.push(SeenSession {
            status: statuses.get(&id).cloned(),
            id,
            is_gone,
            messages,
        });
    }
    seen.requests.retain(|request| sessions.contains(&request.session));
    Some(seen)
}

impl History {
    pub(crate) fn record(&mut self, seen: &Seen) {
        for session in &seen.sessions {
            place(&mut self.sessions, &session.id);
        }
        for session in &seen.sessions {
            let number = place(&mut self.sessions, &session.id);
            if session.status != Some(Status::Busy) || session.is_gone || seen.waits(session) {
                self.note(format!("session {number}"), state_of_session(session));
            }
            for (part, tool) in session.messages.iter().flat_map(Message::tools) {
                let of_session = place(self.parts.entry(number).or_default(), part);
                if tool.status == ToolStatus::Running && !seen.lasts(tool) {
                    continue;
                }
                let state = self.without_ids(state_of_part(tool));
                self.note(format!("part {of_session} of {number} {}", tool.tool), state);
            }
        }
        for request in &seen.requests {
            let name = self.name_of(request);
            self.note(name, words_of(request));
        }
        for (id, name) in self.requests.clone() {
            let listed = seen.requests.iter().any(|request| request.id == id);
            self.note(name, if listed { "listed" } else { "not listed" }.to_owned());
        }
    }

    /// Records what a story was told, or what it has found at the end.
    pub(crate) fn tell(&mut self, thing: &str, state: String) {
        let state = self.without_ids(state);
        self.states.entry(format!("told {thing}")).or_default().push(state);
    }

    fn without_ids(&self, text: String) -> String {
        let ids = self.sessions.iter();
        ids.fold(text, |text, id| text.replace(id.as_str(), "ses_…"))
    }

    /// What a request is called. A second one that asks the same in the same session is counted.
    fn name_of(&mut self, request: &Request) -> String {
        if let Some((_, name)) = self.requests.iter().find(|(id, _)| *id == request.id) {
            return name.clone();
        }
        let asks = format!(
            "request of {} {}",
            place(&mut self.sessions, &request.session),
            words_of(request)
        );
        let before = self.requests.iter().filter(|(_, name)| name.starts_with(&asks)).count();
        let name = format!("{asks} {}", before + 1);
        self.requests.push((request.id.clone(), name.clone()));
        name
    }

    fn note(&mut self, thing: String, state: String) {
        let states = self.states.entry(thing).or_default();
        if states.last() != Some(&state) && !(states.contains(&state) && state.starts_with('“')) {
            states.push(state);
        }
    }

    /// One line for each thing.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for (thing, states) in &self.states {
            let mut kept: Vec<&str> = states
                .iter()
                .enumerate()
                .filter(|(at, state)| !is_fleeting(state, states.get(at + 1)))
                .map(|(_, state)| state.as_str())
                .collect();
            kept.dedup();
            if kept.is_empty() {
                continue;
            }
            let _ = writeln!(text, "{thing}: {}", kept.join(" → "));
        }
        text
    }
}

fn place<T: Clone + PartialEq>(known: &mut Vec<T>, thing: &T) -> usize {
    let at = known.iter().position(|known| known == thing).unwrap_or_else(|| {
        known.push(thing.clone());
        known.len() - 1
    });
    at + 1
}

/// A state that a poller of a real server may well miss: what comes before a run, between idle and final, and between two steps
/// of a run in another process.
fn is_fleeting(state: &str, next: Option<&String>) -> bool {
    match state {
        "pending" => true,
        "idle, empty" | "idle, prompted" | "idle, open" | "idle, tool-calls" => next.is_some(),
        _ => false,
    }
}

fn state_of_session(session: &SeenSession) -> String {
    match &session.status {
        Some(Status::Busy) => return "busy".to_owned(),
        Some(Status::Retry { attempt, message, next }) => {
            return format!("retry {attempt} “{message}”, next {}", next.is_some());
        }
        Some(Status::Other(word)) => return word.clone(),
        None => {}
    }
    let last = match session.messages.last() {
        None if session.is_gone => "gone".to_owned(),
        None => "empty".to_owned(),
        Some(last) if last.role == Role::User => "prompted".to_owned(),
        Some(Message { completed: None, .. }) => "open".to_owned(),
        Some(Message { error: Some(error), .. }) => error.name.clone(),
        Some(last) => format!(
            "{}{}",
            last.finish.as_deref().unwrap_or("no finish"),
            if last.text().is_empty() { "" } else { " with text" }
        ),
    };
    format!("idle, {last}")
}

pub(crate) fn state_of_part(tool: &ToolPart) -> String {
    match &tool.status {
        ToolStatus::Pending => "pending".to_owned(),
        ToolStatus::Running => "running".to_owned(),
        ToolStatus::Completed => format!("completed {:?}", tool.answers.as_deref().unwrap_or_default()),
        ToolStatus::Error => {
            let error = tool.error.as_deref().unwrap_or_default();
            // What follows is said by a library.
            let words = error.split(": SchemaError").next().unwrap_or_default();
            format!("error {words:?}")
        }
        ToolStatus::Other(word) => word.clone(),
    }
}

fn words_of(request: &Request) -> String {
    match &request.ask {
        Ask::Questions(questions) => {
            let texts: Vec<&str> = questions.iter().map(|question| question.text.as_str()).collect();
            format!("“{}”", texts.join(" | "))
        }
        Ask::Permission(permission) => {
            format!(
                "“{} {:?}, always {:?}”",
                permission.kind, permission.patterns, permission.always
            )
        }
    }
}
