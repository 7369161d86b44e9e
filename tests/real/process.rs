//! A real OpenCode with the scripted model, in a process of its own (`www/npm/serve/real-server.mjs`).

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Deserialize;
use serde_json::{Value, json};
use switchboard_core::Time;
use switchboard_core::model::{Directory, Prompt, SessionId};
use switchboard_core::ports::{Fetched, Post, Posted, Read, ReadError};
use switchboard_wire::{outgoing, path_of};

use crate::http::Http;
use crate::subject::Subject;

/// The process; it ends with its standard input, and so with this value.
pub(crate) struct Real {
    process: Child,
    line: Mutex<Option<Line>>,
    place: Place,
    http: Http,
    /// Another process on the same data.
    beside: Mutex<Option<Http>>,
}

/// The way to the process: a command is a line of text, and so is what came of it.
struct Line {
    commands: ChildStdin,
    replies: BufReader<ChildStdout>,
}

/// Where it is, and who may use it.
#[derive(Deserialize)]
pub(crate) struct Place {
    pub(crate) url: String,
    pub(crate) username: String,
    pub(crate) password: String,
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
        let mut line = Line {
            commands: process.stdin.take().expect("its input is piped"),
            replies: BufReader::new(process.stdout.take().expect("its output is piped")),
        };
        let place: Place = serde_json::from_str(&line.next()).expect("it says where it is");
        let http = Http::new(&place.url, &place.username, &place.password);
        Self {
            process,
            line: Mutex::new(Some(line)),
            place,
            http,
            beside: Mutex::new(None),
        }
    }

    /// Where it is.
    pub(crate) fn place(&self) -> &Place {
        &self.place
    }

    /// The way to it.
    pub(crate) fn http(&self) -> &Http {
        &self.http
    }

    /// The way to another process on the same data.
    fn beside(&self) -> Http {
        let mut beside = self.beside.lock().unwrap_or_else(PoisonError::into_inner);
        let place = |real: &Self| -> Place { serde_json::from_str(&real.obey("beside")).expect("it says where it is") };
        beside
            .get_or_insert_with(|| {
                let Place {
                    url,
                    username,
                    password,
                    ..
                } = place(self);
                Http::new(&url, &username, &password)
            })
            .clone()
    }

    fn obey(&self, command: &str) -> String {
        let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        let line = line.as_mut().expect("it listens until it is dropped");
        writeln!(line.commands, "{command}").expect("it listens until it is dropped");
        let reply = line.next();
        assert!(reply.contains("done"), "{command}: {reply}");
        reply
    }
}

impl Line {
    fn next(&mut self) -> String {
        let mut line = String::new();
        self.replies.read_line(&mut line).expect("it writes lines of text");
        assert!(!line.is_empty(), "the real server ended; what it wrote is above");
        line
    }
}

impl Subject for &Real {
    fn directory(&self) -> Directory {
        self.place.directory.as_str().into()
    }

    fn read(&mut self, read: &Read) -> Result<Fetched, ReadError> {
        self.http.read(read)
    }

    fn post(&mut self, post: &Post) -> Posted {
        self.http.post(post)
    }

    fn begin_post(&mut self, post: &Post) {
        let (http, post) = (self.http.clone(), post.clone());
        std::thread::spawn(move || http.post(&post));
    }

    fn prompt_with_format(&mut self, session: &SessionId, prompt: &Prompt) {
        let sent = outgoing(&Post::Prompt {
            session: session.clone(),
            directory: self.place.directory.as_str().into(),
            prompt: Arc::new(prompt.clone()),
        });
        let body = sent.body.expect("a prompt has a body");
        let mut body: Value = serde_json::from_str(&body).expect("it is JSON");
        body["noReply"] = json!(true);
        body["format"] = json!({ "type": "json_schema", "schema": { "type": "object" } });
        let headers = [("content-type", "application/json")];
        let answer = self.http.send("POST", &sent.path, &headers, &body.to_string());
        assert_eq!(answer.status, 204, "the prompt with a format");
    }

    fn import(&mut self, ahead: Duration) -> SessionId {
        let directory = Subject::directory(self);
        let post = Post::Create {
            directory: directory.clone(),
            title: Some("to be exported".to_owned()),
        };
        let Posted::Created(session) = self.post(&post) else {
            panic!("no session was made to be exported")
        };
        let path = path_of(&Read::Session {
            session: session.id.clone(),
            directory,
        });
        let exported = self.http.send("GET", &path, &[], "").read().body;
        self.delete(&session.id);
        let stamp = (Subject::now(self) + ahead).0;
        let mut info: Value = serde_json::from_str(&exported).expect("a session is JSON");
        info["time"] = json!({ "created": stamp, "updated": stamp });
        let name = format!("switchboard-{}-{stamp}.json", std::process::id());
        let file = std::env::temp_dir().join(name);
        let text = json!({ "info": info, "messages": [] }).to_string();
        std::fs::write(&file, text).expect("there is room for a session");
        self.obey(&format!("import {}", file.display()));
        std::fs::remove_file(&file).expect("it was just written");
        session.id
    }

    fn archive(&mut self, session: &SessionId) {
        let (session, directory) = (session.clone(), self.place.directory.as_str().into());
        let path = path_of(&Read::Session { session, directory });
        let body = json!({ "time": { "archived": Subject::now(self).0 } }).to_string();
        let headers = [("content-type", "application/json")];
        let answer = self.http.send("PATCH", &path, &headers, &body);
        assert_eq!(answer.status, 200, "the archive");
    }

    fn delete(&mut self, session: &SessionId) {
        let (session, directory) = (session.clone(), self.place.directory.as_str().into());
        let path = path_of(&Read::Session { session, directory });
        self.http.expect_true("DELETE", &path);
    }

    fn dispose(&mut self) {
        let list = path_of(&Read::Questions(self.place.directory.as_str().into()));
        self.http
            .expect_true("POST", &list.replace("/question", "/instance/dispose"));
    }

    fn restart(&mut self) {
        self.obey("restart");
    }

    fn read_beside(&mut self, read: &Read) -> Result<Fetched, ReadError> {
        self.beside().read(read)
    }

    fn post_beside(&mut self, post: &Post) -> Posted {
        self.beside().post(post)
    }

    fn kill_beside(&mut self) {
        self.obey("kill beside");
        *self.beside.lock().unwrap_or_else(PoisonError::into_inner) = None;
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
        *self.line.get_mut().unwrap_or_else(PoisonError::into_inner) = None;
        // It ends itself when its input ends; how is of no interest here.
        let _ = self.process.wait();
    }
}
