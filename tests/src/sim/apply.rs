//! Lets an event happen.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use serde_json::json;
use switchboard_core::model::{
    Ask, Directory, Draft, DraftField, DraftKey, DraftText, Reply, Request, RequestId, Session, SessionId,
};
use switchboard_core::ports::Read;
use switchboard_core::view::RequestView;
use switchboard_core::{AnswerError, PromptOptions, Storing, Time};

use super::calls::is_of_command;
use super::history::{Fault, Hardship, Meanwhile, Transition};
use super::policies::millis;
use super::sut::{Press, Prompted, SentDraft, Sut, Typed};
use crate::executor::Group;
use crate::network::Faults;
use crate::opencode::{Accepted, Event, Life, OpenCode};
use crate::other_client::OtherClient;
use crate::random::Random;
use crate::scripts::{asks, bash, bash_outside, delegates, question, read, runs, script};
use crate::tab::Tab;
use crate::watch::Breach;

const DIRECTORIES: [&str; 6] = ["/one", "/two", "/three", "/four", "/five", "/loose/six"];

/// How long an outage lasts: long enough for the engine to slow down, and to be seen to.
const OUTAGE: Duration = Duration::from_secs(65);

/// How long it takes until somebody who answered offline has a network again.
const OFFLINE: Duration = Duration::from_secs(3);

/// What agents do.
pub(super) static SCRIPTS: LazyLock<[String; 11]> = LazyLock::new(|| {
    let scripts = [
        asks("Which?"),
        asks("Where to?"),
        script(json!([{ "tools": [question("One?"), question("Two?")] }, { "text": "Done." }])),
        script(json!([{ "tools": [question("First?")] }, { "tools": [question("Then?")] }, { "text": "Done." }])),
        runs("echo hi"),
        script(json!([{ "tools": [bash("echo one"), bash("ls")] }, { "text": "Done." }])),
        script(json!([{ "tools": [bash_outside("ls")] }, { "text": "Done." }])),
        delegates(&asks("From below?")),
        script(
            json!([{ "tools": [bash("rm -r /"), question("And?")] }, { "text": "Hm.", "finish": null }, { "text": "" }]),
        ),
        script(json!([{ "text": "One moment.", "status": 429, "times": 1 }, { "status": 400 }])),
        script(json!([{ "tools": [read(), read(), read()] }, { "text": "Read it.", "delay": 20_000 }])),
    ];
    scripts.map(|script| script.to_prompt())
});

