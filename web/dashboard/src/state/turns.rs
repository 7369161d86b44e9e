//! Which loop of a session goes on, which one waits for it, and how long its reviewers have.

use std::cmp::Reverse;
use std::sync::Arc;
use std::time::Duration;

use switchboard_core::Time;
use switchboard_core::model::SessionId;
use switchboard_core::view::RequestView;
use switchboard_core::workflow::{Stop, Workflow};

use crate::words::time_out::ReviewerTime;

/// How long each reviewer at work has, by its session.
pub type ReviewerTimes = Vec<(SessionId, ReviewerTime)>;

/// The loop of a session that goes on. Of several, begun in different tabs, one has its turn and the others wait: it is the one
/// that has taken a step last, or else was begun first.
#[must_use]
pub fn whose_turn<'a>(all: &'a [Arc<Workflow>], session: &SessionId) -> Option<&'a Arc<Workflow>> {
    let going = all
        .iter()
        .filter(|workflow| workflow.end.is_none() && workflow.session == *session);
    going.max_by_key(|workflow| (workflow.steps.last().map(|step| step.begun), Reverse(workflow.begun)))
}

/// A loop of a session that waits while another one has its turn; of several, one that a person has not stopped.
#[must_use]
pub fn next_in_turn<'a>(all: &'a [Arc<Workflow>], session: &SessionId) -> Option<&'a Arc<Workflow>> {
    let turn = whose_turn(all, session)?;
    let waiting = || {
        (all.iter()).filter(|workflow| workflow.end.is_none() && workflow.session == *session && workflow.id != turn.id)
    };
    let goes_on = waiting().find(|workflow| workflow.stop != Some(Stop::Now));
    goes_on.or_else(|| waiting().next())
}

/// How long each reviewer at work has.
#[must_use]
pub fn reviewer_times(all: &[Arc<Workflow>]) -> ReviewerTimes {
    let going = all.iter().filter(|workflow| workflow.end.is_none());
    let times = going.flat_map(|workflow| workflow.reviewer_times());
    let time = |(session, begun, all): (&SessionId, Time, Duration)| {
        let until = begun + all;
        (session.clone(), ReviewerTime { until, all })
    };
    times.map(time).collect()
}

/// How long the reviewer has that asks a request, itself or through a sub-agent; none where no reviewer at work does.
#[must_use]
pub fn reviewer_time(times: &ReviewerTimes, view: &RequestView) -> Option<ReviewerTime> {
    let mut times = times.iter();
    times.find(|(session, _)| view.is_from(session)).map(|(_, time)| *time)
}

#[cfg(test)]
mod tests {
    use switchboard_core::model::Ask;
    use switchboard_core::view::{RequestState, SessionRef};
    use switchboard_core::workflow::{
        CheckWork, End, Goal, Material, NoVerdict, Opinion, Review, Reviewer, Seat, Start, Step, Work,
    };

    use super::*;
    use crate::fixtures::asking;

    fn workflow(id: &str, begun: u64, step: Option<u64>) -> Arc<Workflow> {
        let step = step.map(|begun| Step {
            begun: Time(begun),
            ended: None,
            work: Work::Check(CheckWork::default()),
        });
        Arc::new(Workflow {
            id: id.into(),
            version: 1,
            session: "ses_1".into(),
            directory: "/d".into(),
            begun: Time(begun),
            goal: Goal::new(Start::Now),
            steps: step.into_iter().collect(),
            stop: None,
            went_on: 0,
            end: None,
        })
    }

    #[test]
    fn of_loops_that_take_turns_the_one_that_works_is_shown() {
        let turn = |all: &[Arc<Workflow>]| whose_turn(all, &"ses_1".into()).map(|turn| turn.id.clone());
        let [first, second] = [workflow("a", 1, Some(3)), workflow("b", 2, None)];
        assert_eq!(turn(&[first.clone(), second]), Some("a".into()));
        assert_eq!(turn(&[first, workflow("b", 2, Some(4))]), Some("b".into()));
        assert_eq!(
            turn(&[workflow("a", 1, None), workflow("b", 2, None)]),
            Some("a".into())
        );
        assert_eq!(whose_turn(&[workflow("a", 1, None)], &"ses_2".into()), None);
    }

    #[test]
    fn of_loops_that_take_turns_the_other_one_is_named() {
        let next = |all: &[Arc<Workflow>]| next_in_turn(all, &"ses_1".into()).map(|next| next.id.clone());
        let [first, second] = [workflow("a", 1, None), workflow("b", 2, Some(4))];
        assert_eq!(next(&[first.clone(), second.clone()]), Some("a".into()));
        assert_eq!(next(std::slice::from_ref(&second)), None);
        let mut stopped = Workflow::clone(&first);
        stopped.stop = Some(Stop::Now);
        let stopped = Arc::new(stopped);
        assert_eq!(next(&[stopped.clone(), second.clone()]), Some("a".into()));
        assert_eq!(
            next(&[stopped, second.clone(), workflow("c", 3, None)]),
            Some("c".into())
        );
        let mut ended = Workflow::clone(&first);
        ended.end = Some((End::Passed, Time(5)));
        assert_eq!(next(&[Arc::new(ended), second]), None);
    }

    /// C5
    #[test]
    fn the_time_of_a_reviewer_is_up_while_it_or_its_sub_agent_asks() {
        let reviewer = |seconds| Reviewer {
            name: "strict".to_owned(),
            prompt: "Look.".to_owned(),
            agent: None,
            model: None,
            timeout: Duration::from_secs(seconds),
        };
        let seat = |session: &str, begun: Option<u64>| Seat {
            session: Some(session.into()),
            begun: begun.map(Time),
            ..Seat::default()
        };
        let mut seats = vec![
            seat("ses_2", Some(1_000)),
            seat("ses_3", Some(2_000)),
            seat("ses_4", None),
        ];
        let reviewed = |seats: Vec<Seat>| {
            let mut workflow = Workflow::clone(&workflow("a", 1, None));
            workflow.goal.review = Some(Review {
                reviewers: vec![reviewer(60), reviewer(90), reviewer(60)],
                at_once: 3,
                material: Material::default(),
                fix: false,
            });
            workflow.steps.push(Step {
                begun: Time(1),
                ended: None,
                work: Work::Review {
                    seats,
                    sent: None,
                    changes: None,
                },
            });
            reviewer_times(&[Arc::new(workflow)])
        };
        let mut view = asking("que_1", Ask::Questions(Vec::new()), RequestState::Waiting);
        let times = reviewed(seats.clone());
        let up = |times: &ReviewerTimes| {
            ["ses_2", "ses_3", "ses_4", "ses_1"].map(|session| {
                let mut view = view.clone();
                Arc::make_mut(&mut view.request).session = session.into();
                reviewer_time(times, &view).map(|time| time.until)
            })
        };
        assert_eq!(up(&times), [Some(Time(61_000)), Some(Time(92_000)), None, None]);
        seats[0].opinion = Some(Opinion::None {
            reason: NoVerdict::TimedOut,
            text: String::new(),
        });
        let times = reviewed(seats);
        assert_eq!(up(&times), [None, Some(Time(92_000)), None, None]);
        view.origin = vec![SessionRef {
            id: "ses_3".into(),
            title: String::new(),
        }];
        Arc::make_mut(&mut view.request).session = "ses_5".into();
        let time = ReviewerTime {
            until: Time(92_000),
            all: Duration::from_secs(90),
        };
        assert_eq!(
            reviewer_time(&times, &view),
            Some(time),
            "a sub-agent of the reviewer asks"
        );
    }
}
