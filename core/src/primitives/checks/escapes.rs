//! The text of a terminal without what a terminal would not show.

/// A text without the escape sequences and the control characters of a terminal, and with what a carriage return overwrites
/// left out. No sequence goes on over the end of its line: a cut may have taken its end away.
#[must_use]
pub fn without_escapes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    let mut is_overwritten = false;
    while let Some(next) = rest.next() {
        match next {
            // Another escape begins a sequence of its own.
            '\u{1b}' => match rest.next_if(|inner| is_in_line(inner) && *inner != '\u{1b}') {
                // A control sequence ends with a letter or one of @ to ~.
                Some('[') => {
                    while rest
                        .next_if(|inner| !('@'..='~').contains(inner) && is_in_line(inner))
                        .is_some()
                    {}
                    let _end = rest.next_if(is_in_line);
                }
                // A command to the terminal, such as its title or a link, ends with a bell or with another escape.
                Some(']') => {
                    while let Some(inner) = rest.next_if(is_in_line) {
                        if inner == '\u{7}' || inner == '\u{1b}' && rest.next_if_eq(&'\\').is_some() {
                            break;
                        }
                    }
                }
                // Two characters name a set of letters, one everything else.
                Some('(' | ')') => drop(rest.next_if(is_in_line)),
                Some(_) | None => {}
            },
            '\r' => is_overwritten = true,
            '\n' => {
                is_overwritten = false;
                plain.push('\n');
            }
            control if control.is_control() && control != '\t' => {}
            other => {
                if std::mem::take(&mut is_overwritten) {
                    plain.truncate(plain.rfind('\n').map_or(0, |end| end + 1));
                }
                plain.push(other);
            }
        }
    }
    plain
}

fn is_in_line(character: &char) -> bool {
    *character != '\n'
}

#[cfg(test)]
mod tests {
    use super::*;

    /// F7
    #[test]
    fn what_a_terminal_would_not_show_is_left_out() {
        let cases = [
            ("\u{1b}[31;1merror\u{1b}[0m: no", "error: no"),
            ("\u{1b}]8;;http://x\u{7}link\u{1b}]8;;\u{1b}\\!", "link!"),
            ("10%\r50%\rdone\nnext\r\n", "done\nnext\n"),
            ("\u{1b}(Bplain\u{1b}", "plain"),
            ("kept\r\r\nkept at the end\r", "kept\nkept at the end"),
            ("cut \u{1b}]0;title\nnext \u{1b}[3\nlast", "cut \nnext \nlast"),
            ("a\u{1b}\nb\u{1b}(\nc", "a\nb\nc"),
            ("\u{1b}\u{1b}[31mred", "red"),
            ("\0nul\u{7} bell\ttab", "nul bell\ttab"),
        ];
        for (printed, plain) in cases {
            assert_eq!(without_escapes(printed), plain);
        }
    }
}
