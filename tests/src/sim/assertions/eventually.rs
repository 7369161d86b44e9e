//! What must become true once nothing goes wrong, and how long it may take.

use std::time::Duration;

use switchboard_core::config::Limits;
use switchboard_core::model::{
    Directory, DraftKey, DraftText, Entry, Message, Outcome, Reply, Request, Role, Sent, Session, SessionId, Stage,
};
use switchboard_core::view::{Ending, PromptState, RequestState, RequestView, TurnState};
use switchboard_core::{Clock, Time, Unresolved};

use crate::opencode::Life;
use crate::sim::assertions::told::by_the_world;
use crate::sim::calls::Kind;
use crate::sim::hardships::OF_CROWD;
use crate::sim::policies::millis;
use crate::sim::reference::Standing;
use crate::sim::sut::{Press, Prompted, SAVING, Slot, Sut};
use crate::tab::Tab;
use crate::watch::{Breach, Promise};

/// From the moment at which a tab can see: the longest pause after failures, one read that runs out of time, and a second
/// refresh. That is less than one interval of a hidden page, and one read.
const VISIBLE: Duration = Duration::from_secs(25);
/// How long it may be unseen what an archived session asks, says, or that it runs: it is in no list, and a directory in which
/// nothing else goes on is read with each sweep, once a minute.
const SWEPT: Duration = Duration::from_secs(85);
/// The same for what only two refreshes together can tell.
const AGREED: Duration = Duration::from_secs(32);
/// The same of a hidden page: two of its intervals, and one read.
const AGREED_HIDDEN: Duration = Duration::from_secs(42);
/// What a clock that jumps may confuse: what happened so shortly before or after.
const JUMP_CONFUSES: Duration = Duration::from_secs(12);
/// From a send to its proof, when nothing goes wrong any more: the last attempt may just have begun to run out of time.
const PROVEN: Duration = Duration::from_secs(75);
/// That a prompt was not picked up, or a run was interrupted, takes two looks to tell; a directory that is not in use is
/// looked at once a minute.
const SECOND_LOOK: Duration = Duration::from_secs(90);

/// Something that is not so yet.
#[derive(Debug)]
pub(in crate::sim) struct Unmet {
    checker: &'static str,
    /// Until when it may be so.
    until: Time,
    words: String,
    is_slow: bool,
}

impl Unmet {
    pub(in crate::sim) fn new(checker: &'static str, until: Time, words: String) -> Self {
        Self {
            checker,
            until,
            words,
            is_slow: false,
        }
    }

    /// True for what takes so long to tell that only a watched end waits for it.
    pub(in crate::sim) fn is_slow(&self) -> bool {
        self.is_slow
    }

    /// The breach, when it has lasted for too long.
    pub(in crate::sim) fn breach(self, now: Time) -> Option<Breach> {
        let Self {
            checker, until, words, ..
        } = self;
        (now > until).then_some(Breach { checker, words })
    }
}

impl Sut {
    /// What a tab that can see does not see yet.
    pub(in crate::sim) fn unseen(&self, found: &mut Vec<Unmet>) {
        self.unkept_prompts(found);
        // What a server that dies in this moment knew is no yardstick any more.
        if self.world.server.life() != Life::Up {
            return;
        }
        for slot in &self.slots {
            let Some(tab) = slot.tab.as_ref().filter(|tab| !tab.is_dead.get()) else {
                continue;
            };
            if let (Some((since, hung)), Some(answers)) = (&slot.hung, self.reference.answers_since) {
                self.unseen_requests(tab, answers.max(*since), hung, found);
            }
            let Some(since) = self.sees_since(slot) else { continue };
            let agreed = if slot.is_hidden { AGREED_HIDDEN } else { AGREED };
            self.unseen_requests(tab, since, &[], found);
            self.failing(tab, since, agreed, found);
            self.unlisted(tab, since, found);
            self.ghosts(tab, self.remembers_since(slot, since), agreed, found);
            self.wrong_states(tab, since, agreed, found);
            self.besides(tab, since, found);
            self.unheard(tab, since, agreed, found);
            self.untold(tab, since.max(slot.turned_to), agreed, found);
            self.held_up(slot, tab, since, found);
            self.goes_on(tab, since, found);
        }
    }