impl Sut {
    pub(super) fn transition(&mut self, transition: &Transition) -> Result<(), Breach> {
        let is_up = self.world.server.life() == Life::Up;
        match *transition {
            // A terminal does nothing while its server is down.
            Transition::Begin { .. }
            | Transition::OtherAnswers { .. }
            | Transition::OtherRejects { .. }
            | Transition::OtherClearsGhost { .. }
            | Transition::OtherPrompts { .. }
            | Transition::OtherStops { .. }
            | Transition::BesideBegins { .. }
            | Transition::OtherDeletes { .. }
            | Transition::Dispose { .. }
            | Transition::Change { .. }
            | Transition::Restart { .. }
            | Transition::Hardship(
                Hardship::BeginLong { .. }
                | Hardship::DeleteAwaited { .. }
                | Hardship::ChangeQuestion { .. }
                | Hardship::Spoil { .. }
                | Hardship::Archive { .. }
                | Hardship::Crowd { .. }
                | Hardship::Many { .. }
                | Hardship::LoseStop { .. },
            ) if !is_up => {}
            Transition::Begin { directory, script } => self.begin_session(directory, 0, script),
            Transition::Answer { tab, pick, reply } => self.answer(tab, pick, reply),
            Transition::AnswerOffline {
                tab,
                pick,
                reply,
                meanwhile,
            } => return self.answer_offline(tab, pick, reply, meanwhile),
            Transition::Prompt { tab, pick } => self.prompt(tab, pick),
            Transition::Type { tab, pick } => self.type_half(tab, pick),
            Transition::Stop { tab, pick } => {
                if let Some((tab, session)) = self.shown_session(tab, pick) {
                    stop(&tab, session, &self.world.server, self.world.now());
                }
            }
            Transition::Rescue { tab, pick } => self.rescue(tab, pick),
            Transition::Discard { tab, pick } => self.discard(tab, pick),
            Transition::Open { tab: place, pick } => {
                if let Some((tab, session)) = self.shown_session(place, pick) {
                    tab.handle.open(Some(&session));
                    self.slots[place].turned_to = self.world.now();
                }
            }
            Transition::Hide { tab, hidden } => {
                if let Some(open) = self.tab(tab) {
                    open.handle.set_visible(!hidden);
                    self.slots[tab].is_hidden = hidden;
                }
            }
            Transition::OtherAnswers { pick } => self.other_replies(pick, true, false),
            Transition::OtherRejects { pick } => self.other_replies(pick, true, true),
            Transition::OtherClearsGhost { pick } => self.other_replies(pick, false, true),
            Transition::OtherPrompts { pick } => {
                if let Some(session) = self.any_session(pick) {
                    self.world.other.prompt(&session, "and another thing");
                }
            }
            Transition::OtherStops { pick } => {
                if let Some(session) = self.any_session(pick) {
                    self.world.other.abort(&session);
                }
            }
            Transition::BesideBegins { directory, script } => self.begin_beside(directory, script),
            Transition::BesideAnswers => self.answer_beside(),
            Transition::BesideStops => self.stop_beside(),
            Transition::BesideDies => self.world.server.beside().kill(),
            Transition::OtherDeletes { pick } => {
                if let Some(session) = self.any_session(pick) {
                    self.world.server.delete(&session);
                }
            }
            Transition::Restart { down } => self.world.kill_server_for(Duration::from_millis(down)),
            Transition::DieAfterReply => self.world.server.kill_after(Accepted::Reply),
            Transition::DieAfterPrompt => self.world.server.kill_after(Accepted::Prompt),
            Transition::Dispose { directory } => self.world.server.dispose(&directory_of(directory)),
            Transition::Change { pick } => self.change(pick),
            Transition::Network { tab, fault, percent } => {
                if tab < self.slots.len() {
                    self.set_faults(tab, faults_of(fault, percent), fault == Fault::None);
                }
            }
            Transition::Outage { tab } => return self.lose_network(tab),
            Transition::Reload { tab } => self.reload(tab),
            Transition::Close { tab } => self.close(tab.min(self.slots.len() - 1)),
            Transition::Reopen { tab } => self.open(tab.min(self.slots.len() - 1)),
            Transition::Crash { tab, writes } => {
                if let Some(tab) = self.tab(tab) {
                    tab.commits_to_live.set(Some(writes));
                }
            }
            Transition::Sleep {
                device,
                seconds,
                minutes,
            } => return self.sleep(device, Duration::from_secs(seconds), minutes),
            Transition::ClockJump { device, minutes } => self.set_clock(device, minutes),
            Transition::ClockBack { device, minutes } => {
                let places: Vec<usize> = (0..self.slots.len())
                    .filter(|place| self.slots[*place].device == device)
                    .collect();
                let open: Vec<usize> = places
                    .into_iter()
                    .filter(|place| self.slots[*place].tab.is_some())
                    .collect();
                open.iter().for_each(|place| self.close(*place));
                self.set_clock(device, -minutes);
                open.iter().for_each(|place| self.open(*place));
            }
            Transition::Storage { device, health } => {
                if device < self.devices.len() {
                    self.set_health(device, health);
                }
            }
            Transition::Unanswered { device, claims, loads } => {
                if device < self.devices.len() {
                    self.world.watch().note_unanswered(device);
                    self.devices[device].leave_claims_unanswered(claims.into());
                    self.devices[device].leave_loads_unanswered(loads.into());
                }
            }
            Transition::Lead { tab } => self.lead(tab),
            Transition::Leave { tab } => {
                self.leave(tab)?;
                self.open(tab.min(self.slots.len() - 1));
            }
            Transition::Idle { seconds } => return self.pass(Duration::from_secs(seconds)),
            Transition::StopCountdown { tab, pick } => self.stop_countdown(tab, pick),
            Transition::Await { tab, pick } => self.await_request(tab, pick),
            Transition::FollowUp {
                tab,
                pick,
                script,
                patience,
            } => self.follow_up(tab, pick, script, patience),
            Transition::Cancel { tab } => self.cancel(tab),
            Transition::Dispatch {
                tab,
                directory,
                scripts,
                seconds,
            } => self.dispatch(tab, directory, &scripts, seconds),
            Transition::Validate { tab, pick, check } => self.validate(tab, pick, check),
            Transition::Shell {
                tab,
                directory,
                command,
                seconds,
            } => self.shell(tab, directory, command, seconds),
            Transition::Create { tab, directory } => self.create(tab, directory),
            Transition::Effects { draws } => self.effects.transition(draws, &self.world),
            Transition::Deferreds { draws } => self.deferreds.transition(draws, &self.world),
            Transition::Hardship(ref hardship) => return self.endure(hardship),
        }
        Ok(())
    }

