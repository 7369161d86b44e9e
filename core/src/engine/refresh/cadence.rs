//! Says when a scope is refreshed next: after how long, how soon on a wake, how late after failures.

use std::time::Duration;

use crate::config::Pace;
use crate::time::Time;

/// Failures in a row that change nothing about the pace.
const FAILURES_TOLERATED: u32 = 2;

/// When one scope is refreshed.
#[derive(Clone, Debug)]
pub(crate) struct Cadence {
    state: State,
    failures: u32,
    last_begun: Option<Time>,
    last_urgent: Option<Time>,
    last_success: Option<Time>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// A refresh begins then.
    Waiting(Time),
    /// A refresh is wanted, and waits for its turn.
    Due,
    /// A refresh goes on; another one follows at once if `again`.
    Refreshing { again: bool },
}

/// What the pace depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PaceInputs {
    /// Something runs, waits or is on its way.
    pub(crate) busy: bool,
    /// Somebody may be looking.
    pub(crate) visible: bool,
    /// Another tab reads for this one.
    pub(crate) following: bool,
    /// Somebody awaits a reply from there.
    pub(crate) awaited: bool,
    /// A pause may be as long, because events announce what happens.
    pub(crate) announced: Duration,
}

impl Cadence {
    /// A scope that has never been read: due at once.
    pub(crate) fn new() -> Self {
        Self {
            state: State::Due,
            failures: 0,
            last_begun: None,
            last_urgent: None,
            last_success: None,
        }
    }

    /// The next point in time at which something happens by itself.
    pub(crate) fn deadline(&self) -> Option<Time> {
        match self.state {
            State::Waiting(due) => Some(due),
            State::Due | State::Refreshing { .. } => None,
        }
    }

    pub(crate) fn is_due(&self) -> bool {
        self.state == State::Due
    }

    pub(crate) fn failures(&self) -> u32 {
        self.failures
    }

    /// When the newest refresh began.
    pub(crate) fn last_begun(&self) -> Option<Time> {
        self.last_begun
    }

    pub(crate) fn last_success(&self) -> Option<Time> {
        self.last_success
    }

    pub(crate) fn handle_deadline(&mut self, now: Time) {
        if self.deadline().is_some_and(|due| due <= now) {
            self.state = State::Due;
        }
    }

    /// A refresh begins.
    pub(crate) fn begin(&mut self, now: Time) {
        self.state = State::Refreshing { again: false };
        self.last_begun = Some(now);
    }

    /// The refresh has ended. `jitter` is a number from 0 to 99.
    pub(crate) fn end(&mut self, now: Time, success: bool, pace_inputs: PaceInputs, pace: &Pace, jitter: u64) {
        let again = matches!(self.state, State::Refreshing { again: true });
        if success {
            self.failures = 0;
            self.last_success = Some(now);
        } else {
            self.failures += 1;
        }
        self.state = if again && success {
            planned(self.no_sooner_than(now, pace), now)
        } else {
            State::Waiting(now + self.pause(pace_inputs, pace, jitter))
        };
    }

    /// Puts the next refresh off: the scope is not in use, and the next sweep is soon enough.
    pub(crate) fn postpone_until(&mut self, due: Time) {
        if let State::Waiting(_) = self.state {
            self.state = State::Waiting(due);
        }
    }

    /// Ends a rest that would last longer. A pause after failures is none.
    pub(crate) fn postpone_at_most_until(&mut self, due: Time) {
        if let State::Waiting(present) = self.state
            && !self.is_backing_off()
        {
            self.state = State::Waiting(present.min(due));
        }
    }

    /// So many reads have failed that the next one waits longer than usual.
    pub(crate) fn is_backing_off(&self) -> bool {
        self.failures > FAILURES_TOLERATED
    }

    /// Another tab has read for this one. That says nothing about the way from here: who backs off tries again when
    /// that was planned.
    pub(crate) fn shown(&mut self, now: Time, pace_inputs: PaceInputs, pace: &Pace) {
        self.last_success = Some(now);
        if let State::Waiting(_) = self.state
            && !self.is_backing_off()
        {
            self.state = State::Waiting(now + self.pause(pace_inputs, pace, 50));
        }
    }

    /// Something may have happened: refresh soon, but not more often than the gap between wakes allows.
    pub(crate) fn wake(&mut self, now: Time, pace: &Pace) {
        self.refresh_now(self.no_sooner_than(now, pace), now);
    }

    /// Something is expected to show: look again then.
    pub(crate) fn look_again(&mut self, due: Time, now: Time, pace: &Pace) {
        self.refresh_now(due.max(self.no_sooner_than(now, pace)), now);
    }

    /// Something has been asked, or sent by us: refresh at once. Further ones within the gap are ordinary wakes.
    pub(crate) fn expedite(&mut self, now: Time, pace: &Pace) {
        if self.last_urgent.is_some_and(|last| now < last + pace.wake_gap) {
            return self.wake(now, pace);
        }
        self.last_urgent = Some(now);
        self.refresh_now(now, now);
    }

    fn refresh_now(&mut self, due: Time, now: Time) {
        self.state = match self.state {
            State::Waiting(present) => planned(present.min(due), now),
            State::Due => State::Due,
            State::Refreshing { .. } => State::Refreshing { again: true },
        };
    }

