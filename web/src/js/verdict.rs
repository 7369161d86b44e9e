//! Verdicts of reviewers, read from what they wrote, and what they add up to.

use serde::Serialize;
use switchboard_core::completion::{Fault, Issue, Severity, Tally, Verdict, Vote};
use wasm_bindgen::prelude::*;

use super::view::plain;
use crate::formats;

#[derive(Serialize)]
struct ReadShape<'a> {
    verdict: Option<VerdictShape<'a>>,
    fault: Option<FaultShape<'a>>,
}

#[derive(Serialize)]
struct VerdictShape<'a> {
    persona: &'a str,
    vote: &'static str,
    issues: Vec<IssueShape<'a>>,
}

#[derive(Serialize)]
struct IssueShape<'a> {
    severity: &'static str,
    text: &'a str,
}

#[derive(Serialize)]
struct FaultShape<'a> {
    line: usize,
    column: usize,
    message: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TallyShape {
    vote: Option<&'static str>,
    go: usize,
    conditional: usize,
    no_go: usize,
    silent: usize,
    issues: IssuesShape,
}

#[derive(Serialize)]
struct IssuesShape {
    #[serde(rename = "C")]
    critical: usize,
    #[serde(rename = "H")]
    high: usize,
    #[serde(rename = "M")]
    medium: usize,
    #[serde(rename = "L")]
    low: usize,
}

/// Reads a verdict in JSON: what it says, or where it stops making sense. A parser of YAML would weigh as much as all the
/// rest of this program; whoever has one gives JSON.
#[wasm_bindgen(js_name = readVerdict)]
pub fn read_verdict(text: &str) -> Result<JsValue, JsValue> {
    let read = formats::read_json_verdict(text);
    plain(&ReadShape {
        verdict: read.value.as_ref().ok().map(VerdictShape::from),
        fault: read.value.as_ref().err().map(FaultShape::from),
    })
}

/// What the verdicts of all reviewers add up to, each in JSON; one that cannot be read is silence.
#[wasm_bindgen(js_name = tally)]
pub fn tally(verdicts: Vec<String>) -> Result<JsValue, JsValue> {
    let tally: Tally = verdicts
        .iter()
        .map(|text| formats::read_json_verdict(text).value.ok())
        .collect();
    let [critical, high, medium, low] = tally.issues;
    plain(&TallyShape {
        vote: tally.vote().map(word),
        go: tally.go,
        conditional: tally.conditional,
        no_go: tally.no_go,
        silent: tally.silent,
        issues: IssuesShape {
            critical,
            high,
            medium,
            low,
        },
    })
}

fn word(vote: Vote) -> &'static str {
    match vote {
        Vote::Go => "GO",
        Vote::Conditional => "CONDITIONAL",
        Vote::NoGo => "NO-GO",
    }
}

impl<'a> From<&'a Verdict> for VerdictShape<'a> {
    fn from(verdict: &'a Verdict) -> Self {
        Self {
            persona: &verdict.persona,
            vote: word(verdict.vote),
            issues: verdict.issues.iter().map(IssueShape::from).collect(),
        }
    }
}

impl<'a> From<&'a Issue> for IssueShape<'a> {
    fn from(issue: &'a Issue) -> Self {
        Self {
            severity: match issue.severity {
                Severity::Critical => "C",
                Severity::High => "H",
                Severity::Medium => "M",
                Severity::Low => "L",
            },
            text: &issue.text,
        }
    }
}

impl<'a> From<&'a Fault> for FaultShape<'a> {
    fn from(fault: &'a Fault) -> Self {
        Self {
            line: fault.line,
            column: fault.column,
            message: &fault.message,
        }
    }
}
