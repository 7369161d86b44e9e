//! What a page and a worker give: time, tasks, locks, notifications, and whether a person looks.

pub mod clock;
pub mod locks;
pub mod notifications;
pub mod page;
pub mod sound;
pub mod task;