    /// What is not over yet, although nothing goes wrong since then.
    pub(in crate::sim) fn undone(&self, calm: Time, found: &mut Vec<Unmet>) {
        let calm = self.entrusted.map_or(calm, |at| calm.max(at));
        for slot in &self.slots {
            let Some(tab) = &slot.tab else { continue };
            sends(tab, calm, self.world.now(), found);
            self.responders(tab, calm, found);
        }
        for press in self.presses.iter().filter(|press| !press.is_closed) {
            self.promise(press, calm, found);
        }
        for prompted in self.prompts.iter().filter(|prompted| !prompted.is_closed) {
            self.prompt_is_there(prompted, calm, found);
        }
        self.typed(calm, found);
    }

    /// What a tab has given up, and promised to stop, does not go on.
    fn goes_on(&self, tab: &Tab, since: Time, found: &mut Vec<Unmet>) {
        let server = &self.world.server;
        let promises = self.world.watch().promises();
        for promise in promises.into_iter().filter(|promise| promise.tab == tab.number) {
            let Promise { session, text, at, .. } = promise;
            let (Some(shown), Some(_)) = (server.session(&session), server.status(&session)) else {
                continue;
            };
            let began = if shown.title == text {
                at
            } else if let Some(began) = self.works_at(&session, &text) {
                began
            } else {
                continue;
            };
            let words = format!("{session} is given up in tab {}, and works on at {text}", tab.number);
            found.push(Unmet::new("stop", since.max(at).max(began) + PROVEN, words));
        }
    }

    /// Since when a session that runs has worked at its newest prompt, if that says this. One that waits behind the run of
    /// another is not worked at, and that run is not to be stopped.
    fn works_at(&self, session: &SessionId, text: &str) -> Option<Time> {
        let first_step = self.world.server.with_messages(session, |messages| {
            let prompts = messages.iter().filter(|message| message.role == Role::User);
            let newest = prompts.max_by_key(|prompt| prompt.created)?;
            let is_ours = |step: &&Message| step.parent.as_ref() == Some(&newest.id);
            let mut steps = messages.iter().filter(|message| message.role == Role::Assistant);
            steps.clone().next_back().filter(is_ours)?;
            let first = steps.find(is_ours).filter(|_| newest.text() == text)?;
            Some(first.created)
        });
        let began = self.reference.sessions.get(session).and_then(|real| real.last_begin);
        Some(by_the_world(first_step?, &self.server_ahead).max(began.unwrap_or_default()))
    }

    /// No question is missed.
    fn unseen_requests(&self, tab: &Tab, since: Time, hung: &[Directory], found: &mut Vec<Unmet>) {
        let live = self.reference.requests.iter().filter(|(_, real)| real.live);
        for (id, real) in live.filter(|(_, real)| !hung.contains(&real.request.directory)) {
            let state = tab.state(id);
            let is_seen = state
                .as_ref()
                .is_some_and(|state| state.is_waiting() || state.is_on_its_way());
            if !is_seen {
                let patience = self.swept_if_archived(&real.request.session).unwrap_or(VISIBLE);
                found.push(Unmet {
                    checker: "missed",
                    until: since.max(real.since) + patience,
                    words: format!("tab {} shows {id}, which waits, as {state:?}", tab.number),
                    is_slow: false,
                });
            }
        }
    }

    /// How long it may be unseen what goes on in a session that is archived; none for the others.
    pub(in crate::sim) fn swept_if_archived(&self, id: &SessionId) -> Option<Duration> {
        let session = self.world.server.session(id)?;
        session.archived.then_some(SWEPT)
    }

    /// Whether so many sessions of its directory are at rest and newer that its messages need not be read.
    fn is_buried(&self, id: &SessionId) -> bool {
        let server = &self.world.server;
        let Some(session) = server.session(id) else {
            return false;
        };
        let is_newer = |other: &Session| other.directory == session.directory && other.updated > session.updated;
        let others = server.sessions();
        let at_rest = others.iter().filter(|other| server.status(other).is_none());
        let newer = at_rest.filter(|other| server.session(other).as_ref().is_some_and(is_newer));
        newer.count() >= Limits::default().idle_read
    }

