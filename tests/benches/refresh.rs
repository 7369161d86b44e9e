//! One refresh of a board, through [`connect`]: a server that answers at once, and a clock that stands still.
//!
//! The time that the server takes to make its answers is measured apart and subtracted.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use switchboard_core::{Clock, Config, Handle, Time, connect};
use switchboard_tests::clock::VirtualClock;

use crate::server::{NoStore, Server, session_id};
use crate::{measure, memory};

const SESSIONS: usize = 1_000;
const BUSY: usize = 100;
const MESSAGES: usize = 1_000;
const CHANGED: usize = 10;
/// Refreshes that are measured at once.
const REFRESHES: usize = 100;
pub(crate) const BEGINNING: Time = Time(1_795_300_000_000);

pub(crate) fn nothing_changed() {
    for (messages, sessions, busy) in [
        (MESSAGES, SESSIONS, BUSY),
        (10, SESSIONS, BUSY),
        (MESSAGES, 2 * SESSIONS, 2 * BUSY),
        (MESSAGES, 4 * SESSIONS, 4 * BUSY),
    ] {
        let mut board = Board::new(Server::new(sessions, busy, messages), Config::new(1));
        board.run_refreshes(REFRESHES, |_| {});
        let time = measure::fastest(|| board.run_refreshes(REFRESHES, |_| {}));
        let (_, usage) = memory::count(|| board.run_refreshes(REFRESHES, |_| {}));
        println!(
            "  {sessions} sessions of {messages} messages, {busy} busy: {:.3} ms (target ≤ 0.2 at 1000 and 100), \
             {} allocations, those of the server included",
            measure::each(time, REFRESHES) / 1e6,
            usage.allocations / REFRESHES
        );
    }
}

pub(crate) fn ten_changed() {
    let sizes = [1, 2, 4].map(|factor| factor * MESSAGES);
    let costs = sizes.map(|messages| {
        let mut config = Config::new(1);
        config.limits.message_reads = CHANGED;
        config.limits.page = u32::try_from(messages).expect("a page of a few thousand");
        let mut board = Board::new(Server::new(CHANGED, CHANGED, messages), config);
        board.handle.open(Some(&session_id(0)));
        board.run_refreshes(REFRESHES, |_| {});
        let time = measure::fastest(|| board.run_refreshes(REFRESHES, Server::change_all));
        let shown = board
            .handle
            .view()
            .timeline
            .as_ref()
            .map_or(0, |timeline| timeline.messages.len());
        println!(
            "  {CHANGED} changed sessions of {messages} messages, one open with {shown}: {:.3} ms (target ≤ 1 at 1000)",
            measure::each(time, REFRESHES) / 1e6
        );
        measure::each(time, REFRESHES)
    });
    println!("  {}", measure::growth(&costs));
}

/// A connected board, driven by hand.
struct Board {
    handle: Handle,
    driver: LocalBoxFuture<'static, ()>,
    clock: VirtualClock,
    server: Rc<Server>,
    woken: Arc<Flag>,
}

struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Relaxed);
    }
}

impl Board {
    fn new(server: Server, config: Config) -> Self {
        let (clock, server) = (VirtualClock::new(BEGINNING), Rc::new(server));
        let time: Rc<dyn Clock> = Rc::new(clock.clone());
        let (handle, driver) = connect(config, server.clone(), time, Rc::new(NoStore), Rc::new(|_| {}));
        let woken = Arc::new(Flag(AtomicBool::new(true)));
        Self {
            handle,
            driver,
            clock,
            server,
            woken,
        }
    }

    /// Runs so many refreshes of the directory, each after a change. Returns the time without that of the server.
    fn run_refreshes(&mut self, count: usize, change: impl Fn(&Server)) -> Duration {
        let mut total = Duration::ZERO;
        for _ in 0..count {
            change(&self.server);
            let before = self.server.refreshes.get();
            self.server.spent.set(Duration::ZERO);
            total += measure::time(|| {
                while self.server.refreshes.get() == before {
                    self.run_to_next_timer();
                }
            });
            total = total.saturating_sub(self.server.spent.get());
        }
        total
    }

    fn run_to_next_timer(&mut self) {
        let waker = Waker::from(self.woken.clone());
        while self.woken.0.swap(false, Relaxed) {
            let poll = self.driver.poll_unpin(&mut Context::from_waker(&waker));
            assert_eq!(poll, Poll::Pending, "nobody closes the board");
        }
        let next = self.clock.next_timer().expect("a board always refreshes again");
        self.clock.advance_to(next);
    }
}
