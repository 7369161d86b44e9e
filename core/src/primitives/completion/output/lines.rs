//! Reads an output line by line, each byte once, whatever pieces it comes in.

use crate::primitives::completion::config::Rules;

/// Where the reading stands. Positions are bytes of the text.
#[derive(Clone, Debug, Default)]
pub(super) struct LineScan {
    /// Up to here everything has been looked at.
    scanned: usize,
    /// The part of the current line between its first and last characters that are no blanks.
    line: Option<(usize, usize)>,
    /// The same of the last line before that was not blank.
    last: Option<(usize, usize)>,
    /// A line that is neither blank nor a marker came before `last`.
    content: bool,
    field: bool,
}

impl LineScan {
    pub(super) fn advance(&mut self, text: &str, rules: &Rules) {
        while let Some(length) = text[self.scanned..].find('\n') {
            let end = self.scanned + length;
            self.extend_line(text, end);
            self.scanned = end + 1;
            if let Some(line) = self.line.take() {
                self.take_last(text, rules);
                self.field |= is_field(&text[line.0..line.1], &rules.required_field);
                self.last = Some(line);
            }
        }
        self.extend_line(text, text.len());
        self.scanned = text.len();
    }

    /// Takes what is new of the current line.
    fn extend_line(&mut self, text: &str, end: usize) {
        let new = &text[self.scanned..end];
        let trimmed = new.trim_end();
        if trimmed.is_empty() {
            return;
        }
        let last = self.scanned + trimmed.len();
        self.line = match self.line {
            Some((first, _)) => Some((first, last)),
            None => Some((end - new.trim_start().len(), last)),
        };
    }

    fn take_last(&mut self, text: &str, rules: &Rules) {
        if let Some((first, end)) = self.last {
            self.content |= !is_marker(&text[first..end], rules);
        }
    }

    /// True when the last line that is not blank is a marker, after content.
    pub(super) fn is_marked(&self, text: &str, rules: &Rules) -> bool {
        let marker = |(first, end): (usize, usize)| is_marker(&text[first..end], rules);
        match (self.line, self.last) {
            (Some(line), last) => marker(line) && (self.content || last.is_some_and(|last| !marker(last))),
            (None, Some(last)) => marker(last) && self.content,
            (None, None) => false,
        }
    }

    /// True when the last line that is not blank has its line break.
    pub(super) fn is_line_over(&self) -> bool {
        self.line.is_none()
    }

    pub(super) fn has_field(&self, text: &str, rules: &Rules) -> bool {
        let in_line = |(first, end): (usize, usize)| is_field(&text[first..end], &rules.required_field);
        self.field || self.line.is_some_and(in_line)
    }
}

fn is_marker(line: &str, rules: &Rules) -> bool {
    rules.completion_markers.yaml.iter().any(|marker| marker.trim() == line)
}

/// True for `v: GO`, in a list and indented, too.
fn is_field(line: &str, field: &str) -> bool {
    let line = line.strip_prefix("- ").map_or(line, str::trim_start);
    line.strip_prefix(field)
        .and_then(|rest| rest.strip_prefix(':'))
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
}
