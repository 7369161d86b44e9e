//! Finds the cause that keeps a session from going on.

use std::sync::Arc;

use switchboard_core::model::{GoneReason, RequestId, SessionId, ToolStatus};
use switchboard_core::view::{
    Ending, RequestState, RequestView, SessionRef, SessionView, StuckCause, Timeline, TurnState,
};

use crate::state::keys::ServerKey;

/// Why a session does not go on by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A request of a descendant waits for a person, and nothing has moved for long.
    SubAgentAsks(RequestId),
    /// The server has forgotten a question, which can still be answered by a message.
    Forgotten(RequestId),
    /// The run broke off.
    Interrupted,
    /// Another of the servers runs it.
    RunsElsewhere(ServerKey),
    /// This server does not run what is open.
    Elsewhere {
        /// Whether another process is known to have begun it.
        certain: bool,
        /// Whether it is a question.
        asks: bool,
    },
    /// The prompt is stored and was never picked up.
    NotStarted,
    /// The run ended and the agent said nothing.
    NoText,
    /// The provider refuses, and the server tries again.
    Retrying,
    /// The run goes on and shows no sign of it.
    Silent {
        /// Whether a tool call goes on that can be shown.
        runs_tool: bool,
    },
    /// The server still lists a question whose call has ended.
    Ghost(RequestId),
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The cause.
    pub cause: Cause,
    /// The sessions from the one that was looked at down to the one with the cause.
    pub chain: Vec<SessionRef>,
}

impl Cause {
    /// A name for style sheets, tests and reports.
    #[must_use]
    pub fn key(&self) -> &'static str {
        match self {
            Cause::SubAgentAsks(_) => "sub-agent-asks",
            Cause::Forgotten(_) => "forgotten",
            Cause::Interrupted => "interrupted",
            Cause::RunsElsewhere(_) => "runs-elsewhere",
            Cause::Elsewhere { certain: true, .. } => "elsewhere",
            Cause::Elsewhere { certain: false, .. } => "elsewhere-or-cut-off",
            Cause::NotStarted => "not-started",
            Cause::NoText => "no-text",
            Cause::Retrying => "retrying",
            Cause::Silent { .. } => "silent",
            Cause::Ghost(_) => "ghost",
        }
    }

    /// The request that it is about.
    #[must_use]
    pub fn request(&self) -> Option<&RequestId> {
        match self {
            Cause::SubAgentAsks(request) | Cause::Forgotten(request) | Cause::Ghost(request) => Some(request),
            Cause::Interrupted
            | Cause::RunsElsewhere(_)
            | Cause::Elsewhere { .. }
            | Cause::NotStarted
            | Cause::NoText
            | Cause::Retrying
            | Cause::Silent { .. } => None,
        }
    }
}

/// What keeps a session from going on; none while it works, waits with a request of its own, or has said how it ended.
#[must_use]
pub fn find(session: &SessionView, requests: &[Arc<RequestView>], timeline: Option<&Timeline>) -> Option<Finding> {
    let id = &session.session.id;
    let at = |cause| Finding {
        cause,
        chain: vec![SessionRef {
            id: id.clone(),
            title: session.session.title.clone(),
        }],
    };
    let of = |view: &RequestView, cause: fn(RequestId) -> Cause| Finding {
        cause: cause(view.request.id.clone()),
        chain: chain(id, view),
    };
    match &session.state {
        TurnState::Stuck {
            cause: StuckCause::DescendantWaits(descendant),
            ..
        } => {
            let asks = |view: &&Arc<RequestView>| view.request.session == *descendant && view.state.is_waiting();
            let view = requests.iter().find(asks)?;
            Some(of(view, Cause::SubAgentAsks))
        }
        TurnState::Stuck {
            cause: StuckCause::Silent,
            ..
        } => Some(at(Cause::Silent {
            runs_tool: timeline.is_some_and(runs_tool),
        })),
        TurnState::Retrying { .. } => Some(at(Cause::Retrying)),
        TurnState::Elsewhere { certain } => Some(at(Cause::Elsewhere {
            certain: *certain,
            asks: !session.asked_elsewhere.is_empty(),
        })),
        TurnState::Ended { ending, .. } => {
            let found = match ending {
                Ending::Interrupted => {
                    let forgotten = requests.iter().find(|view| is_forgotten(id, view));
                    Some(forgotten.map_or_else(|| at(Cause::Interrupted), |view| of(view, Cause::Forgotten)))
                }
                Ending::NotStarted => Some(at(Cause::NotStarted)),
                Ending::Empty => Some(at(Cause::NoText)),
                Ending::Done | Ending::Dismissed | Ending::Failed | Ending::Aborted | Ending::TimedOut => None,
            };
            let ghost = || Some(at(Cause::Ghost(timeline?.ghosts.first()?.clone())));
            found.or_else(ghost)
        }
        TurnState::Unknown | TurnState::Working | TurnState::WaitingForHuman { .. } => None,
    }
}

