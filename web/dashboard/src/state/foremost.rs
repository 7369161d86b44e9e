//! Which request of a session is the open one, the only one that keys act on.

use switchboard_core::SortedMap;

use crate::state::keys::{Asked, RequestKey, SessionKey};

/// How much of a card is in sight, in percent of what its pane can show of it at once.
pub type Shares = SortedMap<RequestKey, u8>;

/// From this share on a card counts as being in sight.
pub const IN_SIGHT: u8 = 50;

/// Whether the timeline of a session shows this request: it is its own, or one of its descendants asks.
#[must_use]
pub fn is_shown_in(asked: &Asked, session: &SessionKey) -> bool {
    asked.server == session.server && asked.view.is_from(&session.id)
}

/// The open one of the requests that a timeline shows.
///
/// What a person has chosen stays open while it is in sight, and so does what was open `before`. Else it is the one
/// that waits and is most in sight; when none is, what was chosen, or the first that waits.
#[must_use]
pub fn foremost(
    shown: &[&Asked],
    shares: &Shares,
    chosen: Option<&RequestKey>,
    before: Option<&RequestKey>,
) -> Option<RequestKey> {
    let is_shown = |key: &&RequestKey| shown.iter().any(|asked| asked.is(key));
    let waiting = || shown.iter().filter(|asked| asked.view.state.is_waiting());
    let waits = |key: &&RequestKey| waiting().any(|asked| asked.is(key));
    let share = |key: &RequestKey| shares.get(key).copied().unwrap_or(0);
    let chosen = chosen.filter(is_shown);
    let before = before.filter(waits);
    let stays = [chosen, before].into_iter().flatten().find(|id| share(id) >= IN_SIGHT);
    let most = || {
        let visible = waiting().map(|asked| asked.key()).filter(|key| share(key) > 0);
        // `max_by_key` returns the last of equals: the first one is wanted.
        visible.rev().max_by_key(share)
    };
    let first = || waiting().next().map(|asked| asked.key());
    let chosen_before = || chosen.or(before).cloned();
    stays.cloned().or_else(most).or_else(chosen_before).or_else(first)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use switchboard_core::Time;
    use switchboard_core::model::Ask;
    use switchboard_core::view::{RequestState, RequestView};

    use super::*;
    use crate::fixtures::asking;
    use crate::state::keys::ServerKey;

    const HERE: ServerKey = ServerKey(0);

    fn request(id: &str, state: RequestState) -> Asked {
        Asked {
            server: HERE,
            view: Arc::new(asking(id, Ask::Questions(Vec::new()), state)),
        }
    }

    fn key(id: &str) -> RequestKey {
        HERE.request(&id.into())
    }

    fn pick(shares: [u8; 2], chosen: Option<&str>, before: Option<&str>) -> Option<String> {
        let requests = [request("a", RequestState::Waiting), request("b", RequestState::Waiting)];
        let shown: Vec<_> = requests.iter().collect();
        let shares = Shares::from([(key("a"), shares[0]), (key("b"), shares[1])]);
        let [chosen, before] = [chosen, before].map(|id| id.map(key));
        foremost(&shown, &shares, chosen.as_ref(), before.as_ref()).map(|key| key.id.to_string())
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
        let shares = Shares::from([(key("gone"), 100)]);
        let id = key("gone");
        assert_eq!(foremost(&[&gone], &shares, None, Some(&id)), None);
        assert_eq!(foremost(&[&gone], &shares, Some(&id), None), Some(id));
    }

    #[test]
    fn a_timeline_shows_its_own_requests_and_those_of_its_descendants() {
        let child = {
            let mut view = RequestView::clone(&request("c", RequestState::Waiting).view);
            view.origin = ["ses_0", "ses_1"]
                .map(|id| switchboard_core::view::SessionRef {
                    id: id.into(),
                    title: String::new(),
                })
                .to_vec();
            Asked {
                server: HERE,
                view: Arc::new(view),
            }
        };
        let is_shown = |server, session: &str| {
            let id = session.into();
            is_shown_in(&child, &SessionKey { server, id })
        };
        let sessions = ["ses_0", "ses_1", "ses_2"];
        assert_eq!(sessions.map(|session| is_shown(HERE, session)), [true, true, false]);
        assert!(
            !is_shown(ServerKey(1), "ses_1"),
            "another server has sessions of the same id"
        );
    }
}
