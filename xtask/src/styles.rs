//! Joins the style sheets of the page: one file per component to read and edit, one request to load.

use std::fs;
use std::path::{Path, PathBuf};

use crate::problem::{Problem, Result};
use crate::repository;

/// What the others build on comes first; the rest follows by name.
const FIRST: [&str; 2] = ["tokens.css", "base.css"];

/// Writes `target/style.css` from `www/style/*.css`.
pub(crate) fn run() -> Result<()> {
    let joined = join(&repository::path("www/style"))?;
    let target = repository::path("target/style.css");
    fs::write(&target, joined)
        .map_err(|error| Problem::new(format!("{} cannot be written: {error}.", target.display())))
}

fn join(folder: &Path) -> Result<String> {
    let unreadable = |error| Problem::new(format!("{} cannot be read: {error}.", folder.display()));
    let mut sheets = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == "css") {
            sheets.push(path);
        }
    }
    sheets.sort_by_key(|path| position(path));
    let mut joined = String::new();
    for sheet in sheets {
        joined += &fs::read_to_string(sheet).map_err(unreadable)?;
        joined.push('\n');
    }
    Ok(joined)
}

fn position(sheet: &Path) -> (usize, PathBuf) {
    let first = FIRST.iter().position(|name| sheet.ends_with(name));
    (first.unwrap_or(FIRST.len()), sheet.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_and_base_come_before_components() {
        let mut sheets = ["banner.css", "base.css", "tokens.css", "app.css"].map(PathBuf::from);
        sheets.sort_by_key(|path| position(path));
        assert_eq!(
            sheets,
            ["tokens.css", "base.css", "app.css", "banner.css"].map(PathBuf::from)
        );
    }
}
