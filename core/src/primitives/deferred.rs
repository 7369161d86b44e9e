//! Deferreds: the sync points of running tool calls. Each settles exactly once, and none is waited for without an end.
//!
//! A call is *registered* when it is first seen, and *settled* by its result. When the turn ends, all that is open gets
//! one common grace; what is still open then is *abandoned*: its waiters hear [`Settlement::Aborted`], and its key is
//! reported. The next turn begins with nothing open.
//!
//! A call that the caller runs has a [`Guard`], which settles it even when its work is dropped or panics. A call that is
//! only observed is settled by its key. A result that comes after its turn is *late*: it is kept with its turn and
//! reported by [`DeferredTracker::take_late`], and never reaches a deferred of a later turn.
//!
//! ```
//! use std::time::Duration;
//!
//! use futures::FutureExt;
//! use futures::future::{LocalBoxFuture, ready};
//! use switchboard_core::deferred::{DeferredTracker, Settlement, Settling};
//! use switchboard_core::Clock;
//! use switchboard_core::Time;
//!
//! /// A clock on which every grace is over at once.
//! struct Hasty;
//!
//! impl Clock for Hasty {
//!     fn now(&self) -> Time {
//!         Time(0)
//!     }
//!     fn sleep_until(&self, _: Time) -> LocalBoxFuture<'static, ()> {
//!         ready(()).boxed_local()
//!     }
//! }
//!
//! let tracker = DeferredTracker::new();
//! let (list, search) = (tracker.register("list")?, tracker.register("search")?);
//! let waiting = tracker.wait(&"list").unwrap();
//! assert_eq!(list.complete("a.txt"), Settling::Settled);
//! assert_eq!(waiting.now_or_never(), Some(Settlement::Completed("a.txt")));
//!
//! let report = tracker.settle_all(&Hasty, Duration::from_millis(250)).now_or_never().unwrap();
//! assert_eq!((report.settled, report.abandoned), (1, vec!["search"]));
//!
//! assert_eq!(search.complete("b.txt"), Settling::Late);
//! assert_eq!(tracker.take_late()[0].result, Ok("b.txt"));
//! # Ok::<(), switchboard_core::deferred::AlreadyOpen<&str>>(())
//! ```
//!
//! # How it is built
//! A deferred is one shared cell: the map of the tracker, the guard and the waiters hold it, so a guard settles without
//! a look-up. A machine of plain state decides; the futures on top of it only wait. Nothing is borrowed while a waker is
//! called, so a waker may do whatever it likes with the tracker.
//!
//! # Limits
//! - A key can be registered once a turn. What is settled is remembered until its turn ends, so turns should end.
//! - What was abandoned is remembered by its key for [`PAST_TURNS_MAX`] turns. A result by key that comes later is
//!   [`Settling::Unknown`]; a guard's is late however long it takes.
//! - Of late results that nobody takes, the newest [`LATE_MAX`] are kept.

mod guard;
#[cfg(test)]
pub(crate) mod hand_clock;
mod machine;
mod settle_all;
mod settlement;
mod shared;
mod state;
#[cfg(test)]
mod tests;
mod tracker;
mod waiting;
mod wakers;

pub use guard::Guard;
pub use settle_all::SettleAll;
pub use settlement::{AlreadyOpen, Late, Report, Settlement, Settling, Turn};
pub(crate) use state::Deferred;
pub use tracker::DeferredTracker;
pub use waiting::Waiting;
pub(crate) use wakers::{Ticket, Wakers};

/// For how many turns an abandoned call is remembered by its key.
pub const PAST_TURNS_MAX: u64 = 8;

/// How many late results are kept for [`DeferredTracker::take_late`].
pub const LATE_MAX: usize = 10_000;
