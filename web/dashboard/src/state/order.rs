//! In which order the requests lie, and what keeps them from moving under the hand.

use switchboard_core::{Time, sort_by_key};

use crate::state::keys::{Asked, RequestKey};
use crate::state::rows::{Hand, next_rows, stays};
use crate::words::state_words::asked;

/// The order of the inbox.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// New requests come in at the end.
    #[default]
    Oldest,
    /// The newest on top.
    Newest,
    /// Those of one session together.
    Session,
}

impl Order {
    /// All orders, the usual one first.
    pub const ALL: [Order; 3] = [Order::Oldest, Order::Newest, Order::Session];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Order::Oldest => "Oldest first",
            Order::Newest => "Newest first",
            Order::Session => "By session",
        }
    }

    /// Its value in a form.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Order::Oldest => "oldest",
            Order::Newest => "newest",
            Order::Session => "session",
        }
    }

    /// All rows, sorted anew.
    #[must_use]
    pub fn sorted(self, requests: &[Asked], now: Time) -> Vec<RequestKey> {
        let mut sorted: Vec<_> = requests.iter().filter(|asked| stays(&asked.view, now)).collect();
        sort_by_key(&mut sorted, |one| asked(&one.view));
        match self {
            Order::Oldest => {}
            Order::Newest => sorted.reverse(),
            Order::Session => {
                let first = |one: &Asked| {
                    let same = |other: &&Asked| other.session() == one.session();
                    requests.iter().filter(same).map(|other| asked(&other.view)).min()
                };
                sort_by_key(&mut sorted, |one| first(one));
            }
        }
        sorted.into_iter().map(Asked::key).collect()
    }

    /// The rows after a change, and how many new ones wait to be shown: in the usual order none does, for there
    /// new ones come in at the end.
    #[must_use]
    pub fn next(self, shown: &[RequestKey], requests: &[Asked], hand: &Hand, now: Time) -> (Vec<RequestKey>, usize) {
        if shown.is_empty() {
            return (self.sorted(requests, now), 0);
        }
        let mut next = next_rows(shown, requests, hand, now);
        if self == Order::Oldest {
            return (next, 0);
        }
        let all = next.len();
        next.retain(|key| shown.contains(key));
        let new = all - next.len();
        (next, new)
    }
}
