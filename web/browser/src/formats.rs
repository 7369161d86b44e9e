//! Reads what agents write as YAML or JSON, and the rules of completion. Plain Rust; the results are core's.

mod config;
mod verdict;

use serde::de::DeserializeOwned;
use switchboard_core::completion::{Fault, Format};

pub use config::{InvalidConfig, read_config, write_config};
pub use verdict::{read_json_verdict, read_verdict};

/// What was written, and what it says; or where it stops making sense.
#[derive(Clone, Debug, PartialEq)]
pub struct Understood<T> {
    /// The text, as it was written.
    pub text: String,
    /// What it says.
    pub value: Result<T, Fault>,
}

/// Reads a text. One that is wrapped in a Markdown fence is read without it; places are those of the whole text.
pub fn read<T: DeserializeOwned>(text: &str, format: Format) -> Understood<T> {
    match format {
        Format::Yaml => read_inside(text, |inner| {
            serde_saphyr::from_str(inner).map_err(|error| yaml_fault(&error))
        }),
        Format::Json => read_json(text),
    }
}

/// The same for JSON alone, for programs that are small because they have no parser of YAML.
pub fn read_json<T: DeserializeOwned>(text: &str) -> Understood<T> {
    read_inside(text, |inner| {
        serde_json::from_str(inner).map_err(|error| Fault {
            line: error.line().max(1),
            column: error.column().max(1),
            message: error.to_string(),
        })
    })
}

fn read_inside<T>(text: &str, read: impl FnOnce(&str) -> Result<T, Fault>) -> Understood<T> {
    let (skipped, inner) = unfenced(text);
    Understood {
        text: text.to_owned(),
        value: read(inner).map_err(|fault| Fault {
            line: fault.line + skipped,
            ..fault
        }),
    }
}

fn yaml_fault(error: &serde_saphyr::Error) -> Fault {
    let (line, column) = error.location().map_or((1, 1), |at| (at.line(), at.column()));
    let place = |number: u64| usize::try_from(number).unwrap_or(usize::MAX).max(1);
    Fault {
        line: place(line),
        column: place(column),
        message: error.to_string().lines().next().unwrap_or_default().to_owned(),
    }
}

/// The text without the Markdown fence around it, and how many lines come before.
fn unfenced(text: &str) -> (usize, &str) {
    let start = text.len() - text.trim_start().len();
    let fence = text[start..].starts_with("```");
    let Some(first) = text[start..].find('\n').filter(|_| fence) else {
        return (0, text);
    };
    let inner = &text[start + first + 1..];
    let end = inner.rfind("```").unwrap_or(inner.len());
    (text[..start + first + 1].matches('\n').count(), &inner[..end])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    type Map = BTreeMap<String, String>;

    fn fault(text: &str, format: Format) -> (usize, usize) {
        let read: Understood<Map> = read(text, format);
        assert_eq!(read.text, text, "the text is kept as it is");
        let fault = read.value.expect_err("it is invalid");
        assert!(!fault.message.is_empty());
        (fault.line, fault.column)
    }

    /// C4
    #[test]
    fn what_is_invalid_comes_back_as_it_is_with_the_place_of_the_fault() {
        assert_eq!(fault("{\"v\": \"GO\",\n \"p\": }", Format::Json), (2, 7));
        assert_eq!(fault("v: GO\np: [a, b", Format::Yaml).0, 2);
    }

    /// C4
    #[test]
    fn a_fence_around_it_is_not_part_of_it() {
        let text = "```yaml\nv: GO\n```\n";
        let read: Understood<Map> = read(text, Format::Yaml);
        assert_eq!(read.value, Ok(Map::from([("v".to_owned(), "GO".to_owned())])));
        assert_eq!(fault("```json\n{\"v\": }\n```", Format::Json), (2, 7));
    }
}
