//! When a person wants to be told of requests by a notification.

use switchboard_core::model::Directory;

use crate::codec::record;

/// What holds for every server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NotificationSettings {
    /// Whether there are notifications at all. Defaults to `false`.
    pub is_on: bool,
    /// Whether a sound is played with each. Defaults to `false`.
    pub has_sound: bool,
    /// When there are none.
    pub quiet: QuietHours,
}
record!(NotificationSettings {
    is_on,
    has_sound,
    quiet
});

/// Hours of each day without notifications. `to` is not part of them; they pass midnight when it is before `from`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuietHours {
    /// Whether there are such hours. Defaults to `false`.
    pub is_on: bool,
    /// The first minute of the day, local time. Defaults to 22:00.
    pub from: u16,
    /// The first minute after them. Defaults to 7:00.
    pub to: u16,
}
record!(QuietHours { is_on, from, to });

/// What is switched off of one server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Muted {
    /// All of it.
    pub is_server_muted: bool,
    /// These directories.
    pub directories: Vec<Directory>,
}
record!(Muted {
    is_server_muted,
    directories,
});

impl Default for QuietHours {
    fn default() -> Self {
        Self {
            is_on: false,
            from: 22 * 60,
            to: 7 * 60,
        }
    }
}

impl QuietHours {
    /// Whether this minute of the day is quiet.
    #[must_use]
    pub fn contain(&self, minute: u16) -> bool {
        self.is_on
            && if self.from <= self.to {
                (self.from..self.to).contains(&minute)
            } else {
                minute >= self.from || minute < self.to
            }
    }
}

impl Muted {
    /// Whether requests of this directory are told.
    #[must_use]
    pub fn allows(&self, directory: &Directory) -> bool {
        !self.is_server_muted && !self.directories.contains(directory)
    }

    /// Switches a directory on or off.
    pub fn set(&mut self, directory: &Directory, is_muted: bool) {
        self.directories.retain(|muted| muted != directory);
        if is_muted {
            self.directories.push(directory.clone());
        }
    }
}

/// Writes a minute of the day as a time field has it: `07:05`.
#[must_use]
pub fn write_minute(minute: u16) -> String {
    format!("{:02}:{:02}", minute / 60, minute % 60)
}

/// Reads what a time field has. `None` for a field that is not filled.
#[must_use]
pub fn read_minute(text: &str) -> Option<u16> {
    let (hour, minute) = text.split_once(':')?;
    let (hour, minute) = (hour.parse::<u16>().ok()?, minute.get(..2)?.parse::<u16>().ok()?);
    (hour < 24 && minute < 60).then_some(hour * 60 + minute)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quiet(from: &str, to: &str, at: &str) -> bool {
        let [from, to, at] = [from, to, at].map(|text| read_minute(text).unwrap());
        QuietHours { is_on: true, from, to }.contain(at)
    }

    #[test]
    fn quiet_hours_may_pass_midnight() {
        for (at, is_quiet) in [
            ("21:59", false),
            ("22:00", true),
            ("00:00", true),
            ("06:59", true),
            ("07:00", false),
        ] {
            assert_eq!(quiet("22:00", "07:00", at), is_quiet, "{at}");
        }
        assert!(quiet("12:00", "13:00", "12:30"));
        assert!(!quiet("12:00", "13:00", "13:00"));
        assert!(!quiet("12:00", "12:00", "12:00"), "no hours at all");
    }

    #[test]
    fn hours_that_are_switched_off_are_not_quiet() {
        assert!(!QuietHours::default().contain(0));
    }

    #[test]
    fn a_server_and_its_directories_are_switched_off_by_themselves() {
        let mut muted = Muted::default();
        let (one, other) = ("/one".into(), "/other".into());
        muted.set(&one, true);
        muted.set(&one, true);
        assert!(!muted.allows(&one) && muted.allows(&other));
        muted.is_server_muted = true;
        assert!(!muted.allows(&other));
        muted.is_server_muted = false;
        muted.set(&one, false);
        assert_eq!(muted, Muted::default());
    }

    #[test]
    fn a_time_is_read_as_the_field_has_it() {
        assert_eq!(read_minute(&write_minute(425)), Some(425));
        assert_eq!(read_minute("07:05:30"), Some(425));
        for text in ["", "7", "24:00", "12:60", "12:5", "a:b"] {
            assert_eq!(read_minute(text), None, "{text}");
        }
    }
}
