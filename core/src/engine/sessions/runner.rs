//! Tells which OpenCode process runs a session: several on the same data share its messages, and each lists only the runs of
//! its own (docs/opencode.md §14).

use std::sync::Arc;
use std::time::Duration;

use crate::collections::SortedSet;
use crate::engine::server_clock::ServerClock;
use crate::model::{Message, MessageId, Role};
use crate::time::Time;

/// How long a run without a tool call may show nothing before no process can be at it any more: a provider that refuses may
/// ask for a pause of hours.
const SILENCE_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// The longest time for which a server may be lost and still be taken to have cut off what began meanwhile.
const RESTART_MAX: Duration = Duration::from_secs(60);

/// The process that has begun the newest run of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Runner {
    /// This server, which is known not to have been restarted: it closes what is open. Also where nothing is open.
    Here,
    /// This server, which may have been restarted since.
    Perhaps,
    /// This server, which has been out of reach since.
    Lost,
    /// One that is at it no more, whichever it was.
    Dead,
    /// Another process on the same data.
    Elsewhere,
    /// Either.
    Unknown,
}

/// When this server was seen to run a session, and what the session showed while it did not.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sightings {
    /// When the newest read of the status began that named the session.
    named: Option<Time>,
    /// When the first one after that began which did not.
    left: Option<Time>,
    /// The newest stamp of the messages that were known when it was last named, server clock.
    until: Option<u64>,
    /// The prompts that were known then, or that replies named, and the run that was last found to be of this server.
    runs: SortedSet<MessageId>,
    /// How it stood before it moved.
    before: Option<Standstill>,
    /// The newest run that was seen open while no status map named the session.
    open: Option<OpenRun>,
    /// Another process was seen to be at the session.
    is_shared: bool,
}

/// How a list showed a session.
#[derive(Clone, Copy, Debug)]
struct Standstill {
    /// When the list was read.
    listed: Time,
    /// Its `updated` was this, or it did not exist before; server clock.
    updated: u64,
}

/// A run that this server was not seen to be at.
#[derive(Clone, Debug)]
struct OpenRun {
    run: MessageId,
    /// When it was first seen.
    seen: Time,
    /// When the first read of the status began after that, and when its newest message then was created, server clock.
    absent: Option<(Time, u64)>,
    /// It began after this, by lists that were read; none when that is not known.
    begun_after: Option<Time>,
}

/// The server at the time of a conclusion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watch<'a> {
    /// From when to when it has not been restarted, by an event stream that goes on.
    pub(crate) unbroken: Option<(Time, Time)>,
    /// Since when it is known to be the same process.
    pub(crate) there_since: Option<Time>,
    /// When a read of it last failed.
    pub(crate) last_failure: Option<Time>,
    pub(crate) clock: &'a ServerClock,
    /// When the newest read of its status began.
    pub(crate) status_begun: Time,
    /// The messages were read after that.
    pub(crate) is_fresh: bool,
    /// The open message belongs to a prompt that was sent to this server, or to a request that it has listed.
    pub(crate) is_asked_here: bool,
    pub(crate) now: Time,
}

impl Watch<'_> {
    /// Which runner of a run this server is that was at it then. A stream ends with its server.
    fn runner_since(self, since: Time) -> Runner {
        if self.there_since.is_some_and(|from| from <= since) {
            Runner::Here
        } else if self.last_failure.is_some_and(|failed| failed >= since) {
            Runner::Lost
        } else {
            Runner::Perhaps
        }
    }
}

impl Sightings {
    /// Takes whether a status map names the session, read by a read that began then.
    pub(crate) fn observe_status(&mut self, is_named: bool, begun: Time) {
        if is_named {
            self.named = self.named.max(Some(begun));
            self.left = None;
        } else if self.named.is_some() && self.left.is_none() {
            self.left = Some(begun);
        }
    }

    /// The session has moved since a list was read. Its `updated` was this then, or it was created later; server clock.
    pub(crate) fn observe_movement(&mut self, listed: Time, updated: u64) {
        self.before = Some(Standstill { listed, updated });
    }

