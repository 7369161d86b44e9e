//! `cargo xtask start`: builds the dashboard, serves it and opens it, until Ctrl-C.

use std::env;
use std::io::{self, BufRead, BufReader, ErrorKind};
use std::net::{Ipv4Addr, TcpListener};
use std::process::{ChildStdout, Command, Stdio};
use std::thread;

use crate::dashboard;
use crate::problem::{Problem, Result};
use crate::process::{self, Group};
use crate::tools;

/// The port of the dashboard. It is an unusual one: all programs that are served on a port of this machine, one after the
/// other, share what the browser keeps for it, passwords included.
pub(crate) const PORT: u16 = 7923;

/// What `start` was asked for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct StartOptions {
    pub(crate) server: Option<String>,
    pub(crate) port: u16,
    pub(crate) browser: bool,
}

impl Default for StartOptions {
    fn default() -> Self {
        Self {
            server: None,
            port: PORT,
            browser: true,
        }
    }
}

pub(crate) fn run(options: &StartOptions) -> Result<()> {
    // First, because the rest can take minutes.
    check_port(options.port)?;
    tools::prepare_for_building()?;
    dashboard::build()?;
    serve(options)
}

fn check_port(port: u16) -> Result<()> {
    match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AddrInUse => Err(Problem::new(format!(
            "Port {port} is in use: stop the program that uses it, or choose another one, such as \
             `cargo xtask start --port {}`.",
            port.checked_add(1).unwrap_or(PORT)
        ))),
        Err(error) => Err(Problem::new(format!(
            "Port {port} cannot be opened ({error}): choose another one, such as `cargo xtask start --port {PORT}`."
        ))),
    }
}

fn serve(options: &StartOptions) -> Result<()> {
    let mut command = tools::command("node");
    command
        .args([
            "www/npm/serve/main.mjs",
            "--dist",
            "dist",
            "--port",
            &options.port.to_string(),
        ])
        .stdout(Stdio::piped());
    if let Some(server) = &options.server {
        command.args(["--server", server]);
    }
    println!("Serving the dashboard; Ctrl-C ends everything that was started for it.");
    let mut server = Group::spawn(&mut command)?;
    let browser = if options.browser { browser() } else { None };
    if let Some(output) = server.take_output() {
        thread::spawn(move || show(output, browser));
    }
    match server.wait() {
        true => Ok(()),
        false => Err(Problem::new("The dashboard is not served; the lines above say why.")),
    }
}

/// Passes on what the server prints, and opens the first address in it.
fn show(output: ChildStdout, mut browser: Option<Command>) {
    for line in BufReader::new(output).lines().map_while(io::Result::ok) {
        println!("{line}");
        let Some(address) = address_in(&line) else { continue };
        if let Some(mut browser) = browser.take() {
            // The address is there to be clicked: a browser that cannot be opened is no failure.
            drop(process::printed_by(browser.arg(address)));
        }
    }
}

fn address_in(line: &str) -> Option<&str> {
    line.split_whitespace().find(|word| word.starts_with("http://"))
}

/// The program that opens an address in the browser of the person, when there can be one.
fn browser() -> Option<Command> {
    let has_display = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    match env::consts::OS {
        "macos" => Some(Command::new("open")),
        _ if has_display("DISPLAY") || has_display("WAYLAND_DISPLAY") => Some(Command::new("xdg-open")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_in_use_is_named_with_another_one_to_try() {
        let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = taken.local_addr().unwrap().port();
        let problem = check_port(port).unwrap_err().to_string();
        assert!(problem.starts_with(&format!("Port {port} is in use: stop the program that uses it")));
    }

    #[test]
    fn the_address_is_found_in_the_line_that_announces_it() {
        assert_eq!(
            address_in("http://127.0.0.1:7923/?server=http://127.0.0.1:4096  (the server you named)"),
            Some("http://127.0.0.1:7923/?server=http://127.0.0.1:4096")
        );
        assert_eq!(address_in("OpenCode starts"), None);
    }
}
