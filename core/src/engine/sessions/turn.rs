//! Says how a turn stands: which state while it runs, which ending afterwards, and why.

use std::sync::Arc;
use std::time::Duration;

use crate::engine::evidence::Corroboration;
use crate::engine::outbox::{DISMISSED, REJECTED};
use crate::engine::sessions::runner::{Runner, run_of};
use crate::model::{Message, MessageId, Role, SessionId, Status};
use crate::time::Time;

use crate::view::{EndReason, Ending, StuckCause, TurnState};

/// How long a session may show no sign before that is called stuck. A build or a long download is silent for minutes.
const SILENCE_MAX: Duration = Duration::from_secs(300);

/// How far apart the signs of life of a text that streams are noted.
const SIGN_GAP: Duration = Duration::from_secs(1);

/// How long a prompt may stay unanswered by a server that says nothing runs. Source: docs/opencode.md §3.
const START_PATIENCE: Duration = Duration::from_secs(10);

/// What changes so long after the status was read may belong to a run that has begun since.
const STATUS_LASTS: Duration = Duration::from_secs(2);

/// What the newest refresh says about a session.
#[derive(Clone, Debug)]
pub(crate) struct Signals<'a> {
    /// Its place in the status map; none when it is absent.
    pub(crate) status: Option<&'a Status>,
    /// When the refresh began that read the status.
    pub(crate) status_begun: Time,
    /// Its newest messages, read after the status.
    pub(crate) messages: &'a [Arc<Message>],
    /// The numbers of the reads of the status and of those messages.
    pub(crate) reads: [u64; 2],
    /// Whether those messages were really read after that status, and after the session was last seen to move: what was read
    /// before proves no absence.
    pub(crate) fresh: bool,
    /// Requests of its own that wait.
    pub(crate) waiting: usize,
    /// A descendant that a running `task` part names and that works or waits.
    pub(crate) descendant: Option<Descendant>,
    /// The prompt of ours that was sent last.
    pub(crate) prompted: Option<&'a Prompted>,
    /// Which process runs what is open, as far as the reads tell.
    pub(crate) runner: Runner,
}

/// A prompt that was sent from here.
#[derive(Clone, Debug)]
pub(crate) struct Prompted {
    /// When its send ended.
    pub(crate) at: Time,
    /// The message that it is on the server.
    pub(crate) message: MessageId,
}

/// How the newest turn of a session stands.
#[derive(Clone, Debug)]
pub(crate) struct NewestTurn {
    pub(crate) state: TurnState,
    /// Up to when the messages of the agent that this rests on are complete, in milliseconds by the server's clock; 0 where there is
    /// none.
    pub(crate) complete_until: u64,
    /// The number of the read of the status that this rests on.
    pub(crate) status_read: u64,
    /// Whether a prompt of this device is on its way to it, or no read of its messages shows yet what has come of one.
    pub(crate) is_prompted: bool,
    pub(crate) has_messages: bool,
}

/// Up to when the messages of an agent are complete, in milliseconds by the server's clock: when the newest one was made, or just
/// before where that is open; 0 where there is none.
fn complete_until_of(messages: &[Arc<Message>]) -> u64 {
    let mut newest_first = messages.iter().rev();
    let newest = newest_first.find(|message| message.role == Role::Assistant);
    newest.map_or(0, |newest| {
        newest.created.saturating_sub(u64::from(newest.completed.is_none()))
    })
}

/// What goes on below a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Descendant {
    /// It waits for a person.
    Waits(SessionId),
    /// It works.
    Works,
}

