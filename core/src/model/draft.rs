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

    /// This draft, about to take the place of `held`, with the texts that it would lose of it: those of fields that are
    /// blank here and were typed in another tab, since `known` was all that this one knew of it.
    #[must_use]
    pub fn in_place_of(mut self, held: &Draft, known: Option<&Draft>) -> Self {
        let (DraftText::Form { fields, .. }, Some(theirs)) = (&mut self.text, held.fields()) else {
            return self;
        };
        let known = known.and_then(Draft::fields).unwrap_or_default();
        for (place, (field, theirs)) in fields.iter_mut().zip(theirs).enumerate() {
            let was_known = known.get(place).is_some_and(|known| known.own == theirs.own);
            if field.own.trim().is_empty() && !was_known {
                field.own.clone_from(&theirs.own);
            }
        }
        self
    }

    fn fields(&self) -> Option<&[DraftField]> {
        match &self.text {
            DraftText::Form { fields, .. } => Some(fields),
            DraftText::Prompt(_) => None,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Ask;

    fn form(fields: &[(&str, &str)]) -> Draft {
        let field = |(chosen, own): &(&str, &str)| DraftField {
            chosen: Vec::from_iter((!chosen.is_empty()).then(|| (*chosen).to_owned())),
            own: (*own).to_owned(),
            own_chosen: false,
        };
        let request = Request {
            id: "que_1".into(),
            session: "ses_1".into(),
            directory: "/d".into(),
            tool: None,
            ask: Ask::Questions(Vec::new()),
        };
        Draft {
            key: DraftKey::Request(request.id.clone()),
            text: DraftText::Form {
                request: Arc::new(request),
                fields: fields.iter().map(field).collect(),
            },
        }
    }

    /// R13
    #[test]
    fn a_draft_keeps_what_another_tab_has_typed_and_this_one_has_not_seen() {
        let cases = [
            // Nothing was known of what the other tab has typed.
            (
                form(&[("Red", ""), ("", "")]),
                form(&[("", "Teal"), ("", "Yes")]),
                None,
                form(&[("Red", "Teal"), ("", "Yes")]),
            ),
            // It was known, and emptied.
            (
                form(&[("Red", "")]),
                form(&[("", "Teal")]),
                Some(form(&[("", "Teal")])),
                form(&[("Red", "")]),
            ),
            // It was known, emptied, and typed on meanwhile.
            (
                form(&[("Red", "")]),
                form(&[("", "Teal")]),
                Some(form(&[("", "Tea")])),
                form(&[("Red", "Teal")]),
            ),
            // Both have typed: the later one counts.
            (
                form(&[("", "Navy")]),
                form(&[("", "Teal")]),
                None,
                form(&[("", "Navy")]),
            ),
            // The request had more fields in the other tab.
            (
                form(&[("Red", "")]),
                form(&[("", ""), ("", "Yes")]),
                None,
                form(&[("Red", "")]),
            ),
        ];
        for (draft, held, known, kept) in cases {
            assert_eq!(draft.in_place_of(&held, known.as_ref()), kept);
        }
    }
}
