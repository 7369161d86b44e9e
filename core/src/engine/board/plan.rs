//! Which messages a refresh reads: few, the important ones first.

use crate::collections::sort_by_key;
use crate::engine::board::Board;
use crate::engine::outbox::{Delivery, patience_of};
use crate::engine::refresh::looks::{Occasion, Subject, Wanted};
use crate::engine::requests::{Look, TrackedRequest};
use crate::engine::sessions::session::Node;
use crate::model::{Directory, RequestId, Sent, SessionId, Stage};
use crate::ports::Read;
use crate::time::Time;

/// Messages of a running session that are read at once: the newest one, and the prompt it answers.
const TAIL: u32 = 2;
/// Of so many sessions that are read one is at rest, if any of those has changed: the others must not starve it.
const IDLE_SHARE: usize = 4;

/// The messages to read in the second step of a refresh.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) reads: Vec<Read>,
    /// An urgent look did not fit in.
    pub(crate) unfinished: bool,
}

impl Board {
    /// Plans the second step of a refresh of `directory`.
    pub(crate) fn plan(&mut self, directory: &Directory, now: Time) -> Plan {
        let budget = self.config.limits.message_reads;
        let mut followed: Vec<Read> = Vec::new();
        for session in self.followed(directory) {
            let reads = self.whole_reads(session, now);
            followed.extend(
                reads
                    .into_iter()
                    .filter(|read| !followed.contains(read))
                    .collect::<Vec<_>>(),
            );
        }
        let wanted = self.wanted_looks(directory);
        let mut looks = self.reader.looks.take_due(wanted, now);
        looks.retain(|due| !followed.contains(&due.read));
        // Neither looks nor followed sessions take all reads, and one read is kept for the other sessions.
        let important = followed.len() + looks.len();
        let tails = self.tails(directory, budget.saturating_sub(important).max(1), now);
        let for_important = budget.saturating_sub(tails.len().min(1));
        followed.truncate(for_important - looks.len().min(for_important / 2));
        let room = for_important - followed.len();
        let unfinished = looks.iter().skip(room).any(|due| due.is_urgent);
        looks.truncate(room);
        let mut reads = followed;
        reads.extend(looks.into_iter().map(|due| due.read));
        reads.extend(tails);
        reads.truncate(budget);
        Plan { reads, unfinished }
    }

    pub(crate) fn open_node(&self) -> Option<&Node> {
        self.sessions.nodes.get(self.attention.open.as_ref()?)
    }

    /// The first page of the open session, which need not wait for the lists: somebody looks at an empty page.
    pub(crate) fn first_page_of_open(&self, directory: &Directory, now: Time) -> Option<Read> {
        let node = self.open_node().filter(|node| node.session.directory == *directory)?;
        let is_wanted = !node.transcript.is_anchored() && node.window.may_read(now);
        is_wanted.then(|| Read::Messages {
            session: node.session.id.clone(),
            directory: directory.clone(),
            limit: node.window.limit(self.config.limits.page),
            before: None,
        })
    }

    /// The sessions of a directory whose messages are held whole: the open one first, then those that were read least
    /// recently.
    fn followed(&self, directory: &Directory) -> Vec<&SessionId> {
        let awaited = self.waits.replies.values().map(|awaited| &awaited.session);
        let mut followed: Vec<&SessionId> = Vec::new();
        for session in self
            .attention
            .open
            .iter()
            .chain(awaited)
            .chain(self.waits.commands.keys())
        {
            if self.is_in(session, directory) && !followed.contains(&session) {
                followed.push(session);
            }
        }
        let last_read = |session: &SessionId| self.sessions.nodes.get(session).map_or(0, |node| node.tail_read.number);
        sort_by_key(&mut followed, |session| {
            (self.attention.open.as_ref() != Some(*session), last_read(session))
        });
        followed
    }

