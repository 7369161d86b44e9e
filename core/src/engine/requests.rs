//! Where requests meet their answers: each is offered once, ends once, and is hidden only on proof.
//!
//! The server lists what waits, but it also lists ghosts (docs/opencode.md, trap 3), and forgets what waits when it restarts
//! (trap 6). So a request ends only when its tool part says so, or the message of one that names no call, or when two refreshes
//! agree that nobody waits for it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::collections::SortedMap;
use crate::engine::evidence::{Corroboration, Observed, ReadStamp};
use crate::engine::outbox::{Evidence, PartState};
use crate::engine::told::Waiter;
use crate::model::{Ask, Directory, EntryId, Message, MessageId, Outcome, Page, Request, RequestId, Role, SessionId};
use crate::time::Time;
use crate::view::RunsIn;

/// How long a request that may be a ghost is held back.
const GHOST_PATIENCE: Duration = Duration::from_millis(500);
/// The same right after connecting, when nothing is known of the runs: until its part has been read, for so long at most.
const FIRST_LOOK_PATIENCE: Duration = Duration::from_secs(2);
/// How often in a row a page is asked for in which the message of a request is sought: with the pause between refreshes that
/// fail, for about a minute.
const SEARCH_TRIES: u32 = 8;
/// Failures that follow one another faster count as one.
const SEARCH_GAP: Duration = Duration::from_secs(1);
/// How long the part of a run that was stopped may seem to go on. Source: docs/opencode.md §1: it shows the stop within 0.3 s.
const STOP_SHOWS: Duration = Duration::from_secs(1);
/// What was on the screen so shortly before counts as seen. Longer than the store may take to keep what was said, and that
/// it is being sent.
pub(crate) const SEEN: Duration = Duration::from_secs(10);

/// Why the end of a request is not known to those who waited for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unresolved {
    /// Nobody answered in time. The request itself may still be answered.
    TimedOut,
    /// The board was closed. What was sent goes on with the next connection.
    Closed,
}

impl fmt::Display for Unresolved {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Unresolved::TimedOut => "nobody answered in time",
            Unresolved::Closed => "the board is closed",
        })
    }
}

impl std::error::Error for Unresolved {}

/// What those hear who wait for a request.
pub(crate) type Resolution = Result<Outcome, Unresolved>;

/// All requests of one board that matter.
#[derive(Debug, Default)]
pub(crate) struct RequestTable {
    tracked: SortedMap<RequestId, TrackedRequest>,
}

/// The message in which a request was asked. A request without a call does not name it.
#[derive(Debug)]
enum Asker {
    Known(MessageId),
    /// It is in the page before this cursor, or an older one; without a cursor, in the newest or an older one.
    Sought {
        before: Option<String>,
        /// How often in a row that page could not be read, and when that was counted last.
        failures: u32,
        failed: Time,
    },
    /// No page that can be read shows it. Should a newest page show it later, it is found.
    Lost,
}

impl Asker {
    fn of(request: &Request) -> Self {
        match &request.tool {
            Some(tool) => Self::Known(tool.message.clone()),
            None => Self::sought(None),
        }
    }

    fn sought(before: Option<String>) -> Self {
        let (failures, failed) = (0, Time(0));
        Self::Sought {
            before,
            failures,
            failed,
        }
    }
}

/// One request: what is known of it, who waits for it, and how it ended.
#[derive(Debug)]
pub(crate) struct TrackedRequest {
    pub(crate) request: Arc<Request>,
    /// The entry that the reply to it has, once there is one.
    pub(crate) entry: EntryId,
    pub(crate) seen: Time,
    /// When it was asked, by its id or else by its tool part, server clock, milliseconds since the epoch.
    pub(crate) asked: Option<u64>,
    /// Whether the newest list that counts named it.
    listed: Option<Observed<bool>>,
    part: Observed<PartState>,
    asker: Asker,
    /// When its message was made, server clock, milliseconds since the epoch.
    pub(crate) message_created: Option<u64>,
    /// The number of the newest read of the part that failed.
    unreadable: u64,
    published: bool,
    /// It was found by the first refresh of its directory: whether it is a ghost only its part tells.
    found_before_first_look: bool,
    /// Refreshes that found nobody waiting for it, from the end of the first, and whether they were far enough apart once.
    missed: Option<Corroboration>,
    forgotten: bool,
    /// Refreshes that found it not listed, from the end of the first, and whether they are far enough apart.
    unlisted: Option<Corroboration>,
    absent: bool,
    /// Refreshes that found a permission without a call listed while its session did not run, from the end of the first, and
    /// whether they are far enough apart.
    stranded: Option<Corroboration>,
    orphaned: bool,
    /// The same call has asked for something else since.
    asked_again: bool,
    ended: Option<(Outcome, Time)>,
    waiters: Vec<Waiter<Resolution>>,
    /// A person has dealt with its end.
    pub(crate) settled: bool,
    /// It was seen earlier than this board knew, and its person has not been warned since that is known.
    pub(crate) redated: bool,
    /// Its person has been warned that the time is running out.
    pub(crate) warned: bool,
    /// When the time was up.
    pub(crate) timed_out: Option<Time>,
    /// A default answer is about to be given.
    pub(crate) countdown: Option<Countdown>,
    /// The state of its session when its part was last read: a change asks for another look.
    pub(crate) looked: Option<Look>,
    /// Where its call would run.
    pub(crate) runs_in: RunsIn,
}

