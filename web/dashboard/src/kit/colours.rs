//! Removes the colours of a terminal from what a tool has printed.

use std::borrow::Cow;

/// What a sequence of control characters begins with.
const BEGIN: &str = "\u{1b}[";

/// Returns the text without its sequences for colour and weight (SGR: `ESC [ … m`).
///
/// Other control sequences move the cursor or erase what stands there. They stay, for their effect is not shown.
#[must_use]
pub fn without_colours(text: &str) -> Cow<'_, str> {
    if !text.contains(BEGIN) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(BEGIN) {
        let parameters = &rest[at + BEGIN.len()..];
        let end = parameters.find(|character: char| !matches!(character, '0'..='9' | ';' | ':'));
        match end.filter(|end| parameters[*end..].starts_with('m')) {
            Some(end) => {
                plain.push_str(&rest[..at]);
                rest = &parameters[end + 1..];
            }
            None => {
                plain.push_str(&rest[..at + BEGIN.len()]);
                rest = parameters;
            }
        }
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_and_weights_are_removed() {
        assert_eq!(without_colours("\u{1b}[31mred\u{1b}[0m"), "red");
        assert_eq!(without_colours("a\u{1b}[1;38:2:255:0:0mb\u{1b}[mc"), "abc");
    }

    #[test]
    fn what_moves_the_cursor_or_erases_stays() {
        for text in [
            "plain",
            "\u{1b}[2K\r",
            "\u{1b}[31",
            "\u{1b}]0;title\u{7}",
            "\u{1b}[?25lm",
        ] {
            assert_eq!(without_colours(text), text);
        }
    }
}