    fn no_sooner_than(&self, now: Time, pace: &Pace) -> Time {
        let gap = if self.is_backing_off() {
            pace.busy
        } else {
            pace.wake_gap
        };
        self.last_begun.map_or(now, |begun| (begun + gap).max(now))
    }

    fn pause(&self, pace_inputs: PaceInputs, pace: &Pace, jitter: u64) -> Duration {
        // What was not read cannot be counted on.
        let announced = if self.failures == 0 {
            pace_inputs.announced
        } else {
            Duration::ZERO
        };
        let own = match (pace_inputs.visible, pace_inputs.busy) {
            _ if pace_inputs.awaited => pace.awaited,
            (true, true) => pace.busy.max(announced),
            (true, false) => pace.quiet.max(announced),
            (false, _) => pace.hidden,
        };
        let planned = if pace_inputs.following {
            // The tab that leads begins after a pause as long, and its read takes a while.
            (own + pace.follow_patience.saturating_sub(pace.busy)).max(pace.follow_patience)
        } else {
            own
        };
        if !self.is_backing_off() {
            return planned;
        }
        let doublings = (self.failures - FAILURES_TOLERATED).min(8);
        let grown = pace.busy.saturating_mul(1 << doublings).min(pace.backoff_max);
        let share = u32::try_from(jitter.min(99)).unwrap_or_default();
        grown * (75 + share / 4) / 100
    }
}

/// A refresh at `due`; one that is due by `now` needs no timer.
fn planned(due: Time, now: Time) -> State {
    if due <= now { State::Due } else { State::Waiting(due) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUSY: PaceInputs = PaceInputs {
        busy: true,
        visible: true,
        following: false,
        awaited: false,
        announced: Duration::ZERO,
    };

    fn refreshed(cadence: &mut Cadence, at: Time, success: bool, pace_inputs: PaceInputs) {
        cadence.begin(at);
        cadence.end(at, success, pace_inputs, &Pace::default(), 99);
    }

    fn pause_after(pace_inputs: PaceInputs) -> u64 {
        let mut cadence = Cadence::new();
        refreshed(&mut cadence, Time(1_000), true, pace_inputs);
        cadence.deadline().unwrap().0 - 1_000
    }

    #[test]
    fn the_pace_follows_what_goes_on_and_who_looks() {
        assert_eq!(pause_after(BUSY), 2_000);
        assert_eq!(pause_after(PaceInputs { busy: false, ..BUSY }), 5_000);
        assert_eq!(pause_after(PaceInputs { visible: false, ..BUSY }), 15_000);
        let awaited = PaceInputs {
            visible: false,
            awaited: true,
            ..BUSY
        };
        assert_eq!(pause_after(awaited), 1_000, "C2");
        assert_eq!(
            pause_after(PaceInputs {
                following: true,
                ..BUSY
            }),
            3_000
        );
    }

    #[test]
    fn a_unit_that_fails_is_asked_less_and_less_often_up_to_ten_seconds() {
        let mut cadence = Cadence::new();
        let mut pauses = Vec::new();
        for _ in 0..6 {
            refreshed(&mut cadence, Time(0), false, BUSY);
            pauses.push(cadence.deadline().unwrap().0);
        }
        assert_eq!(pauses, [2_000, 2_000, 3_960, 7_920, 9_900, 9_900]);
        refreshed(&mut cadence, Time(0), true, BUSY);
        assert_eq!(cadence.deadline(), Some(Time(2_000)));
    }

    #[test]
    fn what_another_tab_reads_ends_no_back_off() {
        let pace = Pace::default();
        let mut cadence = Cadence::new();
        (0..4).for_each(|_| refreshed(&mut cadence, Time(0), false, BUSY));
        cadence.shown(Time(1_000), BUSY, &pace);
        assert_eq!(cadence.deadline(), Some(Time(7_920)));
        cadence.wake(Time(1_100), &pace);
        assert_eq!(
            cadence.deadline(),
            Some(Time(2_000)),
            "a wake still counts, less than usual"
        );
    }

    #[test]
    fn wakes_in_quick_succession_are_one() {
        let pace = Pace::default();
        let mut cadence = Cadence::new();
        refreshed(&mut cadence, Time(1_000), true, BUSY);
        cadence.wake(Time(1_100), &pace);
        assert_eq!(cadence.deadline(), Some(Time(1_250)));
        cadence.wake(Time(1_150), &pace);
        assert_eq!(cadence.deadline(), Some(Time(1_250)));
    }

    /// R8
    #[test]
    fn an_urgent_wake_refreshes_at_once_even_right_after_a_refresh() {
        let pace = Pace::default();
        let mut cadence = Cadence::new();
        refreshed(&mut cadence, Time(1_000), true, BUSY);
        cadence.expedite(Time(1_010), &pace);
        assert!(cadence.is_due());
    }

    #[test]
    fn a_wake_during_a_refresh_leads_to_another_one() {
        let pace = Pace::default();
        let mut cadence = Cadence::new();
        cadence.begin(Time(1_000));
        cadence.wake(Time(1_010), &pace);
        assert_eq!(cadence.deadline(), None);
        cadence.end(Time(1_030), true, BUSY, &pace, 0);
        assert_eq!(cadence.deadline(), Some(Time(1_250)));
    }
}
