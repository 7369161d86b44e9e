//! A real OpenCode with the scripted model, in a process of its own (`www/npm/serve/real-server.mjs`).

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Deserialize;
use switchboard_core::model::Directory;
use switchboard_core::runtime::{Fetched, Post, Posted, Read, ReadError};
use switchboard_core::time::Time;

use crate::http::Http;
use crate::subject::Subject;

/// The process; it ends with its standard input, and so with this value.
pub(crate) struct Real {
    process: Child,
    commands: Option<ChildStdin>,
    replies: BufReader<ChildStdout>,
    directory: Directory,
    http: Http,
}

#[derive(Deserialize)]
struct Place {
    url: String,
    username: String,
    password: String,
    directory: String,
}

impl Real {
    /// Starts it, and returns when it answers.
    pub(crate) fn start() -> Self {
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../www/npm/serve/real-server.mjs");
        let mut process = Command::new("node")
            .arg(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("Node.js runs the real server; install it and the packages of www/npm");
        let commands = process.stdin.take();
        let mut replies = BufReader::new(process.stdout.take().expect("its output is piped"));
        let place: Place = serde_json::from_str(&line(&mut replies)).expect("it says where it is");
        let http = Http::new(&place.url, &place.username, &place.password);
        Self {
            process,
            commands,
            replies,
            directory: Directory::new(place.directory),
            http,
        }
    }

    fn obey(&mut self, command: &str) {
        let commands = self.commands.as_mut().expect("it listens until it is dropped");
        writeln!(commands, "{command}").expect("it listens until it is dropped");
        let reply = line(&mut self.replies);
        assert!(reply.contains("done"), "{command}: {reply}");
    }
}

fn line(from: &mut BufReader<ChildStdout>) -> String {
    let mut line = String::new();
    from.read_line(&mut line).expect("it writes lines of text");
    assert!(!line.is_empty(), "the real server ended; what it wrote is above");
    line
}

impl Subject for Real {
    fn directory(&self) -> Directory {
        self.directory.clone()
    }

    fn read(&mut self, read: &Read) -> Result<Fetched, ReadError> {
        self.http.read(read)
    }

    fn post(&mut self, post: &Post) -> Posted {
        self.http.post(post)
    }

    fn restart(&mut self) {
        self.obey("restart");
    }

    fn now(&self) -> Time {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Time(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }

    fn pause(&mut self, span: Duration) {
        std::thread::sleep(span);
    }
}

impl Drop for Real {
    fn drop(&mut self) {
        self.commands = None;
        // It ends itself when its input ends; how is of no interest here.
        let _ = self.process.wait();
    }
}
