//! What happened on a server, as it is kept on this device: what was asked and how it ended, and when the server could
//! not be reached.
//!
//! Each tab records what it sees. What two tabs see is kept once: a request gives its happenings their ids, and two
//! outages that overlap are one.

mod export;

use switchboard_core::Time;
use switchboard_core::metrics::AnsweredBy;
use switchboard_core::model::{Directory, RequestId, SessionId};

use crate::codec::{choice, record};

pub use export::{OfServer, write_csv, write_json};

/// How many are kept of a server, the newest: those of eighty requests a day, for the 30 days after which they are deleted.
pub const KEPT_MAX: usize = 5_000;

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Happening {
    /// Its name, the same in every tab.
    pub id: String,
    /// When. Of an outage the last moment before it at which the server was read.
    pub at: Time,
    /// What.
    pub kind: Kind,
    /// Who answered.
    pub by: Option<AnsweredBy>,
    /// The directory; none for the connection.
    pub directory: Option<Directory>,
    /// The session; none for the connection.
    pub session: Option<SessionId>,
    /// Its title.
    pub title: String,
    /// The request.
    pub request: Option<RequestId>,
    /// A sentence, with what people and agents have said.
    pub text: String,
    /// When a request that was asked was first seen here.
    pub seen: Option<Time>,
    /// When an answer was sent whose arrival was confirmed at [`Happening::at`].
    pub sent: Option<Time>,
    /// When the server was read again after an outage: at the latest moment, where no page was open meanwhile.
    pub until: Option<Time>,
}
record!(Happening {
    id,
    at,
    kind,
    by,
    directory,
    session,
    title,
    request,
    text,
    seen,
    sent,
    until,
});

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A request was asked.
    Asked,
    /// It was answered.
    Answered,
    /// A permission was rejected.
    Rejected,
    /// A question was dismissed.
    Dismissed,
    /// The agent no longer waits for it.
    Gone,
    /// Its time was up.
    TimedOut,
    /// The server could not be reached.
    Outage,
    /// The run of a session ended.
    RunEnded,
}
choice!(Kind {
    "asked" => Asked,
    "answered" => Answered,
    "rejected" => Rejected,
    "dismissed" => Dismissed,
    "gone" => Gone,
    "timed_out" => TimedOut,
    "outage" => Outage,
    "run_ended" => RunEnded,
});

impl Happening {
    /// Whether another record tells of the same.
    #[must_use]
    pub fn is_same(&self, other: &Happening) -> bool {
        let begins_before = |one: &Happening, other: &Happening| other.until.is_none_or(|until| one.at < until);
        match (self.kind, other.kind) {
            (Kind::Outage, Kind::Outage) => begins_before(self, other) && begins_before(other, self),
            _ => self.id == other.id,
        }
    }

    /// What two tabs, or two visits, know of the same. The earlier moment counts, and an answer of this device is known
    /// best by the tab that gave it.
    #[must_use]
    pub fn added_to(self, held: &Happening) -> Happening {
        let is_ours = |one: &Happening| matches!(one.by, Some(AnsweredBy::Here | AnsweredBy::Policy));
        let known = if self.kind == Kind::Outage || is_ours(held) && !is_ours(&self) {
            held
        } else {
            &self
        };
        Happening {
            id: held.id.clone(),
            at: self.at.min(held.at),
            until: [self.until, held.until].into_iter().flatten().min(),
            ..known.clone()
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::device::records::{read_happening, write_happening};

    pub(crate) fn answered(by: AnsweredBy, at: u64, text: &str) -> Happening {
        Happening {
            id: "ended que_1".to_owned(),
            at: Time(at),
            kind: Kind::Answered,
            by: Some(by),
            directory: Some("/d".into()),
            session: Some("ses_1".into()),
            title: "Fence".to_owned(),
            request: Some("que_1".into()),
            text: text.to_owned(),
            seen: None,
            sent: Some(Time(at - 1)),
            until: None,
        }
    }

    fn outage(at: u64, until: Option<u64>) -> Happening {
        Happening {
            id: format!("outage {at}"),
            kind: Kind::Outage,
            by: None,
            until: until.map(Time),
            sent: None,
            ..answered(AnsweredBy::Here, at, "")
        }
    }

    #[test]
    fn a_happening_is_read_back_as_it_was_written() {
        for one in [answered(AnsweredBy::Policy, 7, "a\n\u{202e}"), outage(8, Some(9))] {
            assert_eq!(read_happening(&write_happening(&one)), Ok(one));
        }
    }

    #[test]
    fn an_answer_of_this_device_is_not_replaced_by_what_another_tab_takes_it_for() {
        let ours = answered(AnsweredBy::Here, 20, "You answered “Red”");
        let taken_for = answered(AnsweredBy::Elsewhere, 10, "Answered elsewhere");
        let expected = Happening {
            at: Time(10),
            ..ours.clone()
        };
        assert_eq!(taken_for.clone().added_to(&ours), expected);
        assert_eq!(ours.added_to(&taken_for), expected);
    }

    #[test]
    fn outages_that_overlap_are_one() {
        for (held, new, expected) in [
            (outage(10, None), outage(12, None), Some(outage(10, None))),
            (outage(12, None), outage(10, Some(20)), Some(outage(10, Some(20)))),
            (outage(10, Some(20)), outage(12, Some(60)), Some(outage(10, Some(20)))),
            (outage(10, Some(20)), outage(20, None), None),
            (outage(10, Some(20)), outage(30, None), None),
        ] {
            let merged = held.is_same(&new).then(|| new.added_to(&held));
            let times = |one: Happening| (one.at, one.until);
            assert_eq!(merged.map(times), expected.map(times));
        }
    }
}
