//! The shape of a request's card, by its state and its place.

use switchboard_core::view::{Durability, RequestState, RequestView};

use crate::state::rows::needs_a_word;

/// Where a card is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the inbox, among others: folded unless it is the open one.
    Inbox,
    /// In the timeline, where it was asked.
    Timeline,
    /// On a page of its own.
    Page,
}

/// The shape of a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A line to read, with the quick ways to answer.
    Row,
    /// Everything that is needed to answer.
    Open,
    /// A line to read.
    Line,
    /// The way of an answer.
    Progress,
    /// A request that cannot be answered any more, and what can be done with the answer.
    Dead,
}

/// The shape that a request has in its state and place.
#[must_use]
pub fn shape(view: &RequestView, place: Place, is_open: bool) -> Shape {
    let in_inbox = place == Place::Inbox;
    match &view.state {
        RequestState::Waiting | RequestState::NotSent { .. } if in_inbox && !is_open => Shape::Row,
        RequestState::Waiting | RequestState::NotSent { .. } => Shape::Open,
        RequestState::Sending { problem: Some(_), .. } => Shape::Progress,
        RequestState::Sending { .. } if view.durability == Durability::Failed => Shape::Progress,
        RequestState::AnsweredElsewhere { .. } | RequestState::Gone { .. } if needs_a_word(view) => Shape::Dead,
        RequestState::Sending { .. }
        | RequestState::Sent { .. }
        | RequestState::Answered { .. }
        | RequestState::AnsweredElsewhere { .. }
        | RequestState::Dismissed { .. }
        | RequestState::Gone { .. } => {
            if in_inbox {
                Shape::Line
            } else {
                Shape::Progress
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use switchboard_core::Time;
    use switchboard_core::model::Ask;

    use super::*;
    use crate::fixtures::asking;

    /// R4
    #[test]
    fn an_answer_that_is_not_saved_says_so_also_where_others_are_a_line() {
        let sending = RequestState::Sending {
            attempt: 1,
            since: Time(0),
            problem: None,
            next_try: None,
        };
        let mut view = asking("que_1", Ask::Questions(Vec::new()), sending);
        assert_eq!(shape(&view, Place::Inbox, false), Shape::Line);
        view.durability = Durability::Pending;
        assert_eq!(shape(&view, Place::Inbox, false), Shape::Line);
        view.durability = Durability::Failed;
        assert_eq!(shape(&view, Place::Inbox, false), Shape::Progress);
    }
}
