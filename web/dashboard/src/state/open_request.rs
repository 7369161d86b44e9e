//! Opening a request: in place where there is room, on a page of its own on a phone.

use switchboard_core::model::RequestId;

use crate::kit::viewport::IsPhone;
use crate::state::desk::Desk;
use crate::state::focus;
use crate::state::navigation::Navigation;
use crate::state::route::Route;

/// Opens requests. Comes from context.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenRequest {
    desk: Desk,
    is_phone: IsPhone,
    navigation: Navigation,
}

impl OpenRequest {
    /// Opens on this desk, by way of these addresses.
    pub(crate) fn new(desk: Desk, is_phone: IsPhone, navigation: Navigation) -> Self {
        Self {
            desk,
            is_phone,
            navigation,
        }
    }

    /// Opens a request.
    pub(crate) fn open(self, id: &RequestId) {
        if self.is_phone.get_untracked() {
            self.navigation.go(&Route::Request(id.clone()));
        } else {
            self.desk.choose(id);
            focus::request(id);
        }
    }
}
