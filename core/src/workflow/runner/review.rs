//! Asks the reviewers, each in a session of its own.

use std::rc::Rc;

use futures::future::{Either, select};
use futures::stream::{self, StreamExt};

use super::Runner;
use crate::engine::outbox::submission::{OwnEntry, PromptError, PromptOptions};
use crate::engine::waits::follow_up::{FollowUpError, FollowUpOptions, TurnReply};
use crate::handle::{NotStored, cut};
use crate::model::{EntryId, SessionId, WorkflowId};
use crate::view::Ending;
use crate::workflow::review::review_prompt_with_changes;
use crate::workflow::{End, NoVerdict, Opinion, Seat, SendEnd, Stop, Work, findings, issues_message, review_prompt};

impl Runner {
    /// Asks those who have no opinion yet. Each opinion is kept as it comes; one that hangs delays no other.
    pub(super) async fn review(&self, id: &WorkflowId, place: usize) {
        let Some(workflow) = self.get(id) else { return };
        let Some(review) = &workflow.goal.review else { return };
        let reading = Box::pin(self.changes_for(id, place, &workflow, &review.material));
        let changes = match select(reading, Box::pin(self.stopped_now(id))).await {
            Either::Left((Ok(changes), _)) => changes,
            Either::Left((Err(reason), _)) => {
                self.end_review(id, place).await;
                return self.end(id, End::NotReviewed(reason)).await;
            }
            // None was asked.
            Either::Right(((), _)) => return self.end_review(id, place).await,
        };
        let changes = changes.as_deref();
        stream::iter(0..review.reviewers.len())
            .map(|seat| self.ask(id, place, seat, changes))
            .buffer_unordered(review.at_once.max(1))
            .collect::<()>()
            .await;
        self.end_review(id, place).await;
    }

    /// Ends the step. What the session has changed is told, and kept no longer.
    async fn end_review(&self, id: &WorkflowId, place: usize) {
        self.end_step(id, place, &Work::forget_changes).await;
    }

    async fn ask(&self, id: &WorkflowId, place: usize, number: usize, changes: Option<&str>) {
        let (Some(workflow), Some(seat)) = (self.get(id), self.seat(id, place, number)) else {
            return;
        };
        let reviewer = workflow
            .goal
            .review
            .as_ref()
            .and_then(|review| review.reviewers.get(number));
        let (Some(reviewer), Some(review)) = (reviewer, &workflow.goal.review) else {
            return;
        };
        if seat.opinion.is_some() || workflow.stop == Some(Stop::Now) && seat.session.is_none() {
            return;
        }
        let name = format!("{}-{number}", workflow.name_of(place));
        let session = match seat.session.clone() {
            Some(session) => session,
            None => {
                let label = format!("Review: {}", reviewer.name);
                let made = self.session_for(&workflow.session, &workflow.directory, &label, &name);
                match select(Box::pin(made), Box::pin(self.stopped_now(id))).await {
                    Either::Left((Ok(session), _)) => session,
                    Either::Left((Err(failure), _)) => {
                        let reason = NoVerdict::NotAsked(failure.to_string());
                        return self.note(id, place, number, silent(reason, String::new())).await;
                    }
                    Either::Right(((), _)) => return,
                }
            }
        };
        // Another tab may have taken the step meanwhile, and asked in another session.
        let Some(seat) = self.asked_in(id, place, number, &session).await else {
            return;
        };
        let Some(session) = seat.session else { return };
        let _needed = self.board.need(&session, &workflow.directory);
        let options = FollowUpOptions {
            timeout: Some(reviewer.timeout),
            stop: true,
            prompt: PromptOptions {
                agent: reviewer.agent.clone(),
                model: reviewer.model.clone(),
            },
        };
        let text = &review.material.text;
        let prompt = match changes {
            Some(changes) => review_prompt_with_changes(&reviewer.name, &reviewer.prompt, text, changes),
            None => review_prompt(&reviewer.name, &reviewer.prompt, text),
        };
        let own = OwnEntry {
            stored: seat.begun,
            ..OwnEntry::named(seat.ids, &name)
        };
        let entry = own.entry.clone();
        let send = || self.board.follow_up_as(own, &session, &prompt, &options);
        let replied = Box::pin(self.unless_stopped(id, &session, send));
        let replied = match select(replied, Box::pin(self.note_begun(id, place, number, &entry))).await {
            Either::Left((replied, _)) => replied,
            Either::Right(((), replied)) => replied.await,
        };
        match replied {
            Ok(reply) => {
                let now = self.clock.now();
                self.change_seat(id, place, number, &|seat| {
                    (seat.tokens, seat.cost) = (reply.tokens(), reply.cost());
                    seat.begun = seat.begun.or(Some(now));
                    true
                })
                .await;
                self.note(id, place, number, self.opinion_of(&reply)).await;
            }
            Err(FollowUpError::TimedOut { text, .. }) => {
                self.note(id, place, number, silent(NoVerdict::TimedOut, text)).await;
            }
            Err(FollowUpError::Cancelled { .. }) => {
                let stopped = NoVerdict::Ended(Ending::Aborted);
                self.note(id, place, number, silent(stopped, String::new())).await;
            }
            Err(error @ (FollowUpError::SessionGone | FollowUpError::NotTaken(_) | FollowUpError::Refused(_))) => {
                let reason = NoVerdict::NotAsked(error.to_string());
                self.note(id, place, number, silent(reason, String::new())).await;
            }
            Err(FollowUpError::NotConnected | FollowUpError::Disposed) => futures::future::pending().await,
        }
    }