    /// A directory whose lists can be read is not called one that fails, and what it asks is not called old.
    fn failing(&self, tab: &Tab, since: Time, agreed: Duration, found: &mut Vec<Unmet>) {
        let view = tab.view();
        for failing in &view.server.failing {
            let words = format!(
                "tab {} says that {} fails: {}",
                tab.number, failing.directory, failing.error
            );
            found.push(Unmet::new("failing", since + agreed, words));
        }
    }

    /// Every session that the server lists is shown.
    fn unlisted(&self, tab: &Tab, since: Time, found: &mut Vec<Unmet>) {
        let view = tab.view();
        for id in self.world.server.sessions() {
            let is_of_crowd = self
                .world
                .server
                .session(&id)
                .is_some_and(|session| session.title == OF_CROWD);
            let known = self.reference.sessions.get(&id).map(|real| real.since);
            let Some(made) = known.or(self.crowded.filter(|_| is_of_crowd)) else {
                continue;
            };
            if view.session(&id).is_none() && self.swept_if_archived(&id).is_none() {
                let words = format!("tab {} does not show {id}", tab.number);
                found.push(Unmet::new("unlisted", since.max(made) + SWEPT, words));
            }
        }
    }

    /// No ghost and no orphan waits.
    fn ghosts(&self, tab: &Tab, since: Time, agreed: Duration, found: &mut Vec<Unmet>) {
        for shown in &tab.view().requests {
            let Some(real) = self.reference.requests.get(&shown.request.id) else {
                continue;
            };
            if !real.live && matches!(shown.state, RequestState::Waiting | RequestState::NotSent { .. }) {
                found.push(Unmet {
                    checker: "ghost",
                    until: since.max(real.since) + agreed,
                    words: format!(
                        "tab {} shows {}, which does not wait, as {:?}",
                        tab.number, shown.request.id, shown.state
                    ),
                    is_slow: false,
                });
            }
        }
    }

    /// A session that runs is not called ended, and one that has ended is called so, with the right ending.
    fn wrong_states(&self, tab: &Tab, since: Time, agreed: Duration, found: &mut Vec<Unmet>) {
        let view = tab.view();
        for (id, real) in &self.reference.sessions {
            if real.deleted {
                continue;
            }
            let state = view.session(id).map(|session| &session.state);
            if self.is_confused(real.since) {
                continue;
            }
            if self.world.server.readable(id) == Some(0) {
                continue;
            }
            let swept = self.swept_if_archived(id);
            let standing = self.reference.standing(id, &self.world.server);
            let waits = self
                .reference
                .requests
                .values()
                .any(|request| request.live && request.request.session == *id);
            let patience = match standing {
                // What could not be read is read again less and less often.
                _ if self.world.server.readable(id).is_some() => SECOND_LOOK,
                Standing::Ended(Ending::NotStarted | Ending::Interrupted) => SECOND_LOOK,
                Standing::Ended(_) if state == Some(&TurnState::Unknown) => SECOND_LOOK,
                Standing::Runs => swept.unwrap_or(agreed),
                Standing::Ended(_) | Standing::Closing | Standing::Fresh => agreed,
            };
            let is_right = match (standing, state) {
                (Standing::Fresh | Standing::Closing, _) => true,
                // What is archived is in no list, and nobody hears that it has ended anew.
                (Standing::Ended(_), _) | (Standing::Runs, None) if swept.is_some() => true,
                (Standing::Runs, Some(TurnState::WaitingForHuman { .. })) => true,
                (
                    Standing::Runs,
                    Some(TurnState::Ended { .. } | TurnState::Elsewhere { .. } | TurnState::Unknown) | None,
                ) => false,
                // A tab that was opened afterwards cannot know which process it was.
                (
                    Standing::Ended(Ending::Interrupted | Ending::NotStarted),
                    Some(TurnState::Elsewhere { certain: false }),
                ) => true,
                (Standing::Runs, Some(_)) => !waits || self.is_answering(tab, id),
                (
                    Standing::Ended(_),
                    Some(TurnState::Ended {
                        ending: Ending::TimedOut,
                        ..
                    }),
                ) => self.timed_out.contains(&(tab.number, id.clone())),
                (Standing::Ended(real), Some(TurnState::Ended { ending, .. })) => real == *ending,
                (Standing::Ended(_), Some(TurnState::Unknown)) => self.is_buried(id),
                (Standing::Ended(_), Some(_) | None) => false,
            };
            if !is_right {
                found.push(Unmet {
                    checker: "state",
                    until: since.max(real.since) + patience,
                    words: format!("tab {} shows {id} as {state:?}, it is {standing:?}", tab.number),
                    is_slow: patience == SECOND_LOOK,
                });
            }
        }
    }