    /// What a followed session needs.
    fn whole_reads(&self, id: &SessionId, now: Time) -> Vec<Read> {
        let Some(node) = self.sessions.nodes.get(id) else {
            return Vec::new();
        };
        let page = |limit: u32, before: Option<&str>| Read::Messages {
            session: id.clone(),
            directory: node.session.directory.clone(),
            limit,
            before: before.map(str::to_owned),
        };
        let transcript = &node.transcript;
        let mut reads = Vec::new();
        if node.window.may_read(now) {
            if !transcript.is_anchored() {
                reads.push(page(node.window.limit(self.config.limits.page), None));
            } else if node.wants_tail(now) && !self.rests_a_while(node, now)
                || self.wants_look_for_shell(node, now)
                || self.wants_look_for_reply(node)
            {
                reads.push(page(node.window.limit(TAIL), None));
            }
            if let Some(cursor) = transcript.gap_cursor() {
                reads.push(page(node.window.limit(self.config.limits.page), Some(cursor)));
            }
        }
        let wants_older = self.attention.older_wanted && self.attention.open.as_ref() == Some(id);
        if (wants_older || self.misses_an_awaited(id) || self.misses_a_command(id))
            && node.past.may_read(now)
            && let Some(cursor) = transcript.older_cursor()
        {
            reads.push(page(node.past.limit(self.config.limits.page), Some(cursor)));
        }
        reads.extend(node.faulty_due(now).map(|message| Read::Message {
            session: id.clone(),
            directory: node.session.directory.clone(),
            message: message.clone(),
        }));
        reads
    }

    /// Whether a message whose reply somebody awaits is stored, and lies before what is held.
    fn misses_an_awaited(&self, session: &SessionId) -> bool {
        let Some(node) = self.sessions.nodes.get(session) else {
            return false;
        };
        self.waits
            .replies
            .values()
            .filter(|awaited| awaited.session == *session && awaited.is_stored())
            .any(|awaited| !node.transcript.contains(&awaited.message))
    }

    /// The looks that decide about requests and sends, and about sessions whose existence is in question, due or not.
    pub(super) fn wanted_looks(&self, directory: &Directory) -> Vec<Wanted> {
        let unknown = self
            .sessions
            .unknown
            .iter()
            .filter(|(_, at)| *at == directory)
            .map(|(session, _)| session);
        let questioned = self
            .sessions
            .nodes
            .iter()
            .filter(|(_, node)| node.questioned && node.session.directory == *directory)
            .map(|(session, _)| session);
        let sessions = unknown.chain(questioned).map(|session| Wanted {
            subject: Subject::Session(session.clone()),
            read: Read::Session {
                session: session.clone(),
                directory: directory.clone(),
            },
            occasion: Occasion::default(),
            milestones: [None; 2],
        });
        let parts = self
            .requests
            .iter()
            .filter(|(_, tracked)| tracked.request.directory == *directory && self.wants_look(tracked))
            .filter_map(|(id, tracked)| self.look_for_part(id, tracked));
        let prompts = self
            .outbox
            .queue
            .iter()
            .filter(|delivery| delivery.entry.directory == *directory && delivery.entry.is_on_its_way())
            .filter_map(look_for_prompt);
        prompts.chain(parts).chain(sessions).collect()
    }

    /// A look at the part of a request, or for the message in which it was asked.
    fn look_for_part(&self, id: &RequestId, tracked: &TrackedRequest) -> Option<Wanted> {
        let (session, directory) = (tracked.request.session.clone(), tracked.request.directory.clone());
        let read = match tracked.asker() {
            Some(message) => Read::Message {
                session,
                directory,
                message: message.clone(),
            },
            None => {
                let before = tracked.sought_in()?.map(str::to_owned);
                let node = self.sessions.nodes.get(&session)?;
                Read::Messages {
                    limit: node.limit_of(before.as_deref(), self.config.limits.page),
                    session,
                    directory,
                    before,
                }
            }
        };
        let delivery = self.outbox.queue.get(&tracked.entry);
        let ours = delivery.filter(|delivery| delivery.is_ready());
        Some(Wanted {
            subject: Subject::Request(id.clone()),
            read,
            occasion: Occasion {
                state: self.look_of(tracked),
                sent: ours.map(|delivery| delivery.entry.version),
            },
            milestones: [ours.and_then(Delivery::next_attempt), self.corroborated_from(tracked)],
        })
    }

    /// When another look begins to decide whether a request is gone, where the refresh that makes it has begun late enough.
    fn corroborated_from(&self, tracked: &TrackedRequest) -> Option<Time> {
        let scope = self.directory_scope(&tracked.request.directory)?;
        let begun = scope.refresh.as_ref().map(|refresh| refresh.begun);
        let from = tracked.corroborated_from(self.config.pace.absence_gap);
        from.filter(|from| begun.is_none_or(|begun| *from <= begun))
    }

