//! Verdicts of reviewers, read from what they wrote, and what they add up to.

use serde::Serialize;
use switchboard_core::completion::{Fault, Issue, Severity, Verdict, Vote};
use wasm_bindgen::prelude::*;

use super::given::Given;
use super::output::read_format;
use super::view::plain;
use crate::formats;

#[derive(Serialize)]
struct ReadShape<'a> {
    text: &'a str,
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

/// Reads a verdict: what it says, or where it stops making sense. The text comes back as it was.
#[wasm_bindgen(js_name = readVerdict, skip_typescript)]
pub fn read_verdict(text: &str, options: JsValue) -> Result<JsValue, JsValue> {
    let format = read_format(&Given::new("readVerdict", options))?;
    let read = formats::read_verdict(text, format);
    plain(&ReadShape {
        text: &read.text,
        verdict: read.value.as_ref().ok().map(VerdictShape::from),
        fault: read.value.as_ref().err().map(FaultShape::from),
    })
}

impl<'a> From<&'a Verdict> for VerdictShape<'a> {
    fn from(verdict: &'a Verdict) -> Self {
        Self {
            persona: &verdict.persona,
            vote: match verdict.vote {
                Vote::Go => "GO",
                Vote::Conditional => "CONDITIONAL",
                Vote::NoGo => "NO-GO",
            },
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
