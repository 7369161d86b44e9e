//! The finding in one sentence, and the chain of sessions down to its cause.

use std::sync::Arc;

use leptos::prelude::*;
use switchboard_core::Time;
use switchboard_core::model::SessionId;
use switchboard_core::view::{RequestView, SessionRef, SessionView};

use super::finding::{Cause, Finding, find};
use super::report::{Checked, report};
use crate::kit::age::age;
use crate::kit::erased::{live, memo};
use crate::kit::icons::Icon;
use crate::kit::now::{Now, time_of_day};
use crate::kit::sign::Sign;
use crate::state::elsewhere::{runs_elsewhere, session_words};
use crate::state::keys::ServerKey;
use crate::state::servers::{ServerScope, Servers};
use crate::state::store::Store;
use crate::words::doctor as words;
use crate::words::session_title::session_title;
use crate::words::state_words::{self, Tone, Words, asked};

/// What keeps one session from going on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Doctor {
    pub(super) store: Store,
    pub(super) session: Memo<Option<Arc<SessionView>>>,
    finding: Memo<Option<Finding>>,
    servers: Servers,
    here: ServerKey,
    /// The cause alone, which stays the same while what is said of it changes.
    pub(crate) cause: Memo<Option<Cause>>,
    pub(super) now: Now,
}

impl Doctor {
    /// Looks at a session. Its messages count while it is the open one.
    pub(crate) fn new(store: Store, session: SessionId) -> Self {
        let view = store.session(session.clone());
        let servers = expect_context::<Servers>();
        let here = expect_context::<ServerScope>().key;
        let finding = memo(move || {
            let timeline = store.timeline().get().filter(|timeline| timeline.session == session);
            let view = view.get()?;
            let mut finding = store
                .requests()
                .with(|requests| find(&view, requests, timeline.as_deref()))?;
            if let Some(scope) = runs_elsewhere(servers, here, &view) {
                finding.cause = Cause::RunsElsewhere(scope.key);
            }
            Some(finding)
        });
        Self {
            store,
            servers,
            here,
            session: view,
            finding,
            cause: memo(move || finding.with(|finding| finding.as_ref().map(|finding| finding.cause.clone()))),
            now: expect_context(),
        }
    }

    /// The finding as it is told by now.
    fn sentence(self, finding: &Finding, session: &SessionView) -> String {
        match &finding.cause {
            Cause::SubAgentAsks(_) => words::sub_agent_asks(self.asking(finding).as_deref(), finding.chain.len() - 1),
            Cause::Forgotten(_) => words::FORGOTTEN.to_owned(),
            Cause::Interrupted => words::interrupted(session),
            Cause::RunsElsewhere(server) => words::runs_on(&self.name_of(*server)),
            Cause::Elsewhere { certain, asks } => words::elsewhere(*certain, *asks).to_owned(),
            Cause::NotStarted => words::NOT_STARTED.to_owned(),
            Cause::NoText => words::NO_TEXT.to_owned(),
            Cause::Retrying => words::retrying(session, self.now.get(), &minute),
            Cause::Silent { .. } => words::silent(session, self.now.get()),
            Cause::Ghost(_) => words::GHOST.to_owned(),
        }
    }

    /// How the session stands.
    pub(super) fn state(self, session: &SessionView) -> Words {
        session_words(self.servers, self.here, session, self.now.get())
    }

    /// One of the servers.
    pub(super) fn scope_of(self, server: ServerKey) -> Option<ServerScope> {
        self.servers.get(server)
    }

    /// What it is called.
    pub(super) fn name_of(self, server: ServerKey) -> String {
        self.scope_of(server)
            .map_or_else(String::new, |scope| scope.connection.name())
    }

    fn asking(self, finding: &Finding) -> Option<Arc<RequestView>> {
        let id = finding.cause.request()?;
        self.store
            .requests()
            .with(|requests| requests.iter().find(|view| view.request.id == *id).cloned())
    }

    /// The sessions on the way to the one that asks; none where the session itself has the cause.
    pub(super) fn chain(self) -> Vec<SessionRef> {
        self.finding
            .with(|finding| finding.as_ref().map(|finding| finding.chain.clone()))
            .unwrap_or_default()
    }

    /// The findings for a bug report.
    pub(super) fn report(self) -> String {
        let (Some(finding), Some(session)) = (self.finding.get(), self.session.get()) else {
            return String::new();
        };
        let timeline = self.store.timeline().get();
        let timeline = timeline.filter(|timeline| timeline.session == session.session.id);
        let server = self.store.server().get();
        let link = state_words::server(&server, self.now.exact());
        let checked = Checked {
            session: &session,
            version: server.version.as_deref(),
            link: &link.word,
            read: server.read,
            timeline: timeline.as_deref(),
        };
        let said = self.sentence(&finding, &session);
        report(&finding, &said, &checked, self.now.exact(), &|time| {
            time_of_day(time, true)
        })
    }
}

fn minute(time: Time) -> String {
    time_of_day(time, false)
}

/// The finding, and over what follows it that this repairs it.
#[component]
pub(crate) fn Notice(doctor: Doctor) -> impl IntoView {
    let said = memo(move || {
        let (finding, session) = (doctor.finding.get()?, doctor.session.get()?);
        let state = doctor.state(&session);
        let tone = if state.tone == Tone::Bad {
            "doctor-bad"
        } else {
            "doctor-plain"
        };
        Some((doctor.sentence(&finding, &session), state.sign, tone))
    });
    let key = move || doctor.cause.with(|cause| cause.as_ref().map(Cause::key));
    let is_asked = move || doctor.cause.with(|cause| matches!(cause, Some(Cause::SubAgentAsks(_))));
    view! {
        <section class="doctor" role="group" aria-label="Session doctor" data-testid="doctor" data-cause=key>
            {live(move || said.get().map(|(said, sign, tone)| view! {
                <p class=format!("doctor-notice {tone}")><Icon sign /><strong>{said}</strong></p>
            }))}
            {live(move || (doctor.chain().len() > 1).then(|| chain_view(doctor)))}
            <h3 class="group-label">{live(move || words::repair(is_asked()))}</h3>
        </section>
    }
    .into_any()
}

fn chain_view(doctor: Doctor) -> AnyView {
    let scope = expect_context::<ServerScope>();
    let chain = doctor.chain();
    let last = chain.len() - 1;
    let view = doctor.finding.with(|finding| doctor.asking(finding.as_ref()?));
    let is_asked = view.as_ref().is_some_and(|view| view.state.is_waiting());
    let links = chain.into_iter().enumerate().map(|(place, session)| {
        let asks = view.as_ref().filter(|_| place == last).map(|view| {
            let since = age(doctor.now.get().since(asked(view)));
            view! { <span class="doctor-text" dir="auto">{words::asks(view)}</span> <span class="age">{since}</span> }
        });
        let waits = (place < last).then_some(words::WAITS_BELOW);
        let (sign, tone) = if place == last && is_asked {
            (Sign::Lamp, Tone::Lamp)
        } else {
            (Sign::Triangle, Tone::Bad)
        };
        view! {
            <li style:--level=place.to_string()>
                <span class=tone.class()><Icon sign /></span>
                <a href=scope.session(session.id).href() dir="auto">{session_title(&session.title)}</a>
                {waits}
                {asks}
            </li>
        }
    });
    view! { <ol class="doctor-chain">{links.collect::<Vec<_>>()}</ol> }.into_any()
}
