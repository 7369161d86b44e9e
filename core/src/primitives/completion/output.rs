//! Says when the output of a process or a stream is complete, while it is still arriving.
//!
//! The detector is a machine: the caller pushes what arrives, asks again at [`OutputDetector::next_deadline`], and says
//! when the process has ended. It is never fed previews: those are not what an agent has said.

mod json;
mod lines;

use std::fmt;
use std::time::Duration;

use super::config::Rules;
use crate::time::Time;
use json::JsonScan;
use lines::LineScan;

/// What an output is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// Ends with a line `...`, or with a line `---` after content.
    #[default]
    Yaml,
    /// Ends with the brace that closes the first one.
    Json,
}

/// Why an output counts as complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// It ends with an end marker, has the required field, and is long enough.
    Marked,
    /// It has the required field, and has not grown for two intervals.
    Settled,
    /// Its process has ended, and it is not empty.
    Ended,
}

/// An output that is complete.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Output {
    /// The whole text.
    pub text: String,
    /// Why it counts as complete.
    pub by: Completion,
    /// What the process ended with, when it has ended and said so.
    pub exit: Option<i32>,
}

/// An output that will not be complete any more.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Incomplete {
    /// What there is of it.
    pub text: String,
    /// Why it ends here.
    pub reason: IncompleteReason,
    /// What the process ended with, when it has ended and said so.
    pub exit: Option<i32>,
}

/// Why an output ends without being complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IncompleteReason {
    /// It took longer than this.
    TimedOut(Duration),
    /// The process ended with another code than 0.
    Failed,
    /// The process ended and had written nothing but blanks.
    Empty,
}

impl fmt::Display for Incomplete {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.text.len();
        match (self.reason, self.exit) {
            (IncompleteReason::TimedOut(span), _) => {
                let (seconds, tenths) = (span.as_secs(), span.subsec_millis() / 100);
                write!(
                    formatter,
                    "not complete after {seconds}.{tenths} s; {bytes} bytes so far"
                )
            }
            (IncompleteReason::Failed, Some(code)) => {
                write!(
                    formatter,
                    "the process failed with exit code {code}, after {bytes} bytes"
                )
            }
            (IncompleteReason::Failed, None) => write!(formatter, "the process failed, after {bytes} bytes"),
            (IncompleteReason::Empty, _) => formatter.write_str("the process ended without any output"),
        }
    }
}

impl std::error::Error for Incomplete {}

/// Bytes that are kept of what comes after an output is over: a process may go on writing for ever.
pub const AFTER_MAX: usize = 1 << 20;

/// Watches one output.
///
/// Its work is linear in the length of the output, in however many pieces it comes.
///
/// ```
/// use switchboard_core::completion::{Completion, Format, OutputDetector, Rules};
/// use switchboard_core::Time;
///
/// let mut rules = Rules::default();
/// rules.min_output_length = 20;
/// let mut detector = OutputDetector::new(Format::Yaml, rules, Time(0));
/// detector.push("p: security\nv: GO\n", Time(100));
/// assert!(!detector.is_over(), "a required field alone never completes");
/// detector.push("i: []\n...\n", Time(200));
/// assert_eq!(detector.finish(Time(200)).unwrap().by, Completion::Marked);
/// ```
#[derive(Clone, Debug)]
pub struct OutputDetector {
    rules: Rules,
    text: String,
    characters: usize,
    scan: Scan,
    begun: Time,
    grown: Time,
    over: Option<(Result<Completion, IncompleteReason>, Option<i32>)>,
    /// Bytes of the text that came after it was over.
    after: usize,
}

#[derive(Clone, Debug)]
enum Scan {
    Yaml(LineScan),
    Json(JsonScan),
}

impl OutputDetector {
    /// A detector for an output that begins at `now`.
    #[must_use]
    pub fn new(format: Format, rules: Rules, now: Time) -> Self {
        let scan = match format {
            Format::Yaml => Scan::Yaml(LineScan::default()),
            Format::Json => Scan::Json(JsonScan::default()),
        };
        Self {
            rules,
            text: String::new(),
            characters: 0,
            scan,
            begun: now,
            grown: now,
            over: None,
            after: 0,
        }
    }