/// What a part was read at, so that it is read again only when something may have changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    /// The session's `updated`.
    pub(crate) updated: u64,
    /// Whether the session was in the status map.
    pub(crate) running: Option<bool>,
    /// Whether the request was listed.
    pub(crate) listed: Option<bool>,
}

/// The countdown to a default answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Countdown {
    pub(crate) left: Duration,
    /// When it was last looked at.
    pub(crate) looked: Time,
    /// It is over, and a list that is read after this number decides.
    pub(crate) over: Option<u64>,
}

impl Countdown {
    pub(crate) fn new(left: Duration, now: Time) -> Self {
        Self {
            left,
            looked: now,
            over: None,
        }
    }

    pub(crate) fn is_running(&self) -> bool {
        self.over.is_none()
    }
}

/// What a list says of a request, compared with what was known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offered {
    New,
    Changed,
    Same,
}

/// Which list a request belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Question,
    Permission,
}

pub(crate) fn kind_of(request: &Request) -> Kind {
    match request.ask {
        Ask::Questions(_) => Kind::Question,
        Ask::Permission(_) => Kind::Permission,
    }
}

impl RequestTable {
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&RequestId, &TrackedRequest)> {
        self.tracked.iter()
    }

    pub(crate) fn tracked_mut(&mut self) -> impl Iterator<Item = &mut TrackedRequest> {
        self.tracked.values_mut()
    }

    /// Looks in a page of a session for the messages in which requests were asked that name no call. Returns those that no page
    /// shows.
    pub(crate) fn find_askers(
        &mut self,
        session: &SessionId,
        before: Option<&str>,
        page: &Page,
        read: ReadStamp,
    ) -> Vec<RequestId> {
        let mut lost = Vec::new();
        let mut found = Vec::new();
        for (id, tracked) in self.tracked.iter_mut() {
            if tracked.request.session != *session || !tracked.looks_in(before) {
                continue;
            }
            tracked.find_asker(page, read);
            match &tracked.asker {
                Asker::Known(message) => found.push((id.clone(), message.clone(), kind_of(&tracked.request))),
                Asker::Lost => lost.push(id.clone()),
                Asker::Sought { .. } => {}
            }
        }
        // A run that goes on after one such request may ask again in the same message.
        for (id, message, kind) in found {
            self.mark_asked_again(&id, |other| {
                other.request.tool.is_none() && kind_of(&other.request) == kind && other.asker() == Some(&message)
            });
        }
        lost
    }

    /// Of the request `id` and the others of the same asker, the newest alone may still wait.
    fn mark_asked_again(&mut self, id: &RequestId, is_of_same: impl Fn(&TrackedRequest) -> bool) {
        let mut is_last = true;
        for (other, tracked) in self.tracked.iter_mut() {
            if other != id && is_of_same(tracked) {
                tracked.asked_again |= other < id;
                is_last &= other < id;
            }
        }
        if let Some(tracked) = self.tracked.get_mut(id) {
            tracked.asked_again |= !is_last;
        }
    }

    /// A page of a session could not be read.
    pub(crate) fn handle_unreadable_page(&mut self, session: &SessionId, before: Option<&str>, now: Time) {
        for tracked in self.tracked.values_mut() {
            if tracked.request.session == *session && tracked.looks_in(before) {
                tracked.handle_unreadable_page(now);
            }
        }
    }

    /// Everything that waits for the end of a request.
    pub(crate) fn take_waiters(&mut self) -> impl Sized + use<> {
        let waiters = self
            .tracked
            .values_mut()
            .map(|tracked| std::mem::take(&mut tracked.waiters));
        waiters.collect::<Vec<_>>()
    }

    pub(crate) fn get(&self, id: &RequestId) -> Option<&TrackedRequest> {
        self.tracked.get(id)
    }

    pub(crate) fn get_mut(&mut self, id: &RequestId) -> Option<&mut TrackedRequest> {
        self.tracked.get_mut(id)
    }

    /// Offers a request that a list names.
    pub(crate) fn offer(&mut self, request: Arc<Request>, now: Time) -> Offered {
        match self.tracked.get_mut(&request.id) {
            Some(tracked) if *tracked.request == *request => Offered::Same,
            Some(tracked) => {
                tracked.asker = Asker::of(&request);
                tracked.request = request;
                // Another call may ask by now, and run elsewhere.
                tracked.runs_in = RunsIn::Unread;
                tracked.looked = None;
                Offered::Changed
            }
            None => {
                self.track(request, now);
                Offered::New
            }
        }
    }

    /// Takes a request that was kept: what the server says of it now counts more.
    pub(crate) fn recall(&mut self, request: &Arc<Request>, now: Time) -> &mut TrackedRequest {
        if !self.tracked.contains_key(&request.id) {
            self.track(request.clone(), now);
        }
        self.tracked.get_mut(&request.id).expect("it is there now")
    }

    /// Takes a new request. A call asks for one thing after the other: what it has asked for before is answered.
    fn track(&mut self, request: Arc<Request>, now: Time) {
        let (id, tool) = (request.id.clone(), request.tool.clone());
        self.tracked.insert(id.clone(), TrackedRequest::new(request, now));
        if tool.is_some() {
            self.mark_asked_again(&id, |other| other.request.tool == tool);
        }
    }

    /// Takes a list of one directory, read as `number`. Absence counts where `counts` says so: for sessions that report
    /// this directory. Returns the ids whose presence has changed.
    pub(crate) fn observe_list(
        &mut self,
        directory: &Directory,
        kind: Kind,
        named: &[RequestId],
        read: ReadStamp,
        counts: impl Fn(&Request) -> bool,
    ) -> Vec<RequestId> {
        let mut changed = Vec::new();
        for (id, tracked) in self.tracked.iter_mut() {
            if kind_of(&tracked.request) != kind {
                continue;
            }
            let present = named.contains(id);
            let absence_counts = tracked.request.directory == *directory && counts(&tracked.request);
            if !present && !absence_counts {
                continue;
            }
            if tracked.listed.is_some_and(|last| last.is_after(read.number)) {
                continue;
            }
            if tracked.listed.is_none_or(|last| last.value != present) {
                changed.push(id.clone());
            }
            tracked.listed = Some(Observed::new(present, read));
            let is_older = tracked.part.read.number < read.number && tracked.part.read.begun < read.begun;
            if present && tracked.ends_with_message() && is_older {
                tracked.seek_again();
            }
        }
        changed
    }

    /// Forgets what has ended, is no longer listed and needs no word any more.
    pub(crate) fn prune(&mut self, keep: impl Fn(&RequestId, &TrackedRequest) -> bool) {
        self.tracked.retain(|id, tracked| keep(id, tracked));
    }
}

