//! Says which of the reads are due that decide about requests, sends and the existence of sessions.
//!
//! A look is due at once when something has changed that it may show, and ever more rarely while nothing does: after a pause as
//! long as that has lasted by then, up to [`PAUSE_MAX`]. One that is repeated so waits for room in a refresh; any other is worth
//! a refresh of its own.

use std::time::Duration;

use crate::collections::{SortedMap, sort_by_key};
use crate::engine::evidence::ReadStamp;
use crate::engine::requests::Look;
use crate::model::{EntryId, RequestId, SessionId};
use crate::ports::Read;
use crate::time::Time;

/// The longest pause between two looks. As long as the longest one between two attempts of a send, which wants a look each.
const PAUSE_MAX: Duration = Duration::from_secs(10);

/// Something that is looked at until it is decided. Of two that were looked at equally long ago, the lesser one comes first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Subject {
    Send(EntryId),
    Request(RequestId),
    Session(SessionId),
}

/// A look that is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) subject: Subject,
    pub(crate) read: Read,
    pub(crate) occasion: Occasion,
    /// A look that begins at one of these times or later decides more than the ones before.
    pub(crate) milestones: [Option<Time>; 2],
}

/// The state that a look is made in: when it changes, another look may show more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Occasion {
    /// The state of the session and of the lists.
    pub(crate) state: Option<Look>,
    /// The version of the send that this page is to decide about.
    pub(crate) sent: Option<u64>,
}

/// A look that is due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Due {
    pub(crate) read: Read,
    /// It may show more than the last one, not only later.
    pub(crate) is_urgent: bool,
}

/// When everything was looked at.
#[derive(Debug, Default)]
pub(crate) struct Looks {
    subjects: SortedMap<Subject, Looked>,
}

/// When one subject was looked at.
#[derive(Debug)]
struct Looked {
    read: Read,
    occasion: Occasion,
    /// Since when all is as it is.
    since: Time,
    /// The newest look that the server answered, whatever it said.
    last: Option<ReadStamp>,
    /// The number of the newest one, answered or not; 0 without any.
    tried: u64,
}

impl Looks {
    /// Takes all looks that are wanted in one directory. Returns those that are due, the ones that were tried least recently
    /// first.
    pub(crate) fn take_due(&mut self, wanted: Vec<Wanted>, now: Time) -> Vec<Due> {
        let mut due: Vec<(u64, Subject, Due)> = Vec::new();
        for wanted in wanted {
            let looked = self.subjects.entry(wanted.subject.clone()).or_insert_with(|| Looked {
                read: wanted.read.clone(),
                occasion: wanted.occasion,
                since: now,
                last: None,
                tried: 0,
            });
            // The clock may have been set back.
            looked.since = looked.since.min(now);
            if looked.occasion != wanted.occasion || looked.read != wanted.read {
                (looked.occasion, looked.since) = (wanted.occasion, now);
                looked.read = wanted.read.clone();
            }
            let is_urgent = looked.is_urgent(wanted.milestones, now);
            if !is_urgent && !looked.is_to_be_repeated(now) {
                continue;
            }
            match due.iter_mut().find(|(.., due)| due.read == wanted.read) {
                Some((.., due)) => due.is_urgent |= is_urgent,
                None => {
                    let read = wanted.read;
                    due.push((looked.tried, wanted.subject, Due { read, is_urgent }));
                }
            }
        }
        sort_by_key(&mut due, |(tried, subject, _)| (*tried, subject.clone()));
        due.into_iter().map(|(.., due)| due).collect()
    }

    /// A read has ended. One that the server has not answered shows nothing, and waits for its turn again: those that hang must
    /// not keep the others from being looked at.
    pub(crate) fn observe(&mut self, read: &Read, stamp: ReadStamp, is_answered: bool) {
        for looked in self.subjects.values_mut().filter(|looked| looked.read == *read) {
            looked.tried = stamp.number;
            if is_answered {
                looked.last = Some(stamp);
            }
        }
    }

    /// Something has happened in these sessions.
    pub(crate) fn wake(&mut self, is_named: impl Fn(&Read) -> bool, now: Time) {
        for looked in self.subjects.values_mut() {
            if is_named(&looked.read) {
                looked.since = now;
            }
        }
    }

    /// Forgets what is decided.
    pub(crate) fn retain(&mut self, is_open: impl Fn(&Subject) -> bool) {
        self.subjects.retain(|subject, _| is_open(subject));
    }
}

