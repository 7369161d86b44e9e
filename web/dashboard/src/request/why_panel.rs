//! Why the open request is asked: beside it where there is room, under it where there is not.

use std::sync::Arc;

use leptos::prelude::*;
use switchboard_core::Time;
use switchboard_core::model::{Request, ToolPart};
use switchboard_core::view::RequestView;

use crate::kit::erased::{Show, followed, live, memo};
use crate::kit::focus;
use crate::kit::icons::Icon;
use crate::kit::now::time_of_day;
use crate::kit::sign::Sign;
use crate::markdown::Markdown;
use crate::parts::part;
use crate::request::why::{Why, gather};
use crate::request::{Card, Place};
use crate::state::desk::Desk;
use crate::state::servers::{ServerScope, Servers};
use crate::tools::tool_card::{Plan, face::face};
use crate::words::plan::done_of;
use crate::words::state_words::asked;
use crate::words::time_out::replies_at;
use crate::words::why;

/// Whether the panel is hidden where it is shown at first, or shown as a drawer where it is hidden. Comes from context.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SidePanel(RwSignal<bool>);

impl SidePanel {
    /// As the width of the page has it.
    pub(crate) fn new() -> Self {
        Self(RwSignal::new(false))
    }

    /// True when a person has changed it.
    pub(crate) fn is_toggled(self) -> bool {
        self.0.get()
    }

    fn toggle(self) {
        self.0.update(|toggled| *toggled = !*toggled);
    }
}

/// The button that shows and hides the panel.
#[component]
pub(crate) fn WhyToggle() -> impl IntoView {
    let panel = expect_context::<SidePanel>();
    view! {
        <button
            type="button"
            class="icon-button panel-toggle"
            aria-label="Why it asks"
            title="Why it asks"
            aria-keyshortcuts="T"
            aria-pressed=followed(move || if panel.is_toggled() { "true" } else { "false" })
            on:click=move |_| panel.toggle()
        >
            <Icon sign=Sign::SpeechQuestion />
        </button>
    }
    .into_any()
}

/// The panel beside the inbox.
#[component]
pub(crate) fn WhyPanel() -> impl IntoView {
    let panel = expect_context::<SidePanel>();
    let open = expect_context::<Desk>().open();
    let servers = expect_context::<Servers>();
    live(move || {
        let key = open.get()?;
        let scope = servers.get(key.server)?;
        scope.provide();
        let view = scope.store.request(key.id);
        Some(view! {
            <aside class="panel" aria-label=why::CONTEXT>
                <h2>"Why it asks"</h2>
                <button type="button" class="button button-quiet panel-close" on:click=move |_| panel.toggle()>"Close"</button>
                {reasons_part(view)}
            </aside>
        })
    })
}

/// The same, folded under the request.
#[component]
pub(crate) fn WhyFolded(card: Card) -> impl IntoView {
    let view = memo(move || Some(card.view.get()));
    view! {
        <details class="why-folded" open=card.place == Place::Page>
            <summary>"Why it asks"</summary>
            {reasons_part(view)}
        </details>
    }
}

/// The reasons.
#[component]
fn Reasons(view: Memo<Option<Arc<RequestView>>>) -> impl IntoView {
    let scope = expect_context::<ServerScope>();
    let why = memo(move || {
        let view = view.read();
        let request = &view.as_ref()?.request;
        let timeline = scope.store.timeline().read();
        let timeline = timeline
            .as_ref()
            .filter(|timeline| timeline.session == request.session)?;
        Some(gather(timeline.messages.iter().map(AsRef::as_ref), request))
    });
    let is_read = memo(move || why.read().is_some());
    let said = memo(move || {
        let why = why.read();
        why.as_ref().and_then(|why| why.said.clone()).unwrap_or_default()
    });
    let plan = memo(move || why.with(|why| why.as_ref().map(|why| why.plan.clone()).unwrap_or_default()));
    let directory = move || {
        view.read()
            .as_ref()
            .map(|view| view.request.directory.to_string())
            .unwrap_or_default()
    };
    view! {
        <div class="why-said">
            {live(move || match (is_read.get(), said.read().is_empty()) {
                (_, false) => view! { <Markdown text=said /> }.into_any(),
                (true, true) => view! { <p class="panel-quiet">{why::SAID_NOTHING}</p> }.into_any(),
                (false, true) => view! { <p class="panel-quiet">{why::NOT_READ}</p> }.into_any(),
            })}
        </div>
        {live(move || {
            let before = why.with(|why| why.as_ref().map(|why| why.before.clone()).unwrap_or_default());
            (!before.is_empty()).then(|| view! { <Before before directory=directory() /> })
        })}
        <Show when=move || !plan.read().is_empty()>
            <section class="panel-part">
                <h3 class="group-label">"Plan"<span>{live(move || done_of(&plan.read()))}</span></h3>
                <Plan todos=plan />
            </section>
        </Show>
        {live(move || {
            let view = view.get()?;
            Some(view! { <Consequences request=view.request.clone() others=view.others /> })
        })}
        {live(move || {
            let view = view.get()?;
            Some(facts(&view, why.read().as_ref(), scope))
        })}
    }
}