    /// A session that another process runs is shown as one, until its run is over, with the questions that it asks.
    fn besides(&self, tab: &Tab, since: Time, found: &mut Vec<Unmet>) {
        let (view, beside) = (tab.view(), self.world.server.beside());
        let happened = beside.history().last().map_or(Time(0), |happening| happening.at);
        for (id, begun) in &self.beside {
            let shown = view.session(id);
            let state = shown.map(|session| &session.state);
            let is_shown = matches!(state, Some(TurnState::Elsewhere { .. }));
            let since = since.max(*begun).max(happened);
            let is_over = beside.with_messages(id, |held| held.last().is_some_and(|last| last.completed.is_some()));
            if is_shown == is_over && (is_shown || beside.status(id).is_some()) {
                let words = format!("tab {} shows {id} as {state:?}, over there: {is_over}", tab.number);
                found.push(Unmet {
                    checker: "beside",
                    until: since + SECOND_LOOK * 2,
                    words,
                    is_slow: false,
                });
            }
            let listed = beside.listed_of(id);
            let asks = listed.iter().flat_map(Request::questions);
            let shown = shown.iter().flat_map(|session| &session.asked_elsewhere);
            let shown = shown.flat_map(|asked| &asked.questions);
            if beside.status(id).is_some() && !asks.clone().eq(shown.clone()) {
                let asks: Vec<_> = asks.collect();
                let shown: Vec<_> = shown.collect();
                let words = format!("tab {} shows {shown:?} in {id}, over there it is {asks:?}", tab.number);
                found.push(Unmet {
                    checker: "asked elsewhere",
                    until: since + SECOND_LOOK,
                    words,
                    is_slow: false,
                });
            }
        }
    }

    /// Programs hear of a reply whose run has ended, and of the end of a request.
    fn unheard(&self, tab: &Tab, since: Time, agreed: Duration, found: &mut Vec<Unmet>) {
        for call in self.calls.iter().filter(|call| call.tab == tab.number && !call.is_over) {
            if let Kind::Request(id) = &call.kind
                && let Some(real) = self.reference.requests.get(id).filter(|real| !real.live)
            {
                let words = format!("tab {} awaits the end of {id}, which has ended", tab.number);
                found.push(Unmet::new("unheard", since.max(real.since) + PROVEN, words));
            }
            if let Kind::Search { begun, .. } | Kind::SessionSearch { begun, .. } = &call.kind {
                let words = format!("tab {}: {:?} goes on", tab.number, call.kind);
                found.push(Unmet::new("unheard", since.max(*begun) + VISIBLE, words));
            }
            for session in self.sessions_of(call) {
                let real = self.reference.sessions.get(&session).filter(|real| real.deleted);
                if let Some(real) = real {
                    let words = format!(
                        "tab {} awaits something of {session}, which is deleted: {call:?}",
                        tab.number
                    );
                    found.push(Unmet::new("unheard", since.max(real.since) + PROVEN, words));
                }
            }
            for text in call.awaited() {
                let Some(session) = self.reference.carriers.get(text) else {
                    continue;
                };
                let Some(real) = self.reference.sessions.get(session).filter(|real| !real.deleted) else {
                    continue;
                };
                if self.world.server.readable(session).is_some() {
                    continue;
                }
                if self.is_confused(real.since) {
                    continue;
                }
                let patience = match self.reference.standing(session, &self.world.server) {
                    Standing::Runs | Standing::Closing | Standing::Fresh => continue,
                    Standing::Ended(Ending::NotStarted | Ending::Interrupted) => SECOND_LOOK,
                    Standing::Ended(_) => agreed,
                };
                let words = format!(
                    "tab {} awaits the reply to {text} from {session}, which has ended",
                    tab.number
                );
                found.push(Unmet {
                    is_slow: patience == SECOND_LOOK,
                    ..Unmet::new("unheard", since.max(real.since) + patience, words)
                });
            }
        }
    }

