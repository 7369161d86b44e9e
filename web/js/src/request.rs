//! A request and what became of it, as a plain object.

use serde::Serialize;
use switchboard_core::model::{Ask, Choice, Permission, Question, Reply, ToolRef};
use switchboard_core::view::{Durability, RequestState, RequestView, Rescue, RunsIn, SessionRef, Unanswered};

use super::drafts::{self, FieldShape};
use super::outcome::{ElsewhereShape, GoneShape, NotSentShape};

#[derive(Serialize)]
pub(super) struct RequestShape<'a> {
    server: &'a str,
    id: &'a str,
    revision: usize,
    session: &'a str,
    directory: &'a str,
    tool: Option<ToolShape<'a>>,
    ask: AskShape<'a>,
    state: StateShape<'a>,
    seen: u64,
    asked: Option<u64>,
    stale: Option<u64>,
    origin: Vec<SessionRefShape<'a>>,
    reply: Option<ReplyShape<'a>>,
    #[serde(rename = "byPolicy")]
    by_policy: bool,
    draft: Option<Vec<FieldShape>>,
    saved: bool,
    others: usize,
    suggestion: Option<&'a [Vec<String>]>,
    rescue: Option<RescueShape<'a>>,
    unanswered: Option<UnansweredShape>,
    #[serde(rename = "runsIn")]
    runs_in: RunsInShape<'a>,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
enum RunsInShape<'a> {
    Unread,
    Session,
    Named { directory: &'a str },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct UnansweredShape {
    until: u64,
    warned: bool,
    timed_out: Option<u64>,
    answering_in: Option<u64>,
}

#[derive(Serialize)]
struct ToolShape<'a> {
    message: &'a str,
    call: &'a str,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
enum AskShape<'a> {
    Questions { questions: Vec<QuestionShape<'a>> },
    Permission { permission: PermissionShape<'a> },
}

#[derive(Serialize)]
pub(super) struct QuestionShape<'a> {
    text: &'a str,
    header: &'a str,
    options: Vec<ChoiceShape<'a>>,
    multiple: bool,
    custom: bool,
}

#[derive(Serialize)]
struct ChoiceShape<'a> {
    label: &'a str,
    description: &'a str,
}

#[derive(Serialize)]
struct PermissionShape<'a> {
    kind: &'a str,
    patterns: &'a [String],
    always: &'a [String],
    command: Option<&'a str>,
    file: Option<&'a str>,
    diff: Option<&'a str>,
    detail: &'a str,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
enum StateShape<'a> {
    Waiting,
    Sending {
        attempt: u32,
        since: u64,
        problem: Option<&'a str>,
        next_try: Option<u64>,
    },
    Sent {
        at: u64,
    },
    Answered {
        at: u64,
        sent: u64,
        note: Option<&'a str>,
    },
    AnsweredElsewhere {
        answer: ElsewhereShape<'a>,
        at: u64,
    },
    Dismissed {
        by_us: bool,
        at: u64,
    },
    NotSent {
        reason: NotSentShape<'a>,
        text: String,
    },
    Gone {
        reason: GoneShape<'a>,
        at: u64,
    },
}

#[derive(Serialize)]
struct SessionRefShape<'a> {
    server: &'a str,
    id: &'a str,
    title: &'a str,
}

/// A reply in the form in which it is given.
#[derive(Serialize)]
#[serde(untagged)]
enum ReplyShape<'a> {
    Answers(&'a [Vec<String>]),
    Word(&'static str),
    Rejection { reject: &'a str },
}

#[derive(Serialize)]
struct RescueShape<'a> {
    text: &'a str,
    to: SessionRefShape<'a>,
    complete: bool,
}

impl<'a> RequestShape<'a> {
    pub(super) fn new(view: &'a RequestView, revision: usize, server: &'a str) -> Self {
        let request = &*view.request;
        let place = |session| SessionRefShape::new(session, server);
        Self {
            server,
            id: request.id.as_str(),
            revision,
            session: request.session.as_str(),
            directory: request.directory.as_str(),
            tool: request.tool.as_ref().map(|ToolRef { message, call }| ToolShape {
                message: message.as_str(),
                call: call.as_str(),
            }),
            ask: (&request.ask).into(),
            state: (&view.state).into(),
            seen: view.seen.0,
            asked: view.asked.map(|at| at.0),
            stale: view.stale.map(|at| at.0),
            origin: view.origin.iter().map(place).collect(),
            reply: view.reply.as_ref().map(ReplyShape::from),
            by_policy: view.by_policy,
            draft: view.draft.as_ref().and_then(drafts::fields),
            saved: view.durability == Durability::Saved,
            others: view.others,
            suggestion: view.suggestion.as_deref(),
            rescue: view.rescue.as_ref().map(|Rescue { text, to, complete }| RescueShape {
                text,
                to: place(to),
                complete: *complete,
            }),
            unanswered: view.unanswered.as_ref().map(UnansweredShape::from),
            runs_in: (&view.runs_in).into(),
        }
    }
}

impl<'a> From<&'a RunsIn> for RunsInShape<'a> {
    fn from(runs_in: &'a RunsIn) -> Self {
        match runs_in {
            RunsIn::Unread => Self::Unread,
            RunsIn::Session => Self::Session,
            RunsIn::Named(directory) => Self::Named { directory },
        }
    }
}

