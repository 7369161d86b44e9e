//! What must never happen, checked after each step.
//!
//! Whoever sees a breach reports it here; the world stops with it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use switchboard_core::model::{Directory, MessageId, Reply, RequestId, SessionId};
use switchboard_core::policy::Then;
use switchboard_core::ports::{Fetched, Post, Posted, Read};
use switchboard_core::{Clock, Time};

use crate::clock::{TabClock, VirtualClock};
use crate::network::Fate;
use crate::opencode::{Client, Event, Happening, Reached};

/// How many reads of one tab may be in flight.
const READS_IN_FLIGHT_MAX: usize = 4;
/// How many reads one tab may begin in any minute for each two directories, for each session that it reads and for each of its
/// sends, and as many more as have failed: each of those is repeated once.
const READS_PER_MINUTE_MAX: usize = 400;
const READS_OF_SESSION_MAX: usize = 12;
const READS_OF_SEND_MAX: usize = 4;
/// How much more tabs may read while programs await something: what one tab reads and causes is a hint to the others.
const HURRY: usize = 3;
/// While nothing gets through for so long, the engine must have slowed down.
const OUTAGE: Duration = Duration::from_secs(20);
/// How often a tab may read the questions of one directory during the last [`OUTAGE`] of a longer one: each refresh reads
/// them twice.
const READS_IN_OUTAGE_MAX: usize = 18;
/// Between two attempts of one send, at the least.
const RETRY_MIN: Duration = Duration::from_secs(1);
/// How old a reply to a permission may be when it is sent, by the clock of its device.
const PERMISSION_FRESH: Duration = Duration::from_secs(600);
/// How long after Send was pressed a ghost may still be hit: the page was a moment old.
const GHOST_HIT: Duration = Duration::from_secs(20);
/// How long ago a prompt may have been given whose run a stop ends that was pressed before it. What was read may be as old, and the
/// stop takes its time.
const JUST_BEGUN: Duration = Duration::from_secs(15);
/// How long a write that has begun while a storage is slow may still take.
const LATE_WRITES: Duration = Duration::from_secs(3);
/// How long a send waits for the storage, and a moment.
const SAVE_PATIENCE: Duration = Duration::from_secs(3);
/// How often the server may take a prompt and not store it, because it dies each time, until its person is told so.
const IN_VAIN: usize = 3;
/// How long a reply may be under way: meanwhile what it is for may become a ghost.
const UNDER_WAY: Duration = Duration::from_millis(200);

/// Something that must never happen, and did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// The checker that saw it, in a word.
    pub checker: &'static str,
    /// What it saw.
    pub words: String,
}

impl fmt::Display for Breach {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.checker, self.words)
    }
}

/// Collects breaches. Clones are the same.
#[derive(Clone, Debug)]
pub struct Watch {
    clock: VirtualClock,
    state: Rc<RefCell<State>>,
}

