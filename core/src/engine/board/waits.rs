//! Who awaits a reply, the end of a command, or of a request that is sent once.

use std::time::Duration;

use crate::collections::SortedMap;
use crate::engine::board::Board;
use crate::engine::board::command::CommandWaiter;
use crate::engine::board::reply::ReplyWaiter;
use crate::engine::board::search::Searches;
use crate::engine::board::submit::Commanded;
use crate::engine::sessions::session::Node;
use crate::model::{EntryId, SessionId};
use crate::time::Time;

/// A server of which nothing was read for so long is out of reach: the longest pause after reads that have failed, and a read
/// that runs out of time.
const OUT_OF_REACH: Duration = Duration::from_secs(20);

/// Everybody who waits. Dropping it tells them so.
#[derive(Debug, Default)]
pub(crate) struct Waits {
    /// The replies to messages of ours.
    pub(crate) replies: SortedMap<EntryId, ReplyWaiter>,
    /// The commands that run in sessions of their own.
    pub(crate) commands: SortedMap<SessionId, CommandWaiter>,
    /// The requests that are sent once, by their number.
    pub(crate) posts: SortedMap<u64, Commanded>,
    /// What is looked for.
    pub(crate) searches: Searches,
}

impl Waits {
    /// Whether the end of a prompt, or the reply to it, is awaited.
    pub(crate) fn is_prompt_awaited(&self, prompt: &EntryId) -> bool {
        self.replies.contains_key(prompt) || self.posts.values().any(|commanded| commanded.is_prompt(prompt))
    }
}

impl Board {
    /// Whether nothing was read of the server for a while.
    pub(crate) fn is_out_of_reach(&self, now: Time) -> bool {
        let read = self.reader.link.last_success;
        read.is_none_or(|read| now.since(read) >= OUT_OF_REACH)
    }

    /// Whether a session ran at that time or later, by its status, and its messages were read whole since. What is open in a
    /// session that is idle has been cut off.
    pub(crate) fn has_run_until(&self, node: &Node, time: Time) -> bool {
        let scope = self.directory_scope(&node.session.directory);
        let status = scope.and_then(|scope| scope.status_read);
        node.is_running() && status.is_some_and(|status| status.begun >= time) && node.was_read_whole(time)
    }

    /// Reads the directory of a session, where that is known.
    pub(crate) fn refresh_directory_of(&mut self, session: &SessionId, now: Time) {
        if let Some(node) = self.sessions.nodes.get(session) {
            let directory = node.session.directory.clone();
            self.refresh_now(&directory, now);
        }
    }
}
