//! Figures must be plausible: of requests that were asked, in the order in which things happen, and with an end only where
//! there was one.

use switchboard_core::Time;
use switchboard_core::metrics::{AnsweredBy, Figure, summary};
use switchboard_core::model::{Outcome, RequestId};
use switchboard_core::policy::Then;

use crate::sim::reference::ReferenceRequest;
use crate::sim::sut::{Slot, Sut};
use crate::tab::Tab;

impl Sut {
    /// Compares the figures of each tab with what really happened.
    pub(in crate::sim) fn check_figures(&mut self) {
        let watch = self.world.watch();
        let mut checked = 0;
        for slot in &self.slots {
            let Some(tab) = slot.tab.as_ref().filter(|tab| !tab.is_dead.get()) else {
                continue;
            };
            let figures = tab.handle.figures();
            checked += figures.len() as u64;
            let problem = figures
                .iter()
                .find_map(|figure| self.objection(slot, figure))
                .or_else(|| self.missing(slot, tab, &figures))
                .or_else(|| miscounted(&figures));
            if let Some(problem) = problem {
                watch.report("figures", format!("tab {}: {problem}", tab.number));
            }
        }
        self.heard.add("checked: a figure", checked);
    }

    /// What is wrong with a figure.
    fn objection(&self, slot: &Slot, figure: &Figure) -> Option<String> {
        let Some(real) = self.reference.requests.get(&figure.request) else {
            return Some(format!("{figure:?} is of what nobody asked"));
        };
        let says = |words: &str| Some(format!("{words}: {figure:?}; it was told {:?}", real.taken));
        if figure.session != real.request.session || figure.is_permission != real.request.permission().is_some() {
            return says("is of another request");
        }
        let is_over = real.taken.is_some() || real.taken_along.is_some();
        if figure.confirmed.is_some() && !is_over {
            return says("the agent has no answer");
        }
        if figure.answered.is_some() && !self.was_said(slot.device, figure) {
            return says("nobody has answered here");
        }
        let is_odd = self.are_clocks_steady() && self.is_out_of_order(figure, real);
        if is_odd { says("is out of order") } else { None }
    }

    fn was_said(&self, device: usize, figure: &Figure) -> bool {
        let by_person = |press: &crate::sim::sut::Press| press.device == device && press.request.id == figure.request;
        match figure.by {
            Some(AnsweredBy::Policy) => self.policy.then != Then::Leave,
            Some(AnsweredBy::Here | AnsweredBy::Elsewhere) | None => {
                self.presses.iter().any(by_person) || self.policy.then != Then::Leave
            }
        }
    }

    /// Whether all times of devices are those of the world.
    pub(in crate::sim) fn are_clocks_steady(&self) -> bool {
        self.jumps.is_empty() && !self.clocks_differ
    }

    fn is_out_of_order(&self, figure: &Figure, real: &ReferenceRequest) -> bool {
        let now = self.world.now();
        let order = |before: Time, after: Option<Time>| after.is_none_or(|after| before <= after && after <= now);
        let answered = figure.answered.unwrap_or(figure.seen);
        !(order(real.asked, Some(figure.seen))
            && order(figure.seen, figure.answered)
            && order(figure.seen, figure.accepted)
            && order(answered, figure.confirmed))
    }

    /// What a tab has told to be confirmed, or has shown, and has no figure of. What it was first shown by an answer of
    /// another tab, or by an entry whose figure could not be kept, it has not seen waiting.
    fn missing(&self, slot: &Slot, tab: &Tab, figures: &[Figure]) -> Option<String> {
        let figure_of = |id: &RequestId| figures.iter().find(|figure| figure.request == *id);
        let watch = self.world.watch();
        let sees_all = !slot.is_shared && !watch.has_storage_failed(slot.device, Time(0), self.world.now());
        let mut shown = self.sights.shown_in(tab.number).filter(|_| sees_all);
        if let Some(id) = shown.find(|id| figure_of(id).is_none()) {
            return Some(format!("there is no figure of {id}"));
        }
        let outcomes = tab.outcomes.borrow();
        let mut confirmed = outcomes
            .iter()
            .filter(|(_, outcome)| matches!(outcome, Ok(Outcome::Confirmed { .. })));
        confirmed.find_map(|(id, _)| {
            let is_counted =
                figure_of(id).is_some_and(|figure| figure.answered.is_some() && figure.confirmed.is_some());
            (!is_counted).then(|| format!("{id} is confirmed, and its figure is {:?}", figure_of(id)))
        })
    }
}

/// A summary counts each span once.
fn miscounted(figures: &[Figure]) -> Option<String> {
    let found = summary(figures);
    let answered = figures.iter().filter(|figure| figure.answered.is_some()).count();
    let counted = found.seen_to_answered.map_or(0, |spread| spread.count);
    (answered != counted).then(|| format!("{answered} are answered, and {counted} are counted"))
}
