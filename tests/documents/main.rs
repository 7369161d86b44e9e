//! What comments and tests refer to lies in `docs/`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Where the code is, from the root of the repository.
const FOLDERS: [&str; 4] = ["core", "tests", "web", "www/npm"];
/// Not ours.
const FOREIGN: [&str; 3] = ["node_modules", "target", ".next"];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The requirements of `docs/requirements.md`, by code.
fn requirements() -> BTreeSet<String> {
    let text = fs::read_to_string(repository().join("docs/requirements.md")).expect("the document is there");
    let items = text.lines().filter_map(|line| line.strip_prefix("- "));
    items
        .filter_map(|item| item.split(' ').next())
        .map(str::to_owned)
        .collect()
}

/// The codes of the comments that consist of codes, such as `/// R4, R13`.
fn codes_above_tests(text: &str) -> impl Iterator<Item = &str> {
    let comments = text.lines().filter_map(|line| {
        let line = line.trim();
        let comment = line.strip_prefix("/// ");
        comment.or_else(|| line.strip_prefix("/** ")?.strip_suffix(" */"))
    });
    comments
        .filter(|comment| comment.split(", ").all(is_code))
        .flat_map(|codes| codes.split(", "))
}

fn is_code(word: &str) -> bool {
    let number = word.strip_prefix(['R', 'D', 'C', 'F', 'E']);
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

#[test]
fn tests_name_requirements_that_exist_and_each_is_named_by_one() {
    let mut sources = Vec::new();
    for folder in FOLDERS {
        read_sources(&repository().join(folder), &mut sources);
    }
    let named: BTreeSet<String> = sources
        .iter()
        .flat_map(|text| codes_above_tests(text))
        .map(str::to_owned)
        .collect();
    assert_eq!(named, requirements());
}

fn read_sources(folder: &Path, sources: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("the sources are there") {
        let path = entry.expect("it can be read").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && !FOREIGN.contains(&name.as_str()) {
            read_sources(&path, sources);
        } else if [".rs", ".js", ".mjs", ".ts"]
            .iter()
            .any(|ending| name.ends_with(ending))
        {
            sources.push(fs::read_to_string(path).expect("a source file is text"));
        }
    }
}
