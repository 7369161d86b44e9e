//! Where things are in the repository.

use std::path::{Path, PathBuf};

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
