//! Sessions: what the server lists of each, its messages, and how its newest turn stands.

pub(crate) mod session;
pub(crate) mod transcript;
pub(crate) mod turn;
pub(crate) mod window;
