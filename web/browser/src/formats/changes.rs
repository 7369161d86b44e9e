//! The changes of a session, for reviewers.

use std::borrow::Cow;

/// So much of one diff is shown where not all changes are: a lock file must not take the place of the rest.
const DIFF_MAX: usize = Changes::MAX / 4;

/// So many files are named where not all changes are shown.
const NAMED_MAX: usize = 50;

/// Where the oldest messages were not read.
const NOT_ALL: &str =
    "[This session is long, and only its newest messages were looked at. Older changes are not shown.]\n";

/// The changes of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// The names of all files that it has changed, each once, in the order of their first change.
    pub files: Vec<String>,
    /// Unified diffs, run by run, the oldest first: a file that was changed in two runs is there twice. Of more than 60 KB, the
    /// newest are there, with at most 15 KB of each, and a last line names the files. Empty where nothing has changed.
    pub diff: String,
}

impl Changes {
    /// The longest text of changes, in bytes, without the sentences that say what is left out.
    pub const MAX: usize = 60 * 1024;

    /// Puts together changes of files: a name and a diff each, the oldest first. One without a diff is named alone. Where these
    /// are not all, a first line says so.
    pub fn of(changes: impl IntoIterator<Item = (String, String)>, are_all: bool) -> Self {
        let (mut files, mut diffs) = (Vec::new(), Vec::new());
        for (file, patch) in changes {
            diffs.push(match patch.trim_end() {
                "" => format!("Changed without a diff: {file}\n"),
                patch => format!("{patch}\n"),
            });
            if !files.contains(&file) {
                files.push(file);
            }
        }
        let length: usize = diffs.iter().map(String::len).sum();
        let mut diff = if length <= Changes::MAX {
            diffs.concat()
        } else {
            newest(&diffs) + &left_out(length, &files)
        };
        if !are_all && !diff.is_empty() {
            diff.insert_str(0, NOT_ALL);
        }
        Self { files, diff }
    }
}

/// The newest diffs for which there is room: a later review is about them.
fn newest(diffs: &[String]) -> String {
    let mut room = Changes::MAX;
    let mut kept = Vec::new();
    for diff in diffs.iter().rev().map(|diff| beginning(diff)) {
        if diff.len() > room {
            break;
        }
        room -= diff.len();
        kept.push(diff);
    }
    kept.into_iter().rev().collect()
}

/// The whole lines of a diff that there is room for.
fn beginning(diff: &str) -> Cow<'_, str> {
    if diff.len() <= DIFF_MAX {
        return Cow::Borrowed(diff);
    }
    let kept = &diff[..diff.floor_char_boundary(DIFF_MAX)];
    let kept = kept.rsplit_once('\n').map_or(kept, |(lines, _)| lines);
    let rest = diff.len() - kept.len();
    Cow::Owned(format!("{kept}\n[Cut: {rest} bytes more of this diff.]\n"))
}

fn left_out(length: usize, files: &[String]) -> String {
    let named: Vec<&str> = files.iter().take(NAMED_MAX).map(String::as_str).collect();
    let more = match files.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let named = named.join(", ");
    format!("[Cut: the newest of {length} bytes of changes are shown. Read the files for the rest: {named}{more}.]\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(file: &str, patch: &str) -> (String, String) {
        (file.to_owned(), patch.to_owned())
    }

    #[test]
    fn changes_stand_one_after_the_other_and_each_file_is_named_once() {
        let changes = Changes::of(
            [
                change("a", "@@ -1 +1 @@\n-x\n+y\n"),
                change("b", ""),
                change("a", "@@ -1 +1 @@\n-y\n+z"),
            ],
            true,
        );
        assert_eq!(changes.files, ["a", "b"]);
        assert_eq!(
            changes.diff,
            "@@ -1 +1 @@\n-x\n+y\nChanged without a diff: b\n@@ -1 +1 @@\n-y\n+z\n"
        );
        assert_eq!(Changes::of([], true), Changes::default());
        assert_eq!(Changes::of([], false), Changes::default());
        let part = Changes::of([change("b", "")], false);
        assert!(part.diff.starts_with("[This session is long") && part.diff.ends_with("diff: b\n"));
    }

    #[test]
    fn of_long_changes_the_newest_are_there_and_whole_lines_of_each() {
        let patch = "+grüße\n".repeat(1_000);
        let mut changes: Vec<_> = (0..60).map(|file| change(&format!("f{file}"), &patch)).collect();
        changes.push(change("lock", &"+ü\n".repeat(Changes::MAX)));
        changes.push(change("fix", "-grüße\n+gruß\n"));
        let length: usize = changes.iter().map(|(_, patch)| patch.len()).sum();
        let diff = Changes::of(changes, true).diff;
        assert!(diff.starts_with("+grüße\n") && diff.len() < Changes::MAX + 1_000);
        let (shown, sentence) = diff.rsplit_once("[Cut: ").unwrap();
        assert!(shown.contains("\n+grüße\n+ü\n") && shown.ends_with(" bytes more of this diff.]\n-grüße\n+gruß\n"));
        assert!(
            sentence.starts_with(&format!("the newest of {length} bytes")),
            "{sentence}"
        );
        assert!(sentence.ends_with("f48, f49 and 12 more.]\n"), "{sentence}");
        let line = Changes::of([change("a", &"ü".repeat(Changes::MAX))], true);
        assert!(line.diff.contains("ü\n[Cut: ") && line.diff.ends_with("rest: a.]\n"));
    }
}
