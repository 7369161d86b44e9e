//! What must be true when everything has calmed down, whatever happened before.

use std::time::Duration;

use switchboard_core::completion::TurnState;
use switchboard_core::ledger::Sent;
use switchboard_core::model::{Reply, Request, Role, ToolStatus};
use switchboard_core::view::{PromptState, RequestState};
use switchboard_tests::opencode::{Client, Event, Reached};
use switchboard_tests::tab::Tab;

use crate::history::History;

/// Longer than a first attempt takes, with the store and the network at their slowest.
const LATER: Duration = Duration::from_secs(20);

/// Checks all of them.
pub(crate) fn check(history: &History) {
    for (_, tab) in &history.tabs {
        nothing_is_on_its_way(history, tab);
        what_waits_is_shown(history, tab);
        what_is_shown_waits(history, tab);
        answered_means_that_the_agent_has_it(history, tab);
        sessions_stand_as_the_server_says(history, tab);
    }
    each_prompt_is_there_once(history);
    no_ghost_was_replied_to_later(history);
    what_was_said_is_not_lost(history);
}

fn is_live(history: &History, request: &Request) -> bool {
    let Some(tool) = &request.tool else { return true };
    let messages = history.world.server.messages(&request.session);
    let message = messages.iter().find(|message| message.id == tool.message);
    message
        .and_then(|message| message.tool(&tool.call))
        .is_some_and(|tool| tool.status == ToolStatus::Running)
}

/// R4: each send has ended, or a person has been told.
fn nothing_is_on_its_way(history: &History, tab: &Tab) {
    for shown in &tab.view().requests {
        assert!(
            !shown.state.is_on_its_way(),
            "still on its way: {shown:?}\n{}",
            history.world.story()
        );
    }
    for prompt in &tab.view().prompts {
        let is_over = matches!(prompt.state, PromptState::Stored { .. } | PromptState::NotSent { .. });
        assert!(is_over, "still on its way: {prompt:?}\n{}", history.world.story());
    }
}

/// R2: no question is missed.
fn what_waits_is_shown(history: &History, tab: &Tab) {
    for request in history
        .world
        .server
        .listed()
        .iter()
        .filter(|request| is_live(history, request))
    {
        let state = tab.state(&request.id);
        let waits = state.as_ref().is_some_and(RequestState::is_waiting);
        assert!(waits, "{} is {state:?}\n{}", request.id, history.world.story());
    }
}

/// R2, R12, R14: no ghost, no orphan.
fn what_is_shown_waits(history: &History, tab: &Tab) {
    let listed = history.world.server.listed();
    for shown in tab.waiting() {
        let is_there = listed.iter().any(|request| request.id == shown.request.id) && is_live(history, &shown.request);
        assert!(is_there, "ghost: {shown:?}\n{}", history.world.story());
    }
}

/// R4: never "answered" before the tool part shows it.
fn answered_means_that_the_agent_has_it(history: &History, tab: &Tab) {
    for shown in &tab.view().requests {
        if matches!(shown.state, RequestState::Answered { .. }) {
            let deliveries = history.world.server.deliveries(&shown.request.id);
            assert_eq!(deliveries, 1, "ghost: {shown:?}\n{}", history.world.story());
        }
    }
}

/// C6: a session that runs is not called ended, one that is idle is not called running. A prompt that nobody picked up
/// takes longer to tell: it needs two looks, and an idle directory is looked at once a minute.
fn sessions_stand_as_the_server_says(history: &History, tab: &Tab) {
    for session in &history.sessions {
        let messages = history.world.server.messages(session);
        if messages.last().is_none_or(|last| last.role == Role::User) {
            continue;
        }
        let runs = history.world.server.status(session).is_some();
        let state = tab.session(session);
        let is_ended = matches!(state, Some(TurnState::Ended { .. }));
        assert!(
            runs != is_ended,
            "running {runs}: {session} is {state:?}\n{}",
            history.world.story()
        );
    }
}

/// F5: never twice, and never lost once it is in the ledger.
fn each_prompt_is_there_once(history: &History) {
    for (session, text) in &history.prompted {
        let messages = history.world.server.messages(session);
        let times = messages.iter().filter(|message| message.text() == *text).count();
        let is_saved = history
            .tabs
            .iter()
            .flat_map(|(device, _)| device.entries())
            .any(|entry| matches!(&entry.sent, Sent::Prompt { prompt, .. } if prompt.text == *text));
        assert!(
            times == 1 || !is_saved,
            "{text} is there {times} times\n{}",
            history.world.story()
        );
    }
}

/// R12: whoever presses Send on a page that is a moment old may hit a ghost. Nothing is sent to one after that.
fn no_ghost_was_replied_to_later(history: &History) {
    for happening in history.world.server.history() {
        let Event::Replied {
            request,
            to: Reached::Ghost,
            by: Client::Tab(tab),
            ..
        } = &happening.event
        else {
            continue;
        };
        let pressed = history.said.get(request).map(|(_, _, at)| *at);
        let later = pressed.map_or(LATER, |pressed| happening.at.since(pressed));
        assert!(
            later < LATER,
            "tab {tab} replied to the ghost {request}\n{}",
            history.world.story()
        );
    }
}

/// The promise: an answer to a question is with the agent, or still with its person.
fn what_was_said_is_not_lost(history: &History) {
    for (request, reply, _) in history.said.values() {
        let Reply::Answers(answers) = reply else { continue };
        let messages = history.world.server.messages(&request.session);
        let mut tools = messages.iter().flat_map(|message| message.tools());
        let arrived = tools.any(|(_, tool)| tool.answers.as_ref() == Some(answers));
        let entries: Vec<_> = history.tabs.iter().flat_map(|(device, _)| device.entries()).collect();
        let replies = entries.iter().filter_map(|entry| match &entry.sent {
            Sent::Reply { request: to, reply } if to.id == request.id => Some(reply),
            Sent::Reply { .. } | Sent::Prompt { .. } => None,
        });
        let kept: Vec<&Reply> = replies.collect();
        // A tab that dies before its answer is saved takes it along; what was typed is still a draft.
        let is_safe = arrived || kept.is_empty() || kept.contains(&reply);
        assert!(is_safe, "lost: {reply:?} to {}\n{}", request.id, history.world.story());
    }
}
