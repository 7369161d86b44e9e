//! What is said in the settings.

/// Where they are kept.
pub const KEPT_HERE: &str = "kept on this device";