#[derive(Debug, Default)]
struct State {
    breaches: Vec<Breach>,
    /// The device of each tab.
    devices: Vec<usize>,
    in_flight: BTreeMap<usize, Vec<Read>>,
    /// When each tab began its reads of the last minute, and what it read.
    reads: BTreeMap<usize, VecDeque<(Time, &'static str)>>,
    most_reads: usize,
    /// When each tab last read the session, or messages of it.
    read_sessions: BTreeMap<usize, BTreeMap<SessionId, Time>>,
    /// When each tab began its sends of the last minute.
    sends: BTreeMap<usize, VecDeque<Time>>,
    /// When reads of each tab failed within the last minute.
    failed_reads: BTreeMap<usize, VecDeque<Time>>,
    /// The directories that were ever read.
    directories: BTreeSet<Directory>,
    /// A program awaits something.
    is_hurried: bool,
    /// When each tab began to read questions, and of which directory.
    questions: BTreeMap<usize, VecDeque<(Time, Directory)>>,
    /// When something last got through to each tab.
    got_through: BTreeMap<usize, Time>,
    /// How often each tab has read a list of questions: once for each refresh of a directory.
    refreshes: BTreeMap<usize, usize>,
    /// When the newest read began that succeeded, by device, and which tab it was.
    looks: BTreeMap<(usize, Look), (Time, usize)>,
    /// When a device last asked for a message, whether it could be read or not.
    asked_for: BTreeMap<(usize, MessageId), Time>,
    /// The last attempt of each send, by device.
    attempts: BTreeMap<(usize, Sending), Attempt>,
    /// What persons have said to requests.
    intentions: Vec<Intention>,
    /// The ghosts that persons have cleared.
    cleared: BTreeSet<Sending>,
    /// What persons have asked to be sent as messages.
    texts: Vec<(String, Time)>,
    /// How often a message was stored that carries such a text.
    carried: BTreeMap<String, usize>,
    stored: BTreeSet<MessageId>,
    /// Prompts that the server has refused when they were last sent.
    refused: BTreeSet<MessageId>,
    /// How often the server has taken each prompt of a tab, whether it has stored it or not.
    taken: BTreeMap<MessageId, usize>,
    /// Requests whose agent was given an answer.
    answered: BTreeSet<RequestId>,
    fates: BTreeMap<Fate, u64>,
    /// The session of each request, and when a run of it last ended.
    sessions: BTreeMap<RequestId, SessionId>,
    /// The message that holds the tool call of each request.
    parts: BTreeMap<RequestId, MessageId>,
    ended: BTreeMap<SessionId, Time>,
    /// Requests that ask for something else than they did, and since when.
    changed: BTreeMap<RequestId, Time>,
    /// What happens to requests that nobody answers.
    policy: Then,
    /// Replies that were sent and that no person has said, as far as the policy may say them.
    entrusted: Vec<Entrusted>,
    /// Messages that programs were told were not sent, and will not be: by which tab, and when.
    unsent: BTreeMap<String, (usize, Time)>,
    /// What is done once and was sent; none where titles do not tell sessions apart.
    once: Option<BTreeSet<String>>,
    /// When the last stop of a session by a tab arrived.
    stopped: BTreeMap<(usize, SessionId), Time>,
    promises: Vec<Promise>,
    /// When persons last stopped a session at a tab; none where programs may stop it as well.
    stops: BTreeMap<(usize, SessionId), Option<Time>>,
    /// When each prompt was said, or first sent.
    wanted: BTreeMap<MessageId, Time>,
    /// Stops that the server has refused, and when.
    refused_stops: BTreeMap<(usize, SessionId), Time>,
    /// Devices some of whose claims are never answered: two of their tabs may send the same.
    unanswered: BTreeSet<usize>,
    /// When the storage of a device failed, and until when: meanwhile its tabs may not know of each other's sends.
    failures: BTreeMap<usize, Vec<(Time, Option<Time>)>>,
    /// When each tab last went on after it had stood still, or its clock jumped: meanwhile it has not heard its storage.
    gaps: BTreeMap<usize, Time>,
}

/// What a person has said.
#[derive(Debug)]
struct Intention {
    device: usize,
    tab: usize,
    request: RequestId,
    reply: Reply,
    at: Time,
    /// The same by the clock of its device.
    at_there: Time,
}

/// A caller was told that what works at this is given up, and stopped.
#[derive(Clone, Debug)]
pub(crate) struct Promise {
    pub(crate) tab: usize,
    pub(crate) session: SessionId,
    pub(crate) text: String,
    pub(crate) at: Time,
}

/// A reply that no person has said.
#[derive(Clone, Debug)]
pub(crate) struct Entrusted {
    pub(crate) tab: usize,
    pub(crate) request: RequestId,
    pub(crate) reply: Reply,
    /// When it was first sent.
    pub(crate) at: Time,
    /// When the newest list of questions was asked for that its device had then.
    pub(crate) listed: Option<Time>,
}

/// What a read shows that decides about a send.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Look {
    Questions(Directory),
    Permissions(Directory),
    Message(MessageId),
}

/// What is sent, once or several times.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Sending {
    Reply(RequestId),
    Prompt(MessageId),
}

#[derive(Debug)]
struct Attempt {
    tab: usize,
    /// What was said, to a request.
    reply: Option<Reply>,
    /// The server has refused it: it had no effect.
    is_refused: bool,
    /// The server has said that it took it.
    is_accepted: bool,
    begun: Time,
    /// None while its tab waits for the answer.
    ended: Option<Time>,
    /// The same by the clock of its device.
    ended_there: Option<Time>,
}

/// A read in flight; dropping it ends it.
#[derive(Debug)]
pub(crate) struct Flight {
    watch: Watch,
    tab: usize,
    read: Read,
    begun: Time,
}

/// A send in flight; dropping it ends it.
#[derive(Debug)]
pub(crate) struct PostFlight {
    watch: Watch,
    tab_clock: TabClock,
    key: Option<(usize, Sending)>,
}

impl Watch {
    pub(crate) fn new(clock: VirtualClock) -> Self {
        Self {
            clock,
            state: Rc::default(),
        }
    }

    /// A tab was opened on a device.
    pub(crate) fn open(&self, tab: usize, device: usize) {
        let mut state = self.state.borrow_mut();
        debug_assert_eq!(
            state.devices.len(),
            tab,
            "tabs are numbered in the order in which they are opened"
        );
        state.devices.push(device);
    }

    /// A person has pressed Send.
    pub(crate) fn intend(&self, tab: usize, request: &RequestId, reply: &Reply, now_there: Time) {
        let mut state = self.state.borrow_mut();
        let device = state.devices[tab];
        state.attempts.remove(&(device, Sending::Reply(request.clone())));
        state.intentions.push(Intention {
            device,
            tab,
            request: request.clone(),
            reply: reply.clone(),
            at: self.clock.now(),
            at_there: now_there,
        });
    }

    /// A person has cleared a ghost.
    pub(crate) fn intend_clearing(&self, tab: usize, request: &RequestId, now_there: Time) {
        self.intend(tab, request, &Reply::Dismiss, now_there);
        let mut state = self.state.borrow_mut();
        state.cleared.insert(Sending::Reply(request.clone()));
    }

