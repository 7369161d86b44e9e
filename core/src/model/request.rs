//! Questions and permissions: what waits for a person.

use super::{CallId, Directory, MessageId, RequestId, SessionId};

/// A question or permission as the server lists it.
///
/// Two requests with equal content but different ids are different requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The server's id: the identity of the request.
    pub id: RequestId,
    /// The session that asks; of a sub-agent it is the sub-agent's own.
    pub session: SessionId,
    /// The directory whose list named it: a reply must go there.
    pub directory: Directory,
    /// Where its tool part is. Not unique, and absent for requests of plugins.
    pub tool: Option<ToolRef>,
    /// What is asked.
    pub ask: Ask,
}

/// Finds the tool part of a request.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ToolRef {
    /// The message that holds the part.
    pub message: MessageId,
    /// The call.
    pub call: CallId,
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ask {
    /// One or more questions, answered together.
    Questions(Vec<Question>),
    /// A permission.
    Permission(Box<Permission>),
}

/// One question of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The question.
    pub text: String,
    /// A word or two for a tab.
    pub header: String,
    /// What may be chosen.
    pub options: Vec<Choice>,
    /// Several options may be chosen.
    pub multiple: bool,
    /// A text of one's own is welcome. The server's default is yes.
    pub custom: bool,
}

/// One option of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Its name, and what is sent.
    pub label: String,
    /// What it means.
    pub description: String,
}

/// What an agent wants to be allowed.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Permission {
    /// The kind, such as `bash`, `edit`, `external_directory`, `webfetch`.
    pub kind: String,
    /// What it is about, in the server's pattern language.
    pub patterns: Vec<String>,
    /// What *always* would allow from then on.
    pub always: Vec<String>,
    /// The whole command, for `bash`.
    pub command: Option<String>,
    /// The file, for `edit`.
    pub file: Option<String>,
    /// The change, for `edit`, as unified diff.
    pub diff: Option<String>,
    /// Everything else the server says about it, as JSON text; empty when there is nothing else.
    pub detail: String,
}

impl Question {
    /// A question that takes one option, or a text of one's own.
    pub fn new(text: impl Into<String>, header: impl Into<String>, options: Vec<Choice>) -> Self {
        Self {
            text: text.into(),
            header: header.into(),
            options,
            multiple: false,
            custom: true,
        }
    }
}

impl Choice {
    /// An option, and what it means.
    pub fn new(label: impl Into<String>, description: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            description: description.into(),
        }
    }
}

impl Request {
    /// A request without a tool part.
    #[must_use]
    pub fn new(id: RequestId, session: SessionId, directory: Directory, ask: Ask) -> Self {
        Self {
            id,
            session,
            directory,
            tool: None,
            ask,
        }
    }

    /// Whether a reply to the one is a reply to the other: both ask the same for the same session. Where their tool part is,
    /// and which list named them, may differ.
    #[must_use]
    pub fn asks_the_same(&self, other: &Self) -> bool {
        self.id == other.id && self.session == other.session && self.ask == other.ask
    }

    /// The permission, if this is one.
    #[must_use]
    pub fn permission(&self) -> Option<&Permission> {
        match &self.ask {
            Ask::Permission(permission) => Some(permission),
            Ask::Questions(_) => None,
        }
    }

    /// The questions; empty for a permission.
    #[must_use]
    pub fn questions(&self) -> &[Question] {
        match &self.ask {
            Ask::Questions(questions) => questions,
            Ask::Permission(_) => &[],
        }
    }
}
