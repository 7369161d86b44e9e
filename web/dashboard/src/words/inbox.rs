//! What the inbox says besides its requests.

use std::sync::Arc;

use switchboard_core::Time;
use switchboard_core::view::{RequestState, RequestView};

use crate::kit::age::{age, count};
use crate::words::state_words::{as_of, asked};

/// In place of requests, to a screen reader.
pub const READING: &str = "The server is being read.";

/// Nothing waits.
pub const EMPTY: &str = "Nobody waits for you";

/// Follows how many agents work, while nothing waits.
pub const APPEARS_HERE: &str = " The next question appears here, and in the title of this tab.";

/// How many agents work, while nothing waits.
#[must_use]
pub fn working(agents: usize) -> String {
    match agents {
        0 => "No agent is working.".to_owned(),
        1 => "1 agent is working.".to_owned(),
        several => format!("{several} agents are working."),
    }
}

/// How many questions other processes ask. Where not `all_certain`, a run may also have been cut off at its question.
#[must_use]
pub fn asked_elsewhere(questions: usize, all_certain: bool) -> String {
    let questions = count(questions, "question");
    let cut_off = if all_certain { "" } else { ", or cut off" };
    format!("{questions} in another OpenCode process{cut_off}")
}

/// What can be done about those.
#[must_use]
pub fn answered_there(all_certain: bool) -> &'static str {
    if all_certain {
        "Read here, answered there: in a terminal, an editor or another server."
    } else {
        "Read here, answered there: in a terminal, an editor or another server. What was cut off goes on with a message."
    }
}

/// Which of its requests a page shows.
#[must_use]
pub fn place(place: usize, count: usize) -> String {
    format!("{} of {count}", place + 1)
}

/// How much waits, in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// What stands there at every width.
    pub what: String,
    /// The age of the oldest request, where there is room for it.
    pub oldest: Option<String>,
}

impl Summary {
    /// The line; the short one leaves out the age.
    #[must_use]
    pub fn words(&self, is_short: bool) -> String {
        match &self.oldest {
            Some(oldest) if !is_short => format!("{} · oldest {oldest}", self.what),
            Some(_) | None => self.what.clone(),
        }
    }
}

/// How much waits, and how old it is.
#[must_use]
pub fn summary(requests: &[Arc<RequestView>], now: Time) -> Summary {
    let waiting: Vec<_> = requests.iter().filter(|view| view.state.is_waiting()).collect();
    let on_its_way = requests.iter().filter(|view| view.state.is_on_its_way()).count();
    let stale: Vec<Time> = waiting.iter().filter_map(|view| view.stale).collect();
    let way = (on_its_way > 0).then(|| format!("{} on its way", count(on_its_way, "answer")));
    let Some(asked_first) = waiting.iter().map(|view| asked(view)).min() else {
        let what = way.unwrap_or_else(|| nothing(requests).to_owned());
        return Summary { what, oldest: None };
    };
    let first = format!("{} waiting", waiting.len());
    let (what, oldest) = match (stale.iter().min(), way) {
        (Some(since), _) if stale.len() == waiting.len() => (format!("{first}, {}", as_of(*since, now)), None),
        (Some(since), _) => (format!("{first}, {} of them {}", stale.len(), as_of(*since, now)), None),
        (None, Some(way)) => (format!("{first} · {way}"), None),
        (None, None) => (first, Some(age(now.since(asked_first)))),
    };
    Summary { what, oldest }
}

fn nothing(requests: &[Arc<RequestView>]) -> &'static str {
    let is_gone = |view: &Arc<RequestView>| matches!(view.state, RequestState::Gone { .. });
    if requests.iter().any(is_gone) {
        "nothing waits, one thing to decide"
    } else {
        "nothing waits"
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use switchboard_core::model::Ask;

    use super::*;
    use crate::fixtures::asking;

    const NOW: Time = Time(600_000);

    fn request(state: RequestState, stale: Option<Time>) -> Arc<RequestView> {
        let view = asking("que_1", Ask::Questions(Vec::new()), state);
        Arc::new(RequestView { stale, ..view })
    }

    fn said(requests: &[Arc<RequestView>]) -> String {
        summary(requests, NOW).words(false)
    }

    #[test]
    fn what_waits_is_counted_with_its_age() {
        let waiting = || request(RequestState::Waiting, None);
        let sent = || request(RequestState::Sent { at: Time(0) }, None);
        let old = || request(RequestState::Waiting, Some(NOW - Duration::from_secs(48)));
        assert_eq!(said(&[]), "nothing waits");
        assert_eq!(said(&[waiting(), waiting()]), "2 waiting · oldest 10 min");
        assert_eq!(summary(&[waiting()], NOW).words(true), "1 waiting");
        assert_eq!(said(&[waiting(), sent()]), "1 waiting · 1 answer on its way");
        assert_eq!(said(&[sent(), sent()]), "2 answers on its way");
        assert_eq!(said(&[old()]), "1 waiting, as of 48 s ago");
        assert_eq!(said(&[old(), waiting()]), "2 waiting, 1 of them as of 48 s ago");
    }

    #[test]
    fn agents_that_work_are_counted() {
        let told = [0, 1, 2].map(working);
        assert_eq!(
            told,
            ["No agent is working.", "1 agent is working.", "2 agents are working."]
        );
    }
}