impl TrackedRequest {
    fn new(request: Arc<Request>, now: Time) -> Self {
        Self {
            asked: request.id.made(now),
            asker: Asker::of(&request),
            entry: EntryId::of_reply(&request.id),
            request,
            seen: now,
            listed: None,
            part: Observed::new(PartState::Unread, ReadStamp::default()),
            message_created: None,
            unreadable: 0,
            published: false,
            found_before_first_look: false,
            missed: None,
            forgotten: false,
            unlisted: None,
            absent: false,
            stranded: None,
            orphaned: false,
            asked_again: false,
            ended: None,
            waiters: Vec::new(),
            settled: false,
            redated: false,
            warned: false,
            timed_out: None,
            countdown: None,
            looked: None,
            runs_in: RunsIn::Unread,
        }
    }

    /// Takes what a read showed of its tool part. An older read never replaces a newer one, but what cannot change any more
    /// counts whenever it was read: an older read may have been answered later.
    pub(crate) fn observe_part(&mut self, part: PartState, read: ReadStamp) {
        let is_news = match (self.part.value.is_final(), part.is_final()) {
            (false, true) => true,
            (true, false) => false,
            (false, false) | (true, true) => read.number >= self.part.read.number,
        };
        if is_news {
            self.part = Observed::new(part, read);
        }
    }

    /// Takes what its message shows of where its call runs. Returns true when that is news.
    pub(crate) fn observe_call(&mut self, message: &Message) -> bool {
        let call = self.request.tool.as_ref().and_then(|tool| message.tool(&tool.call));
        let Some(call) = call else { return false };
        let named = call.workdir.as_deref().filter(|workdir| {
            let is_session = |path: &str| path == "." || path == self.request.directory.as_str();
            !is_session(workdir.strip_suffix('/').unwrap_or(workdir))
        });
        let runs_in = named.map_or(RunsIn::Session, |workdir| RunsIn::Named(workdir.to_owned()));
        let is_news = self.runs_in != runs_in;
        self.runs_in = runs_in;
        is_news
    }

    /// The message in which it was asked, once that is known.
    pub(crate) fn asker(&self) -> Option<&MessageId> {
        match &self.asker {
            Asker::Known(message) => Some(message),
            Asker::Sought { .. } | Asker::Lost => None,
        }
    }

    /// The page in which that message is sought next, if it is: the one before this cursor, or the newest.
    pub(crate) fn sought_in(&self) -> Option<Option<&str>> {
        match &self.asker {
            Asker::Sought { before, .. } => Some(before.as_deref()),
            Asker::Known(_) | Asker::Lost => None,
        }
    }

    /// Whether no page shows that message.
    pub(crate) fn has_lost_asker(&self) -> bool {
        matches!(self.asker, Asker::Lost)
    }

