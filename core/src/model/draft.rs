//! What a person has typed or chosen and not sent.

use std::sync::Arc;

use super::{Answers, Ask, Question, Request, RequestId, SessionId};

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
    /// The form as it was when it said this.
    #[must_use]
    pub fn of_answers(request: &Arc<Request>, answers: &[Vec<String>]) -> Self {
        let questions = match &request.ask {
            Ask::Questions(questions) => questions.as_slice(),
            Ask::Permission(_) => &[],
        };
        let field = |(question, given): (&Question, &Vec<String>)| {
            let is_option = |answer: &&String| question.options.iter().any(|option| option.label == **answer);
            let own = given.iter().find(|answer| !is_option(answer));
            DraftField {
                chosen: given.iter().filter(is_option).cloned().collect(),
                own: own.cloned().unwrap_or_default(),
                own_chosen: own.is_some(),
            }
        };
        Self {
            key: DraftKey::Request(request.id.clone()),
            text: DraftText::Form {
                request: request.clone(),
                fields: questions.iter().zip(answers).map(field).collect(),
            },
        }
    }

    /// What it would answer; none for a prompt.
    #[must_use]
    pub fn answers(&self) -> Option<Answers> {
        match &self.text {
            DraftText::Form { fields, .. } => Some(fields.iter().map(DraftField::answer).collect()),
            DraftText::Prompt(_) => None,
        }
    }

    /// Whether it is the draft of this prompt.
    pub(crate) fn says(&self, prompt: &str) -> bool {
        matches!(&self.text, DraftText::Prompt(text) if text.trim() == prompt.trim())
    }

    /// True when there is nothing worth keeping.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        match &self.text {
            DraftText::Form { fields, .. } => fields.iter().all(DraftField::is_blank),
            DraftText::Prompt(text) => text.trim().is_empty(),
        }
    }
}
