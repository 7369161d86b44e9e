//! A session and its state, as a plain object.

use serde::Serialize;
use switchboard_core::view::{AskedElsewhere, Ending, SessionView, StuckCause, TurnState};

use super::request::QuestionShape;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SessionShape<'a> {
    server: &'a str,
    id: &'a str,
    directory: &'a str,
    parent: Option<&'a str>,
    title: &'a str,
    created: u64,
    updated: u64,
    archived: bool,
    cost: Option<f64>,
    state: StateShape<'a>,
    waiting: usize,
    waiting_below: usize,
    stale: Option<u64>,
    moved: Option<u64>,
    agent: Option<&'a str>,
    last_text: &'a str,
    asked_elsewhere: Vec<AskedElsewhereShape<'a>>,
}

#[derive(Serialize)]
struct AskedElsewhereShape<'a> {
    message: &'a str,
    part: &'a str,
    questions: Vec<QuestionShape<'a>>,
    asked: Option<u64>,
    certain: bool,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
enum StateShape<'a> {
    Unknown,
    Working,
    WaitingForHuman {
        descendant: Option<&'a str>,
    },
    Retrying {
        attempt: u32,
        message: &'a str,
        next: Option<u64>,
    },
    Stuck {
        cause: CauseShape<'a>,
        since: u64,
    },
    Elsewhere {
        certain: bool,
    },
    Ended {
        ending: EndingShape,
        reason: String,
    },
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
enum CauseShape<'a> {
    DescendantWaits { session: &'a str },
    Silent,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum EndingShape {
    Done,
    Empty,
    Dismissed,
    Failed,
    Aborted,
    Interrupted,
    NotStarted,
    TimedOut,
}

impl<'a> SessionShape<'a> {
    pub(super) fn new(view: &'a SessionView, server: &'a str) -> Self {
        let session = &*view.session;
        Self {
            server,
            id: session.id.as_str(),
            directory: session.directory.as_str(),
            parent: session.parent.as_ref().map(|parent| parent.as_str()),
            title: &session.title,
            created: session.created,
            updated: view.updated.0,
            archived: session.archived,
            cost: session.cost,
            state: (&view.state).into(),
            waiting: view.waiting,
            waiting_below: view.waiting_below,
            stale: view.stale.map(|at| at.0),
            moved: view.moved.map(|at| at.0),
            agent: view.agent.as_deref(),
            last_text: &view.last_text,
            asked_elsewhere: view.asked_elsewhere.iter().map(AskedElsewhereShape::from).collect(),
        }
    }
}

impl<'a> From<&'a AskedElsewhere> for AskedElsewhereShape<'a> {
    fn from(asked: &'a AskedElsewhere) -> Self {
        Self {
            message: asked.message.as_str(),
            part: asked.part.as_str(),
            questions: asked.questions.iter().map(QuestionShape::from).collect(),
            asked: asked.asked.map(|at| at.0),
            certain: asked.certain,
        }
    }
}

impl<'a> From<&'a TurnState> for StateShape<'a> {
    fn from(state: &'a TurnState) -> Self {
        match state {
            TurnState::Unknown => Self::Unknown,
            TurnState::Working => Self::Working,
            TurnState::WaitingForHuman { descendant } => Self::WaitingForHuman {
                descendant: descendant.as_ref().map(|session| session.as_str()),
            },
            TurnState::Retrying {
                attempt,
                message,
                next,
                since: _,
            } => Self::Retrying {
                attempt: *attempt,
                message,
                next: *next,
            },
            TurnState::Stuck { cause, since } => Self::Stuck {
                cause: match cause {
                    StuckCause::DescendantWaits(session) => CauseShape::DescendantWaits {
                        session: session.as_str(),
                    },
                    StuckCause::Silent => CauseShape::Silent,
                },
                since: since.0,
            },
            TurnState::Elsewhere { certain } => Self::Elsewhere { certain: *certain },
            TurnState::Ended { ending, reason } => Self::Ended {
                ending: (*ending).into(),
                reason: reason.to_string(),
            },
        }
    }
}

impl From<Ending> for EndingShape {
    fn from(ending: Ending) -> Self {
        match ending {
            Ending::Done => Self::Done,
            Ending::Empty => Self::Empty,
            Ending::Dismissed => Self::Dismissed,
            Ending::Failed => Self::Failed,
            Ending::Aborted => Self::Aborted,
            Ending::Interrupted => Self::Interrupted,
            Ending::NotStarted => Self::NotStarted,
            Ending::TimedOut => Self::TimedOut,
        }
    }
}
