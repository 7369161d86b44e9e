//! A server in memory. Its agent asks for a colour, replies to each prompt at once, and reports success of each command
//! without running it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures::FutureExt;
use futures::future::{LocalBoxFuture, ready};
use switchboard_core::Clock;
use switchboard_core::model::{
    Ask, Choice, Directory, Health, Message, MessageId, Page, Part, PartBody, Question, Reply, Request, RequestId,
    Role, Session, SessionId, SessionPage, Status, ToolPart, ToolRef, ToolStatus,
};
use switchboard_core::ports::{Fetched, Post, Posted, Read, ReadError, Transport};

use super::clock::JumpingClock;

/// Clones are the same server.
#[derive(Clone)]
pub(crate) struct Server {
    state: Rc<RefCell<State>>,
    is_up: Rc<Cell<bool>>,
}

struct State {
    clock: JumpingClock,
    sessions: Vec<Session>,
    messages: Vec<Message>,
    requests: Vec<Request>,
    ids: u32,
}

impl Server {
    /// A server with one session in `/project`, whose agent asks for a colour.
    pub(crate) fn new(clock: &JumpingClock) -> Self {
        let mut state = State {
            clock: clock.clone(),
            sessions: Vec::new(),
            messages: Vec::new(),
            requests: Vec::new(),
            ids: 0,
        };
        let session = state.create("/project".into(), "Paint the shed").id;
        state.ask_for_a_colour(&session);
        Self {
            state: Rc::new(RefCell::new(state)),
            is_up: Rc::new(Cell::new(true)),
        }
    }

    /// Makes it reachable or not.
    pub(crate) fn set_up(&self, is_up: bool) {
        self.is_up.set(is_up);
    }

    /// What the agent was answered to its question.
    pub(crate) fn answers(&self) -> Option<Vec<Vec<String>>> {
        let state = self.state.borrow();
        state
            .messages
            .iter()
            .flat_map(Message::tools)
            .find_map(|(_, tool)| tool.answers.clone())
    }
}

impl Transport for Server {
    fn read(&self, read: Read) -> LocalBoxFuture<'static, Result<Fetched, ReadError>> {
        let fetched = match self.is_up.get() {
            true => self.state.borrow().read(read),
            false => Err(ReadError::Unreachable("it is down".to_owned())),
        };
        ready(fetched).boxed_local()
    }

    fn post(&self, post: Post) -> LocalBoxFuture<'static, Posted> {
        let posted = match self.is_up.get() {
            true => self.state.borrow_mut().post(post),
            false => Posted::InDoubt("it is down".to_owned()),
        };
        ready(posted).boxed_local()
    }
}

impl State {
    fn read(&self, read: Read) -> Result<Fetched, ReadError> {
        let missing = || ReadError::NotFound("not found".to_owned());
        Ok(match read {
            Read::Health => Fetched::Health(Health {
                version: "1.18.33".to_owned(),
            }),
            Read::Directories => Fetched::Directories(vec!["/project".into()]),
            Read::Sessions { .. } => Fetched::Sessions(SessionPage {
                sessions: self.sessions.clone(),
                next: None,
            }),
            Read::Session { session, .. } => {
                let found = self.sessions.iter().find(|known| known.id == session);
                Fetched::Session(Box::new(found.ok_or_else(missing)?.clone()))
            }
            Read::Questions(_) => Fetched::Requests(self.requests.clone()),
            Read::Permissions(_) => Fetched::Requests(Vec::new()),
            Read::Status(_) => {
                let busy = self
                    .requests
                    .iter()
                    .map(|request| (request.session.clone(), Status::Busy));
                Fetched::Statuses(busy.collect())
            }
            Read::Messages { session, .. } => {
                let of_session = self.messages.iter().filter(|message| message.session == session);
                Fetched::Page(Page {
                    messages: of_session.cloned().collect(),
                    older: None,
                })
            }
            Read::Message { message, .. } => {
                let found = self.messages.iter().find(|known| known.id == message);
                Fetched::Message(Box::new(found.ok_or_else(missing)?.clone()))
            }
        })
    }

    fn post(&mut self, post: Post) -> Posted {
        match post {
            Post::Reply { request, reply, .. } => return self.reply(&request, reply),
            Post::Prompt { session, prompt, .. } => {
                let mut message = self.message(&session, Role::User);
                message.id = prompt.message.clone();
                self.end(message, text(&prompt.text));
                self.say(&session, "All right.");
            }
            Post::Abort { session, .. } => self.abort(&session),
            Post::Shell { session, command, .. } => {
                let user = self.message(&session, Role::User);
                self.end(user, text("The following tool was executed by the user"));
                // The engine lets the command print its exit code after this word.
                let token = command.trim_start_matches(": ").split(';').next().unwrap_or_default();
                let mut tool = ToolPart::new("bash", ToolStatus::Completed);
                tool.output = Some(format!("ok\n\n{token} 0\n"));
                tool.input = command;
                let message = self.message(&session, Role::Assistant);
                self.end(message, PartBody::Tool(Box::new(tool)));
            }
            Post::Create { directory, title } => {
                return Posted::Created(Box::new(
                    self.create(directory, title.as_deref().unwrap_or("New session")),
                ));
            }
        }
        Posted::Accepted
    }

