//! In which order the requests lie, and what keeps them from moving under the hand.

use std::sync::Arc;

use switchboard_core::model::RequestId;
use switchboard_core::view::RequestView;
use switchboard_core::{Time, sort_by_key};

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
    pub fn sorted(self, requests: &[Arc<RequestView>], now: Time) -> Vec<RequestId> {
        let mut sorted: Vec<_> = requests.iter().filter(|view| stays(view, now)).collect();
        sort_by_key(&mut sorted, |view| asked(view));
        match self {
            Order::Oldest => {}
            Order::Newest => sorted.reverse(),
            Order::Session => {
                let first = |view: &RequestView| {
                    let same = |other: &&Arc<RequestView>| other.request.session == view.request.session;
                    requests.iter().filter(same).map(|other| asked(other)).min()
                };
                sort_by_key(&mut sorted, |view| first(view));
            }
        }
        sorted.into_iter().map(|view| view.request.id.clone()).collect()
    }

    /// The rows after a change, and how many new ones wait to be shown: in the usual order none does, for there
    /// new ones come in at the end.
    #[must_use]
    pub fn next(
        self,
        shown: &[RequestId],
        requests: &[Arc<RequestView>],
        hand: &Hand,
        now: Time,
    ) -> (Vec<RequestId>, usize) {
        if shown.is_empty() {
            return (self.sorted(requests, now), 0);
        }
        let mut next = next_rows(shown, requests, hand, now);
        if self == Order::Oldest {
            return (next, 0);
        }
        let all = next.len();
        next.retain(|id| shown.contains(id));
        let new = all - next.len();
        (next, new)
    }
}
