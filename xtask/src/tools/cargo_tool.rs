//! Installs the tools that come from crates.io, for all clones of the repository.
//!
//! Each version that a compiler has built has a folder of its own in the user's cache: two clones may want different ones.
//! A tool is built beside its folder and moved there when it is whole, so two installations at once do not disturb each
//! other. It is built inside the clone, where it finds what the tools before it have compiled.
//!
//! They are compiled without optimisation and debug information: that takes a fifth of the time, and they run for less
//! than a second each on our files.

use std::env;
use std::env::consts::{ARCH, OS};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::sync::OnceLock;

use crate::problem::{Problem, Result};
use crate::process::{printed_by, run_patiently};
use crate::repository;
use crate::tools::command;

/// A program that `cargo install` can build.
#[derive(Debug)]
pub(crate) struct CargoTool {
    package: &'static str,
    program: &'static str,
    version: Wanted,
    purpose: &'static str,
    /// How long it takes on two cores.
    usual_time: &'static str,
    arguments: &'static [&'static str],
    /// Whether `--version` prints it.
    tells_version: bool,
}

#[derive(Debug)]
enum Wanted {
    Exactly(&'static str),
    /// The version of the crate of this name in `Cargo.lock`.
    Locked(&'static str),
}

impl CargoTool {
    /// Where a version of it is, installed or not: one that is built with other features has another folder.
    fn folder(&self, version: &str) -> PathBuf {
        let mut arguments = DefaultHasher::new();
        self.arguments.hash(&mut arguments);
        home().join(format!("{}-{version}-{:08x}", self.package, arguments.finish() as u32))
    }

    fn version(&self) -> Result<String> {
        match self.version {
            Wanted::Exactly(version) => Ok(version.to_owned()),
            Wanted::Locked(name) => locked_version(name),
        }
    }
}

pub(crate) const TRUNK: CargoTool = CargoTool {
    package: "trunk",
    program: "trunk",
    version: Wanted::Exactly("0.21.14"),
    purpose: "assembles the page",
    usual_time: "two to four minutes",
    arguments: &["--locked", "--no-default-features", "--features", "rustls"],
    tells_version: true,
};

/// Its own lock file is not used: it names a crate version that was withdrawn.
pub(crate) const WASM_BINDGEN: CargoTool = CargoTool {
    package: "wasm-bindgen-cli",
    program: "wasm-bindgen",
    version: Wanted::Locked("wasm-bindgen"),
    purpose: "joins WebAssembly and JavaScript",
    usual_time: "one to two minutes",
    arguments: &[],
    tells_version: true,
};

/// The version of `wasm_split_helpers`, which Leptos has, must suit it.
pub(crate) const WASM_SPLIT: CargoTool = CargoTool {
    package: "wasm_split_cli_support",
    program: "wasm-split-cli",
    version: Wanted::Exactly("0.2.4"),
    purpose: "cuts the dashboard into parts",
    usual_time: "one minute",
    arguments: &["--locked", "--features", "build-binary"],
    tells_version: false,
};

pub(crate) const WASM_PACK: CargoTool = CargoTool {
    package: "wasm-pack",
    program: "wasm-pack",
    version: Wanted::Exactly("0.15.1"),
    purpose: "runs tests inside a browser",
    usual_time: "one minute",
    arguments: &["--locked"],
    tells_version: true,
};

const ALL: [&CargoTool; 4] = [&TRUNK, &WASM_BINDGEN, &WASM_SPLIT, &WASM_PACK];

/// Installs the tool unless the fitting version is there, in the cache or on the `PATH`.
pub(crate) fn install(tool: &CargoTool) -> Result<()> {
    let CargoTool {
        package,
        program,
        purpose,
        usual_time,
        ..
    } = tool;
    let version = tool.version()?;
    let folder = tool.folder(&version);
    let present = printed_by(command(program).arg("--version"));
    let is_mute = !tool.tells_version && folder.join("bin").join(program).is_file();
    if is_mute || present.as_deref().and_then(version_in) == Some(&version) {
        return Ok(());
    }
    if folder.is_dir() {
        println!("{package} {version} does not start, and is built anew.");
        fs::remove_dir_all(&folder).map_err(|error| unusable(&folder, &error))?;
    }
    println!("Installing {package} {version}, which {purpose}: {usual_time} on two cores, once for all clones.");
    let staging = folder.with_file_name(format!(".{package}-{version}-{}", process::id()));
    let built = run_patiently(
        command("cargo")
            .args(["install", "--debug", "--target-dir", "target/tools", "--root"])
            .arg(&staging)
            .arg(format!("{package}@{version}"))
            .args(tool.arguments)
            .env("CARGO_PROFILE_DEV_OPT_LEVEL", "0")
            .env("CARGO_PROFILE_DEV_DEBUG", "false")
            .env("CARGO_PROFILE_DEV_DEBUG_ASSERTIONS", "false")
            .env("CARGO_INCREMENTAL", "0"),
        &format!(
            "{package} {version} could not be installed into {}; the lines above say why: if it was the network, run \
             this command again, it goes on where it stopped.",
            folder.display()
        ),
    );
    let placed = built.and_then(|()| put_in_place(&staging, &folder));
    if placed.is_err() {
        // It may not even be there.
        let _ = fs::remove_dir_all(&staging);
    }
    placed
}

/// Moves a finished folder to its place, unless another installation has filled that meanwhile.
fn put_in_place(staging: &Path, folder: &Path) -> Result<()> {
    let moved = match fs::rename(staging, folder) {
        Err(_) if folder.is_dir() => fs::remove_dir_all(staging),
        moved => moved,
    };
    moved.map_err(|error| unusable(folder, &error))
}

fn unusable(folder: &Path, error: &io::Error) -> Problem {
    Problem::new(format!("{} cannot be used: {error}.", folder.display()))
}

/// Where the programs of the tools are, installed or not.
pub(crate) fn program_folders() -> &'static [PathBuf] {
    static FOLDERS: OnceLock<Vec<PathBuf>> = OnceLock::new();
    FOLDERS.get_or_init(|| {
        let folders = ALL.iter().filter_map(|tool| Some(tool.folder(&tool.version().ok()?)));
        folders.map(|folder| folder.join("bin")).collect()
    })
}

/// Where the tools of this compiler are: in the user's cache, or in the clone where that cannot be written.
fn home() -> &'static Path {
    static HOME: OnceLock<PathBuf> = OnceLock::new();
    HOME.get_or_init(|| {
        let set = env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        let caches = [set, env::home_dir().map(|home| home.join(".cache"))];
        let of_user = caches.into_iter().flatten().find(|path| path.is_absolute());
        let compiler = printed_by(Command::new("rustc").arg("--version").current_dir(repository::root()));
        let compiler = compiler.as_deref().and_then(version_in).unwrap_or("unknown");
        let of_compiler = format!("switchboard/tools/{compiler}-{ARCH}-{OS}");
        let of_user = of_user.map(|cache| cache.join(&of_compiler));
        let usable = of_user.filter(|folder| fs::create_dir_all(folder).is_ok());
        usable.unwrap_or_else(|| repository::path("target/cache").join(&of_compiler))
    })
}

