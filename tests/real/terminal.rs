//! The example of a terminal client, as the process that a person starts.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use serde_json::{Value, json};
use switchboard_core::model::Directory;
use switchboard_core::ports::{Fetched, Read};
use switchboard_tests::scripts::asks;

use crate::answers::server;
use crate::process::Real;
use crate::story::Story;

/// How long it waits for a line.
const PATIENCE: Duration = Duration::from_secs(40);

/// The client, and the lines that it has not shown yet.
struct Terminal {
    process: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Terminal {
    fn start(real: &Real, store: &Path, directory: &Directory) -> Self {
        let place = real.place();
        let mut process = Command::new(env!("CARGO_BIN_EXE_terminal-client"))
            .arg(&place.url)
            .arg(store)
            .arg(directory.as_str())
            .env("OPENCODE_SERVER_USERNAME", &place.username)
            .env("OPENCODE_SERVER_PASSWORD", &place.password)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("Cargo has built the client");
        let output = process.stdout.take().expect("its output is piped");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let lines = BufReader::new(output).lines().map_while(Result::ok);
            lines.map(|line| sender.send(line)).find(Result::is_err)
        });
        Self {
            input: process.stdin.take(),
            process,
            lines,
        }
    }

    /// Reads until a line contains this.
    fn until(&self, text: &str) {
        let mut shown = Vec::new();
        while let Ok(line) = self.lines.recv_timeout(PATIENCE) {
            let is_found = line.contains(text);
            shown.push(line);
            if is_found {
                return;
            }
        }
        panic!("{text:?} was not shown; shown: {shown:#?}")
    }

    fn enter(&mut self, line: &str) {
        let input = self.input.as_mut().expect("its input is open");
        writeln!(input, "{line}").expect("it reads lines");
    }

    /// Closes its input, and waits for it to end by itself.
    fn end(mut self) {
        self.input = None;
        self.until("The agent has the answer.");
        let next = self.lines.recv_timeout(PATIENCE);
        assert_eq!(next, Err(RecvTimeoutError::Disconnected), "it says no more, and ends");
        let status = self.process.wait().expect("it is a child of this process");
        assert!(status.success(), "{status}");
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // One that has ended cannot be killed.
        let _ = self.process.kill();
    }
}

/// An empty folder for this test alone.
fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("terminal");
    // There is none on the first run.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir(&folder).expect("the folder of this build can be written to");
    folder
}

/// R3, R13
#[test]
fn a_terminal_client_answers_the_question_of_a_real_agent() {
    let real = server();
    let mut subject = &*real;
    let mut story = Story::new("terminal", &mut subject);
    let folder = folder();
    let directory = Directory::new(folder.to_string_lossy().into_owned());
    let session = story.create_in(&directory, Some("Paint the shed")).id;
    story.prompt(&session, &asks("Which colour?").to_prompt());

    let store = folder.join("answers.json");
    let mut terminal = Terminal::start(&real, &store, &directory);
    terminal.until("Paint the shed: Which colour?");
    terminal.until("2 Blue: cool");
    terminal.enter("2");
    terminal.end();

    let read = Read::Messages {
        session,
        directory,
        limit: 10,
        before: None,
    };
    let Ok(Fetched::Page(page)) = story.read(&read) else {
        panic!("the messages cannot be read")
    };
    let answers = page.messages.iter().flat_map(|message| message.tools());
    let answers: Vec<_> = answers.filter_map(|(_, tool)| tool.answers.clone()).collect();
    assert_eq!(answers, [vec![vec!["Blue".to_owned()]]]);
    let kept = fs::read_to_string(store).expect("the client has a store");
    let kept: Value = serde_json::from_str(&kept).expect("it is JSON");
    assert_eq!(kept["entries"], json!([]), "nothing is left to be sent");
    assert_eq!(kept["figures"].as_array().map(Vec::len), Some(1));
}
