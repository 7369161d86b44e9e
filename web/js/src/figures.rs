//! Figures of requests, as plain objects. Spans are milliseconds.

use serde::Serialize;
use switchboard_core::metrics::{AnsweredBy, Figure, Spread, summary};
use switchboard_core::sort_by_key;
use wasm_bindgen::JsValue;

use super::plain::plain;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FiguresShape<'a> {
    asked_to_seen: Option<SpreadShape>,
    seen_to_answered: Option<SpreadShape>,
    answered_to_confirmed: Option<SpreadShape>,
    requests: Vec<FigureShape<'a>>,
}

#[derive(Serialize)]
struct SpreadShape {
    count: usize,
    median: u64,
    p95: u64,
}

#[derive(Serialize)]
struct FigureShape<'a> {
    server: &'a str,
    request: &'a str,
    session: &'a str,
    kind: &'static str,
    asked: Option<u64>,
    seen: u64,
    answered: Option<u64>,
    accepted: Option<u64>,
    confirmed: Option<u64>,
    by: Option<&'static str>,
}

/// The figures of a server, oldest first, and what they amount to.
pub(super) fn to_js(mut figures: Vec<Figure>, server: &str) -> Result<JsValue, JsValue> {
    sort_by_key(&mut figures, |figure| figure.seen);
    let sums = summary(&figures);
    plain(&FiguresShape {
        asked_to_seen: sums.asked_to_seen.map(SpreadShape::from),
        seen_to_answered: sums.seen_to_answered.map(SpreadShape::from),
        answered_to_confirmed: sums.answered_to_confirmed.map(SpreadShape::from),
        requests: figures.iter().map(|figure| FigureShape::new(figure, server)).collect(),
    })
}

impl From<Spread> for SpreadShape {
    fn from(spread: Spread) -> Self {
        Self {
            count: spread.count,
            median: spread.median.as_millis() as u64,
            p95: spread.p95.as_millis() as u64,
        }
    }
}

impl<'a> FigureShape<'a> {
    fn new(figure: &'a Figure, server: &'a str) -> Self {
        Self {
            server,
            request: figure.request.as_str(),
            session: figure.session.as_str(),
            kind: if figure.is_permission { "permission" } else { "question" },
            asked: figure.asked,
            seen: figure.seen.0,
            answered: figure.answered.map(|at| at.0),
            accepted: figure.accepted.map(|at| at.0),
            confirmed: figure.confirmed.map(|at| at.0),
            by: figure.by.map(|by| match by {
                AnsweredBy::Here => "here",
                AnsweredBy::Policy => "policy",
                AnsweredBy::Elsewhere => "elsewhere",
            }),
        }
    }
}
