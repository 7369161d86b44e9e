//! The scripts of the scripted model (`www/npm/serve/script.mjs`), and which step of which script is due.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use switchboard_core::model::{Message, PartBody, Role};

/// What the model does after one prompt.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Script {
    /// The prompt that begins it; a prompt that is a script itself needs none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// What it does, one request of the model after the other.
    pub steps: Vec<Step>,
}

/// What the model does with one request.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// What it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What it thinks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// What it calls; several run in parallel.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolCall>,
    /// Milliseconds before the first word.
    #[serde(default)]
    pub delay: u64,
    /// Milliseconds between chunks.
    #[serde(default)]
    pub chunk_delay: u64,
    /// Characters of text per chunk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunk: Option<usize>,
    /// Why it stops; `null` gives no reason at all.
    #[serde(default, skip_serializing_if = "Finish::is_usual")]
    pub finish: Finish,
    /// An HTTP error in place of an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The headers of that error.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// How often that error comes before the step goes on as if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<u32>,
    /// What it does instead once the same step of the same script has come before, in any conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<Box<Step>>,
}

/// Why the model stops.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(from = "Option<String>", into = "Option<String>")]
pub enum Finish {
    /// For the reason that fits its step.
    #[default]
    Usual,
    /// For this reason.
    Reason(String),
    /// For none that it tells.
    Untold,
}

/// A tool call of the model.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct ToolCall {
    /// The tool.
    pub name: String,
    /// Its arguments.
    pub input: Map<String, Value>,
}

impl From<Option<String>> for Finish {
    fn from(reason: Option<String>) -> Self {
        reason.map_or(Finish::Untold, Finish::Reason)
    }
}

impl From<Finish> for Option<String> {
    fn from(finish: Finish) -> Self {
        match finish {
            Finish::Reason(reason) => Some(reason),
            Finish::Usual | Finish::Untold => None,
        }
    }
}

impl Finish {
    fn is_usual(&self) -> bool {
        *self == Finish::Usual
    }
}

impl Script {
    /// The prompt that makes the scripted model follow this script.
    ///
    /// # Panics
    /// Never: a script is always JSON.
    #[must_use]
    pub fn to_prompt(&self) -> String {
        serde_json::to_string(self).expect("a script has only text keys")
    }
}

/// The step that is due in this conversation. `before` holds those that have come and are another one when they come again.
pub(super) fn choose_step(messages: &[Message], known: &[Script], before: &mut BTreeSet<String>) -> Step {
    let begun = messages.iter().enumerate().rev().find_map(|(at, message)| {
        let script = (message.role == Role::User).then(|| find_script(message, known))??;
        Some((at, script))
    });
    let Some((at, script)) = begun else {
        return say("I am a scripted model.".to_owned());
    };
    let since = &messages[at + 1..];
    let index = since.iter().filter(|message| is_spoken(message)).count();
    match script.steps.get(index) {
        Some(step) => match &step.again {
            Some(again) if !before.insert(format!("{index} of {}", script.to_prompt())) => (**again).clone(),
            Some(_) | None => step.clone(),
        },
        None => say(report(since)),
    }
}

fn say(text: String) -> Step {
    Step {
        text: Some(text),
        ..Step::default()
    }
}

fn is_spoken(message: &Message) -> bool {
    message.role == Role::Assistant
        && message
            .parts
            .iter()
            .any(|part| matches!(part.body, PartBody::Text { .. } | PartBody::Tool(_)))
}

fn find_script(message: &Message, known: &[Script]) -> Option<Script> {
    let text = message.text();
    // A script may be a line of a longer prompt, such as that of a reviewer.
    let mut written = std::iter::once(text.as_str()).chain(text.lines().rev());
    let script = written.find_map(|text| text.trim_start().starts_with('{').then(|| read_script(text)).flatten());
    if script.is_some() {
        return script;
    }
    let named = |script: &&Script| {
        script
            .prompt
            .as_deref()
            .is_some_and(|prompt| plain(prompt) == plain(&text))
    };
    known.iter().find(named).cloned()
}

thread_local! {
    /// Each script is read once: thousands of histories use the same few.
    static READ: RefCell<BTreeMap<String, Option<Script>>> = const { RefCell::new(BTreeMap::new()) };
}

fn read_script(text: &str) -> Option<Script> {
    READ.with_borrow_mut(|read| match read.get(text) {
        Some(script) => script.clone(),
        None => {
            let script: Option<Script> = serde_json::from_str(text).ok();
            read.insert(text.to_owned(), script.clone());
            script
        }
    })
}

fn plain(text: &str) -> String {
    text.trim().trim_end_matches(['.', '!', '?']).to_lowercase()
}

/// What came back since the prompt.
fn report(since: &[Message]) -> String {
    let lines: Vec<String> = since
        .iter()
        .flat_map(|message| match message.role {
            Role::User => vec![format!("You wrote: {}", message.text())],
            Role::Assistant | Role::Other(_) => message.tools().filter_map(|(_, tool)| tool.output.clone()).collect(),
        })
        .collect();
    if lines.is_empty() {
        "Done.".to_owned()
    } else {
        lines.join("\n\n")
    }
}
