//! The stories. Each is played with the real server and with the simulated one.
//!
//! They share one real server, two at a time. What touches all of its sessions, a restart, is played alone.

mod beside;
mod endings;
mod messages;
mod permissions;
mod prompts;
mod questions;
mod restarts;
mod sessions;
mod shell;
mod stops;
mod sub_agents;
mod twice;

use std::sync::{OnceLock, PoisonError, RwLock};

use serde_json::json;
use switchboard_core::model::{Reply, Request};
use switchboard_tests::opencode::script::Script;
use switchboard_tests::scripts::{delegates, question, script};

use crate::process::Real;
use crate::simulated::Simulated;
use crate::story::Story;
use crate::subject::Subject;

/// The server that all stories share.
pub(crate) fn real() -> &'static RwLock<Real> {
    static REAL: OnceLock<RwLock<Real>> = OnceLock::new();
    REAL.get_or_init(|| RwLock::new(Real::start()))
}

/// Plays a story with both, and compares what was seen.
fn check(name: &'static str, tell: impl Fn(&mut Story<'_>)) {
    check_race(name, tell, &[|usual| usual]);
}

/// The same for a story that the real server ends now in one way, now in another: one of the simulated ends is its own.
fn check_race(name: &'static str, tell: impl Fn(&mut Story<'_>), ends: &[fn(Simulated) -> Simulated]) {
    let real = real().read().unwrap_or_else(PoisonError::into_inner);
    compare(name, &real, tell, ends);
}

/// The same for a story that no other one can be played beside.
fn check_alone(name: &'static str, tell: impl Fn(&mut Story<'_>)) {
    let real = real().write().unwrap_or_else(PoisonError::into_inner);
    compare(name, &real, tell, &[|usual| usual]);
}

fn compare(name: &'static str, mut real: &Real, tell: impl Fn(&mut Story<'_>), ends: &[fn(Simulated) -> Simulated]) {
    let play = |subject: &mut dyn Subject| {
        let mut story = Story::new(name, subject);
        tell(&mut story);
        story.end()
    };
    let expected = play(&mut real);
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

/// An agent that asks this, and says *Done.* after the answer.
fn asks(text: &str) -> Script {
    script(json!([{ "tools": [question(text)] }, { "text": "Done." }]))
}

/// An agent that says this and nothing else.
fn says(text: &str) -> Script {
    script(json!([{ "text": text }]))
}

/// An agent that gives a question to a sub-agent.
fn sub_agent() -> Script {
    delegates(&script(
        json!([{ "tools": [question("Which?")] }, { "text": "Blue it is." }]),
    ))
}

/// Waits for the answer to the first prompt. The status is read first, and may be from before the run.
fn until_answered(story: &mut Story<'_>) {
    story.until("the answer", |seen| {
        let first = &seen.sessions[0];
        let answer = first.messages.get(1);
        !first.is_running() && answer.is_some_and(|answer| answer.completed.is_some())
    });
}

/// Waits for the end of a run that was stopped.
fn until_stopped(story: &mut Story<'_>) {
    story.until("the stop", |seen| {
        let stopped = &seen.sessions[0];
        !stopped.is_running() && stopped.messages.iter().any(|message| message.error.is_some())
    });
}
