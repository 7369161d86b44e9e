//! What is said of a text that is not shown whole.

/// Below the output of a tool.
pub const OUTPUT_CUT: &str = "OpenCode cut this output. The agent saw no more of it.";

/// Shows a text whole.
#[must_use]
pub fn all_lines(lines: usize) -> String {
    format!("Show all {lines} lines")
}

/// Shows the next part of a long text.
#[must_use]
pub fn more_lines(lines: usize) -> String {
    format!("Show more of {lines} lines")
}

/// At the end of a line that is cut.
#[must_use]
pub fn more_characters(characters: usize) -> String {
    format!(" … ({characters} more characters)")
}
