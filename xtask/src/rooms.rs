//! `cargo xtask rooms`: draws the rooms of the crates into the README, from what their files import.

mod imports;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::problem::{Problem, Result};
use crate::repository;
use imports::imports;

/// A folder with rooms: its files and folders.
struct House {
    /// The sources of its crate, from the root of the repository.
    sources: &'static str,
    /// The module that it is in there; empty for the whole crate.
    within: &'static str,
    /// Its rooms, the lowest first. A file imports from its own room and from lower ones.
    rooms: &'static [&'static str],
}

const HOUSES: [House; 4] = [CORE, ENGINE, BROWSER, DASHBOARD];

const CORE: House = House {
    sources: "core/src",
    within: "",
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
        "workflow",
    ],
};

/// The parts know no board: where two of them meet, it hands over what the one says to the other.
const ENGINE: House = House {
    sources: "core/src",
    within: "engine",
    rooms: &[
        "action",
        "evidence",
        "told",
        "server_clock",
        "storage",
        "previews",
        "drafts",
        "outbox",
        "waits",
        "requests",
        "sessions",
        "refresh",
        "board",
    ],
};

const BROWSER: House = House {
    sources: "web/browser/src",
    within: "",
    rooms: &["codec", "formats", "platform", "tabs", "opencode", "device", "server"],
};

const DASHBOARD: House = House {
    sources: "web/dashboard/src",
    within: "",
    rooms: &[
        "kit", "markdown", "words", "parts", "state", "tools", "request", "doctor", "timeline", "side", "pages", "app",
    ],
};

impl House {
    /// The room that a file is in; none for one that lies elsewhere in the crate.
    fn room_of<'a>(&self, file: &'a [String]) -> Option<&'a str> {
        match self.within {
            "" => file.first(),
            within => file.split_first().filter(|(first, _)| *first == within)?.1.first(),
        }
        .map(String::as_str)
    }

    /// Its folder, from the root of the repository.
    fn folder(&self) -> String {
        match self.within {
            "" => self.sources.to_owned(),
            within => format!("{}/{within}", self.sources),
        }
    }
}

/// Between these lines of the README is the picture.
const BEGIN: &str = "<!-- drawn by `cargo xtask rooms` -->\n```text\n";
const END: &str = "```\n<!-- end of the drawing -->";

pub(crate) fn run() -> Result<()> {
    let readme = repository::path("README.md");
    let (before, _, after) = readme_parts()?;
    fs::write(&readme, format!("{before}{}{after}", picture()?))
        .map_err(|error| Problem::new(format!("README.md cannot be written: {error}.")))
}

/// The README before its picture, the picture, and what follows it.
fn readme_parts() -> Result<(String, String, String)> {
    let text = imports::read(&repository::path("README.md"))?;
    let missing = || Problem::new("README.md has no place for the picture of the rooms.");
    let (before, rest) = text.split_once(BEGIN).ok_or_else(missing)?;
    let (picture, after) = rest.split_once(END).ok_or_else(missing)?;
    Ok((format!("{before}{BEGIN}"), picture.to_owned(), format!("{END}{after}")))
}

/// A line for each room, the highest first: its name, what it is, and which rooms it stands on.
fn picture() -> Result<String> {
    let mut lines = Vec::new();
    for house in &HOUSES {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.push(house.folder());
        let arrows = arrows(house)?;
        if let Some(circle) = circle(&arrows) {
            return Err(Problem::new(format!(
                "Rooms of {} import each other: {}.",
                house.folder(),
                circle.join(" → ")
            )));
        }
        for room in house.rooms.iter().rev() {
            let what = first_sentence(house, room)?;
            lines.push(format!("  {room:<12} {what}"));
            let below = without_detours(room, &arrows);
            if !below.is_empty() {
                lines.push(format!("  {:<12} └ {}", "", below.join(", ")));
            }
        }
    }
    Ok(lines.join("\n") + "\n")
}

/// Which rooms the files of each room import from.
fn arrows(house: &House) -> Result<BTreeMap<String, BTreeSet<String>>> {
    let mut arrows: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (file, imports) in imports(house)? {
        let Some(own) = house.room_of(&file) else { continue };
        let rooms = imports.iter().filter_map(|import| house.room_of(import));
        let others = rooms.filter(|room| *room != own).map(str::to_owned);
        arrows.entry(own.to_owned()).or_default().extend(others);
    }
    Ok(arrows)
}

/// A way from a room back to itself, if there is one.
fn circle(arrows: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<&str>> {
    fn way<'a>(
        walked: &mut Vec<&'a str>,
        arrows: &'a BTreeMap<String, BTreeSet<String>>,
        left: &mut BTreeSet<&'a str>,
    ) -> bool {
        let here = walked.last().copied().unwrap_or_default();
        for next in arrows.get(here).into_iter().flatten() {
            if let Some(begin) = walked.iter().position(|room| room == next) {
                walked.drain(..begin);
                walked.push(next);
                return true;
            }
            if !left.contains(next.as_str()) {
                walked.push(next);
                if way(walked, arrows, left) {
                    return true;
                }
                walked.pop();
            }
        }
        left.insert(here);
        false
    }
    let mut left = BTreeSet::new();
    arrows.keys().find_map(|room| {
        let mut walked = vec![room.as_str()];
        way(&mut walked, arrows, &mut left).then_some(walked)
    })
}

