//! Waits for the agent, and tells it what is wrong.

use std::cell::Cell;
use std::time::Duration;

use futures::future::{Either, select};

use super::Runner;
use crate::engine::outbox::submission::{OwnEntry, PromptError};
use crate::engine::waits::follow_up::{FollowUpError, FollowUpOptions, TurnReply, WasSent};
use crate::handle::{FollowingUp, cut};
use crate::model::{SessionId, WorkflowId};
use crate::workflow::{End, Reply, Stop, TellWork, Work, Workflow};

/// How long another tab is believed that the agent is at work, or about to be, where this one sees neither that nor a reply.
const BELIEVES: Duration = Duration::from_secs(10);

impl Runner {
    /// Waits until the run of the agent has ended that went on when the wait began, maybe in another tab, or else the next one.
    /// Reads up to the number `since` may be older than that, and do not count.
    pub(super) async fn await_reply(
        &self,
        id: &WorkflowId,
        session: &SessionId,
        place: usize,
        (running, replied): (bool, u64),
        since: u64,
    ) {
        let (seen, believed) = (Cell::new(false), self.clock.now() + BELIEVES);
        let ended = self.until(|_| {
            let progress = self.progress_since(session, since)?;
            seen.set(seen.get() || !progress.is_idle());
            // What the other tab has sent may not be known here yet.
            let is_over = running && (seen.get() || self.clock.now() >= believed);
            (progress.is_idle() && (is_over || progress.replied > replied)).then_some(())
        });
        let stopped = self.stopped(id, Stop::AfterRound);
        drop(select(Box::pin(ended), Box::pin(stopped)).await);
        self.end_step(id, place, &|_| {}).await;
    }

    pub(super) async fn tell(&self, id: &WorkflowId, workflow: &Workflow, place: usize, told: &TellWork) {
        let options = FollowUpOptions {
            timeout: None,
            // Only a person's stop ends this wait early, and it means the agent, too.
            stop: true,
            ..FollowUpOptions::default()
        };
        let own = OwnEntry::named(told.ids.clone(), &workflow.name_of(place));
        let send = || {
            self.board
                .follow_up_as(own, &workflow.session, &cut(&told.text), &options)
        };
        let reply = match self.unless_stopped(id, &workflow.session, send).await {
            Ok(reply) => Some(reply_of(&reply)),
            Err(FollowUpError::Cancelled { .. } | FollowUpError::TimedOut { .. }) => None,
            Err(FollowUpError::SessionGone | FollowUpError::NotTaken(PromptError::UnknownSession(_))) => {
                return self.end(id, End::SessionGone).await;
            }
            Err(error @ (FollowUpError::NotTaken(_) | FollowUpError::Refused(_))) => {
                return self.end(id, End::NotTold(error.to_string())).await;
            }
            Err(FollowUpError::NotConnected | FollowUpError::Disposed) => futures::future::pending().await,
        };
        self.end_step(id, place, &|work| {
            if let Work::Tell(told) = work {
                told.reply.clone_from(&reply);
            }
        })
        .await;
    }

    /// Sends once a session that is needed is known and no other process runs it, and waits for the reply, unless a person stops
    /// the workflow first: then the agent is stopped.
    pub(super) async fn unless_stopped(
        &self,
        id: &WorkflowId,
        session: &SessionId,
        send: impl FnOnce() -> FollowingUp,
    ) -> Result<TurnReply, FollowUpError> {
        match select(Box::pin(self.until_tellable(session)), Box::pin(self.stopped_now(id))).await {
            Either::Left(((), _)) => {}
            Either::Right(((), _)) => return Err(FollowUpError::Cancelled { sent: WasSent::Unknown }),
        }
        let waiting = send();
        let canceller = waiting.canceller();
        match select(waiting, Box::pin(self.stopped_now(id))).await {
            Either::Left((reply, _)) => reply,
            Either::Right(((), waiting)) => {
                if let Some(canceller) = canceller {
                    canceller.cancel();
                }
                waiting.await
            }
        }
    }
}

fn reply_of(reply: &TurnReply) -> Reply {
    Reply {
        message: reply.message.clone(),
        ending: reply.ending,
        tokens: reply.tokens(),
        cost: reply.cost(),
    }
}
