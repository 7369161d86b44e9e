//! No test stands in a module that is built as WebAssembly alone: `cargo test` would never run it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::repository::{files_below, path};

/// The sources of the crates that are built both ways, from the root of the repository.
const SOURCES: [&str; 4] = ["web/browser/src", "web/dashboard/src", "web/js/src", "web/wire/src"];

/// The modules in files of their own that a source declares for WebAssembly alone.
fn webassembly_modules(source: &str) -> BTreeSet<&str> {
    let mut modules = BTreeSet::new();
    let mut is_alone = false;
    for line in source.lines().map(str::trim) {
        if line.starts_with("#[cfg(") {
            is_alone |= line.contains("wasm") && !line.contains("not(");
        } else if !(line.is_empty() || line.starts_with("#[") || line.starts_with("//")) {
            modules.extend(declared(line).filter(|_| is_alone));
            is_alone = false;
        }
    }
    modules
}

/// The module that a line declares, in a file of its own.
fn declared(line: &str) -> Option<&str> {
    let (before, after) = line.split_once("mod ")?;
    let is_visibility = before.is_empty() || before.starts_with("pub");
    let (name, _) = after.split_once(';').filter(|_| is_visibility)?;
    Some(name)
}

/// The file that declares the module of another one.
fn parent(root: &Path, file: &Path) -> Option<PathBuf> {
    if file.parent() != Some(root) {
        return Some(file.parent()?.with_extension("rs"));
    }
    (!file.ends_with("lib.rs")).then(|| root.join("lib.rs"))
}

/// Whether a file, or one that it is a part of, is built as WebAssembly alone.
fn is_webassembly_alone(root: &Path, file: &Path) -> bool {
    let mut file = file.to_owned();
    while let Some(declaring) = parent(root, &file) {
        let source = fs::read_to_string(&declaring);
        let source = source.unwrap_or_else(|error| {
            panic!(
                "{} is expected to declare {}: {error}",
                declaring.display(),
                file.display()
            )
        });
        let name = file.file_stem().unwrap().to_string_lossy();
        if webassembly_modules(&source).contains(&*name) {
            return true;
        }
        file = declaring;
    }
    false
}

#[test]
fn each_test_is_in_a_module_that_cargo_test_builds() {
    let mut unreached = Vec::new();
    for sources in SOURCES {
        let root = path(sources);
        for file in files_below(".rs", sources).unwrap() {
            let has_tests = fs::read_to_string(&file)
                .unwrap()
                .lines()
                .any(|line| line.trim() == "#[test]");
            if has_tests && is_webassembly_alone(&root, &file) {
                unreached.push(file.display().to_string());
            }
        }
    }
    assert!(
        unreached.is_empty(),
        "`cargo test` does not build these files, and runs none of their tests. Move the tests and what they test to a module that \
         needs no browser:\n{}",
        unreached.join("\n")
    );
}

#[test]
fn a_module_is_built_as_webassembly_alone_where_the_line_before_it_says_so() {
    let source = r#"
pub mod a;
#[cfg(target_family = "wasm")]
pub(crate) mod b;
#[cfg(target_family = "wasm")]
use c;
mod d;
#[cfg(all(test, target_family = "wasm"))]
/// A comment.
#[allow(dead_code)]
mod e; // another one
#[cfg(not(target_family = "wasm"))]
mod f;
"#;
    assert_eq!(webassembly_modules(source), BTreeSet::from(["b", "e"]));
    let parent = |file: &str| parent(Path::new("src"), &Path::new("src").join(file));
    assert_eq!(parent("lib.rs"), None);
    assert_eq!(parent("state.rs"), Some("src/lib.rs".into()));
    assert_eq!(parent("state/turns.rs"), Some("src/state.rs".into()));
    assert_eq!(parent("state/turns/tests.rs"), Some("src/state/turns.rs".into()));
}
