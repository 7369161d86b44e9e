//! The stories. Each is played with the real server and with the simulated one.

use std::sync::{Mutex, OnceLock, PoisonError};

use serde_json::json;
use switchboard_core::model::{Message, Reply, Request};
use switchboard_core::runtime::Posted;
use switchboard_tests::opencode::script::Script;
use switchboard_tests::scripts::{bash, bash_outside, delegates, question, script};

use crate::process::Real;
use crate::simulated::Simulated;
use crate::story::Story;
use crate::subject::Subject;

/// Plays a story with both, and compares what was seen.
fn check(name: &'static str, tell: impl Fn(&mut Story<'_>)) {
    check_race(name, tell, &[|usual| usual]);
}

/// The same for a story that the real server ends now in one way, now in another: one of the simulated ends is its own.
fn check_race(name: &'static str, tell: impl Fn(&mut Story<'_>), ends: &[fn(Simulated) -> Simulated]) {
    static REAL: OnceLock<Mutex<Real>> = OnceLock::new();
    let real = REAL.get_or_init(|| Mutex::new(Real::start()));
    let mut real = real.lock().unwrap_or_else(PoisonError::into_inner);
    let play = |subject: &mut dyn Subject| {
        let mut story = Story::new(name, subject);
        tell(&mut story);
        story.end()
    };
    let expected = play(&mut *real);
    let directory = real.directory();
    let found: Vec<String> = ends
        .iter()
        .map(|end| play(&mut end(Simulated::new(directory.clone()))))
        .collect();
    let differences: String = found.iter().map(|found| difference(&expected, found)).collect();
    assert!(found.contains(&expected), "{name}\n{differences}");
}

fn difference(real: &str, simulated: &str) -> String {
    let only = |sign: char, these: &str, those: &str| {
        let lines = these.lines().filter(|line| !those.lines().any(|other| other == *line));
        lines.map(|line| format!("{sign} {line}\n")).collect::<String>()
    };
    format!(
        "- real, + simulated\n{}{}",
        only('-', real, simulated),
        only('+', simulated, real)
    )
}

fn blue() -> Reply {
    Reply::Answers(vec![vec!["Blue".to_owned()]])
}

fn first(mut requests: Vec<Request>) -> Request {
    requests.remove(0)
}

#[test]
fn an_answered_question_completes_its_part() {
    check("question", |story| {
        story.begin(&script(
            json!([{ "text": "I ask.", "tools": [question("Which?")] }, { "text": "Thank you." }]),
        ));
        let request = first(story.until_listed(1));
        story.reply(&request, blue());
        story.until_idle();
        let again = story.try_reply(&request, blue());
        assert!(matches!(again, Posted::NotFound(_)), "{again:?}");
    });
}

#[test]
fn a_dismissed_question_ends_the_run() {
    check("dismissed", |story| {
        story.begin(&script(
            json!([{ "tools": [question("Which?")] }, { "text": "Never said." }]),
        ));
        let request = first(story.until_listed(1));
        story.reply(&request, Reply::Dismiss);
        story.until_idle();
    });
}

#[test]
fn a_nested_question_comes_with_a_message_of_its_own() {
    check("nested", |story| {
        story.begin(&script(
            json!([{ "tools": [question("One?")] }, { "tools": [question("Two?")] }, { "text": "Done." }]),
        ));
        for text in ["One?", "Two?"] {
            let is_it = |request: &Request| request.questions()[0].text == text;
            let seen = story.until(text, |seen| seen.requests.iter().any(is_it));
            story.reply(&first(seen.requests), blue());
        }
        story.until_idle();
    });
}

#[test]
fn parallel_questions_are_answered_in_any_order() {
    check("parallel", |story| {
        story.begin(&script(
            json!([{ "tools": [question("One?"), question("Two?")] }, { "text": "Done." }]),
        ));
        let requests = story.until_listed(2);
        story.reply(&requests[1], blue());
        story.until_listed(1);
        story.reply(&requests[0], blue());
        story.until_idle();
    });
}

