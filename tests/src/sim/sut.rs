//! The system under test: devices, their tabs, and what the persons in front of them have done so far.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use switchboard_core::model::{Directory, Draft, DraftKey, MessageId, Reply, Request, RequestId, Sent, SessionId};
use switchboard_core::policy::{Policy, Unattended};
use switchboard_core::view::View;
use switchboard_core::{Handle, NotStored, SortedMap, Time};

use super::calls::{Call, Ears};
use super::deferreds::Deferreds;
use super::effects::Effects;
use super::history::{EventQuality, Setup};
use super::policies::{Sights, policy};
use super::reference::Reference;
use super::tally::Tally;
use crate::network::Faults;
use crate::store::{Device, StoreHealth};
use crate::tab::Tab;
use crate::world::{EventFlow, World};

/// How long the last call that was left unanswered is felt: a load is made again after 30 s, a claim with the load after that.
const UNANSWERED_LASTS: Duration = Duration::from_secs(45);

/// How long it takes to save something, when all is well.
pub(super) const SAVING: Duration = Duration::from_millis(50);

/// The system under test: real engines in a simulated world and the people in front of them, beside the reference.
pub(super) struct Sut {
    pub(super) world: World,
    pub(super) reference: Reference,
    pub(super) devices: Vec<Device>,
    /// Since when the storage of each device is as well as it is now.
    stored_since: Vec<Time>,
    pub(super) slots: Vec<Slot>,
    /// Requests, by device, of runs whose server was closing their messages, and may have seemed to have been restarted.
    pub(super) seemed_lost: BTreeSet<(usize, RequestId)>,
    pub(super) presses: Vec<Press>,
    pub(super) prompts: Vec<Prompted>,
    pub(super) drafts: BTreeMap<(usize, DraftKey), Typed>,
    /// Prompts that were kept as drafts when they were sent.
    pub(super) sent_drafts: Vec<SentDraft>,
    pub(super) stored: Rc<RefCell<BTreeMap<MessageId, Result<MessageId, NotStored>>>>,
    /// The titles of sessions that were deleted while somebody awaited something of them.
    pub(super) deleted: BTreeMap<SessionId, String>,
    /// When the clock of a device jumped.
    pub(super) jumps: Vec<Time>,
    /// Some tab goes by a clock of its own, or has.
    pub(super) clocks_differ: bool,
    /// The sessions of another process of the server, and when each began.
    pub(super) beside: BTreeMap<SessionId, Time>,
    /// Makes each text of a person different.
    pub(super) texts: u32,
    /// What happens to requests that nobody answers, and what tabs have shown of them.
    pub(super) policy: Policy,
    pub(super) sights: Sights,
    /// When a policy last said something by itself.
    pub(super) entrusted: Option<Time>,
    /// What programs await, and what they were told since the last look.
    pub(super) calls: Vec<Call>,
    pub(super) ears: Ears,
    /// How often what was told, by name.
    pub(super) heard: Tally,
    /// Sessions that were stopped because they took too long, by the number of the tab.
    pub(super) timed_out: BTreeSet<(usize, SessionId)>,
    /// The number of the tab that was left last, and what programs keep of boards that are closed.
    pub(super) left: Option<usize>,
    pub(super) kept: Vec<Handle>,
    /// How far the server's clock is ahead, in milliseconds, since when.
    pub(super) server_ahead: Vec<(Time, i64)>,
    pub(super) effects: Effects,
    pub(super) deferreds: Deferreds,
    /// When a person, a program or the world last began to do something, or a program was told something.
    pub(super) acted: Time,
    /// When many sessions were made at last.
    pub(super) crowded: Option<Time>,
}

