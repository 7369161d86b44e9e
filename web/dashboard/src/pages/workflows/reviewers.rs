//! The reviewers of this device: chosen, changed, and as a JSON file.

use std::time::Duration;

use leptos::ev::Event;
use leptos::prelude::*;
use leptos::task::spawn_local;
use switchboard_browser::device::settings::Settings;
use switchboard_browser::formats::{SavedReviewer, read_reviewers, write_reviewers};
use switchboard_browser::opencode::http::Offer;
use switchboard_core::completion::CompletionConfig;
use switchboard_core::model::Directory;
use switchboard_core::workflow::Reviewer;

use super::field::timeout;
use crate::kit::download::{download, file_text};
use crate::kit::erased::{Show, live, memo};
use crate::state::servers::ServerScope;
use crate::words::workflows as words;

/// The reviewers, and which of them are asked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reviewers {
    saved: RwSignal<Vec<SavedReviewer>>,
    chosen: RwSignal<Vec<bool>>,
    /// The same as JSON, as it is typed.
    text: RwSignal<String>,
    /// What is wrong with the JSON, or with what was kept.
    problem: RwSignal<Option<String>>,
    /// What was kept cannot be read: it stays as it is until it is repaired, or another list is taken.
    is_broken: RwSignal<bool>,
    offer: RwSignal<Option<Offer>>,
    /// Counts the lists that came from elsewhere than the fields.
    lists: RwSignal<u32>,
}

impl Reviewers {
    /// Those of this device, all of them chosen.
    pub(super) fn of(scope: ServerScope, directory: &Directory) -> Self {
        let settings = Settings::open();
        let (saved, text, problem) = match settings.reviewers() {
            Ok(saved) => {
                let text = write_reviewers(&saved);
                (saved, text, None)
            }
            Err(invalid) => {
                let kept = settings.reviewers_text().unwrap_or_default();
                (Vec::new(), kept, Some(words::reviewers_unread(&invalid.to_string())))
            }
        };
        let reviewers = Self {
            chosen: RwSignal::new(vec![true; saved.len()]),
            text: RwSignal::new(text),
            is_broken: RwSignal::new(problem.is_some()),
            saved: RwSignal::new(saved),
            problem: RwSignal::new(problem),
            offer: RwSignal::new(None),
            lists: RwSignal::new(0),
        };
        let reading = scope.connection.offer(directory);
        spawn_local(async move {
            // Without the lists the default agent and model are asked.
            reviewers.offer.try_set(reading.await.ok());
        });
        reviewers
    }

    /// Whether nobody is asked.
    pub(super) fn are_none_chosen(self) -> bool {
        self.chosen.read().iter().all(|chosen| !chosen)
    }

    /// Those who are asked; none while one of them is not complete.
    pub(super) fn chosen(self) -> Option<Vec<Reviewer>> {
        let saved = read_reviewers(&write_reviewers(&self.saved.read_untracked())).ok()?;
        let rules = Settings::open()
            .completion_config()
            .unwrap_or_else(|_| CompletionConfig::default());
        let chosen = self.chosen.get_untracked();
        let chosen = saved.iter().zip(chosen).filter(|(_, is_chosen)| *is_chosen);
        let reviewers = chosen.map(|(saved, _)| {
            let model = saved.model.as_ref().map(ToString::to_string);
            let timeout = rules.rules(saved.agent.as_deref(), model.as_deref()).dispatch_timeout;
            saved.reviewer(timeout)
        });
        Some(reviewers.collect())
    }

    /// Takes another list, and keeps it.
    fn take(self, saved: Vec<SavedReviewer>) {
        self.problem.set(None);
        self.is_broken.set(false);
        Settings::open().set_reviewers(&saved);
        self.chosen.set(vec![true; saved.len()]);
        self.saved.set(saved);
        self.lists.update(|lists| *lists += 1);
    }

    /// Reads what is typed or was in a file.
    fn read(self, text: String) {
        match read_reviewers(&text) {
            Ok(saved) => self.take(saved),
            Err(invalid) => self.problem.set(Some(invalid.to_string())),
        }
        self.text.set(text);
    }

