//! Plays a story with a subject, and looks at it all the time.

use std::sync::Arc;
use std::time::Duration;

use switchboard_core::model::{MessageId, PartId, Reply, Request, SessionId};
use switchboard_core::runtime::{Post, Posted, Prompt};
use switchboard_tests::opencode::script::Script;

use crate::observer::{History, Seen, look};
use crate::shape::shape_of;
use crate::subject::Subject;

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(8);
/// How long it looks before it gives up.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long it looks on after the story, to see what comes late.
const AFTERMATH: Duration = Duration::from_millis(1_200);

/// A story under way.
pub(crate) struct Story<'a> {
    subject: &'a mut dyn Subject,
    sessions: Vec<SessionId>,
    history: History,
    prompts: u32,
    name: &'static str,
}

impl<'a> Story<'a> {
    pub(crate) fn new(name: &'static str, subject: &'a mut dyn Subject) -> Self {
        Self {
            subject,
            sessions: Vec::new(),
            history: History::default(),
            prompts: 0,
            name,
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
        let title = Some(self.name.to_owned());
        let Posted::Created(session) = self.subject.post(&Post::Create { directory, title }) else {
            panic!("{}: no session was made", self.name)
        };
        self.sessions.push(session.id.clone());
        session.id
    }

    /// Prompts a session.
    pub(crate) fn prompt(&mut self, session: &SessionId, text: &str) {
        self.prompts += 1;
        let letters = self.name.chars().filter(char::is_ascii_alphanumeric);
        let tail: String = letters.chain("00000000000000".chars()).take(14).collect();
        let time = self.subject.now().0 * 0x1000 + u64::from(self.prompts);
        let stamp = format!("{:012x}{tail}", time % (1 << 48));
        let prompt = Prompt {
            message: MessageId::new(format!("msg_{stamp}")),
            part: PartId::new(format!("prt_{stamp}")),
            text: text.to_owned(),
            agent: None,
            model: None,
        };
        let directory = self.subject.directory();
        let post = Post::Prompt {
            session: session.clone(),
            directory,
            prompt: Arc::new(prompt),
        };
        assert_eq!(self.subject.post(&post), Posted::Accepted, "{}: the prompt", self.name);
    }

    /// Waits until so many requests are listed, and returns them.
    pub(crate) fn until_listed(&mut self, count: usize) -> Vec<Request> {
        self.until(&format!("{count} requests"), |seen| seen.requests.len() == count)
            .requests
    }

    /// Waits until no session of the story works.
    pub(crate) fn until_idle(&mut self) {
        self.until("the end", |seen| {
            seen.sessions
                .iter()
                .all(|session| !session.is_running && session.messages.len() > 1)
        });
    }

    /// Waits until it is so.
    pub(crate) fn until(&mut self, what: &str, is_so: impl Fn(&Seen) -> bool) -> Seen {
        let deadline = self.subject.now() + PATIENCE;
        while self.subject.now() < deadline {
            let seen = self.look();
            if let Some(seen) = seen.filter(&is_so) {
                return seen;
            }
        }
        panic!("{}: {what} did not come; so far:\n{}", self.name, self.history.text())
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
        for (session, seen) in last.into_iter().flat_map(|seen| seen.sessions).enumerate() {
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
