//! When something is read: the pace, what is being read, how the server can be reached, and what a sweep has named.

pub(crate) mod cadence;
pub(crate) mod link;
pub(crate) mod looks;
pub(crate) mod peeks;
pub(crate) mod reader;
pub(crate) mod scope;
pub(crate) mod sweep;
pub(crate) mod trust;