part! {
    /// The reasons, a part.
    why: reasons_part(view: Memo<Option<Arc<RequestView>>>) view! { <Reasons view /> }, focus::nowhere
}

/// The last tool calls.
#[component]
fn Before(before: Vec<ToolPart>, directory: String) -> impl IntoView {
    let rows: Vec<_> = before
        .iter()
        .map(|tool| {
            let face = face(tool, &directory);
            let subject = if face.subject.is_empty() {
                face.name
            } else {
                face.subject
            };
            view! {
                <li class="just">
                    <Icon sign=face.sign />
                    <code class="just-subject" dir="ltr">{subject}</code>
                    <span class=format!("just-result {}", face.tone.class())>{face.result}</span>
                </li>
            }
        })
        .collect();
    view! {
        <section class="panel-part">
            <h3 class="group-label">"Just before"</h3>
            <ul class="panel-list">{rows}</ul>
        </section>
    }
}

/// What the buttons of a permission do.
#[component]
fn Consequences(request: Arc<Request>, others: usize) -> impl IntoView {
    let permission = request.permission()?;
    let always = why::always(permission).map(|text| view! { <Fact name="Always" text /> });
    Some(view! {
        <section class="panel-part">
            <h3 class="group-label">{why::BUTTONS}</h3>
            <dl class="facts">
                <Fact name="Once" text=why::once(permission).to_owned() />
                {always}
                <Fact name="Reject" text=why::reject(&request, others).to_owned() />
            </dl>
        </section>
    })
}

/// Agent, times and cost.
fn facts(view: &RequestView, why: Option<&Why>, scope: ServerScope) -> impl IntoView + use<> {
    let session = scope.store.sessions().with(|sessions| {
        let asks = |session: &&Arc<switchboard_core::view::SessionView>| session.session.id == view.request.session;
        sessions.iter().find(asks).cloned()
    });
    let known_agent = session.as_ref().and_then(|session| session.agent.clone());
    let agent = why.and_then(|why| why.agent.clone()).or(known_agent);
    let asked_at = time_of_day(asked(view), false);
    let seen_at = time_of_day(Time(view.seen.0), false);
    let cost = session.and_then(|session| session.session.cost);
    let so_far = why::so_far(cost, why.and_then(|why| why.context_tokens));
    let waits_until = view.state.is_waiting().then(|| {
        let is_stopped = scope.policies.is_stopped(&view.request.id);
        let replies = replies_at(view, &scope.policies.policy(&view.request), is_stopped);
        let reviewer = scope.loops.reviewer_time(view).map(|time| time.until);
        why::waits_until(replies, reviewer, &|at| time_of_day(at, false))
    });
    view! {
        <section class="panel-part">
            <dl class="facts">
                {agent.map(|text| view! { <Fact name="Agent" text /> })}
                <Fact name="Asked" text=why::asked(&asked_at, &seen_at) />
                {waits_until.map(|text| view! { <Fact name="Waits until" text /> })}
                {so_far.map(|text| view! { <Fact name="So far" text /> })}
            </dl>
        </section>
    }
}

#[component]
fn Fact(name: &'static str, text: String) -> impl IntoView {
    view! {
        <dt>{name}</dt>
        <dd dir="auto">{text}</dd>
    }
}