#[test]
fn dismissing_one_of_two_questions_leaves_the_other() {
    check("parallel dismissed", |story| {
        story.begin(&script(
            json!([{ "tools": [question("One?"), question("Two?")] }, { "text": "Never said." }]),
        ));
        let requests = story.until_listed(2);
        story.reply(&requests[0], Reply::Dismiss);
        story.until_listed(1);
        story.reply(&requests[1], blue());
        story.until_idle();
    });
}

#[test]
fn an_aborted_question_leaves_a_ghost_that_swallows_a_reply() {
    check("abort", |story| {
        let session = story.begin(&script(json!([{ "tools": [question("Which?")] }])));
        let request = first(story.until_listed(1));
        story.abort(&session);
        story.until("the error", |seen| {
            let messages = &seen.sessions[0].messages;
            messages.last().is_some_and(|last| last.error.is_some())
        });
        story.reply(&request, blue());
    });
}

#[test]
fn an_aborted_permission_leaves_a_ghost() {
    check("abort permission", |story| {
        let session = story.begin(&script(json!([{ "tools": [bash("echo hi")] }])));
        let request = first(story.until_listed(1));
        story.abort(&session);
        story.until("the error", |seen| {
            let messages = &seen.sessions[0].messages;
            messages.last().is_some_and(|last| last.error.is_some())
        });
        story.reply(&request, Reply::Once);
    });
}

#[test]
fn a_restart_orphans_a_question() {
    check("restart", |story| {
        story.begin(&script(json!([{ "tools": [question("Which?")] }])));
        let request = first(story.until_listed(1));
        story.restart();
        let late = story.try_reply(&request, blue());
        assert!(matches!(late, Posted::NotFound(_)), "{late:?}");
    });
}

#[test]
fn an_orphan_stays_one_when_its_session_goes_on() {
    check("restart and go on", |story| {
        let session = story.begin(&script(json!([{ "tools": [question("Which?")] }])));
        story.until_listed(1);
        story.restart();
        story.prompt(&session, &script(json!([{ "text": "Another run." }])).to_prompt());
        story.until("the other run", |seen| {
            let messages = &seen.sessions[0].messages;
            messages.last().is_some_and(|last| last.text() == "Another run.")
        });
        story.until_idle();
    });
}

#[test]
fn the_first_of_two_clients_wins() {
    check("two clients", |story| {
        story.begin(&script(json!([{ "tools": [question("Which?")] }, { "text": "Done." }])));
        let request = first(story.until_listed(1));
        story.reply(&request, blue());
        let second = story.try_reply(&request, Reply::Answers(vec![vec!["Red".to_owned()]]));
        assert!(matches!(second, Posted::NotFound(_)), "{second:?}");
        story.until_idle();
    });
}

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

#[test]
fn a_permission_is_given_once() {
    check("permission once", |story| {
        story.begin(&script(
            json!([{ "tools": [bash("echo hi")] }, { "tools": [bash("echo hi")] }, { "text": "Done." }]),
        ));
        for step in 1..=2 {
            let is_it = |seen: &[Message]| seen.iter().flat_map(Message::tools).count() == step;
            let seen = story.until("a permission", |seen| {
                seen.requests.len() == 1 && is_it(&seen.sessions[0].messages)
            });
            story.reply(&first(seen.requests), Reply::Once);
        }
        story.until_idle();
    });
}

#[test]
fn a_rejected_permission_ends_the_run() {
    check("permission rejected", |story| {
        story.begin(&script(
            json!([{ "tools": [bash("echo one"), bash("ls")] }, { "text": "Never said." }]),
        ));
        let requests = story.until_listed(2);
        story.reply(&requests[0], Reply::Reject { message: None });
        story.until_idle();
    });
}

#[test]
fn a_permission_rejected_with_a_message_lets_the_run_go_on() {
    check("rejected with message", |story| {
        story.begin(&script(
            json!([{ "tools": [bash("echo one")] }, { "text": "Understood." }]),
        ));
        let request = first(story.until_listed(1));
        story.reply(
            &request,
            Reply::Reject {
                message: Some("use printf instead".to_owned()),
            },
        );
        story.until_idle();
    });
}

