//! Keeps the figures of requests (requirements R17).

use crate::engine::action::Action;
use crate::engine::board::Board;
use crate::log::Level;
use crate::metrics::{AnsweredBy, Figure};
use crate::model::{Ask, EntryId, Outcome, RequestId, Sent};
use crate::ports::StoreError;
use crate::time::Time;

impl Board {
    /// The figures of all requests of the last 30 days.
    pub(crate) fn figures(&self) -> Vec<Figure> {
        self.figures.values().cloned().collect()
    }

    /// Reads what earlier lives and other tabs have kept.
    pub(crate) fn load_figures(&mut self) {
        let number = self.next_number();
        if self.storage.figures.begin(number) {
            self.actions.push_back(Action::LoadFigures);
        }
    }

    /// Asks the store once more that has refused to read figures, or to keep some.
    pub(super) fn load_figures_again(&mut self, now: Time) {
        for id in std::mem::take(&mut self.storage.figures.unkept) {
            if let Some(figure) = self.figures.get(&id) {
                self.actions.push_back(Action::KeepFigure(figure.clone()));
            }
        }
        if self.storage.figures.are_read() {
            self.go_on_with_figures(now);
        } else {
            self.load_figures();
        }
    }

    /// The store has kept a figure, or has not. That a countdown was stopped is said again, and the person is told.
    pub(crate) fn handle_figure_kept(&mut self, id: RequestId, result: Result<(), StoreError>, now: Time) {
        if !self.is_countdown_stopped(&id) {
            return;
        }
        self.changed = true;
        self.storage.store_problem = result.err();
        if self.storage.store_problem.is_some() {
            self.storage.figures.unkept.insert(id);
            self.storage.figures.put_off(now);
        }
    }

    /// What earlier lives and other tabs have kept. A request that they have seen was first seen then.
    pub(crate) fn handle_figures(&mut self, loaded: Result<Vec<Figure>, StoreError>, now: Time) {
        let was_refused = self.storage.figures.is_refused();
        self.storage.figures.end(loaded.is_err(), now);
        let loaded = match loaded {
            Ok(loaded) => loaded,
            Err(_) if was_refused => return,
            Err(error) => {
                let words = format!("no policy acts until it is known which countdowns were stopped: {error}");
                return self.record(Level::Warn, words);
            }
        };
        for kept in loaded {
            let id = kept.request.clone();
            if self.figures.contains_key(&id) {
                self.note(&id, |figure| figure.add(&kept));
            } else {
                self.figures.insert(id.clone(), kept);
            }
            self.agree_on_sight(&id);
        }
        self.go_on_with_figures(now);
    }

    /// A request was first seen in this life or in an earlier one, whichever says so: clocks are set back, too.
    pub(super) fn agree_on_sight(&mut self, id: &RequestId) {
        let (Some(tracked), Some(kept)) = (self.requests.get_mut(id), self.figures.get(id)) else {
            return;
        };
        let seen = tracked.seen.min(kept.seen);
        tracked.redated |= seen < tracked.seen;
        tracked.seen = seen;
        if kept.stopped.is_some() {
            tracked.countdown = None;
        }
        if let Some(asked) = tracked.asked {
            self.reader.server_clock.observe(asked, None, seen);
        }
        self.changed = true;
        self.note(id, |figure| figure.seen = seen);
    }

    /// A request is shown for the first time here.
    pub(crate) fn note_seen(&mut self, id: &RequestId) {
        if self.figures.contains_key(id) {
            return self.agree_on_sight(id);
        }
        let Some(tracked) = self.requests.get(id) else { return };
        let figure = Figure {
            request: id.clone(),
            session: tracked.request.session.clone(),
            is_permission: matches!(tracked.request.ask, Ask::Permission(_)),
            asked: tracked.asked,
            seen: tracked.seen,
            answered: None,
            accepted: None,
            confirmed: None,
            by: None,
            stopped: None,
        };
        self.actions.push_back(Action::KeepFigure(figure.clone()));
        self.figures.insert(id.clone(), figure);
    }

    /// Something more is known about a request.
    pub(crate) fn note(&mut self, id: &RequestId, change: impl FnOnce(&mut Figure)) {
        let Some(figure) = self.figures.get_mut(id) else { return };
        let before = figure.clone();
        change(figure);
        if *figure != before {
            self.actions.push_back(Action::KeepFigure(figure.clone()));
        }
    }

    /// Whether a person has stopped the countdown of its policy, in this life or in an earlier one.
    pub(crate) fn is_countdown_stopped(&self, id: &RequestId) -> bool {
        self.figures.get(id).is_some_and(|figure| figure.stopped.is_some())
    }

    /// Whether a policy has answered, not a person.
    pub(crate) fn is_by_policy(&self, id: &RequestId) -> bool {
        let delivery = self.outbox.queue.get(&EntryId::of_reply(id));
        match delivery.map(|delivery| &delivery.entry.sent) {
            Some(Sent::Reply { by_policy, .. }) => *by_policy,
            Some(Sent::Prompt { .. }) | None => {
                let figure = self.figures.get(id);
                figure.is_some_and(|figure| figure.by == Some(AnsweredBy::Policy))
            }
        }
    }

    pub(crate) fn note_end(&mut self, id: &RequestId, outcome: &Outcome, now: Time) {
        let asked = self.requests.get(id).and_then(|tracked| tracked.asked);
        self.note(id, |figure| {
            figure.asked = figure.asked.or(asked);
            match outcome {
                Outcome::Confirmed { .. } => figure.confirmed = Some(now),
                Outcome::AnsweredElsewhere(_) if figure.confirmed.is_none() => figure.by = Some(AnsweredBy::Elsewhere),
                Outcome::AnsweredElsewhere(_) | Outcome::Dismissed | Outcome::Gone(_) | Outcome::Cancelled { .. } => {}
            }
        });
    }
}
