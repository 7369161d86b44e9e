//! Another client of the server: a terminal, or another person's browser. It is not ours, and its network is perfect.

use std::sync::Arc;

use switchboard_core::model::{Directory, MessageId, PartId, Prompt, Reply, Request, SessionId};
use switchboard_core::ports::{Post, Posted};

use crate::opencode::script::Script;
use crate::opencode::{Client, OpenCode};
use crate::random::Random;

/// The other client.
#[derive(Debug)]
pub struct OtherClient {
    pub(crate) server: OpenCode,
    pub(crate) random: Random,
}

impl OtherClient {
    /// A client of this process of the server.
    #[must_use]
    pub fn new(server: OpenCode, random: Random) -> Self {
        Self { server, random }
    }

    /// Makes a session and prompts it with a script.
    pub fn begin(&self, directory: &str, script: &Script) -> SessionId {
        let session = self.server.create(&directory.into(), "Scripted session");
        self.prompt(&session, &script.to_prompt());
        session
    }

    /// Prompts a session.
    pub fn prompt(&self, session: &SessionId, text: &str) {
        let number = self.random.number();
        let prompt = Prompt {
            message: MessageId::new(format!("msg_other{number:x}")),
            part: PartId::new(format!("prt_other{number:x}")),
            text: text.to_owned(),
            agent: None,
            model: None,
        };
        let directory = self.directory(session);
        self.post(&Post::Prompt {
            session: session.clone(),
            directory,
            prompt: Arc::new(prompt),
        });
    }

    /// Replies to a request.
    pub fn reply(&self, request: &Request, reply: Reply) -> Posted {
        self.post(&Post::Reply {
            request: request.id.clone(),
            directory: request.directory.clone(),
            reply,
        })
    }

    /// Stops a session.
    pub fn abort(&self, session: &SessionId) {
        let directory = self.directory(session);
        self.post(&Post::Abort {
            session: session.clone(),
            directory,
        });
    }

    fn directory(&self, session: &SessionId) -> Directory {
        self.server
            .session(session)
            .map_or_else(|| "/".into(), |session| session.directory)
    }

    fn post(&self, post: &Post) -> Posted {
        self.server.post(Client::Other, post)
    }
}