    /// A terminal prompts a session that has so many exchanges behind it.
    pub(super) fn begin_session(&mut self, directory: u8, exchanges: usize, script: u8) {
        let server = &self.world.server;
        let session = server.create(&directory_of(directory), "Scripted session");
        if exchanges > 0 {
            server.fill(&session, exchanges);
            self.reference.remember(&session, self.world.now());
        }
        let script = &SCRIPTS[usize::from(script) % SCRIPTS.len()];
        self.world.other.prompt(&session, script);
    }

    fn begin_beside(&mut self, directory: u8, script: u8) {
        let terminal = OtherClient::new(self.world.server.beside(), Random::new(self.beside.len() as u64));
        let session = terminal.server.create(&directory_of(directory), "Scripted session");
        terminal.prompt(&session, &SCRIPTS[usize::from(script) % SCRIPTS.len()]);
        self.beside.insert(session, self.world.now());
    }

    fn answer_beside(&mut self) {
        let terminal = OtherClient::new(self.world.server.beside(), Random::new(0));
        for request in terminal.server.listed() {
            self.texts += 1;
            terminal.reply(&request, reply_to(&request, 0, self.texts));
        }
    }

    fn stop_beside(&mut self) {
        let terminal = OtherClient::new(self.world.server.beside(), Random::new(0));
        self.beside.keys().for_each(|session| terminal.abort(session));
    }

    pub(super) fn answer(&mut self, place: usize, pick: u32, choice: u32) {
        let Some(tab) = self.tab(place) else { return };
        let Some(shown) = choose(&tab.waiting(), pick).cloned() else {
            return;
        };
        self.texts += 1;
        if let Some(misfit) = misfit_for(&shown.request, choice) {
            return self.answer_amiss(&tab, &shown.request, misfit);
        }
        let reply = reply_to(&shown.request, choice, self.texts);
        let device = self.slots[place].device;
        if tab.answer(&shown.request.id, reply.clone()).is_ok() {
            self.press(device, tab.number, &shown.request, reply);
        }
    }

    /// A person sends what does not fit the question. It must go nowhere: the server would take it.
    fn answer_amiss(&mut self, tab: &Tab, request: &Request, misfit: Reply) {
        let result = tab.handle.answer(request, misfit.clone());
        self.heard.add("an answer that does not fit is refused", 1);
        if result.is_ok() {
            let words = format!("tab {} takes {misfit:?} for an answer to {request:?}", tab.number);
            self.world.watch().report("validation", words);
        }
    }

    fn press(&mut self, device: usize, tab: usize, request: &Arc<Request>, reply: Reply) {
        // Of two tabs that answer at the same moment one is too late, and says so.
        let is_contested = self.is_contested(device, &request.id, tab);
        self.close_presses(device, &request.id);
        self.presses.push(Press {
            device,
            tab,
            request: request.clone(),
            reply,
            at: self.world.now(),
            is_closed: is_contested,
        });
    }

