//! Prompts: when they are stored, and when they are swallowed.

use serde_json::json;
use switchboard_core::Time;
use switchboard_core::model::{ModelRef, Prompt, Reply, Role, SessionId};
use switchboard_core::ports::Posted;
use switchboard_tests::scripts::{question, script};

use super::{asks, blue, check, first, says, until_answered};
use crate::story::outcome_of;

#[test]
fn a_prompt_behind_a_question_waits_and_does_not_answer_it() {
    check("queued prompt", |story| {
        let session = story.begin(&script(json!([{ "tools": [question("Which?")] }, { "text": "Done." }])));
        let request = first(story.until_listed(1));
        story.prompt(&session, "and another thing");
        story.until("the prompt", |seen| seen.sessions[0].messages.len() == 3);
        story.reply(&request, blue());
        story.until_idle();
    });
}

#[test]
fn a_prompt_behind_a_dismissed_question() {
    check("queued behind dismissed", |story| {
        let session = story.begin(&script(json!([{ "tools": [question("Which?")] }, { "text": "Done." }])));
        let request = first(story.until_listed(1));
        story.prompt(&session, "and another thing");
        story.until("the prompt", |seen| seen.sessions[0].messages.len() == 3);
        story.reply(&request, Reply::Dismiss);
        story.until_idle();
    });
}

/// F5
#[test]
fn a_prompt_sent_again_under_its_own_ids_is_one_message() {
    check("sent again", |story| {
        let session = story.create();
        let prompt = story.prompt(&session, &asks("Which?").to_prompt());
        assert_eq!(story.send(&session, &prompt), Posted::Accepted);
        let request = first(story.until_listed(1));
        assert_eq!(story.send(&session, &prompt), Posted::Accepted);
        story.reply(&request, blue());
        story.until_idle();
        assert_eq!(story.send(&session, &prompt), Posted::Accepted);
    });
}

/// Unless it is the last one, and was answered to the end.
#[test]
fn a_prompt_sent_again_too_late_is_answered_again() {
    check("too late", |story| {
        let session = story.create();
        let one = story.prompt(&session, &says("One.").to_prompt());
        story.until_idle();
        let steps = json!([{ "tools": [question("Which?")] }, { "text": "Two." }, { "text": "Three." }]);
        let two = story.prompt(&session, &script(steps).to_prompt());
        let request = first(story.until_listed(1));
        story.reply(&request, Reply::Dismiss);
        story.until_idle();
        for (prompt, count) in [(two.clone(), 5), (two, 5), (one, 6)] {
            assert_eq!(story.send(&session, &prompt), Posted::Accepted);
            story.until("the answer", |seen| {
                let session = &seen.sessions[0];
                session.messages.len() == count
                    && session
                        .messages
                        .iter()
                        .skip(1)
                        .all(|message| message.role == Role::User || message.completed.is_some())
            });
            story.until_idle();
        }
    });
}

#[test]
fn other_words_under_ids_that_are_known_are_shown_and_never_answered() {
    check("other words", |story| {
        let session = story.create();
        let prompt = story.prompt(&session, &says("Here I am.").to_prompt());
        story.until_idle();
        let other = Prompt {
            text: "other words".to_owned(),
            ..prompt
        };
        assert_eq!(story.send(&session, &other), Posted::Accepted);
    });
}

/// Ids of messages are one space for all sessions.
#[test]
fn an_id_that_another_session_has_is_no_new_message() {
    check("stolen id", |story| {
        let (one, other) = (story.create(), story.create());
        let prompt = story.prompt(&one, &says("Here I am.").to_prompt());
        until_answered(story);
        assert_eq!(story.send(&other, &prompt), Posted::Accepted);
    });
}

/// The clock of a client may be wrong: the order is that of the server.
#[test]
fn ids_of_another_time_keep_the_order_of_arrival() {
    const DAY: u64 = 24 * 60 * 60 * 1_000;
    check("wrong clock", |story| {
        let session = story.create();
        let now = story.now().0;
        let times = [now, now + 2 * DAY, now - 2 * DAY, now - 400 * DAY];
        for (number, time) in times.into_iter().enumerate() {
            let text = format!("Answer {number}.");
            let prompt = story.compose_at(Time(time), &says(&text).to_prompt());
            assert_eq!(story.send(&session, &prompt), Posted::Accepted);
            story.until(&text, |seen| {
                let mut messages = seen.sessions[0].messages.iter();
                messages.any(|message| message.text() == text) && !seen.sessions[0].is_running()
            });
        }
    });
}

/// A yes proves nothing.
#[test]
fn a_prompt_for_an_agent_that_does_not_exist_is_lost() {
    check("no such agent", |story| {
        let session = story.create();
        let prompt = Prompt {
            agent: Some("nobody".to_owned()),
            ..story.compose("Is anybody there?")
        };
        let posted = story.send(&session, &prompt);
        story.tell("the prompt", outcome_of(&posted));
    });
}

#[test]
fn a_prompt_for_a_model_that_does_not_exist_is_never_answered() {
    check("model unknown", |story| {
        let session = story.create();
        let prompt = Prompt {
            model: Some(ModelRef {
                provider: "stub".to_owned(),
                model: "nothing".to_owned(),
            }),
            ..story.compose("Is anybody there?")
        };
        let posted = story.send(&session, &prompt);
        story.tell("the prompt", outcome_of(&posted));
        story.until("the prompt", |seen| seen.sessions[0].messages.len() == 1);
    });
}

#[test]
fn an_agent_is_named_for_one_prompt_only() {
    check("plan agent", |story| {
        let session = story.create();
        let prompt = Prompt {
            agent: Some("plan".to_owned()),
            ..story.compose(&says("Planned.").to_prompt())
        };
        assert_eq!(story.send(&session, &prompt), Posted::Accepted);
        story.until_idle();
        story.prompt(&session, &says("Again.").to_prompt());
        story.until("the second answer", |seen| seen.sessions[0].messages.len() == 4);
        story.until_idle();
    });
}

#[test]
fn prompts_for_sessions_that_do_not_exist() {
    check("nowhere", |story| {
        let prompt = story.compose("Is anybody there?");
        for id in ["ses_e002ce275ffei25adQZpGQkXMC", "nonsense"] {
            let posted = story.send(&SessionId::from(id), &prompt);
            story.tell(id, outcome_of(&posted));
        }
    });
}

#[test]
fn queued_prompts_are_answered_together() {
    check("queue of two", |story| {
        let session = story.begin(&script(json!([{ "tools": [question("Which?")] }, { "text": "Done." }])));
        let request = first(story.until_listed(1));
        story.prompt(&session, "one more thing");
        story.until("the first", |seen| seen.sessions[0].messages.len() == 3);
        story.prompt(&session, &says("To both.").to_prompt());
        story.until("the second", |seen| seen.sessions[0].messages.len() == 4);
        story.reply(&request, blue());
        story.until_idle();
    });
}
