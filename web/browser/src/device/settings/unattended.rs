//! What happens to requests that nobody answers, as it is kept on this device.

use serde_json::Value;
use switchboard_core::SortedMap;
use switchboard_core::model::SessionId;
use switchboard_core::policy::{Policy, Then, Unattended};

use crate::codec::{Record, choice, record};

record!(Unattended {
    questions,
    permissions,
    sessions
});

record!(Policy { after, then });

choice!(Then {
    "leave" => Leave,
    "reject" => Reject,
    "answer" => Answer(label),
});

impl Record for SortedMap<SessionId, Policy> {
    fn write(&self) -> Value {
        let sessions = self.iter().map(|(id, policy)| (id.to_string(), policy.write()));
        Value::Object(sessions.collect())
    }

    fn read(value: &Value) -> Option<Self> {
        let sessions = value.as_object()?.iter();
        sessions
            .map(|(id, policy)| Some((SessionId::from(id.as_str()), Policy::read(policy)?)))
            .collect()
    }
}
