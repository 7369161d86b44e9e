//! What is said where a server is chosen.

use crate::words::server_name::short_name;

/// What this is.
pub const TITLE: &str = "The answer desk for your OpenCode agents";

/// What it does.
pub const LEAD: &str = "Every question and permission of every session, in one place, answered with one key. An \
     answer you give arrives, or you are told why it did not.";

/// The name of the field.
pub const ADDRESS: &str = "Address of an OpenCode server";

/// Whether the password is kept.
pub const KEEP: &str = "Keep on this device";

/// Before the server that this page introduces.
pub const NO_SERVER: &str = "No server yet?";

/// The server of this page has not said yet which one it introduces.
pub const STARTING: &str = "The server that comes with this page is starting. It is connected as soon as it is ready.";

/// Over the command.
pub const HOW_TO_START: &str = "To start a server that lets this page in";

/// Where what is typed goes.
pub const GOES_NOWHERE_ELSE: &str = "This page talks to your servers directly, with nothing in between. Addresses, \
     drafts and answers are kept on this device.";

/// Over the prompts of the demo.
pub const TRY_DEMO: &str = "Try it: a scripted agent, no API key";

/// Over the form, while a server is connected.
pub const SIGN_IN: &str = "Sign in again, or add another server";

/// Nothing is remembered of the connected server from now on.
pub const FORGOTTEN: &str = "Forgotten on this device. This page stays connected until it is closed.";

/// In place of its version.
pub const NO_VERSION: &str = "not known yet";

/// Connects to the server that this page introduces.
#[must_use]
pub fn introduced(base: &str, is_demo: bool) -> String {
    if is_demo {
        "Try the demo".to_owned()
    } else {
        format!("Connect to {}", short_name(base))
    }
}

/// Shows a server before the one that it follows.
#[must_use]
pub fn move_up(server: &str) -> String {
    format!("Move {server} up")
}

/// Ends the connection to one of several servers.
#[must_use]
pub fn remove(server: &str) -> String {
    format!("Remove {server} from the page")
}

/// Forgets one of several servers.
#[must_use]
pub fn forget(server: &str) -> String {
    format!("Forget {server}")
}