#[test]
fn a_message_with_a_rejection_is_in_vain_when_others_wait() {
    check("rejected among others", |story| {
        story.begin(&script(
            json!([{ "tools": [bash("echo one"), bash("ls")] }, { "text": "Never said." }]),
        ));
        let requests = story.until_listed(2);
        story.reply(
            &requests[0],
            Reply::Reject {
                message: Some("use printf instead".to_owned()),
            },
        );
        story.until_idle();
    });
}

#[test]
fn one_call_asks_for_two_permissions() {
    check("two permissions", |story| {
        story.begin(&script(
            json!([{ "tools": [bash_outside("ls -d /usr/share")] }, { "text": "Done." }]),
        ));
        for kind in ["external_directory", "bash"] {
            let is_it = |request: &Request| request.permission().is_some_and(|permission| permission.kind == kind);
            let seen = story.until(kind, |seen| seen.requests.iter().any(is_it));
            story.reply(&first(seen.requests), Reply::Once);
        }
        story.until_idle();
    });
}

#[test]
fn a_sub_agent_asks_in_a_session_of_its_own() {
    check("sub-agent", |story| {
        story.begin(&sub_agent());
        let request = first(story.until_listed(1));
        story.reply(&request, blue());
        story.until_idle();
    });
}

#[test]
fn a_dismissed_question_of_a_sub_agent_fails_the_task_and_the_parent_goes_on() {
    check("sub-agent dismissed", |story| {
        story.begin(&sub_agent());
        let request = first(story.until_listed(1));
        story.reply(&request, Reply::Dismiss);
        story.until_idle();
    });
}

#[test]
fn stopping_the_parent_stops_the_sub_agent() {
    let tell = |story: &mut Story<'_>| {
        let parent = story.begin(&sub_agent());
        story.until_listed(1);
        story.abort(&parent);
        story.until("the end", |seen| {
            let mut sessions = seen.sessions.iter();
            sessions.all(|session| {
                let last = session.messages.last();
                !session.is_running && last.is_some_and(|last| last.completed.is_some())
            })
        });
    };
    check_race("sub-agent aborted", tell, &[|usual| usual, Simulated::outrun]);
}

fn sub_agent() -> Script {
    delegates(&script(
        json!([{ "tools": [question("Which?")] }, { "text": "Blue it is." }]),
    ))
}

/// What is allowed stays allowed for the other stories: nothing else uses this command.
#[test]
fn always_frees_what_it_covers() {
    check("always", |story| {
        story.begin(&script(json!([
            { "tools": [bash("printf one"), bash("printf two"), bash("ls")] },
            { "tools": [bash("printf three")] },
            { "text": "Done." }
        ])));
        let requests = story.until_listed(3);
        story.reply(&requests[0], Reply::Always);
        let left = first(story.until_listed(1));
        story.reply(&left, Reply::Once);
        story.until_idle();
    });
}

/// F7: the exit code is nowhere but in what the command prints after the token.
#[test]
fn a_shell_command_tells_its_exit_code_only_by_printing_it() {
    check("shell", |story| {
        let session = story.create();
        // (\necho fine\nexit 3\n) </dev/null\nprintf '\n%s %s\n' 'token-4711' "$?"\n
        let encoded = "KAplY2hvIGZpbmUKZXhpdCAzCikgPC9kZXYvbnVsbApwcmludGYgJ1xuJXMgJXNcbicgJ3Rva2VuLTQ3MTEnICIkPyIK";
        let command = format!(": token-4711; echo {encoded} | base64 -d | sh");
        assert_eq!(story.shell(&session, &command), Posted::Accepted);
        story.until("its output", |seen| {
            let mut tools = seen.sessions[0].messages.iter().flat_map(Message::tools);
            tools.any(|(_, tool)| {
                let output = tool.output.as_deref().map(str::trim);
                tool.input.contains("token-4711") && tool.exit.is_none() && output == Some("fine\n\ntoken-4711 3")
            })
        });
        story.until_idle();
    });
}
