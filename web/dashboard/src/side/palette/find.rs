//! What the palette finds, and in which order.

/// At most so many of each group are listed.
const LISTED: usize = 6;

/// A group of the palette.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Sessions that wait for a person.
    Waiting,
    /// All other sessions.
    Sessions,
    /// What the page can do.
    Commands,
}

impl Group {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Group::Waiting => "Waiting for you",
            Group::Sessions => "Sessions",
            Group::Commands => "Commands",
        }
    }
}

/// Something that can be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry<T> {
    /// Where it is listed.
    pub group: Group,
    /// What it is called; the search looks here.
    pub name: String,
    /// What is said about it; the search looks here, too.
    pub about: String,
    /// What it leads to.
    pub target: T,
}

/// The entries that contain what was typed, group by group. After `>` only commands are found.
#[must_use]
pub fn find<T: Clone>(entries: &[Entry<T>], typed: &str) -> Vec<Entry<T>> {
    let (wanted, only_commands) = match typed.trim_start().strip_prefix('>') {
        Some(rest) => (rest, true),
        None => (typed, false),
    };
    let wanted = wanted.trim().to_lowercase();
    let matches = |entry: &&Entry<T>| {
        let is_meant = entry.group == Group::Commands || !only_commands;
        is_meant && (entry.name.to_lowercase().contains(&wanted) || entry.about.to_lowercase().contains(&wanted))
    };
    [Group::Waiting, Group::Sessions, Group::Commands]
        .into_iter()
        .flat_map(|group| {
            let members = entries.iter().filter(move |entry| entry.group == group);
            members.filter(matches).take(LISTED)
        })
        .cloned()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(group: Group, name: &str, about: &str) -> Entry<()> {
        Entry {
            group,
            name: name.to_owned(),
            about: about.to_owned(),
            target: (),
        }
    }

    #[test]
    fn what_waits_is_found_first_and_commands_alone_after_a_sign() {
        let entries = [
            entry(Group::Commands, "Appearance: dark", ""),
            entry(Group::Sessions, "Dark mode for charts", "~/atlas-web"),
            entry(Group::Waiting, "Rotate certificates", "darkroom"),
        ];
        let names = |typed: &str| {
            find(&entries, typed)
                .into_iter()
                .map(|entry| entry.name)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            names("DARK"),
            ["Rotate certificates", "Dark mode for charts", "Appearance: dark"]
        );
        assert_eq!(names("> dark"), ["Appearance: dark"]);
        assert_eq!(names("atlas"), ["Dark mode for charts"]);
        assert!(names("nothing like it").is_empty());
    }
}