/// The version in what a program prints for `--version`: `trunk 0.21.14` or `wasm-bindgen 0.2.130 (1a2b3c4)`.
fn version_in(printed: &str) -> Option<&str> {
    printed.split_whitespace().nth(1)
}

fn locked_version(name: &str) -> Result<String> {
    let lock = fs::read_to_string(repository::path("Cargo.lock"))
        .map_err(|error| Problem::new(format!("Cargo.lock cannot be read: {error}.")))?;
    version_in_lock(&lock, name).map(str::to_owned).ok_or_else(|| {
        Problem::new(format!(
            "Cargo.lock names no version of {name}: bring it back with `git checkout Cargo.lock`."
        ))
    })
}

fn version_in_lock<'lock>(lock: &'lock str, name: &str) -> Option<&'lock str> {
    let mut lines = lock.lines();
    lines.find(|line| {
        line.strip_prefix("name = ")
            .is_some_and(|quoted| quoted.trim_matches('"') == name)
    })?;
    let version = lines.next()?.strip_prefix("version = ")?;
    Some(version.trim_matches('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_the_second_word() {
        assert_eq!(version_in("trunk 0.21.14"), Some("0.21.14"));
        assert_eq!(version_in("wasm-bindgen 0.2.130 (1a2b3c4)"), Some("0.2.130"));
        assert_eq!(version_in(""), None);
    }

    #[test]
    fn of_two_installations_at_once_one_is_kept() {
        let place = repository::path("target/tool-folders");
        let folders = ["first", "second"].map(|name| place.join(name));
        for staging in &folders {
            fs::create_dir_all(staging.join("bin")).unwrap();
            fs::write(staging.join("bin/tool"), "").unwrap();
        }
        for staging in &folders {
            put_in_place(staging, &place.join("tool-1.0")).unwrap();
        }
        let kept: Vec<_> = fs::read_dir(&place)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(kept, ["tool-1.0"]);
        fs::remove_dir_all(&place).unwrap();
    }

    #[test]
    fn the_lock_file_is_read_by_whole_names() {
        let lock = "\
[[package]]
name = \"wasm-bindgen-futures\"
version = \"0.4.66\"

[[package]]
name = \"wasm-bindgen\"
version = \"0.2.130\"
";
        assert_eq!(version_in_lock(lock, "wasm-bindgen"), Some("0.2.130"));
        assert_eq!(version_in_lock(lock, "wasm"), None);
    }
}
