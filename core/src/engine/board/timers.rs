//! The table of deadlines: everything that happens by itself at some time, each with its reason.

use crate::engine::board::Board;
use crate::time::Time;

/// Why a board acts by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timer {
    /// A scope is to be refreshed.
    Refresh,
    /// A request has been held back for long enough, and is shown.
    Show,
    /// A send has waited for the store for long enough.
    Store,
    /// The wait for a reply is over.
    ReplyTimeOut,
    /// A request is to be warned of, counted down, or timed out.
    RequestTimeOut,
    /// The wait for a command is over.
    CommandTimeOut,
    /// A stop is to be sent.
    Stop,
    /// The event stream has been silent for too long.
    Silence,
    /// The store is to be read again.
    Load,
}

impl Board {
    /// The next point in time at which something happens by itself, and what. After [`Self::handle_deadline`] it is later than
    /// then.
    pub(crate) fn next_deadline(&self) -> Option<(Time, Timer)> {
        let refreshes = self.reader.scopes.values().filter_map(|scope| scope.cadence.deadline());
        let shown = self
            .requests
            .iter()
            .filter_map(|(_, tracked)| tracked.publish_deadline());
        let table = [
            (refreshes.min(), Timer::Refresh),
            (shown.min(), Timer::Show),
            (self.outbox.queue.next_deadline(), Timer::Store),
            (self.next_reply_deadline(), Timer::ReplyTimeOut),
            (self.next_time_out(), Timer::RequestTimeOut),
            (self.next_shell_deadline(), Timer::CommandTimeOut),
            (self.next_stop_deadline(), Timer::Stop),
            (self.reader.trust.next_deadline(), Timer::Silence),
            (self.storage.next_deadline(), Timer::Load),
            (self.storage.figures.next_deadline(), Timer::Load),
        ];
        let set = table.into_iter().filter_map(|(at, timer)| Some((at?, timer)));
        set.min_by_key(|(at, _)| *at)
    }

    /// Does everything that is due.
    pub(crate) fn handle_deadline(&mut self, now: Time) {
        self.attention.awake.look(self.longest_rest(), now);
        if self.reader.trust.handle_deadline(now) {
            self.end_long_pauses(now);
        }
        if self.storage.next_deadline().is_none_or(|due| due <= now) {
            self.load(now);
        }
        if self.storage.figures.take_due(now) {
            self.load_figures_again(now);
        }
        for scope in self.reader.scopes.values_mut() {
            scope.cadence.handle_deadline(now);
        }
        self.go_on_without_store(now);
        self.publish_due(now);
        self.pass_slots(now);
        self.end_late_replies(now);
        self.end_late_shells(now);
        self.handle_time_outs(now);
    }
}
