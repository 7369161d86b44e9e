//! Which requests the inbox shows, and in which order: nothing moves under the hand.

use std::sync::Arc;
use std::time::Duration;

use switchboard_core::model::Request;
use switchboard_core::view::{RequestState, RequestView};
use switchboard_core::{Time, sort_by_key};

use crate::state::keys::{Asked, RequestKey};
use crate::words::state_words::asked;

/// How long a request that needs nobody any more stays in sight.
pub const LEAVES_AFTER: Duration = Duration::from_secs(4);

/// For so long after the first look nobody has anything under the hand: rows may still find their order.
pub const SETTLES_AFTER: Duration = Duration::from_secs(3);

/// Where the hand is: which requests must not move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hand {
    /// The request under the pointer.
    pub pointed: Option<RequestKey>,
    /// The request that has the focus.
    pub focused: Option<RequestKey>,
}

/// The rows after a change: those that stay keep their order, new ones come at the end, oldest first.
///
/// A row that has pointer or focus does not leave, nor does one above the pointer: whoever is about to press would hit
/// something else.
#[must_use]
pub fn next_rows(shown: &[RequestKey], requests: &[Asked], hand: &Hand, now: Time) -> Vec<RequestKey> {
    let find = |key: &RequestKey| requests.iter().find(|asked| asked.is(key));
    let pointed = shown.iter().position(|key| hand.pointed.as_ref() == Some(key));
    let is_held = |place: usize, key| hand.focused.as_ref() == Some(key) || pointed.is_some_and(|last| place <= last);
    let kept = shown
        .iter()
        .enumerate()
        .filter(|(place, key)| find(key).is_some_and(|asked| stays(&asked.view, now) || is_held(*place, key)))
        .map(|(_, key)| key.clone());
    let mut new: Vec<_> = requests
        .iter()
        .filter(|asked| stays(&asked.view, now) && !shown.iter().any(|key| asked.is(key)))
        .collect();
    sort_by_key(&mut new, |new| asked(&new.view));
    kept.chain(new.into_iter().map(Asked::key)).collect()
}

/// True while a request is to be seen.
pub(super) fn stays(view: &RequestView, now: Time) -> bool {
    let left_since = match &view.state {
        RequestState::Waiting
        | RequestState::NotSent { .. }
        | RequestState::Sending { .. }
        | RequestState::Sent { .. } => None,
        RequestState::Answered { at, .. } | RequestState::Dismissed { at, .. } => Some(*at),
        RequestState::AnsweredElsewhere { at, .. } | RequestState::Gone { at, .. } => {
            (!needs_a_word(view)).then_some(*at)
        }
    };
    left_since.is_none_or(|at| now.since(at) < LEAVES_AFTER)
}

/// True for a dead request whose text somebody has to decide about, or that can still be answered by a message.
#[must_use]
pub fn needs_a_word(view: &RequestView) -> bool {
    match &view.state {
        RequestState::AnsweredElsewhere { .. } => view.reply.is_some() || view.draft.is_some(),
        RequestState::Gone { .. } => view.rescue.is_some() || view.reply.is_some() || view.draft.is_some(),
        RequestState::Waiting
        | RequestState::NotSent { .. }
        | RequestState::Sending { .. }
        | RequestState::Sent { .. }
        | RequestState::Answered { .. }
        | RequestState::Dismissed { .. } => false,
    }
}

/// The waiting row that comes after `from`, and is none of `sent`, which are of the same server: the next below, else the
/// nearest above.
#[must_use]
pub fn next_waiting(
    rows: &[RequestKey],
    requests: &[Asked],
    from: &RequestKey,
    sent: &[Arc<Request>],
) -> Option<RequestKey> {
    let waits = |key: &&RequestKey| {
        let is_sent = key.server == from.server && sent.iter().any(|request| request.id == key.id);
        !is_sent
            && requests
                .iter()
                .any(|asked| asked.is(key) && asked.view.state.is_waiting())
    };
    let place = rows.iter().position(|key| key == from).unwrap_or(0);
    let below = rows.iter().skip(place).find(waits);
    below.or_else(|| rows.iter().take(place).rev().find(waits)).cloned()
}

#[cfg(test)]
mod tests {
    use switchboard_core::model::{Ask, ElsewhereAnswer};

    use super::*;
    use crate::fixtures::asking;
    use crate::state::keys::ServerKey;
    use crate::state::order::Order;

    const ANSWERED: RequestState = RequestState::Answered {
        at: Time(10_000),
        sent: Time(9_000),
        note: None,
    };

    const HERE: ServerKey = ServerKey(0);

    fn shown(server: ServerKey, view: RequestView) -> Asked {
        Asked {
            server,
            view: Arc::new(view),
        }
    }

    fn request(id: &str, state: RequestState) -> Asked {
        shown(HERE, asking(id, Ask::Questions(Vec::new()), state))
    }

    fn waiting(id: &str) -> Asked {
        request(id, RequestState::Waiting)
    }

    fn focus_on(id: &str) -> Hand {
        Hand {
            focused: Some(HERE.request(&id.into())),
            ..Hand::default()
        }
    }

