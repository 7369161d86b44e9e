//! What a session has changed, for reviewers.

/// The longest text of changes, in bytes, without the sentence that says what is left out.
const CHANGES_MAX: usize = 60 * 1024;

/// So many files are named where not all changes are shown.
const NAMED_MAX: usize = 50;

/// What a session has changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// The names of all files that it has changed, each once, in the order of their first change.
    pub files: Vec<String>,
    /// Unified diffs, run by run, the oldest first: a file that was changed in two runs is there twice. What is longer than
    /// 60 KB is cut at the end of a line, and a last line says so and names the files. Empty where nothing has changed.
    pub diff: String,
}

impl Changes {
    /// Puts together changes of files: a name and a diff each, the oldest first. One without a diff is named alone.
    pub fn of(changes: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut whole = Self::default();
        for (file, patch) in changes {
            match patch.trim_end() {
                "" => whole.diff.push_str(&format!("Changed without a diff: {file}\n")),
                patch => whole.diff.extend([patch, "\n"]),
            }
            if !whole.files.contains(&file) {
                whole.files.push(file);
            }
        }
        whole.cut();
        whole
    }

    fn cut(&mut self) {
        let length = self.diff.len();
        if length <= CHANGES_MAX {
            return;
        }
        let room = &self.diff[..self.diff.floor_char_boundary(CHANGES_MAX)];
        self.diff.truncate(room.rfind('\n').map_or(room.len(), |end| end + 1));
        let named: Vec<&str> = self.files.iter().take(NAMED_MAX).map(String::as_str).collect();
        let more = match self.files.len() - named.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let sentence = format!(
            "[Cut: {} of {length} bytes of the change are shown. Read the files for the rest: {}{more}.]\n",
            self.diff.len(),
            named.join(", "),
        );
        self.diff.push_str(&sentence);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(file: &str, patch: &str) -> (String, String) {
        (file.to_owned(), patch.to_owned())
    }

    #[test]
    fn changes_stand_one_after_the_other_and_each_file_is_named_once() {
        let changes = Changes::of([
            change("a", "@@ -1 +1 @@\n-x\n+y\n"),
            change("b", ""),
            change("a", "@@ -1 +1 @@\n-y\n+z"),
        ]);
        assert_eq!(changes.files, ["a", "b"]);
        assert_eq!(
            changes.diff,
            "@@ -1 +1 @@\n-x\n+y\nChanged without a diff: b\n@@ -1 +1 @@\n-y\n+z\n"
        );
        assert_eq!(Changes::of([]), Changes::default());
    }

    #[test]
    fn a_long_change_is_cut_at_the_end_of_a_line_and_says_so() {
        let patch = "+grüße\n".repeat(5_000);
        let changes = Changes::of((0..60).map(|file| (format!("f{file}"), patch.clone())));
        let (shown, sentence) = changes.diff.split_once("[Cut: ").unwrap();
        assert!(shown.len() <= CHANGES_MAX && shown.ends_with("+grüße\n"));
        let length = 60 * patch.len();
        assert!(
            sentence.starts_with(&format!("{} of {length} bytes", shown.len())),
            "{sentence}"
        );
        assert!(sentence.ends_with("f48, f49 and 10 more.]\n"), "{sentence}");
        let line = Changes::of([change("a", &"ü".repeat(CHANGES_MAX))]);
        assert!(line.diff.contains("\u{fc}[Cut: ") && line.diff.ends_with("rest: a.]\n"));
    }
}
