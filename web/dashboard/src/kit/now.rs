//! The time as the page shows it: one interval for all ages.

use std::time::Duration;

use leptos::prelude::*;
use switchboard_core::{Clock, Time};

use switchboard_browser::platform::clock::BrowserClock;

/// The time, at most a second old. Comes from context.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Now {
    clock: StoredValue<BrowserClock, LocalStorage>,
    ticked: RwSignal<Time>,
}

impl Now {
    /// Ticks until its owner is gone.
    pub(crate) fn ticking(clock: BrowserClock) -> Self {
        let ticked = RwSignal::new(clock.now());
        let now = Self {
            clock: StoredValue::new_local(clock),
            ticked,
        };
        let interval = set_interval_with_handle(move || ticked.set(now.exact()), Duration::from_secs(1));
        if let Ok(interval) = interval {
            on_cleanup(move || interval.clear());
        }
        now
    }

    /// The time; whoever reads it is run again each second, so it belongs into a memo of what is shown.
    pub(crate) fn get(self) -> Time {
        self.ticked.get()
    }

    /// The time to the millisecond; not tracked.
    pub(crate) fn exact(self) -> Time {
        self.clock.with_value(Clock::now)
    }
}

/// A time of day as it is read on this device: `14:16`, with `seconds` `14:16:20`.
pub(crate) fn time_of_day(time: Time, seconds: bool) -> String {
    let date = js_sys::Date::new(&(time.0 as f64).into());
    let (hours, minutes) = (date.get_hours(), date.get_minutes());
    if seconds {
        format!("{hours:02}:{minutes:02}:{:02}", date.get_seconds())
    } else {
        format!("{hours:02}:{minutes:02}")
    }
}

/// The minute of the day, as this device counts hours.
pub(crate) fn minute_of_day(time: Time) -> u16 {
    let date = js_sys::Date::new(&(time.0 as f64).into());
    // Both are small.
    (date.get_hours() * 60 + date.get_minutes()) as u16
}

/// The beginning of the day of this time, as this device counts days; a day may have 23 or 25 hours.
pub(crate) fn midnight_before(time: Time) -> Time {
    let date = js_sys::Date::new(&(time.0 as f64).into());
    date.set_hours(0);
    date.set_minutes(0);
    date.set_seconds(0);
    date.set_milliseconds(0);
    Time(date.get_time() as u64)
}

/// A day as this device counts days, seen from `now`: `Today`, else `Mon Nov 23 2026`.
pub(crate) fn day(time: Time, now: Time) -> String {
    if midnight_before(time) == midnight_before(now) {
        return "Today".to_owned();
    }
    String::from(js_sys::Date::new(&(time.0 as f64).into()).to_date_string())
}

/// A time as ISO 8601 writes it: `2026-11-23T14:16:20.000Z`.
pub(crate) fn iso(time: Time) -> String {
    String::from(js_sys::Date::new(&(time.0 as f64).into()).to_iso_string())
}
