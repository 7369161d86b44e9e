//! Reads a unified diff into rows to show.
//!
//! Nothing is left out: a line that fits nowhere becomes a note. A person approves what is shown here, so a change
//! that hides behind a wrong count or an odd header must be seen, too.

/// A change to one or several files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// Its rows, in the order of the text.
    pub rows: Vec<Row>,
    /// How many lines are new.
    pub added: usize,
    /// How many lines go.
    pub removed: usize,
    /// How many files it names.
    pub files: usize,
}

/// One row of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Row {
    /// The next rows are about this file.
    File(String),
    /// Lines are left out between what is above and what is below.
    Gap,
    /// A line that stays.
    Kept {
        /// Its number before.
        old: u32,
        /// Its number afterwards.
        new: u32,
        /// The line.
        text: String,
    },
    /// A line that goes.
    Removed {
        /// Its number before.
        old: u32,
        /// The line.
        text: String,
    },
    /// A line that is new.
    Added {
        /// Its number afterwards.
        new: u32,
        /// The line.
        text: String,
    },
    /// Anything else that the text says.
    Note(String),
}

/// Reads a unified diff.
#[must_use]
pub fn read(text: &str) -> Change {
    let mut change = Change::default();
    let mut hunk = Hunk::default();
    for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
        if hunk.is_open() {
            let row = hunk.row(line);
            change.count(&row);
            change.rows.push(row);
        } else if let Some(begun) = Hunk::begin(line) {
            if hunk != Hunk::default() {
                change.rows.push(Row::Gap);
            }
            hunk = begun;
        } else if let Some(file) = file_of(line) {
            hunk = Hunk::default();
            change.name(file);
        } else if !is_frame(line) {
            change.rows.push(Row::Note(line.to_owned()));
        }
    }
    change
}

impl Row {
    /// What the row says, without numbers and signs.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Row::Gap => "",
            Row::File(text)
            | Row::Note(text)
            | Row::Kept { text, .. }
            | Row::Removed { text, .. }
            | Row::Added { text, .. } => text,
        }
    }
}

impl Change {
    fn count(&mut self, row: &Row) {
        match row {
            Row::Added { .. } => self.added += 1,
            Row::Removed { .. } => self.removed += 1,
            Row::File(_) | Row::Gap | Row::Kept { .. } | Row::Note(_) => {}
        }
    }

    /// The name stands twice, before and after; a file that is new or deleted has `/dev/null` in one place.
    fn name(&mut self, file: &str) {
        if let Some(Row::File(last)) = self.rows.last_mut() {
            if file != "/dev/null" {
                file.clone_into(last);
            }
            return;
        }
        self.files += 1;
        self.rows.push(Row::File(file.to_owned()));
    }
}

/// The lines that one `@@` line announces.
#[derive(Default, PartialEq, Eq)]
struct Hunk {
    old: u32,
    new: u32,
    old_left: u32,
    new_left: u32,
}

impl Hunk {
    fn begin(line: &str) -> Option<Self> {
        let ranges = line.strip_prefix("@@ -")?;
        let (old, rest) = ranges.split_once(" +")?;
        let (new, _) = rest.split_once(" @@")?;
        let (old, old_left) = range(old)?;
        let (new, new_left) = range(new)?;
        Some(Self {
            old,
            new,
            old_left,
            new_left,
        })
    }

    fn is_open(&self) -> bool {
        self.old_left > 0 || self.new_left > 0
    }

    fn row(&mut self, line: &str) -> Row {
        let (sign, text) = line.split_at(usize::from(line.starts_with([' ', '+', '-'])));
        match sign {
            "+" => Row::Added {
                new: self.next_new(),
                text: text.to_owned(),
            },
            "-" => Row::Removed {
                old: self.next_old(),
                text: text.to_owned(),
            },
            " " => Row::Kept {
                old: self.next_old(),
                new: self.next_new(),
                text: text.to_owned(),
            },
            _ if line.is_empty() => Row::Kept {
                old: self.next_old(),
                new: self.next_new(),
                text: String::new(),
            },
            _ => Row::Note(line.to_owned()),
        }
    }

    fn next_old(&mut self) -> u32 {
        self.old_left = self.old_left.saturating_sub(1);
        let number = self.old;
        self.old = self.old.saturating_add(1);
        number
    }

    fn next_new(&mut self) -> u32 {
        self.new_left = self.new_left.saturating_sub(1);
        let number = self.new;
        self.new = self.new.saturating_add(1);
        number
    }
}

fn range(text: &str) -> Option<(u32, u32)> {
    let (start, length) = text.split_once(',').unwrap_or((text, "1"));
    Some((start.parse().ok()?, length.parse().ok()?))
}

fn file_of(line: &str) -> Option<&str> {
    let name = line.strip_prefix("--- ").or_else(|| line.strip_prefix("+++ "))?;
    Some(name.split('\t').next().unwrap_or(name))
}

/// True for lines that only frame a diff: OpenCode's `Index:` and its rule.
fn is_frame(line: &str) -> bool {
    line.is_empty() || line.starts_with("Index: ") || (line.len() >= 8 && line.bytes().all(|byte| byte == b'='))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: &str = "===================================================================";

    #[test]
    fn what_opencode_sends_is_read() {
        let change = read(&format!(
            "Index: /p/hello.txt\n{RULE}\n--- /p/hello.txt\n+++ /p/hello.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n"
        ));
        let expected = Change {
            rows: vec![
                Row::File("/p/hello.txt".to_owned()),
                Row::Kept {
                    old: 1,
                    new: 1,
                    text: "one".to_owned(),
                },
                Row::Removed {
                    old: 2,
                    text: "two".to_owned(),
                },
                Row::Added {
                    new: 2,
                    text: "three".to_owned(),
                },
            ],
            added: 1,
            removed: 1,
            files: 1,
        };
        assert_eq!(change, expected);
    }

    #[test]
    fn lines_that_look_like_headers_are_lines() {
        let change = read("--- a\n+++ b\n@@ -1,2 +1,2 @@\n--- old list\n+++ new list\n keep\n");
        assert_eq!(
            change.rows[1..],
            [
                Row::Removed {
                    old: 1,
                    text: "-- old list".to_owned()
                },
                Row::Added {
                    new: 1,
                    text: "++ new list".to_owned()
                },
                Row::Kept {
                    old: 2,
                    new: 2,
                    text: "keep".to_owned()
                },
            ]
        );
        assert_eq!(change.files, 1);
    }

    #[test]
    fn several_hunks_and_several_files_are_told_apart() {
        let change = read(
            "--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\n@@ -9 +9 @@ fn f()\n-x\n+y\n--- /dev/null\n+++ b\n@@ -0,0 +1 @@\n+z\n",
        );
        let gaps = change.rows.iter().filter(|row| **row == Row::Gap).count();
        assert_eq!((change.files, change.added, change.removed, gaps), (2, 3, 2, 1));
        assert_eq!(change.rows[6], Row::File("b".to_owned()));
    }

    #[test]
    fn nothing_hides_behind_a_wrong_count() {
        let change = read("@@ -1 +1 @@\n-a\n+b\n+rm -rf /\n\\ No newline at end of file\n@@ oops\ntail");
        let notes: Vec<&Row> = change.rows.iter().filter(|row| matches!(row, Row::Note(_))).collect();
        assert_eq!(
            notes,
            [
                &Row::Note("+rm -rf /".to_owned()),
                &Row::Note("\\ No newline at end of file".to_owned()),
                &Row::Note("@@ oops".to_owned()),
                &Row::Note("tail".to_owned()),
            ]
        );
    }
}