    /// Says what boards may do to requests that nobody answers.
    pub(crate) fn trust(&self, policy: &Then) {
        self.state.borrow_mut().policy = policy.clone();
    }

    /// Says that each session is made with a title of its own, so that one that is made twice is noticed.
    pub(crate) fn tell_titles_apart(&self) {
        self.state.borrow_mut().once = Some(BTreeSet::new());
    }

    /// What was sent by itself since the last call.
    pub(crate) fn take_entrusted(&self) -> Vec<Entrusted> {
        std::mem::take(&mut self.state.borrow_mut().entrusted)
    }

    /// A program awaits something.
    pub fn hurry(&self) {
        self.state.borrow_mut().is_hurried = true;
    }

    /// A program was told that this message is not there, and will not be.
    pub(crate) fn keep_unsent(&self, tab: usize, text: &str) {
        let mut state = self.state.borrow_mut();
        state.unsent.insert(text.to_owned(), (tab, self.clock.now()));
        state.check_unsent(text);
    }

    /// A tab has died that had no time or no room to note what it said then.
    pub(crate) fn forgive_unsent(&self, tab: usize, may_be_lost: impl Fn(Time) -> bool) {
        let mut unsent = std::mem::take(&mut self.state.borrow_mut().unsent);
        unsent.retain(|_, (of, at)| *of != tab || !may_be_lost(*at));
        self.state.borrow_mut().unsent = unsent;
    }

    /// Whether the server has refused a prompt when it was last sent.
    pub(crate) fn is_refused(&self, message: &MessageId) -> bool {
        self.state.borrow().refused.contains(message)
    }

    /// Whether a prompt that is not there was turned down: by the server when it was last sent, or by taking it in vain for
    /// [`IN_VAIN`] times.
    pub(crate) fn is_turned_down(&self, message: &MessageId) -> bool {
        let state = self.state.borrow();
        state.refused.contains(message) || state.taken.get(message).is_some_and(|taken| *taken >= IN_VAIN)
    }

    /// Whether a message with this text was ever stored.
    pub(crate) fn is_stored(&self, text: &str) -> bool {
        self.state.borrow().carried.contains_key(text)
    }

    /// A tab has promised to stop what works at a message, or a command, of this text.
    pub(crate) fn expect_stop(&self, tab: usize, session: &SessionId, text: &str) {
        let promise = Promise {
            tab,
            session: session.clone(),
            text: text.to_owned(),
            at: self.clock.now(),
        };
        self.state.borrow_mut().promises.push(promise);
    }

    /// What tabs have promised to stop.
    pub(crate) fn promises(&self) -> Vec<Promise> {
        let state = self.state.borrow();
        let is_refused = |promise: &&Promise| {
            let refused = state.refused_stops.get(&(promise.tab, promise.session.clone()));
            refused.is_some_and(|at| *at >= promise.at)
        };
        let open = state.promises.iter().filter(|promise| !is_refused(promise));
        open.cloned().collect()
    }

    /// The server has refused to stop a session: nothing more can be done.
    pub(crate) fn note_refused_stop(&self, tab: usize, session: &SessionId) {
        let (key, now) = ((tab, session.clone()), self.clock.now());
        self.state.borrow_mut().refused_stops.insert(key, now);
    }

    /// How many directories were ever read.
    pub(crate) fn directories(&self) -> usize {
        self.state.borrow().directories.len()
    }

    /// How many reads a tab has begun within the last minute.
    pub(crate) fn reads_of_the_minute(&self, tab: usize) -> usize {
        self.kinds_of_the_minute(tab).values().sum()
    }

