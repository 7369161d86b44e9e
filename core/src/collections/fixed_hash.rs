//! Hashing that is the same on every run: `core` draws no random numbers.
//!
//! For sets and maps whose order nobody sees. Keys that an enemy chooses could be made to collide; a server that wants
//! its own dashboard slow has easier ways.

use std::collections::hash_map::DefaultHasher;
use std::hash::BuildHasherDefault;

/// The hasher of every `HashMap` and `HashSet` here.
pub(crate) type FixedHash = BuildHasherDefault<DefaultHasher>;
