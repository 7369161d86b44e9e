//! `cargo xtask mutate`: shows that each checker of the simulation can fail.
//!
//! `tests/mutations` holds patches, each of which breaks the engine in one way. One after the other is applied to a copy
//! of the tree, and must be caught by one of the first histories.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::problem::{Problem, Result};
use crate::process;
use crate::repository;
use crate::tools;

/// How many histories may pass before a mutation is called not caught.
const SEEDS: &str = "10000";

/// What came of a mutation.
enum Verdict {
    /// Which seed and which checker caught it.
    Caught(String),
    Missed,
    /// It does not apply, or does not compile: it is older than the code.
    Stale,
}

/// Applies the mutations whose names contain one of `wanted`; all when there is none.
pub(crate) fn run(wanted: &[String]) -> Result<()> {
    let copy = Copy::make()?;
    match copy.play()? {
        Verdict::Missed => {}
        Verdict::Caught(line) => return Err(Problem::new(format!("The tree fails without any mutation: {line}"))),
        Verdict::Stale => return Err(Problem::new("The tree does not compile without any mutation.")),
    }
    let mut uncaught = Vec::new();
    for patch in repository::files_ending(".patch", "tests/mutations")? {
        let name = patch.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if !wanted.is_empty() && !wanted.iter().any(|part| name.contains(part)) {
            continue;
        }
        let verdict = copy.try_mutation(&patch)?;
        let says = match &verdict {
            Verdict::Caught(line) => line.as_str(),
            Verdict::Missed => "NOT CAUGHT",
            Verdict::Stale => "DOES NOT APPLY",
        };
        println!("{name}\n    {}\n    {says}", first_line(&patch));
        if !matches!(verdict, Verdict::Caught(_)) {
            uncaught.push(name);
        }
    }
    if uncaught.is_empty() {
        Ok(())
    } else {
        Err(Problem::new(format!("Not caught: {}.", uncaught.join(", "))))
    }
}

/// A copy of the tree, as last committed.
struct Copy {
    root: PathBuf,
}

impl Copy {
    fn make() -> Result<Self> {
        let root = repository::path("target/mutate/tree");
        if root.exists() {
            fs::remove_dir_all(&root).map_err(|error| Problem::new(format!("{root:?} cannot be removed: {error}.")))?;
        }
        let mut git = git(repository::root());
        process::run(
            git.args(["worktree", "prune"]),
            "The copies of the tree cannot be listed.",
        )?;
        let mut git = self::git(repository::root());
        git.args(["worktree", "add", "--quiet", "--detach"])
            .arg(&root)
            .arg("HEAD");
        process::run(&mut git, "The tree cannot be copied.")?;
        Ok(Self { root })
    }

    fn try_mutation(&self, patch: &Path) -> Result<Verdict> {
        let applies = self.git(&["apply", "--whitespace=nowarn"], patch);
        if !applies {
            return Ok(Verdict::Stale);
        }
        let verdict = self.play();
        if !self.git(&["apply", "--reverse", "--whitespace=nowarn"], patch) {
            return Err(Problem::new(format!("{} cannot be taken back.", patch.display())));
        }
        verdict
    }

    fn git(&self, arguments: &[&str], patch: &Path) -> bool {
        process::printed_by(git(&self.root).args(arguments).arg(patch)).is_some()
    }

    /// Builds the copy and plays histories until one fails.
    fn play(&self) -> Result<Verdict> {
        let build = "build --quiet --profile mutate --package switchboard-tests --bin sim";
        if process::run(self.cargo().args(build.split(' ')), "").is_err() {
            return Ok(Verdict::Stale);
        }
        let mut sim = Command::new(repository::path("target/mutate/mutate/sim"));
        let lines = process::lines_of(sim.args(["--seeds", SEEDS, "--first", "--brief"]))?;
        let caught = lines.into_iter().find(|line| line.starts_with("seed "));
        Ok(caught.map_or(Verdict::Missed, |line| {
            Verdict::Caught(line.chars().take(160).collect())
        }))
    }

    fn cargo(&self) -> Command {
        let mut cargo = tools::command("cargo");
        cargo
            .current_dir(&self.root)
            .env("CARGO_TARGET_DIR", repository::path("target/mutate"));
        cargo
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        let mut git = git(repository::root());
        git.args(["worktree", "remove", "--force"]).arg(&self.root);
        process::printed_by(&mut git);
    }
}

fn git(folder: &Path) -> Command {
    let mut git = Command::new("git");
    git.current_dir(folder);
    git
}

/// The first line of a patch says what it breaks.
fn first_line(patch: &Path) -> String {
    let text = fs::read_to_string(patch).unwrap_or_default();
    text.lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mutation_applies_to_the_code_as_it_is() {
        let patches = repository::files_ending(".patch", "tests/mutations").expect("the folder is there");
        let stale = patches.iter().filter(|patch| {
            let mut check = git(repository::root());
            check.args(["apply", "--check"]).arg(patch);
            process::printed_by(&mut check).is_none()
        });
        let stale: Vec<_> = stale.collect();
        assert!(stale.is_empty(), "older than the code: {stale:?}");
    }
}