/// Follows the newest turn of one session.
#[derive(Clone, Debug)]
pub(crate) struct TurnDetector {
    state: TurnState,
    /// Up to when the messages of the agent are complete from which the newest conclusion was drawn; none before they were read.
    complete_until: Option<u64>,
    /// The reads from which the newest conclusion was drawn.
    reads: [u64; 2],
    /// Refreshes that found the session absent from the status map, and this its newest message.
    absent: Option<Corroboration<Option<MessageId>>>,
    /// Refreshes that found nothing running, and this prompt the newest message.
    unanswered: Option<Corroboration<MessageId>>,
    moved: Option<Time>,
    /// When text last streamed. It is a sign of life, and no proof of anything.
    streamed: Option<Time>,
    /// It is being stopped because it took too long.
    timed_out: bool,
    /// The looks since which the ending rests on agreement alone, and so is looked at again for a while, the last time at its
    /// messages as they are then.
    agreed: Option<Corroboration>,
    is_provisional: bool,
    /// The prompt of ours that was seen on the server last, or a reply to it.
    shown: Option<MessageId>,
    /// The run that another process was seen to have begun.
    elsewhere: Option<MessageId>,
}

impl TurnDetector {
    pub(crate) fn new() -> Self {
        Self {
            state: TurnState::Unknown,
            complete_until: None,
            reads: [0; 2],
            absent: None,
            unanswered: None,
            moved: None,
            streamed: None,
            timed_out: false,
            agreed: None,
            is_provisional: false,
            shown: None,
            elsewhere: None,
        }
    }

    /// The run is being stopped because it took too long. What has ended before has not ended for that.
    pub(crate) fn handle_time_out(&mut self) {
        self.timed_out = !matches!(self.state, TurnState::Ended { .. });
    }

    /// The session has been prompted: what was said of the turn before holds no more.
    pub(crate) fn handle_prompted(&mut self) {
        self.timed_out = false;
    }

    pub(crate) fn state(&self) -> &TurnState {
        &self.state
    }

    /// Up to when the messages of the agent that [`Self::state`] rests on are complete, in milliseconds by the server's clock: none
    /// before they were read, and 0 where there is no message of the agent among them.
    pub(crate) fn complete_until(&self) -> Option<u64> {
        self.complete_until
    }

    /// The number of the read of the status from which the newest conclusion was drawn; 0 before there is one.
    pub(crate) fn status_read(&self) -> u64 {
        self.reads[0]
    }

    /// The number of the read of its messages from which the newest conclusion was drawn; 0 before there is one.
    pub(crate) fn messages_read(&self) -> u64 {
        self.reads[1]
    }

    /// When something was last seen to change, or text streamed.
    pub(crate) fn moved(&self) -> Option<Time> {
        self.moved.max(self.streamed)
    }

    /// Text streams. Returns true once a second: more often nobody needs to be told.
    pub(crate) fn handle_stream(&mut self, now: Time) -> bool {
        let is_news = self.moved().is_none_or(|moved| now.since(moved) >= SIGN_GAP);
        if is_news {
            self.streamed = Some(now);
        }
        is_news
    }

    /// Whether the ending rests on agreement alone, and was drawn a moment ago: a clock that jumps, or a server that still
    /// closes the message, may prove it wrong.
    pub(crate) fn is_provisional(&self) -> bool {
        self.is_provisional
    }

    /// Something in the session has changed.
    pub(crate) fn handle_movement(&mut self, now: Time) {
        self.moved = Some(now);
    }

