//! One server, synchronous: what is known of it, what to read, what to send, and what to show.

pub(crate) mod action;
pub(crate) mod board;
pub(crate) mod drafts;
pub(crate) mod evidence;
pub(crate) mod outbox;
pub(crate) mod previews;
pub(crate) mod refresh;
pub(crate) mod requests;
pub(crate) mod server_clock;
pub(crate) mod sessions;
pub(crate) mod storage;
pub(crate) mod told;
pub(crate) mod waits;