impl From<&Unanswered> for UnansweredShape {
    fn from(unanswered: &Unanswered) -> Self {
        Self {
            until: unanswered.until.0,
            warned: unanswered.warned,
            timed_out: unanswered.timed_out.map(|at| at.0),
            answering_in: unanswered.answering_in.map(|span| span.as_millis() as u64),
        }
    }
}

impl<'a> From<&'a Ask> for AskShape<'a> {
    fn from(ask: &'a Ask) -> Self {
        match ask {
            Ask::Questions(questions) => Self::Questions {
                questions: questions.iter().map(QuestionShape::from).collect(),
            },
            Ask::Permission(permission) => Self::Permission {
                permission: (&**permission).into(),
            },
        }
    }
}

impl<'a> From<&'a Question> for QuestionShape<'a> {
    fn from(question: &'a Question) -> Self {
        let choice = |Choice { label, description }: &'a Choice| ChoiceShape { label, description };
        Self {
            text: &question.text,
            header: &question.header,
            options: question.options.iter().map(choice).collect(),
            multiple: question.multiple,
            custom: question.custom,
        }
    }
}

impl<'a> From<&'a Permission> for PermissionShape<'a> {
    fn from(permission: &'a Permission) -> Self {
        Self {
            kind: &permission.kind,
            patterns: &permission.patterns,
            always: &permission.always,
            command: permission.command.as_deref(),
            file: permission.file.as_deref(),
            diff: permission.diff.as_deref(),
            detail: &permission.detail,
        }
    }
}

impl<'a> From<&'a RequestState> for StateShape<'a> {
    fn from(state: &'a RequestState) -> Self {
        match state {
            RequestState::Waiting => Self::Waiting,
            RequestState::Sending {
                attempt,
                since,
                problem,
                next_try,
            } => Self::Sending {
                attempt: *attempt,
                since: since.0,
                problem: problem.as_deref(),
                next_try: next_try.map(|at| at.0),
            },
            RequestState::Sent { at } => Self::Sent { at: at.0 },
            RequestState::Answered { at, sent, note } => Self::Answered {
                at: at.0,
                sent: sent.0,
                note: note.as_deref(),
            },
            RequestState::AnsweredElsewhere { answer, at } => Self::AnsweredElsewhere {
                answer: answer.into(),
                at: at.0,
            },
            RequestState::Dismissed { by_us, at } => Self::Dismissed {
                by_us: *by_us,
                at: at.0,
            },
            RequestState::NotSent { reason } => Self::NotSent {
                reason: reason.into(),
                text: reason.to_string(),
            },
            RequestState::Gone { reason, at } => Self::Gone {
                reason: reason.into(),
                at: at.0,
            },
        }
    }
}

impl<'a> SessionRefShape<'a> {
    fn new(SessionRef { id, title }: &'a SessionRef, server: &'a str) -> Self {
        Self {
            server,
            id: id.as_str(),
            title,
        }
    }
}

impl<'a> From<&'a Reply> for ReplyShape<'a> {
    fn from(reply: &'a Reply) -> Self {
        match reply {
            Reply::Answers(answers) => Self::Answers(answers),
            Reply::Dismiss => Self::Word("dismiss"),
            Reply::Once => Self::Word("once"),
            Reply::Always => Self::Word("always"),
            Reply::Reject { message: None } => Self::Word("reject"),
            Reply::Reject { message: Some(reject) } => Self::Rejection { reject },
        }
    }
}
