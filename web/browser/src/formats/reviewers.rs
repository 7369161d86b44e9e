//! Saved reviewers as a JSON file: a list of `{name, prompt, agent?, model?, timeout?}`. A model is `provider/model`, a
//! time-out is in seconds.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Map, Value};
use switchboard_core::model::ModelRef;
use switchboard_core::workflow::Reviewer;

use super::fields::{Fields, InvalidConfig, Path, Wrong, read, seconds};

/// A reviewer that a person has saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedReviewer {
    /// The name, such as `security`.
    pub name: String,
    /// What it is told to look for.
    pub prompt: String,
    /// The agent; none for the server's default.
    pub agent: Option<String>,
    /// The model; none for that of the agent.
    pub model: Option<ModelRef>,
    /// How long it may take; none for what the rules of completion say.
    pub timeout: Option<Duration>,
}

impl SavedReviewer {
    /// The reviewer of a workflow. One without a time-out of its own gets this one.
    #[must_use]
    pub fn reviewer(&self, timeout: Duration) -> Reviewer {
        Reviewer {
            name: self.name.clone(),
            prompt: self.prompt.clone(),
            agent: self.agent.clone(),
            model: self.model.clone(),
            timeout: self.timeout.unwrap_or(timeout),
        }
    }
}

/// Reads reviewers.
///
/// # Errors
/// Names the first field that is missing, is not known or has a wrong value, and its line. Of two reviewers of one name, in
/// whatever case, it names the second.
pub fn read_reviewers(text: &str) -> Result<Vec<SavedReviewer>, InvalidConfig> {
    read(text, reviewers)
}

/// Writes reviewers, for [`read_reviewers`] and for people.
#[must_use]
pub fn write_reviewers(reviewers: &[SavedReviewer]) -> String {
    let list = reviewers.iter().map(written).collect();
    format!("{:#}\n", Value::Array(list))
}

/// The reviewers of somebody who has saved none.
#[must_use]
pub fn default_reviewers() -> Vec<SavedReviewer> {
    let defaults = [
        (
            "correctness",
            "Review the change for correctness. Look for wrong logic, unhandled cases and errors, broken callers, races, and \
             behaviour that differs from what was asked for. Read the code around the change before you judge it. Name the \
             file and the line, and what goes wrong for which input.",
        ),
        (
            "security",
            "Review the change for security. Look for input that is trusted, injection, missing authorisation, leaked secrets, \
             unsafe paths, weak cryptography and resources without a limit. Report only what an attacker can use, and say how. \
             Name the file and the line.",
        ),
        (
            "tests",
            "Review the tests of the change. Look for behaviour that no test covers, tests that cannot fail, tests that depend on \
             time or order, and old tests that the change has made wrong. Name the file, and the case that is missing.",
        ),
    ];
    let saved = |(name, prompt): (&str, &str)| SavedReviewer {
        name: name.to_owned(),
        prompt: prompt.to_owned(),
        agent: None,
        model: None,
        timeout: None,
    };
    defaults.map(saved).to_vec()
}

fn reviewers(value: Value) -> Result<Vec<SavedReviewer>, Wrong> {
    let whole = Path::default();
    let Value::Array(items) = value else {
        return Err(whole.wrong("must be a list of reviewers"));
    };
    let mut names = BTreeSet::new();
    let mut reviewers = Vec::new();
    for (place, item) in items.into_iter().enumerate() {
        let path = whole.place(place);
        let reviewer = reviewer(Fields::of(item, &path)?)?;
        if !names.insert(reviewer.name.to_lowercase()) {
            let reason = format!("must differ from the others: there is another `{}`", reviewer.name);
            return Err(path.name("name").wrong(reason));
        }
        reviewers.push(reviewer);
    }
    Ok(reviewers)
}

fn reviewer(mut fields: Fields) -> Result<SavedReviewer, Wrong> {
    let found = SavedReviewer {
        name: fields.need("name", name)?,
        prompt: fields.need("prompt", filled)?,
        agent: fields.take("agent", optional(name))?.flatten(),
        model: fields.take("model", optional(model))?.flatten(),
        timeout: fields.take("timeout", optional(seconds))?.flatten(),
    };
    fields.end()?;
    Ok(found)
}

fn name(value: &Value) -> Result<String, &'static str> {
    let text = value.as_str().map(str::trim);
    let name = text.filter(|name| !name.is_empty() && !name.chars().any(char::is_control));
    name.map(str::to_owned).ok_or("a text of one line that is not empty")
}

fn filled(value: &Value) -> Result<String, &'static str> {
    let text = value.as_str().filter(|text| !text.trim().is_empty());
    text.map(str::to_owned).ok_or("a text that is not empty")
}

fn model(value: &Value) -> Result<ModelRef, &'static str> {
    let parts = value.as_str().and_then(|text| text.trim().split_once('/'));
    let (provider, model) = parts
        .filter(|(provider, model)| !provider.is_empty() && !model.is_empty())
        .ok_or("a text such as `provider/model`")?;
    Ok(ModelRef {
        provider: provider.to_owned(),
        model: model.to_owned(),
    })
}

