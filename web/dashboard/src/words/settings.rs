//! What is said in the settings.

use crate::kit::age::count;

/// Where they are kept.
pub const KEPT_HERE: &str = "kept on this device";

/// Of how many requests the figures are.
#[must_use]
pub fn figures_of(requests: usize) -> String {
    format!("{} of this server in the last 30 days", count(requests, "request"))
}
