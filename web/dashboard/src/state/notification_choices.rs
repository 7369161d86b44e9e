//! When a person wants to be told of requests: kept on this device, and the same in every tab.

use leptos::prelude::*;
use switchboard_browser::device::notification_settings::{Muted, NotificationSettings};
use switchboard_browser::device::settings::Settings;
use switchboard_browser::platform::notifications::{PermissionWatch, permission};
use switchboard_browser::platform::permission::Permission;

/// The choices about notifications of a connected server. Comes from context.
///
/// The device has them; what reads them here is run again when they have changed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NotificationChoices {
    base: StoredValue<String>,
    changes: RwSignal<usize>,
}

impl NotificationChoices {
    /// Those of a server. `changes` counts the changes of all servers: some choices hold for every one.
    pub(crate) fn new(base: String, changes: RwSignal<usize>) -> Self {
        Self {
            base: StoredValue::new(base),
            changes,
        }
    }

    /// Follows what is chosen in other tabs until the present owner is gone.
    pub(crate) fn follow(self) {
        let listener = window_event_listener(leptos::ev::storage, move |_| self.changed());
        on_cleanup(move || listener.remove());
    }

    /// What holds for every server.
    pub(crate) fn settings(self) -> NotificationSettings {
        self.changes.track();
        Settings::open().notifications()
    }

    /// What is switched off of this one.
    pub(crate) fn muted(self) -> Muted {
        self.changes.track();
        self.base.with_value(|base| Settings::open().muted(base))
    }

    /// Changes what holds for every server.
    pub(crate) fn change(self, change: impl FnOnce(&mut NotificationSettings)) {
        let mut settings = Settings::open().notifications();
        change(&mut settings);
        Settings::open().set_notifications(&settings);
        self.changed();
    }

    /// Changes what is switched off of this one.
    pub(crate) fn change_muted(self, change: impl FnOnce(&mut Muted)) {
        self.base.with_value(|base| {
            let mut muted = Settings::open().muted(base);
            change(&mut muted);
            Settings::open().set_muted(base, &muted);
        });
        self.changed();
    }

    fn changed(self) {
        self.changes.try_update(|changes| *changes += 1);
    }
}

/// The permission of the browser. Follows it until the present owner is gone.
pub(crate) fn following_permission() -> RwSignal<Permission> {
    let now = RwSignal::new(permission());
    let read = move || {
        now.try_set(permission());
    };
    let watch = StoredValue::new_local(PermissionWatch::begin(read));
    on_cleanup(move || watch.dispose());
    now
}