    /// Changes one of them, and keeps all where they make sense.
    fn change(self, place: usize, change: impl FnOnce(&mut SavedReviewer)) {
        self.saved.update(|saved| {
            if let Some(one) = saved.get_mut(place) {
                change(one);
            }
        });
        self.keep();
    }

    fn keep(self) {
        let text = self.saved.with_untracked(|saved| write_reviewers(saved));
        match read_reviewers(&text) {
            Ok(saved) => {
                Settings::open().set_reviewers(&saved);
                self.problem.set(None);
            }
            Err(invalid) => self.problem.set(Some(format!("{} {}.", invalid.field, invalid.reason))),
        }
        self.text.set(text);
    }

    fn add(self) {
        let number = self.saved.read_untracked().len() + 1;
        self.saved.update(|saved| {
            saved.push(SavedReviewer {
                name: format!("reviewer {number}"),
                prompt: "Review the change.".to_owned(),
                agent: None,
                model: None,
                timeout: None,
            });
        });
        self.chosen.update(|chosen| chosen.push(true));
        self.lists.update(|lists| *lists += 1);
        self.keep();
    }

    fn remove(self, place: usize) {
        self.saved.update(|saved| drop(saved.remove(place)));
        self.chosen.update(|chosen| {
            chosen.remove(place);
        });
        self.lists.update(|lists| *lists += 1);
        self.keep();
    }

    /// The list, and below it the file.
    pub(super) fn view(self) -> AnyView {
        let rows = move || {
            self.lists.track();
            let number = self.saved.read_untracked().len();
            (0..number).map(|place| self.row(place)).collect_view()
        };
        let problem = memo(move || self.problem.get());
        let import = move |event: Event| {
            spawn_local(async move {
                if let Some(text) = file_text(&event_target(&event)).await {
                    self.read(text);
                }
            });
        };
        view! {
            <fieldset class="reviewers">
                <legend class="field-label">"Reviewers"</legend>
                {live(rows)}
                <div class="footer">
                    <button type="button" class="button" disabled=self.is_broken on:click=move |_| self.add()>
                        "Add a reviewer"
                    </button>
                </div>
            </fieldset>
            <details class="loop-more">
                <summary>"Reviewers as a JSON file"</summary>
                <label class="field">
                    <span class="field-label">"Reviewers as JSON"</span>
                    <textarea
                        class="input mono loop-material"
                        rows="8"
                        spellcheck="false"
                        aria-invalid=move || problem.read().as_ref().map(|_| "true")
                        prop:value=self.text
                        on:input=move |event| self.read(event_target_value(&event))
                    ></textarea>
                </label>
                <div class="footer">
                    <button type="button" class="button" on:click=move |_| download("reviewers.json", self.text.get_untracked())>
                        "Export"
                    </button>
                    <label class="button loop-import">
                        "Import…"
                        <input class="visually-hidden" type="file" accept="application/json,.json" on:change=import />
                    </label>
                </div>
            </details>
            {live(move || problem.get().map(|problem| view! { <p class="field-problem" role="alert">{problem}</p> }))}
        }
        .into_any()
    }

