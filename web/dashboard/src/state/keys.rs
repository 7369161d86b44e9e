//! Names of what several servers have: two servers over the same data give the same ids.

use std::sync::Arc;

use switchboard_core::model::{RequestId, SessionId};
use switchboard_core::view::RequestView;

/// A server of this page, for as long as the page is open. The same address has the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServerKey(pub u32);

/// A request of a server.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestKey {
    /// The server.
    pub server: ServerKey,
    /// The request there.
    pub id: RequestId,
}

/// A session of a server.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionKey {
    /// The server.
    pub server: ServerKey,
    /// The session there.
    pub id: SessionId,
}

/// A request as a server shows it.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The server.
    pub server: ServerKey,
    /// The request.
    pub view: Arc<RequestView>,
}

impl ServerKey {
    /// One of its requests.
    #[must_use]
    pub fn request(self, id: &RequestId) -> RequestKey {
        RequestKey {
            server: self,
            id: id.clone(),
        }
    }
}

impl Asked {
    /// Its name.
    #[must_use]
    pub fn key(&self) -> RequestKey {
        self.server.request(&self.view.request.id)
    }

    /// Whether this is its name.
    #[must_use]
    pub fn is(&self, key: &RequestKey) -> bool {
        self.server == key.server && self.view.request.id == key.id
    }

    /// The session that asks.
    #[must_use]
    pub fn session(&self) -> SessionKey {
        SessionKey {
            server: self.server,
            id: self.view.request.session.clone(),
        }
    }
}

/// Views are compared by pointer.
impl PartialEq for Asked {
    fn eq(&self, other: &Self) -> bool {
        self.server == other.server && Arc::ptr_eq(&self.view, &other.view)
    }
}

#[cfg(test)]
mod tests {
    use switchboard_core::model::Ask;
    use switchboard_core::view::RequestState;

    use super::*;
    use crate::fixtures::asking;

    #[test]
    fn the_same_id_on_two_servers_names_two_requests() {
        let view = Arc::new(asking("que_1", Ask::Questions(Vec::new()), RequestState::Waiting));
        let [one, other] = [ServerKey(0), ServerKey(1)].map(|server| Asked {
            server,
            view: view.clone(),
        });
        assert!(one.is(&one.key()));
        assert!(!one.is(&other.key()));
        assert_ne!(one, other);
        assert_ne!(one.session(), other.session());
    }
}