    /// The same of each kind.
    pub(crate) fn kinds_of_the_minute(&self, tab: usize) -> BTreeMap<&'static str, usize> {
        let (state, now) = (self.state.borrow(), self.clock.now());
        let mut kinds = BTreeMap::new();
        for (at, kind) in state.reads.get(&tab).into_iter().flatten() {
            if now.since(*at) <= Duration::from_secs(60) {
                *kinds.entry(*kind).or_default() += 1;
            }
        }
        kinds
    }

    /// Whether a stop of a session by a tab has arrived since then.
    pub(crate) fn has_stopped(&self, tab: usize, session: &SessionId, since: Time) -> bool {
        let state = self.state.borrow();
        state
            .stopped
            .get(&(tab, session.clone()))
            .is_some_and(|at| *at >= since)
    }

    /// A person stops a session.
    pub(crate) fn note_stop(&self, tab: usize, session: &SessionId) {
        let now = self.clock.now();
        let mut state = self.state.borrow_mut();
        let by_persons = state.stops.entry((tab, session.clone())).or_insert(Some(now));
        *by_persons = by_persons.map(|_| now);
    }

    /// A program may stop a session from now on.
    pub(crate) fn note_stops_of_programs(&self, tab: usize, session: &SessionId) {
        self.state.borrow_mut().stops.insert((tab, session.clone()), None);
    }

    /// The storage of a device fails from now on, or works.
    pub(crate) fn note_storage(&self, device: usize, is_well: bool) {
        let now = self.clock.now();
        let mut state = self.state.borrow_mut();
        let failures = state.failures.entry(device).or_default();
        match failures.last_mut() {
            Some((_, until @ None)) if is_well => *until = Some(now + LATE_WRITES),
            Some((_, None)) => {}
            Some(_) | None if !is_well => failures.push((now, None)),
            Some(_) | None => {}
        }
    }

    /// Some claims of a device are never answered from now on.
    pub(crate) fn note_unanswered(&self, device: usize) {
        self.state.borrow_mut().unanswered.insert(device);
    }

    /// Whether some claims of a device are never answered.
    pub(crate) fn is_unanswered(&self, device: usize) -> bool {
        self.state.borrow().unanswered.contains(&device)
    }

    /// A tab goes on after it has stood still, or its clock jumps.
    pub(crate) fn note_gap(&self, tab: usize) {
        self.state.borrow_mut().gaps.insert(tab, self.clock.now());
    }

    /// Whether the storage of a device failed at some moment of this span.
    pub(crate) fn has_storage_failed(&self, device: usize, from: Time, to: Time) -> bool {
        self.state.borrow().has_storage_failed(device, from, to)
    }

    /// A person has prompted, or sent an answer as a message.
    pub(crate) fn intend_text(&self, text: &str) {
        let now = self.clock.now();
        self.state.borrow_mut().texts.push((text.to_owned(), now));
    }

    pub(crate) fn refreshes(&self, tab: usize) -> usize {
        self.state.borrow().refreshes.get(&tab).copied().unwrap_or_default()
    }

    /// How the network has treated calls so far.
    #[must_use]
    pub fn fates(&self) -> BTreeMap<Fate, u64> {
        self.state.borrow().fates.clone()
    }

    /// The most reads that one tab has begun within a minute.
    #[must_use]
    pub fn most_reads(&self) -> usize {
        self.state.borrow().most_reads
    }

    pub(crate) fn count_fate(&self, fate: Fate) {
        *self.state.borrow_mut().fates.entry(fate).or_default() += 1;
    }

    pub(crate) fn begin(&self, tab: usize, read: &Read) -> Flight {
        let begun = self.clock.now();
        let mut state = self.state.borrow_mut();
        state.begin_read(tab, read, begun);
        if let Read::Message { message, .. } = read {
            let device = state.devices[tab];
            state.asked_for.insert((device, message.clone()), begun);
        }
        Flight {
            watch: self.clone(),
            tab,
            read: read.clone(),
            begun,
        }
    }

    /// A send begins. `is_saved` is whether the storage holds that it does.
    pub(crate) fn begin_post(&self, tab: usize, post: &Post, is_saved: bool, tab_clock: &TabClock) -> PostFlight {
        let mut state = self.state.borrow_mut();
        let (device, now) = (state.devices[tab], self.clock.now());
        // A ghost that is cleared is in no ledger: it has nobody who must hear of it.
        let key = sending_of(post).filter(|sending| !state.cleared.contains(sending));
        let key = key.map(|sending| (device, sending));
        let has_heard = state.gaps.get(&tab).is_none_or(|gap| *gap + SAVE_PATIENCE < now);
        // What the storage has once failed to keep is sent again beside the next try to save it.
        let is_first = key.as_ref().is_some_and(|key| !state.attempts.contains_key(key));
        if is_first && !is_saved && has_heard && !state.has_storage_failed(device, now - SAVE_PATIENCE, now) {
            state.report("unsaved", format!("tab {tab} sends what is not saved: {post:?}"));
        }
        state.sends.entry(tab).or_default().push_back(now);
        state.begin_post(tab, post);
        if let Some(key) = &key {
            state.entrust(tab, post, self.clock.now(), tab_clock.now());
            state.begin_attempt(tab, key, post, self.clock.now(), tab_clock.now());
        }
        PostFlight {
            watch: self.clone(),
            tab_clock: tab_clock.clone(),
            key,
        }
    }

    /// Reports a breach.
    pub(crate) fn report(&self, checker: &'static str, words: String) {
        self.state.borrow_mut().breaches.push(Breach { checker, words });
    }

    /// Looks at what has happened on the server.
    pub(crate) fn observe(&self, happened: &[Happening]) {
        let mut state = self.state.borrow_mut();
        for happening in happened {
            state.observe(&happening.event, happening.at);
        }
    }

    pub(crate) fn is_breached(&self) -> bool {
        !self.state.borrow().breaches.is_empty()
    }

    /// The first breach, if there was one.
    #[must_use]
    pub fn breach(&self) -> Option<Breach> {
        self.state.borrow().breaches.first().cloned()
    }
}

impl State {
    fn has_storage_failed(&self, device: usize, from: Time, to: Time) -> bool {
        let failures = self.failures.get(&device).map_or(&[][..], Vec::as_slice);
        failures
            .iter()
            .any(|(since, until)| *since <= to && until.is_none_or(|until| from <= until))
    }

