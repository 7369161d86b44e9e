//! Collections that suit small numbers of things, and views that share what has not changed.

mod fixed_hash;
mod list;
mod sorted;

pub(crate) use fixed_hash::FixedHash;
pub use list::List;
pub use sorted::{SortedMap, SortedSet};
