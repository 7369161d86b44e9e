//! The names of controls that take more than a few words. Shorter ones stand where the control is.

/// Leads from a request or a session to the list of requests.
pub const BACK_TO_INBOX: &str = "Back to the inbox";

/// The first link of the page, for those who use keys.
pub const SKIP: &str = "Skip to the first waiting request";

/// The field of the palette.
pub const SEARCH: &str = "Search sessions and commands";

/// What may be typed there first.
pub const ONLY_COMMANDS: &str = "> for commands only";

/// Shows and hides the panel of a session.
pub const SESSION_PANEL: &str = "Plan, files and cost";

/// Changes the colours.
pub const CHANGE_THEME: &str = "Change between light and dark";
