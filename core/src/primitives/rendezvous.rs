//! Where an agent that asks meets a person who answers, for agent loops that have nothing to do with OpenCode.
//!
//! The agent's side publishes a question under a key and waits; the person's side looks at what waits, and answers in
//! any order. A question is published once and ends once for those who wait: answered, timed out, cancelled or closed.
//! A time-out counts from the asking. It frees whoever waits; the question then stays answerable, or its policy answers
//! it. An answer that comes after that is *late*: it is kept with its question and its lateness for
//! [`Rendezvous::take_late`], and reaches neither the waiter that was freed nor another question.
//!
//! ```
//! use std::rc::Rc;
//!
//! use futures::FutureExt;
//! use futures::future::{LocalBoxFuture, pending};
//! use switchboard_core::rendezvous::{Answered, AskOptions, By, Outcome, Rendezvous};
//! use switchboard_core::Clock;
//! use switchboard_core::Time;
//!
//! /// A clock that stands still.
//! struct Still;
//!
//! impl Clock for Still {
//!     fn now(&self) -> Time {
//!         Time(0)
//!     }
//!     fn sleep_until(&self, _: Time) -> LocalBoxFuture<'static, ()> {
//!         pending().boxed_local()
//!     }
//! }
//!
//! let desk = Rendezvous::new(Rc::new(Still));
//! let colour = desk.ask("colour", "Which colour?", AskOptions::default())?;
//! let size = desk.ask("size", "Which size?", AskOptions::default())?;
//! assert_eq!(*desk.waiting()[0].question, "Which colour?");
//!
//! assert_eq!(desk.answer(&"size", "XL"), Answered::Taken);
//! assert_eq!(size.now_or_never(), Some(Outcome::Answered { answer: "XL", by: By::Person }));
//! assert!(desk.cancel(&"colour", "the agent has decided"));
//! assert_eq!(colour.now_or_never(), Some(Outcome::Cancelled("the agent has decided".to_owned())));
//! # Ok::<(), switchboard_core::rendezvous::NotAsked<&str>>(())
//! ```
//!
//! # How it is built
//! A machine of plain state decides, and is told the time. Nothing drives it: each wait and each stream of states
//! sleeps until the next deadline that concerns it, and every call looks at the time first. So nothing is left behind
//! when nobody waits. Each question has one cell of [`deferred`](crate::primitives::deferred): that settles once, and knows who
//! waits.
//!
//! # Limits
//! - A key is used once. What has ended is remembered for the newest [`ENDED_MAX`] questions; an answer to an older one
//!   is [`Answered::Unknown`], and its key could be used again.
//! - Of late answers that nobody takes, the newest [`LATE_MAX`] are kept.
//! - Of questions that are left answerable after their time-out, the newest [`LEFT_MAX`] are shown. An answer to an older
//!   one is late, too.

mod handle;
mod machine;
mod outcome;
mod shared;
#[cfg(test)]
mod tests;
mod timeout;
mod views;
mod waiting;

pub use handle::Rendezvous;
pub use outcome::{Answered, AskOptions, Asked, By, Late, NotAsked, OnTimeOut, Outcome};
pub(crate) use timeout::{TIME_OUT, deadlines};
pub use views::Views;
pub use waiting::Waiting;

/// How many questions that have ended are remembered.
pub const ENDED_MAX: usize = 1_000;

/// How many late answers are kept for [`Rendezvous::take_late`].
pub const LATE_MAX: usize = 1_000;

/// How many questions are left answerable after their time-out ([`OnTimeOut::Leave`]).
pub const LEFT_MAX: usize = 1_000;
