//! The fields of a JSON file that a person writes: each is taken by its name, and what is wrong is told with its place.

use std::fmt;
use std::time::Duration;

use serde_json::{Map, Value};

/// What is wrong with a file: the field, its line, and what it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidConfig {
    /// Such as `overrides.review.polling.interval` or `timeout of reviewer 2`; empty for the whole.
    pub field: String,
    /// The line on which it is, from 1.
    pub line: usize,
    /// What is wrong with it, in words.
    pub reason: String,
}

impl fmt::Display for InvalidConfig {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { field, line, reason } = self;
        match field.as_str() {
            "" => write!(formatter, "line {line}: the configuration {reason}"),
            field => write!(formatter, "line {line}: {field} {reason}"),
        }
    }
}

impl std::error::Error for InvalidConfig {}

/// The way from the whole to a value.
#[derive(Clone, Debug, Default)]
pub(super) struct Path(Vec<Step>);

#[derive(Clone, Debug)]
enum Step {
    Name(String),
    /// From 0.
    Place(usize),
}

/// What is wrong with a value.
#[derive(Debug)]
pub(super) struct Wrong {
    path: Path,
    reason: String,
}

/// The fields of an object that have not been taken.
#[derive(Debug)]
pub(super) struct Fields {
    pub(super) path: Path,
    left: Map<String, Value>,
}

impl Path {
    pub(super) fn name(&self, name: &str) -> Self {
        self.with(Step::Name(name.to_owned()))
    }

    pub(super) fn place(&self, place: usize) -> Self {
        self.with(Step::Place(place))
    }

    pub(super) fn wrong(&self, reason: impl Into<String>) -> Wrong {
        Wrong {
            path: self.clone(),
            reason: reason.into(),
        }
    }

    fn with(&self, step: Step) -> Self {
        let steps = self.0.iter().cloned().chain([step]);
        Self(steps.collect())
    }

    /// The offset of the value in its JSON text; of the last one that is there.
    fn offset(&self, text: &str) -> usize {
        let mut at = text.len() - text.trim_start().len();
        for step in &self.0 {
            let Some(found) = step.offset(text, at) else { break };
            at = found;
        }
        at
    }
}

impl Step {
    /// The offset of a value in the object or the list that begins at `at`. Of two with one name the last one counts.
    fn offset(&self, text: &str, at: usize) -> Option<usize> {
        let mut found = None;
        let mut item = after_blanks(text, at + 1);
        for place in 0.. {
            if text[item..].starts_with(['}', ']']) {
                break;
            }
            let (value, is_it) = match self {
                Step::Name(name) => {
                    let end = end_of_value(text, item);
                    let key: Option<String> = serde_json::from_str(&text[item..end]).ok();
                    let colon = after_blanks(text, end);
                    (after_blanks(text, colon + 1), key.as_ref() == Some(name))
                }
                Step::Place(wanted) => (item, place == *wanted),
            };
            if is_it {
                found = Some(value);
            }
            let end = after_blanks(text, end_of_value(text, value));
            if !text[end..].starts_with(',') {
                break;
            }
            item = after_blanks(text, end + 1);
        }
        found
    }
}

fn after_blanks(text: &str, at: usize) -> usize {
    text.len() - text[at..].trim_start().len()
}

/// Where the value ends that begins at `at`.
fn end_of_value(text: &str, at: usize) -> usize {
    let (mut depth, mut is_text, mut is_escaped) = (0_usize, false, false);
    for (offset, byte) in text[at..].bytes().enumerate() {
        let is_first = offset == 0;
        if is_text {
            is_text = is_escaped || byte != b'"';
            is_escaped = !is_escaped && byte == b'\\';
            if !is_text && depth == 0 {
                return at + offset + 1;
            }
            continue;
        }
        match byte {
            b'"' => is_text = true,
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    return at + offset + 1;
                }
            }
            b',' | b'}' | b']' | b' ' | b'\t' | b'\r' | b'\n' if depth == 0 && !is_first => return at + offset,
            _ => {}
        }
    }
    text.len()
}

