//! Single arguments of a tool call, for the page: [`switchboard_core::model::ToolPart::input`] holds them as JSON text.

use super::json;

/// The text of an argument, such as `content` of a `write` call; none when it is missing or no text.
#[must_use]
pub fn argument(input: &str, name: &str) -> Option<String> {
    json::text(&json::parse(input).ok()?[name])
}

/// The questions that a `question` call asks, in order.
#[must_use]
pub fn asked(input: &str) -> Vec<String> {
    let Ok(input) = json::parse(input) else {
        return Vec::new();
    };
    json::elements(&input["questions"])
        .iter()
        .map(|question| json::text(&question["question"]).unwrap_or_default())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_found_by_name() {
        let input = r#"{"content":"a\nb","count":1,"questions":[{"question":"Which?"},{},7]}"#;
        assert_eq!(argument(input, "content").as_deref(), Some("a\nb"));
        assert_eq!(argument(input, "count"), None);
        assert_eq!(asked(input), ["Which?", "", ""]);
        assert_eq!(asked("{\"ques"), Vec::<String>::new());
    }
}
