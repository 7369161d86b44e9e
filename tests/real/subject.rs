//! An OpenCode that a story can be played with: the real one or the simulated one.

use std::time::Duration;

use switchboard_core::Time;
use switchboard_core::model::{Directory, Prompt, SessionId};
use switchboard_core::ports::{Fetched, Post, Posted, Read, ReadError};

/// An OpenCode server, and the time it lives in.
pub(crate) trait Subject {
    /// The directory it works in.
    fn directory(&self) -> Directory;

    /// Reads.
    fn read(&mut self, read: &Read) -> Result<Fetched, ReadError>;

    /// Sends.
    fn post(&mut self, post: &Post) -> Posted;

    /// Sends, and waits for no answer.
    fn begin_post(&mut self, post: &Post);

    /// Stores a prompt with a format, which no model answers.
    fn prompt_with_format(&mut self, session: &SessionId, prompt: &Prompt);

    /// Imports a session with stamps that lie so far ahead of its clock.
    fn import(&mut self, ahead: Duration) -> SessionId;

    /// Archives a session.
    fn archive(&mut self, session: &SessionId);

    /// Deletes a session.
    fn delete(&mut self, session: &SessionId);

    /// Disposes of the instance of its directory.
    fn dispose(&mut self);

    /// Kills it and starts it again, and returns when it answers.
    fn restart(&mut self);

    /// Reads at another process on the same data, which is started on first use.
    fn read_beside(&mut self, read: &Read) -> Result<Fetched, ReadError>;

    /// Sends to it.
    fn post_beside(&mut self, post: &Post) -> Posted;

    /// Kills it.
    fn kill_beside(&mut self);

    /// The time there.
    fn now(&self) -> Time;

    /// Lets time pass.
    fn pause(&mut self, span: Duration);
}
