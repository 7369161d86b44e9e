//! What the tests of several parts begin with.

use std::sync::Arc;

use switchboard_core::Time;
use switchboard_core::model::{Ask, Request};
use switchboard_core::view::{RequestState, RequestView};

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
        saved: true,
        others: 0,
        suggestion: None,
        rescue: None,
        unanswered: None,
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
