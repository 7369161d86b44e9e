//! Each finding in words: what it is, what it means, what to do.

use web_sys::Url;

use super::address::page_origin;
use super::{Finding, InvalidAddress};

/// A finding in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    /// What it is.
    pub title: String,
    /// What it means.
    pub explanation: String,
    /// What to do; empty when nothing needs to be done.
    pub next_step: String,
    /// What to type into a terminal to do it.
    pub command: Option<String>,
}

impl Finding {
    /// The finding in words. `server` is what the person calls it; `base` its address.
    #[must_use]
    pub fn words(&self, server: &str, base: &str) -> Words {
        match self {
            Finding::Fine { version } => words(
                &format!("{server} answers."),
                &format!("It runs OpenCode {version}."),
                "",
            ),
            Finding::PasswordNeeded => words(
                &format!("{server} wants a password."),
                "It was started with OPENCODE_SERVER_PASSWORD.",
                "Type its password. The user is opencode, unless it was started with another name.",
            ),
            Finding::WrongPassword => words(
                "The server refused this password.",
                &format!("{server} is there, but does not accept this user and password."),
                "Compare both with those that it was started with: OPENCODE_SERVER_USERNAME and OPENCODE_SERVER_PASSWORD.",
            ),
            Finding::Unreachable => words(
                &format!("{server} cannot be reached."),
                "Nothing answers at this address, or the browser does not let this page reach it.",
                "Is the server running? Is the address right? This starts one that lets this page in:",
            )
            .with_command(start_command(base, &cors_flag(&page_origin()))),
            Finding::CorsRefused { origin } => words(
                &format!("{server} does not let this page in."),
                &format!(
                    "Something answers, but it does not allow pages from {origin} to read it, or sends them elsewhere."
                ),
                "Start it with the address of this page:",
            )
            .with_command(start_command(base, &format!(" --cors {origin}"))),
            Finding::Redirects => words(
                &format!("{server} sends its callers to another address."),
                "Passwords and answers are not sent on to wherever that leads.",
                "Open the address in another tab of the browser, and type here the one that it ends at.",
            ),
            Finding::Silent => words(
                &format!("{server} does not answer."),
                "It took requests and answered none, or a firewall swallows them.",
                "Is the address right? Is the server busy? Start it again if it hangs.",
            ),
            Finding::Unavailable { answer } => words(
                &format!("{server} is not available."),
                &format!("What stands before it answered {answer}."),
                "Is the server behind it running?",
            ),
            Finding::TooOld { version } => words(
                &format!("{server} is too old."),
                &format!(
                    "{} does not list its questions and permissions.",
                    named(version.as_deref())
                ),
                "Switchboard needs OpenCode 1.1.11 or newer. This brings it up to date:",
            )
            .with_command("opencode upgrade".to_owned()),
            Finding::SpeaksV2 { version } => words(
                &format!("{server} runs OpenCode {version}."),
                "Switchboard speaks 1.x so far.",
                "Connect to a server of version 1.1.11 or newer, before 2.0.",
            ),
            Finding::Failing { answer } => words(
                &format!("{server} is in trouble."),
                &format!("It answered {answer}, twice."),
                "Look at what it prints, or start it again.",
            ),
            Finding::NotOpenCode { answer } => words(
                &format!("{server} is not an OpenCode server."),
                &format!("It answered {answer}."),
                "Compare the port with the one that opencode serve has printed. Behind a proxy the address may end in a path.",
            ),
            Finding::InvalidAddress(error) => invalid(*error),
            Finding::MixedContent => words(
                "The browser forbids this connection.",
                "This page came over HTTPS, and may speak with other machines over HTTPS only.",
                "Bring the server to this machine, and connect to localhost. In a terminal:",
            )
            .with_command(tunnel_command(base)),
        }
    }
}

/// The words for a server that may be starting, while it is tried again.
#[must_use]
pub fn starting(server: &str, next_try: u32, tries: u32) -> Words {
    words(
        &format!("{server} is taking long."),
        "A server that has just started does this; a firewall, too.",
        &format!("Try {next_try} of {tries}."),
    )
}

impl Words {
    fn with_command(self, command: String) -> Self {
        Self {
            command: Some(command),
            ..self
        }
    }
}

fn words(title: &str, explanation: &str, next_step: &str) -> Words {
    Words {
        title: title.to_owned(),
        explanation: explanation.to_owned(),
        next_step: next_step.to_owned(),
        command: None,
    }
}

fn invalid(error: InvalidAddress) -> Words {
    let next_step = match error {
        InvalidAddress::Credentials => {
            "Leave them out of the address, and type them into the fields for user and password."
        }
        InvalidAddress::Empty | InvalidAddress::Unreadable | InvalidAddress::OtherScheme => {
            "Type an address such as localhost:4096 or https://build-01.example.org."
        }
    };
    words(
        "This address cannot be used.",
        &format!("In short: {error}."),
        next_step,
    )
}

fn named(version: Option<&str>) -> String {
    version.map_or_else(|| "This OpenCode".to_owned(), |version| format!("OpenCode {version}"))
}

/// What a server must be told to let this page in. It lets in pages from its own machine by itself.
fn cors_flag(origin: &str) -> String {
    let is_let_in = ["http://localhost:", "http://127.0.0.1:"]
        .iter()
        .any(|own| origin.starts_with(own));
    if is_let_in {
        String::new()
    } else {
        format!(" --cors {origin}")
    }
}

/// Behind a proxy the port is its own affair. A server that other machines reach needs a password.
fn start_command(base: &str, flags: &str) -> String {
    let (_, port) = host_and_port(base);
    let (secret, hostname) = if super::is_loopback(base) {
        ("", "")
    } else {
        ("OPENCODE_SERVER_PASSWORD=… ", " --hostname 0.0.0.0")
    };
    if base.starts_with("https:") {
        format!("opencode serve{flags}")
    } else {
        format!("{secret}opencode serve{hostname} --port {port}{flags}")
    }
}

fn tunnel_command(base: &str) -> String {
    let (host, port) = host_and_port(base);
    format!("ssh -N -L {port}:127.0.0.1:{port} {host}")
}

/// An address without a port means that of HTTP.
fn host_and_port(base: &str) -> (String, String) {
    let Ok(url) = Url::new(base) else {
        return Default::default();
    };
    let port = Some(url.port()).filter(|port| !port.is_empty());
    (url.hostname(), port.unwrap_or_else(|| "80".to_owned()))
}