    /// Draws the conclusion from a refresh. Returns true when the state has changed.
    pub(crate) fn observe(&mut self, signals: &Signals<'_>, absence_gap: Duration, now: Time) -> bool {
        // It leaves what is read again as the run goes on.
        if let Some(Prompted { message: prompt, .. }) = signals.prompted
            && self.shown.as_ref() != Some(prompt)
        {
            let mut messages = signals.messages.iter();
            let is_shown = messages.any(|message| message.id == *prompt || message.parent.as_ref() == Some(prompt));
            self.shown = is_shown.then(|| prompt.clone());
        }
        let newest = signals.messages.last().map(|last| last.id.clone());
        self.absent = match (signals.status, self.absent.take()) {
            (Some(_), _) => None,
            // What has moved since then was not seen to stand still next to it.
            (None, absent) if !signals.fresh || self.moved.is_some_and(|moved| moved >= signals.status_begun) => {
                absent.filter(|absent| absent.subject == newest)
            }
            (None, Some(absent)) if absent.subject == newest => Some(absent.with(signals.status_begun)),
            (None, _) => Some(Corroboration::begin(newest, signals.status_begun)),
        };
        let prompt = signals
            .messages
            .last()
            .filter(|last| signals.status.is_none() && last.role == Role::User);
        self.unanswered = match (prompt, self.unanswered.take()) {
            (Some(prompt), Some(unanswered)) if unanswered.subject == prompt.id => Some(if signals.fresh {
                unanswered.with(signals.status_begun)
            } else {
                unanswered
            }),
            (Some(prompt), _) if signals.fresh => Some(Corroboration::begin(prompt.id.clone(), signals.status_begun)),
            (Some(_) | None, _) => None,
        };
        let state = self.conclude(signals, absence_gap, now);
        self.elsewhere = match (&state, signals.status) {
            (TurnState::Elsewhere { certain: true }, _) => run_of(signals.messages).cloned(),
            (_, Some(_)) => None,
            (_, None) => self.elsewhere.take(),
        };
        let by_agreement = match state {
            TurnState::Ended { .. } => signals
                .messages
                .last()
                .is_some_and(|last| !matches!(conclusion_of(last), Conclusion::Certain(..))),
            TurnState::Elsewhere { .. } => true,
            TurnState::Unknown
            | TurnState::Working
            | TurnState::WaitingForHuman { .. }
            | TurnState::Retrying { .. }
            | TurnState::Stuck { .. } => false,
        };
        let was_settled = self.agreed.is_some() && !self.is_provisional;
        self.agreed = match self.agreed.take() {
            _ if !by_agreement => None,
            Some(agreed) => Some(agreed.with(signals.status_begun)),
            None => Some(Corroboration::begin((), signals.status_begun)),
        };
        // The status alone does not show that the message was closed.
        let is_settled = was_settled || signals.fresh;
        let holds = |agreed: &Corroboration| agreed.outlasts_closing() && is_settled;
        self.is_provisional = self.agreed.as_ref().is_some_and(|agreed| !holds(agreed));
        let changed = state != self.state;
        // That nothing moves is no movement, and what runs elsewhere may have stood still for long.
        if changed && !matches!(state, TurnState::Stuck { .. } | TurnState::Elsewhere { .. }) {
            self.moved = Some(now);
        }
        (self.state, self.reads) = (state, signals.reads);
        self.complete_until = (signals.reads[1] > 0).then(|| complete_until_of(signals.messages));
        changed
    }

    fn conclude(&self, signals: &Signals<'_>, absence_gap: Duration, now: Time) -> TurnState {
        let silent_since = self.moved().filter(|moved| now.since(*moved) >= SILENCE_MAX);
        if signals.waiting > 0 {
            return TurnState::WaitingForHuman { descendant: None };
        }
        // A run that is gone awaits no sub-agent, whatever that does now.
        let is_gone = signals.status.is_none() && self.is_agreed(absence_gap);
        let descendant = signals.descendant.as_ref().filter(|_| !is_gone);
        if let Some(Descendant::Waits(descendant)) = descendant {
            return match silent_since {
                Some(since) => TurnState::Stuck {
                    cause: StuckCause::DescendantWaits(descendant.clone()),
                    since,
                },
                None => TurnState::WaitingForHuman {
                    descendant: Some(descendant.clone()),
                },
            };
        }
        match signals.status {
            Some(Status::Retry { attempt, message, next }) => TurnState::Retrying {
                attempt: *attempt,
                message: message.clone(),
                next: *next,
                since: match &self.state {
                    TurnState::Retrying { since, .. } => *since,
                    TurnState::Unknown
                    | TurnState::Working
                    | TurnState::WaitingForHuman { .. }
                    | TurnState::Stuck { .. }
                    | TurnState::Elsewhere { .. }
                    | TurnState::Ended { .. } => now,
                },
            },
            Some(Status::Busy | Status::Other(_)) => match silent_since {
                Some(since) if signals.descendant.is_none() => TurnState::Stuck {
                    cause: StuckCause::Silent,
                    since,
                },
                Some(_) | None => TurnState::Working,
            },
            None => self.conclude_from_absence(signals, absence_gap, now),
        }
    }