    fn looks_in(&self, before: Option<&str>) -> bool {
        self.sought_in() == Some(before) || self.has_lost_asker() && before.is_none()
    }

    /// Looks in a page of its session for the message in which it was asked: the newest one of the agent that had begun by
    /// then, if it had not ended. A page that was read before the list that names the request may be older than that message.
    fn find_asker(&mut self, page: &Page, read: ReadStamp) {
        if self.listed.is_none_or(|listed| read.number <= listed.read.number) {
            return;
        }
        let asked = self.asked.unwrap_or(u64::MAX);
        // One that could not be understood may be of the agent.
        let is_of_agent = |message: &Message| message.role == Role::Assistant || message.fault.is_some();
        let begun = |message: &&Message| is_of_agent(message) && message.created <= asked;
        self.asker = match (page.messages.iter().rev().find(begun), &page.older) {
            (Some(message), _)
                if message.role == Role::Assistant && message.completed.is_none_or(|completed| completed >= asked) =>
            {
                Asker::Known(message.id.clone())
            }
            (None, Some(older)) if !self.has_lost_asker() => Asker::sought(Some(older.clone())),
            (Some(_) | None, _) => Asker::Lost,
        };
    }

    /// A read of the page in which its message is sought has failed.
    fn handle_unreadable_page(&mut self, now: Time) {
        if let Asker::Sought { failures, failed, .. } = &mut self.asker {
            if now < *failed + SEARCH_GAP {
                return;
            }
            *failed = now;
            *failures += 1;
            if *failures >= SEARCH_TRIES {
                self.asker = Asker::Lost;
            }
        }
    }

    /// Whether the server lists it for as long as its message waits, and for no longer (docs/opencode.md §2).
    pub(crate) fn is_permission_without_call(&self) -> bool {
        kind_of(&self.request) == Kind::Permission && self.request.tool.is_none()
    }

    /// Whether it is a permission without a call, and the message in which it seems to have been asked has ended.
    fn ends_with_message(&self) -> bool {
        self.is_permission_without_call() && matches!(self.part.value, PartState::Completed(_) | PartState::Error(_))
    }

    /// A list that was read later names it: the message that has ended is not the one in which it was asked.
    fn seek_again(&mut self) {
        self.asked_again = false;
        self.asker = Asker::sought(None);
        self.part = Observed::new(PartState::Unread, ReadStamp::default());
        self.message_created = None;
        self.looked = None;
    }

    /// The state of it in its message: that of its call, or of the whole message for one without a call.
    pub(crate) fn part_in(&self, message: &Message) -> PartState {
        match &self.request.tool {
            Some(tool) => PartState::of_call(message, tool.call.as_str()),
            None => PartState::of_asker(message),
        }
    }

    pub(crate) fn part(&self) -> &PartState {
        &self.part.value
    }

    pub(crate) fn is_listed(&self) -> Option<bool> {
        self.listed.map(|listed| listed.value)
    }

    /// A list has named it.
    pub(crate) fn observe_listed(&mut self, read: ReadStamp) {
        self.listed = Some(Observed::new(true, read));
    }

    /// What is known from reads that were numbered after `number`. A part that cannot change any more always counts.
    ///
    /// `running` is whether the session runs. Next to an absence only what was read after it counts: reads are not atomic, and
    /// a restart may lie between. `attempted` is when the last attempt of ours ended.
    pub(crate) fn evidence(&self, number: u64, running: Option<Observed<bool>>, attempted: Option<Time>) -> Evidence {
        let listed = self.listed.filter(|listed| listed.is_after(number));
        let after = listed
            .filter(|listed| !listed.value)
            .map_or(number, |listed| listed.read.number);
        // The server lists a request without a call for as long as its message waits: of the two the list is older.
        let is_doubted = self.ends_with_message() && self.is_listed() == Some(true);
        let part = if !is_doubted && (self.part.value.is_final() || self.part.is_after(after)) {
            self.part.value.clone()
        } else {
            PartState::Unread
        };
        let running = running.filter(|running| running.is_after(after));
        // Neither alone: after a restart the part goes on for ever, and the status may be from before it.
        let outlasts = self.unlisted.as_ref().map(Corroboration::since).is_some_and(|left| {
            let shown = left.max(attempted.unwrap_or(left)) + STOP_SHOWS;
            self.part.read.begun >= shown && running.is_some_and(|running| running.read.begun >= shown)
        });
        Evidence {
            part,
            listed: listed.map(|listed| listed.value),
            running: running.map(|running| running.value),
            outlasts,
            absent: self.absent,
            asked_again: self.asked_again,
            forgotten: self.forgotten,
            orphaned: self.orphaned,
            untraced: self.absent && self.has_lost_asker(),
        }
    }

