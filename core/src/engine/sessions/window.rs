//! How many messages of a session are asked for at once, and when again after that failed.
//!
//! A session can have a message that makes every window around it unreadable (docs/opencode.md, trap 11), or a page that takes too
//! long. That is the session's own failure: it is asked for less, and more rarely, and nothing else waits for it.

use std::time::Duration;

use crate::time::Time;

/// How long nothing is read after a failure that asking for less cannot mend; doubled for each further one.
const PAUSE_MIN: Duration = Duration::from_secs(5);
/// The longest such pause.
const PAUSE_MAX: Duration = Duration::from_secs(60);
/// The same where the server itself has failed, whatever it was asked for: it may do better in a moment.
const SERVER_PAUSE_MIN: Duration = Duration::from_secs(1);
/// The longest such pause.
const SERVER_PAUSE_MAX: Duration = Duration::from_secs(10);
/// The same of a session that is followed: whoever waits for its messages hears of them about as soon as they can be read.
const FOLLOWED_PAUSE_MAX: Duration = Duration::from_secs(2);
/// How long less is asked for, before twice as much is tried again.
const NARROW_LASTS: Duration = Duration::from_secs(60);

/// The window of a session's messages, or of its past.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Window {
    /// The most messages that are asked for at once, and since when; none is no limit.
    narrowed: Option<(u32, Time)>,
    failures: u32,
    /// Nothing is read before.
    rests_until: Option<Time>,
    /// How often in a row the server has failed, and until when nothing is read therefore.
    server_failures: u32,
    server_rests_until: Option<Time>,
}

impl Window {
    /// How many messages may be asked for where so many are wanted.
    pub(crate) fn limit(&self, wanted: u32) -> u32 {
        self.narrowed.map_or(wanted, |(limit, _)| limit.min(wanted))
    }

    pub(crate) fn may_read(&self, now: Time) -> bool {
        let mut rests = [self.rests_until, self.server_rests_until].into_iter().flatten();
        rests.all(|until| until <= now)
    }

    /// A person asks for it: the next read need not wait.
    pub(crate) fn end_rest(&mut self) {
        self.rests_until = None;
        self.end_server_rest();
    }

    /// Something has happened that the server may be able to tell by now.
    pub(crate) fn end_server_rest(&mut self) {
        self.server_rests_until = None;
    }

    /// A window has been read.
    pub(crate) fn handle_read(&mut self, now: Time) {
        (self.failures, self.rests_until) = (0, None);
        (self.server_failures, self.server_rests_until) = (0, None);
        if let Some((limit, since)) = self.narrowed
            && now.since(since) >= NARROW_LASTS
        {
            let wider = limit.saturating_mul(2);
            self.narrowed = (wider < u32::from(u8::MAX)).then_some((wider, now));
        }
    }

    /// Asks for less than so many messages. Returns how many; none when it is one already.
    pub(crate) fn narrow(&mut self, limit: u32, now: Time) -> Option<u32> {
        let less = (limit > 1).then_some(limit / 2)?;
        self.narrowed = Some((less, now));
        Some(less)
    }

    /// A window of so many messages could not be read. Returns how many to ask for at once instead; none when asking for
    /// less does not help, and nothing is read for a while.
    pub(crate) fn handle_failure(&mut self, limit: u32, now: Time) -> Option<u32> {
        if let Some(less) = self.narrow(limit, now) {
            return Some(less);
        }
        self.rests_until = Some(now + pause_after(self.failures, PAUSE_MIN, PAUSE_MAX));
        self.failures += 1;
        None
    }

    /// A window could not be read, and asking for less would not help: the server has failed, or what lies before it.
    pub(crate) fn handle_server_failure(&mut self, is_followed: bool, now: Time) {
        let max = if is_followed {
            FOLLOWED_PAUSE_MAX
        } else {
            SERVER_PAUSE_MAX
        };
        self.server_rests_until = Some(now + pause_after(self.server_failures, SERVER_PAUSE_MIN, max));
        self.server_failures += 1;
    }
}

/// The pause after one more failure than so many: twice as long after each.
fn pause_after(failures: u32, min: Duration, max: Duration) -> Duration {
    min.saturating_mul(1 << failures.min(8)).min(max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_that_cannot_be_read_is_narrowed_until_one_message_is_asked_for() {
        let mut window = Window::default();
        let mut asked = vec![40];
        while let Some(less) = window.handle_failure(window.limit(*asked.last().unwrap()), Time(0)) {
            asked.push(less);
        }
        assert_eq!(asked, [40, 20, 10, 5, 2, 1]);
        assert!(!window.may_read(Time(4_999)) && window.may_read(Time(5_000)));
    }

    #[test]
    fn one_message_that_cannot_be_read_is_asked_for_less_and_less_often_but_never_given_up() {
        let mut window = Window::default();
        let mut now = Time(0);
        let mut pauses = Vec::new();
        for _ in 0..6 {
            assert_eq!(window.handle_failure(1, now), None);
            let begun = now;
            while !window.may_read(now) {
                now = now + Duration::from_secs(5);
            }
            pauses.push(now.since(begun).as_secs());
        }
        assert_eq!(pauses, [5, 10, 20, 40, 60, 60]);
    }

    #[test]
    fn a_server_that_fails_is_asked_again_sooner() {
        for (is_followed, expected) in [(false, [1, 2, 4, 8, 10, 10]), (true, [1, 2, 2, 2, 2, 2])] {
            let mut window = Window::default();
            let mut now = Time(0);
            let mut pauses = Vec::new();
            for _ in 0..6 {
                window.handle_server_failure(is_followed, now);
                let begun = now;
                while !window.may_read(now) {
                    now = now + Duration::from_secs(1);
                }
                pauses.push(now.since(begun).as_secs());
            }
            assert_eq!(pauses, expected);
            assert_eq!(window.limit(40), 40);
        }
    }

    #[test]
    fn what_happens_ends_the_rest_after_a_failure_of_the_server_alone() {
        let mut window = Window::default();
        window.handle_server_failure(false, Time(0));
        window.end_server_rest();
        assert!(window.may_read(Time(0)));
        window.handle_failure(1, Time(0));
        window.end_server_rest();
        assert!(!window.may_read(Time(0)));
        window.handle_server_failure(false, Time(0));
        window.end_rest();
        assert!(window.may_read(Time(0)));
    }

    #[test]
    fn a_window_is_widened_again_after_a_while() {
        let mut window = Window::default();
        window.handle_failure(2, Time(0));
        window.handle_read(Time(1_000));
        assert_eq!(window.limit(40), 1);
        for minute in 1..=8 {
            window.handle_read(Time(minute * 60_000));
        }
        assert_eq!(window.limit(40), 40);
    }
}