    fn conclude_from_absence(&self, signals: &Signals<'_>, absence_gap: Duration, now: Time) -> TurnState {
        let agreed = self.is_agreed(absence_gap);
        let prompted = signals
            .prompted
            .filter(|prompted| now.since(prompted.at) < START_PATIENCE);
        let just_prompted = prompted.is_some();
        let is_known = self.elsewhere.is_some() && self.elsewhere.as_ref() == run_of(signals.messages);
        let is_elsewhere = is_known && matches!(signals.runner, Runner::Elsewhere | Runner::Unknown);
        let undecided = || {
            if is_elsewhere {
                TurnState::Elsewhere { certain: true }
            } else if self.is_running() {
                TurnState::Working
            } else {
                TurnState::Unknown
            }
        };
        let Some(last) = signals.messages.last() else {
            return if just_prompted {
                TurnState::Working
            } else {
                TurnState::Unknown
            };
        };
        if matches!(last.role, Role::User) {
            let unanswered = self.unanswered.as_ref();
            return match (
                just_prompted,
                unanswered.is_some_and(|unanswered| unanswered.holds(START_PATIENCE)),
            ) {
                (true, _) => TurnState::Working,
                // What runs, or asks something, has picked it up: the messages are older than that.
                (false, true) if !signals.fresh && self.is_running() => TurnState::Working,
                // It is queued behind a run that this server does not know.
                (false, true) if is_elsewhere => TurnState::Elsewhere { certain: true },
                (false, true) => match signals.runner {
                    Runner::Here | Runner::Perhaps | Runner::Lost | Runner::Dead => {
                        ended(Ending::NotStarted, EndReason::NeverPickedUp)
                    }
                    Runner::Elsewhere => TurnState::Elsewhere { certain: true },
                    Runner::Unknown => TurnState::Elsewhere { certain: false },
                },
                (false, false) => undecided(),
            };
        }
        // Neither clock tells what came after the prompt: the server's may differ, and it begins before the send has ended here.
        let is_shown = |prompted: &Prompted| self.shown.as_ref() == Some(&prompted.message);
        if prompted.is_some_and(|prompted| !is_shown(prompted)) && self.is_running() {
            return TurnState::Working;
        }
        if signals.descendant.is_some() && !agreed {
            return TurnState::Working;
        }
        if self
            .moved
            .is_some_and(|moved| moved.since(signals.status_begun) >= STATUS_LASTS)
        {
            return undecided();
        }
        // What a call's own message shows may be older than what the run has said since.
        if !signals.fresh && self.is_running() {
            return TurnState::Working;
        }
        match conclusion_of(last) {
            Conclusion::Certain(Ending::Aborted, _) if self.timed_out => {
                ended(Ending::TimedOut, EndReason::TookTooLong)
            }
            Conclusion::Certain(ending, reason) => ended(ending, reason),
            Conclusion::OnceAgreed(..) | Conclusion::Open(_) if !agreed => undecided(),
            Conclusion::OnceAgreed(ending, reason) => ended(ending, reason),
            // What has failed since then says nothing of what those reads have shown.
            Conclusion::Open(_) if self.reads == signals.reads && !self.has_concluded() => undecided(),
            Conclusion::Open(_) if is_elsewhere => TurnState::Elsewhere { certain: true },
            Conclusion::Open(unclosed) => match signals.runner {
                Runner::Here if !self.absent.as_ref().is_some_and(Corroboration::outlasts_closing) => undecided(),
                Runner::Here | Runner::Perhaps | Runner::Dead => ended(Ending::Interrupted, unclosed),
                Runner::Lost => ended(Ending::Interrupted, EndReason::ServerLeft),
                Runner::Elsewhere => TurnState::Elsewhere { certain: true },
                Runner::Unknown => TurnState::Elsewhere { certain: false },
            },
        }
    }

