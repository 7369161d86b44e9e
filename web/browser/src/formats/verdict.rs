//! Reads the verdict of a reviewer from YAML or JSON, and finds the place where it stops making sense.
//!
//! `www/npm/src/verdict.ts` reads the same, for programs that have no WebAssembly. A text is not trusted: it ends at a
//! length and a depth that no verdict has, and an alias stands for nothing.

mod document;

use switchboard_core::completion::{Fault, Issue, Severity, Verdict, Vote};

use document::{Content, Node};

/// The longest text that is read, in bytes.
const TEXT_MAX: usize = 256 * 1024;

/// So many characters of a word are quoted in a fault.
const QUOTED_MAX: usize = 40;

/// Reads a verdict, in a Markdown fence or without one. What follows the end of the first document is not looked at.
///
/// # Errors
/// Names the first place where the text is no verdict.
pub fn read_verdict(text: &str) -> Result<Verdict, Fault> {
    if text.len() > TEXT_MAX {
        let message = format!("a verdict has at most {} KB", TEXT_MAX / 1024);
        return Err(Fault {
            line: 1,
            column: 1,
            message,
        });
    }
    let (inner, skipped) = unfenced(text);
    let read = document::read(inner).and_then(|root| verdict(&root));
    read.map_err(|fault| Fault {
        line: fault.line + skipped,
        ..fault
    })
}

fn verdict(root: &Node) -> Result<Verdict, Fault> {
    let Content::Map(fields) = &root.content else {
        return Err(root.fault("a verdict is a mapping with `p`, `v` and `i`"));
    };
    let field = |name: &str| {
        let mut fields = fields.iter();
        fields.find(|(key, _)| key.text() == Some(name)).map(|(_, value)| value)
    };
    let vote_field = |persona| {
        let node = field("v").ok_or_else(|| root.fault("`v` is missing: GO, CONDITIONAL or NO-GO"))?;
        Ok(Verdict {
            persona,
            vote: vote(node)?,
            issues: field("i").map_or(Ok(Vec::new()), issues)?,
        })
    };
    persona(field("p")).and_then(vote_field)
}

fn persona(node: Option<&Node>) -> Result<String, Fault> {
    match node {
        None => Ok(String::new()),
        Some(node) if node.is_null() => Ok(String::new()),
        Some(node) => text(node, "`p` is the name of the reviewer").map(str::to_owned),
    }
}

fn vote(node: &Node) -> Result<Vote, Fault> {
    let word = text(node, "`v` is a vote: GO, CONDITIONAL or NO-GO")?;
    match word.trim().to_lowercase().as_str() {
        "go" => Ok(Vote::Go),
        "conditional" => Ok(Vote::Conditional),
        "no-go" | "no_go" | "nogo" => Ok(Vote::NoGo),
        _ => Err(node.fault(&format!("`{}` is not a vote: GO, CONDITIONAL or NO-GO", quoted(word)))),
    }
}

/// A list of `{C: text}` or of texts that begin with `C:`, or a map from severity to texts; none at all is no issue.
fn issues(node: &Node) -> Result<Vec<Issue>, Fault> {
    match &node.content {
        Content::List(items) => {
            let issues: Result<Vec<Vec<Issue>>, Fault> = items.iter().map(issues).collect();
            issues.map(|issues| issues.concat())
        }
        Content::Map(fields) => {
            let mut issues = Vec::new();
            for (key, value) in fields {
                let severity = severity(text(key, "an issue has a severity: C, H, M or L")?, key)?;
                let texts = texts(value)?.into_iter();
                issues.extend(texts.map(|text| Issue { severity, text }));
            }
            Ok(issues)
        }
        Content::Scalar { .. } | Content::Alias if node.is_null() => Ok(Vec::new()),
        Content::Scalar { .. } | Content::Alias => {
            let said = text(node, "an issue is a text")?;
            let (word, issue) = said
                .split_once(':')
                .ok_or_else(|| node.fault("an issue begins with its severity and a colon: C, H, M or L"))?;
            Ok(vec![Issue {
                severity: severity(word, node)?,
                text: issue.trim().to_owned(),
            }])
        }
    }
}

fn texts(node: &Node) -> Result<Vec<String>, Fault> {
    let one = |node| text(node, "an issue is a text").map(str::to_owned);
    match &node.content {
        Content::List(items) => items.iter().map(one).collect(),
        Content::Map(_) | Content::Scalar { .. } | Content::Alias => one(node).map(|text| vec![text]),
    }
}

fn text<'a>(node: &'a Node, expected: &str) -> Result<&'a str, Fault> {
    node.text().ok_or_else(|| node.fault(expected))
}

fn severity(word: &str, node: &Node) -> Result<Severity, Fault> {
    match word.trim().to_lowercase().as_str() {
        "c" => Ok(Severity::Critical),
        "h" => Ok(Severity::High),
        "m" => Ok(Severity::Medium),
        "l" => Ok(Severity::Low),
        _ => Err(node.fault(&format!("`{}` is not a severity: C, H, M or L", quoted(word)))),
    }
}

/// The beginning of a word that is no such word.
fn quoted(word: &str) -> String {
    match word.char_indices().nth(QUOTED_MAX) {
        Some((end, _)) => format!("{}…", &word[..end]),
        None => word.to_owned(),
    }
}

/// The text without the Markdown fence around it, and how many lines come before.
fn unfenced(text: &str) -> (&str, usize) {
    let begun = text.trim_start();
    let Some((_, inner)) = begun.strip_prefix("```").and_then(|fence| fence.split_once('\n')) else {
        return (text, 0);
    };
    let skipped = text[..text.len() - inner.len()].matches('\n').count();
    let end = inner.rfind("```").filter(|end| !inner[end + 3..].contains('`'));
    (&inner[..end.unwrap_or(inner.len())], skipped)
}

#[cfg(test)]
mod tests;