/// A place for a tab.
pub(super) struct Slot {
    pub(super) device: usize,
    /// Its device has other places, too.
    pub(super) is_shared: bool,
    /// None while it is closed.
    pub(super) tab: Option<Tab>,
    pub(super) is_hidden: bool,
    pub(super) opened: Time,
    /// When it last opened another session.
    pub(super) turned_to: Time,
    /// When it woke from a sleep or its clock jumped, and for how long it slept.
    pub(super) woken: Vec<(Time, Duration)>,
    /// Since when nothing is wrong with it; none while something is.
    pub(super) well_since: Option<Time>,
    /// Since when it stands still, and whether nothing else is wrong with it.
    pub(super) frozen: Option<(Time, bool)>,
    /// Since when nothing is wrong but that these directories hang.
    pub(super) hung: Option<(Time, Vec<Directory>)>,
    /// What it showed when it was last looked at.
    pub(super) seen: Option<Arc<View>>,
    /// What it showed during the last few seconds, and since when.
    pub(super) shown: VecDeque<(Time, Arc<View>)>,
    /// The ending that was shown of each session, and in which of its turns.
    pub(super) endings: BTreeMap<SessionId, (u32, switchboard_core::view::Ending)>,
    /// The turn of each session that it has shown to run while it did.
    pub(super) ran: BTreeMap<SessionId, u32>,
}

/// A person has pressed Send.
#[derive(Debug)]
pub(super) struct Press {
    pub(super) device: usize,
    /// The number of the tab: a reloaded one has another.
    pub(super) tab: usize,
    pub(super) request: Arc<Request>,
    pub(super) reply: Reply,
    pub(super) at: Time,
    /// Nothing more is promised about it: it was given up, replaced, or lost with its tab before it could be saved.
    pub(super) is_closed: bool,
}

/// A person has typed.
#[derive(Debug)]
pub(super) struct Typed {
    pub(super) draft: Draft,
    pub(super) at: Time,
}

/// A person has sent what was kept as a draft.
#[derive(Debug)]
pub(super) struct SentDraft {
    pub(super) device: usize,
    pub(super) text: String,
}

/// A person has prompted.
#[derive(Debug)]
pub(super) struct Prompted {
    pub(super) device: usize,
    pub(super) tab: usize,
    pub(super) session: SessionId,
    pub(super) message: MessageId,
    pub(super) at: Time,
    /// The request whose answer it carries.
    pub(super) rescues: Option<RequestId>,
    /// It was lost with its tab before it could be saved, or refused and said again.
    pub(super) is_closed: bool,
}

impl Sut {
    pub(super) fn new(seed: u64, setup: &Setup, logs_are_kept: bool) -> Self {
        let mut world = World::new(seed);
        world.logs_are_kept = logs_are_kept;
        world.events_flow = setup.events.is_some();
        world.calls_back = setup.calls_back;
        if setup.events == Some(EventQuality::Bad) {
            world.event_flow = EventFlow {
                lost: 50,
                doubled: 40,
                latency: Duration::from_millis(5)..Duration::from_millis(3_000),
            };
        }
        world.server.set_clock_ahead(setup.server_ahead * 1_000);
        if setup.cold {
            world.server.start_cold();
        }
        let policy = policy(setup.policy);
        world.watch().trust(&policy.then);
        world.watch().tell_titles_apart();
        world.config.unattended = Unattended {
            questions: policy.clone(),
            permissions: policy.clone(),
            sessions: SortedMap::new(),
        };
        let devices: Vec<Device> = setup.tabs.iter().map(|_| Device::default()).collect();
        if setup.has_no_locks {
            devices.iter().for_each(Device::remove_locks);
        }
        let mut sut = Self {
            stored_since: vec![world.now(); devices.len()],
            acted: world.now(),
            world,
            reference: Reference::default(),
            devices,
            slots: Vec::new(),
            presses: Vec::new(),
            prompts: Vec::new(),
            drafts: BTreeMap::new(),
            sent_drafts: Vec::new(),
            stored: Rc::default(),
            deleted: BTreeMap::new(),
            jumps: Vec::new(),
            seemed_lost: BTreeSet::new(),
            clocks_differ: false,
            beside: BTreeMap::new(),
            texts: 0,
            policy,
            sights: Sights::default(),
            entrusted: None,
            calls: Vec::new(),
            ears: Ears::default(),
            heard: Tally::default(),
            timed_out: BTreeSet::new(),
            left: None,
            kept: Vec::new(),
            server_ahead: vec![(Time(0), setup.server_ahead * 1_000)],
            effects: Effects::default(),
            deferreds: Deferreds::default(),
            crowded: None,
        };
        for (device, tabs) in setup.tabs.iter().enumerate() {
            for _ in 0..*tabs {
                sut.slots.push(Slot {
                    device,
                    is_shared: *tabs > 1,
                    tab: None,
                    is_hidden: false,
                    opened: sut.world.now(),
                    turned_to: sut.world.now(),
                    woken: Vec::new(),
                    well_since: None,
                    frozen: None,
                    hung: None,
                    seen: None,
                    shown: VecDeque::new(),
                    endings: BTreeMap::new(),
                    ran: BTreeMap::new(),
                });
                sut.open(sut.slots.len() - 1);
            }
        }
        sut
    }

