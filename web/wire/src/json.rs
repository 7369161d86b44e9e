//! Parses JSON that a JavaScript program wrote, and reads its fields without trust.

use serde_json::Value;
use serde_json::value::RawValue;

use super::WireError;

/// Parses a body.
///
/// JavaScript cuts texts between the halves of a character and writes the half as an escape, which is no valid text.
/// Such halves are replaced, so that one cut output does not hide a whole list.
pub(super) fn parse(body: &str) -> Result<Value, WireError> {
    let error = match serde_json::from_str(body) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    replace_halves(body)
        .and_then(|mended| serde_json::from_str(&mended).ok())
        .ok_or(WireError::Syntax(error))
}

/// Parses a body that must be a list.
///
/// An element that is nested too deeply to be parsed becomes its own text, so that it is the only one that is lost.
pub(super) fn parse_list(body: &str) -> Result<Vec<Value>, WireError> {
    let value = parse(body).or_else(|error| one_by_one(body).ok_or(error))?;
    let Value::Array(elements) = value else {
        return Err(WireError::Kind {
            found: kind(&value),
            expected: "a list",
        });
    };
    Ok(elements)
}

/// What a value is, for messages.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// A text, copied.
pub(super) fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// A text that says something, copied.
pub(super) fn filled(value: &Value) -> Option<String> {
    value.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned)
}

/// A number of milliseconds, pieces or tries.
pub(super) fn count(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| {
        value
            .as_f64()
            .filter(|number| *number >= 0.0)
            .map(|number| number as u64)
    })
}

/// The elements of a list; none when it is something else.
pub(super) fn elements(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The texts in a list; other elements are left out.
pub(super) fn texts(value: &Value) -> Vec<String> {
    elements(value).iter().filter_map(text).collect()
}

fn one_by_one(body: &str) -> Option<Value> {
    let elements: Vec<&RawValue> = serde_json::from_str(body).ok()?;
    Some(
        elements
            .iter()
            .map(|element| parse(element.get()).unwrap_or_else(|_| element.get().into()))
            .collect(),
    )
}

/// The body with each lone half of a character replaced; none when there is no such half.
fn replace_halves(body: &str) -> Option<String> {
    let mut mended = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = body[at..].find('\\') {
        let escape = at + found;
        at = match unit(body, escape) {
            Some(0xD800..=0xDBFF) if matches!(unit(body, escape + 6), Some(0xDC00..=0xDFFF)) => escape + 12,
            Some(0xD800..=0xDFFF) => {
                mended.push_str(&body[copied..escape]);
                mended.push_str("\\ufffd");
                copied = escape + 6;
                copied
            }
            Some(_) => escape + 6,
            None => escape + 1 + body[escape + 1..].chars().next().map_or(0, char::len_utf8),
        };
    }
    if copied == 0 {
        return None;
    }
    mended.push_str(&body[copied..]);
    Some(mended)
}

/// The number in a `\uXXXX` escape that begins here.
fn unit(body: &str, escape: usize) -> Option<u16> {
    let digits = body.get(escape..escape + 6)?.strip_prefix("\\u")?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_was_cut_inside_a_character_does_not_hide_its_neighbours() {
        let cases = [
            (r#"["cut \ud83d","whole"]"#, "cut \u{fffd}"),
            (r#"["\ude00 tail","whole"]"#, "\u{fffd} tail"),
            (r#"["\ud83d\ud83d\ude00","whole"]"#, "\u{fffd}\u{1f600}"),
            (
                r#"["a \\ud83d is written \ud83d so","whole"]"#,
                "a \\ud83d is written \u{fffd} so",
            ),
            (r#"["\\ä\ud83dä","whole"]"#, "\\ä\u{fffd}ä"),
        ];
        for (body, first) in cases {
            assert_eq!(
                parse_list(body).unwrap(),
                [Value::from(first), Value::from("whole")],
                "{body}"
            );
        }
    }

    #[test]
    fn an_element_that_is_nested_too_deeply_is_the_only_one_that_is_lost() {
        let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
        let body = format!(r#"["one",{deep},"three \ud83d"]"#);
        let expected = [Value::from("one"), Value::from(deep), Value::from("three \u{fffd}")];
        assert_eq!(parse_list(&body).unwrap(), expected);
        assert!(parse_list(&format!("[{}", "[".repeat(200_000))).is_err());
    }

    #[test]
    fn a_body_that_is_no_json_says_so() {
        for body in ["", "<!doctype html>", "[{\"id\":", "\"\\ud83d"] {
            assert!(parse(body).is_err(), "{body}");
        }
        let wrong = parse_list("{}").unwrap_err();
        assert_eq!(wrong.to_string(), "an object where a list was expected");
    }
}
