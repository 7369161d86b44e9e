//! Joins the style sheets of the page: each lies beside its component to be read and edited, and one request loads them all.

use std::fs;

use crate::problem::{Problem, Result};
use crate::repository;

/// What the others build on.
const FIRST: [&str; 2] = ["www/style/tokens.css", "www/style/base.css"];

/// The sheets of the components, which follow by the name of their file.
const COMPONENTS: &str = "web/dashboard/src";

/// Writes `target/style.css`.
pub(crate) fn run() -> Result<()> {
    let mut components = repository::files_below(".css", COMPONENTS)?;
    components.sort_by(|one, other| one.file_name().cmp(&other.file_name()));
    let mut joined = String::new();
    for sheet in FIRST.map(repository::path).into_iter().chain(components) {
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