/// Lists hold reviewers, and reviewers are counted from 1.
impl fmt::Display for Path {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self
            .0
            .iter()
            .filter_map(|step| match step {
                Step::Name(name) => Some(name.as_str()),
                Step::Place(_) => None,
            })
            .collect();
        let names = names.join(".");
        match self.0.first() {
            Some(Step::Place(place)) if names.is_empty() => write!(formatter, "reviewer {}", place + 1),
            Some(Step::Place(place)) => write!(formatter, "{names} of reviewer {}", place + 1),
            Some(Step::Name(_)) | None => formatter.write_str(&names),
        }
    }
}

impl Wrong {
    fn located(self, text: &str) -> InvalidConfig {
        let before = &text[..self.path.offset(text)];
        InvalidConfig {
            field: self.path.to_string(),
            line: before.matches('\n').count() + 1,
            reason: self.reason,
        }
    }
}

/// Reads a JSON text.
pub(super) fn read<T>(text: &str, take: impl FnOnce(Value) -> Result<T, Wrong>) -> Result<T, InvalidConfig> {
    let value = serde_json::from_str(text).map_err(|error: serde_json::Error| InvalidConfig {
        field: String::new(),
        line: error.line().max(1),
        reason: format!("is no JSON: {error}"),
    })?;
    take(value).map_err(|wrong| wrong.located(text))
}

impl Fields {
    /// The fields of what must be an object.
    pub(super) fn of(value: Value, path: &Path) -> Result<Self, Wrong> {
        match value {
            Value::Object(left) => Ok(Self {
                path: path.clone(),
                left,
            }),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                Err(path.wrong("must be an object"))
            }
        }
    }

    /// Takes a field, if it is there.
    pub(super) fn take<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&Value) -> Result<T, &'static str>,
    ) -> Result<Option<T>, Wrong> {
        let Some(value) = self.left.remove(name) else {
            return Ok(None);
        };
        let wrong = |expected| self.path.name(name).wrong(format!("must be {expected}"));
        read(&value).map(Some).map_err(wrong)
    }

    /// Takes a field that must be there.
    pub(super) fn need<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&Value) -> Result<T, &'static str>,
    ) -> Result<T, Wrong> {
        let taken = self.take(name, read)?;
        taken.ok_or_else(|| self.path.name(name).wrong("is missing"))
    }

    /// Takes the fields of a field; none if it is not there.
    pub(super) fn take_fields(&mut self, name: &str) -> Result<Self, Wrong> {
        let value = self.left.remove(name).unwrap_or_else(|| Map::new().into());
        Self::of(value, &self.path.name(name))
    }

    /// All that is left, each with its name.
    pub(super) fn into_each(self) -> impl Iterator<Item = (String, Value, Path)> {
        let path = self.path;
        self.left.into_iter().map(move |(name, value)| {
            let path = path.name(&name);
            (name, value, path)
        })
    }

    /// Nothing must be left.
    pub(super) fn end(self) -> Result<(), Wrong> {
        match self.left.keys().next() {
            Some(name) => Err(self.path.name(name).wrong("is not known")),
            None => Ok(()),
        }
    }
}

pub(super) fn seconds(value: &Value) -> Result<Duration, &'static str> {
    let span = value.as_f64().filter(|seconds| *seconds > 0.0);
    span.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or("a number of seconds above 0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_found_wherever_it_is_written() {
        let text = "\n {\"a\\\"}\": [1,\n {\"c\":{ }} , \"]\\\\\",\n[true ,\n-1.5e3]],\n\"\\u0062\" :\nnull, \"d\":1,\n\"d\":\"ä\"}";
        let list = Path::default().name("a\"}");
        for (path, line, value) in [
            (Path::default(), 2, "{"),
            (list.place(0), 2, "1"),
            (list.place(1).name("c"), 3, "{ }"),
            (list.place(2), 3, "\"]"),
            (list.place(3).place(1), 5, "-1.5e3"),
            (Path::default().name("b"), 7, "null"),
            (Path::default().name("d"), 8, "\"ä\""),
            (list.place(1).name("e"), 3, "{\"c\""),
            (list.place(4), 2, "[1"),
            (list.place(0).name("f"), 2, "1"),
        ] {
            let found = path.wrong("is wrong").located(text);
            assert_eq!(found.line, line, "{path:?}");
            assert!(text[path.offset(text)..].starts_with(value), "{path:?}");
        }
        assert!(serde_json::from_str::<Value>(text).is_ok());
    }
}
