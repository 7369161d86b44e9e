//! The name and password of a server.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use wasm_bindgen::prelude::*;

/// A name and a password.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    /// The name, `opencode` unless the server was told another.
    pub username: String,
    /// The password.
    pub password: String,
}

/// The credentials of one server, shared by everything that talks to it: new ones count from the next request on.
#[derive(Clone, Debug, Default)]
pub struct SharedCredentials(Rc<RefCell<Option<Credentials>>>);

#[wasm_bindgen]
extern "C" {
    fn btoa(bytes: &str) -> String;
}

impl SharedCredentials {
    /// Shares these.
    #[must_use]
    pub fn new(credentials: Option<Credentials>) -> Self {
        Self(Rc::new(RefCell::new(credentials)))
    }

    /// Replaces them.
    pub fn set(&self, credentials: Option<Credentials>) {
        *self.0.borrow_mut() = credentials;
    }

    /// True when there are some.
    #[must_use]
    pub fn are_given(&self) -> bool {
        self.0.borrow().is_some()
    }

    /// The header `authorization`.
    pub(crate) fn header(&self) -> Option<String> {
        self.0.borrow().as_ref().map(Credentials::header)
    }
}

impl Credentials {
    /// `btoa` takes bytes, each as the character with its number; so any password can be written.
    fn header(&self) -> String {
        let pair = format!("{}:{}", self.username, self.password);
        let bytes: String = pair.bytes().map(char::from).collect();
        format!("Basic {}", btoa(&bytes))
    }
}

/// Never shows the password.
impl fmt::Debug for Credentials {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Credentials")
            .field("username", &self.username)
            .finish_non_exhaustive()
    }
}
