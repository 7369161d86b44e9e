//! What tools did: calls and changes to files.

pub mod diff;
pub mod tool_card;