    fn reply(&mut self, request: &RequestId, reply: Reply) -> Posted {
        let Some(at) = self.requests.iter().position(|known| known.id == *request) else {
            return Posted::NotFound("QuestionNotFoundError".to_owned());
        };
        let asked = self.requests.remove(at);
        match reply {
            Reply::Answers(answers) => {
                self.end_call(&asked, |tool| {
                    tool.status = ToolStatus::Completed;
                    tool.answers = Some(answers);
                });
                self.say(&asked.session, "Thank you.");
            }
            Reply::Dismiss | Reply::Once | Reply::Always | Reply::Reject { .. } => {
                self.end_call(&asked, |tool| {
                    tool.status = ToolStatus::Error;
                    tool.error = Some("The user dismissed this question".to_owned());
                });
            }
        }
        Posted::Accepted
    }

    fn abort(&mut self, session: &SessionId) {
        let asked = self.requests.extract_if(.., |request| request.session == *session);
        for request in asked.collect::<Vec<_>>() {
            self.end_call(&request, |tool| {
                tool.status = ToolStatus::Error;
                tool.error = Some("Tool execution aborted".to_owned());
            });
        }
    }

    /// Ends the tool call that made a request, and its message.
    fn end_call(&mut self, request: &Request, end: impl FnOnce(&mut ToolPart)) {
        let now = self.clock.now().0;
        let asking = self.messages.iter_mut().find(|message| {
            let tool = request.tool.as_ref();
            tool.is_some_and(|tool| tool.message == message.id)
        });
        let Some(message) = asking else { return };
        message.completed = Some(now);
        if let Some(PartBody::Tool(tool)) = message.parts.first_mut().map(|part| &mut part.body) {
            end(tool);
        }
    }

    fn create(&mut self, directory: Directory, title: &str) -> Session {
        let id = self.id("ses").into();
        let mut session = Session::new(id, directory, self.clock.now().0);
        session.title = title.to_owned();
        self.sessions.insert(0, session.clone());
        session
    }

    fn ask_for_a_colour(&mut self, session: &SessionId) {
        let mut message = self.message(session, Role::Assistant);
        let (id, call) = (message.id.clone(), "call_1");
        let mut tool = ToolPart::new("question", ToolStatus::Running);
        tool.call = Some(call.into());
        message.parts.push(self.part(PartBody::Tool(Box::new(tool))));
        self.messages.push(message);
        let options = vec![Choice::new("Red", "warm"), Choice::new("Blue", "cool")];
        let ask = Ask::Questions(vec![Question::new("Which colour?", "Colour", options)]);
        let mut request = Request::new("que_1".into(), session.clone(), "/project".into(), ask);
        request.tool = Some(ToolRef {
            message: id,
            call: call.into(),
        });
        self.requests.push(request);
    }

    /// The agent says this, and its run ends.
    fn say(&mut self, session: &SessionId, words: &str) {
        let message = self.message(session, Role::Assistant);
        self.end(message, text(words));
    }

    /// Stores a message that is complete with one part.
    fn end(&mut self, mut message: Message, body: PartBody) {
        if message.role == Role::Assistant {
            message.completed = Some(message.created);
            message.finish = Some("stop".to_owned());
        }
        message.parts.push(self.part(body));
        if let Some(session) = self.sessions.iter_mut().find(|session| session.id == message.session) {
            session.updated = message.created;
        }
        self.messages.push(message);
    }

    fn message(&mut self, session: &SessionId, role: Role) -> Message {
        let parent = self
            .messages
            .iter()
            .rfind(|message| message.session == *session && message.role == Role::User);
        let parent: Option<MessageId> = parent.map(|message| message.id.clone());
        let id = self.id("msg").into();
        let mut message = Message::new(id, session.clone(), role, self.clock.now().0);
        message.parent = parent.filter(|_| message.role == Role::Assistant);
        message
    }

    fn part(&mut self, body: PartBody) -> Part {
        Part {
            id: self.id("prt").into(),
            body,
        }
    }

    fn id(&mut self, kind: &str) -> String {
        self.ids += 1;
        format!("{kind}_{:012}", self.ids)
    }
}

fn text(text: &str) -> PartBody {
    PartBody::Text {
        text: text.to_owned(),
        synthetic: false,
    }
}
