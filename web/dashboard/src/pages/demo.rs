//! What our own server offers to those who have none: prompts that show each kind of request.

use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::Value;
use switchboard_core::PromptOptions;
use switchboard_core::model::Directory;

use crate::kit::erased::live;
use crate::state::connection::Connection;
use crate::state::connection::Wanted;
use crate::state::navigation::Navigation;
use crate::state::servers::ServerScope;
use crate::state::start_session::start_session;
use crate::words::connect::TRY_DEMO;
use switchboard_browser::device::settings::Keep;
use switchboard_browser::opencode::http::{self, Credentials};
use switchboard_browser::opencode::probe::normalise_address;

/// What `/demo.json` says. Only our own server has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Demo {
    /// The address of the server.
    pub(crate) server: String,
    /// Its user.
    pub(crate) username: Option<String>,
    /// Its password.
    pub(crate) password: Option<String>,
    /// Where sessions are started.
    pub(crate) directory: Option<String>,
    /// What to say there.
    pub(crate) prompts: Vec<DemoPrompt>,
}

impl Demo {
    /// The normalised address of the server.
    pub(crate) fn base(&self) -> String {
        normalise_address(&self.server).unwrap_or_else(|_| self.server.clone())
    }

    /// The demo is called so; a server of one's own is called by its address.
    pub(crate) fn name(&self) -> Option<String> {
        (!self.prompts.is_empty()).then(|| "demo".to_owned())
    }

    /// How to sign in there.
    pub(crate) fn credentials(&self) -> Option<Credentials> {
        Some(Credentials {
            username: self.username.clone()?,
            password: self.password.clone()?,
        })
    }

    /// The server, to be connected.
    pub(crate) fn wanted(&self) -> Wanted {
        Wanted {
            base: self.base(),
            name: self.name(),
            credentials: self.credentials(),
            keep: Keep::ForTab,
        }
    }
}

/// What the server of this page has introduced so far. Comes from context.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Introduced(RwSignal<Option<Demo>>);

impl Introduced {
    /// Nothing yet.
    pub(crate) fn new() -> Self {
        Self(RwSignal::new(None))
    }

    /// The introduction.
    pub(crate) fn get(self) -> Option<Demo> {
        self.0.get()
    }

    /// The introduction; not tracked.
    pub(crate) fn get_untracked(self) -> Option<Demo> {
        self.0.get_untracked()
    }

    /// The server of this page has introduced this.
    pub(crate) fn set(self, demo: Option<Demo>) {
        self.0.set(demo);
    }
}

/// What the server of this page introduces; most servers do not.
pub(crate) async fn introduction() -> Option<Demo> {
    let demo: Value = serde_json::from_str(&http::get_json("demo.json").await?).ok()?;
    let prompts = demo.get("prompts").and_then(Value::as_array);
    Some(Demo {
        server: text(&demo, "server")?,
        username: text(&demo, "username"),
        password: text(&demo, "password"),
        directory: text(&demo, "directory"),
        prompts: prompts.into_iter().flatten().filter_map(DemoPrompt::read).collect(),
    })
}

fn text(value: &Value, name: &str) -> Option<String> {
    value.get(name)?.as_str().map(str::to_owned)
}

/// Something to say to the demo's agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DemoPrompt {
    /// What is said.
    pub(crate) prompt: String,
    /// What one sees then.
    pub(crate) about: String,
}

impl DemoPrompt {
    fn read(value: &Value) -> Option<Self> {
        Some(Self {
            prompt: text(value, "prompt")?,
            about: text(value, "about")?,
        })
    }
}

/// The prompts of the demo; nothing when the connected server is not the demo's.
#[component]
pub(crate) fn DemoPrompts() -> impl IntoView {
    let introduced = expect_context::<Introduced>();
    let base = expect_context::<Connection>().base();
    live(move || {
        let demo = introduced.get().filter(|demo| demo.base() == base)?;
        let directory = Directory::from(demo.directory?);
        let offer = |prompt| view! { <Offer prompt directory=directory.clone() /> };
        let rows: Vec<_> = demo.prompts.into_iter().map(offer).collect();
        (!rows.is_empty()).then(|| {
            view! {
                <section class="demo" aria-label="Try it">
                    <h3 class="group-label">{TRY_DEMO}</h3>
                    <ul class="demo-list">{rows}</ul>
                </section>
            }
        })
    })
}

#[component]
fn Offer(prompt: DemoPrompt, directory: Directory) -> impl IntoView {
    let scope = expect_context::<ServerScope>();
    let actions = scope.actions;
    let navigation = expect_context::<Navigation>();
    let is_starting = RwSignal::new(false);
    let problem = RwSignal::new(None::<String>);
    let text = prompt.prompt.clone();
    let start = move |_| {
        if is_starting.get_untracked() {
            return;
        }
        is_starting.set(true);
        problem.set(None);
        let starting = start_session(actions, directory.clone(), text.clone(), PromptOptions::default());
        spawn_local(async move {
            let begun = starting.await;
            is_starting.try_set(false);
            match begun {
                Ok(session) => navigation.go(&scope.session(session)),
                Err(error) => drop(problem.try_set(Some(error))),
            }
        });
    };
    view! {
        <li>
            <button type="button" class="demo-offer" aria-busy=move || is_starting.get().then_some("true") on:click=start>
                <span class="demo-prompt">{prompt.prompt}</span>
                <span class="demo-about">{prompt.about}</span>
            </button>
            {live(move || problem.get().map(|problem| view! { <p class="notice notice-bad" role="alert">{problem}</p> }))}
        </li>
    }
}
