//! What policies have done, from what this device has recorded.

use switchboard_browser::device::activity::{Happening, Kind};
use switchboard_core::metrics::AnsweredBy;
use switchboard_core::model::SessionId;
use switchboard_core::{SortedMap, sort_by_key};

use crate::words::unattended::{correction, undoing};

/// Something that a policy has said to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// What it was.
    pub happening: Happening,
    /// Whether it can be undone.
    pub undoing: &'static str,
    /// The beginning of a message that corrects it.
    pub correction: String,
}

/// What policies have said on a server, or to one of its sessions; the newest first.
#[must_use]
pub fn done(kept: &SortedMap<String, Happening>, session: Option<&SessionId>) -> Vec<Done> {
    let is_of_policy = |happening: &&Happening| {
        let is_there = session.is_none() || happening.session.as_ref() == session;
        is_there && happening.by == Some(AnsweredBy::Policy)
    };
    let asked = |happening: &Happening| {
        kept.values()
            .find(|other| other.kind == Kind::Asked && other.request == happening.request)
            .map_or("", |asked| asked.text.as_str())
    };
    let mut done: Vec<Done> = kept
        .values()
        .filter(is_of_policy)
        .map(|happening| Done {
            undoing: undoing(happening.kind),
            correction: correction(asked(happening), &happening.text),
            happening: happening.clone(),
        })
        .collect();
    sort_by_key(&mut done, |done| std::cmp::Reverse(done.happening.at));
    done
}

#[cfg(test)]
mod tests {
    use switchboard_core::Time;
    use switchboard_core::model::{Ask, Question, Reply};
    use switchboard_core::view::{RequestState, RequestView};

    use super::*;
    use crate::fixtures::asking;
    use crate::pages::activity::lines::of_request;

    fn kept(views: &[RequestView]) -> SortedMap<String, Happening> {
        let happenings = views.iter().flat_map(|view| of_request(view, &|_| String::new()));
        happenings.map(|happening| (happening.id.clone(), happening)).collect()
    }

    fn answered(id: &str, at: u64, by_policy: bool) -> RequestView {
        let state = RequestState::Answered {
            at: Time(at),
            sent: Time(at - 1),
            note: None,
        };
        let question = Question::new("Which colour?", "", Vec::new());
        RequestView {
            reply: Some(Reply::Answers(vec![vec!["Blue".to_owned()]])),
            by_policy,
            ..asking(id, Ask::Questions(vec![question]), state)
        }
    }

    /// R5
    #[test]
    fn what_policies_said_is_listed_newest_first_and_what_people_said_is_not() {
        let kept = kept(&[
            answered("que_1", 10, true),
            answered("que_2", 30, false),
            answered("que_3", 20, true),
        ]);
        let requests = |session: Option<&SessionId>| -> Vec<String> {
            let done = done(&kept, session).into_iter();
            done.filter_map(|done| done.happening.request)
                .map(|id| id.to_string())
                .collect()
        };
        assert_eq!(requests(None), ["que_3", "que_1"]);
        assert_eq!(requests(Some(&"ses_1".into())).len(), 2);
        assert_eq!(requests(Some(&"ses_2".into())).len(), 0);
    }

    /// R5
    #[test]
    fn an_answer_that_has_arrived_can_be_corrected_alone() {
        let kept = kept(&[answered("que_1", 10, true)]);
        let done = done(&kept, None).remove(0);
        assert_eq!(
            done.undoing,
            "The agent has it. It cannot be taken back; you can correct it."
        );
        assert_eq!(
            done.correction,
            "You asked: “Which colour?” The time-out answered “Blue”, not I. My answer: "
        );
    }
}
