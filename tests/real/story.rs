//! Plays a story with a subject, and looks at it all the time.

use std::sync::Arc;
use std::time::Duration;

use switchboard_core::Time;
use switchboard_core::model::{
    Directory, MessageId, PartId, Prompt, Refusal, Reply, Request, Role, Session, SessionId,
};
use switchboard_core::ports::{Fetched, Post, Posted, Read, ReadError};
use switchboard_tests::opencode::script::Script;

use crate::observer::{History, Seen, look};
use crate::shape::shape_of;
use crate::subject::Subject;

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(8);
/// How long it looks before it gives up.
const PATIENCE: Duration = Duration::from_secs(40);
/// How long it looks on after the story, to see what comes late.
const AFTERMATH: Duration = Duration::from_millis(1_200);

/// A story under way.
pub(crate) struct Story<'a> {
    subject: &'a mut dyn Subject,
    sessions: Vec<SessionId>,
    history: History,
    prompts: u32,
    name: &'static str,
    overlooks_words: bool,
}

impl<'a> Story<'a> {
    pub(crate) fn new(name: &'static str, subject: &'a mut dyn Subject) -> Self {
        Self {
            subject,
            sessions: Vec::new(),
            history: History::default(),
            prompts: 0,
            name,
            overlooks_words: false,
        }
    }

    /// Makes a session and prompts it with a script.
    pub(crate) fn begin(&mut self, script: &Script) -> SessionId {
        let session = self.create();
        self.prompt(&session, &script.to_prompt());
        session
    }

    /// Makes a session.
    pub(crate) fn create(&mut self) -> SessionId {
        let directory = self.subject.directory();
        self.create_in(&directory, Some(self.name)).id
    }

    /// Makes a session in a directory of one's own choice.
    pub(crate) fn create_in(&mut self, directory: &Directory, title: Option<&str>) -> Session {
        let (directory, title) = (directory.clone(), title.map(str::to_owned));
        let Posted::Created(session) = self.subject.post(&Post::Create { directory, title }) else {
            panic!("{}: no session was made", self.name)
        };
        self.sessions.push(session.id.clone());
        *session
    }

    /// Prompts a session.
    pub(crate) fn prompt(&mut self, session: &SessionId, text: &str) -> Prompt {
        let prompt = self.compose(text);
        let posted = self.send(session, &prompt);
        assert_eq!(posted, Posted::Accepted, "{}: the prompt", self.name);
        prompt
    }

    /// A prompt with ids of its own.
    pub(crate) fn compose(&mut self, text: &str) -> Prompt {
        let now = self.subject.now();
        self.compose_at(now, text)
    }

    /// The same, with ids of another time.
    pub(crate) fn compose_at(&mut self, time: Time, text: &str) -> Prompt {
        self.prompts += 1;
        let letters = self.name.chars().filter(char::is_ascii_alphanumeric);
        let tail: String = letters.chain("00000000000000".chars()).take(14).collect();
        let stamp = time.0 * 0x1000 + u64::from(self.prompts);
        let stamp = format!("{:012x}{tail}", stamp % (1 << 48));
        Prompt {
            message: MessageId::new(format!("msg_{stamp}")),
            part: PartId::new(format!("prt_{stamp}")),
            text: text.to_owned(),
            agent: None,
            model: None,
        }
    }

    /// Makes a session and lets another process on the same data run it.
    pub(crate) fn begin_beside(&mut self, script: &Script) -> SessionId {
        let session = self.create();
        let prompt = Arc::new(self.compose(&script.to_prompt()));
        let post = Post::Prompt {
            session: session.clone(),
            directory: self.subject.directory(),
            prompt,
        };
        assert_eq!(
            self.subject.post_beside(&post),
            Posted::Accepted,
            "{}: the prompt",
            self.name
        );
        session
    }

    /// The questions that the other process lists.
    pub(crate) fn questions_beside(&mut self) -> Vec<Request> {
        let directory = self.subject.directory();
        match self.subject.read_beside(&Read::Questions(directory)) {
            Ok(Fetched::Requests(requests)) => requests,
            other => panic!("{}: {other:?}", self.name),
        }
    }