    /// Takes what has arrived. What comes after the output is over is kept with it, up to [`AFTER_MAX`] bytes, and changes
    /// nothing.
    pub fn push(&mut self, piece: &str, now: Time) {
        if self.over.is_some() {
            let room = AFTER_MAX.saturating_sub(self.after);
            let kept = &piece[..piece.floor_char_boundary(room)];
            self.after += kept.len();
            self.text.push_str(kept);
            return;
        }
        self.text.push_str(piece);
        if piece.is_empty() {
            return;
        }
        self.characters += piece.chars().count();
        self.grown = now;
        match &mut self.scan {
            Scan::Yaml(lines) => lines.advance(&self.text, &self.rules),
            Scan::Json(json) => json.advance(&self.text, &self.rules),
        }
        // A marker whose line may still go on is no marker yet.
        if self.is_marked() && self.is_line_over() {
            self.over = Some((Ok(Completion::Marked), None));
        }
        self.poll(now);
    }

    /// Looks at the time. Call it at [`Self::next_deadline`]; calling it oftener is harmless.
    pub fn poll(&mut self, now: Time) {
        if self.over.is_some() {
            return;
        }
        let quiet = now.since(self.grown);
        let result = if self.is_marked() && quiet >= self.rules.interval {
            Ok(Completion::Marked)
        } else if self.has_field() && quiet >= self.rules.interval.saturating_mul(2) {
            Ok(Completion::Settled)
        } else if now.since(self.begun) >= self.rules.dispatch_timeout {
            Err(IncompleteReason::TimedOut(self.rules.dispatch_timeout))
        } else {
            return;
        };
        self.over = Some((result, None));
    }

    /// The process has ended, with this exit code if it is known. Another code than 0 is a failure.
    pub fn end(&mut self, exit: Option<i32>) {
        if self.over.is_some() {
            return;
        }
        let result = if exit.is_some_and(|code| code != 0) {
            Err(IncompleteReason::Failed)
        } else if self.is_blank() {
            Err(IncompleteReason::Empty)
        } else {
            Ok(Completion::Ended)
        };
        self.over = Some((result, exit));
    }

    /// True when [`Self::finish`] has the final word.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.over.is_some()
    }

    /// When to call [`Self::poll`] at the latest; none when it is over.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Time> {
        if self.over.is_some() {
            return None;
        }
        let timeout = self.begun + self.rules.dispatch_timeout;
        let quiet = if self.is_marked() {
            Some(self.grown + self.rules.interval)
        } else {
            self.has_field()
                .then(|| self.grown + self.rules.interval.saturating_mul(2))
        };
        Some(quiet.map_or(timeout, |quiet| quiet.min(timeout)))
    }

    /// What has arrived so far.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The output, complete or not. One that is not over yet is cut off here, as by its time-out.
    ///
    /// # Errors
    /// [`Incomplete`] carries everything that has arrived.
    pub fn finish(self, now: Time) -> Result<Output, Incomplete> {
        let cut = || (Err(IncompleteReason::TimedOut(now.since(self.begun))), None);
        let (result, exit) = self.over.unwrap_or_else(cut);
        let text = self.text;
        match result {
            Ok(by) => Ok(Output { text, by, exit }),
            Err(reason) => Err(Incomplete { text, reason, exit }),
        }
    }

    fn is_marked(&self) -> bool {
        let marked = match &self.scan {
            Scan::Yaml(lines) => lines.is_marked(&self.text, &self.rules),
            Scan::Json(json) => json.is_closed(),
        };
        marked && self.has_field() && self.characters >= self.rules.min_output_length
    }

    fn is_line_over(&self) -> bool {
        match &self.scan {
            Scan::Yaml(lines) => lines.is_line_over(),
            Scan::Json(_) => true,
        }
    }

    fn has_field(&self) -> bool {
        match &self.scan {
            Scan::Yaml(lines) => lines.has_field(&self.text, &self.rules),
            Scan::Json(json) => json.has_field(),
        }
    }

    fn is_blank(&self) -> bool {
        self.text.trim_start().is_empty()
    }
}

#[cfg(test)]
mod tests;
