//! The clock of the machine.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use switchboard_core::{Clock, Time};

/// The wall clock as it was at the start, and from then on a steady one: a wall clock can be set back.
#[derive(Clone, Copy)]
pub(crate) struct SteadyClock {
    begun: Instant,
    begun_at: Time,
}

impl SteadyClock {
    pub(crate) fn new() -> Self {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self {
            begun: Instant::now(),
            begun_at: Time(0) + since_epoch,
        }
    }
}

impl Clock for SteadyClock {
    fn now(&self) -> Time {
        self.begun_at + self.begun.elapsed()
    }

    fn sleep_until(&self, deadline: Time) -> LocalBoxFuture<'static, ()> {
        // A timer that ends within a millisecond of the deadline may be early by the rounding of `now`.
        let span = deadline.since(self.now()) + Duration::from_millis(1);
        tokio::time::sleep(span).boxed_local()
    }
}