    /// A read has shown this that began then, from this tab.
    fn look(&mut self, device: usize, look: Look, (begun, tab): (Time, usize)) {
        let newest = self.looks.entry((device, look)).or_insert((begun, tab));
        *newest = (*newest).max((begun, tab));
    }

    fn report(&mut self, checker: &'static str, words: String) {
        self.breaches.push(Breach { checker, words });
    }

    /// At most one refresh of a unit at once, few reads at once, few in a minute, and fewer while nothing gets through.
    fn begin_read(&mut self, tab: usize, read: &Read, now: Time) {
        let flying = self.in_flight.entry(tab).or_default();
        let same = flying.iter().filter(|flying| *flying == read).count();
        let twice = same >= at_once(read);
        flying.push(read.clone());
        let count = flying.len();
        if twice {
            self.report(
                "one refresh",
                format!("tab {tab} refreshes one unit twice at once: {read:?}"),
            );
        }
        if count > READS_IN_FLIGHT_MAX {
            self.report("reads", format!("tab {tab} has {count} reads in flight"));
        }
        let minute = self.reads.entry(tab).or_default();
        minute.push_back((now, kind_of(read)));
        forget_before_the_minute(minute, |(at, _)| *at, now);
        let count = minute.len();
        let failed = self.failed_reads.entry(tab).or_default();
        forget_before_the_minute(failed, |at| *at, now);
        let repeated = failed.len().min(count / 2);
        self.most_reads = self.most_reads.max(count);
        let pairs = self.directories.len().div_ceil(2).max(1);
        let sessions = self.read_sessions.entry(tab).or_default();
        if let Read::Session { session, .. } | Read::Messages { session, .. } | Read::Message { session, .. } = read {
            sessions.insert(session.clone(), now);
        }
        if count > READS_PER_MINUTE_MAX {
            sessions.retain(|_, last| now.since(*last) <= Duration::from_secs(60));
            let sends = self.sends.entry(tab).or_default();
            forget_before_the_minute(sends, |at| *at, now);
            let of_sends = READS_OF_SEND_MAX * sends.len();
            let most = READS_PER_MINUTE_MAX * pairs + READS_OF_SESSION_MAX * sessions.len() + of_sends;
            if count > most * self.hurry() + repeated {
                self.report("reads", format!("tab {tab} began {count} reads in a minute"));
            }
        }
        if let Read::Questions(directory) = read {
            if !self.directories.contains(directory) {
                self.directories.insert(directory.clone());
            }
            *self.refreshes.entry(tab).or_default() += 1;
            self.begin_refresh(tab, directory, now);
        }
    }

    fn hurry(&self) -> usize {
        if self.is_hurried { HURRY } else { 1 }
    }

    fn begin_refresh(&mut self, tab: usize, directory: &Directory, now: Time) {
        let questions = self.questions.entry(tab).or_default();
        questions.push_back((now, directory.clone()));
        while questions.front().is_some_and(|(first, _)| now.since(*first) > OUTAGE) {
            questions.pop_front();
        }
        let count = questions.iter().filter(|(_, of)| of == directory).count();
        // The first half of an outage is spent on finding out.
        let nothing_since = self
            .got_through
            .get(&tab)
            .is_some_and(|last| now.since(*last) > 2 * OUTAGE);
        if nothing_since && count > READS_IN_OUTAGE_MAX * self.hurry() {
            let words = format!("tab {tab} read {directory} {count} times in {OUTAGE:?} while nothing gets through");
            self.report("back-off", words);
        }
    }

    /// What is done once is sent once.
    fn begin_post(&mut self, tab: usize, post: &Post) {
        let once = match post {
            Post::Create { title, .. } => title.clone(),
            Post::Shell { session, .. } => Some(session.to_string()),
            Post::Abort { .. } | Post::Reply { .. } | Post::Prompt { .. } => None,
        };
        if let (Some(what), Some(sent)) = (once, &mut self.once)
            && !sent.insert(what.clone())
        {
            self.report("once", format!("tab {tab} sends again what is done once: {what}"));
        }
    }

    /// Notes a reply that no person has said, where the policy may have said it: then it is as good as said.
    fn entrust(&mut self, tab: usize, post: &Post, now: Time, now_there: Time) {
        let device = self.devices[tab];
        let Post::Reply {
            request,
            directory,
            reply,
        } = post
        else {
            return;
        };
        let is_said = self
            .intentions
            .iter()
            .any(|said| said.device == device && said.request == *request && said.reply == *reply);
        let may_be = match &self.policy {
            Then::Leave => false,
            Then::Reject => matches!(reply, Reply::Dismiss | Reply::Reject { .. }),
            Then::Answer(_) => matches!(reply, Reply::Answers(_)),
        };
        if is_said || !may_be {
            return;
        }
        let look = self.looks.get(&(device, Look::Questions(directory.clone())));
        self.entrusted.push(Entrusted {
            tab,
            request: request.clone(),
            reply: reply.clone(),
            at: now,
            listed: look.map(|(begun, _)| *begun),
        });
        self.intentions.push(Intention {
            device,
            tab,
            request: request.clone(),
            reply: reply.clone(),
            at: now,
            at_there: now_there,
        });
    }

