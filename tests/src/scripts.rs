//! Scripts for the scripted model, in a few words.

use serde_json::{Value, json};

use crate::opencode::script::Script;

/// A script of these steps.
///
/// # Panics
/// When the steps are not what `www/npm/serve/script.mjs` describes.
#[must_use]
pub fn script(steps: Value) -> Script {
    serde_json::from_value(json!({ "steps": steps })).expect("the steps are written by hand beside the test")
}

/// An agent that asks this, and thanks for the answer.
#[must_use]
pub fn asks(text: &str) -> Script {
    script(json!([{ "text": "I ask.", "tools": [question(text)] }, { "text": "Thank you." }]))
}

/// An agent that runs this command, and says so.
#[must_use]
pub fn runs(command: &str) -> Script {
    script(json!([{ "tools": [bash(command)] }, { "text": "Ran it." }]))
}

/// An agent that gives this script to a sub-agent, and says so.
#[must_use]
pub fn delegates(below: &Script) -> Script {
    script(json!([{ "tools": [task(below)] }, { "text": "The sub-agent is back." }]))
}

/// The call of a question with the options *Red* and *Blue*.
#[must_use]
pub fn question(text: &str) -> Value {
    let options = json!([{ "label": "Red", "description": "warm" }, { "label": "Blue", "description": "cool" }]);
    json!({ "name": "question", "input": { "questions": [{ "question": text, "header": "Colour", "options": options }] } })
}

/// The call that reads a file, and asks for nothing.
#[must_use]
pub fn read() -> Value {
    json!({ "name": "read", "input": { "filePath": "notes.md" } })
}

/// The call of a command.
#[must_use]
pub fn bash(command: &str) -> Value {
    json!({ "name": "bash", "input": { "command": command, "description": "Runs" } })
}

/// The call of a command in this directory.
#[must_use]
pub fn bash_in(command: &str, workdir: &str) -> Value {
    json!({ "name": "bash", "input": { "command": command, "workdir": workdir, "description": "Runs" } })
}

/// The call of a command outside the project, which asks for two permissions.
#[must_use]
pub fn bash_outside(command: &str) -> Value {
    bash_in(command, "/usr/share")
}

/// The call of a sub-agent that follows a script.
#[must_use]
pub fn task(below: &Script) -> Value {
    let input = json!({ "description": "Pick", "prompt": below.to_prompt(), "subagent_type": "general" });
    json!({ "name": "task", "input": input })
}
