//! Reads an output as JSON, each byte once: where the first brace closes, and whether the required field is there.

use crate::primitives::completion::config::Rules;

/// Where the reading stands. Positions are bytes of the text.
#[derive(Clone, Debug, Default)]
pub(super) struct JsonScan {
    scanned: usize,
    depth: usize,
    string: Option<Text>,
    /// The string that ended last, at the depth of the fields, with nothing but blanks since.
    name: Option<(usize, usize)>,
    /// The first brace has been closed, with nothing but blanks since.
    closed: bool,
    /// The first brace has been closed: what comes after is read no more as JSON.
    over: bool,
    field: bool,
}

/// A string that is being read.
#[derive(Clone, Copy, Debug)]
struct Text {
    begin: usize,
    escaped: bool,
}

impl JsonScan {
    pub(super) fn advance(&mut self, text: &str, rules: &Rules) {
        let bytes = text.as_bytes();
        for (at, byte) in bytes.iter().copied().enumerate().skip(self.scanned) {
            if let Some(string) = &mut self.string {
                match byte {
                    _ if string.escaped => string.escaped = false,
                    b'\\' => string.escaped = true,
                    b'"' => {
                        self.name = (self.depth == 1).then_some((string.begin, at));
                        self.string = None;
                    }
                    _ => {}
                }
                continue;
            }
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => {}
                _ if self.over => self.closed = false,
                b'{' => self.depth += 1,
                _ if self.depth == 0 => {}
                b'}' => {
                    self.depth -= 1;
                    self.over = self.depth == 0;
                    self.closed = self.over;
                }
                b'"' => {
                    self.string = Some(Text {
                        begin: at + 1,
                        escaped: false,
                    });
                }
                b':' => {
                    let name = self.name.take().map(|(begin, end)| &bytes[begin..end]);
                    self.field |= name == Some(rules.required_field.as_bytes());
                }
                _ => self.name = None,
            }
        }
        self.scanned = bytes.len();
    }

    /// True when the first brace is closed and nothing follows.
    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    pub(super) fn has_field(&self) -> bool {
        self.field
    }
}
