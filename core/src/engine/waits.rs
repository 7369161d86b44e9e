//! Who awaits a reply, or the end of a command.

pub(crate) mod command;
pub(crate) mod follow_up;
pub(crate) mod reply;
pub(crate) mod shell;