    fn begin_attempt(&mut self, tab: usize, key: &(usize, Sending), post: &Post, now: Time, now_there: Time) {
        let reply = match post {
            Post::Reply { reply, .. } => Some(reply.clone()),
            Post::Prompt { .. } | Post::Abort { .. } | Post::Create { .. } | Post::Shell { .. } => None,
        };
        // Of two tabs that say something else the second one is heard where the first one was refused.
        if self
            .attempts
            .get(key)
            .is_some_and(|last| last.is_refused && last.reply != reply)
        {
            self.attempts.remove(key);
        }
        let hears =
            |last: &Attempt| !self.unanswered.contains(&key.0) && !self.has_storage_failed(key.0, last.begun, now);
        let knows = |last: &&Attempt| last.tab == tab || hears(last);
        if let Some(last) = self.attempts.get(key).filter(knows) {
            let breach = match last.ended {
                None => Some(("lock", "while it is being sent".to_owned())),
                Some(ended) if !self.has_looked(key, post, ended) => {
                    Some(("look first", format!("without having looked since {}", ended.0)))
                }
                Some(_) => {
                    let pause = last
                        .ended_there
                        .filter(|_| last.tab == tab)
                        .map(|ended| now_there.since(ended));
                    let pause = pause.filter(|pause| *pause < RETRY_MIN);
                    pause.map(|pause| ("retry", format!("{pause:?} after the last attempt")))
                }
            };
            if let Some((checker, words)) = breach {
                let since = last.begun.0;
                self.report(
                    checker,
                    format!("tab {tab} sends {:?} again (last: {since}) {words}", key.1),
                );
            }
        }
        self.check_freshness(tab, key, post, now_there);
        if self.attempts.contains_key(key) && self.asks_for_something_else(tab, key, post) {
            self.report(
                "changed",
                format!(
                    "tab {tab} allows again what it has seen to be something else: {:?}",
                    key.1
                ),
            );
        }
        let attempt = Attempt {
            tab,
            reply,
            is_refused: false,
            is_accepted: false,
            begun: now,
            ended: None,
            ended_there: None,
        };
        self.attempts.insert(key.clone(), attempt);
    }

    /// A permission is not given long after it was said, and *always* is sent once.
    fn check_freshness(&mut self, tab: usize, key: &(usize, Sending), post: &Post, now_there: Time) {
        let Post::Reply {
            request,
            reply: reply @ (Reply::Once | Reply::Always),
            ..
        } = post
        else {
            return;
        };
        let said = |said: &&Intention| said.device == key.0 && said.request == *request && said.reply == *reply;
        let given = self.intentions.iter().rev().filter(said);
        let given = given
            .clone()
            .find(|given| given.tab == tab)
            .or_else(|| given.clone().next());
        let is_elsewhere = given.is_some_and(|given| given.tab != tab);
        let age = given.map(|given| now_there.since(given.at_there)).unwrap_or_default();
        // The clocks of two tabs may differ: what was said at a time that is still to come may be of any age.
        let is_undated = is_elsewhere && given.is_some_and(|given| given.at_there > now_there);
        // Of two tabs that say the same at once each may send it, while the other one's has not reached the agent.
        let has_arrived = self.answered.contains(request);
        let is_again = self
            .attempts
            .get(key)
            .is_some_and(|last| last.tab == tab || is_elsewhere || (last.is_accepted && has_arrived));
        let is_stale = is_undated || age > PERMISSION_FRESH;
        if (is_again && *reply == Reply::Always) || ((is_again || is_elsewhere) && is_stale) {
            let age = if is_undated {
                "an unknown time".to_owned()
            } else {
                format!("{age:?}")
            };
            self.report(
                "stale permission",
                format!("tab {tab} sends {reply:?} to {request} {age} after it was said"),
            );
        }
    }

    /// Whether a tab has seen that a permission asks for something else than when it was given.
    fn asks_for_something_else(&self, tab: usize, (device, _): &(usize, Sending), post: &Post) -> bool {
        let Post::Reply {
            request,
            directory,
            reply: Reply::Once | Reply::Always,
        } = post
        else {
            return false;
        };
        let given = self
            .intentions
            .iter()
            .rev()
            .find(|said| said.device == *device && said.request == *request);
        let look = self.looks.get(&(*device, Look::Permissions(directory.clone())));
        let changed = self.changed.get(request);
        changed.is_some_and(|at| {
            given.is_some_and(|given| given.at < *at) && look.is_some_and(|(look, by)| look >= at && *by == tab)
        })
    }

