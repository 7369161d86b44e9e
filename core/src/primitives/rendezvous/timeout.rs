//! When a request's time is up, and when its person is warned.

use std::time::Duration;

use crate::time::Time;

/// How long before the time-out the warning comes, unless half the time is shorter. Source: requirements R6.
const WARNING: Duration = Duration::from_secs(300);
/// How long a request waits unless its caller says otherwise. Source: requirements R5.
pub(crate) const TIME_OUT: Duration = Duration::from_secs(1_800);

/// When the warning comes, and when the time is up, of what has so long from then on.
pub(crate) fn deadlines(time_out: Option<Duration>, from: Time) -> Option<(Time, Time)> {
    let time_out = time_out?;
    let warning = time_out.saturating_sub(WARNING).max(time_out / 2);
    Some((from + warning, from + time_out))
}
