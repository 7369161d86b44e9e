//! What is meant to be done: an effect, what it needs, and what its polls say.

use std::fmt;

use crate::model::{RequestId, SessionId, ToolRef};
use crate::time::Time;

/// Something to be done once its time has come.
///
/// ```
/// use switchboard_core::effects::{Class, Effect, Progress, Scope};
/// use switchboard_core::model::SessionId;
///
/// let session = SessionId::from("ses_1");
/// let preview = Effect::new(Class::Once, |_| Progress::Holding("shown"))
///     .within(Scope { session: Some(session), ..Scope::default() })
///     .needs(["preview slot"]);
/// # let _: Effect<_, _> = preview;
/// ```
#[must_use = "an effect does nothing until it is submitted"]
pub struct Effect<R, T> {
    pub(super) work: Box<Work<Poll<T>>>,
    pub(super) resources: Vec<R>,
    pub(super) target_exists: bool,
}

/// What stays of an effect while it stands in line. It is boxed as a whole, so that it is moved by its address.
pub(super) struct Work<P: ?Sized> {
    pub(super) class: Class,
    pub(super) scope: Scope,
    pub(super) request: Option<(SessionId, RequestId)>,
    pub(super) poll: P,
}

/// Begins an effect, or looks how it stands.
pub(super) type Poll<T> = dyn FnMut(&Context<'_>) -> Progress<T>;

/// What happens to an effect whose result is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Its first arrival uses up the id it carries, so a second one does nothing: replies. May be tried again.
    ConsumedById,
    /// It carries an id of ours, so it is there once however often it is sent: prompts. May be tried again.
    IdempotentById,
    /// A second one would be a second effect: create, shell, fork, abort. Never tried again by itself.
    Once,
}

/// The names that cancel an effect. One without names is cancelled by nothing but the end of its queue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// The agent it belongs to.
    pub agent: Option<String>,
    /// The session it belongs to.
    pub session: Option<SessionId>,
    /// The call of that session it belongs to.
    pub call: Option<ToolRef>,
}

/// What a poll of an effect may know. It gives no way to wait.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Context<'a> {
    /// The time.
    pub now: Time,
    /// The number of the newest refresh that was observed.
    pub refresh: u64,
    /// The decision on its request, once there is one.
    pub decision: Option<&'a Decision>,
}

/// How an effect stands after a poll.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress<T> {
    /// It is done. It gives back its resources.
    Ready(T),
    /// It is done and keeps its resources until it is released: a preview that is open.
    Holding(T),
    /// It is not done yet. It is polled again with the next pass.
    Pending,
    /// What it acts on does not exist, or nothing is left to do.
    NothingToDo,
    /// It failed and had no effect; in words.
    Failed(String),
    /// It may or may not have had its effect; in words.
    InDoubt(String),
}

/// What a person or a policy has decided about a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It may be done.
    Approve,
    /// It must not be done.
    Deny {
        /// Why; in words.
        reason: String,
    },
}

impl<R, T> Effect<R, T> {
    /// An effect that is polled once a pass, as long as it holds what it needs.
    pub fn new(class: Class, poll: impl FnMut(&Context<'_>) -> Progress<T> + 'static) -> Self {
        Self {
            work: Box::new(Work {
                class,
                scope: Scope::default(),
                request: None,
                poll,
            }),
            resources: Vec::new(),
            target_exists: true,
        }
    }

    /// Names what it belongs to. Defaults to nothing.
    pub fn within(mut self, scope: Scope) -> Self {
        self.work.scope = scope;
        self
    }

    /// Names what it must hold alone while it is done. Defaults to nothing, which makes it wait for nobody.
    pub fn needs(mut self, resources: impl IntoIterator<Item = R>) -> Self {
        self.resources = resources.into_iter().collect();
        self
    }

    /// Names the request whose decision it needs. Its polls see that decision, also one that came before.
    pub fn decided_by(mut self, session: SessionId, request: RequestId) -> Self {
        self.work.request = Some((session, request));
        self
    }

    /// Says whether what it acts on exists. Defaults to `true`. One without a target ends when it is submitted: it never
    /// stands in a line.
    pub fn acts_on(mut self, target_exists: bool) -> Self {
        self.target_exists = target_exists;
        self
    }
}

impl<R: fmt::Debug, T> fmt::Debug for Effect<R, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Effect")
            .field("class", &self.work.class)
            .field("scope", &self.work.scope)
            .field("resources", &self.resources)
            .field("request", &self.work.request)
            .finish_non_exhaustive()
    }
}
