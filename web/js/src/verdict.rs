//! What the verdicts of reviewers add up to.

use serde::Serialize;
use switchboard_core::completion::{Tally, Vote};
use wasm_bindgen::prelude::*;

use super::view::plain;
use switchboard_browser::formats;

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
