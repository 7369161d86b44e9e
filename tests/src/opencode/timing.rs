//! How long a real OpenCode takes for things: docs/opencode.md, measured on 1.18.33.

use std::time::Duration;

/// From a prompt's 204 to its message in the list, when the instance is warm (trap 1).
pub(super) const STORE: Duration = Duration::from_millis(10);
/// The same for the first prompt after a start (trap 9).
pub(super) const STORE_COLD: Duration = Duration::from_millis(3_900);
/// From a stored prompt to `busy` (trap 9).
pub(super) const BUSY: Duration = Duration::from_millis(30);
/// The same for the first prompt after a start (trap 9: 5.3 s after the 204).
pub(super) const BUSY_COLD: Duration = Duration::from_millis(1_400);
/// From the beginning of a step to the model's first word.
pub(super) const MODEL: Duration = Duration::from_millis(150);
/// From a tool part's appearance to its arguments being complete.
pub(super) const ARGUMENTS: Duration = Duration::from_millis(10);
/// From the reply that was taken to the tool part that shows it (trap 2).
pub(super) const REPLY: Duration = Duration::from_millis(15);
/// A tool that does something.
pub(super) const TOOL: Duration = Duration::from_millis(40);
/// From `finish` to `time.completed` (section 3).
pub(super) const COMPLETED: Duration = Duration::from_millis(100);
/// From `time.completed` of the last message to idle (section 3).
pub(super) const IDLE: Duration = Duration::from_millis(20);
/// From idle to the final message, after an abort or an error (trap 8).
pub(super) const FINAL_AFTER_IDLE: Duration = Duration::from_millis(250);
/// From `time.completed` of a reply until what it has changed is noted (section 4).
pub(super) const NOTED: Duration = Duration::from_millis(90);
/// From a disposed instance to the error in its tool parts (section 1).
pub(super) const DISPOSED: Duration = Duration::from_secs(1);
/// How long a starting server takes connections without ever answering (trap 12).
pub(super) const START: Duration = Duration::from_millis(1_200);
/// From one try of the provider to the next (section 3): the first, then twice as long each time.
pub(super) const RETRY: Duration = Duration::from_secs(2);
/// How long a killed server stays down.
pub(crate) const DOWN: Duration = Duration::from_secs(2);
