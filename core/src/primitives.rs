//! Primitives that know no OpenCode: the engine uses them, and so may anybody.

pub mod checks;
pub mod completion;
pub mod deferred;
pub mod effects;
pub mod rendezvous;
