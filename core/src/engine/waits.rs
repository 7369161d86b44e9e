//! What callers wait for: replies and commands, and how they end.

pub(crate) mod awake;
pub(crate) mod follow_up;
pub(crate) mod patience;
pub(crate) mod shell;
