//! What a page and a worker give: time, tasks, locks, and whether a person looks.

pub mod clock;
pub mod locks;
pub mod page;
pub mod task;