impl Looked {
    fn is_urgent(&self, milestones: [Option<Time>; 2], now: Time) -> bool {
        let Some(ReadStamp { begun, .. }) = self.last else {
            return true;
        };
        let is_passed = |milestone: Time| begun < milestone && milestone <= now;
        begun < self.since || milestones.into_iter().flatten().any(is_passed)
    }

    fn is_to_be_repeated(&self, now: Time) -> bool {
        let begun = self.last.unwrap_or_default().begun;
        let pause = begun.since(self.since).min(PAUSE_MAX);
        // Before the last look: the clock was set back.
        begun + pause <= now || now < begun
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(session: &str) -> Read {
        Read::Session {
            session: session.into(),
            directory: "/d".into(),
        }
    }

    fn wanted(session: &str) -> Wanted {
        Wanted {
            subject: Subject::Session(session.into()),
            read: read(session),
            occasion: Occasion::default(),
            milestones: [None; 2],
        }
    }

    /// A look each time that one is due, at moments a second apart. Returns when they were made.
    fn made(looks: &mut Looks, seconds: std::ops::Range<u64>, wanted: impl Fn(u64) -> Wanted) -> Vec<u64> {
        let is_made = |second: &u64| {
            let now = Time(*second * 1_000);
            let due = looks.take_due(vec![wanted(*second)], now);
            for due in &due {
                let (number, begun) = (*second + 1, now);
                looks.observe(&due.read, ReadStamp { number, begun }, true);
            }
            !due.is_empty()
        };
        seconds.filter(is_made).collect()
    }

    #[test]
    fn what_stays_the_same_is_looked_at_ever_more_rarely() {
        let made = made(&mut Looks::default(), 0..60, |_| wanted("ses_1"));
        assert_eq!(made, [0, 1, 2, 4, 8, 16, 26, 36, 46, 56]);
    }

    #[test]
    fn what_changes_is_looked_at_at_once() {
        let after_send = |second: u64| Wanted {
            occasion: Occasion {
                sent: (second >= 20).then_some(1),
                ..Occasion::default()
            },
            ..wanted("ses_1")
        };
        let mut looks = Looks::default();
        assert_eq!(made(&mut looks, 0..26, after_send), [0, 1, 2, 4, 8, 16, 20, 21, 22, 24]);
        assert_eq!(made(&mut looks, 26..28, after_send), [] as [u64; 0]);
        looks.wake(|read| *read == super::tests::read("ses_1"), Time(28_000));
        assert_eq!(made(&mut looks, 28..33, after_send), [28, 29, 30, 32]);
    }

    #[test]
    fn a_look_that_decides_more_than_the_last_is_made_then() {
        let decides = |_| Wanted {
            milestones: [Some(Time(6_000)), Some(Time(90_000))],
            ..wanted("ses_1")
        };
        assert_eq!(made(&mut Looks::default(), 0..13, decides), [0, 1, 2, 4, 6, 12]);
    }

    #[test]
    fn the_least_recent_comes_first_and_one_read_serves_several() {
        let mut looks = Looks::default();
        let (first, second) = (wanted("ses_1"), wanted("ses_2"));
        let of_request = Wanted {
            subject: Subject::Request("que_1".into()),
            ..first.clone()
        };
        let take = |looks: &mut Looks| {
            let all = vec![first.clone(), second.clone(), of_request.clone()];
            let due = looks.take_due(all, Time(0)).into_iter();
            due.map(|due| (due.read, due.is_urgent)).collect::<Vec<_>>()
        };
        assert_eq!(
            take(&mut looks),
            [(first.read.clone(), true), (second.read.clone(), true)]
        );
        let stamp = |number| ReadStamp { number, begun: Time(0) };
        looks.observe(&first.read, stamp(2), true);
        looks.observe(&second.read, stamp(1), true);
        assert_eq!(
            take(&mut looks),
            [(second.read.clone(), false), (first.read.clone(), false)]
        );
        looks.retain(|subject| *subject != Subject::Session("ses_2".into()));
        assert_eq!(
            take(&mut looks),
            [(second.read.clone(), true), (first.read.clone(), false)]
        );
        looks.observe(&second.read, stamp(3), false);
        assert_eq!(
            take(&mut looks),
            [(first.read.clone(), false), (second.read.clone(), true)]
        );
    }

    #[test]
    fn a_clock_that_is_set_back_stops_no_look() {
        let mut looks = Looks::default();
        assert_eq!(made(&mut looks, 100..101, |_| wanted("ses_1")), [100]);
        assert_eq!(made(&mut looks, 10..30, |_| wanted("ses_1")), [10, 11, 12, 14, 18, 26]);
    }
}
