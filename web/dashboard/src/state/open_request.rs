//! Opening a request: in place where there is room, on a page of its own on a phone.

use crate::kit::viewport::IsPhone;
use crate::state::desk::Desk;
use crate::state::focus;
use crate::state::keys::RequestKey;
use crate::state::navigation::Navigation;
use crate::state::servers::Servers;

/// Opens requests. Comes from context.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenRequest {
    desk: Desk,
    is_phone: IsPhone,
    navigation: Navigation,
    servers: Servers,
}

impl OpenRequest {
    /// Opens on this desk, by way of these addresses.
    pub(crate) fn new(desk: Desk, is_phone: IsPhone, navigation: Navigation, servers: Servers) -> Self {
        Self {
            desk,
            is_phone,
            navigation,
            servers,
        }
    }

    /// Opens a request.
    pub(crate) fn open(self, key: &RequestKey) {
        if self.is_phone.get_untracked() {
            self.navigation.go(&self.servers.place_of(key.clone()));
        } else {
            self.desk.choose(key);
            focus::request(key);
        }
    }
}
