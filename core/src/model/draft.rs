//! What a person has typed or chosen and not sent.

use std::sync::Arc;

use super::{Request, RequestId, SessionId};

/// What a person has typed or chosen and not sent. It is never taken for an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// Where it belongs.
    pub key: DraftKey,
    /// The text.
    pub text: DraftText,
}

/// Where a draft belongs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DraftKey {
    /// To a request.
    Request(RequestId),
    /// To the prompt box of a session.
    Prompt(SessionId),
}

/// The content of a draft.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DraftText {
    /// A half-filled form, with a copy of the request, so that it outlives the request on the server.
    Form {
        /// What it answers.
        request: Arc<Request>,
        /// One field per question; for a permission one, whose own text is the word of a rejection.
        fields: Vec<DraftField>,
    },
    /// A prompt.
    Prompt(String),
}

/// What is filled in for one question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DraftField {
    /// The chosen labels.
    pub chosen: Vec<String>,
    /// The text of one's own. It counts as chosen when `own_chosen` is set.
    pub own: String,
    /// The text of one's own is chosen.
    pub own_chosen: bool,
}

impl DraftField {
    /// What would be sent for this question.
    #[must_use]
    pub fn answer(&self) -> Vec<String> {
        let own = (self.own_chosen && !self.own.trim().is_empty()).then(|| self.own.clone());
        self.chosen.iter().cloned().chain(own).collect()
    }

    /// True when nothing is chosen and nothing typed.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.chosen.is_empty() && self.own.trim().is_empty()
    }
}

impl Draft {
    /// True when there is nothing worth keeping.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        match &self.text {
            DraftText::Form { fields, .. } => fields.iter().all(DraftField::is_blank),
            DraftText::Prompt(text) => text.trim().is_empty(),
        }
    }
}
