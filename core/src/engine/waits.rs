//! Who awaits a reply, or the end of a command.

pub(crate) mod command;
pub(crate) mod reply;