    /// Opens a tab where there is none.
    pub(super) fn open(&mut self, place: usize) {
        let slot = &mut self.slots[place];
        if slot.tab.is_some() {
            return;
        }
        slot.tab = Some(self.world.open_tab(&self.devices[slot.device]));
        slot.opened = self.world.now();
        slot.woken.clear();
        slot.well_since = Some(slot.opened);
        slot.seen = None;
        slot.shown.clear();
        slot.frozen = None;
        slot.hung = None;
        slot.is_hidden = false;
        slot.endings.clear();
        slot.ran.clear();
    }

    /// Closes a tab at once.
    pub(super) fn close(&mut self, place: usize) {
        let Some(tab) = self.slots[place].tab.take() else {
            return;
        };
        let device = self.slots[place].device;
        let (now, watch) = (self.world.now(), self.world.watch());
        // A board that has ended by itself has nothing left to save, and what stands still has saved nothing since.
        let is_early = tab.ended.get().is_none();
        let awake = self.slots[place].frozen.map_or(now, |(since, _)| since);
        let may_be_lost =
            |at: Time| is_early && awake.since(at) < SAVING || watch.has_storage_failed(device, at, at + SAVING);
        // A tab that has nothing unsaved, as it says itself, loses nothing.
        let has_unsaved = tab.handle.has_unsaved();
        self.give_up_unsaved(&tab, device, |at| has_unsaved && may_be_lost(at));
        self.sights.doubt_unsaved(tab.number, may_be_lost);
        watch.forgive_unsent(tab.number, may_be_lost);
        let its_own = self.calls.iter_mut().filter(|call| call.tab == tab.number);
        its_own.for_each(Call::die);
        self.slots[place].seen = None;
        self.slots[place].well_since = None;
        self.world.close_tab(tab);
    }

    /// Tabs that died between two steps are opened again, as a browser does after a crash. Returns whether there were any.
    pub(super) fn bury(&mut self) -> bool {
        let is_dead = |slot: &Slot| slot.tab.as_ref().is_some_and(|tab| tab.is_dead.get());
        let dead: Vec<usize> = (0..self.slots.len())
            .filter(|place| is_dead(&self.slots[*place]))
            .collect();
        for place in &dead {
            self.close(*place);
            self.open(*place);
        }
        !dead.is_empty()
    }

    /// What a tab had no time or no room to save when it died is lost with it.
    fn give_up_unsaved(&mut self, tab: &Tab, device: usize, may_be_lost: impl Fn(Time) -> bool) {
        let entries = self.devices[device].entries();
        for press in self.presses.iter_mut().filter(|press| press.tab == tab.number) {
            let is_saved = entries.iter().any(|entry| match &entry.sent {
                Sent::Reply { request, reply, .. } => request.id == press.request.id && *reply == press.reply,
                Sent::Prompt { .. } => false,
            });
            press.is_closed |= !is_saved && may_be_lost(press.at);
        }
        for prompted in self.prompts.iter_mut().filter(|prompted| prompted.tab == tab.number) {
            let is_saved = entries.iter().any(|entry| match &entry.sent {
                Sent::Prompt { prompt, .. } => prompt.message == prompted.message,
                Sent::Reply { .. } => false,
            });
            prompted.is_closed |= !is_saved && may_be_lost(prompted.at);
        }
        let drafts = self.devices[device].drafts();
        let is_kept =
            |key: &DraftKey, typed: &Typed| drafts.iter().any(|kept| kept.key == *key && *kept == typed.draft);
        self.drafts
            .retain(|(home, key), typed| *home != device || is_kept(key, typed) || !may_be_lost(typed.at));
    }

    /// The tab, if it is open, alive and awake.
    pub(super) fn tab(&self, place: usize) -> Option<Tab> {
        let slot = self.slots.get(place)?;
        let tab = slot.tab.as_ref()?;
        (!tab.is_dead.get() && slot.frozen.is_none()).then(|| tab.clone())
    }

