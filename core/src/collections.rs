//! Collections that suit small numbers of things, and views that share what has not changed.

mod fixed_hash;
mod list;
mod sort;
mod sorted;

pub(crate) use fixed_hash::FixedHash;
pub use list::List;
pub use sort::sort_by_key;
pub use sorted::{SortedMap, SortedSet};
