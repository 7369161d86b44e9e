//! The person at the desk: what most stories do.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use switchboard_core::model::{
    Ask, Draft, DraftField, DraftKey, DraftText, Outcome, Reply, Request, RequestId, SessionId,
};
use switchboard_core::view::{RequestState, TurnState};
use switchboard_tests::opencode::script::Script;
use switchboard_tests::opencode::{Event, Reached};
use switchboard_tests::scripts::script;
use switchboard_tests::store::Device;
use switchboard_tests::tab::Tab;
use switchboard_tests::world::World;

/// Where agents work, unless a story says something else.
pub(crate) const DIRECTORY: &str = "/project";
/// How long anything may take when nothing goes wrong: two refreshes, and the server's own time.
pub(crate) const SOON: Duration = Duration::from_secs(6);
/// How long anything may take when something goes wrong.
pub(crate) const LATER: Duration = Duration::from_secs(120);

/// A world with one tab open.
pub(crate) struct Desk {
    pub(crate) world: World,
    pub(crate) device: Device,
    pub(crate) tab: Tab,
}

impl Desk {
    pub(crate) fn new(seed: u64) -> Self {
        let mut world = World::new(seed);
        let device = Device::default();
        let tab = world.open_tab(&device);
        Self { world, device, tab }
    }

    /// A desk at which this question waits.
    pub(crate) fn with(script: &Script) -> (Self, SessionId, Request) {
        let mut desk = Self::new(1);
        let session = desk.begin(script);
        let request = desk.until_waiting(&session);
        (desk, session, request)
    }

    /// Lets an agent begin with a script.
    pub(crate) fn begin(&self, script: &Script) -> SessionId {
        self.world.other.begin(DIRECTORY, script)
    }

    /// Runs until a request of this session is shown as waiting, and returns the oldest.
    pub(crate) fn until_waiting(&mut self, session: &SessionId) -> Request {
        self.until_waiting_for(session, 1).remove(0)
    }

    /// Runs until so many requests of this session are shown as waiting.
    pub(crate) fn until_waiting_for(&mut self, session: &SessionId, count: usize) -> Vec<Request> {
        let shown = |tab: &Tab| {
            let waiting = tab
                .waiting()
                .into_iter()
                .filter(|shown| shown.request.session == *session);
            waiting.map(|shown| (*shown.request).clone()).collect::<Vec<_>>()
        };
        let tab = self.tab.clone();
        self.world
            .run_until(&format!("{count} requests of {session} are shown"), LATER, |_| {
                shown(&tab).len() == count
            });
        shown(&tab)
    }

    /// Presses Send. The page must take it.
    pub(crate) fn answer(&self, request: &RequestId, reply: Reply) {
        self.tab
            .answer(request, reply)
            .expect("the page takes an answer that fits");
    }

    /// Runs until the request is in such a state.
    pub(crate) fn until_state(&mut self, request: &RequestId, what: &str, is_so: impl Fn(&RequestState) -> bool) {
        let tab = self.tab.clone();
        self.world.run_until(&format!("{request} is {what}"), LATER, |_| {
            tab.state(request).is_some_and(|state| is_so(&state))
        });
    }

    /// Runs until the request is answered, and checks that the agent has the answer, once.
    pub(crate) fn until_answered(&mut self, request: &RequestId) {
        self.until_state(request, "answered", is_answered);
        assert_eq!(self.world.server.deliveries(request), 1, "{}", self.world.story());
    }

    /// Runs until the outcome of an answer is known here.
    pub(crate) fn until_outcome(&mut self, request: &RequestId) -> Outcome {
        let outcomes = self.tab.outcomes.clone();
        self.world.run_until(&format!("{request} has ended"), LATER, |_| {
            outcomes.borrow().contains_key(request)
        });
        let outcome = outcomes.borrow().get(request).cloned();
        outcome.expect("it was just there").expect("the board is open")
    }

    /// Runs until the page shows that the newest turn of a session has ended.
    pub(crate) fn until_ended(&mut self, session: &SessionId) {
        let tab = self.tab.clone();
        self.world
            .run_until(&format!("the turn of {session} has ended"), LATER, |_| {
                matches!(tab.session(session), Some(TurnState::Ended { .. }))
            });
    }

    /// A session that has had its first turn, and is known to the page.
    pub(crate) fn quiet_session(&mut self) -> SessionId {
        let session = self.begin(&script(json!([{ "text": "Ready." }])));
        self.until_ended(&session);
        session
    }

    /// The permission asks for a worse command under its old id.
    pub(crate) fn change_command(&self, request: &RequestId) {
        self.world.server.change_request(request, |request| {
            if let Ask::Permission(permission) = &mut request.ask {
                permission.command = Some("rm -rf /".to_owned());
            }
        });
    }

    /// Reloads the tab. The new one has a good network.
    pub(crate) fn reload(&mut self) {
        self.tab = self.world.reload_tab(self.tab.clone());
    }

    /// How often a reply to this request reached the server, and where it went.
    pub(crate) fn replies(&self, request: &RequestId) -> Vec<Reached> {
        let history = self.world.server.history();
        let reached = history.iter().filter_map(|happening| {
            let Event::Replied {
                request: to,
                to: reached,
                ..
            } = &happening.event
            else {
                return None;
            };
            (to == request).then_some(*reached)
        });
        reached.collect()
    }
}

pub(crate) fn is_answered(state: &RequestState) -> bool {
    matches!(state, RequestState::Answered { .. })
}

pub(crate) fn is_gone(state: &RequestState) -> bool {
    matches!(state, RequestState::Gone { .. })
}

pub(crate) fn blue() -> Reply {
    Reply::Answers(vec![vec!["Blue".to_owned()]])
}

pub(crate) fn red() -> Reply {
    Reply::Answers(vec![vec!["Red".to_owned()]])
}

/// A half-filled form with a text of one's own.
pub(crate) fn typed(request: &Request, text: &str) -> Draft {
    let field = DraftField {
        own: text.to_owned(),
        own_chosen: true,
        ..DraftField::default()
    };
    Draft {
        key: DraftKey::Request(request.id.clone()),
        text: DraftText::Form {
            request: Arc::new(request.clone()),
            fields: vec![field],
        },
    }
}

/// Whether the server runs a session.
pub(crate) fn runs_on(desk: &Desk, session: &SessionId) -> bool {
    desk.world.server.status(session).is_some()
}
