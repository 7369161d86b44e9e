//! Figures: when each request was asked, seen, answered, accepted and confirmed, and by whom (requirements R17).

use std::time::Duration;

use crate::collections::sort_by_key;
use crate::model::{RequestId, SessionId};
use crate::time::Time;

/// How long figures are kept.
pub(crate) const KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The times of one request. They are kept for 30 days.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// The request.
    pub request: RequestId,
    /// The session that asked.
    pub session: SessionId,
    /// Whether it is a permission; else it is a question.
    pub is_permission: bool,
    /// When it was asked, server clock, milliseconds since the epoch.
    pub asked: Option<u64>,
    /// When this engine first saw it. Reloads do not change it, and time-outs count from it.
    pub seen: Time,
    /// When it was answered here.
    pub answered: Option<Time>,
    /// When the server said yes to that answer.
    pub accepted: Option<Time>,
    /// When it was seen that the agent has the answer.
    pub confirmed: Option<Time>,
    /// Who answered, as far as known.
    pub by: Option<AnsweredBy>,
    /// When a person stopped the countdown of its policy, which says nothing to it any more.
    pub stopped: Option<Time>,
}

impl Figure {
    /// Takes over what another life of this engine, or another tab, has kept of the same request. Of two answers the
    /// confirmed one counts.
    pub fn add(&mut self, kept: &Figure) {
        self.seen = self.seen.min(kept.seen);
        self.asked = self.asked.or(kept.asked);
        if self.confirmed.is_none() && kept.confirmed.is_some() && kept.answered.is_some() {
            (self.answered, self.accepted, self.by) = (kept.answered, kept.accepted, kept.by);
        }
        self.answered = self.answered.or(kept.answered);
        self.accepted = self.accepted.or(kept.accepted);
        self.confirmed = self.confirmed.or(kept.confirmed);
        self.by = self.by.or(kept.by);
        self.stopped = self.stopped.or(kept.stopped);
    }
}

/// Who answered a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnsweredBy {
    /// A person at this engine.
    Here,
    /// A policy of this engine, after a time-out.
    Policy,
    /// Another client.
    Elsewhere,
}

/// What many figures amount to. None where there is nothing to count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// From asked to seen. The two clocks may differ: a negative span counts as none.
    pub asked_to_seen: Option<Spread>,
    /// From seen to answered.
    pub seen_to_answered: Option<Spread>,
    /// From answered to confirmed.
    pub answered_to_confirmed: Option<Spread>,
}

/// How spans are spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Spread {
    /// How many there are.
    pub count: usize,
    /// Half of them are no longer than this.
    pub median: Duration,
    /// 95 % of them are no longer than this, by nearest rank.
    pub p95: Duration,
}

/// Sums up.
#[must_use]
pub fn summary(figures: &[Figure]) -> Summary {
    let spread_of = |span: fn(&Figure) -> Option<Duration>| spread(figures.iter().filter_map(span).collect());
    Summary {
        asked_to_seen: spread_of(|figure| Some(figure.seen.since(Time(figure.asked?)))),
        seen_to_answered: spread_of(|figure| Some(figure.answered?.since(figure.seen))),
        answered_to_confirmed: spread_of(|figure| Some(figure.confirmed?.since(figure.answered?))),
    }
}

fn spread(mut spans: Vec<Duration>) -> Option<Spread> {
    sort_by_key(&mut spans, |span| *span);
    let at = |percent: usize| {
        spans
            .get((spans.len() * percent).div_ceil(100).saturating_sub(1))
            .copied()
    };
    Some(Spread {
        count: spans.len(),
        median: at(50)?,
        p95: at(95)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered_after(seconds: u64) -> Figure {
        Figure {
            request: RequestId::from("que_1"),
            session: SessionId::from("ses_1"),
            is_permission: false,
            asked: Some(900),
            seen: Time(1_000),
            answered: Some(Time(1_000 + seconds * 1_000)),
            accepted: None,
            confirmed: None,
            by: Some(AnsweredBy::Here),
            stopped: None,
        }
    }

    /// R17
    #[test]
    fn median_and_p95_are_values_that_occurred() {
        let figures: Vec<Figure> = (1..=100).map(answered_after).collect();
        let found = summary(&figures);
        let spread = found.seen_to_answered.unwrap();
        assert_eq!(
            (spread.count, spread.median.as_secs(), spread.p95.as_secs()),
            (100, 50, 95)
        );
        assert_eq!(found.asked_to_seen.unwrap().median, Duration::from_millis(100));
        assert_eq!(found.answered_to_confirmed, None);
    }

    /// R17
    #[test]
    fn of_two_answers_the_confirmed_one_counts() {
        let mut late = answered_after(9);
        late.by = Some(AnsweredBy::Elsewhere);
        let first = Figure {
            confirmed: Some(Time(2_500)),
            ..answered_after(1)
        };
        late.add(&first);
        assert_eq!(late, first);
        assert_eq!(summary(&[late]).answered_to_confirmed.unwrap().median.as_millis(), 500);
    }

    /// R17
    #[test]
    fn a_server_clock_that_is_ahead_makes_no_negative_span() {
        let ahead = Figure {
            asked: Some(5_000),
            ..answered_after(1)
        };
        assert_eq!(summary(&[ahead]).asked_to_seen.unwrap().p95, Duration::ZERO);
    }
}
