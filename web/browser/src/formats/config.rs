//! The rules of completion as JSON. Spans are seconds.

use std::fmt;
use std::time::Duration;

use serde_json::{Map, Value, json};
use switchboard_core::SortedMap;
use switchboard_core::completion::{CompletionConfig, PartialRules, Rules};

/// What is wrong with a configuration: the field, and what it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidConfig {
    /// Such as `overrides.review.polling.interval`; empty for the whole.
    pub field: String,
    /// What is wrong with it, in words.
    pub reason: String,
}

impl fmt::Display for InvalidConfig {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.field.as_str() {
            "" => write!(formatter, "the configuration {}", self.reason),
            field => write!(formatter, "{field} {}", self.reason),
        }
    }
}

impl std::error::Error for InvalidConfig {}

/// Reads a configuration. What is missing is as in [`Rules::default`]; `dispatch_timeout` and `polling` may stand at the
/// top, in `default`, and in each of `overrides`, whose keys are those of [`CompletionConfig::overrides`].
///
/// # Errors
/// Names the first field that is not known or has a wrong value.
pub fn read_config(text: &str) -> Result<CompletionConfig, InvalidConfig> {
    let value: Value = serde_json::from_str(text).map_err(|error| invalid("", &format!("is no JSON: {error}")))?;
    let mut fields = object(value, "")?;
    let default = take_object(&mut fields, "default", "")?;
    let overrides = take_object(&mut fields, "overrides", "")?;
    let mut config = CompletionConfig {
        default: rules(fields, "")?,
        overrides: SortedMap::new(),
    };
    config.default.take_over(rules(default, "default")?);
    for (name, value) in overrides {
        let path = join("overrides", &name);
        let given = rules(object(value, &path)?, &path)?;
        config.overrides.insert(name, given);
    }
    Ok(config)
}

/// The defaults, to be written where settings live on first use.
#[must_use]
pub fn write_config() -> String {
    let rules = Rules::default();
    let config = json!({
        "default": {},
        "overrides": {},
        "dispatch_timeout": rules.dispatch_timeout.as_secs(),
        "polling": {
            "interval": rules.interval.as_secs(),
            "completion_markers": {
                "yaml": rules.completion_markers.yaml,
                "json": rules.completion_markers.json,
                "min_output_length": rules.min_output_length,
            },
        },
    });
    format!("{config:#}\n")
}

fn rules(mut fields: Map<String, Value>, path: &str) -> Result<PartialRules, InvalidConfig> {
    let polling_path = join(path, "polling");
    let mut polling = take_object(&mut fields, "polling", path)?;
    let markers_path = join(&polling_path, "completion_markers");
    let mut markers = take_object(&mut polling, "completion_markers", &polling_path)?;
    let length_beside = take(&mut polling, "min_output_length", &polling_path, count)?;
    let found = PartialRules {
        dispatch_timeout: take(&mut fields, "dispatch_timeout", path, seconds)?,
        required_field: take(&mut fields, "required_field", path, text)?,
        interval: take(&mut polling, "interval", &polling_path, seconds)?,
        min_output_length: take(&mut markers, "min_output_length", &markers_path, count)?.or(length_beside),
        yaml_markers: take(&mut markers, "yaml", &markers_path, texts)?,
        json_markers: take(&mut markers, "json", &markers_path, texts)?,
    };
    for (left, path) in [(fields, path), (polling, &polling_path), (markers, &markers_path)] {
        if let Some(name) = left.keys().next() {
            return Err(invalid(&join(path, name), "is not known"));
        }
    }
    Ok(found)
}

fn take<T>(
    fields: &mut Map<String, Value>,
    name: &str,
    path: &str,
    read: fn(&Value) -> Result<T, &'static str>,
) -> Result<Option<T>, InvalidConfig> {
    let Some(value) = fields.remove(name) else {
        return Ok(None);
    };
    read(&value)
        .map(Some)
        .map_err(|expected| invalid(&join(path, name), &format!("must be {expected}")))
}

