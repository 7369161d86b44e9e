//! Joins the style sheets of the page: each lies beside its component to be read and edited, and one request loads them all.

use std::fs;

use crate::problem::{Problem, Result};
use crate::repository;

/// The cascade, from what gives way to what wins: a component overrides what it is made of, however specific that is.
const LAYERS: &str = "@layer tokens, base, kit, component;\n";

/// What the others build on, by layer.
const FIRST: [(&str, &str); 2] = [("tokens", "www/style/tokens.css"), ("base", "www/style/base.css")];

/// The sheets of the components, which follow by the name of their file.
const COMPONENTS: &str = "web/dashboard/src";

/// The sheets of what has no idea of OpenCode.
const KIT: &str = "web/dashboard/src/kit";

/// Writes `target/style.css`.
pub(crate) fn run() -> Result<()> {
    let mut components = repository::files_below(".css", COMPONENTS)?;
    components.sort_by(|one, other| one.file_name().cmp(&other.file_name()));
    let kit = repository::path(KIT);
    let components = components.into_iter().map(|sheet| {
        let layer = if sheet.starts_with(&kit) { "kit" } else { "component" };
        (layer, sheet)
    });
    let first = FIRST.map(|(layer, sheet)| (layer, repository::path(sheet)));
    let mut joined = LAYERS.to_owned();
    for (layer, sheet) in first.into_iter().chain(components) {
        let content = fs::read_to_string(&sheet)
            .map_err(|error| Problem::new(format!("{} cannot be read: {error}.", sheet.display())))?;
        joined += &format!("@layer {layer} {{\n{content}}}\n");
    }
    let target = repository::path("target/style.css");
    fs::create_dir_all(repository::path("target"))
        .and_then(|()| fs::write(&target, joined))
        .map_err(|error| Problem::new(format!("{} cannot be written: {error}.", target.display())))
}