    /// Whether the part of a request must be read: it has not been since something changed that may have ended it.
    fn wants_look(&self, tracked: &TrackedRequest) -> bool {
        if tracked.ended().is_some() {
            return false;
        }
        let on_its_way = self
            .outbox
            .queue
            .get(&tracked.entry)
            .is_some_and(Delivery::needs_a_look);
        // "Idle" comes before "final": a look at a part that runs after its run is never the last one.
        let may_end = self.runs_for(tracked) == Some(false) && !tracked.part().is_final();
        on_its_way || may_end || tracked.is_listed() == Some(false) || tracked.looked != self.look_of(tracked)
    }

    fn look_of(&self, tracked: &TrackedRequest) -> Option<Look> {
        let node = self.sessions.nodes.get(&tracked.request.session);
        Some(Look {
            updated: node.map_or(0, |node| node.session.updated),
            running: node.map(Node::is_running),
            listed: tracked.is_listed(),
        })
    }

    /// The part of a request has been read.
    pub(crate) fn look_at(&mut self, id: &RequestId, number: u64) {
        let look = self.requests.get(id).and_then(|tracked| {
            let status = self.directory_scope(&tracked.request.directory)?.status_read;
            // A look from before the newest status is no look at what that status says.
            (number > status.unwrap_or_default().number).then(|| self.look_of(tracked))?
        });
        if let (Some(look), Some(tracked)) = (look, self.requests.get_mut(id)) {
            tracked.looked = Some(look);
        }
    }

    /// The newest messages of up to `limit` sessions: those that something happened in, then in turn those that run or have
    /// just ended, and a few of the idle ones that have changed.
    fn tails(&mut self, directory: &Directory, limit: usize, now: Time) -> Vec<Read> {
        let mut idle: Vec<u64> = Vec::new();
        let mut open: Vec<(bool, u64, &SessionId)> = Vec::new();
        let mut changed: Vec<(u64, u64, &SessionId)> = Vec::new();
        let next_of_resting = self.next_of_resting(directory, now);
        for (id, node) in &self.sessions.nodes {
            if node.session.directory != *directory {
                continue;
            }
            if !node.is_running() {
                idle.push(node.session.updated);
            }
            if !node.wants_tail(now)
                || self.rests_announced(node, now) && next_of_resting.as_ref() != Some(id)
                || self.is_followed(id)
                || !node.window.may_read(now)
            {
                continue;
            }
            if node.woken || node.is_running() || node.is_undecided() {
                open.push((!node.woken, node.tail_read.number, id));
            } else {
                changed.push((node.session.updated, node.tail_read.number, id));
            }
        }
        let oldest = oldest_of_newest(&mut idle, self.config.limits.idle_read);
        let recent = changed.into_iter().filter(|(updated, ..)| *updated >= oldest);
        let mut idle: Vec<(u64, &SessionId)> = recent.map(|(_, number, id)| (number, id)).collect();
        sort_by_key(&mut open, |read| *read);
        sort_by_key(&mut idle, |read| *read);
        open.truncate(limit - idle.len().min(limit / IDLE_SHARE));
        open.into_iter()
            .map(|(_, _, id)| id)
            .chain(idle.into_iter().map(|(_, id)| id))
            .take(limit)
            .map(|id| Read::Messages {
                session: id.clone(),
                directory: directory.clone(),
                limit: self.sessions.nodes[id].window.limit(TAIL),
                before: None,
            })
            .collect()
    }
}

/// A look for the message of a prompt; none before it was sent.
fn look_for_prompt(delivery: &Delivery) -> Option<Wanted> {
    let Sent::Prompt { prompt, .. } = &delivery.entry.sent else {
        return None;
    };
    // One that another tab sends may have been sent since the store was read.
    let attempted = !delivery.created_here || !matches!(delivery.entry.stage, Stage::Saved);
    let ours = Some(delivery).filter(|delivery| delivery.is_ready());
    let last = ours.and_then(Delivery::ended_attempt);
    let arrived = last.and_then(|(attempt, at)| Some(at + patience_of(attempt)?));
    attempted.then(|| Wanted {
        subject: Subject::Send(delivery.entry.id.clone()),
        read: Read::Message {
            session: delivery.entry.session.clone(),
            directory: delivery.entry.directory.clone(),
            message: prompt.message.clone(),
        },
        occasion: Occasion {
            state: None,
            sent: ours.map(|delivery| delivery.entry.version),
        },
        milestones: [arrived.or(ours.and_then(Delivery::next_attempt)), None],
    })
}

/// The oldest of the newest `count` times.
fn oldest_of_newest(times: &mut [u64], count: usize) -> u64 {
    match times.len().checked_sub(count) {
        Some(older) if count > 0 => *times.select_nth_unstable(older).1,
        Some(_) => u64::MAX,
        None => 0,
    }
}
