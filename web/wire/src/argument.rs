//! Single arguments of a tool call, for the page: [`switchboard_core::model::ToolPart::input`] holds them as JSON text.

use super::json;

/// The text of an argument, such as `content` of a `write` call; none when it is missing or no text.
#[must_use]
pub fn argument(input: &str, name: &str) -> Option<String> {
    json::text(&json::parse(input).ok()?[name])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_found_by_name() {
        let input = r#"{"content":"a\nb","count":1}"#;
        assert_eq!(argument(input, "content").as_deref(), Some("a\nb"));
        assert_eq!(argument(input, "count"), None);
    }
}