    /// Whether a list that was begun at `begun` or later names it, and what was read after that list shows that its part waits
    /// and its session runs: the part of a stopped run shows the stop a moment late. A question whose part cannot be read
    /// counts while its session runs, and so does a request without a call whose message is in no page.
    ///
    /// `running` is whether the session runs.
    pub(crate) fn is_alive(&self, running: Option<Observed<bool>>, begun: Time) -> bool {
        let Some(listed) = self.listed.filter(|listed| listed.value && listed.read.begun >= begun) else {
            return false;
        };
        let listed = listed.read.number;
        let runs = running.is_some_and(|running| running.value && running.is_after(listed));
        let waits = self.part.value == PartState::Running && self.part.is_after(listed);
        let blind = self.unreadable > listed && kind_of(&self.request) == Kind::Question;
        runs && (waits || blind || self.has_lost_asker())
    }

    /// Whether it is a question whose call has ended, and a list that was read after that names it all the same.
    pub(crate) fn is_ghost(&self) -> bool {
        kind_of(&self.request) == Kind::Question
            && self.part.value.is_final()
            && self.is_listed_since(self.part.read.number)
    }

    /// A read of its part, numbered `number`, has failed.
    pub(crate) fn handle_unreadable(&mut self, number: u64) {
        self.unreadable = number;
    }

    /// Whether it may be shown. A request of a session that seems idle may be a ghost: it is held back until its part
    /// has been read, for a moment at the most.
    pub(crate) fn is_published(&self) -> bool {
        self.published
    }

    /// Holds it back until its part has been read, for [`FIRST_LOOK_PATIENCE`] at most.
    pub(crate) fn hold_until_read(&mut self) {
        self.found_before_first_look = true;
    }

    /// Whether it is held back until its part has been read.
    pub(crate) fn awaits_first_look(&self) -> bool {
        let is_unread = self.part.value == PartState::Unread && self.unreadable == 0;
        self.found_before_first_look && is_unread && !self.has_lost_asker()
    }

    /// When it is shown at the latest.
    pub(crate) fn publish_deadline(&self) -> Option<Time> {
        let patience = if self.awaits_first_look() {
            FIRST_LOOK_PATIENCE
        } else {
            GHOST_PATIENCE
        };
        (!self.published && self.ended.is_none()).then_some(self.seen + patience)
    }

    pub(crate) fn publish(&mut self) {
        self.published = true;
    }

    /// Takes the verdict of one refresh, begun at `begun` and ended `now`, on whether anybody waits for this request
    /// (requirements R14). Of two that agree the second began so long after the end of the first: what a refresh shows was
    /// read at any time within it.
    ///
    /// A refresh that has not read its part, or could not read everything, proves nothing and takes nothing back: of many
    /// requests each is looked at in turn. A server that is there, not restarted since it asked, is given the time to close the
    /// call of a run that it has stopped.
    pub(crate) fn observe_waiting(
        &mut self,
        anybody: Option<bool>,
        is_there: bool,
        begun: Time,
        gap: Duration,
        now: Time,
    ) {
        self.missed = match anybody {
            Some(true) => None,
            Some(false) => Some(corroborated(self.missed.take(), begun, now)),
            None => self.missed.take(),
        };
        let holds = |missed: &Corroboration| missed.holds(gap) && (!is_there || missed.outlasts_closing());
        self.forgotten |= self.missed.as_ref().is_some_and(holds);
    }

    /// From when on a refresh that looks at it once more decides that it is gone, or absent; none before the first look.
    pub(crate) fn corroborated_from(&self, gap: Duration) -> Option<Time> {
        let [missed, unlisted] = [&self.missed, &self.unlisted].map(|looks| looks.as_ref().map(Corroboration::since));
        let next = missed.filter(|_| !self.forgotten).or(unlisted.filter(|_| !self.absent));
        next.map(|first| first + gap)
    }

    /// Takes whether a refresh, begun at `begun` and ended `now`, has found it listed.
    pub(crate) fn observe_absence(&mut self, listed: bool, begun: Time, gap: Duration, now: Time) {
        self.unlisted = (!listed).then(|| corroborated(self.unlisted.take(), begun, now));
        self.absent = self.unlisted.as_ref().is_some_and(|unlisted| unlisted.holds(gap));
    }

    /// Takes whether a refresh, begun at `begun` and ended `now`, has found a permission without a call listed while its session
    /// did not run.
    pub(crate) fn observe_stranded(&mut self, is_stranded: bool, begun: Time, gap: Duration, now: Time) {
        self.stranded = is_stranded.then(|| corroborated(self.stranded.take(), begun, now));
        self.orphaned = self.stranded.as_ref().is_some_and(|stranded| stranded.holds(gap));
    }

    pub(crate) fn ended(&self) -> Option<&(Outcome, Time)> {
        self.ended.as_ref()
    }

    /// Ends the request and frees its waiters. Returns false when it had ended before: it ends once.
    pub(crate) fn end(&mut self, outcome: Outcome, now: Time) -> bool {
        if self.ended.is_some() {
            return false;
        }
        for waiter in self.waiters.drain(..) {
            waiter.tell(Ok(outcome.clone()));
        }
        self.ended = Some((outcome, now));
        true
    }