/// Null is the same as nothing.
fn optional<T>(read: impl Fn(&Value) -> Result<T, &'static str>) -> impl Fn(&Value) -> Result<Option<T>, &'static str> {
    move |value| {
        if value.is_null() {
            Ok(None)
        } else {
            read(value).map(Some)
        }
    }
}

fn written(reviewer: &SavedReviewer) -> Value {
    let SavedReviewer {
        name,
        prompt,
        agent,
        model,
        timeout,
    } = reviewer;
    let seconds = |timeout: &Duration| match timeout.subsec_nanos() {
        0 => timeout.as_secs().into(),
        _ => timeout.as_secs_f64().into(),
    };
    let fields = [
        ("name", Some(name.as_str().into())),
        ("prompt", Some(prompt.as_str().into())),
        ("agent", agent.as_deref().map(Value::from)),
        ("model", model.as_ref().map(|model| model.to_string().into())),
        ("timeout", timeout.as_ref().map(seconds)),
    ];
    let given = fields
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(given.collect::<Map<String, Value>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// C5
    #[test]
    fn reviewers_are_read_back_as_they_were_written() {
        let mut reviewers = default_reviewers();
        assert_eq!(reviewers.len(), 3);
        reviewers.push(SavedReviewer {
            name: "grüße \u{1f4de}".to_owned(),
            prompt: "Look.\n\"Twice\".".to_owned(),
            agent: Some("plan".to_owned()),
            model: Some(ModelRef {
                provider: "stub".to_owned(),
                model: "a/b".to_owned(),
            }),
            timeout: Some(Duration::from_millis(1_500)),
        });
        assert_eq!(read_reviewers(&write_reviewers(&reviewers)), Ok(reviewers));
        assert_eq!(read_reviewers("[]"), Ok(Vec::new()));
    }

    /// C5
    #[test]
    fn a_reviewer_without_a_time_out_gets_that_of_the_rules() {
        let text = r#"[{"name": " a ", "prompt": "b", "model": null}, {"name": "c", "prompt": "d", "timeout": 7}]"#;
        let spans: Vec<u64> = read_reviewers(text)
            .unwrap()
            .iter()
            .map(|saved| saved.reviewer(Duration::from_secs(180)).timeout.as_secs())
            .collect();
        assert_eq!(spans, [180, 7]);
    }

    /// C5
    #[test]
    fn what_is_wrong_names_its_field_and_its_line() {
        let good = "{\"name\": \"a\", \"prompt\": \"b\"}";
        for (text, expected) in [
            ("{}".to_owned(), "line 1: the configuration must be a list of reviewers"),
            ("[\n7]".to_owned(), "line 2: reviewer 1 must be an object"),
            (
                "[\n{\"name\": \"a\"}]".to_owned(),
                "line 2: prompt of reviewer 1 is missing",
            ),
            (
                format!("[{good},\n{{\"prompt\": \"b\"}}]"),
                "line 2: name of reviewer 2 is missing",
            ),
            (
                "[{\"name\":\n\" \", \"prompt\": \"b\"}]".to_owned(),
                "line 2: name of reviewer 1 must be a text of one line that is not empty",
            ),
            (
                "[{\"name\": \"a\", \"prompt\": \"\\n\"}]".to_owned(),
                "line 1: prompt of reviewer 1 must be a text that is not empty",
            ),
            (
                "[{\"name\": \"a\", \"prompt\": \"b\",\n \"agent\": []}]".to_owned(),
                "line 2: agent of reviewer 1 must be a text of one line that is not empty",
            ),
            (
                "[{\"name\": \"a\", \"prompt\": \"b\",\n \"model\": \"gpt\"}]".to_owned(),
                "line 2: model of reviewer 1 must be a text such as `provider/model`",
            ),
            (
                "[{\"name\": \"a\", \"prompt\": \"b\",\n\n \"timeout\": \"3m\"}]".to_owned(),
                "line 3: timeout of reviewer 1 must be a number of seconds above 0",
            ),
            (
                "[{\"name\": \"a\", \"prompt\": \"b\",\n \"promt\": \"c\"}]".to_owned(),
                "line 2: promt of reviewer 1 is not known",
            ),
            (
                format!("[{good},\n{{\n\"name\": \"A\", \"prompt\": \"c\"}}]"),
                "line 3: name of reviewer 2 must differ from the others: there is another `A`",
            ),
        ] {
            assert_eq!(read_reviewers(&text).unwrap_err().to_string(), expected);
        }
    }

    /// C5
    #[test]
    fn a_file_that_is_cut_off_names_the_line_and_the_column() {
        let invalid = read_reviewers("[\n  {\"name\": \"a\",").unwrap_err();
        assert_eq!(invalid.line, 2);
        assert!(invalid.reason.contains("line 2 column 15"), "{invalid}");
    }
}