    /// A person answers a request as it was shown a while ago. It is taken exactly if it still asks the same.
    pub(super) fn answer_late(&mut self, place: usize, pick: u32, choice: u32, age: Duration) {
        let Some(tab) = self.tab(place) else { return };
        let then = Time(self.world.now().0 - millis(age));
        let shown = &self.slots[place].shown;
        let Some((_, view)) = shown.iter().rev().find(|(since, _)| *since <= then) else {
            return;
        };
        let waiting: Vec<_> = view.requests.iter().filter(|shown| shown.state.is_waiting()).collect();
        let Some(shown) = choose(&waiting, pick) else { return };
        let request = shown.request.clone();
        self.texts += 1;
        let reply = reply_to(&request, choice, self.texts);
        let present = tab.request(&request.id);
        let is_same = present.is_some_and(|present| present.request.ask == request.ask);
        let result = tab.answer_shown(&request, reply.clone());
        match &result {
            Ok(()) => {
                self.heard.add("an answer to what was shown: taken", 1);
                self.press(self.slots[place].device, tab.number, &request, reply);
            }
            Err(AnswerError::Changed(_)) => self.heard.add("an answer to what was shown: changed since", 1),
            Err(_) => self.heard.add("an answer to what was shown: refused", 1),
        }
        let is_called_changed = matches!(result, Err(AnswerError::Changed(_)));
        if (result.is_ok() || is_called_changed) && is_same == is_called_changed {
            let words = format!(
                "tab {} says {result:?} to {request:?}, is the same: {is_same}",
                tab.number
            );
            self.world.watch().report("revision", words);
        }
    }

    fn answer_offline(&mut self, place: usize, pick: u32, choice: u32, meanwhile: Meanwhile) -> Result<(), Breach> {
        if place >= self.slots.len() {
            return Ok(());
        }
        self.set_faults(place, faults_of(Fault::Cut, 0), false);
        self.answer(place, pick, choice);
        self.pass(OFFLINE)?;
        match meanwhile {
            Meanwhile::Nothing => {}
            Meanwhile::AnHourPasses => self.sleep(self.slots[place].device, Duration::from_secs(1), 60)?,
            Meanwhile::RequestsChange => (0..3).for_each(|pick| self.change(pick)),
        }
        self.set_faults(place, Faults::default(), true);
        Ok(())
    }

    fn prompt(&mut self, place: usize, pick: u32) {
        if let Some((tab, session)) = self.shown_session(place, pick) {
            self.prompt_session(place, &tab, session);
        }
    }

    pub(super) fn prompt_session(&mut self, place: usize, tab: &Tab, session: SessionId) {
        self.texts += 1;
        let device = self.slots[place].device;
        let key = DraftKey::Prompt(session.clone());
        let typed = self.drafts.get(&(device, key.clone())).map(|typed| typed.draft.clone());
        let text = match &typed {
            Some(Draft {
                text: DraftText::Prompt(text),
                ..
            }) => text.clone(),
            Some(_) | None => format!("prompt {}", self.texts),
        };
        let is_kept = typed.is_some_and(|typed| self.devices[device].drafts().contains(&typed));
        tab.watch.intend_text(&text);
        if let Ok(storing) = tab.handle.prompt(&session, &text, PromptOptions::default()) {
            self.drafts.remove(&(device, key));
            if is_kept {
                self.heard.add("a draft is sent", 1);
                self.sent_drafts.push(SentDraft { device, text });
            }
            self.await_stored(place, tab, session, None, storing);
        }
    }

    pub(super) fn type_prompt(&mut self, place: usize, pick: u32) {
        let Some((tab, session)) = self.shown_session(place, pick) else {
            return;
        };
        self.texts += 1;
        // What stands in the box, also what was sent and has come back, is typed over.
        let device = self.slots[place].device;
        let drafts = self.devices[device].drafts();
        let is_typed_over = |sent: &SentDraft| {
            let own = drafts
                .iter()
                .filter(|kept| kept.key == DraftKey::Prompt(session.clone()));
            let mut texts = own.map(|kept| &kept.text);
            sent.device == device && texts.any(|text| *text == DraftText::Prompt(sent.text.clone()))
        };
        self.sent_drafts.retain(|sent| !is_typed_over(sent));
        let draft = Draft {
            key: DraftKey::Prompt(session),
            text: DraftText::Prompt(format!("prompt {}", self.texts)),
        };
        self.keep_draft(place, &tab, draft);
    }

