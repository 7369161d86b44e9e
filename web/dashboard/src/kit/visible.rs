//! Makes visible what hides: characters that take no room, or that turn the order of a line around.
//!
//! A command, a path or a change is approved by what it looks like. With U+202E in it, it looks like another one.

use std::borrow::Cow;

/// Returns the text with each hidden character replaced by its name, such as `‹U+202E›`.
///
/// Line feeds and tabs stay. A text that hides nothing is returned as it is.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    let Some(first) = text.find(is_hidden) else {
        return Cow::Borrowed(text);
    };
    let mut shown = String::with_capacity(text.len() + 16);
    shown.push_str(&text[..first]);
    for character in text[first..].chars() {
        if is_hidden(character) {
            shown.push_str(&format!("‹U+{:04X}›", u32::from(character)));
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

fn is_hidden(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        // Soft hyphen, grapheme joiner, Arabic letter mark, Hangul and Khmer fillers, Mongolian separators.
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' => true,
        '\u{180B}'..='\u{180F}' | '\u{3164}' | '\u{FFA0}' => true,
        // Zero width, direction marks, line and paragraph separators, overrides, isolates, invisible operators.
        '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' => true,
        // Variation selectors, byte order mark, annotations, musical controls, tags.
        '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFF0}'..='\u{FFFB}' => true,
        '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}' => true,
        _ => character.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_text_is_left_alone() {
        for text in ["cargo test -p core", "größer\n\täöü 日本語 👍", ""] {
            assert_eq!(visible(text), Cow::Borrowed(text));
        }
    }

    #[test]
    fn what_hides_or_turns_the_line_around_is_named() {
        let cases = [
            ("rm \u{202E}txt.exe", "rm ‹U+202E›txt.exe"),
            ("a\u{200B}b\u{FEFF}", "a‹U+200B›b‹U+FEFF›"),
            ("\u{2066}x\u{2069}", "‹U+2066›x‹U+2069›"),
            ("a\rb\u{1b}[2K", "a‹U+000D›b‹U+001B›[2K"),
            ("\u{E0041}", "‹U+E0041›"),
        ];
        for (text, shown) in cases {
            assert_eq!(visible(text), shown);
        }
    }
}
