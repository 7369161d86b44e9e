//! What reviewers are told, and what becomes of what they find.

use std::borrow::Cow;

use super::{Opinion, Seat, Workflow};
use crate::handle::FOLLOW_UP_MAX;
use crate::primitives::completion::{Issue, Severity, Vote};

/// The form in which a reviewer answers (requirements C9).
pub const CONTRACT: &str = "\
Change no file. Answer with YAML alone, and nothing before or after it:

p: your name as a reviewer
v: GO, CONDITIONAL or NO-GO
i:
  - C: a critical issue, in one line, with the file and the line
  - H: an issue of high severity
  - M: one of medium severity
  - L: one of low severity
...

Leave `i` out when there is no issue. NO-GO means that it must not stay as it is, CONDITIONAL that it may once the issues are
mended.";

/// The prompt of a reviewer of this name: what to look for, and at what. Of a material with which it would be longer than
/// [`FOLLOW_UP_MAX`] only the beginning is told, in whole lines where there are some.
///
/// ```
/// use switchboard_core::workflow::{CONTRACT, review_prompt};
///
/// let prompt = review_prompt("security", "Look for what an attacker could use.", "src/login.rs");
/// assert!(prompt.starts_with("You are the reviewer “security”. Look for what an attacker could use."));
/// assert!(prompt.ends_with(CONTRACT));
/// ```
#[must_use]
pub fn review_prompt(name: &str, prompt: &str, material: &str) -> String {
    prompt_with(name, prompt, |room| within(material.trim(), room).into_owned())
}

/// The same with what the session has changed behind a text. Where there is no room for both, the end of the text is left out.
pub(super) fn review_prompt_with_changes(name: &str, prompt: &str, text: &str, changes: &str) -> String {
    let (text, changes) = (text.trim(), changes.trim());
    prompt_with(name, prompt, |room| {
        let changes = match (text, changes) {
            ("", changes) => return within(changes, room).into_owned(),
            (_, "") => NO_CHANGES.to_owned(),
            (text, changes) => {
                let heading = "What the session has changed:\n\n";
                let rest = room.saturating_sub(text.len() + heading.len() + "\n\n".len());
                format!("{heading}{}", within(changes, rest.max(room / 4 * 3)))
            }
        };
        let text = within(text, room.saturating_sub(changes.len() + "\n\n".len()));
        format!("{text}\n\n{changes}")
    })
}

/// Beside a text, where the server has noted no change.
const NO_CHANGES: &str = "(No change of a file was found in the session.)";

fn prompt_with(name: &str, prompt: &str, material: impl FnOnce(usize) -> String) -> String {
    let head = format!("You are the reviewer “{name}”. {prompt}\n\nWhat to review:\n\n");
    let room = FOLLOW_UP_MAX.saturating_sub(head.len() + "\n\n".len() + CONTRACT.len());
    format!("{head}{}\n\n{CONTRACT}", material(room))
}

/// A material within a budget of bytes, with a sentence about what is left out.
fn within(material: &str, budget: usize) -> Cow<'_, str> {
    if material.len() <= budget {
        return Cow::Borrowed(material);
    }
    let sentence = |left_out: usize| {
        format!(
            "\n\n(The last {left_out} bytes of this are left out: there is no room for them. Read the files themselves.)"
        )
    };
    let room = budget.saturating_sub(sentence(material.len()).len());
    let kept = &material[..material.floor_char_boundary(room)];
    let kept = kept.rsplit_once('\n').map_or(kept, |(lines, _)| lines);
    Cow::Owned(format!("{kept}{}", sentence(material.len() - kept.len())))
}

/// An issue, and who found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The issue, with the worst severity that was given to it.
    pub issue: Issue,
    /// The reviewers who found it, in their order.
    pub by: Vec<String>,
    /// Whether it keeps one of them from saying GO.
    pub stops: bool,
}

/// What the reviewers of a step have found, the worst first. What several of them found is one finding.
#[must_use]
pub fn findings(workflow: &Workflow, seats: &[Seat]) -> Vec<Finding> {
    let reviewers = workflow.goal.review.iter().flat_map(|review| &review.reviewers);
    let (mut found, mut keys): (Vec<Finding>, Vec<String>) = (Vec::new(), Vec::new());
    for (reviewer, seat) in reviewers.zip(seats) {
        let Some(Opinion::Verdict(verdict)) = &seat.opinion else {
            continue;
        };
        for issue in &verdict.issues {
            let stops = verdict.vote != Vote::Go;
            let key = letters_of(&issue.text);
            match keys
                .iter()
                .position(|known| *known == key)
                .map(|place| &mut found[place])
            {
                Some(finding) => {
                    finding.issue.severity = finding.issue.severity.min(issue.severity);
                    finding.stops |= stops;
                    if !finding.by.contains(&reviewer.name) {
                        finding.by.push(reviewer.name.clone());
                    }
                }
                None => {
                    keys.push(key);
                    found.push(Finding {
                        issue: issue.clone(),
                        by: vec![reviewer.name.clone()],
                        stops,
                    });
                }
            }
        }
    }
    found.sort_by_key(|finding| finding.issue.severity);
    found
}

