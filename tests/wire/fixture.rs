//! The recorded answers of a server.

use std::fs;
use std::path::PathBuf;

/// The version that they were recorded from.
pub(crate) const VERSION: &str = "1.18.33";

/// The recorded text in this file.
pub(crate) fn recorded(name: &str) -> String {
    let path = folder().join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The names of all files that begin and end so, in order.
pub(crate) fn names(start: &str, end: &str) -> Vec<String> {
    let entries = fs::read_dir(folder()).expect("the folder of recorded answers");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
        .filter(|name| name.starts_with(start) && name.ends_with(end))
        .collect();
    names.sort();
    assert!(!names.is_empty(), "no file {start}…{end}");
    names
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("wire").join(VERSION)
}
