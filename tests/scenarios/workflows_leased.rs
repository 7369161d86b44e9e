//! Where the browser has no Web Locks: each tab leads for itself, and the right to take the steps of a workflow is a lease,
//! which another tab may take while the holder stands still.

use std::collections::BTreeMap;
use std::time::Duration;

use switchboard_core::model::{Role, SessionId};
use switchboard_core::workflow::{End, Goal, Workflows};
use switchboard_tests::store::StoreHealth;
use switchboard_tests::tab::Tab;
use switchboard_tests::world::World;

use crate::desk::{Desk, LATER, SOON};
use crate::workflows::{commands, desk, end_of, review, reviewer, told, until_ended_or_asked, until_passes};

/// Opens a second tab that leads for itself, and follows the same workflows.
fn tab_of_its_own(desk: &mut Desk) -> (Tab, Workflows) {
    let second = desk.world.open_tab(&desk.device);
    second.handle.set_leading(true);
    let workflows = second.workflows();
    (second, workflows)
}

/// The first tab stands still after so many writes, and its leases lapse; a second one goes on, for so long alone. Returns none
/// when there are not so many writes.
pub(crate) fn taken_over(goal: Goal, commits: u32, alone: Duration) -> Option<(Desk, SessionId, End)> {
    let (mut desk, session, workflows) = desk();
    desk.world.set_deaf(true);
    desk.tab.commits_to_freeze.set(Some(commits));
    workflows.start(&session, goal).expect("the session is known");
    desk.world.run_until("it stands still, or has ended", LATER, |world| {
        world.is_frozen(&desk.tab) || end_of(&workflows.list()).is_some()
    });
    if !desk.world.is_frozen(&desk.tab) {
        return None;
    }
    desk.device.lapse_claims();
    let (_second, followed) = tab_of_its_own(&mut desk);
    desk.world.run_for(alone);
    desk.world.thaw_tab(&desk.tab);
    let (end, _) = until_ended_or_asked(&mut desk, &followed);
    desk.world.run_until("the first tab shows the end, too", LATER, |_| {
        end_of(&workflows.list()).as_ref() == Some(&end)
    });
    desk.world.run_for(SOON);
    Some((desk, session, end))
}

/// For how long the second tab goes on alone.
const ALONE: [u64; 5] = [0, 400, 1_500, 4_000, 60_000];

/// R13, F5, F7
#[test]
fn a_tab_that_stood_still_and_has_lost_its_lease_sends_no_check_and_no_failure_twice() {
    let mut most = 0;
    for (commits, alone) in (1..).flat_map(|commits| ALONE.map(|alone| (commits, alone))) {
        let goal = until_passes("each 1:red 2:pink 0:green");
        let Some((desk, session, end)) = taken_over(goal, commits, Duration::from_millis(alone)) else {
            break;
        };
        let what = format!("write {commits}, {alone} ms: {}", desk.world.story());
        assert_eq!(end, End::Passed, "{what}");
        assert_eq!(told(&desk, &session).len(), 2, "each failure is told once, {what}");
        assert_eq!(commands(&desk.world), 3, "each check runs once, {what}");
        most = commits;
    }
    assert!(most > 10, "{most}");
}

/// How often each reviewer was asked.
pub(crate) fn asked(world: &World) -> BTreeMap<String, usize> {
    let mut asked = BTreeMap::new();
    for session in world.server.sessions() {
        for message in world.server.messages(&session) {
            let text = message.text();
            if message.role == Role::User && text.contains("You are the reviewer") {
                let name = text.lines().next().unwrap_or_default().to_owned();
                *asked.entry(name).or_default() += 1;
            }
        }
    }
    asked
}

/// R13, F5, C8
#[test]
fn a_tab_that_stood_still_and_has_lost_its_lease_asks_no_reviewer_twice() {
    let mut most = 0;
    for (commits, alone) in (1..).flat_map(|commits| ALONE.map(|alone| (commits, alone))) {
        let goal = review(
            vec![reviewer("fast", "v: GO", 100), reviewer("slow", "v: GO", 3_000)],
            false,
        );
        let Some((desk, _, end)) = taken_over(goal, commits, Duration::from_millis(alone)) else {
            break;
        };
        let what = format!("write {commits}, {alone} ms: {}", desk.world.story());
        assert_eq!(end, End::Passed, "{what}");
        let asked = asked(&desk.world);
        assert!(
            asked.len() == 2 && asked.values().all(|times| *times == 1),
            "{asked:?}, {what}"
        );
        most = commits;
    }
    assert!(most > 5, "{most}");
}

/// R13, F5: the store is busy after the page was loaded again, and takes longer for a commit than a send waits for it
#[test]
fn what_was_sent_before_a_reload_is_not_sent_again_while_the_store_is_slow() {
    for after in (500..9_000).step_by(211) {
        let (mut desk, session, workflows) = desk();
        let mut goal = until_passes("each 1:red 2:pink 0:green 0:green");
        goal.review = review(vec![reviewer("one", "v: GO", 0)], false).review;
        workflows.start(&session, goal).expect("the session is known");
        desk.world.run_for(Duration::from_millis(after));
        drop(workflows);
        desk.reload();
        desk.device.set_health(StoreHealth::Slow(Duration::from_secs(5)));
        let workflows = desk.tab.workflows();
        let (end, _) = until_ended_or_asked(&mut desk, &workflows);
        desk.world.run_for(SOON);
        let what = format!("after {after} ms: {}", desk.world.story());
        assert_eq!(end, End::Passed, "{what}");
        assert_eq!(told(&desk, &session).len(), 2, "each failure is told once, {what}");
        assert_eq!(asked(&desk.world).into_values().collect::<Vec<_>>(), [1], "{what}");
    }
}