/// What the agent is asked to mend: what stops a GO, or everything where nothing does.
#[must_use]
pub fn to_mend(findings: &[Finding]) -> Vec<&Finding> {
    let stopping: Vec<&Finding> = findings.iter().filter(|finding| finding.stops).collect();
    if stopping.is_empty() {
        findings.iter().collect()
    } else {
        stopping
    }
}

/// What the agent is told of what was found: a line for each issue that it is asked to mend ([`to_mend`]).
///
/// ```
/// use switchboard_core::completion::{Issue, Severity};
/// use switchboard_core::workflow::{Finding, issues_message};
///
/// let finding = |severity, text: &str, stops| Finding {
///     issue: Issue { severity, text: text.to_owned() },
///     by: vec!["tests".to_owned(), "security".to_owned()],
///     stops,
/// };
/// let found = [finding(Severity::High, "It leaks.", true), finding(Severity::Low, "A name.", false)];
/// let message = issues_message(&found);
/// assert!(message.contains("\n- H: It leaks. (tests, security)\n"));
/// assert!(!message.contains("A name."));
/// ```
#[must_use]
pub fn issues_message(findings: &[Finding]) -> String {
    let lines = to_mend(findings).into_iter().map(|finding| {
        let Finding { issue, by, .. } = finding;
        format!("- {}: {} ({})\n", letter(issue.severity), issue.text, by.join(", "))
    });
    let lines: String = lines.collect();
    format!("Reviewers found these issues (C critical, H high, M medium, L low):\n\n{lines}\nMend them.")
}

/// The letter of a severity.
fn letter(severity: Severity) -> char {
    match severity {
        Severity::Critical => 'C',
        Severity::High => 'H',
        Severity::Medium => 'M',
        Severity::Low => 'L',
    }
}

/// The same for two issues that are the same: the same words but for case, blanks and punctuation.
fn letters_of(text: &str) -> String {
    let letters = text.chars().filter(|letter| letter.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// F2
    #[test]
    fn beside_a_text_all_changes_are_told_where_there_is_room() {
        let change = "+    let ä = 1;\n";
        let told = |text: &str, changes: &str| review_prompt_with_changes("tests", "", text, changes);
        let long = change.repeat(5_500);
        let prompt = told("Look at a.", &long);
        assert!(prompt.contains(&format!(
            "Look at a.\n\nWhat the session has changed:\n\n{}\n\n",
            long.trim()
        )));
        for (text, changes) in [
            (long.as_str(), long.as_str()),
            ("a", &change.repeat(9_000)),
            ("", &change.repeat(9_000)),
        ] {
            let prompt = told(text, changes);
            assert!(
                prompt.len() <= FOLLOW_UP_MAX && prompt.len() > FOLLOW_UP_MAX - 100,
                "{}",
                prompt.len()
            );
            assert!(prompt.ends_with(CONTRACT), "the contract is missing");
        }
    }

    /// F2
    #[test]
    fn of_a_long_material_whole_lines_are_told_and_how_much_is_left_out() {
        let line = "+    let ä = 1;\n";
        for material in [line.repeat(20_000), "ä".repeat(200_000)] {
            let told = review_prompt("tests", "Look for untested code.", &material);
            assert!(
                told.len() <= FOLLOW_UP_MAX && told.len() > FOLLOW_UP_MAX - 100,
                "{}",
                told.len()
            );
            assert!(told.ends_with(CONTRACT), "the contract is missing");
            let (_, from) = told.split_once("What to review:\n\n").unwrap();
            let (kept, rest) = from.split_once("\n\n(The last ").unwrap();
            let (left_out, _) = rest.split_once(" bytes of this are left out").unwrap();
            assert_eq!(kept.len() + left_out.parse::<usize>().unwrap(), material.trim().len());
            assert!(
                material.starts_with(kept) && (kept.ends_with("= 1;") || kept.ends_with('ä')),
                "cut within a line"
            );
        }
        let fits = line.repeat(5_000);
        assert!(review_prompt("tests", "", &fits).contains(fits.trim()));
    }
}