    /// Replies there, and returns what it says.
    pub(crate) fn reply_beside(&mut self, request: &Request, reply: Reply) -> Posted {
        let (request, directory) = (request.id.clone(), request.directory.clone());
        self.subject.post_beside(&Post::Reply {
            request,
            directory,
            reply,
        })
    }

    /// Stops a session there.
    pub(crate) fn abort_beside(&mut self, session: &SessionId) {
        let (session, directory) = (session.clone(), self.subject.directory());
        let posted = self.subject.post_beside(&Post::Abort { session, directory });
        assert_eq!(posted, Posted::Accepted, "{}: the stop", self.name);
    }

    /// Kills the other process.
    pub(crate) fn kill_beside(&mut self) {
        self.subject.kill_beside();
    }

    /// Sends a prompt, and returns what the server says.
    pub(crate) fn send(&mut self, session: &SessionId, prompt: &Prompt) -> Posted {
        let directory = self.subject.directory();
        self.subject.post(&Post::Prompt {
            session: session.clone(),
            directory,
            prompt: Arc::new(prompt.clone()),
        })
    }

    /// Leaves out what the messages look like at the end: in this story they end now so, now otherwise.
    pub(crate) fn overlook_words(&mut self) {
        self.overlooks_words = true;
    }

    /// Waits until so many requests are listed, and returns them.
    pub(crate) fn until_listed(&mut self, count: usize) -> Vec<Request> {
        self.until(&format!("{count} requests"), |seen| seen.requests.len() == count)
            .requests
    }

    /// Waits until no session of the story works.
    pub(crate) fn until_idle(&mut self) {
        self.until("the end", |seen| {
            seen.sessions.iter().all(|session| {
                let last = session.messages.last();
                let is_over = last.is_some_and(|last| last.role == Role::User || last.completed.is_some());
                !session.is_running() && (session.is_gone || is_over && session.messages.len() > 1)
            })
        });
    }

    /// Waits until it is so.
    pub(crate) fn until(&mut self, what: &str, is_so: impl Fn(&Seen) -> bool) -> Seen {
        let deadline = self.subject.now() + PATIENCE;
        let mut last = None;
        while self.subject.now() < deadline {
            match self.look() {
                Some(seen) if is_so(&seen) => return seen,
                seen => last = seen.or(last),
            }
        }
        panic!(
            "{}: {what} did not come; so far:\n{}at last: {last:#?}",
            self.name,
            self.history.text()
        )
    }

    /// Waits until it is so, where a look at everything may fail.
    pub(crate) fn until_so(&mut self, what: &str, is_so: impl Fn(&mut Self) -> bool) {
        let deadline = self.subject.now() + PATIENCE;
        while !is_so(self) {
            assert!(self.subject.now() < deadline, "{}: {what} did not come", self.name);
            self.subject.pause(PAUSE);
        }
    }

    /// Replies. The server must say yes.
    pub(crate) fn reply(&mut self, request: &Request, reply: Reply) {
        let posted = self.try_reply(request, reply);
        assert_eq!(posted, Posted::Accepted, "{}: the reply to {}", self.name, request.id);
    }

    /// Replies, and returns what the server says.
    pub(crate) fn try_reply(&mut self, request: &Request, reply: Reply) -> Posted {
        let (request, directory) = (request.id.clone(), request.directory.clone());
        self.subject.post(&Post::Reply {
            request,
            directory,
            reply,
        })
    }

    /// Stops a session.
    pub(crate) fn abort(&mut self, session: &SessionId) {
        let directory = self.subject.directory();
        let posted = self.subject.post(&Post::Abort {
            session: session.clone(),
            directory,
        });
        assert_eq!(posted, Posted::Accepted, "{}: the stop", self.name);
    }

    /// Runs a command in a session, and returns what the server says when it has ended.
    pub(crate) fn shell(&mut self, session: &SessionId, command: &str) -> Posted {
        let directory = self.subject.directory();
        self.subject.post(&Post::Shell {
            session: session.clone(),
            directory,
            agent: "build".to_owned(),
            command: command.to_owned(),
        })
    }