    fn ids(names: &[&str]) -> Vec<RequestKey> {
        names.iter().map(|name| HERE.request(&(*name).into())).collect()
    }

    #[test]
    fn new_requests_come_at_the_end_even_if_they_are_older() {
        let requests = [waiting("older"), waiting("a"), waiting("b")];
        assert_eq!(
            next_rows(&ids(&["a", "b"]), &requests, &Hand::default(), Time(0)),
            ids(&["a", "b", "older"])
        );
    }

    #[test]
    fn in_any_other_order_new_requests_wait_to_be_shown() {
        let asked_at = |id: &str, at: u64| {
            let view = RequestView::clone(&waiting(id).view);
            let asked = Some(Time(at));
            shown(HERE, RequestView { asked, ..view })
        };
        let mut requests = vec![asked_at("a", 1), asked_at("b", 2)];
        let now = Time(9_000);
        let (shown, _) = Order::Newest.next(&[], &requests, &Hand::default(), now);
        assert_eq!(shown, ids(&["b", "a"]));
        requests.push(asked_at("c", 3));
        assert_eq!(Order::Newest.next(&shown, &requests, &Hand::default(), now), (shown, 1));
        assert_eq!(Order::Newest.sorted(&requests, now), ids(&["c", "b", "a"]));
        assert_eq!(
            Order::Oldest.next(&ids(&["b", "a"]), &requests, &Hand::default(), now),
            (ids(&["b", "a", "c"]), 0)
        );
    }

    #[test]
    fn an_answered_row_leaves_after_four_seconds_unless_it_is_held() {
        let requests = [request("a", ANSWERED), waiting("b")];
        let shown = ids(&["a", "b"]);
        let left_alone = Hand::default();
        assert_eq!(next_rows(&shown, &requests, &left_alone, Time(13_999)), shown);
        assert_eq!(next_rows(&shown, &requests, &left_alone, Time(14_000)), ids(&["b"]));
        assert_eq!(next_rows(&shown, &requests, &focus_on("a"), Time(99_000)), shown);
        assert_eq!(next_rows(&shown, &requests, &focus_on("b"), Time(99_000)), ids(&["b"]));
    }

    #[test]
    fn nothing_above_the_pointer_leaves() {
        let requests = [request("a", ANSWERED), waiting("b"), request("c", ANSWERED)];
        let shown = ids(&["a", "b", "c"]);
        let hand = Hand {
            pointed: Some(HERE.request(&"b".into())),
            focused: None,
        };
        assert_eq!(next_rows(&shown, &requests, &hand, Time(99_000)), ids(&["a", "b"]));
    }

    #[test]
    fn what_was_typed_for_a_dead_request_stays_in_sight() {
        let elsewhere = RequestState::AnsweredElsewhere {
            answer: ElsewhereAnswer::Unknown,
            at: Time(0),
        };
        let untouched = request("a", elsewhere.clone());
        let mut typed = RequestView::clone(&request("b", elsewhere).view);
        typed.reply = Some(switchboard_core::model::Reply::Dismiss);
        let requests = [untouched, shown(HERE, typed)];
        assert_eq!(
            next_rows(&ids(&["a", "b"]), &requests, &Hand::default(), Time(60_000)),
            ids(&["b"])
        );
    }

    #[test]
    fn the_focus_goes_on_below_and_then_above() {
        let requests = [waiting("a"), request("b", ANSWERED), waiting("c"), waiting("d")];
        let rows = ids(&["a", "b", "c", "d"]);
        let next = |requests: &[Asked], from: usize, sent: &[usize]| {
            let sent: Vec<_> = sent.iter().map(|at| requests[*at].view.request.clone()).collect();
            next_waiting(&rows, requests, &rows[from], &sent)
        };
        let key = |id: &str| Some(HERE.request(&id.into()));
        assert_eq!(next(&requests, 0, &[0]), key("c"));
        assert_eq!(next(&requests, 3, &[3]), key("c"));
        assert_eq!(next(&requests[..2], 0, &[0]), None);
        assert_eq!(
            next(&requests, 0, &[0, 2]),
            key("d"),
            "none of those that were answered with it"
        );
    }

    #[test]
    fn the_requests_of_two_servers_lie_together_by_when_they_were_asked() {
        let asked_at = |server: u32, id: &str, at: u64| {
            let view = RequestView::clone(&waiting(id).view);
            let asked = Some(Time(at));
            shown(ServerKey(server), RequestView { asked, ..view })
        };
        let requests = [asked_at(0, "a", 3), asked_at(0, "b", 4), asked_at(1, "a", 1)];
        let [there, here] = [ServerKey(1), HERE].map(|server| server.request(&"a".into()));
        let (rows, _) = Order::Oldest.next(&[], &requests, &Hand::default(), Time(9));
        assert_eq!(rows, [there.clone(), here.clone(), HERE.request(&"b".into())]);
        let sent = [requests[0].view.request.clone()];
        assert_eq!(
            next_waiting(&rows[..2], &requests, &here, &sent),
            Some(there),
            "what has the same id on another server was not sent"
        );
    }
}