    /// Whether a movement is known.
    pub(crate) fn has_moved(&self) -> bool {
        self.before.is_some()
    }

    /// Takes the newest messages of the session while the status map names it.
    pub(crate) fn observe_messages(&mut self, messages: &[Arc<Message>]) {
        let newest = messages.iter().map(|message| message.created).max();
        self.until = self.until.max(newest);
        let prompts = messages.iter().filter_map(|message| match message.role {
            Role::User => Some(&message.id),
            Role::Assistant => message.parent.as_ref(),
            Role::Other(_) => None,
        });
        self.runs = prompts.cloned().collect();
    }

    /// Which process has begun what is open among the newest messages.
    pub(crate) fn runner(&mut self, messages: &[Arc<Message>], watch: Watch<'_>) -> Runner {
        let is_named = self.named.is_some() && self.left.is_none();
        let Some(open) = open_message(messages).filter(|_| !is_named) else {
            self.open = None;
            return Runner::Here;
        };
        self.look_at(open, watch);
        let prompt = messages
            .iter()
            .find(|message| Some(&message.id) == open.parent.as_ref());
        let begun = prompt.map_or(open.created, |prompt| prompt.created);
        let was_seen = self.until.is_some_and(|until| begun <= until) || self.runs.contains(name_of(open));
        if is_dead(open, watch) {
            return Runner::Dead;
        }
        // A process that is at the session takes up what this server is asked, too.
        if !self.is_shared && (watch.is_asked_here || was_seen || self.was_cut_off(begun, watch)) {
            self.runs = SortedSet::from([name_of(open).clone()]);
            let begun = watch.clock.ours(begun);
            return watch.runner_since(self.named.map_or(begun, |named| named.max(begun)));
        }
        let is_elsewhere = self.open.as_ref().is_some_and(|run| {
            let Some((absent, newest)) = run.absent else {
                return false;
            };
            // It is the same process from before the run until after a status map that does not name it.
            let is_watched = watch.unbroken.zip(run.begun_after);
            let is_watched = is_watched.is_some_and(|((from, to), begun)| from <= begun && absent <= to);
            let has_gone_on = open.created > newest;
            is_watched || has_gone_on
        });
        self.is_shared |= is_elsewhere;
        if is_elsewhere {
            Runner::Elsewhere
        } else {
            Runner::Unknown
        }
    }

    /// Whether a run that began then, server clock, was cut off with a server that was lost for a short time, and was at the
    /// session right before.
    fn was_cut_off(&self, begun: u64, watch: Watch<'_>) -> bool {
        let (Some(named), Some(left), Some(failed)) = (self.named, self.left, watch.last_failure) else {
            return false;
        };
        let is_lost = (named..=left).contains(&failed) && left.since(named) <= RESTART_MAX;
        is_lost && watch.clock.ours(begun) <= left
    }

    fn look_at(&mut self, open: &Message, watch: Watch<'_>) {
        let run = name_of(open);
        let begun_after = self.before.filter(|before| open.created > before.updated);
        let begun_after = begun_after.map(|before| before.listed);
        match self.open.as_mut().filter(|known| known.run == *run) {
            Some(known) if watch.is_fresh => {
                if known.absent.is_none() && watch.status_begun >= known.seen {
                    known.absent = Some((watch.status_begun, open.created));
                }
            }
            Some(_) => {}
            None if watch.is_fresh => {
                self.open = Some(OpenRun {
                    run: run.clone(),
                    seen: watch.now,
                    absent: None,
                    begun_after,
                });
            }
            None => self.open = None,
        }
    }
}

/// The newest message of the agent, while it is open.
pub(crate) fn open_message(messages: &[Arc<Message>]) -> Option<&Message> {
    newest_of_agent(messages).filter(|message| message.completed.is_none())
}

/// A name of the newest run: the prompt that it answers, or else its newest message.
pub(crate) fn run_of(messages: &[Arc<Message>]) -> Option<&MessageId> {
    newest_of_agent(messages).map(name_of)
}

