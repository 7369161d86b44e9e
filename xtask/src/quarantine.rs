//! Tests of the page under quarantine: they run apart from the others, and do not decide whether a run has passed.
//!
//! A test carries the tag `@quarantine`, and `tests/flaky.md` has a line for it below the heading "Under quarantine".
//! `cargo xtask check` fails if one is without the other, and if there are more than [`MOST`].

use std::fs;
use std::path::Path;

use crate::problem::{Problem, Result};
use crate::repository;

pub(crate) const TAG: &str = "@quarantine";

/// So many tests may be under quarantine.
const MOST: usize = 5;

const LIST: &str = "tests/flaky.md";
const HEADING: &str = "## Under quarantine";

/// Fails unless the tags of the tests and the lines of the list name the same tests.
pub(crate) fn check() -> Result<()> {
    let list = read(&repository::path(LIST))?;
    let faults = faults(&tagged()?, &listed(&list));
    match faults.as_slice() {
        [] => Ok(()),
        _ => Err(Problem::new(faults.join("\n"))),
    }
}

/// The tests with the tag, as `FILE: TITLE`.
pub(crate) fn tagged() -> Result<Vec<String>> {
    let mut tests = Vec::new();
    for file in repository::files_ending(".spec.js", "tests/e2e")? {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        tests.extend(tagged_in(&name, &read(&file)?)?);
    }
    Ok(tests)
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|error| Problem::new(format!("{} cannot be read: {error}.", path.display())))
}

/// The tests of one file; a tag is on the line on which its test begins.
fn tagged_in(file: &str, source: &str) -> Result<Vec<String>> {
    let lines = source.lines().filter(|line| line.contains(TAG));
    let titles = lines.map(|line| {
        let title = title_of(line.trim_start());
        let title = title.ok_or_else(|| Problem::new(format!("{file}: {TAG} stands on the first line of a test.")))?;
        Ok(format!("{file}: {title}"))
    });
    titles.collect()
}

/// The title in `test("TITLE", …`, whichever quotes it has.
fn title_of(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("test(")?;
    let quote = rest.chars().next().filter(|quote| "\"'`".contains(*quote))?;
    rest[1..].split(quote).next()
}

/// The first cells of the table below the heading, without their marks.
fn listed(list: &str) -> Vec<String> {
    let below = list.lines().skip_while(|line| *line != HEADING).skip(1);
    let section = below.take_while(|line| !line.starts_with("## "));
    let rows = section.filter_map(|line| line.strip_prefix("| "));
    let cells = rows.filter_map(|row| row.split(" | ").next());
    cells
        .filter(|cell| *cell != "test")
        .map(|cell| cell.replacen('`', "", 2))
        .collect()
}

fn faults(tagged: &[String], listed: &[String]) -> Vec<String> {
    let mut faults = Vec::new();
    for test in tagged.iter().filter(|test| !listed.contains(test)) {
        faults.push(format!(
            "{test}\n  has the tag {TAG}, but no line below “{}” in {LIST}.",
            &HEADING[3..]
        ));
    }
    for test in listed.iter().filter(|test| !tagged.contains(test)) {
        faults.push(format!(
            "{test}\n  has a line in {LIST}, but no test of this title has the tag {TAG}."
        ));
    }
    if tagged.len() > MOST {
        faults.push(format!(
            "{} tests are under quarantine; {MOST} may be. Repair one.",
            tagged.len()
        ));
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = r#"
test("a card moves", { tag: "@quarantine" }, async ({ desk }) => {
test("a card stays", async ({ desk }) => {
  test(`in ${browser}, it scrolls`, { tag: "@quarantine" }, async ({ desk }) => {
"#;

    const LINES: &str = "\
# Flaky tests

| test | seen | error | known |
|---|---|---|---|
| `other.spec.js`: a card comes | 2026-11-26 | late | nothing |

## Under quarantine

| test | seen | error | known |
|---|---|---|---|
| `card.spec.js`: a card moves | 2026-11-26 | moved by 1 px | nothing |
| `card.spec.js`: in ${browser}, it scrolls | 2026-11-26 | did not | nothing |
";

    #[test]
    fn tags_and_lines_name_the_same_tests() {
        let tagged = tagged_in("card.spec.js", SOURCE).unwrap();
        let expected = ["card.spec.js: a card moves", "card.spec.js: in ${browser}, it scrolls"];
        assert_eq!(tagged, expected);
        assert_eq!(listed(LINES), expected);
        assert!(faults(&tagged, &listed(LINES)).is_empty());
    }

    #[test]
    fn a_tag_without_a_line_and_a_line_without_a_tag_are_faults() {
        let of = |titles: &[&str]| titles.iter().map(|title| (*title).to_owned()).collect::<Vec<_>>();
        let told = faults(&of(&["a", "b"]), &of(&["b", "c"]));
        assert!(told[0].starts_with("a\n  has the tag @quarantine, but no line below “Under quarantine”"));
        assert!(told[1].starts_with("c\n  has a line in tests/flaky.md, but no test"));
        assert_eq!(told.len(), 2);
    }

    #[test]
    fn more_than_five_are_too_many() {
        let tests: Vec<_> = (1..=6).map(|count| format!("test {count}")).collect();
        assert!(faults(&tests[..5], &tests[..5]).is_empty());
        assert_eq!(
            faults(&tests, &tests),
            ["6 tests are under quarantine; 5 may be. Repair one."]
        );
    }

    #[test]
    fn a_tag_that_is_not_on_the_first_line_of_a_test_is_a_problem() {
        assert!(tagged_in("card.spec.js", "const TAG = \"@quarantine\";").is_err());
    }
}
