//! What the tests of several parts begin with.

use std::sync::Arc;

use switchboard_core::Time;
use switchboard_core::model::{Ask, Message, Part, PartBody, Request, Role, Session};
use switchboard_core::view::{
    Durability, EndReason, Ending, RequestState, RequestView, RunsIn, SessionView, TurnState,
};

/// A request that was seen at time 0 and of which nothing else is known.
pub(crate) fn shown(request: Request, state: RequestState) -> RequestView {
    RequestView {
        request: Arc::new(request),
        state,
        seen: Time(0),
        asked: None,
        stale: None,
        origin: Vec::new(),
        reply: None,
        by_policy: false,
        draft: None,
        durability: Durability::Saved,
        others: 0,
        suggestion: None,
        rescue: None,
        unanswered: None,
        runs_in: RunsIn::Session,
    }
}

/// The same for one that asks this.
pub(crate) fn asking(id: &str, ask: Ask, state: RequestState) -> RequestView {
    let request = Request {
        id: id.into(),
        session: "ses_1".into(),
        directory: "/d".into(),
        tool: None,
        ask,
    };
    shown(request, state)
}

/// A session that ended so, and was last updated then. Where a reason is told, the provider asks for money.
pub(crate) fn ended(title: &str, updated: u64, ending: Ending) -> Arc<SessionView> {
    let session = Session {
        id: title.into(),
        directory: "/d".into(),
        parent: None,
        title: title.to_owned(),
        created: 0,
        updated,
        archived: false,
        cost: Some(0.31),
    };
    Arc::new(SessionView {
        session: Arc::new(session),
        state: TurnState::Ended {
            ending,
            reason: EndReason::Failed {
                name: "APIError".to_owned(),
                message: "no credit".to_owned(),
            },
        },
        waiting: 0,
        waiting_below: 0,
        stale: None,
        updated: Time(updated),
        moved: None,
        agent: None,
        last_text: String::new(),
        asked_elsewhere: Vec::new(),
    })
}

/// A message of the agent that consists of these parts, `prt_0` being the first.
pub(crate) fn message(id: &str, bodies: Vec<PartBody>) -> Arc<Message> {
    let part = |(at, body)| Part {
        id: format!("prt_{at}").into(),
        body,
    };
    Arc::new(Message {
        parts: bodies.into_iter().enumerate().map(part).collect(),
        ..Message::new(id.into(), "ses_1".into(), Role::Assistant, 0)
    })
}