/// Who asks, without the ancestors of the session that was looked at.
fn chain(session: &SessionId, view: &RequestView) -> Vec<SessionRef> {
    let above = view.origin.iter().take_while(|ancestor| ancestor.id != *session);
    let above = above.count();
    view.origin.iter().skip(above).cloned().collect()
}

/// Whether a restart has taken this question of the session, or of one below it, and its answer can go as a message.
fn is_forgotten(session: &SessionId, view: &RequestView) -> bool {
    let is_lost = matches!(
        view.state,
        RequestState::Gone {
            reason: GoneReason::Restarted,
            ..
        }
    );
    is_lost && view.rescue.is_some() && view.is_from(session)
}

fn runs_tool(timeline: &Timeline) -> bool {
    let newest = timeline.messages.iter().next_back();
    newest.is_some_and(|message| message.tools().any(|(_, tool)| tool.status == ToolStatus::Running))
}

#[cfg(test)]
mod tests {
    use switchboard_core::model::{Ask, Request};
    use switchboard_core::view::{EndReason, Older, Rescue};
    use switchboard_core::{List, SortedMap, SortedSet, Time};

    use super::*;
    use crate::fixtures::{self, shown};

    fn session(state: TurnState) -> SessionView {
        SessionView {
            state,
            ..(*fixtures::ended("ses_1", 0, Ending::Done)).clone()
        }
    }

    fn ended(ending: Ending) -> SessionView {
        let reason = EndReason::Complete;
        session(TurnState::Ended { ending, reason })
    }

    fn reference(id: &str) -> SessionRef {
        SessionRef {
            id: id.into(),
            title: String::new(),
        }
    }

    fn asked_by(origin: &[&str], state: RequestState) -> Arc<RequestView> {
        let request = Request {
            id: "que_1".into(),
            session: (*origin.last().unwrap()).into(),
            directory: "/d".into(),
            tool: None,
            ask: Ask::Questions(Vec::new()),
        };
        let rescue = Rescue {
            text: String::new(),
            to: reference("ses_1"),
            complete: false,
        };
        Arc::new(RequestView {
            origin: origin.iter().map(|id| reference(id)).collect(),
            rescue: Some(rescue),
            ..shown(request, state)
        })
    }

    fn lost() -> RequestState {
        RequestState::Gone {
            reason: GoneReason::Restarted,
            at: Time(0),
        }
    }

    fn with_ghost() -> Timeline {
        Timeline {
            session: "ses_1".into(),
            messages: List::default(),
            older: Older::None,
            previews: SortedMap::new(),
            abandoned: SortedSet::new(),
            catching_up: false,
            problem: None,
            fallback: None,
            ghosts: vec!["que_1".into()],
        }
    }

    /// C6
    #[test]
    fn each_ending_that_leaves_something_to_do_has_its_cause() {
        let cause = |ending| find(&ended(ending), &[], None).map(|finding| finding.cause);
        assert_eq!(cause(Ending::Interrupted), Some(Cause::Interrupted));
        assert_eq!(cause(Ending::NotStarted), Some(Cause::NotStarted));
        assert_eq!(cause(Ending::Empty), Some(Cause::NoText));
        for ending in [
            Ending::Done,
            Ending::Dismissed,
            Ending::Failed,
            Ending::Aborted,
            Ending::TimedOut,
        ] {
            assert_eq!(cause(ending), None, "{ending:?}");
        }
        assert_eq!(find(&session(TurnState::Working), &[], Some(&with_ghost())), None);
    }

    /// C7
    #[test]
    fn the_chain_leads_from_the_session_down_to_the_one_that_asks() {
        let stuck = session(TurnState::Stuck {
            cause: StuckCause::DescendantWaits("ses_3".into()),
            since: Time(0),
        });
        let request = asked_by(&["ses_0", "ses_1", "ses_2", "ses_3"], RequestState::Waiting);
        let finding = find(&stuck, &[request], None).unwrap();
        assert_eq!(finding.cause, Cause::SubAgentAsks("que_1".into()));
        assert_eq!(finding.chain, ["ses_1", "ses_2", "ses_3"].map(reference));
        let answered = asked_by(&["ses_1", "ses_3"], lost());
        assert_eq!(find(&stuck, &[answered], None), None);
    }

    /// R14
    #[test]
    fn a_question_that_a_restart_took_comes_before_the_run_that_it_broke_off() {
        let interrupted = ended(Ending::Interrupted);
        let cause = |request| find(&interrupted, &[request], None).unwrap().cause;
        assert_eq!(
            cause(asked_by(&["ses_1", "ses_2"], lost())),
            Cause::Forgotten("que_1".into())
        );
        assert_eq!(cause(asked_by(&["ses_9"], lost())), Cause::Interrupted);
        assert_eq!(cause(asked_by(&["ses_1"], RequestState::Waiting)), Cause::Interrupted);
    }

    /// R12
    #[test]
    fn a_ghost_is_told_where_nothing_else_is() {
        let cause = |ending| find(&ended(ending), &[], Some(&with_ghost())).unwrap().cause;
        assert_eq!(cause(Ending::Aborted), Cause::Ghost("que_1".into()));
        assert_eq!(cause(Ending::NotStarted), Cause::NotStarted);
    }
}
