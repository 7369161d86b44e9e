//! The validation loop: prompt, check, follow up with what the check said, until it passes (requirements F7).

use std::time::Duration;

use futures::StreamExt;

use super::Handle;
use super::follow_up::{Canceller, FOLLOW_UP_MAX, FollowingUp};
use crate::engine::waits::follow_up::{FollowUpError, FollowUpOptions, TurnReply, WasSent};
use crate::model::SessionId;
use crate::primitives::checks::{Failure, ends_of};
use crate::view::Ending;

/// Before what the agent is told of a check that failed.
const FAILED: &str = "The check failed. Its output:\n\n";

/// How a check ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checked {
    /// All is well.
    Passed,
    /// A shell command has failed ([`Handle::check`]). It fails in the same way again where [`Failure::is_same_as`] says so.
    CommandFailed(Failure),
    /// A check of the caller's own has failed. It fails in the same way again where it says the same, to the byte: what differs
    /// each time, such as a time, is better left out.
    Failed {
        /// What the agent is told. Of more than 102,400 bytes (F2) its beginning and its end are sent.
        output: String,
    },
}

impl Checked {
    /// Whether both have failed, in the same way.
    fn is_same_failure_as(&self, other: &Self) -> bool {
        match (self, other) {
            (Checked::CommandFailed(one), Checked::CommandFailed(other)) => one.is_same_as(other),
            (Checked::Failed { output: one }, Checked::Failed { output: other }) => one == other,
            (Checked::Passed | Checked::CommandFailed(_) | Checked::Failed { .. }, _) => false,
        }
    }

    /// What the agent is told after a check that failed; none after one that passed.
    fn told(&self) -> Option<String> {
        let output = match self {
            Checked::Passed => return None,
            Checked::CommandFailed(failure) => failure.message(),
            Checked::Failed { output } => ends_of(output, FOLLOW_UP_MAX - FAILED.len()),
        };
        Some(format!("{FAILED}{output}"))
    }
}

/// How long the loop goes on.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ValidationOptions {
    /// Replies that are checked. Defaults to 5.
    pub rounds: u32,
    /// What all replies together may cost.
    pub budget: Budget,
    /// How each reply is waited for.
    pub reply: FollowUpOptions,
}

impl Default for ValidationOptions {
    fn default() -> Self {
        Self {
            rounds: 5,
            budget: Budget::default(),
            reply: FollowUpOptions::default(),
        }
    }
}

/// Bounds on all replies together. None is no bound.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Budget {
    /// Tokens, read and written ([`TurnReply::tokens`]).
    pub tokens: Option<u64>,
    /// Dollars ([`TurnReply::cost`]).
    pub cost: Option<f64>,
    /// Time, from the first prompt.
    pub time: Option<Duration>,
}

/// A bound of a [`Budget`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// [`Budget::tokens`].
    Tokens,
    /// [`Budget::cost`].
    Cost,
    /// [`Budget::time`].
    Time,
}

/// How the loop ended. `E` is the error of the check.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Validated<E> {
    /// Why it ended.
    pub end: ValidationEnd<E>,
    /// The rounds, in order. The last one may have no check.
    pub rounds: Vec<Round>,
}

/// A reply and what the check said to it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Round {
    /// The reply.
    pub reply: TurnReply,
    /// What the check said; none when the reply could not be checked.
    pub check: Option<Checked>,
}

/// Why a validation loop ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValidationEnd<E> {
    /// The check passed.
    Passed,
    /// The last round has failed.
    RoundsUsedUp,
    /// The check failed in the same way twice in a row.
    Stalled,
    /// Going on would exceed the budget.
    OverBudget(Bound),
    /// The agent did not finish: a person stopped it, or it failed.
    Ended(Ending),
    /// The check could not be made.
    CheckBroken(E),
    /// There is no reply.
    NoReply(FollowUpError),
}

