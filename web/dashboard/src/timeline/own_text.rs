//! A person's own prompt: their text as they typed it, with `code` and **important** text told apart.

/// A piece of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Text.
    Text(String),
    /// Text between two pairs of asterisks of one line.
    Strong(String),
    /// Text between two backticks of one line.
    Code(String),
}

/// Splits a prompt into its pieces. Nothing else is understood: a prompt is shown as it was typed.
#[must_use]
pub fn pieces(prompt: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let (mut text, mut from) = (0, 0);
    while let Some(at) = prompt[from..].find(['`', '*']).map(|at| from + at) {
        let (piece, end) = marked(&prompt[at..]);
        if let Some(piece) = piece {
            if text < at {
                pieces.push(Piece::Text(prompt[text..at].to_owned()));
            }
            pieces.push(piece);
            text = at + end;
        }
        from = at + end;
    }
    if text < prompt.len() {
        pieces.push(Piece::Text(prompt[text..].to_owned()));
    }
    pieces
}

/// The piece that the marks at the beginning of `text` enclose, if they do, and where to go on. Backticks that stand
/// together are no code, and asterisks are a mark only in pairs that touch what they enclose.
fn marked(text: &str) -> (Option<Piece>, usize) {
    let mark = if text.starts_with('`') { "`" } else { "**" };
    let sign = &mark[..1];
    let run = text.len() - text.trim_start_matches(sign).len();
    let inner = &text[run..];
    let line = inner.split('\n').next().unwrap_or_default();
    let end = line.find(mark).filter(|end| run == mark.len() && *end > 0);
    let Some((inner, after)) = end.map(|end| (&line[..end], &line[end + mark.len()..])) else {
        return (None, run);
    };
    let is_marked = !after.starts_with(sign) && (mark == "`" || inner.trim() == inner);
    let piece = is_marked.then(|| match mark {
        "`" => Piece::Code(inner.to_owned()),
        _ => Piece::Strong(inner.to_owned()),
    });
    let length = if piece.is_some() {
        run + inner.len() + mark.len()
    } else {
        run
    };
    (piece, length)
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
        let strong = |text: &str| Piece::Strong(text.to_owned());
        assert_eq!(
            pieces("**Do** it, **`now`**, 2 ** 3 ** 4, *so* and ***so***"),
            [
                strong("Do"),
                text(" it, "),
                strong("`now`"),
                text(", 2 ** 3 ** 4, *so* and ***so***")
            ]
        );
        assert_eq!(pieces("a ** b\n** c"), [text("a ** b\n** c")]);
        assert_eq!(pieces("a ` b\nc ` d"), [text("a ` b\nc ` d")]);
        assert_eq!(pieces(""), []);
    }
}
