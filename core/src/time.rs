//! Points in time and spans of it, in milliseconds, and the clock that tells them.

use std::ops::{Add, Sub};
use std::time::Duration;

use futures::future::LocalBoxFuture;

/// A point in time: milliseconds since the Unix epoch, by the clock of the caller.
///
/// The caller's clock does not run backwards while a board lives. It may jump forwards: a laptop sleeps, a tab is frozen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub u64);

impl Time {
    /// How long ago `earlier` was; zero when it lies in the future.
    #[must_use]
    pub fn since(self, earlier: Time) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Duration> for Time {
    type Output = Time;

    fn add(self, span: Duration) -> Time {
        Time(
            self.0
                .saturating_add(u64::try_from(span.as_millis()).unwrap_or(u64::MAX)),
        )
    }
}

impl Sub<Duration> for Time {
    type Output = Time;

    fn sub(self, span: Duration) -> Time {
        Time(
            self.0
                .saturating_sub(u64::try_from(span.as_millis()).unwrap_or(u64::MAX)),
        )
    }
}

/// The caller's clock.
pub trait Clock {
    /// The time. It never runs backwards while a board lives.
    fn now(&self) -> Time;

    /// Resolves at `deadline` or later; at once when it has passed.
    fn sleep_until(&self, deadline: Time) -> LocalBoxFuture<'static, ()>;
}