    /// A prompt is on the server in time also while another tab of the device stands still.
    fn held_up(&self, slot: &Slot, tab: &Tab, since: Time, found: &mut Vec<Unmet>) {
        let mut others = self.slots.iter().filter(|other| other.device == slot.device);
        if others.any(|other| other.tab.is_some() && other.well_since.is_none() && other.frozen.is_none()) {
            return;
        }
        let (now, watch) = (self.world.now(), self.world.watch());
        let ours = self
            .prompts
            .iter()
            .filter(|prompted| prompted.tab == tab.number && !prompted.is_closed);
        for prompted in ours.filter(|prompted| !watch.has_storage_failed(slot.device, prompted.at, now)) {
            let is_told = self.stored.borrow().contains_key(&prompted.message);
            if !is_told && self.world.server.session(&prompted.session).is_some() {
                let words = format!("tab {}: {} to {}", tab.number, prompted.message, prompted.session);
                found.push(Unmet::new("held up", since.max(prompted.at) + PROVEN, words));
            }
        }
    }

    /// Whether a clock has jumped about then: two refreshes agree when they are far enough apart, which it cannot tell.
    fn is_confused(&self, at: Time) -> bool {
        let close = |jump: &Time| jump.since(at).max(at.since(*jump)) < JUMP_CONFUSES;
        self.jumps.iter().any(close)
    }

    /// Whether what waits in a session is being answered, so that it does not wait for a person.
    fn is_answering(&self, tab: &Tab, session: &SessionId) -> bool {
        tab.view()
            .requests
            .iter()
            .any(|shown| shown.request.session == *session && shown.state.is_on_its_way())
    }

    /// Whoever awaits the end of a request hears it.
    fn responders(&self, tab: &Tab, calm: Time, found: &mut Vec<Unmet>) {
        for press in self.presses.iter().filter(|press| press.tab == tab.number) {
            let id = &press.request.id;
            let Some(real) = self.reference.requests.get(id) else {
                continue;
            };
            let outcomes = tab.outcomes.borrow();
            let words = match outcomes.get(id) {
                None if !real.live => format!("tab {} awaits the end of {id}, which has ended", tab.number),
                Some(Ok(Outcome::Confirmed { .. })) if !press.is_closed && is_contradicted(press, real) => {
                    format!(
                        "tab {} heard that {id} has {:?}; it has {:?}",
                        tab.number, press.reply, real.taken
                    )
                }
                Some(Err(Unresolved::Closed)) => format!("tab {} heard of {id} that its board is closed", tab.number),
                Some(Ok(_) | Err(_)) | None => continue,
            };
            found.push(Unmet {
                checker: "responder",
                until: calm.max(real.since) + PROVEN,
                words,
                is_slow: false,
            });
        }
    }