    fn keep_draft(&mut self, place: usize, tab: &Tab, draft: Draft) {
        let typed = Typed {
            draft: draft.clone(),
            at: self.world.now(),
        };
        self.drafts.insert((self.slots[place].device, draft.key.clone()), typed);
        tab.draft(draft);
    }

    fn await_stored(
        &mut self,
        place: usize,
        tab: &Tab,
        session: SessionId,
        rescues: Option<RequestId>,
        storing: Storing,
    ) {
        let message = storing.message().clone();
        let (stored, id) = (self.stored.clone(), message.clone());
        tab.executor.spawn(Group::Tab(tab.number), async move {
            let result = storing.await;
            stored.borrow_mut().insert(id, result);
        });
        self.prompts.push(Prompted {
            device: self.slots[place].device,
            tab: tab.number,
            session,
            message,
            at: self.world.now(),
            rescues,
            is_closed: false,
        });
    }

    fn type_half(&mut self, place: usize, pick: u32) {
        let Some(tab) = self.tab(place) else { return };
        let Some(shown) = choose(&tab.waiting(), pick).cloned() else {
            return;
        };
        self.texts += 1;
        let fields = vec![DraftField {
            own: format!("half a thou {}", self.texts),
            own_chosen: true,
            ..DraftField::default()
        }];
        let draft = Draft {
            key: DraftKey::Request(shown.request.id.clone()),
            text: DraftText::Form {
                request: Arc::clone(&shown.request),
                fields,
            },
        };
        self.keep_draft(place, &tab, draft);
    }

    fn rescue(&mut self, place: usize, pick: u32) {
        let Some(tab) = self.tab(place) else { return };
        let dead: Vec<Arc<RequestView>> = tab
            .view()
            .requests
            .iter()
            .filter(|shown| shown.rescue.is_some())
            .cloned()
            .collect();
        let Some(shown) = choose(&dead, pick) else { return };
        let Some(rescue) = &shown.rescue else { return };
        tab.watch.intend_text(&rescue.text);
        if let Ok(storing) = tab.handle.rescue(&shown.request.id) {
            let device = self.slots[place].device;
            self.close_presses(device, &shown.request.id);
            self.drafts
                .remove(&(device, DraftKey::Request(shown.request.id.clone())));
            self.close_refused_rescues(device, &shown.request.id);
            let rescued = Some(shown.request.id.clone());
            self.await_stored(place, &tab, rescue.to.id.clone(), rescued, storing);
        }
    }

    /// A person sends a refused message again: what is shown is how far the new one is.
    fn close_refused_rescues(&mut self, device: usize, request: &RequestId) {
        let watch = self.world.watch();
        let about = |prompted: &&mut Prompted| {
            prompted.device == device
                && prompted.rescues.as_ref() == Some(request)
                && watch.is_refused(&prompted.message)
        };
        let refused = self.prompts.iter_mut().filter(about);
        refused.for_each(|prompted| prompted.is_closed = true);
    }

    fn discard(&mut self, place: usize, pick: u32) {
        let Some(tab) = self.tab(place) else { return };
        let dead: Vec<Arc<RequestView>> = tab
            .view()
            .requests
            .iter()
            .filter(|shown| shown.state.is_ended())
            .cloned()
            .collect();
        let Some(shown) = choose(&dead, pick) else { return };
        let device = self.slots[place].device;
        tab.handle.discard(&shown.request.id);
        self.close_presses(device, &shown.request.id);
        self.drafts
            .remove(&(device, DraftKey::Request(shown.request.id.clone())));
    }

