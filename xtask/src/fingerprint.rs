//! Tells whether files are as they were.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use crate::problem::{Problem, Result};

/// Grows with names and contents; two that are equal have seen the same, in the same order.
///
/// It says nothing to another version of Rust: what is told from it is only whether something has to be done again.
#[derive(Debug, Default)]
pub(crate) struct Fingerprint(DefaultHasher);

impl Fingerprint {
    pub(crate) fn add(&mut self, word: impl Hash) {
        word.hash(&mut self.0);
    }

    /// Adds a file, or everything below a folder.
    pub(crate) fn add_path(&mut self, path: &Path) -> Result<()> {
        if path.is_dir() {
            return entries(path)?.iter().try_for_each(|entry| self.add_path(entry));
        }
        let content = fs::read(path).map_err(|error| unreadable(path, &error))?;
        self.add((path, content));
        Ok(())
    }

    pub(crate) fn value(&self) -> u64 {
        self.0.finish()
    }
}

/// What is in a folder, by name.
pub(crate) fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut entries = fs::read_dir(folder)
        .and_then(|entries| {
            entries
                .map(|entry| Ok(entry?.path()))
                .collect::<std::io::Result<Vec<_>>>()
        })
        .map_err(|error| unreadable(folder, &error))?;
    entries.sort();
    Ok(entries)
}

fn unreadable(path: &Path, error: &std::io::Error) -> Problem {
    Problem::new(format!("{} cannot be read: {error}.", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &Path) -> u64 {
        let mut fingerprint = Fingerprint::default();
        fingerprint.add_path(path).unwrap();
        fingerprint.value()
    }

    #[test]
    fn a_file_that_is_new_changed_moved_or_gone_is_noticed() {
        let folder = std::env::temp_dir().join(format!("switchboard-fingerprint-{}", std::process::id()));
        fs::create_dir_all(folder.join("below")).unwrap();
        let (first, second) = (folder.join("first"), folder.join("below/second"));
        fs::write(&first, "1").unwrap();
        let alone = of(&folder);
        assert_eq!(of(&folder), alone);
        fs::write(&second, "2").unwrap();
        let both = of(&folder);
        fs::write(&second, "3").unwrap();
        let changed = of(&folder);
        fs::rename(&second, folder.join("second")).unwrap();
        let moved = of(&folder);
        fs::remove_file(folder.join("second")).unwrap();
        assert_eq!(of(&folder), alone);
        fs::remove_dir_all(&folder).unwrap();
        let mut seen = vec![alone, both, changed, moved];
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 4);
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let problem = Fingerprint::default().add_path(Path::new("no/such/file")).unwrap_err();
        assert!(problem.to_string().starts_with("no/such/file cannot be read"));
    }
}