    /// The promise: an answer ends proven, or its person is told why not and still has the text.
    fn promise(&self, press: &Press, calm: Time, found: &mut Vec<Unmet>) {
        let id = &press.request.id;
        let Some(real) = self.reference.requests.get(id) else {
            return;
        };
        if real.delivered && real.taken.as_ref().is_some_and(|(_, taken)| *taken == press.reply) {
            return;
        }
        // Of a policy in one tab and a person in another one is too late, and says so. A permission has no text to keep.
        if press.request.permission().is_some() && self.sights.have_replied(press.device, id) {
            return;
        }
        let entries = self.devices[press.device].entries();
        let entry = entries
            .iter()
            .find(|entry| matches!(&entry.sent, Sent::Reply { request, .. } if request.id == *id));
        let is_proven = entry.is_some_and(|entry| {
            matches!(
                &entry.stage,
                Stage::Ended {
                    outcome: Outcome::Confirmed { .. },
                    ..
                }
            ) && !is_contradicted(press, real)
        });
        if is_proven || entry.is_some_and(|entry| entry.settled) {
            return;
        }
        // What could not be saved has been told where Send was pressed.
        let was_told = self
            .tabs_of(press.device)
            .filter(|tab| tab.number == press.tab)
            .any(|tab| {
                matches!(tab.outcomes.borrow().get(id), Some(Ok(Outcome::Confirmed { .. })))
                    && !is_contradicted(press, real)
            });
        if was_told {
            return;
        }
        // What could not be saved is known where Send was pressed alone, and the page says so.
        let is_saved = entry.is_some_and(|entry| reply_of(entry) == Some(&press.reply));
        let knows = |tab: &&Tab| is_saved || tab.number == press.tab;
        for tab in self.tabs_of(press.device).filter(knows) {
            let shown = tab.request(id);
            let is_told = shown.as_ref().is_some_and(|shown| {
                !shown.state.is_on_its_way()
                    && !matches!(shown.state, RequestState::Waiting | RequestState::Answered { .. })
                    && (shown.reply.as_ref() == Some(&press.reply) || drafted_in(shown).as_ref() == Some(&press.reply))
            });
            if !is_told {
                found.push(Unmet {
                    checker: "promise",
                    until: calm.max(real.since) + PROVEN,
                    words: format!(
                        "{:?} to {id} is not with the agent, and tab {} shows {:?} {:?}",
                        press.reply,
                        tab.number,
                        shown.as_ref().map(|shown| &shown.state),
                        shown.as_ref().map(|shown| &shown.reply),
                    ),
                    is_slow: false,
                });
            }
        }
    }

    /// A prompt is stored once, or its person is told that it is not.
    fn prompt_is_there(&self, prompted: &Prompted, calm: Time, found: &mut Vec<Unmet>) {
        let stored = self.stored.borrow();
        let told = stored.get(&prompted.message);
        // Another tab may have been first to send the same answer.
        let id = told.and_then(|told| told.as_ref().ok()).unwrap_or(&prompted.message);
        let is_there = self.world.server.with_messages(&prompted.session, |messages| {
            messages.iter().filter(|message| message.id == *id).count()
        });
        let is_deleted = self.world.server.session(&prompted.session).is_none();
        let told = told.map(Result::is_ok);
        let until = calm + PROVEN;
        let mut unmet = |words: String| {
            found.push(Unmet {
                checker: "prompt",
                until,
                words: format!("{} to {}: {words}", prompted.message, prompted.session),
                is_slow: false,
            });
        };
        if is_deleted {
            let awaits = self.tabs_of(prompted.device).any(|tab| tab.number == prompted.tab);
            if awaits && told.is_none() {
                unmet("its session is deleted, and the page was told nothing".to_owned());
            }
            return;
        }
        // What is refused is with its person again.
        let is_shown = || {
            self.tabs_of(prompted.device).any(|tab| {
                let view = tab.view();
                let mut own = view.prompts.iter().filter(|prompt| prompt.message == prompted.message);
                own.any(|prompt| matches!(prompt.state, PromptState::NotSent { .. }))
            })
        };
        if is_there == 0 && told != Some(true) && self.world.watch().is_turned_down(&prompted.message) {
            if !is_shown() {
                unmet("it was turned down, and no page says so".to_owned());
            }
            return;
        }
        if is_there != 1 {
            unmet(format!("it is there {is_there} times, and the page was told {told:?}"));
        }
        let awaits = self.tabs_of(prompted.device).any(|tab| tab.number == prompted.tab);
        if awaits && told != Some(true) {
            unmet(format!("it is there, and the page was told {told:?}"));
        }
    }