    /// The tabs that are open on a device.
    pub(super) fn tabs_of(&self, device: usize) -> impl Iterator<Item = &Tab> {
        let here = self.slots.iter().filter(move |slot| slot.device == device);
        here.filter_map(|slot| slot.tab.as_ref())
    }

    /// Sets the network of a tab.
    pub(super) fn set_faults(&mut self, place: usize, faults: Faults, is_well: bool) {
        let now = self.world.now();
        let slot = &mut self.slots[place];
        let Some(tab) = &slot.tab else { return };
        if slot.frozen.is_some() {
            return;
        }
        slot.hung = None;
        if is_well {
            // Who was asked for a password gives it.
            tab.handle.credentials_changed();
        }
        if !is_well {
            slot.well_since = None;
        } else if slot.well_since.is_none() {
            slot.well_since = Some(now);
        }
        *tab.faults.borrow_mut() = faults;
    }

    /// Something was wrong with the tabs of a device until this moment: they slept for so long, or their clock has jumped.
    pub(super) fn begin_anew(&mut self, device: usize, slept: Duration) {
        let now = self.world.now();
        for slot in self.slots.iter_mut().filter(|slot| slot.device == device) {
            slot.well_since = slot.well_since.map(|_| now);
            slot.woken.push((now, slept));
        }
    }

    /// Since when a tab could see everything: nothing is wrong with it or with the server.
    pub(super) fn sees_since(&self, slot: &Slot) -> Option<Time> {
        Some(slot.well_since?.max(self.reference.answers_since?))
    }

    /// Since when a tab could also know everything that its device has kept.
    pub(super) fn remembers_since(&self, slot: &Slot, sees: Time) -> Time {
        let unanswered = self.devices[slot.device].last_unanswered();
        let answered = unanswered.map_or(Time(0), |last| last + UNANSWERED_LASTS);
        sees.max(self.stored_since[slot.device]).max(answered)
    }

    /// A storage gets better or worse.
    pub(super) fn set_health(&mut self, device: usize, health: StoreHealth) {
        self.devices[device].set_health(health);
        self.world.watch().note_storage(device, health == StoreHealth::Well);
        self.stored_since[device] = self.world.now();
    }

    /// Nothing goes wrong any more, and everybody is there.
    pub(super) fn calm_down(&mut self) {
        for device in 0..self.devices.len() {
            if self.tabs_of(device).next().is_none() {
                let place = self.slots.iter().position(|slot| slot.device == device);
                place.into_iter().for_each(|place| self.open(place));
            }
        }
        (0..self.slots.len()).for_each(|place| self.thaw(place));
        for device in 0..self.devices.len() {
            self.set_health(device, StoreHealth::Well);
            self.devices[device].leave_claims_unanswered(0);
            self.devices[device].leave_loads_unanswered(0);
        }
        for place in 0..self.slots.len() {
            self.set_faults(place, Faults::default(), true);
            if let Some(tab) = &self.slots[place].tab {
                tab.commits_to_live.set(None);
            }
        }
    }

    /// Whether something was said to a request in another tab of a device, and these two may not know of each other.
    pub(super) fn is_contested(&self, device: usize, request: &RequestId, tab: usize) -> bool {
        let (now, watch) = (self.world.now(), self.world.watch());
        let may_clash = |press: &&Press| !press.is_closed || watch.has_storage_failed(device, press.at, now);
        let elsewhere = |press: &&Press| press.device == device && press.tab != tab && may_clash(press);
        self.presses
            .iter()
            .filter(elsewhere)
            .any(|press| press.request.id == *request)
    }

    /// The last thing that was said on a device to a request, unless nothing is promised about it any more.
    pub(super) fn close_presses(&mut self, device: usize, request: &RequestId) {
        let about = |press: &&mut Press| press.device == device && press.request.id == *request;
        self.presses
            .iter_mut()
            .filter(about)
            .for_each(|press| press.is_closed = true);
    }
}

impl Slot {
    /// Whether the tab with this number is here, and alive.
    pub(super) fn is(&self, number: usize) -> bool {
        self.tab
            .as_ref()
            .is_some_and(|tab| tab.number == number && !tab.is_dead.get())
    }
}
