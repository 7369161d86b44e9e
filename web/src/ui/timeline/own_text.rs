//! A person's own prompt: their text as they typed it, with `code` told apart.

/// A piece of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Text.
    Text(String),
    /// What stood between two backticks of one line.
    Code(String),
}

/// Splits a prompt into text and code. Nothing else is understood: a prompt is shown as it was typed.
#[must_use]
pub fn pieces(prompt: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = prompt;
    while let Some((before, code, after)) = next_code(rest) {
        if !before.is_empty() {
            pieces.push(Piece::Text(before.to_owned()));
        }
        pieces.push(Piece::Code(code.to_owned()));
        rest = after;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest.to_owned()));
    }
    pieces
}

/// What stands before, in and after the first code. Backticks that stand together are no code.
fn next_code(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    loop {
        let open = from + text[from..].find('`')?;
        let run = text[open..].bytes().take_while(|byte| *byte == b'`').count();
        let inner = &text[open + run..];
        let end = inner.find(['`', '\n'])?;
        if run == 1 && inner.as_bytes()[end] == b'`' && !inner[end..].starts_with("``") {
            return Some((&text[..open], &inner[..end], &inner[end + 1..]));
        }
        from = open + run;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_told_apart_and_the_rest_stays_as_it_was_typed() {
        let text = |text: &str| Piece::Text(text.to_owned());
        let code = |code: &str| Piece::Code(code.to_owned());
        assert_eq!(
            pieces("Keep `Sessions` as *it* is.\n# Really"),
            [text("Keep "), code("Sessions"), text(" as *it* is.\n# Really")]
        );
        assert_eq!(
            pieces("```\nlet a = `b`;\n```"),
            [text("```\nlet a = "), code("b"), text(";\n```")]
        );
        assert_eq!(pieces("a ` b\nc ` d"), [text("a ` b\nc ` d")]);
        assert_eq!(pieces(""), []);
    }
}