    /// A prompt that was kept as a draft when it was sent is kept at any moment: as a draft, as an entry, or by the server.
    fn unkept_prompts(&self, found: &mut Vec<Unmet>) {
        for sent in &self.sent_drafts {
            let device = &self.devices[sent.device];
            let is_draft = || {
                let drafts = device.drafts();
                drafts
                    .iter()
                    .any(|kept| kept.text == DraftText::Prompt(sent.text.clone()))
            };
            let is_entry = || {
                let entries = device.entries();
                entries.iter().any(|entry| match &entry.sent {
                    Sent::Prompt { prompt, .. } => prompt.text == sent.text,
                    Sent::Reply { .. } => false,
                })
            };
            if !self.world.watch().is_stored(&sent.text) && !is_entry() && !is_draft() {
                let words = format!("{:?} of device {} is nowhere", sent.text, sent.device);
                found.push(Unmet::new("typed prompt", Time(0), words));
            }
        }
    }

    /// Nothing typed is lost.
    fn typed(&self, calm: Time, found: &mut Vec<Unmet>) {
        for ((device, key), typed) in &self.drafts {
            let request = match &typed.draft.text {
                DraftText::Form { request, .. } => Some(&request.id),
                DraftText::Prompt(_) => None,
            };
            let was_answered = self
                .presses
                .iter()
                .any(|press| press.device == *device && Some(&press.request.id) == request);
            let is_kept = self.devices[*device].drafts().iter().any(|kept| kept.key == *key);
            // What could not be kept is still in the page, which says so.
            let was_kept = !self
                .world
                .watch()
                .has_storage_failed(*device, typed.at, typed.at + SAVING);
            let is_shown = !was_kept
                && self.tabs_of(*device).any(|tab| match &typed.draft.key {
                    DraftKey::Request(id) => tab.request(id).is_some_and(|shown| shown.draft.is_some()),
                    DraftKey::Prompt(session) => tab.view().prompt_drafts.contains_key(session),
                });
            if !was_answered && !is_kept && !is_shown {
                found.push(Unmet {
                    checker: "draft",
                    until: calm + PROVEN,
                    words: format!("what was typed on device {device} is not kept: {key:?}"),
                    is_slow: false,
                });
            }
        }
    }
}

/// Each send has ended, or its person has been told why not.
fn sends(tab: &Tab, calm: Time, now: Time, found: &mut Vec<Unmet>) {
    let view = tab.view();
    let requests = view.requests.iter().filter(|shown| shown.state.is_on_its_way());
    let requests = requests.map(|shown| {
        let words = format!("{} is {:?}", shown.request.id, shown.state);
        // What a policy says by itself is said at any time.
        let said = match (&shown.state, shown.by_policy) {
            (RequestState::Sending { since, .. }, true) => now.0 - millis(tab.clock.now().since(*since)),
            (_, _) => 0,
        };
        (words, calm.max(Time(said)))
    });
    let is_under_way = |state: &PromptState| matches!(state, PromptState::Sending { .. } | PromptState::Sent);
    let prompts = view.prompts.iter().filter(|prompt| is_under_way(&prompt.state));
    let prompts = prompts.map(|prompt| (format!("{} is {:?}", prompt.message, prompt.state), calm));
    found.extend(requests.chain(prompts).map(|(words, since)| Unmet {
        checker: "on its way",
        until: since + PROVEN,
        words: format!("in tab {} {words}", tab.number),
        is_slow: false,
    }));
}

fn reply_of(entry: &Entry) -> Option<&Reply> {
    match &entry.sent {
        Sent::Reply { reply, .. } => Some(reply),
        Sent::Prompt { .. } => None,
    }
}

/// The reply that a half filled form would be.
fn drafted_in(shown: &RequestView) -> Option<Reply> {
    shown.draft.as_ref()?.answers().map(Reply::Answers)
}

/// Whether "the agent has this answer" is wrong.
fn is_contradicted(press: &Press, real: &crate::sim::reference::ReferenceRequest) -> bool {
    match &press.reply {
        Reply::Answers(answers) => real.answers() != Some(answers),
        Reply::Dismiss => !matches!(&real.taken, Some((_, Reply::Dismiss))),
        // A permission has a weaker proof: that the call went on, or not.
        Reply::Once | Reply::Always => matches!(&real.taken, Some((_, Reply::Reject { .. }))),
        Reply::Reject { .. } => matches!(&real.taken, Some((_, Reply::Once | Reply::Always))),
    }
}
