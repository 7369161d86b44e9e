//! What a session has changed, for reviewers.

/// The longest text of changes, in bytes, without the sentence that says what is left out.
const CHANGES_MAX: usize = 60 * 1024;

/// What was changed long ago is not read.
const NOT_ALL: &str = "[This session is long: what it changed at its beginning is not shown here.]\n";

/// So many files are named where not all changes are shown.
const NAMED_MAX: usize = 50;

/// What a session has changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// The names of all files that it has changed, each once, in the order of their first change.
    pub files: Vec<String>,
    /// Unified diffs, run by run, the oldest first: a file that was changed in two runs is there twice. Of more than 60 KB
    /// the newest are there, the oldest of those cut at the end of a line, and a last line says so and names the files. Empty where
    /// nothing has changed.
    pub diff: String,
}

impl Changes {
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
        let mut diff = newest(&diffs);
        if diff.len() < length {
            diff.push_str(&left_out(diff.len(), length, &files));
        }
        if !are_all && !diff.is_empty() {
            diff.insert_str(0, NOT_ALL);
        }
        Self { files, diff }
    }
}

/// The newest diffs, as far as there is room for them: what comes last is what a later review is about.
fn newest(diffs: &[String]) -> String {
    let mut room = CHANGES_MAX;
    let mut kept: Vec<&str> = Vec::new();
    for diff in diffs.iter().rev() {
        if diff.len() > room {
            let begin = &diff[..diff.floor_char_boundary(room)];
            let lines = begin.rfind('\n').map(|end| end + 1);
            // A line that is longer than everything is better cut than left out.
            let end = lines.unwrap_or(if kept.is_empty() { begin.len() } else { 0 });
            kept.push(&begin[..end]);
            break;
        }
        room -= diff.len();
        kept.push(diff);
    }
    kept.into_iter().rev().collect()
}

fn left_out(shown: usize, length: usize, files: &[String]) -> String {
    let named: Vec<&str> = files.iter().take(NAMED_MAX).map(String::as_str).collect();
    let more = match files.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let named = named.join(", ");
    format!(
        "[Cut: the newest {shown} of {length} bytes of the change are shown. Read the files for the rest: {named}{more}.]\n"
    )
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
    fn a_long_change_is_cut_at_the_end_of_a_line_and_says_so() {
        let patch = "+grüße\n".repeat(5_000);
        let changes = Changes::of((0..60).map(|file| (format!("f{file}"), patch.clone())), true);
        let (shown, sentence) = changes.diff.split_once("[Cut: ").unwrap();
        assert!(shown.len() <= CHANGES_MAX && shown.ends_with("+grüße\n"));
        let length = 60 * patch.len();
        assert!(
            sentence.starts_with(&format!("the newest {} of {length} bytes", shown.len())),
            "{sentence}"
        );
        assert!(sentence.ends_with("f48, f49 and 10 more.]\n"), "{sentence}");
        let fix = Changes::of(
            [change("a", &patch), change("a", &patch), change("b", "-grüße\n+gruß\n")],
            true,
        );
        assert!(
            fix.diff.contains("+grüße\n-grüße\n+gruß\n[Cut: "),
            "the newest is there, and before it what fits"
        );
        let line = Changes::of([change("a", &"ü".repeat(CHANGES_MAX))], true);
        assert!(line.diff.contains("\u{fc}[Cut: ") && line.diff.ends_with("rest: a.]\n"));
    }
}