fn take_object(fields: &mut Map<String, Value>, name: &str, path: &str) -> Result<Map<String, Value>, InvalidConfig> {
    match fields.remove(name) {
        Some(value) => object(value, &join(path, name)),
        None => Ok(Map::new()),
    }
}

fn object(value: Value, path: &str) -> Result<Map<String, Value>, InvalidConfig> {
    match value {
        Value::Object(fields) => Ok(fields),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Err(invalid(path, "must be an object"))
        }
    }
}

fn seconds(value: &Value) -> Result<Duration, &'static str> {
    let span = value.as_f64().filter(|seconds| *seconds > 0.0);
    span.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or("a number of seconds above 0")
}

fn count(value: &Value) -> Result<usize, &'static str> {
    let count = value.as_u64().and_then(|count| usize::try_from(count).ok());
    count.ok_or("a whole number of characters")
}

fn text(value: &Value) -> Result<String, &'static str> {
    let text = value.as_str().filter(|text| !text.is_empty());
    text.map(|text| text.trim_end_matches(':').to_owned()).ok_or("a name")
}

fn texts(value: &Value) -> Result<Vec<String>, &'static str> {
    let list = value.as_array().ok_or("a list of texts")?;
    let text = |value: &Value| value.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned);
    list.iter().map(|value| text(value).ok_or("a list of texts")).collect()
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

fn invalid(field: &str, reason: &str) -> InvalidConfig {
    InvalidConfig {
        field: field.to_owned(),
        reason: reason.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchboard_core::completion::Markers;

    /// C5
    #[test]
    fn the_defaults_are_what_is_written_and_what_nothing_means() {
        for text in ["{}", &write_config()] {
            let config = read_config(text).unwrap();
            assert_eq!(config.rules(Some("review"), Some("a/b")), Rules::default(), "{text}");
        }
    }

    /// C5
    #[test]
    fn partial_rules_leave_the_rest() {
        let text = r#"{"dispatch_timeout": 60, "default": {"polling": {"interval": 0.5}},
            "overrides": {"review": {"polling": {"completion_markers": {"yaml": ["END"]}}}}}"#;
        let rules = read_config(text).unwrap().rules(Some("review"), None);
        assert_eq!(rules.dispatch_timeout, Duration::from_secs(60));
        assert_eq!(rules.interval, Duration::from_millis(500));
        assert_eq!(rules.completion_markers.yaml, ["END"]);
        assert_eq!(rules.min_output_length, 100);
    }

    /// C5
    #[test]
    fn what_is_wrong_names_its_field() {
        let cases = [
            ("[]", "the configuration must be an object"),
            (
                r#"{"polling": {"interval": "1"}}"#,
                "polling.interval must be a number of seconds above 0",
            ),
            (
                r#"{"dispatch_timeout": 0}"#,
                "dispatch_timeout must be a number of seconds above 0",
            ),
            (
                r#"{"overrides": {"review": {"polling": {"completion_markers": {"json": "}"}}}}}"#,
                "overrides.review.polling.completion_markers.json must be a list of texts",
            ),
            (
                r#"{"default": {"dispatch_timeot": 1}}"#,
                "default.dispatch_timeot is not known",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(read_config(text).unwrap_err().to_string(), expected);
        }
        assert!(
            read_config("{")
                .unwrap_err()
                .to_string()
                .starts_with("the configuration is no JSON")
        );
    }

    /// C5
    #[test]
    fn the_length_may_stand_among_the_markers_or_beside_them() {
        for text in [
            r#"{"polling": {"completion_markers": {"min_output_length": 7}}}"#,
            r#"{"polling": {"min_output_length": 7}}"#,
        ] {
            let rules = read_config(text).unwrap().rules(None, None);
            assert_eq!(
                (rules.min_output_length, rules.completion_markers),
                (7, Markers::default())
            );
        }
    }
}