    /// The time is up: whoever waits is freed. The request itself stays as it is.
    pub(crate) fn time_out(&mut self, now: Time) {
        self.timed_out = Some(now);
        for waiter in self.waiters.drain(..) {
            waiter.tell(Err(Unresolved::TimedOut));
        }
    }

    /// Whether a list that was read after number `number` names it.
    pub(crate) fn is_listed_since(&self, number: u64) -> bool {
        self.listed
            .is_some_and(|listed| listed.value && listed.is_after(number))
    }

    /// Somebody begins to wait for the end of the request, which may have come already.
    pub(crate) fn wait(&mut self, waiter: Waiter<Resolution>) {
        match &self.ended {
            Some((outcome, _)) => waiter.tell_at_once(Ok(outcome.clone())),
            None => {
                // One that waits again and again leaves no trace of the waits that it has dropped.
                self.waiters.retain(|waiter| !waiter.is_canceled());
                self.waiters.push(waiter);
            }
        }
    }
}

/// One more refresh, begun at `begun` and ended `now`, that agrees with the ones before it. The first counts from its end: what
/// it shows was read at any time within it.
fn corroborated(before: Option<Corroboration>, begun: Time, now: Time) -> Corroboration {
    match before {
        Some(before) => before.with(begun),
        None => Corroboration::begin((), now),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::told::Told;
    use crate::model::{Question, SessionId};

    const GAP: Duration = Duration::from_secs(2);

    fn read(number: u64) -> ReadStamp {
        read_at(number, 0)
    }

    fn read_at(number: u64, begun: u64) -> ReadStamp {
        ReadStamp {
            number,
            begun: Time(begun),
        }
    }

    fn request(id: &str) -> Arc<Request> {
        let question = Question {
            text: "?".to_owned(),
            header: String::new(),
            options: Vec::new(),
            multiple: false,
            custom: true,
        };
        Arc::new(Request {
            id: RequestId::from(id),
            session: SessionId::from("ses_1"),
            directory: Directory::from("/d"),
            tool: None,
            ask: Ask::Questions(vec![question]),
        })
    }

    fn permission(id: &str) -> Arc<Request> {
        Arc::new(Request {
            ask: Ask::Permission(Box::default()),
            ..Request::clone(&request(id))
        })
    }

    fn said(id: &str, created: u64, completed: Option<u64>) -> Message {
        Message {
            completed,
            ..Message::new(MessageId::from(id), SessionId::from("ses_1"), Role::Assistant, created)
        }
    }

    /// A request without a call that was asked at 5,000 and is named by list 5, after a look in pages, newest first, that were
    /// read as number `number`.
    fn sought_in(pages: &[(Vec<Message>, Option<&str>)], number: u64) -> TrackedRequest {
        let mut sought = TrackedRequest::new(request("que_1"), Time(1));
        sought.asked = Some(5_000);
        sought.observe_listed(read(5));
        for (messages, older) in pages.iter().cloned() {
            let older = older.map(str::to_owned);
            sought.find_asker(&Page { messages, older }, read(number));
        }
        sought
    }

    fn tracked(requests: &mut RequestTable) -> &mut TrackedRequest {
        requests.get_mut(&RequestId::from("que_1")).unwrap()
    }

    /// R2
    #[test]
    fn a_request_is_offered_once() {
        let mut requests = RequestTable::default();
        assert_eq!(requests.offer(request("que_1"), Time(1)), Offered::New);
        assert_eq!(requests.offer(request("que_1"), Time(2)), Offered::Same);
    }

    /// R14
    #[test]
    fn one_refresh_without_a_trace_is_no_proof_and_two_close_together_neither() {
        let mut requests = RequestTable::default();
        requests.offer(request("que_1"), Time(1));
        let tracked = tracked(&mut requests);
        tracked.observe_waiting(Some(false), false, Time(1_000), GAP, Time(1_500));
        tracked.observe_waiting(Some(false), false, Time(3_400), GAP, Time(3_600));
        assert!(!tracked.evidence(0, None, None).forgotten);
        tracked.observe_waiting(Some(false), false, Time(3_500), GAP, Time(3_700));
        assert!(tracked.evidence(0, None, None).forgotten);
    }

    /// R14
    #[test]
    fn a_refresh_that_has_not_looked_at_it_neither_counts_nor_starts_the_count_again() {
        let mut requests = RequestTable::default();
        requests.offer(request("que_1"), Time(1));
        let tracked = tracked(&mut requests);
        tracked.observe_waiting(Some(false), false, Time(1_000), GAP, Time(1_100));
        tracked.observe_waiting(None, false, Time(3_200), GAP, Time(3_300));
        assert!(!tracked.evidence(0, None, None).forgotten);
        tracked.observe_waiting(Some(false), false, Time(3_500), GAP, Time(3_600));
        assert!(tracked.evidence(0, None, None).forgotten);
    }

    /// R14
    #[test]
    fn a_refresh_that_finds_that_it_waits_starts_the_count_again() {
        let mut requests = RequestTable::default();
        requests.offer(request("que_1"), Time(1));
        let tracked = tracked(&mut requests);
        tracked.observe_waiting(Some(false), false, Time(1_000), GAP, Time(1_100));
        assert_eq!(tracked.corroborated_from(GAP), Some(Time(3_100)));
        tracked.observe_waiting(Some(true), false, Time(2_000), GAP, Time(2_100));
        assert_eq!(tracked.corroborated_from(GAP), None);
        tracked.observe_waiting(Some(false), false, Time(3_500), GAP, Time(3_600));
        assert!(!tracked.evidence(0, None, None).forgotten);
    }

    /// R8
    #[test]
    fn what_was_read_before_a_send_proves_nothing_about_it() {
        let mut requests = RequestTable::default();
        requests.offer(request("que_1"), Time(1));
        requests.observe_list(
            &Directory::from("/d"),
            Kind::Question,
            &[RequestId::from("que_1")],
            read(5),
            |_| true,
        );
        tracked(&mut requests).observe_part(PartState::Running, read_at(6, 0));
        let stale = tracked(&mut requests).evidence(7, None, None);
        assert_eq!((stale.listed, stale.part), (None, PartState::Unread));
        let fresh = tracked(&mut requests).evidence(4, None, None);
        assert_eq!((fresh.listed, fresh.part), (Some(true), PartState::Running));
    }

    /// R19: an instance that is disposed of forgets its requests a second before it closes their parts
    #[test]
    fn a_part_that_goes_on_shows_nothing_until_its_request_has_left_the_list_for_a_while() {
        let mut requests = RequestTable::default();
        requests.offer(request("que_1"), Time(1));
        let tracked = tracked(&mut requests);
        let attempted = Some(Time(1_000));
        let outlasts_by = |tracked: &TrackedRequest, status: u64, attempted| {
            let running = Observed::new(true, read_at(8, status));
            tracked.evidence(4, Some(running), attempted).outlasts
        };
        let outlasts = |tracked: &TrackedRequest, attempted| outlasts_by(tracked, 10_060, attempted);
        tracked.observe_part(PartState::Running, read_at(6, 9_000));
        assert!(!outlasts(tracked, attempted), "it may just have left the list");
        tracked.observe_absence(false, Time(8_900), GAP, Time(9_050));
        assert!(!outlasts(tracked, attempted));
        tracked.observe_part(PartState::Running, read_at(9, 10_100));
        assert!(outlasts(tracked, attempted) && outlasts(tracked, None));
        assert!(
            !outlasts(tracked, Some(Time(10_000))),
            "our own reply may just have ended it"
        );
        assert!(
            !outlasts_by(tracked, 9_100, attempted),
            "the server may have restarted since"
        );
    }

    /// R2
    #[test]
    fn a_part_that_has_ended_counts_also_from_a_read_that_was_begun_before_the_last() {
        let mut requests = RequestTable::default();
        requests.offer(request("que_1"), Time(1));
        let tracked = tracked(&mut requests);
        tracked.observe_part(PartState::Running, read_at(7, 7));
        tracked.observe_part(PartState::SessionGone, read_at(6, 6));
        assert_eq!(*tracked.part(), PartState::SessionGone);
        tracked.observe_part(PartState::Running, read_at(8, 8));
        assert_eq!(*tracked.part(), PartState::SessionGone);
    }

    /// R23
    #[test]
    fn a_request_without_a_call_was_asked_in_the_newest_message_that_went_on_then() {
        let found = Some(MessageId::from("msg_2"));
        let newest = (vec![said("msg_3", 6_500, None)], Some("older"));
        for completed in [None, Some(6_000)] {
            let waits = (
                vec![said("msg_1", 1_000, Some(2_000)), said("msg_2", 4_000, completed)],
                None,
            );
            let sought = sought_in(&[newest.clone(), waits], 6);
            assert_eq!(sought.asker(), found.as_ref());
        }
        assert_eq!(sought_in(&[newest], 6).sought_in(), Some(Some("older")));
        let ended = (vec![said("msg_2", 4_000, Some(4_500))], Some("older"));
        assert!(sought_in(&[ended], 6).has_lost_asker());
    }

    /// R23
    #[test]
    fn a_message_in_a_page_that_cannot_be_read_is_lost_until_a_newest_page_shows_it() {
        let mut sought = sought_in(&[], 6);
        for number in 1..=u64::from(SEARCH_TRIES) {
            assert!(!sought.has_lost_asker());
            sought.handle_unreadable_page(Time(number * 2_000));
            sought.handle_unreadable_page(Time(number * 2_000 + 10));
        }
        assert!(sought.has_lost_asker());
        let messages = vec![said("msg_2", 4_000, None)];
        sought.find_asker(&Page { messages, older: None }, read(15));
        assert_eq!(sought.asker(), Some(&MessageId::from("msg_2")));
    }

    /// R23: the clock of the server was set back, or the page was older than the request
    #[test]
    fn a_message_that_has_ended_is_not_that_of_a_request_which_is_listed_later() {
        let mut requests = RequestTable::default();
        let id = RequestId::from("per_1");
        requests.offer(permission("per_1"), Time(1));
        let list = |requests: &mut RequestTable, named: &[RequestId], read| {
            requests.observe_list(&Directory::from("/d"), Kind::Permission, named, read, |_| true);
        };
        let look = |requests: &mut RequestTable, message: Message, read| {
            let (messages, older) = (vec![message], None);
            requests.find_askers(&SessionId::from("ses_1"), None, &Page { messages, older }, read);
        };
        let named = std::slice::from_ref(&id);
        list(&mut requests, named, read_at(5, 500));
        look(&mut requests, said("msg_1", 1_000, None), read_at(6, 600));
        let tracked = requests.get_mut(&id).unwrap();
        tracked.observe_part(PartState::Completed(None), read_at(7, 700));
        assert_eq!(tracked.evidence(4, None, None).part, PartState::Unread);
        list(&mut requests, named, read_at(8, 650));
        assert_eq!(requests.get(&id).unwrap().sought_in(), None, "that list began before");
        list(&mut requests, named, read_at(9, 900));
        assert_eq!(requests.get(&id).unwrap().sought_in(), Some(None));
        look(&mut requests, said("msg_2", 1_500, None), read_at(10, 1_000));
        let tracked = requests.get_mut(&id).unwrap();
        tracked.observe_part(PartState::Completed(None), read_at(11, 1_100));
        list(&mut requests, &[], read_at(12, 1_200));
        let evidence = requests.get(&id).unwrap().evidence(4, None, None);
        assert_eq!(evidence.part, PartState::Completed(None));
    }

    /// R23
    #[test]
    fn of_two_that_were_asked_in_one_message_the_later_one_shows_that_the_earlier_was_answered() {
        for later_first in [false, true] {
            let mut requests = RequestTable::default();
            let ids = ["per_1", "per_2"].map(RequestId::from);
            let mut order = ids.clone();
            if later_first {
                order.reverse();
            }
            for (number, id) in (5..).step_by(2).zip(order) {
                requests.offer(permission(id.as_str()), Time(1));
                let directory = Directory::from("/d");
                requests.observe_list(&directory, Kind::Permission, &[id], read(number), |_| true);
                let messages = vec![said("msg_1", 1_000, None)];
                let page = Page { messages, older: None };
                requests.find_askers(&SessionId::from("ses_1"), None, &page, read(number + 1));
            }
            let asked_again = ids.map(|id| requests.get(&id).unwrap().evidence(0, None, None).asked_again);
            assert_eq!(asked_again, [true, false]);
        }
    }

    /// R23: a page that was read before the list may be older than the message
    #[test]
    fn a_page_from_before_the_list_shows_no_message_of_a_request() {
        let stopped = (vec![said("msg_1", 1_000, None)], Some("older"));
        let sought = sought_in(&[stopped], 4);
        assert_eq!(sought.sought_in(), Some(None));
    }

    /// R2
    #[test]
    fn absence_from_a_list_that_does_not_count_is_no_absence() {
        let mut requests = RequestTable::default();
        requests.offer(request("que_1"), Time(1));
        requests.observe_list(
            &Directory::from("/d"),
            Kind::Question,
            &[RequestId::from("que_1")],
            read(5),
            |_| true,
        );
        requests.observe_list(&Directory::from("/d"), Kind::Permission, &[], read(6), |_| true);
        requests.observe_list(&Directory::from("/elsewhere"), Kind::Question, &[], read(7), |_| true);
        requests.observe_list(&Directory::from("/d"), Kind::Question, &[], read(8), |_| false);
        assert_eq!(tracked(&mut requests).is_listed(), Some(true));
    }

    /// R4
    #[test]
    fn a_request_ends_once_and_every_waiter_hears_it() {
        let mut requests = RequestTable::default();
        requests.offer(request("que_1"), Time(1));
        let tracked = tracked(&mut requests);
        let told = Told::default();
        let wait = |tracked: &mut TrackedRequest| {
            let (waiter, receiver) = told.waiter();
            tracked.wait(waiter);
            receiver
        };
        let mut early = wait(tracked);
        drop(wait(tracked));
        assert!(tracked.end(Outcome::Dismissed, Time(2)));
        assert!(!tracked.end(Outcome::Confirmed { note: None }, Time(3)));
        let mut late = wait(tracked);
        assert_eq!(
            early.try_recv(),
            Ok(None),
            "nobody who waits is told while the board is borrowed"
        );
        told.take().into_iter().for_each(|tell| tell());
        assert_eq!(early.try_recv(), Ok(Some(Ok(Outcome::Dismissed))));
        assert_eq!(late.try_recv(), Ok(Some(Ok(Outcome::Dismissed))));
    }
}
