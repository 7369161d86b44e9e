//! Who awaits a reply, the end of a command, or of a request that is sent once.

use crate::collections::SortedMap;
use crate::engine::board::command::CommandWaiter;
use crate::engine::board::reply::ReplyWaiter;
use crate::engine::board::search::Searches;
use crate::engine::board::submit::Commanded;
use crate::model::{EntryId, SessionId};

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