    /// Whether reads that began after this moment have shown what the send is about: the prompt itself; or the list of the
    /// requests of its kind, and the message with the tool call that waits for the reply.
    fn has_looked(&self, (device, sending): &(usize, Sending), post: &Post, since: Time) -> bool {
        let is_seen = |look: Look| {
            self.looks
                .get(&(*device, look))
                .is_some_and(|(begun, _)| *begun >= since)
        };
        match (sending, post) {
            (Sending::Prompt(message), _) => is_seen(Look::Message(message.clone())),
            (Sending::Reply(request), Post::Reply { directory, reply, .. }) => {
                let list = match reply {
                    Reply::Answers(_) | Reply::Dismiss => Look::Questions(directory.clone()),
                    Reply::Once | Reply::Always | Reply::Reject { .. } => Look::Permissions(directory.clone()),
                };
                let is_question = matches!(list, Look::Questions(_));
                // Where the part cannot be read, a question that is listed counts: the first reply wins.
                let is_asked = |part: &MessageId| {
                    let asked = self.asked_for.get(&(*device, part.clone()));
                    is_question && asked.is_some_and(|asked| *asked >= since)
                };
                let part = self.parts.get(request);
                is_seen(list) && part.is_none_or(|part| is_seen(Look::Message(part.clone())) || is_asked(part))
            }
            (Sending::Reply(_), _) => false,
        }
    }

    fn observe(&mut self, event: &Event, at: Time) {
        if let Event::Replied {
            request,
            reply,
            by: Client::Tab(tab),
            to,
        } = event
        {
            self.observe_reply(*tab, request, reply, *to, at);
        }
        if let Event::Asked(request) = event {
            self.sessions.insert(request.id.clone(), request.session.clone());
            if let Some(tool) = &request.tool {
                self.parts.insert(request.id.clone(), tool.message.clone());
            }
        }
        if let Event::Aborted {
            session,
            by: Client::Tab(tab),
            works_at,
        } = event
        {
            self.stopped.insert((*tab, session.clone()), at);
            if let Some(works_at) = works_at {
                self.check_stop(*tab, session, works_at, at);
            }
        }
        if let Event::Prompted { message, .. } = event {
            self.wanted.entry(message.clone()).or_insert(at);
        }
        if let Event::Stored { message, text, .. } = event
            && let Some((_, said)) = self.texts.iter().find(|(said, _)| said == text)
        {
            self.wanted.insert(message.clone(), *said);
        }
        if let Event::RunEnded { session, .. } | Event::Deleted { session } = event {
            self.ended.insert(session.clone(), at);
        }
        if let Event::Changed { request } = event {
            self.changed.insert(request.clone(), at);
        }
        if let Event::Delivered { request } = event
            && !self.answered.insert(request.clone())
        {
            self.report("applied twice", format!("{request} was answered twice"));
        }
        if let Event::Prompted {
            message,
            by: Client::Tab(_),
            ..
        } = event
        {
            *self.taken.entry(message.clone()).or_default() += 1;
        }
        if let Event::Stored { message, text, .. } = event {
            self.observe_stored(message, text);
        }
    }

    /// What a stop ends works at a prompt of before it was pressed. At a later one only where that has just come.
    fn check_stop(&mut self, tab: usize, session: &SessionId, works_at: &MessageId, at: Time) {
        let (Some(Some(pressed)), Some(wanted)) = (self.stops.get(&(tab, session.clone())), self.wanted.get(works_at))
        else {
            return;
        };
        if wanted > pressed && at.since(*wanted) > JUST_BEGUN {
            let words = format!(
                "tab {tab} ends the run of {works_at} in {session}, wanted {} ms after the stop, {} ms after that",
                wanted.since(*pressed).as_millis(),
                at.since(*wanted).as_millis()
            );
            self.report("aim", words);
        }
    }

    /// What arrives was said, to this request, on this device, and not too long ago.
    fn observe_reply(&mut self, tab: usize, request: &RequestId, reply: &Reply, to: Reached, at: Time) {
        let device = self.devices.get(tab).copied().unwrap_or(usize::MAX);
        let is_it = |said: &&Intention| said.device == device && said.request == *request && said.reply == *reply;
        let is_grant = matches!(reply, Reply::Once | Reply::Always);
        let Some(meant) = self.intentions.iter().rev().find(is_it) else {
            let checker = if is_grant { "granted" } else { "meant" };
            return self.report(
                checker,
                format!("tab {tab} sent {reply:?} to {request}, which nobody said"),
            );
        };
        let age = at.since(meant.at);
        let ended = self.sessions.get(request).and_then(|session| self.ended.get(session));
        let sent = self.attempts.get(&(device, Sending::Reply(request.clone())));
        // On a slow line it dies while the reply is under way.
        let has_just_died =
            ended.is_some_and(|ended| at.since(*ended) < UNDER_WAY || sent.is_some_and(|sent| sent.begun <= *ended));
        if to == Reached::Ghost && age > GHOST_HIT && !has_just_died {
            let words = format!("tab {tab} sent {reply:?} to the ghost {request}, {age:?} after it was said");
            self.report("ghost reply", words);
        }
    }