    /// Begins a command in a session.
    pub(crate) fn begin_shell(&mut self, session: &SessionId, command: &str) {
        let directory = self.subject.directory();
        self.subject.begin_post(&Post::Shell {
            session: session.clone(),
            directory,
            agent: "build".to_owned(),
            command: command.to_owned(),
        });
    }

    /// Stores a prompt with a format, which no model answers.
    pub(crate) fn prompt_with_format(&mut self, session: &SessionId) -> MessageId {
        let prompt = self.compose("As JSON, please.");
        self.subject.prompt_with_format(session, &prompt);
        prompt.message
    }

    /// Imports a session from the future.
    pub(crate) fn import(&mut self, ahead: Duration) -> Session {
        let session = self.subject.import(ahead);
        self.sessions.push(session.clone());
        let directory = self.subject.directory();
        match self.subject.read(&Read::Session { session, directory }) {
            Ok(Fetched::Session(session)) => *session,
            other => panic!("{}: {other:?}", self.name),
        }
    }

    /// Archives a session.
    pub(crate) fn archive(&mut self, session: &SessionId) {
        self.subject.archive(session);
    }

    /// Deletes a session.
    pub(crate) fn delete(&mut self, session: &SessionId) {
        self.subject.delete(session);
    }

    /// Ends the instance of the directory.
    pub(crate) fn dispose(&mut self) {
        self.subject.dispose();
    }

    /// The directory in which sessions are made.
    pub(crate) fn directory(&self) -> Directory {
        self.subject.directory()
    }

    /// The time of the server.
    pub(crate) fn now(&self) -> Time {
        self.subject.now()
    }

    /// Reads.
    pub(crate) fn read(&mut self, read: &Read) -> Result<Fetched, ReadError> {
        self.subject.read(read)
    }

    /// Sends, and returns what the server says.
    pub(crate) fn post(&mut self, post: &Post) -> Posted {
        self.subject.post(post)
    }

    /// Records what both servers must say alike.
    pub(crate) fn tell(&mut self, thing: &str, state: impl Into<String>) {
        self.history.tell(thing, state.into());
    }

    /// Kills the server and starts it again.
    pub(crate) fn restart(&mut self) {
        self.subject.restart();
    }

    /// Looks on for a while, and returns what was seen, as text.
    pub(crate) fn end(mut self) -> String {
        let deadline = self.subject.now() + AFTERMATH;
        let mut last = None;
        while self.subject.now() < deadline {
            last = self.look().or(last);
        }
        let sessions = last.into_iter().flat_map(|seen| seen.sessions);
        for (session, seen) in sessions.enumerate().filter(|_| !self.overlooks_words) {
            for (place, message) in shape_of(&seen.messages).into_iter().enumerate() {
                let thing = format!("session {}, message {}", session + 1, place + 1);
                self.history.tell(&thing, message);
            }
        }
        self.history.text()
    }

    fn look(&mut self) -> Option<Seen> {
        let seen = look(self.subject, &self.sessions);
        if let Some(seen) = &seen {
            self.history.record(seen);
        }
        self.subject.pause(PAUSE);
        seen
    }
}

/// What came of a send, without the server's words.
pub(crate) fn outcome_of(posted: &Posted) -> String {
    match posted {
        Posted::Accepted => "accepted".to_owned(),
        Posted::Created(_) => "created".to_owned(),
        Posted::Refused(Refusal { status, .. }) => format!("refused with {status}"),
        Posted::NotFound(_) => "not found".to_owned(),
        Posted::Unauthorized => "unauthorized".to_owned(),
        Posted::InDoubt(_) => "in doubt".to_owned(),
    }
}

/// What came of a read, without the server's words.
pub(crate) fn result_of(fetched: &Result<Fetched, ReadError>) -> String {
    match fetched {
        Ok(_) => "read".to_owned(),
        Err(ReadError::NotFound(_)) => "not found".to_owned(),
        Err(ReadError::Refused { status, .. } | ReadError::Server { status, .. }) => format!("refused with {status}"),
        Err(error) => error.to_string(),
    }
}
