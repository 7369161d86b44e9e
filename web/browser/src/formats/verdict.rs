//! Reads a reviewer's verdict: `p:` the persona, `v:` the vote, `i:` the issues with their severities.

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use switchboard_core::completion::{Format, Issue, Severity, Verdict, Vote};

use super::{Understood, read, read_json};

/// Reads a verdict. Issues are a list of `{C: text}` or of texts that begin with `C:`, or a map from severity to texts;
/// none at all is no issue.
#[must_use]
pub fn read_verdict(text: &str, format: Format) -> Understood<Verdict> {
    verdict_in(read(text, format))
}

/// The same for a verdict in JSON.
#[must_use]
pub fn read_json_verdict(text: &str) -> Understood<Verdict> {
    verdict_in(read_json(text))
}

fn verdict_in(Understood { text, value }: Understood<VerdictRecord>) -> Understood<Verdict> {
    Understood {
        text,
        value: value.map(Verdict::from),
    }
}

#[derive(Deserialize)]
struct VerdictRecord {
    #[serde(rename = "p", default)]
    persona: String,
    #[serde(rename = "v")]
    vote: VoteRecord,
    #[serde(rename = "i", default)]
    issues: Option<Issues>,
}

#[derive(Clone, Copy, Deserialize)]
enum VoteRecord {
    #[serde(rename = "GO", alias = "go", alias = "Go")]
    Go,
    #[serde(rename = "CONDITIONAL", alias = "conditional", alias = "Conditional")]
    Conditional,
    #[serde(rename = "NO-GO", alias = "no-go", alias = "NO_GO", alias = "No-Go", alias = "NOGO")]
    NoGo,
}

impl From<VerdictRecord> for Verdict {
    fn from(record: VerdictRecord) -> Self {
        Self {
            persona: record.persona,
            vote: match record.vote {
                VoteRecord::Go => Vote::Go,
                VoteRecord::Conditional => Vote::Conditional,
                VoteRecord::NoGo => Vote::NoGo,
            },
            issues: record.issues.map(|issues| issues.0).unwrap_or_default(),
        }
    }
}

struct Issues(Vec<Issue>);

impl<'de> Deserialize<'de> for Issues {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(IssuesVisitor).map(Issues)
    }
}

/// Takes issues in whatever of the known forms they come.
struct IssuesVisitor;

impl<'de> Visitor<'de> for IssuesVisitor {
    type Value = Vec<Issue>;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("issues, each with its severity: C, H, M or L")
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Vec::new())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        let (severity, text) = text
            .split_once(':')
            .ok_or_else(|| E::custom("an issue begins with its severity and a colon: C, H, M or L"))?;
        Ok(vec![Issue {
            severity: severity_of(severity)?,
            text: text.trim().to_owned(),
        }])
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut issues = Vec::new();
        while let Some(Issues(more)) = items.next_element()? {
            issues.extend(more);
        }
        Ok(issues)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut issues = Vec::new();
        while let Some(severity) = items.next_key::<String>()? {
            let severity = severity_of(&severity)?;
            let texts: Texts = items.next_value()?;
            issues.extend(texts.0.into_iter().map(|text| Issue { severity, text }));
        }
        Ok(issues)
    }
}

/// One text or several.
struct Texts(Vec<String>);

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            One(String),
            Several(Vec<String>),
        }
        Ok(Self(match Either::deserialize(deserializer)? {
            Either::One(text) => vec![text],
            Either::Several(texts) => texts,
        }))
    }
}

fn severity_of<E: Error>(word: &str) -> Result<Severity, E> {
    match word.trim() {
        "C" | "c" => Ok(Severity::Critical),
        "H" | "h" => Ok(Severity::High),
        "M" | "m" => Ok(Severity::Medium),
        "L" | "l" => Ok(Severity::Low),
        other => Err(E::custom(format!("`{other}` is no severity: C, H, M or L"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn issues(text: &str) -> Vec<(Severity, String)> {
        let verdict = read_verdict(text, Format::Yaml).value.unwrap();
        verdict
            .issues
            .into_iter()
            .map(|issue| (issue.severity, issue.text))
            .collect()
    }

    /// C9
    #[test]
    fn a_verdict_is_read_from_yaml_and_json() {
        let yaml = "---\np: security\nv: NO-GO\ni:\n  - C: no check of the token\n  - L: a typo\n...\n";
        let json = r#"{"p": "security", "v": "NO-GO", "i": [{"C": "no check of the token"}, {"L": "a typo"}]}"#;
        let verdict = read_verdict(yaml, Format::Yaml).value.unwrap();
        assert_eq!((verdict.persona.as_str(), verdict.vote), ("security", Vote::NoGo));
        assert_eq!(verdict.issues.len(), 2);
        assert_eq!(read_verdict(json, Format::Json).value.unwrap(), verdict);
    }

    /// C9
    #[test]
    fn issues_come_in_several_forms() {
        let one = vec![(Severity::High, "slow".to_owned())];
        assert_eq!(issues("v: GO\ni:\n  - H: slow\n"), one);
        assert_eq!(issues("v: GO\ni:\n  - \"H: slow\"\n"), one);
        assert_eq!(issues("v: GO\ni:\n  H: slow\n"), one);
        assert_eq!(issues("v: GO\ni:\n  H: [slow]\n"), one);
        assert_eq!(issues("v: GO\n"), []);
        assert_eq!(issues("v: GO\ni:\n"), []);
    }

    /// C4, C9
    #[test]
    fn a_word_that_is_no_vote_or_severity_is_a_fault_with_its_place() {
        for text in ["p: x\nv: MAYBE\n", "p: x\nv: GO\ni:\n  - X: what\n"] {
            let read = read_verdict(text, Format::Yaml);
            assert_eq!(read.text, text);
            assert!(read.value.unwrap_err().line >= 2, "{text}");
        }
    }
}
