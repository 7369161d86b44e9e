//! The browser's clock.
//!
//! A page has two: the wall clock, which somebody may set back, and a steady one, which may stand still while the laptop
//! sleeps. The steady one counts; the wall clock only ever pushes it forwards.

use std::cell::Cell;
use std::fmt;
use std::rc::Rc;

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use gloo_timers::future::TimeoutFuture;
use js_sys::Date;
use switchboard_core::{Clock, Time};
use wasm_bindgen::prelude::*;

/// The longest delay that a timer of a browser can hold, in milliseconds.
const TIMER_MAX: u64 = i32::MAX as u64;

/// The clock of a page, a worker or Node. Its clones show the same time.
#[derive(Clone)]
pub struct BrowserClock {
    /// How far the wall clock is ahead of the steady one, at most so far.
    ahead: Rc<Cell<f64>>,
}

#[wasm_bindgen]
extern "C" {
    type Performance;

    #[wasm_bindgen(thread_local_v2, js_name = performance)]
    static PERFORMANCE: Performance;

    #[wasm_bindgen(method)]
    fn now(this: &Performance) -> f64;
}

impl BrowserClock {
    /// Starts with the wall clock.
    #[must_use]
    pub fn new() -> Self {
        Self {
            ahead: Rc::new(Cell::new(f64::NEG_INFINITY)),
        }
    }
}

impl Default for BrowserClock {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for BrowserClock {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("BrowserClock").field(&self.now()).finish()
    }
}

impl Clock for BrowserClock {
    fn now(&self) -> Time {
        let steady = PERFORMANCE.with(Performance::now);
        self.ahead.set(self.ahead.get().max(Date::now() - steady));
        Time((steady + self.ahead.get()) as u64)
    }

    /// Dropping the future clears its timer. A timer that fires early is set again.
    fn sleep_until(&self, deadline: Time) -> LocalBoxFuture<'static, ()> {
        let clock = self.clone();
        async move {
            loop {
                let now = clock.now();
                if now >= deadline {
                    return;
                }
                let delay = (deadline.0 - now.0).min(TIMER_MAX);
                TimeoutFuture::new(u32::try_from(delay).unwrap_or(u32::MAX)).await;
            }
        }
        .boxed_local()
    }
}