fn name_of(message: &Message) -> &MessageId {
    message.parent.as_ref().unwrap_or(&message.id)
}

fn newest_of_agent(messages: &[Arc<Message>]) -> Option<&Message> {
    let mut newest_first = messages.iter().rev();
    let newest = newest_first.find(|message| message.role == Role::Assistant);
    newest.map(|message| &**message)
}

/// No process can be at it any more. A call may wait for a person for as long as it pleases.
fn is_dead(open: &Message, watch: Watch<'_>) -> bool {
    let has_open_call = open.tools().any(|(_, tool)| !tool.status.is_final());
    !has_open_call && watch.now.since(watch.clock.ours(open.created)) >= SILENCE_MAX
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Part, PartBody, ToolPart, ToolStatus};

    const DAY: u64 = 24 * 60 * 60 * 1_000;

    fn prompt(id: &str, created: u64) -> Arc<Message> {
        Arc::new(Message::new(id.into(), "ses_1".into(), Role::User, created))
    }

    fn step(id: &str, parent: &str, created: u64) -> Arc<Message> {
        Arc::new(Message {
            parent: Some(parent.into()),
            ..Message::new(id.into(), "ses_1".into(), Role::Assistant, created)
        })
    }

    /// The messages were read right after a status that was read then.
    fn at(now: u64, clock: &ServerClock) -> Watch<'_> {
        Watch {
            unbroken: None,
            there_since: None,
            last_failure: None,
            clock,
            status_begun: Time(now),
            is_fresh: true,
            is_asked_here: false,
            now: Time(now + 10),
        }
    }

    #[test]
    fn what_was_open_before_it_was_looked_at_may_be_of_either() {
        let clock = ServerClock::default();
        let messages = [prompt("msg_1", 50), step("msg_2", "msg_1", 60)];
        let mut sightings = Sightings::default();
        for now in [100, 5_000, 60_000] {
            assert_eq!(sightings.runner(&messages, at(now, &clock)), Runner::Unknown);
        }
    }

    #[test]
    fn a_run_that_this_server_was_seen_at_is_its_own_also_with_a_later_step() {
        let clock = ServerClock::default();
        let mut sightings = Sightings::default();
        sightings.observe_status(true, Time(100));
        sightings.observe_messages(&[prompt("msg_1", 50), step("msg_2", "msg_1", 60)]);
        sightings.observe_status(false, Time(5_000));
        // The prompt is not read any more.
        let messages = [step("msg_3", "msg_1", 3_000)];
        assert_eq!(sightings.runner(&messages, at(5_000, &clock)), Runner::Perhaps);
        let of_another = [prompt("msg_4", 9_000), step("msg_5", "msg_4", 9_010)];
        assert_eq!(sightings.runner(&of_another, at(12_000, &clock)), Runner::Unknown);
    }

    #[test]
    fn a_run_that_began_while_the_server_was_lost_was_cut_off_with_it() {
        let clock = ServerClock::default();
        let messages = [prompt("msg_1", 2_000), step("msg_2", "msg_1", 2_100)];
        let runner = |last_failure: Option<u64>| {
            let mut sightings = Sightings::default();
            sightings.observe_status(true, Time(1_000));
            sightings.observe_status(false, Time(6_000));
            let last_failure = last_failure.map(Time);
            sightings.runner(
                &messages,
                Watch {
                    last_failure,
                    ..at(6_000, &clock)
                },
            )
        };
        assert_eq!(runner(Some(3_000)), Runner::Lost);
        assert_eq!(runner(Some(500)), Runner::Unknown, "the server was there all the time");
        assert_eq!(runner(None), Runner::Unknown);
    }

    #[test]
    fn only_a_stream_that_goes_on_shows_that_the_server_was_not_restarted() {
        let clock = ServerClock::default();
        let messages = [prompt("msg_1", 2_000), step("msg_2", "msg_1", 2_100)];
        let runner = |there_since: Option<u64>, last_failure: Option<u64>| {
            let watch = Watch {
                there_since: there_since.map(Time),
                last_failure: last_failure.map(Time),
                is_asked_here: true,
                ..at(6_000, &clock)
            };
            Sightings::default().runner(&messages, watch)
        };
        assert_eq!(runner(Some(1_000), None), Runner::Here);
        assert_eq!(
            runner(Some(1_000), Some(3_000)),
            Runner::Here,
            "one read of many failed"
        );
        assert_eq!(
            runner(Some(3_500), Some(3_000)),
            Runner::Lost,
            "it may be a new process"
        );
        assert_eq!(runner(None, Some(3_000)), Runner::Lost);
        assert_eq!(runner(None, Some(1_000)), Runner::Perhaps, "that was before the run");
        assert_eq!(runner(Some(3_500), None), Runner::Perhaps);
    }

    #[test]
    fn a_run_that_goes_on_although_no_status_names_it_is_of_another_process() {
        let clock = ServerClock::default();
        let mut sightings = Sightings::default();
        let first = [prompt("msg_1", 50), step("msg_2", "msg_1", 60)];
        let later = [first[1].clone(), step("msg_3", "msg_1", 8_000)];
        assert_eq!(sightings.runner(&first, at(100, &clock)), Runner::Unknown);
        // That status may have been read before the run began.
        assert_eq!(sightings.clone().runner(&later, at(105, &clock)), Runner::Unknown);
        assert_eq!(sightings.runner(&first, at(5_000, &clock)), Runner::Unknown);
        assert_eq!(sightings.runner(&later, at(9_000, &clock)), Runner::Elsewhere);
        let reverted = [first[0].clone(), step("msg_0", "msg_1", 40)];
        assert_eq!(sightings.runner(&reverted, at(10_000, &clock)), Runner::Unknown);
    }

    #[test]
    fn a_run_that_began_under_an_unbroken_stream_is_of_another_process() {
        let clock = ServerClock::default();
        // The clock of the server is far behind: its stamps are compared with each other alone.
        let messages = [prompt("msg_1", 50), step("msg_2", "msg_1", 60)];
        let runner = |listed: u64, updated: u64, unbroken: (u64, u64)| {
            let mut sightings = Sightings::default();
            sightings.observe_movement(Time(listed), updated);
            let unbroken = Some((Time(unbroken.0), Time(unbroken.1)));
            sightings.runner(&messages, at(700_000, &clock));
            sightings.runner(
                &messages,
                Watch {
                    unbroken,
                    ..at(705_000, &clock)
                },
            )
        };
        assert_eq!(runner(600_000, 40, (500_000, 706_000)), Runner::Elsewhere);
        assert_eq!(
            runner(600_000, 70, (500_000, 706_000)),
            Runner::Unknown,
            "it was there before"
        );
        assert_eq!(
            runner(600_000, 40, (650_000, 706_000)),
            Runner::Unknown,
            "the stream came later"
        );
        assert_eq!(
            runner(600_000, 40, (500_000, 704_000)),
            Runner::Unknown,
            "no sign of it since"
        );
    }

    #[test]
    fn a_day_of_silence_ends_a_run_unless_a_call_may_wait_for_a_person() {
        let clock = ServerClock::default();
        let silent = [prompt("msg_1", 50), step("msg_2", "msg_1", 60)];
        let mut asking = (*silent[1]).clone();
        asking.parts.push(Part {
            id: "prt_1".into(),
            body: PartBody::Tool(Box::new(ToolPart::new("question", ToolStatus::Running))),
        });
        let asking = [silent[0].clone(), Arc::new(asking)];
        let runner = |messages: &[Arc<Message>], now| Sightings::default().runner(messages, at(now, &clock));
        assert_eq!(runner(&silent, DAY - 1_000), Runner::Unknown);
        assert_eq!(runner(&silent, DAY + 1_000), Runner::Dead);
        assert_eq!(runner(&asking, DAY + 1_000), Runner::Unknown);
    }
}