    fn row(self, place: usize) -> AnyView {
        let Some(first) = self.saved.with_untracked(|saved| saved.get(place).cloned()) else {
            return ().into_any();
        };
        let name = memo(move || {
            self.saved
                .read()
                .get(place)
                .map(|saved| saved.name.clone())
                .unwrap_or_default()
        });
        let seconds = first
            .timeout
            .as_ref()
            .map(|timeout| timeout.as_secs().to_string())
            .unwrap_or_default();
        let wrong_time = RwSignal::new(false);
        let set_time = move |event: Event| {
            let text = event_target_value(&event);
            let given: Option<Duration> = timeout(&text);
            wrong_time.set(given.is_none() && !text.trim().is_empty());
            self.change(place, |saved| saved.timeout = given);
        };
        view! {
            <div class="reviewer">
                <label class="option">
                    <input
                        type="checkbox"
                        prop:checked=move || self.chosen.read().get(place).copied().unwrap_or_default()
                        on:change=move |event| {
                            let is_chosen = event_target_checked(&event);
                            self.chosen.update(|chosen| chosen.get_mut(place).into_iter().for_each(|one| *one = is_chosen));
                        }
                    />
                    <span dir="auto">{name}</span>
                </label>
                <details class="loop-more">
                    <summary>"Change"<span class="visually-hidden">" "{name}</span></summary>
                    <label class="field">
                        <span class="field-label">"Name"</span>
                        <input class="input" type="text" value=first.name
                            on:input=move |event| self.change(place, |saved| saved.name = event_target_value(&event)) />
                    </label>
                    <label class="field">
                        <span class="field-label">"What it looks for"</span>
                        <textarea class="input" rows="4" prop:value=first.prompt
                            on:input=move |event| self.change(place, |saved| saved.prompt = event_target_value(&event))></textarea>
                    </label>
                    <div class="field-row">
                        {live(move || self.offer.get().map(|offer| self.choices(place, offer)))}
                        <label class="field field-number">
                            <span class="field-label">"Time-out (seconds)"</span>
                            <input class="input" type="text" inputmode="numeric" placeholder="default" value=seconds
                                aria-invalid=move || wrong_time.get().then_some("true") on:input=set_time />
                            <Show when=move || wrong_time.get()>{super::field::said(words::NO_TIMEOUT)}</Show>
                        </label>
                    </div>
                    <button type="button" class="button button-quiet" on:click=move |_| self.remove(place)>
                        "Remove"<span class="visually-hidden">" "{name}</span>
                    </button>
                </details>
            </div>
        }
        .into_any()
    }

    /// The agents and models of the server.
    fn choices(self, place: usize, offer: Offer) -> AnyView {
        let now = self.saved.with_untracked(|saved| saved.get(place).cloned());
        let agent = now.as_ref().and_then(|saved| saved.agent.clone()).unwrap_or_default();
        let model = now
            .and_then(|saved| saved.model)
            .map(|model| model.to_string())
            .unwrap_or_default();
        let agents: Vec<String> = offer.agents.into_iter().map(|agent| agent.name).collect();
        let models: Vec<_> = offer
            .providers
            .into_iter()
            .flat_map(|provider| provider.models)
            .collect();
        let agent_names = with(agents, &agent);
        let mut model_names: Vec<(String, String)> = models
            .iter()
            .map(|model| (model.id.to_string(), model.name.clone()))
            .collect();
        if !model.is_empty() && model_names.iter().all(|(id, _)| *id != model) {
            model_names.push((model.clone(), format!("{model} (not on this server)")));
        }
        let set_agent = move |event: Event| {
            let name = event_target_value(&event);
            self.change(place, |saved| saved.agent = Some(name).filter(|name| !name.is_empty()));
        };
        let set_model = move |event: Event| {
            let id = event_target_value(&event);
            let found = models
                .iter()
                .find(|model| model.id.to_string() == id)
                .map(|model| model.id.clone());
            self.change(place, |saved| saved.model = found);
        };
        let agent_options = agent_names.into_iter().map(|(id, name)| {
            let is_it = id == agent;
            view! { <option value=id selected=is_it>{name}</option> }.into_any()
        });
        let agent_options = agent_options.collect_view();
        let model_options = model_names.into_iter().map(|(id, name)| {
            let is_it = id == model;
            view! { <option value=id selected=is_it>{name}</option> }.into_any()
        });
        let model_options = model_options.collect_view();
        view! {
            <label class="field">
                <span class="field-label">"Agent"</span>
                <select class="input" on:change=set_agent><option value="">"Default"</option>{agent_options}</select>
            </label>
            <label class="field">
                <span class="field-label">"Model"</span>
                <select class="input" on:change=set_model><option value="">"Default"</option>{model_options}</select>
            </label>
        }
        .into_any()
    }
}

/// The agents, and the chosen one where the server does not have it.
fn with(agents: Vec<String>, chosen: &str) -> Vec<(String, String)> {
    let is_there = chosen.is_empty() || agents.iter().any(|agent| agent == chosen);
    let mut named: Vec<_> = agents.into_iter().map(|agent| (agent.clone(), agent)).collect();
    if !is_there {
        named.push((chosen.to_owned(), format!("{chosen} (not on this server)")));
    }
    named
}
