//! Which request of a session is the open one, the only one that keys act on.

use std::sync::Arc;

use switchboard_core::SortedMap;
use switchboard_core::model::{RequestId, SessionId};
use switchboard_core::view::RequestView;

/// How much of a card is in sight, in percent of what its pane can show of it at once.
pub type Shares = SortedMap<RequestId, u8>;

/// From this share on a card counts as being in sight.
pub const IN_SIGHT: u8 = 50;

/// Whether the timeline of a session shows this request: it is its own, or one of its descendants asks.
#[must_use]
pub fn is_shown_in(view: &RequestView, session: &SessionId) -> bool {
    view.request.session == *session || view.origin.iter().any(|ancestor| ancestor.id == *session)
}

/// The open one of the requests that a timeline shows.
///
/// What a person has chosen stays open while it is in sight, and so does what was open `before`. Else it is the one
/// that waits and is most in sight; when none is, what was chosen, or the first that waits.
#[must_use]
pub fn foremost(
    shown: &[&Arc<RequestView>],
    shares: &Shares,
    chosen: Option<&RequestId>,
    before: Option<&RequestId>,
) -> Option<RequestId> {
    let is_shown = |id: &&RequestId| shown.iter().any(|view| view.request.id == **id);
    let waiting = || shown.iter().filter(|view| view.state.is_waiting());
    let waits = |id: &&RequestId| waiting().any(|view| view.request.id == **id);
    let share = |id: &RequestId| shares.get(id).copied().unwrap_or(0);
    let chosen = chosen.filter(is_shown);
    let before = before.filter(waits);
    let stays = [chosen, before].into_iter().flatten().find(|id| share(id) >= IN_SIGHT);
    let most = || {
        let visible = waiting().filter(|view| share(&view.request.id) > 0);
        // `max_by_key` returns the last of equals: the first one is wanted.
        visible
            .rev()
            .max_by_key(|view| share(&view.request.id))
            .map(|view| &view.request.id)
    };
    let first = || waiting().next().map(|view| &view.request.id);
    stays.or_else(most).or(chosen).or(before).or_else(first).cloned()
}

#[cfg(test)]
mod tests {
    use switchboard_core::Time;
    use switchboard_core::model::Ask;
    use switchboard_core::view::RequestState;

    use super::*;
    use crate::fixtures::asking;

    fn request(id: &str, state: RequestState) -> Arc<RequestView> {
        Arc::new(asking(id, Ask::Questions(Vec::new()), state))
    }

    fn pick(shares: [u8; 2], chosen: Option<&str>, before: Option<&str>) -> Option<String> {
        let requests = [request("a", RequestState::Waiting), request("b", RequestState::Waiting)];
        let shown: Vec<_> = requests.iter().collect();
        let shares = Shares::from([("a".into(), shares[0]), ("b".into(), shares[1])]);
        let [chosen, before] = [chosen, before].map(|id| id.map(RequestId::from));
        foremost(&shown, &shares, chosen.as_ref(), before.as_ref()).map(|id| id.to_string())
    }

    #[test]
    fn the_open_request_is_in_sight_when_one_is() {
        for (shares, chosen, before, open) in [
            ([100, 0], None, None, "a"),
            ([20, 100], None, Some("a"), "b"),
            ([100, 100], None, None, "a"),
            ([60, 100], None, Some("a"), "a"),
            ([100, 60], Some("b"), Some("a"), "b"),
            ([100, 20], Some("b"), Some("b"), "a"),
            ([0, 0], None, None, "a"),
            ([0, 0], Some("b"), Some("a"), "b"),
        ] {
            let found = pick(shares, chosen, before);
            assert_eq!(found.as_deref(), Some(open), "{shares:?} {chosen:?} {before:?}");
        }
    }

    #[test]
    fn what_does_not_wait_is_open_only_when_it_was_chosen() {
        let gone = request(
            "gone",
            RequestState::Dismissed {
                by_us: false,
                at: Time(0),
            },
        );
        let shares = Shares::from([("gone".into(), 100)]);
        let id = RequestId::from("gone");
        assert_eq!(foremost(&[&gone], &shares, None, Some(&id)), None);
        assert_eq!(foremost(&[&gone], &shares, Some(&id), None), Some(id));
    }

    #[test]
    fn a_timeline_shows_its_own_requests_and_those_of_its_descendants() {
        let child = {
            let mut view = (*request("c", RequestState::Waiting)).clone();
            view.origin = ["ses_0", "ses_1"]
                .map(|id| switchboard_core::view::SessionRef {
                    id: id.into(),
                    title: String::new(),
                })
                .to_vec();
            view
        };
        let sessions = ["ses_0", "ses_1", "ses_2"];
        assert_eq!(
            sessions.map(|session| is_shown_in(&child, &session.into())),
            [true, true, false]
        );
    }
}
