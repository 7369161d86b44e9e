//! What imports what, read from the sources of a crate.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::House;
use crate::problem::{Problem, Result};
use crate::repository;

/// The imports of each file, by the module path of the file.
pub(crate) type Imports = BTreeMap<Vec<String>, BTreeSet<Vec<String>>>;

/// The code of each file of a crate without comments and tests, by its module path.
pub(crate) fn modules(house: &House) -> Result<BTreeMap<Vec<String>, String>> {
    let root = repository::path(house.sources);
    let mut files = Vec::new();
    find_files(&root, &mut files)?;
    let module_of = |file: &Path| -> Vec<String> {
        let path = file.strip_prefix(&root).expect("it lies below").with_extension("");
        path.components()
            .map(|part| part.as_os_str().to_string_lossy().into_owned())
            .collect()
    };
    let mut modules = BTreeMap::new();
    for file in &files {
        let module = module_of(file);
        if !module.iter().any(|name| name == "tests") {
            modules.insert(module, code_of(&read(file)?));
        }
    }
    Ok(modules)
}

/// The imports between the files of a crate, without those of their tests.
pub(crate) fn imports(house: &House) -> Result<Imports> {
    let modules = modules(house)?;
    let own_file = |path: &[String]| {
        (1..=path.len())
            .rev()
            .map(|end| path[..end].to_vec())
            .find(|path| modules.contains_key(path))
    };
    let all = modules.iter().map(|(file, code)| {
        let named = named_paths(code, file).into_iter();
        // What a parent declares or hands on is no import, and neither is what a file takes from its parent's constants.
        let foreign = named
            .filter_map(|path| own_file(&path))
            .filter(|path| !file.starts_with(path) && !path.starts_with(file));
        (file.clone(), foreign.collect())
    });
    Ok(all.collect())
}

/// The text of a source file.
pub(super) fn read(file: &Path) -> Result<String> {
    fs::read_to_string(file).map_err(|error| unreadable(file, &error))
}

fn find_files(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).map_err(|error| unreadable(folder, &error))? {
        let path = entry.map_err(|error| unreadable(folder, &error))?.path();
        if path.is_dir() {
            find_files(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

fn unreadable(path: &Path, error: &std::io::Error) -> Problem {
    Problem::new(format!("{} cannot be read: {error}.", path.display()))
}

/// The code of a file without comments and without its tests.
fn code_of(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod").next().unwrap_or_default();
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// Every path in the code that begins with `crate` or `super`, as a path from the root of the crate.
fn named_paths(code: &str, file: &[String]) -> Vec<Vec<String>> {
    let is_of_path = |character: char| character.is_alphanumeric() || character == '_' || character == ':';
    code.split(|character: char| !is_of_path(character))
        .filter_map(|word| {
            let steps: Vec<&str> = word.split("::").filter(|step| !step.is_empty()).collect();
            let mut base = match *steps.first()? {
                "crate" if steps.len() > 1 => Vec::new(),
                "super" => file.to_vec(),
                _ => return None,
            };
            for step in steps {
                match step {
                    "crate" => {}
                    "super" => drop(base.pop()),
                    name => base.push(name.to_owned()),
                }
            }
            (!base.is_empty()).then_some(base)
        })
        .collect()
}
