//! The figures of a request as a record, and many of them as an export. Times are milliseconds since the epoch.

use serde_json::{Value, json};
use switchboard_core::metrics::{AnsweredBy, Figure, Spread, summary};
use switchboard_core::sort_by_key;

use crate::codec::{Record, choice, record};

record!(Figure {
    request,
    session,
    is_permission,
    asked,
    seen,
    answered,
    accepted,
    confirmed,
    by,
    stopped
});

choice!(AnsweredBy {
    "here" => Here,
    "policy" => Policy,
    "elsewhere" => Elsewhere,
});

pub(super) fn export(figures: &[Figure]) -> String {
    let sums = summary(figures);
    let mut figures: Vec<&Figure> = figures.iter().collect();
    sort_by_key(&mut figures, |figure| figure.seen);
    let export = json!({
        "summary": {
            "asked_to_seen": spread(sums.asked_to_seen),
            "seen_to_answered": spread(sums.seen_to_answered),
            "answered_to_confirmed": spread(sums.answered_to_confirmed),
        },
        "requests": figures.into_iter().map(Record::write).collect::<Value>(),
    });
    format!("{export:#}")
}

/// Spans are milliseconds.
fn spread(spread: Option<Spread>) -> Value {
    spread.map_or(Value::Null, |spread| {
        json!({
            "count": spread.count,
            "median": spread.median.as_millis() as u64,
            "p95": spread.p95.as_millis() as u64,
        })
    })
}

#[cfg(test)]
mod tests {
    use switchboard_core::Time;

    use super::*;
    use crate::device::records::{read_figure, write_figure};

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
            stopped: None,
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