    fn other_replies(&mut self, pick: u32, wants_live: bool, turns_away: bool) {
        let live = self.world.server.live();
        let mut listed = self.world.server.listed();
        listed.retain(|request| live.contains(&request.id) == wants_live);
        // Rejecting the ghost of a permission rejects live ones, too: nobody clears those.
        listed.retain(|request| wants_live || request.permission().is_none());
        let Some(request) = choose(&listed, pick) else { return };
        let reply = match (&request.ask, turns_away) {
            (Ask::Questions(_), true) => Reply::Dismiss,
            (Ask::Questions(questions), false) => Reply::Answers(vec![vec!["theirs".to_owned()]; questions.len()]),
            (Ask::Permission(_), true) => Reply::Reject { message: None },
            (Ask::Permission(_), false) => Reply::Once,
        };
        self.world.other.reply(request, reply);
    }

    fn change(&mut self, pick: u32) {
        let mut listed = self.world.server.listed();
        listed.retain(|request| request.permission().is_some());
        let Some(request) = choose(&listed, pick) else { return };
        self.texts += 1;
        let command = format!("rm -rf /{}", self.texts);
        self.world.server.change_request(&request.id, |request| {
            if let Ask::Permission(permission) = &mut request.ask {
                permission.command = Some(command.clone());
                permission.patterns = vec![command];
            }
        });
    }

    pub(super) fn change_question(&mut self, pick: u32) {
        let mut listed = self.world.server.listed();
        listed.retain(|request| matches!(request.ask, Ask::Questions(_)));
        let Some(request) = choose(&listed, pick) else { return };
        self.texts += 1;
        let text = format!("Delete everything {}?", self.texts);
        self.world.server.change_request(&request.id, |request| {
            if let Ask::Questions(questions) = &mut request.ask {
                questions[0].text = text;
            }
        });
    }

    fn lose_network(&mut self, place: usize) -> Result<(), Breach> {
        if place >= self.slots.len() {
            return Ok(());
        }
        self.set_faults(place, faults_of(Fault::Cut, 0), false);
        self.pass(OUTAGE)?;
        self.set_faults(place, Faults::default(), true);
        Ok(())
    }

    fn reload(&mut self, place: usize) {
        if self.tab(place).is_some() {
            self.close(place);
            self.open(place);
        }
    }

    fn sleep(&mut self, device: usize, span: Duration, minutes: i64) -> Result<(), Breach> {
        let is_awake = |slot: &&super::sut::Slot| slot.device == device && slot.frozen.is_none();
        let awake = self.slots.iter().filter(is_awake);
        let tabs: Vec<Tab> = awake.filter_map(|slot| slot.tab.clone()).collect();
        tabs.iter().for_each(|tab| self.world.freeze_tab(tab));
        let slept = self.pass(span);
        self.turn_clock(device, minutes);
        tabs.iter().for_each(|tab| self.world.thaw_tab(tab));
        self.begin_anew(device, span);
        slept
    }

    fn set_clock(&mut self, device: usize, minutes: i64) {
        self.turn_clock(device, minutes);
        self.begin_anew(device, Duration::ZERO);
    }

    fn turn_clock(&mut self, device: usize, minutes: i64) {
        if let Some(home) = self.devices.get(device) {
            let ahead = home.clock_ahead();
            ahead.set(ahead.get() + minutes * 60_000);
            self.jumps.push(self.world.now());
            let watch = self.world.watch();
            self.tabs_of(device).for_each(|tab| watch.note_gap(tab.number));
        }
    }

    fn lead(&mut self, place: usize) {
        if let Some(heir) = self.tab(place) {
            self.world.move_lead(&heir);
        }
    }

    pub(super) fn shown_session(&self, place: usize, pick: u32) -> Option<(Tab, SessionId)> {
        let tab = self.tab(place)?;
        let view = tab.view();
        let mut sessions: Vec<&Session> = view.sessions.iter().map(|shown| &*shown.session).collect();
        sessions.retain(|session| !is_of_command(session) && !self.is_beside(session));
        let session = choose(&sessions, pick)?.id.clone();
        Some((tab, session))
    }

    pub(super) fn any_session(&self, pick: u32) -> Option<SessionId> {
        let mut sessions = self.world.server.sessions();
        let is_other = |session: &Session| is_of_command(session) || self.is_beside(session);
        sessions.retain(|id| !self.world.server.session(id).as_ref().is_some_and(is_other));
        choose(&sessions, pick).cloned()
    }

