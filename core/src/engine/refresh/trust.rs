//! Trust in the event stream: how far reads may be apart while events announce all that they find.
//!
//! An event is a hint and never a fact, so a stream can only earn longer pauses, and only where nothing is about to happen that
//! it would not announce. It earns them by heartbeats that are on time and by reads that find nothing new; the first read that
//! finds what no event had announced, or a silence, ends them. A text that stops is no silence yet, and reason enough to look.

use std::time::Duration;

use crate::time::Time;

/// Silence that ends trust. Source: docs/opencode.md: a heartbeat comes every 10 s.
const SILENCE_MAX: Duration = Duration::from_secs(12);

/// A text that has stopped for so long may have stopped because its stream has.
const TEXT_SILENCE: Duration = Duration::from_secs(3);

/// An event that is on its way when a read finds the same comes within this time.
pub(crate) const ANNOUNCED_WITHIN: Duration = Duration::from_secs(2);

/// The shortest time in which a server is restarted. Source: docs/opencode.md, trap 12.
const RESTART_MIN: Duration = Duration::from_secs(1);

/// A pause may last this part of the time for which the stream has proven itself.
const SHARE: u32 = 4;

/// How far the event stream is trusted.
#[derive(Debug, Default)]
pub(crate) struct Trust {
    /// Since when it has announced all that was found; none without a stream.
    since: Option<Time>,
    /// Since when it goes on without a break, so that the server has not been restarted; none where another tab has it.
    connected: Option<Time>,
    /// Its last sign of life.
    alive: Option<Time>,
    /// When it last brought a text, unless it was noticed that the text has stopped.
    text: Option<Time>,
}

impl Trust {
    /// A stream has begun.
    pub(crate) fn handle_connected(&mut self, now: Time) {
        *self = Self {
            since: Some(now),
            connected: Some(now),
            alive: Some(now),
            text: None,
        };
    }

    /// It has said that it is alive. A tab that follows hears of a stream by this alone. After a silence, as when the machine
    /// slept, it proves itself anew.
    pub(crate) fn handle_alive(&mut self, now: Time) {
        if self.is_silent(now) {
            self.since = Some(now);
            self.connected = None;
        }
        self.alive = Some(now);
    }

    /// It has brought a text.
    pub(crate) fn handle_text(&mut self, now: Time) {
        if self.since.is_some() {
            self.text = Some(now);
        }
    }

    /// The next point in time at which it has been silent for too long.
    pub(crate) fn next_deadline(&self) -> Option<Time> {
        let silent = self.alive.map(|alive| alive + SILENCE_MAX);
        let stopped = self.text.map(|text| text + TEXT_SILENCE);
        [silent, stopped].into_iter().flatten().min()
    }

    /// Notices that it has been silent for too long, which ends trust, or that a text has stopped.
    pub(crate) fn handle_deadline(&mut self, now: Time) -> bool {
        let is_silent = self.alive.is_some_and(|alive| alive + SILENCE_MAX <= now);
        if is_silent {
            self.handle_lost();
        }
        let has_stopped = self.text.take_if(|text| *text + TEXT_SILENCE <= now).is_some();
        is_silent || has_stopped
    }

    fn is_silent(&self, now: Time) -> bool {
        self.alive.is_none_or(|alive| now.since(alive) > SILENCE_MAX)
    }

    /// It has ended, or has fallen silent.
    pub(crate) fn handle_lost(&mut self) {
        *self = Self::default();
    }

    /// Something has happened that it has not announced.
    pub(crate) fn contradict(&mut self, now: Time) {
        if let Some(since) = &mut self.since {
            *since = now;
        }
    }

    /// Since when it announces what happens.
    pub(crate) fn since(&self) -> Option<Time> {
        self.since
    }

    /// From when to when the server has not been restarted, as far as a stream of this tab tells.
    pub(crate) fn unbroken(&self) -> Option<(Time, Time)> {
        self.connected.zip(self.alive)
    }

    /// Since when the server has not been restarted, as far as a stream of this tab tells.
    pub(crate) fn there_since(&self) -> Option<Time> {
        self.connected.map(|connected| connected - RESTART_MIN)
    }

    /// How long a pause may last by now.
    pub(crate) fn pause(&self, now: Time) -> Duration {
        match self.since {
            Some(since) if !self.is_silent(now) => now.since(since) / SHARE,
            Some(_) | None => Duration::ZERO,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beats(trust: &mut Trust, from: u64, to: u64) {
        (from..=to)
            .step_by(10)
            .for_each(|second| trust.handle_alive(Time(second * 1_000)));
    }

    #[test]
    fn pauses_grow_while_heartbeats_are_on_time() {
        let mut trust = Trust::default();
        assert_eq!(trust.pause(Time(0)), Duration::ZERO);
        trust.handle_connected(Time(0));
        beats(&mut trust, 10, 40);
        assert_eq!(trust.pause(Time(20_000)), Duration::from_secs(5));
        assert_eq!(trust.pause(Time(40_000)), Duration::from_secs(10));
    }

    #[test]
    fn silence_an_end_or_a_surprise_ends_them() {
        let mut trust = Trust::default();
        trust.handle_connected(Time(0));
        beats(&mut trust, 10, 40);
        assert_eq!(trust.pause(Time(52_001)), Duration::ZERO);
        trust.handle_alive(Time(53_000));
        assert_eq!(trust.pause(Time(57_000)), Duration::from_secs(1), "it begins anew");
        trust.contradict(Time(58_000));
        assert_eq!(trust.pause(Time(60_000)), Duration::from_millis(500));
        trust.handle_lost();
        trust.contradict(Time(57_000));
        assert_eq!(trust.pause(Time(57_000)), Duration::ZERO);
    }

    #[test]
    fn a_silence_is_noticed_when_it_has_lasted_too_long_and_a_text_that_stops_sooner() {
        let mut trust = Trust::default();
        trust.handle_text(Time(0));
        assert_eq!(trust.next_deadline(), None, "there is no stream");
        trust.handle_connected(Time(0));
        trust.handle_text(Time(1_000));
        trust.handle_text(Time(2_000));
        assert_eq!(trust.next_deadline(), Some(Time(5_000)));
        assert!(!trust.handle_deadline(Time(4_999)));
        assert!(trust.handle_deadline(Time(5_000)));
        assert_eq!(trust.since(), Some(Time(0)), "an agent may have stopped writing");
        assert_eq!(trust.next_deadline(), Some(Time(12_000)));
        assert!(trust.handle_deadline(Time(12_000)));
        assert_eq!((trust.next_deadline(), trust.since()), (None, None));
        trust.handle_alive(Time(13_000));
        assert_eq!(trust.since(), Some(Time(13_000)));
    }
}
