//! What is said of a text or a list that is not shown whole.

/// Below the output of a tool.
pub const OUTPUT_CUT: &str = "OpenCode cut this output. The agent saw no more of it.";

/// Between two parts of a change, to a screen reader.
pub const LEFT_OUT: &str = "lines left out";

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

/// How many more rows there are.
#[must_use]
pub fn more_rows(rows: usize) -> String {
    format!("{rows} more")
}

/// Shows so many more rows.
#[must_use]
pub fn show_more(rows: usize) -> String {
    format!("Show {rows} more")
}

/// At the end of a line that is cut.
#[must_use]
pub fn more_characters(characters: usize) -> String {
    format!(" … ({characters} more characters)")
}