    /// Notes from when on the server has what a reviewer is asked.
    async fn note_begun(&self, id: &WorkflowId, place: usize, number: usize, entry: &EntryId) {
        self.until(|_| self.board.is_stored(entry).then_some(())).await;
        let now = self.clock.now();
        self.change_seat(id, place, number, &|seat| {
            let is_first = seat.begun.is_none();
            seat.begun = seat.begun.or(Some(now));
            is_first
        })
        .await;
    }

    /// Notes that a reviewer is asked in this session, unless it was asked before. Returns its seat.
    async fn asked_in(&self, id: &WorkflowId, place: usize, number: usize, session: &SessionId) -> Option<Seat> {
        self.change_seat(id, place, number, &|seat| {
            let is_first = seat.session.is_none();
            if is_first {
                seat.session = Some(session.clone());
            }
            is_first
        })
        .await;
        self.seat(id, place, number)
    }

    fn opinion_of(&self, reply: &TurnReply) -> Opinion {
        match reply.ending {
            Ending::Done => match (self.read_verdict)(&reply.text) {
                Ok(verdict) => Opinion::Verdict(verdict),
                Err(fault) => silent(NoVerdict::Unreadable(fault.to_string()), reply.text.clone()),
            },
            Ending::Empty
            | Ending::NotStarted
            | Ending::Dismissed
            | Ending::Failed
            | Ending::Aborted
            | Ending::Interrupted
            | Ending::TimedOut => silent(NoVerdict::Ended(reply.ending), said(reply)),
        }
    }

    async fn note(&self, id: &WorkflowId, place: usize, number: usize, opinion: Opinion) {
        let now = self.clock.now();
        self.change_seat(id, place, number, &|seat| {
            let is_first = seat.opinion.is_none();
            if is_first {
                seat.opinion = Some(opinion.clone().bounded());
                seat.ended = Some(now);
            }
            is_first
        })
        .await;
    }

    async fn change_seat(&self, id: &WorkflowId, place: usize, number: usize, change: &dyn Fn(&mut Seat) -> bool) {
        self.change_step(id, place, &|step| match &mut step.work {
            Work::Review { seats, .. } => seats.get_mut(number).is_some_and(change),
            Work::AwaitReply { .. } | Work::Check(_) | Work::Tell(_) => false,
        })
        .await;
    }

    fn seat(&self, id: &WorkflowId, place: usize, number: usize) -> Option<Seat> {
        match &self.get(id)?.steps.get(place)?.work {
            Work::Review { seats, .. } => seats.get(number).cloned(),
            Work::AwaitReply { .. } | Work::Check(_) | Work::Tell(_) => None,
        }
    }
}

impl Runner {
    /// Sends the agent what the newest review has found, as a person has asked for, and notes what came of it. An earlier life of
    /// the page, or another tab, may have sent it: it arrives once.
    pub(super) async fn send_findings(self: Rc<Self>, id: WorkflowId) -> WorkflowId {
        let Some(workflow) = self.get(&id) else { return id };
        let Some((place, seats, ids)) = workflow.sending() else {
            return id;
        };
        let text = cut(&issues_message(&findings(&workflow, seats)));
        let ids = ids.clone();
        let own = OwnEntry::of(ids.clone());
        let _needed = self.board.need(&workflow.session, &workflow.directory);
        self.until_tellable(&workflow.session).await;
        let end = match self.board.prompt_once(own, &workflow.session, &text) {
            Ok(storing) => match storing.await {
                Ok(_) => SendEnd::Stored,
                Err(NotStored::Closed) => futures::future::pending().await,
                Err(error @ (NotStored::Refused(_) | NotStored::SessionGone)) => SendEnd::Refused(error.to_string()),
            },
            Err(PromptError::Closed) => futures::future::pending().await,
            Err(error @ (PromptError::UnknownSession(_) | PromptError::Empty)) => SendEnd::Refused(error.to_string()),
        };
        self.change(&id, &|workflow| {
            let step = workflow.steps.get_mut(place);
            let sent = step.and_then(|step| match &mut step.work {
                Work::Review { sent, .. } => sent.as_mut(),
                Work::AwaitReply { .. } | Work::Check(_) | Work::Tell(_) => None,
            });
            let sent = sent.filter(|sent| sent.end.is_none() && sent.ids == ids);
            let is_on_its_way = sent.is_some();
            sent.into_iter().for_each(|sent| sent.end = Some(end.clone()));
            is_on_its_way
        })
        .await;
        id
    }
}

/// The last text of the agent's own; empty where it said nothing.
fn said(reply: &TurnReply) -> String {
    let mut texts = reply.messages.iter().rev().map(|message| message.text());
    texts.find(|text| !text.is_empty()).unwrap_or_default()
}

fn silent(reason: NoVerdict, text: String) -> Opinion {
    Opinion::None { reason, text }
}
