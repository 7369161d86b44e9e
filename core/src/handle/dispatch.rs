//! Dispatch: several agents side by side, each in a session of its own, each watched for itself (requirements C8).

use std::fmt;
use std::time::Duration;

use futures::stream::{self, LocalBoxStream, StreamExt};

use super::Handle;
use crate::engine::outbox::submission::PromptOptions;
use crate::engine::waits::follow_up::{FollowUpError, FollowUpOptions, TurnReply};
use crate::model::{Directory, SessionId};
use crate::ports::PostFailure;
use crate::primitives::completion::CompletionConfig;

/// What one agent is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Job {
    /// Where it works.
    pub directory: Directory,
    /// The title of its session.
    pub title: String,
    /// The session that it is dispatched for. The server knows of no such thing: the title names it, and the store keeps it.
    pub made_for: Option<SessionId>,
    /// What it is told.
    pub prompt: String,
    /// Which agent, and which model.
    pub options: PromptOptions,
    /// How long it may take, from its own beginning; none for what the rules say.
    pub timeout: Option<Duration>,
}

impl Job {
    /// A job for the server's default agent and model, which may take as long as the rules say.
    pub fn new(directory: Directory, title: impl Into<String>, prompt: impl Into<String>) -> Self {
        Self {
            directory,
            title: title.into(),
            made_for: None,
            prompt: prompt.into(),
            options: PromptOptions::default(),
            timeout: None,
        }
    }
}

/// How agents are dispatched.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DispatchOptions {
    /// How many work at once. Defaults to 4.
    pub at_once: usize,
    /// How long each may take, by its agent and model: [`Rules::dispatch_timeout`](crate::primitives::completion::Rules::dispatch_timeout).
    pub rules: CompletionConfig,
    /// Whether an agent that takes too long is stopped. Defaults to `true`; what it has asked ends with it.
    pub stop: bool,
}

impl Default for DispatchOptions {
    fn default() -> Self {
        Self {
            at_once: 4,
            rules: CompletionConfig::default(),
            stop: true,
        }
    }
}

/// How one agent has fared.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Dispatched {
    /// The place of its job in the list.
    pub index: usize,
    /// Its session, where one was made.
    pub session: Option<SessionId>,
    /// What it replied.
    pub result: Result<TurnReply, DispatchError>,
}

/// Why an agent gave no reply.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DispatchError {
    /// No session was made for it. One in doubt is not made a second time.
    NotCreated(PostFailure),
    /// It did not reply.
    NoReply(FollowUpError),
}

impl fmt::Display for DispatchError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DispatchError::NotCreated(failure) => write!(formatter, "no session was made: {failure}"),
            DispatchError::NoReply(error) => error.fmt(formatter),
        }
    }
}

impl std::error::Error for DispatchError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            DispatchError::NotCreated(failure) => Some(failure),
            DispatchError::NoReply(error) => Some(error),
        }
    }
}

impl Handle {
    /// Starts an agent for each job, and gives their replies in the order in which they end. One that hangs holds nobody
    /// up.
    ///
    /// Dropping the stream starts no more agents and waits for no replies; agents that work go on.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/memory_store/in_documentation.rs"));
    /// # use switchboard_core::{DispatchOptions, Job};
    /// # fn main() { on_a_board(async |board, question| {
    /// use futures::StreamExt;
    ///
    /// let jobs = ["Paint the door.", "Paint the fence."].map(|prompt| Job::new(question.directory.clone(), prompt, prompt));
    /// let mut replies = board.dispatch(jobs.into(), DispatchOptions::default());
    /// while let Some(reply) = replies.next().await {
    ///     println!("agent {}: {}", reply.index, reply.result?.text);
    /// }
    /// # Ok(()) }) }
    /// ```
    pub fn dispatch(&self, jobs: Vec<Job>, options: DispatchOptions) -> LocalBoxStream<'static, Dispatched> {
        let (board, at_once) = (self.clone(), options.at_once.max(1));
        stream::iter(jobs.into_iter().enumerate())
            .map(move |(index, job)| run(board.clone(), index, job, options.clone()))
            .buffer_unordered(at_once)
            .boxed_local()
    }
}

async fn run(board: Handle, index: usize, job: Job, options: DispatchOptions) -> Dispatched {
    let made_for = job.made_for.as_ref();
    let session = match board.create_for(made_for, &job.directory, &job.title).await {
        Ok(session) => session,
        Err(failure) => {
            return Dispatched {
                index,
                session: None,
                result: Err(DispatchError::NotCreated(failure)),
            };
        }
    };
    let model = job.options.model.as_ref().map(ToString::to_string);
    let rules = options.rules.rules(job.options.agent.as_deref(), model.as_deref());
    let wait = FollowUpOptions {
        timeout: Some(job.timeout.unwrap_or(rules.dispatch_timeout)),
        stop: options.stop,
        prompt: job.options,
    };
    let reply = board.prompt_for_reply(&session, &job.prompt, &wait).await;
    Dispatched {
        index,
        session: Some(session),
        result: reply.map_err(DispatchError::NoReply),
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error;

    use super::*;

    /// C8
    #[test]
    fn an_agent_that_was_not_started_says_what_the_server_said() {
        let error = DispatchError::NotCreated(PostFailure::Refused("no such folder".to_owned()));
        let cause = error.source().map(ToString::to_string);
        assert_eq!(cause.as_deref(), Some("the server refused: no such folder"));
    }
}
