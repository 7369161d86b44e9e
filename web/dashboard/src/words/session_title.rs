//! What a session is called.

use crate::kit::visible::visible;

/// The title of a session without the name of its agent, which the server puts behind the title of a sub-agent.
/// Nothing in it hides.
#[must_use]
pub fn session_title(title: &str) -> String {
    let title = title.trim();
    let named = title
        .rfind(" (@")
        .filter(|_| title.ends_with(" subagent)"))
        .map_or(title, |end| &title[..end]);
    if named.is_empty() {
        "Untitled session".to_owned()
    } else {
        visible(named).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sub_agent_is_called_by_its_task() {
        assert_eq!(
            session_title("review: error paths (@general subagent)"),
            "review: error paths"
        );
        assert_eq!(session_title("mail (@work)"), "mail (@work)");
        assert_eq!(session_title(" "), "Untitled session");
        assert_eq!(session_title("a\u{202E}b"), "a‹U+202E›b");
    }
}
