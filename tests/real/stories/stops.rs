//! Stops and deletions: what they leave behind.

use serde_json::json;
use switchboard_core::model::Reply;
use switchboard_tests::scripts::{bash, question, script};

use super::{asks, blue, check, check_race, first, says, sub_agent, until_stopped};
use crate::simulated::Simulated;
use crate::story::{Story, outcome_of};

#[test]
fn an_aborted_question_leaves_a_ghost_that_swallows_a_reply() {
    check("abort", |story| {
        let session = story.begin(&script(json!([{ "tools": [question("Which?")] }])));
        let request = first(story.until_listed(1));
        story.abort(&session);
        until_stopped(story);
        story.reply(&request, blue());
    });
}

#[test]
fn an_aborted_permission_leaves_a_ghost() {
    check("abort permission", |story| {
        let session = story.begin(&script(json!([{ "tools": [bash("echo hi")] }])));
        let request = first(story.until_listed(1));
        story.abort(&session);
        until_stopped(story);
        story.reply(&request, Reply::Once);
    });
}

#[test]
fn stopping_the_parent_stops_the_sub_agent() {
    let tell = |story: &mut Story<'_>| {
        story.overlook_words();
        let parent = story.begin(&sub_agent());
        story.until_listed(1);
        story.abort(&parent);
        story.until("the end", |seen| {
            let mut sessions = seen.sessions.iter();
            sessions.all(|session| {
                let last = session.messages.last();
                !session.is_running() && last.is_some_and(|last| last.completed.is_some())
            })
        });
    };
    check_race("sub-agent aborted", tell, &[|usual| usual, Simulated::outrun]);
}

#[test]
fn a_ghost_takes_one_reply_and_is_gone() {
    check("ghost dismissed", |story| {
        let session = story.begin(&asks("One?"));
        let ghost = first(story.until_listed(1));
        story.abort(&session);
        until_stopped(story);
        story.prompt(&session, &asks("Two?").to_prompt());
        story.until_listed(2);
        story.reply(&ghost, Reply::Dismiss);
        let again = story.try_reply(&ghost, blue());
        story.tell("a second reply", outcome_of(&again));
        let live = first(story.until_listed(1));
        story.reply(&live, blue());
        story.until_idle();
    });
}

#[test]
fn a_stop_is_taken_by_every_session() {
    check("stop of nothing", |story| {
        let session = story.begin(&says("Here I am."));
        story.until_idle();
        story.abort(&session);
        let never = "ses_e002ce275ffei25adQZpGQkXMC".into();
        story.abort(&never);
    });
}

#[test]
fn a_stop_while_text_streams_keeps_what_was_said() {
    check("stop of text", |story| {
        let slow = json!([{ "text": "Hello, this takes long.", "chunk": 5, "chunkDelay": 600_000 }]);
        let session = story.begin(&script(slow));
        story.until("the text", |seen| {
            seen.sessions[0].messages.iter().any(|message| message.parts.len() == 2)
        });
        story.abort(&session);
        until_stopped(story);
    });
}

#[test]
fn a_stop_drops_the_queue_and_the_next_prompt_takes_it_along() {
    check("stop of a queue", |story| {
        let session = story.begin(&asks("Which?"));
        story.until_listed(1);
        story.prompt(&session, "one more thing");
        story.prompt(&session, "and another");
        story.until("the queue", |seen| seen.sessions[0].messages.len() == 4);
        story.abort(&session);
        until_stopped(story);
        story.prompt(&session, &says("All of it.").to_prompt());
        story.until("the answer", |seen| {
            let messages = &seen.sessions[0].messages;
            messages.iter().any(|message| message.text() == "All of it.")
        });
        story.until_idle();
    });
}

/// Its id stays busy and its question listed. Answering the ghost may end the run, or let it try again and again to store a
/// step of a session that is not there: a stop ends it in any case.
#[test]
fn a_deleted_session_leaves_a_ghost_and_stays_busy() {
    check("deleted", |story| {
        let session = story.begin(&asks("Which?"));
        let ghost = first(story.until_listed(1));
        story.delete(&session);
        story.until("the deletion", |seen| seen.sessions[0].is_gone);
        let prompt = story.compose("Is anybody there?");
        let posted = story.send(&session, &prompt);
        story.tell("a prompt", outcome_of(&posted));
        story.reply(&ghost, blue());
        story.abort(&session);
        story.until("the end", |seen| !seen.sessions[0].is_running());
    });
}

#[test]
fn a_stop_frees_the_id_of_a_deleted_session() {
    check("delete stop", |story| {
        let session = story.begin(&asks("Which?"));
        story.until_listed(1);
        story.delete(&session);
        story.until("the deletion", |seen| seen.sessions[0].is_gone);
        story.abort(&session);
        story.until("the end", |seen| !seen.sessions[0].is_running());
    });
}

/// The answer to a stop comes when all is closed; a prompt that comes sooner does not wait for that.
#[test]
fn a_prompt_right_after_a_stop_begins_a_run() {
    check("stop and go", |story| {
        let session = story.begin(&asks("Which?"));
        story.until_listed(1);
        story.abort(&session);
        let seen = story.until("a look", |_| true);
        let messages = &seen.sessions[0].messages;
        story.tell(
            "closed when the stop is answered",
            messages[1].error.is_some().to_string(),
        );
        story.prompt(&session, &says("On we go.").to_prompt());
        story.until("the answer", |seen| {
            let messages = &seen.sessions[0].messages;
            messages.iter().any(|message| message.text() == "On we go.")
        });
        story.until_idle();
    });
}
