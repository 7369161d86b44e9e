//! The rooms of the crates: every import points down, and in `core` no two files import each other, directly or through
//! others.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A crate with rooms.
struct House {
    /// Where its sources are, from the root of the repository.
    sources: &'static str,
    /// Its rooms, the lowest first. A file imports from its own room and from lower ones.
    rooms: &'static [&'static str],
}

const CORE: House = House {
    sources: "core/src",
    rooms: &[
        "collections",
        "time",
        "model",
        "primitives",
        "metrics",
        "ports",
        "policy",
        "view",
        "log",
        "config",
        "watch",
        "engine",
        "driver",
        "handle",
        "lib",
    ],
};

const BROWSER: House = House {
    sources: "web/browser/src",
    rooms: &[
        "codec", "formats", "platform", "tabs", "opencode", "device", "server", "lib",
    ],
};

const DASHBOARD: House = House {
    sources: "web/dashboard/src",
    rooms: &[
        "fixtures", "kit", "markdown", "words", "state", "tools", "request", "timeline", "side", "pages", "app", "lib",
    ],
};

/// The parts of the engine still share the state of its board, and so import each other.
const SHARES_ITS_STATE: &str = "engine";

/// The imports of each file, by the module path of the file.
type Imports = BTreeMap<Vec<String>, BTreeSet<Vec<String>>>;

#[test]
fn every_import_points_down() {
    let mut upward = Vec::new();
    for house in [CORE, BROWSER, DASHBOARD] {
        let floor = |room: &str| house.rooms.iter().position(|known| *known == room);
        for (file, imports) in &imports(&house) {
            let room = floor(&file[0]).unwrap_or_else(|| panic!("{} is no room that has a floor", file[0]));
            let above = imports
                .iter()
                .filter(|import| floor(&import[0]).is_some_and(|to| to > room));
            upward.extend(above.map(|import| format!("{} imports {}", file.join("::"), import.join("::"))));
        }
    }
    assert!(upward.is_empty(), "{upward:#?}");
}

#[test]
fn no_file_imports_itself_through_others() {
    let imports = imports(&CORE);
    let circular = imports
        .keys()
        .filter(|file| file[0] != SHARES_ITS_STATE)
        .filter(|file| {
            let mut reached = BTreeSet::new();
            let mut open: Vec<&Vec<String>> = imports[*file].iter().collect();
            while let Some(next) = open.pop() {
                if reached.insert(next) {
                    open.extend(imports.get(next).into_iter().flatten());
                }
            }
            reached.contains(file)
        });
    let circular: Vec<String> = circular.map(|file| file.join("::")).collect();
    assert!(circular.is_empty(), "these lie on a circle: {circular:#?}");
}

/// The imports between the files of a crate, without those of their tests.
fn imports(house: &House) -> Imports {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(house.sources);
    let mut files = Vec::new();
    find_files(&root, &mut files);
    let module_of = |file: &Path| -> Vec<String> {
        let path = file.strip_prefix(&root).expect("it lies below").with_extension("");
        path.components()
            .map(|part| part.as_os_str().to_string_lossy().into_owned())
            .collect()
    };
    let modules: BTreeMap<Vec<String>, String> = files
        .iter()
        .map(|file| {
            (
                module_of(file),
                fs::read_to_string(file).expect("a source file is text"),
            )
        })
        .filter(|(module, _)| !module.iter().any(|name| name == "tests"))
        .map(|(module, text)| (module, code_of(&text)))
        .collect();
    assert!(
        modules.len() > house.rooms.len(),
        "the sources are not in {}",
        house.sources
    );
    let own_file = |path: &[String]| {
        (1..=path.len())
            .rev()
            .map(|end| path[..end].to_vec())
            .find(|path| modules.contains_key(path))
    };
    modules
        .iter()
        .map(|(file, code)| {
            let named = named_paths(code, file).into_iter();
            // What a parent declares or hands on is no import, and neither is what a file takes from its parent's constants.
            let foreign = named
                .filter_map(|path| own_file(&path))
                .filter(|path| !file.starts_with(path) && !path.starts_with(file));
            (file.clone(), foreign.collect())
        })
        .collect()
}

fn find_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the sources are there") {
        let path = entry.expect("it can be read").path();
        if path.is_dir() {
            find_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
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