impl Handle {
    /// Prompts a session, and follows up with what `check` says until it passes, the rounds or the budget are used up, or the
    /// check fails in the same way twice in a row. A follow-up waits while another OpenCode process runs the session, for as long
    /// as a reply may take.
    ///
    /// `check` is called once for each reply that the agent has finished; an error says why the check could not be made.
    /// [`Handle::check`] makes one of a shell command.
    ///
    /// Dropping the future ends the loop as [`Canceller::cancel`] ends a wait: a message that no attempt was made to send is
    /// not sent any more, and the agent goes on with what it was told last, unless [`FollowUpOptions::stop`] says otherwise.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/memory_store/in_documentation.rs"));
    /// # use switchboard_core::{ShellCommand, ValidationEnd, ValidationOptions};
    /// # fn main() { on_a_board(async |board, question| {
    /// # let session = board.create_session(&question.directory, None).await?;
    /// let tests = ShellCommand::new(question.directory.clone(), "Tests", "cargo test");
    /// let check = async |_: &_| board.check(&tests).await;
    /// let validated = board.until_valid(&session, "Repair the tests.", check, &ValidationOptions::default()).await;
    /// assert_eq!(validated.end, ValidationEnd::Passed);
    /// # Ok(()) }) }
    /// ```
    pub async fn until_valid<E>(
        &self,
        session: &SessionId,
        prompt: &str,
        mut check: impl AsyncFnMut(&TurnReply) -> Result<Checked, E>,
        options: &ValidationOptions,
    ) -> Validated<E> {
        let begun = self.now();
        let mut rounds: Vec<Round> = Vec::new();
        let mut reply = reply_to(self.prompt_for_reply(session, prompt, &options.reply)).await;
        let end = loop {
            let found = match reply {
                Ok(found) => found,
                Err(error) => break ValidationEnd::NoReply(error),
            };
            if !matches!(found.ending, Ending::Done | Ending::Empty) {
                let ending = found.ending;
                rounds.push(Round::new(found, None));
                break ValidationEnd::Ended(ending);
            }
            let checked = match check(&found).await {
                Ok(checked) => checked,
                Err(reason) => {
                    rounds.push(Round::new(found, None));
                    break ValidationEnd::CheckBroken(reason);
                }
            };
            let before = rounds.last().and_then(|round| round.check.as_ref());
            let stalled = before.is_some_and(|before| before.is_same_failure_as(&checked));
            let told = checked.told();
            rounds.push(Round::new(found, Some(checked)));
            let Some(told) = told else {
                break ValidationEnd::Passed;
            };
            if stalled {
                break ValidationEnd::Stalled;
            }
            if rounds.len() >= options.rounds as usize {
                break ValidationEnd::RoundsUsedUp;
            }
            if let Some(bound) = options
                .budget
                .exceeded(tokens_of(&rounds), cost_of(&rounds), self.now().since(begun))
            {
                break ValidationEnd::OverBudget(bound);
            }
            let timeout = options.reply.timeout;
            if let Err(error) = self.until_not_elsewhere(session, timeout).await {
                break ValidationEnd::NoReply(error);
            }
            reply = reply_to(self.follow_up(session, &told, &options.reply)).await;
        };
        Validated { end, rounds }
    }

    /// Waits until no other process is known to run a session, for so long at most.
    async fn until_not_elsewhere(&self, session: &SessionId, timeout: Option<Duration>) -> Result<(), FollowUpError> {
        let begun = self.now();
        let mut views = self.views();
        while let Some(view) = views.next().await {
            if !view.runs_elsewhere(session) {
                return Ok(());
            }
            // Each read makes a view.
            if timeout.is_some_and(|timeout| self.now().since(begun) >= timeout) {
                let (sent, text) = (WasSent::No, String::new());
                return Err(FollowUpError::TimedOut { sent, text });
            }
        }
        Err(FollowUpError::Disposed)
    }
}

/// Awaits a reply, and cancels that when it is dropped first.
async fn reply_to(waiting: FollowingUp) -> Result<TurnReply, FollowUpError> {
    let _left = Leaving(waiting.canceller());
    waiting.await
}

/// Ends a wait when it is dropped; one that is over takes no notice.
struct Leaving(Option<Canceller>);

impl Drop for Leaving {
    fn drop(&mut self) {
        if let Some(canceller) = &self.0 {
            canceller.cancel();
        }
    }
}

impl Round {
    /// A reply, and what the check said to it.
    #[must_use]
    pub fn new(reply: TurnReply, check: Option<Checked>) -> Self {
        Self { reply, check }
    }
}

fn tokens_of(rounds: &[Round]) -> u64 {
    rounds.iter().map(|round| round.reply.tokens()).sum()
}

fn cost_of(rounds: &[Round]) -> f64 {
    rounds.iter().map(|round| round.reply.cost()).sum()
}

impl Budget {
    /// The bound that is reached, if one is.
    pub(crate) fn exceeded(&self, tokens: u64, cost: f64, taken: Duration) -> Option<Bound> {
        if self.tokens.is_some_and(|bound| tokens >= bound) {
            Some(Bound::Tokens)
        } else if self.cost.is_some_and(|bound| cost >= bound) {
            Some(Bound::Cost)
        } else if self.time.is_some_and(|bound| taken >= bound) {
            Some(Bound::Time)
        } else {
            None
        }
    }
}
