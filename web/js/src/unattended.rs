//! Reads what shall happen to requests that nobody answers.

use js_sys::Object;
use switchboard_core::SortedMap;
use switchboard_core::model::SessionId;
use switchboard_core::policy::{Policy, Then, Unattended};
use wasm_bindgen::{JsCast, JsValue};

use super::given::{Given, TimeOut};

/// All requests alike; a time-out leaves them answerable.
pub(super) fn alike(time_out: TimeOut) -> Unattended {
    let policy = Policy {
        after: time_out.or(Policy::default().after),
        then: Then::Leave,
    };
    Unattended {
        questions: policy.clone(),
        permissions: policy,
        ..Unattended::default()
    }
}

/// Policies by kind of request and by session.
pub(super) fn policies(given: &Given) -> Result<Unattended, JsValue> {
    let of = |given: Option<Given>| given.as_ref().map_or_else(|| Ok(Policy::default()), policy);
    let mut sessions = SortedMap::new();
    if let Some(by_session) = given.inner("sessions")? {
        let names = given.field("sessions")?;
        for name in Object::keys(names.unchecked_ref::<Object>()) {
            let name = name.as_string().unwrap_or_default();
            let policy = of(by_session.inner(&name)?)?;
            sessions.insert(SessionId::from(name.as_str()), policy);
        }
    }
    Ok(Unattended {
        questions: of(given.inner("questions")?)?,
        permissions: of(given.inner("permissions")?)?,
        sessions,
    })
}

fn policy(given: &Given) -> Result<Policy, JsValue> {
    Ok(Policy {
        after: given.time_out("after")?.or(Policy::default().after),
        then: then(given)?,
    })
}

fn then(given: &Given) -> Result<Then, JsValue> {
    let value = given.field("then")?;
    match value.as_string().as_deref() {
        Some("leave") => return Ok(Then::Leave),
        Some("reject") => return Ok(Then::Reject),
        Some(_) | None if value.is_undefined() => return Ok(Then::Leave),
        Some(_) | None => {}
    }
    let label = match given.inner("then")? {
        Some(then) => then.text("answer")?,
        None => None,
    };
    label
        .map(Then::Answer)
        .ok_or_else(|| given.wrong("then", "\"leave\", \"reject\" or { answer }"))
}