/// The rooms that a room imports from, without those that are below another one of them.
fn without_detours<'a>(room: &str, arrows: &'a BTreeMap<String, BTreeSet<String>>) -> Vec<&'a str> {
    let Some(direct) = arrows.get(room) else {
        return Vec::new();
    };
    let is_below = |low: &str| {
        let others = direct.iter().filter(|other| *other != low);
        others.into_iter().any(|other| reaches(other, low, arrows))
    };
    direct.iter().map(String::as_str).filter(|low| !is_below(low)).collect()
}

fn reaches(from: &str, to: &str, arrows: &BTreeMap<String, BTreeSet<String>>) -> bool {
    let next = arrows.get(from).into_iter().flatten();
    next.into_iter().any(|next| next == to || reaches(next, to, arrows))
}

/// The first sentence of a room's documentation, without its full stop.
fn first_sentence(house: &House, room: &str) -> Result<String> {
    let text = imports::read(&repository::path(&format!("{}/{room}.rs", house.folder())))?;
    let lines = text.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim);
    let paragraph: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
    let paragraph = paragraph.join(" ");
    let end = paragraph.find(". ").unwrap_or(paragraph.len());
    Ok(paragraph[..end].trim_end_matches('.').to_owned())
}

#[cfg(test)]
mod tests {
    use super::imports::modules;
    use super::*;

    /// The files of the board share its state, and so import each other.
    const SHARES_ITS_STATE: [&str; 2] = ["engine", "board"];

    const JS: House = House {
        sources: "web/js/src",
        within: "",
        rooms: &[],
    };

    /// What is above all rooms, and what only tests use.
    const NO_ROOMS: [&str; 2] = ["lib", "fixtures"];

    #[test]
    fn every_import_points_down() {
        let mut upward = Vec::new();
        for house in &HOUSES {
            let floor = |room: &str| house.rooms.iter().position(|known| *known == room);
            for (file, imports) in imports(house).expect("the sources are there") {
                let Some(own) = house.room_of(&file).filter(|room| !NO_ROOMS.contains(room)) else {
                    continue;
                };
                let room = floor(own).unwrap_or_else(|| panic!("{own} is no room that has a floor"));
                let above = imports.iter().filter(|import| match house.room_of(import) {
                    Some(import) => floor(import).is_none_or(|to| to > room),
                    None => house.within.is_empty(),
                });
                upward.extend(above.map(|import| format!("{} imports {}", file.join("::"), import.join("::"))));
            }
        }
        assert!(upward.is_empty(), "{upward:#?}");
    }

    #[test]
    fn no_file_of_core_imports_itself_through_others() {
        let imports = imports(&CORE).expect("the sources are there");
        let circular = imports
            .keys()
            .filter(|file| !file.iter().map(String::as_str).take(2).eq(SHARES_ITS_STATE))
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

    #[test]
    fn rooms_that_import_each_other_are_named() {
        let arrows = |pairs: &[(&str, &str)]| {
            let mut arrows: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
            for (from, to) in pairs {
                arrows.entry((*from).to_owned()).or_default().insert((*to).to_owned());
            }
            arrows
        };
        let straight = arrows(&[("app", "pages"), ("app", "kit"), ("pages", "kit")]);
        assert_eq!(circle(&straight), None);
        let bent = arrows(&[
            ("app", "pages"),
            ("pages", "parts"),
            ("parts", "side"),
            ("side", "parts"),
        ]);
        assert_eq!(circle(&bent), Some(vec!["parts", "side", "parts"]));
    }

    /// The files of a crate, of these rooms if there are some, whose code contains one of `words`.
    fn files_with(house: &House, rooms: &[&str], words: &[&str]) -> Vec<String> {
        let modules = modules(house).expect("the sources are there");
        for room in rooms {
            assert!(house.rooms.contains(room), "{room} is no room");
        }
        let chosen = modules
            .iter()
            .filter(|(file, _)| rooms.is_empty() || rooms.contains(&file[0].as_str()))
            .filter(|(_, code)| words.iter().any(|word| code.contains(word)));
        chosen.map(|(file, _)| file.join("::")).collect()
    }

    #[test]
    fn the_engine_never_waits() {
        let waiting = files_with(&CORE, &["engine", "model", "view", "policy"], &["async "]);
        assert!(waiting.is_empty(), "{waiting:?}");
    }

    #[test]
    fn one_file_of_the_browser_knows_the_time() {
        let clocks = [
            "Date::now",
            "Date::new_0",
            "performance()",
            "Instant::now",
            "SystemTime::now",
        ];
        let asking: Vec<String> = [BROWSER, DASHBOARD, JS]
            .iter()
            .flat_map(|house| files_with(house, &[], &clocks))
            .collect();
        assert_eq!(asking, ["platform::clock"]);
    }

    #[test]
    fn one_file_writes_what_the_page_knows_of_the_server() {
        assert_eq!(files_with(&DASHBOARD, &[], &[".views()"]), ["state::store"]);
    }

    #[test]
    fn the_picture_in_the_readme_is_of_the_rooms_as_they_are() {
        let (_, shown, _) = readme_parts().expect("the README has a picture");
        let drawn = picture().expect("the sources are there");
        assert!(shown == drawn, "run `cargo xtask rooms`: the rooms are now\n{drawn}");
    }
}