    fn observe_stored(&mut self, message: &MessageId, text: &str) {
        let meant = self.texts.iter().filter(|(meant, _)| meant == text).count();
        let is_new = self.stored.insert(message.clone());
        let carried = self.carried.entry(text.to_owned()).or_default();
        *carried += 1;
        if (meant > 0 && *carried > meant) || !is_new {
            self.report(
                "stored twice",
                format!("{message} brings what is already there: {text}"),
            );
        }
        self.check_unsent(text);
    }
}

impl State {
    fn check_unsent(&mut self, text: &str) {
        if self.unsent.contains_key(text) && self.carried.contains_key(text) {
            self.report(
                "sent",
                format!("{text} is there, and a program was told that it never will be"),
            );
        }
    }
}

impl Flight {
    /// It was not answered as it should be.
    pub(crate) fn failed(&self) {
        let mut state = self.watch.state.borrow_mut();
        let failed = state.failed_reads.entry(self.tab).or_default();
        failed.push_back(self.watch.clock.now());
    }

    /// It was answered, with this unless there is nothing of that name.
    pub(crate) fn succeeded(&self, fetched: Option<&Fetched>) {
        let mut state = self.watch.state.borrow_mut();
        state.got_through.insert(self.tab, self.watch.clock.now());
        let device = state.devices[self.tab];
        let looked = (self.begun, self.tab);
        match (&self.read, fetched) {
            (Read::Questions(directory), _) => state.look(device, Look::Questions(directory.clone()), looked),
            (Read::Permissions(directory), _) => state.look(device, Look::Permissions(directory.clone()), looked),
            (Read::Message { message, .. }, _) => state.look(device, Look::Message(message.clone()), looked),
            // What was never sent is not sent again.
            (Read::Messages { .. }, Some(Fetched::Page(page))) if !state.attempts.is_empty() => {
                for message in &page.messages {
                    state.look(device, Look::Message(message.id.clone()), looked);
                }
            }
            (_, _) => {}
        }
    }
}

impl PostFlight {
    /// It was answered. What was turned away for want of a password had no effect, and may be sent again at once.
    pub(crate) fn ended(&self, posted: &Posted) {
        if let Some((_, Sending::Prompt(message))) = &self.key {
            let refused = &mut self.watch.state.borrow_mut().refused;
            if matches!(posted, Posted::Refused(_)) {
                refused.insert(message.clone());
            } else {
                refused.remove(message);
            }
        }
        let attempts = &mut self.watch.state.borrow_mut().attempts;
        let Some(key) = &self.key else { return };
        if matches!(posted, Posted::Unauthorized) {
            attempts.remove(key);
        } else if let Some(attempt) = attempts.get_mut(key) {
            attempt.is_refused = matches!(posted, Posted::Refused { .. });
            attempt.is_accepted = *posted == Posted::Accepted;
        }
    }
}

fn forget_before_the_minute<T>(moments: &mut VecDeque<T>, time_of: impl Fn(&T) -> Time, now: Time) {
    let is_older = |first: &T| now.since(time_of(first)) > Duration::from_secs(60);
    while moments.front().is_some_and(&is_older) {
        moments.pop_front();
    }
}

fn kind_of(read: &Read) -> &'static str {
    match read {
        Read::Health => "health",
        Read::Directories => "directories",
        Read::Sessions { .. } => "sessions",
        Read::Questions(_) => "questions",
        Read::Permissions(_) => "permissions",
        Read::Status(_) => "status",
        Read::Session { .. } => "session",
        Read::Messages { .. } => "messages",
        Read::Message { .. } => "message",
    }
}

fn sending_of(post: &Post) -> Option<Sending> {
    match post {
        Post::Reply { request, .. } => Some(Sending::Reply(request.clone())),
        Post::Prompt { prompt, .. } => Some(Sending::Prompt(prompt.message.clone())),
        Post::Abort { .. } | Post::Create { .. } | Post::Shell { .. } => None,
    }
}

/// How often a tab may read this at once. Once in a refresh of a directory or of the session list; a list of requests is read
/// beside its refresh, too, when something was asked after the refresh had read it. The others follow from those.
fn at_once(read: &Read) -> usize {
    match read {
        Read::Status(_) | Read::Directories | Read::Sessions { .. } => 1,
        Read::Questions(_) | Read::Permissions(_) => 2,
        Read::Health | Read::Session { .. } | Read::Messages { .. } | Read::Message { .. } => usize::MAX,
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        let mut state = self.watch.state.borrow_mut();
        let flying = state.in_flight.entry(self.tab).or_default();
        if let Some(at) = flying.iter().position(|read| *read == self.read) {
            flying.swap_remove(at);
        }
    }
}

impl Drop for PostFlight {
    fn drop(&mut self) {
        let (now, now_there) = (self.watch.clock.now(), self.tab_clock.now());
        let mut state = self.watch.state.borrow_mut();
        if let Some(attempt) = self.key.as_ref().and_then(|key| state.attempts.get_mut(key)) {
            attempt.ended.get_or_insert(now);
            attempt.ended_there.get_or_insert(now_there);
        }
    }
}
