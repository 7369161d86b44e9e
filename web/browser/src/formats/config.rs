//! The rules of completion as JSON. Spans are seconds.

use serde_json::{Value, json};
use switchboard_core::SortedMap;
use switchboard_core::completion::{CompletionConfig, PartialRules, Rules};

use super::fields::{Fields, InvalidConfig, Path, Wrong, read, seconds};

/// Reads a configuration. What is missing is as in [`Rules::default`]; `dispatch_timeout` and `polling` may stand at the
/// top, in `default`, and in each of `overrides`, whose keys are those of [`CompletionConfig::overrides`].
///
/// # Errors
/// Names the first field that is not known or has a wrong value.
pub fn read_config(text: &str) -> Result<CompletionConfig, InvalidConfig> {
    read(text, config)
}

fn config(value: Value) -> Result<CompletionConfig, Wrong> {
    let mut fields = Fields::of(value, &Path::default())?;
    let default = fields.take_fields("default")?;
    let overrides = fields.take_fields("overrides")?;
    let mut config = CompletionConfig {
        default: rules(fields)?,
        overrides: SortedMap::new(),
    };
    config.default.take_over(rules(default)?);
    for (name, value, path) in overrides.into_each() {
        config.overrides.insert(name, rules(Fields::of(value, &path)?)?);
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

fn rules(mut fields: Fields) -> Result<PartialRules, Wrong> {
    let mut polling = fields.take_fields("polling")?;
    let mut markers = polling.take_fields("completion_markers")?;
    let length_beside = polling.take("min_output_length", count)?;
    let found = PartialRules {
        dispatch_timeout: fields.take("dispatch_timeout", seconds)?,
        required_field: fields.take("required_field", text)?,
        interval: polling.take("interval", seconds)?,
        min_output_length: markers.take("min_output_length", count)?.or(length_beside),
        yaml_markers: markers.take("yaml", texts)?,
        json_markers: markers.take("json", texts)?,
    };
    for left in [fields, polling, markers] {
        left.end()?;
    }
    Ok(found)
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

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
    fn what_is_wrong_names_its_field_and_its_line() {
        let cases = [
            ("\n[]", "line 2: the configuration must be an object"),
            (
                "{\n\"polling\": {\n\"interval\": \"1\"}}",
                "line 3: polling.interval must be a number of seconds above 0",
            ),
            (
                r#"{"dispatch_timeout": 0}"#,
                "line 1: dispatch_timeout must be a number of seconds above 0",
            ),
            (
                "{\"overrides\":\n{\"review@a/b.c\":\r\n{\"polling\": {\"completion_markers\":\n{\"json\": \"}\"}}}}}",
                "line 4: overrides.review@a/b.c.polling.completion_markers.json must be a list of texts",
            ),
            (
                "{\"dispatch_timeout\": 1,\n\"default\": {\n\n\"dispatch_timeot\": 1}}",
                "line 4: default.dispatch_timeot is not known",
            ),
            (
                "{\"overrides\":\n{\n\"a\": 7}}",
                "line 3: overrides.a must be an object",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(read_config(text).unwrap_err().to_string(), expected);
        }
    }

    /// C5
    #[test]
    fn a_file_that_is_cut_off_names_the_line_and_the_column() {
        let cut = &write_config()[..80];
        let invalid = read_config(cut).unwrap_err();
        let lines = cut.matches('\n').count() + 1;
        assert_eq!((invalid.line, invalid.field.as_str()), (lines, ""));
        assert!(invalid.reason.starts_with("is no JSON: "), "{invalid}");
        assert!(invalid.reason.contains(&format!("line {lines} column ")), "{invalid}");
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
