//! Why nothing is kept on this device, and what to do about it.

use switchboard_core::ports::StoreError;

/// The storage is another version's from now on.
pub const LOST_TO_NEWER: &str =
    "A newer version of Switchboard is open in another tab. This tab can no longer keep answers on this device.";

/// The storage is empty.
pub const LOST_AS_CLEARED: &str = "The data of this page was cleared in this browser. Drafts and answers that were \
     kept on this device are gone; what this tab shows is still sent.";

/// Beside a draft that is kept.
pub const DRAFT_SAVED: &str = "Draft saved";

/// Beside a draft that is not.
pub const DRAFT_NOT_SAVED: &str = "Draft not saved on this device";

/// The reason as a sentence, with what to do about it.
#[must_use]
pub fn sentence(error: &StoreError) -> String {
    match error {
        StoreError::Full => "No space is left for this page.",
        StoreError::Cleared => "What was kept here has been cleared.",
        StoreError::Forbidden => "The browser does not let this page keep anything.",
        StoreError::NewerVersion => "A newer version of this page is open. Reload the page.",
        StoreError::OlderVersion => "Another tab has an older version of this page. Close or reload it.",
        StoreError::TimedOut => "The storage of the browser does not answer.",
        StoreError::Failed(_) | _ => return format!("The storage failed: {error}."),
    }
    .to_owned()
}