    /// Whether another process has begun a session, or the one above it.
    fn is_beside(&self, session: &Session) -> bool {
        let begun = |id: &SessionId| self.beside.contains_key(id);
        begun(&session.id) || session.parent.as_ref().is_some_and(begun)
    }
}

/// A person stops a session. When that is said to be done the server was asked to since, or that run is over.
pub(super) fn stop(tab: &Tab, session: SessionId, server: &OpenCode, pressed: Time) {
    tab.watch.note_stop(tab.number, &session);
    let stopping = tab.handle.abort(&session);
    let runs_of = |server: &OpenCode, session: &SessionId| {
        let history = server.history();
        let begins = |event: &Event| matches!(event, Event::RunBegan { session: of } if of == session);
        history.iter().filter(|happening| begins(&happening.event)).count()
    };
    let runs = runs_of(server, &session);
    let (watch, number, server) = (tab.watch.clone(), tab.number, server.clone());
    tab.run(async move {
        let is_done = stopping.await.is_ok();
        let is_on = || server.status(&session).is_some() && runs_of(&server, &session) == runs;
        if is_done && !watch.has_stopped(number, &session, pressed) && is_on() {
            let words = format!("tab {number} was told that {session} is stopped, and nobody asked for it");
            watch.report("stop", words);
        }
    });
}

pub(super) fn choose<T>(among: &[T], pick: u32) -> Option<&T> {
    let place = (pick as usize).checked_rem(among.len())?;
    among.get(place)
}

pub(super) fn directory_of(place: u8) -> Directory {
    DIRECTORIES[usize::from(place) % DIRECTORIES.len()].into()
}

fn reply_to(request: &Request, choice: u32, text: u32) -> Reply {
    match (&request.ask, choice % 10) {
        (Ask::Permission(_), 0) => Reply::Reject { message: None },
        (Ask::Permission(_), 1) => Reply::Reject {
            message: Some(format!("not so {text}")),
        },
        (Ask::Permission(_), 2 | 3) => Reply::Always,
        (Ask::Permission(_), _) => Reply::Once,
        (Ask::Questions(_), 0) => Reply::Dismiss,
        (Ask::Questions(questions), 1..4) => Reply::Answers(vec![vec!["Blue".to_owned()]; questions.len()]),
        (Ask::Questions(questions), _) => Reply::Answers(vec![vec![format!("answer {text}")]; questions.len()]),
    }
}

/// Now and then something that does not fit: too few answers, too many, one that is empty, or a word for a permission.
fn misfit_for(request: &Request, choice: u32) -> Option<Reply> {
    /// How many of a thousand answers fit.
    const FITTING: u32 = 960;

    let kind = choice.checked_sub(FITTING)? % 4;
    let Ask::Questions(questions) = &request.ask else {
        return Some(Reply::Answers(vec![vec!["yes".to_owned()]]));
    };
    let mut answers = vec![vec!["Blue".to_owned()]; questions.len()];
    match kind {
        0 => drop(answers.pop()),
        1 => answers.push(vec!["Blue".to_owned()]),
        2 => answers[0].clear(),
        _ => answers[0] = vec![String::new()],
    }
    Some(Reply::Answers(answers))
}

pub(super) fn faults_of(fault: Fault, percent: u64) -> Faults {
    let mut faults = Faults::default();
    match fault {
        Fault::None => {}
        Fault::RequestLost => faults.request_lost = percent,
        Fault::ResponseLost => faults.response_lost = percent,
        Fault::ServerError => faults.server_error = percent,
        Fault::Garbage => faults.garbage = percent,
        Fault::Hang => faults.hang = percent / 2,
        Fault::Slow => faults.latency = Duration::from_millis(1)..Duration::from_secs(2),
        Fault::Cut => faults.is_cut = true,
        Fault::HangingDirectory => faults.hanging = vec![directory_of(0)],
        Fault::Messages => {
            faults.unreadable = Some(|read| matches!(read, Read::Messages { .. } | Read::Message { .. }));
        }
    }
    faults
}
