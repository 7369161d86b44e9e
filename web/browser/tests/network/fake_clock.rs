//! A clock that moves only when the test says so.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt;
use futures::channel::oneshot;
use futures::future::LocalBoxFuture;
use switchboard_core::{Clock, Time};

/// A clock that moves only when the test says so. Its clones show the same time.
#[derive(Clone, Default)]
pub(crate) struct FakeClock {
    now: Rc<Cell<u64>>,
    sleepers: Rc<RefCell<Vec<Sleeper>>>,
}

/// When to wake somebody, and how.
type Sleeper = (Time, oneshot::Sender<()>);

impl FakeClock {
    /// Moves the clock, and wakes those whose time has come.
    pub(crate) fn advance(&self, span: Duration) {
        let now = self.now() + span;
        self.now.set(now.0);
        let sleepers = std::mem::take(&mut *self.sleepers.borrow_mut());
        let (due, later): (Vec<_>, Vec<_>) = sleepers.into_iter().partition(|(deadline, _)| *deadline <= now);
        *self.sleepers.borrow_mut() = later;
        for (_, wake) in due {
            let _gone = wake.send(());
        }
    }

    /// Waits until somebody sleeps for exactly so long, then lets the time pass.
    pub(crate) async fn pass(&self, span: Duration) {
        while !self.is_awaited(span) {
            let turn = js_sys::Promise::resolve(&wasm_bindgen::JsValue::NULL);
            wasm_bindgen_futures::JsFuture::from(turn)
                .await
                .expect("it is resolved");
        }
        self.advance(span);
    }

    fn is_awaited(&self, span: Duration) -> bool {
        let deadline = self.now() + span;
        self.sleepers
            .borrow()
            .iter()
            .any(|(at, wake)| *at == deadline && !wake.is_canceled())
    }
}

impl Clock for FakeClock {
    fn now(&self) -> Time {
        Time(self.now.get())
    }

    fn sleep_until(&self, deadline: Time) -> LocalBoxFuture<'static, ()> {
        let (wake, woken) = oneshot::channel();
        self.sleepers.borrow_mut().push((deadline, wake));
        woken.map(|_| ()).boxed_local()
    }
}
