//! What a finding rests on, beside the session.

use leptos::prelude::*;
use switchboard_browser::device::activity::Happening;
use switchboard_core::model::SessionId;

use super::checked::{checked, happened};
use super::notice::Doctor;
use crate::kit::erased::{live, memo};
use crate::kit::now::time_of_day;
use crate::kit::visible::visible;
use crate::state::activity::Activity;
use crate::state::store::Store;
use crate::words::doctor::{WHAT_HAPPENED, WHAT_WAS_CHECKED};

/// What happened in a session and what was looked at; nothing while there is no finding.
#[component]
pub(crate) fn Examined(id: SessionId) -> impl IntoView {
    let store = expect_context::<Store>();
    let activity = expect_context::<Activity>();
    let doctor = Doctor::new(store, id.clone());
    let is_found = memo(move || doctor.cause.read().is_some());
    let before = move || {
        let mut sessions: Vec<SessionId> = doctor.chain().into_iter().map(|session| session.id).collect();
        sessions.push(id.clone());
        let last_sign = doctor
            .session
            .with(|session| session.as_ref().map(|session| session.updated));
        let happened = activity
            .kept()
            .with(|kept| happened(kept, &sessions, last_sign.unwrap_or_default()));
        let lines = happened.iter().map(line).collect::<Vec<_>>();
        (!lines.is_empty()).then(|| {
            view! {
                <section class="panel-part">
                    <h3 class="group-label">{WHAT_HAPPENED}</h3>
                    <dl class="facts">{lines}</dl>
                </section>
            }
        })
    };
    let looked_at = move || {
        let session = doctor.session.get()?;
        let timeline = store.timeline().get();
        let timeline = timeline.filter(|timeline| timeline.session == session.session.id);
        let facts = store.sessions().with(|sessions| {
            let sessions: Vec<_> = sessions.iter().cloned().collect();
            checked(
                &session,
                &doctor.state(&session),
                &store.server().read(),
                &sessions,
                timeline.as_deref(),
                doctor.now.get(),
            )
        });
        let facts = facts
            .into_iter()
            .map(|(name, seen)| view! { <dt>{name}</dt> <dd>{seen}</dd> }.into_any());
        Some(facts.collect::<Vec<_>>())
    };
    live(move || {
        is_found.get().then(|| {
            view! {
                {live(before.clone())}
                <section class="panel-part" data-testid="checked">
                    <h3 class="group-label">{WHAT_WAS_CHECKED}</h3>
                    <dl class="facts">{live(looked_at)}</dl>
                </section>
            }
        })
    })
}

fn line(happening: &Happening) -> AnyView {
    let (at, text) = (time_of_day(happening.at, false), visible(&happening.text).into_owned());
    view! { <dt>{at}</dt> <dd dir="auto">{text}</dd> }.into_any()
}
