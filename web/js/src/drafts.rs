//! What a person has typed or chosen and not sent.

use serde::{Deserialize, Serialize};
use switchboard_core::AnswerError;
use switchboard_core::model::{Draft, DraftField, DraftKey, DraftText, RequestId, SessionId};
use wasm_bindgen::prelude::*;

use super::board::Board;
use super::error;
use super::plain::read;

#[wasm_bindgen]
impl Board {
    /// Keeps what is filled in for a request. Nothing is sent; a blank draft is dropped.
    #[wasm_bindgen(js_name = keepDraft)]
    pub fn keep_draft(
        &self,
        #[wasm_bindgen(js_name = "requestId")] request: String,
        #[wasm_bindgen(unchecked_param_type = "DraftField[]")] fields: JsValue,
    ) -> Result<(), JsValue> {
        let fields: Vec<FieldShape> = read(&fields)
            .ok_or_else(|| error::invalid_argument("keepDraft: a draft is a list of { chosen, own, ownChosen }"))?;
        let id = RequestId::from(request);
        let handle = self.handle("keepDraft")?;
        let view = handle.view();
        let Some(shown) = view.request(&id) else {
            return Err(error::answer("keepDraft", AnswerError::Unknown(id)));
        };
        handle.draft(Draft {
            key: DraftKey::Request(id),
            text: DraftText::Form {
                request: shown.request.clone(),
                fields: fields.into_iter().map(DraftField::from).collect(),
            },
        });
        Ok(())
    }

    /// The same for the prompt of a session.
    #[wasm_bindgen(js_name = keepPromptDraft)]
    pub fn keep_prompt_draft(&self, #[wasm_bindgen(js_name = "sessionId")] session: String, text: String) {
        let draft = Draft {
            key: DraftKey::Prompt(SessionId::from(session)),
            text: DraftText::Prompt(text),
        };
        self.tell(|handle| handle.draft(draft));
    }
}

/// What is filled in for one question.
#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FieldShape {
    chosen: Vec<String>,
    own: String,
    own_chosen: bool,
}

/// The fields of the draft of a form; none of a prompt.
pub(super) fn fields(draft: &Draft) -> Option<Vec<FieldShape>> {
    match &draft.text {
        DraftText::Form { fields, .. } => Some(fields.iter().map(FieldShape::from).collect()),
        DraftText::Prompt(_) => None,
    }
}

impl From<&DraftField> for FieldShape {
    fn from(field: &DraftField) -> Self {
        Self {
            chosen: field.chosen.clone(),
            own: field.own.clone(),
            own_chosen: field.own_chosen,
        }
    }
}

impl From<FieldShape> for DraftField {
    fn from(field: FieldShape) -> Self {
        Self {
            chosen: field.chosen,
            own: field.own,
            own_chosen: field.own_chosen,
        }
    }
}
