//! Effects: what is meant to be done, to the server or to a screen, in order and with what it must hold alone.
//!
//! One queue for all of them: what can be done at once, what waits for a condition, and what waits for a decision. An
//! effect is a function that is *polled* once a pass, and says how it stands; it cannot wait. It is answered exactly
//! once.
//!
//! ```
//! use futures::FutureExt;
//! use switchboard_core::effects::{Cancel, Class, Effect, EffectQueue, Progress, Response, Scope};
//! use switchboard_core::model::SessionId;
//! use switchboard_core::Time;
//!
//! let mut queue = EffectQueue::new();
//! let session = SessionId::from("ses_1");
//! let scope = Scope { session: Some(session.clone()), ..Scope::default() };
//! let preview = |file: &'static str| {
//!     Effect::new(Class::Once, move |_| Progress::Holding(file)).within(scope.clone()).needs(["preview slot"])
//! };
//! let (first, shown) = queue.submit(preview("a.rs"));
//! let (_, mut next) = queue.submit(preview("b.rs"));
//!
//! queue.poll_all(Time(0));
//! assert_eq!(shown.now_or_never(), Some(Response::Ready("a.rs")));
//! assert_eq!((&mut next).now_or_never(), None); // the slot is held until the first preview is closed
//!
//! queue.release(first);
//! queue.poll_all(Time(1));
//! assert_eq!(next.now_or_never(), Some(Response::Ready("b.rs")));
//! assert_eq!(queue.cancel(&Cancel::Session(session)), 1); // closes the second, too
//! ```
//!
//! # In which order
//! Of submission, per resource: the first in line holds it. An effect that needs nothing waits for nobody, and lines
//! of different resources do not know each other. All polls of one pass run in the order of submission.
//!
//! # Several resources
//! An effect joins all lines at once and is polled when it is first in each: all, or none. As it only ever waits for
//! earlier effects, nothing can deadlock; as nobody overtakes, nobody starves. The price: while it waits for one
//! resource, its turn at another is not used by anybody.
//!
//! # How often it is polled
//! Once in each [`EffectQueue::poll_all`], which the caller does once a pass of its loop. Only effects that hold all they
//! need are polled; those in line cost nothing. When one ends, the next in line is polled in the same call.
//!
//! # What a failure, a doubt and a retry are
//! A failed effect had no effect: its responder hears so at once, and nothing is tried again. The result of an effect
//! *in doubt* is unknown. A [`Class::Once`] effect in doubt answers so at once, and is never polled again. The other
//! classes keep their resources and rest until a refresh is observed that began after the doubt arose; then they are
//! polled, and their poll says whether they are still needed. The number of such tries has no limit, their rate is that
//! of the refreshes.
//!
//! # Cancellation
//! By call, session or agent: each effect in that scope ends, its responder hears [`Response::Cancelled`], and the next
//! in line has its resources in the same step. An effect whose request is on its way is not called back. Dropping the
//! queue cancels everything; dropping a [`Responding`] cancels nothing.
//!
//! # Decisions
//! An approval is an effect that names its request. A decision may come before the effect, or before it is first in
//! line: it is kept under the full id of the request, its polls see it, and the end of the turn drops it. The first
//! decision counts. What an approval holds alone is its own request, so approvals do not wait for each other.
//!
//! # Limits
//! - At most [`EFFECTS_MAX`] effects; one more fails at once.
//! - At most [`DECISIONS_MAX`] decisions that no effect has used.
//! - Wakers of responders are called while the queue is borrowed: one that is called must only note that it was.

mod decisions;
mod effect;
mod id;
mod lines;
mod queue;
mod responding;
mod slots;
mod table;
#[cfg(test)]
mod tests;

pub use decisions::NotKept;
pub use effect::{Class, Context, Decision, Effect, Progress, Scope};
pub use id::EffectId;
pub use queue::{Cancel, EffectQueue};
pub use responding::{Responding, Response};

/// How many effects a queue holds.
pub const EFFECTS_MAX: usize = 200_000;

/// How many decisions are kept for effects that have not come.
pub const DECISIONS_MAX: usize = 1_000;
