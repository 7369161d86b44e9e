//! Joins the style sheets of the page: one file per component to read and edit, one request to load.

use std::fs;
use std::path::Path;

use crate::problem::{Problem, Result};
use crate::repository;

/// What the others build on comes first; the rest follows by name.
const FIRST: [&str; 2] = ["tokens.css", "base.css"];

/// Writes `target/style.css` from `www/style/*.css`.
pub(crate) fn run() -> Result<()> {
    let mut sheets = repository::files_ending(".css", "www/style")?;
    sheets.sort_by_key(|sheet| position(sheet));
    let mut joined = String::new();
    for sheet in sheets {
        let content = fs::read_to_string(&sheet)
            .map_err(|error| Problem::new(format!("{} cannot be read: {error}.", sheet.display())))?;
        joined += &content;
        joined.push('\n');
    }
    let target = repository::path("target/style.css");
    fs::create_dir_all(repository::path("target"))
        .and_then(|()| fs::write(&target, joined))
        .map_err(|error| Problem::new(format!("{} cannot be written: {error}.", target.display())))
}

/// Sheets in [`FIRST`] come first; the others are equal, and sorting keeps their order.
fn position(sheet: &Path) -> usize {
    FIRST
        .iter()
        .position(|name| sheet.ends_with(name))
        .unwrap_or(FIRST.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_and_base_come_before_components() {
        let mut sheets = ["app.css", "banner.css", "base.css", "tokens.css"].map(Path::new);
        sheets.sort_by_key(|sheet| position(sheet));
        assert_eq!(
            sheets,
            ["tokens.css", "base.css", "app.css", "banner.css"].map(Path::new)
        );
    }
}
