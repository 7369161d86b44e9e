//! Whether a person is told of a request by a notification.

use switchboard_browser::device::notification_settings::{Muted, NotificationSettings};
use switchboard_core::model::{Directory, RequestId};
use switchboard_core::view::RequestView;

/// What a person wants to be told, and when it is.
#[derive(Clone, Copy, Debug)]
pub struct Occasion<'a> {
    /// What holds for every server.
    pub settings: &'a NotificationSettings,
    /// What is switched off of this one.
    pub muted: &'a Muted,
    /// The minute of the day, local time.
    pub minute: u16,
    /// Whether a person looks at this page, in whatever part of it: the side bar and the title show what waits.
    pub is_looked_at: bool,
}

/// What follows for a request of which nobody was told yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Telling {
    /// A notification.
    Tell,
    /// None, ever: it is on the screen that a person looks at.
    Seen,
    /// None until something changes.
    NotNow,
}

impl Occasion<'_> {
    /// Whether notifications of a request may be on the screen: it waits, and its place is not switched off.
    #[must_use]
    pub fn allows(&self, view: &RequestView) -> bool {
        view.state.is_waiting() && self.settings.is_on && self.muted.allows(&view.request.directory)
    }

    /// What follows for something that has ended in a directory.
    #[must_use]
    pub fn telling_end(&self, directory: &Directory) -> Telling {
        self.follows(self.settings.is_on && self.muted.allows(directory))
    }

    /// What follows for a request of which nobody was told yet.
    ///
    /// Whoever looks at the page sees it, whether or not notifications are on: switching them on tells nothing that was
    /// seen before. Quiet hours put it off: what still waits at their end is told then.
    #[must_use]
    pub fn telling(&self, view: &RequestView) -> Telling {
        self.follows(self.allows(view))
    }

    fn follows(&self, is_wanted: bool) -> Telling {
        match self.is_looked_at {
            true => Telling::Seen,
            false if is_wanted && !self.settings.quiet.contain(self.minute) => Telling::Tell,
            false => Telling::NotNow,
        }
    }
}

/// How what is due at one moment is told: one request by itself, several in one notification.
#[must_use]
pub fn tag(base: &str, requests: &[RequestId]) -> String {
    let first = requests.first().map_or("", RequestId::as_str);
    let kind = if requests.len() > 1 { "several" } else { "one" };
    format!("{base} {kind} {first}")
}

#[cfg(test)]
mod tests {
    use switchboard_browser::device::notification_settings::QuietHours;
    use switchboard_core::Time;
    use switchboard_core::model::Ask;
    use switchboard_core::view::RequestState;

    use super::*;
    use crate::fixtures::asking;

    fn waiting() -> RequestView {
        asking("que_1", Ask::Questions(Vec::new()), RequestState::Waiting)
    }

    /// What follows for a waiting request in `/d` at noon, and for a loop that ends there.
    fn telling(is_looked_at: bool, change: impl FnOnce(&mut NotificationSettings, &mut Muted)) -> Telling {
        let mut settings = NotificationSettings {
            is_on: true,
            ..NotificationSettings::default()
        };
        let mut muted = Muted::default();
        change(&mut settings, &mut muted);
        let occasion = Occasion {
            settings: &settings,
            muted: &muted,
            minute: 12 * 60,
            is_looked_at,
        };
        let telling = occasion.telling(&waiting());
        assert_eq!(occasion.telling_end(&"/d".into()), telling);
        telling
    }

    #[test]
    fn a_person_is_told_only_after_asking_for_it() {
        assert_eq!(telling(false, |_, _| {}), Telling::Tell);
        assert_eq!(telling(false, |settings, _| settings.is_on = false), Telling::NotNow);
    }

    #[test]
    fn what_is_looked_at_is_never_told() {
        assert_eq!(telling(true, |_, _| {}), Telling::Seen);
        assert_eq!(telling(true, |settings, _| settings.is_on = false), Telling::Seen);
    }

    #[test]
    fn quiet_hours_put_it_off() {
        let quiet = |from, to| {
            move |settings: &mut NotificationSettings, _: &mut Muted| {
                settings.quiet = QuietHours { is_on: true, from, to };
            }
        };
        assert_eq!(telling(false, quiet(22 * 60, 13 * 60)), Telling::NotNow);
        assert_eq!(telling(false, quiet(22 * 60, 12 * 60)), Telling::Tell);
    }

    #[test]
    fn a_server_or_a_directory_may_be_switched_off() {
        assert_eq!(telling(false, |_, muted| muted.is_server_muted = true), Telling::NotNow);
        assert_eq!(
            telling(false, |_, muted| muted.set(&"/d".into(), true)),
            Telling::NotNow
        );
        assert_eq!(telling(false, |_, muted| muted.set(&"/e".into(), true)), Telling::Tell);
    }

    #[test]
    fn a_notification_is_withdrawn_when_its_request_waits_no_longer() {
        let settings = NotificationSettings {
            is_on: true,
            ..NotificationSettings::default()
        };
        let occasion = Occasion {
            settings: &settings,
            muted: &Muted::default(),
            minute: 0,
            is_looked_at: false,
        };
        let mut view = waiting();
        assert!(occasion.allows(&view));
        view.state = RequestState::Dismissed {
            by_us: false,
            at: Time(0),
        };
        assert!(!occasion.allows(&view));
    }

    #[test]
    fn two_tabs_name_the_notification_of_a_request_alike_and_two_requests_differ() {
        let tag = |ids: &[&str]| {
            tag(
                "http://a",
                &ids.iter().map(|id| RequestId::from(*id)).collect::<Vec<_>>(),
            )
        };
        assert_eq!(tag(&["a"]), tag(&["a"]));
        assert_ne!(tag(&["a"]), tag(&["b"]));
        assert_ne!(tag(&["a"]), tag(&["a", "b"]));
    }
}
