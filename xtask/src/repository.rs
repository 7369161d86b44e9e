//! Where things are in the repository.

use std::fs;
use std::path::{Path, PathBuf};

use crate::problem::{Problem, Result};

/// The folder of the workspace.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask is a folder of the workspace")
}

/// A path inside the repository, given from its root.
pub(crate) fn path(relative: &str) -> PathBuf {
    root().join(relative)
}

/// The files of a folder (not of those below it) whose names end like this, by name.
pub(crate) fn files_ending(ending: &str, folder: &str) -> Result<Vec<PathBuf>> {
    let unreadable = |error| Problem::new(format!("{folder} cannot be read: {error}."));
    let mut files = Vec::new();
    for entry in fs::read_dir(path(folder)).map_err(unreadable)? {
        let file = entry.map_err(unreadable)?.path();
        if file.to_string_lossy().ends_with(ending) {
            files.push(file);
        }
    }
    files.sort();
    Ok(files)
}

/// The files of a folder and of those in it whose names end so, sorted by path.
pub(crate) fn files_below(ending: &str, folder: &str) -> Result<Vec<PathBuf>> {
    let mut files = files_ending(ending, folder)?;
    for inner in files_ending("", folder)? {
        if inner.is_dir() {
            files.extend(files_below(ending, &inner.to_string_lossy())?);
        }
    }
    files.sort();
    Ok(files)
}
