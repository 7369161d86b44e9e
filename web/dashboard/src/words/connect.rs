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
    format!("Move up {server}")
}

/// Fills in the form for a server.
#[must_use]
pub fn sign_in(server: &str) -> String {
    format!("Enter the password of {server}")
}

/// Examines a server that is in trouble.
#[must_use]
pub fn what_is_wrong(server: &str) -> String {
    format!("What is wrong with {server}?")
}

/// Ends the connection to one of several servers.
#[must_use]
pub fn remove(server: &str) -> String {
    format!("Remove {server} from the page")
}

/// What it forgets.
pub const FORGETS: &str =
    "Its name, its password and what you chose for it. What you wrote there, and what happened, stay on this device.";

/// Whether to end the connection to a server with what is not done there.
pub const LEAVE: &str = "Leave it all the same?";

/// What is not done on a server that is to be removed: answers and messages of which it is not proven that they arrived, and
/// checks and reviews that go on. Nothing where all is.
#[must_use]
pub fn not_done(server: &str, sent: usize, loops: usize) -> Option<String> {
    let sent = match sent {
        0 => None,
        1 => Some(format!("1 answer or message to {server} has not been seen to arrive.")),
        several => Some(format!(
            "{several} answers and messages to {server} have not been seen to arrive."
        )),
    };
    let loops = match loops {
        0 => None,
        1 => Some("1 check or review goes on there.".to_owned()),
        several => Some(format!("{several} checks and reviews go on there.")),
    };
    let told: Vec<String> = sent.into_iter().chain(loops).collect();
    let stays = "That is kept on this device, and goes on once you are connected again.";
    (!told.is_empty()).then(|| format!("{} {stays}", told.join(" ")))
}

/// Forgets one of several servers.
#[must_use]
pub fn forget(server: &str) -> String {
    format!("Forget {server}")
}
