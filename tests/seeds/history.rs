//! One random history: sessions, tabs, persons, and a network that gets worse and better.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use switchboard_core::model::{Draft, DraftField, DraftKey, DraftText, Reply, Request, RequestId, SessionId};
use switchboard_core::time::Time;
use switchboard_tests::network::Faults;
use switchboard_tests::opencode::script::Script;
use switchboard_tests::random::Random;
use switchboard_tests::scripts::{asks, bash, bash_outside, delegates, question, runs, script};
use switchboard_tests::store::Device;
use switchboard_tests::tab::Tab;
use switchboard_tests::world::World;

/// How many things happen.
const EVENTS: u64 = 25;
/// How long nothing goes wrong at the end: longer than any patience of the engine.
const CALM: Duration = Duration::from_secs(90);

/// A history under way.
pub(crate) struct History {
    pub(crate) world: World,
    pub(crate) tabs: Vec<(Device, Tab)>,
    pub(crate) sessions: Vec<SessionId>,
    /// The last thing that was said to each request, and when.
    pub(crate) said: BTreeMap<RequestId, (Request, Reply, Time)>,
    /// What was prompted, and where.
    pub(crate) prompted: Vec<(SessionId, String)>,
    random: Random,
}

impl History {
    pub(crate) fn new(seed: u64) -> Self {
        let mut world = World::new(seed);
        let random = Random::new(seed ^ 0x5eed);
        world.events_flow = random.happens(50);
        let devices = 1 + random.below(2);
        let mut tabs = Vec::new();
        for _ in 0..devices {
            let device = Device::default();
            for _ in 0..=random.below(2) {
                let tab = world.open_tab(&device);
                tabs.push((device.clone(), tab));
            }
        }
        Self {
            world,
            tabs,
            sessions: Vec::new(),
            said: BTreeMap::new(),
            prompted: Vec::new(),
            random,
        }
    }

    /// Lets things happen.
    pub(crate) fn play(&mut self) {
        self.begin_session();
        for _ in 0..EVENTS {
            let pause = self.random.span(&(Duration::ZERO..Duration::from_secs(4)));
            self.world.run_for(pause);
            self.happen();
        }
    }

    /// Lets nothing more go wrong.
    pub(crate) fn calm_down(&mut self) {
        for (_, tab) in &self.tabs {
            *tab.faults.borrow_mut() = Faults::default();
        }
        self.world.run_for(CALM);
    }

    fn happen(&mut self) {
        match self.random.below(100) {
            0..10 => self.begin_session(),
            10..50 => self.somebody_answers(),
            50..58 => self.another_client_acts(),
            58..70 => self.network_changes(),
            70..78 => self.tab_reloads(),
            78..83 => self.world.restart_server(),
            83..90 => self.somebody_prompts(),
            90..96 => self.somebody_types(),
            _ => self.somebody_stops(),
        }
    }

    fn begin_session(&mut self) {
        let directory = ["/one", "/two"][self.pick(2)];
        let script = self.some_script();
        self.sessions.push(self.world.other.begin(directory, &script));
    }

    fn some_script(&self) -> Script {
        match self.random.below(7) {
            0 => script(json!([{ "tools": [question("One?"), question("Two?")] }, { "text": "Done." }])),
            1 => script(
                json!([{ "tools": [question("First?")] }, { "tools": [question("Then?")] }, { "text": "Done." }]),
            ),
            2 => runs("echo hi"),
            3 => script(json!([{ "tools": [bash("echo one"), bash("ls")] }, { "text": "Done." }])),
            4 => script(json!([{ "tools": [bash_outside("ls")] }, { "text": "Done." }])),
            5 => delegates(&asks("From below?")),
            _ => asks("Which?"),
        }
    }

    fn somebody_answers(&mut self) {
        let tab = self.some_tab();
        let waiting = tab.waiting();
        if waiting.is_empty() {
            return;
        }
        let request = (*waiting[self.pick(waiting.len())].request).clone();
        let reply = self.some_reply(&request);
        if tab.answer(&request.id, reply.clone()).is_ok() {
            self.said.insert(request.id.clone(), (request, reply, self.world.now()));
        }
    }

    fn some_reply(&self, request: &Request) -> Reply {
        let is_permission = request.permission().is_some();
        match self.random.below(10) {
            0 if is_permission => Reply::Reject { message: None },
            1 if is_permission => Reply::Reject {
                message: Some("not so".to_owned()),
            },
            2 if is_permission => Reply::Always,
            _ if is_permission => Reply::Once,
            0 => Reply::Dismiss,
            _ => Reply::Answers(vec![vec![format!("answer {}", self.random.below(1_000_000))]]),
        }
    }

    fn another_client_acts(&mut self) {
        let listed = self.world.server.listed();
        match self.random.below(3) {
            0 if !listed.is_empty() => {
                let request = &listed[self.pick(listed.len())];
                let reply = if request.permission().is_some() {
                    Reply::Once
                } else {
                    Reply::Answers(vec![vec!["theirs".to_owned()]])
                };
                self.world.other.reply(request, reply);
            }
            1 => {
                let session = self.some_session();
                self.world.other.abort(&session);
            }
            _ => {
                let session = self.some_session();
                self.world.other.prompt(&session, "and another thing");
            }
        }
    }

    fn network_changes(&mut self) {
        let mut faults = Faults::default();
        let rate = 10 + self.random.below(50);
        match self.random.below(7) {
            0 => faults.request_lost = rate,
            1 => faults.response_lost = rate,
            2 => faults.server_error = rate,
            3 => faults.garbage = rate,
            4 => faults.hang = rate / 2,
            5 => faults.is_cut = true,
            _ => faults.latency = Duration::from_millis(1)..Duration::from_secs(2),
        }
        *self.some_tab().faults.borrow_mut() = faults;
    }

    fn tab_reloads(&mut self) {
        let at = self.pick(self.tabs.len());
        let (device, tab) = self.tabs.remove(at);
        let tab = self.world.reload_tab(tab);
        self.tabs.push((device, tab));
    }

    fn somebody_prompts(&mut self) {
        let (tab, session) = (self.some_tab(), self.some_session());
        let text = format!("prompt {}", self.random.below(1_000_000));
        if tab.prompt(&session, &text).is_ok() {
            self.prompted.push((session, text));
        }
    }

    fn somebody_types(&mut self) {
        let tab = self.some_tab();
        let waiting = tab.waiting();
        if waiting.is_empty() {
            return;
        }
        let request = waiting[self.pick(waiting.len())].request.clone();
        let fields = vec![DraftField {
            own: "half a thou".to_owned(),
            own_chosen: true,
            ..DraftField::default()
        }];
        let key = DraftKey::Request(request.id.clone());
        tab.draft(Draft {
            key,
            text: DraftText::Form {
                request: Arc::clone(&request),
                fields,
            },
        });
    }

    fn somebody_stops(&mut self) {
        let (tab, session) = (self.some_tab(), self.some_session());
        tab.abort(&session);
    }

    fn some_tab(&self) -> Tab {
        self.tabs[self.pick(self.tabs.len())].1.clone()
    }

    fn some_session(&self) -> SessionId {
        self.sessions[self.pick(self.sessions.len())].clone()
    }

    fn pick(&self, of: usize) -> usize {
        usize::try_from(self.random.below(of as u64)).unwrap_or_default()
    }
}
