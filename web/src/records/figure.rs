//! The figures of a request as a record, and many of them as an export.

use serde::{Deserialize, Serialize};
use switchboard_core::figures::{AnsweredBy, Figure, Spread, summary};
use switchboard_core::time::Time;

/// Times are milliseconds since the epoch.
#[derive(Serialize, Deserialize)]
pub(super) struct FigureRecord {
    request: String,
    session: String,
    is_permission: bool,
    asked: Option<u64>,
    seen: u64,
    answered: Option<u64>,
    accepted: Option<u64>,
    confirmed: Option<u64>,
    by: Option<ByRecord>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ByRecord {
    Here,
    Policy,
    Elsewhere,
}

#[derive(Serialize)]
struct Export {
    summary: SummaryRecord,
    requests: Vec<FigureRecord>,
}

#[derive(Serialize)]
struct SummaryRecord {
    asked_to_seen: Option<SpreadRecord>,
    seen_to_answered: Option<SpreadRecord>,
    answered_to_confirmed: Option<SpreadRecord>,
}

/// Spans are milliseconds.
#[derive(Serialize)]
struct SpreadRecord {
    count: usize,
    median: u128,
    p95: u128,
}

pub(super) fn export(figures: &[Figure]) -> String {
    let sums = summary(figures);
    let mut requests: Vec<FigureRecord> = figures.iter().map(FigureRecord::from).collect();
    requests.sort_by_key(|figure| figure.seen);
    let export = Export {
        summary: SummaryRecord {
            asked_to_seen: sums.asked_to_seen.map(SpreadRecord::from),
            seen_to_answered: sums.seen_to_answered.map(SpreadRecord::from),
            answered_to_confirmed: sums.answered_to_confirmed.map(SpreadRecord::from),
        },
        requests,
    };
    serde_json::to_string_pretty(&export).expect("figures hold only what JSON can say")
}

impl From<Spread> for SpreadRecord {
    fn from(spread: Spread) -> Self {
        Self {
            count: spread.count,
            median: spread.median.as_millis(),
            p95: spread.p95.as_millis(),
        }
    }
}

impl From<&Figure> for FigureRecord {
    fn from(figure: &Figure) -> Self {
        let milliseconds = |time: Option<Time>| time.map(|time| time.0);
        Self {
            request: figure.request.to_string(),
            session: figure.session.to_string(),
            is_permission: figure.is_permission,
            asked: figure.asked,
            seen: figure.seen.0,
            answered: milliseconds(figure.answered),
            accepted: milliseconds(figure.accepted),
            confirmed: milliseconds(figure.confirmed),
            by: figure.by.map(|by| match by {
                AnsweredBy::Here => ByRecord::Here,
                AnsweredBy::Policy => ByRecord::Policy,
                AnsweredBy::Elsewhere => ByRecord::Elsewhere,
            }),
        }
    }
}

impl From<FigureRecord> for Figure {
    fn from(record: FigureRecord) -> Self {
        Self {
            request: record.request.into(),
            session: record.session.into(),
            is_permission: record.is_permission,
            asked: record.asked,
            seen: Time(record.seen),
            answered: record.answered.map(Time),
            accepted: record.accepted.map(Time),
            confirmed: record.confirmed.map(Time),
            by: record.by.map(|by| match by {
                ByRecord::Here => AnsweredBy::Here,
                ByRecord::Policy => AnsweredBy::Policy,
                ByRecord::Elsewhere => AnsweredBy::Elsewhere,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::{read_figure, write_figure};

    fn figure() -> Figure {
        Figure {
            request: "que_1".into(),
            session: "ses_1".into(),
            is_permission: true,
            asked: Some(1),
            seen: Time(2),
            answered: Some(Time(5)),
            accepted: Some(Time(6)),
            confirmed: None,
            by: Some(AnsweredBy::Policy),
        }
    }

    /// R17
    #[test]
    fn a_figure_comes_back_as_it_was() {
        assert_eq!(read_figure(&write_figure(&figure())), Ok(figure()));
    }

    /// R17
    #[test]
    fn the_export_has_the_sums_and_every_request() {
        let export: serde_json::Value = serde_json::from_str(&export(&[figure()])).unwrap();
        assert_eq!(export["summary"]["seen_to_answered"]["median"], 3);
        assert_eq!(export["requests"][0]["by"], "policy");
    }
}