    /// Whether two refreshes, far enough apart, have found the session at rest and its newest message the same.
    fn is_agreed(&self, absence_gap: Duration) -> bool {
        self.absent.as_ref().is_some_and(|absent| absent.holds(absence_gap))
    }

    fn has_concluded(&self) -> bool {
        matches!(self.state, TurnState::Elsewhere { .. } | TurnState::Ended { .. })
    }

    fn is_running(&self) -> bool {
        match self.state {
            TurnState::Working
            | TurnState::WaitingForHuman { .. }
            | TurnState::Retrying { .. }
            | TurnState::Stuck { .. } => true,
            TurnState::Unknown | TurnState::Elsewhere { .. } | TurnState::Ended { .. } => false,
        }
    }
}

/// What the last assistant message says, given that nothing runs.
enum Conclusion {
    Certain(Ending, EndReason),
    /// The message may still change: "idle" comes before "final" (docs/opencode.md, trap 8).
    OnceAgreed(Ending, EndReason),
    /// The message, or a call of it, is open: its server closes it, or was lost.
    Open(EndReason),
}

/// How a run ended whose last message is this one, and why.
pub(crate) fn ending_of(last: &Message) -> (Ending, EndReason) {
    match conclusion_of(last) {
        Conclusion::Certain(ending, reason) | Conclusion::OnceAgreed(ending, reason) => (ending, reason),
        Conclusion::Open(unclosed) => (Ending::Interrupted, unclosed),
    }
}

fn conclusion_of(last: &Message) -> Conclusion {
    use Conclusion::{Certain, OnceAgreed, Open};

    if last.completed.is_none() {
        return Open(EndReason::NotCompleted);
    }
    if last.fault.is_some() {
        // What could not be understood may have been broken on the way.
        return OnceAgreed(
            if last.text().is_empty() {
                Ending::Empty
            } else {
                Ending::Done
            },
            EndReason::CompleteInPart,
        );
    }
    if let Some(error) = &last.error {
        return match error.name.as_str() {
            "MessageAbortedError" => Certain(Ending::Aborted, EndReason::Stopped),
            // Of a request without a call, the message says so itself.
            _ if error.message.contains(REJECTED) => Certain(Ending::Dismissed, EndReason::PermissionRejected),
            _ => Certain(
                Ending::Failed,
                EndReason::Failed {
                    name: error.name.clone(),
                    message: error.message.clone(),
                },
            ),
        };
    }
    if last.tools().any(|(_, tool)| !tool.status.is_final()) {
        return Open(EndReason::ToolNotEnded);
    }
    if last.finish.is_none() && last.parts.is_empty() {
        return Certain(Ending::Aborted, EndReason::StoppedInRetry);
    }
    let turned_away = |words: &str| {
        last.tools()
            .any(|(_, tool)| tool.error.as_deref().is_some_and(|text| text.contains(words)))
    };
    let has_text = !last.text().is_empty();
    match last.finish.as_deref() {
        Some("tool-calls" | "unknown") if turned_away(DISMISSED) => {
            Certain(Ending::Dismissed, EndReason::QuestionDismissed)
        }
        Some("tool-calls" | "unknown") if turned_away(REJECTED) => {
            Certain(Ending::Dismissed, EndReason::PermissionRejected)
        }
        Some("tool-calls") => OnceAgreed(Ending::Interrupted, EndReason::BetweenSteps),
        Some("unknown") if has_text => OnceAgreed(Ending::Done, EndReason::NoFinishReason),
        Some("length") if has_text => Certain(Ending::Done, EndReason::TokenLimit),
        Some(_) if has_text => Certain(Ending::Done, EndReason::Complete),
        None if last.tools().next().is_some() => Certain(Ending::Done, EndReason::CommandEnded),
        None if has_text => Certain(Ending::Done, EndReason::Complete),
        Some(_) | None => Certain(Ending::Empty, EndReason::NoText),
    }
}

fn ended(ending: Ending, reason: EndReason) -> TurnState {
    TurnState::Ended { ending, reason }
}
