#![doc = include_str!("../README.md")]
//!
//! # Where to begin
//! [`connect`] returns a [`Handle`], and a future that drives it. Everything else here is what goes in and comes out:
//! the [`model`] of a server, the [`ports`] that the outside supplies, the [`view`] that callers see.
//!
//! # How it is built
//! The board is a machine: inputs in, outputs out, `now` an argument. One async loop drives it over the three traits of
//! [`ports`]; that loop is the only place that waits. So a whole history is a function of its seed, and is tested as
//! such.
//!
//! # What is promised
//! Every answer ends proven, or its person is told why not and still has the text. Success codes are not proof: an
//! answer is *confirmed* when the tool part shows it. The tables that decide are functions of their own, in `engine/outbox/decide`.
//!
//! # Requirements and facts
//! Comments name requirements by code, such as R7, and facts about the server by section or trap: `docs/requirements.md`
//! and `docs/opencode.md` in the repository.
#![forbid(unsafe_code)]

mod collections;
pub mod config;
mod driver;
mod engine;
mod handle;
pub mod log;
pub mod metrics;
pub mod model;
pub mod policy;
pub mod ports;
mod primitives;
mod time;
pub mod view;
mod watch;
pub mod workflow;

pub use collections::{List, SortedMap, SortedSet, sort_by_key};
pub use config::Config;
pub use engine::board::search::FindError;
pub use engine::outbox::submission::{AnswerError, PromptError, PromptOptions, RescueError};
pub use engine::requests::Unresolved;
pub use engine::waits::follow_up::{FollowUpError, FollowUpOptions, TurnReply, WasSent};
pub use engine::waits::shell::{ShellCommand, ShellError, ShellResult};
pub use handle::{
    Answering, Bound, Budget, Canceller, Checked, DispatchError, DispatchOptions, Dispatched, FOLLOW_UP_MAX, Finding,
    FollowingUp, Handle, Job, NotStored, Round, Storing, Validated, ValidationEnd, ValidationOptions, connect, cut,
};
pub use ports::PostFailure;
pub use primitives::{checks, completion, deferred, effects, rendezvous};
pub use time::{Clock, Time};
pub use watch::Views;
