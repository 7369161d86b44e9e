//! The reviewers of this device: chosen, changed, and as a JSON file.

use std::time::Duration;

use leptos::ev::Event;
use leptos::prelude::*;
use leptos::task::spawn_local;
use switchboard_browser::device::settings::Settings;
use switchboard_browser::formats::{SavedReviewer, read_reviewers, write_reviewers};
use switchboard_browser::opencode::http::Offer;
use switchboard_core::model::Directory;
use switchboard_core::workflow::Reviewer;

use super::json_file::JsonFile;
use super::rules::RulesFile;
use crate::kit::amount::timeout;
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
    /// What is kept on this device, as far as it is known here.
    kept: RwSignal<Option<String>>,
    /// Another tab has saved other ones, and what was changed here is not kept beside them: a person decides.
    are_others_kept: RwSignal<bool>,
    /// What is changed here is lost with the page.
    is_unkept: RwSignal<bool>,
    /// What is wrong with the JSON, or with what was kept.
    problem: RwSignal<Option<String>>,
    /// What was kept cannot be read: it stays as it is until it is repaired, or another list is taken.
    is_broken: RwSignal<bool>,
    offer: RwSignal<Option<Offer>>,
    rules: RulesFile,
    /// The places of those whose time-out is wrong as it is typed.
    wrong_times: RwSignal<Vec<usize>>,
    /// Counts the lists that came from elsewhere than the fields.
    lists: RwSignal<u32>,
}

impl Reviewers {
    /// Those of this device, all of them chosen.
    pub(super) fn of(scope: ServerScope, directory: &Directory) -> Self {
        let reviewers = Self {
            saved: RwSignal::default(),
            chosen: RwSignal::default(),
            text: RwSignal::default(),
            kept: RwSignal::default(),
            are_others_kept: RwSignal::new(false),
            is_unkept: RwSignal::new(false),
            problem: RwSignal::default(),
            is_broken: RwSignal::new(false),
            offer: RwSignal::new(None),
            rules: RulesFile::of_device(),
            wrong_times: RwSignal::default(),
            lists: RwSignal::new(0),
        };
        reviewers.take_kept();
        let listener = window_event_listener(leptos::ev::storage, move |_| reviewers.adopt());
        on_cleanup(move || listener.remove());
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

    /// Those who are asked; none while one of them is not complete, or the rules cannot be read.
    pub(super) fn chosen(self) -> Option<Vec<Reviewer>> {
        if self.problem.read_untracked().is_some() || !self.wrong_times.read_untracked().is_empty() {
            return None;
        }
        let saved = self.saved.get_untracked();
        let rules = self.rules.rules()?;
        let chosen = self.chosen.get_untracked();
        let chosen = saved.iter().zip(chosen).filter(|(_, is_chosen)| *is_chosen);
        let reviewers = chosen.map(|(saved, _)| {
            let model = saved.model.as_ref().map(ToString::to_string);
            let timeout = rules.rules(saved.agent.as_deref(), model.as_deref()).dispatch_timeout;
            saved.reviewer(timeout)
        });
        Some(reviewers.collect())
    }

    /// Shows what is kept on this device in place of what is shown.
    fn take_kept(self) {
        let settings = Settings::open();
        self.kept.set(settings.reviewers_text());
        self.are_others_kept.set(false);
        self.is_unkept.set(false);
        match settings.reviewers() {
            Ok(saved) => {
                self.text.set(write_reviewers(&saved));
                self.show(saved);
            }
            Err(invalid) => {
                self.text.set(settings.reviewers_text().unwrap_or_default());
                self.show(Vec::new());
                self.is_broken.set(true);
                self.problem.set(Some(words::reviewers_unread(&invalid.to_string())));
            }
        }
    }

    /// Shows what another tab has kept, unless something here is not kept yet.
    fn adopt(self) {
        if !self.are_others_kept() {
            self.are_others_kept.set(false);
        } else {
            let is_as_kept = self.problem.read_untracked().is_none()
                || self.is_broken.get_untracked() && Some(self.text.get_untracked()) == self.kept.get_untracked();
            let is_undecided = self.are_others_kept.get_untracked();
            match is_as_kept && !is_undecided && !self.is_unkept.get_untracked() {
                true => self.take_kept(),
                false => self.are_others_kept.set(true),
            }
        }
    }

    /// Whether others are kept than those that were read or kept here last.
    fn are_others_kept(self) -> bool {
        Settings::open().reviewers_text() != self.kept.get_untracked()
    }

    /// Shows another list. Who was not chosen before is not chosen now, also where one has another name and all others have theirs.
    fn show(self, saved: Vec<SavedReviewer>) {
        let before = self.saved.get_untracked();
        let others = before
            .iter()
            .zip(&saved)
            .filter(|(before, one)| before.name != one.name);
        let is_renamed = before.len() == saved.len() && others.count() == 1;
        let was_chosen = |(place, one): (usize, &SavedReviewer)| {
            let by_name = before.iter().position(|before| before.name == one.name);
            let place = by_name.or(is_renamed.then_some(place));
            let chosen = self.chosen.read_untracked();
            place.and_then(|place| chosen.get(place).copied()).unwrap_or(true)
        };
        let chosen = saved.iter().enumerate().map(was_chosen).collect();
        self.problem.set(None);
        self.is_broken.set(false);
        self.chosen.set(chosen);
        self.saved.set(saved);
        self.draw_anew();
    }

    /// Draws the fields of all of them anew, as they are kept.
    fn draw_anew(self) {
        self.wrong_times.update(Vec::clear);
        self.lists.update(|lists| *lists += 1);
    }

    /// Keeps a list on this device, unless another tab has kept others meanwhile.
    fn keep_on_device(self, saved: &[SavedReviewer]) {
        self.are_others_kept.set(self.are_others_kept());
        if self.are_others_kept.get_untracked() {
            return;
        }
        let settings = Settings::open();
        self.is_unkept.set(!settings.set_reviewers(saved));
        self.kept.set(settings.reviewers_text());
    }

    /// Keeps what is shown here in place of what another tab has kept.
    fn keep_these(self) {
        self.kept.set(Settings::open().reviewers_text());
        self.are_others_kept.set(false);
        self.read(self.text.get_untracked());
    }

    /// Reads what is typed or was in a file.
    fn read(self, text: String) {
        match read_reviewers(&text) {
            Ok(saved) => {
                self.keep_on_device(&saved);
                self.show(saved);
            }
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
                self.keep_on_device(&saved);
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
        self.draw_anew();
        self.keep();
    }

    fn remove(self, place: usize) {
        self.saved.update(|saved| drop(saved.remove(place)));
        self.chosen.update(|chosen| {
            chosen.remove(place);
        });
        self.draw_anew();
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
        let file = JsonFile {
            summary: "Reviewers as a JSON file",
            label: "Reviewers as JSON",
            buttons: ["Export", "Import…"],
            file: "reviewers.json",
            text: self.text,
            is_wrong: memo(move || problem.read().is_some()),
            read: Callback::new(move |text| self.read(text)),
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
            {file.view(None)}
            {live(move || problem.get().map(|problem| view! { <p class="field-problem" role="alert">{problem}</p> }))}
            {live(move || self.notice())}
            {self.rules.view()}
        }
        .into_any()
    }

    /// That what is shown is not kept, if that is so.
    fn notice(self) -> AnyView {
        if !self.are_others_kept.get() {
            return match self.is_unkept.get() {
                true => super::field::said(words::REVIEWERS_UNKEPT),
                false => ().into_any(),
            };
        }
        view! {
            <div role="alert">
                <p class="field-problem">{words::OTHER_REVIEWERS}</p>
                <div class="footer">
                    <button type="button" class="button" on:click=move |_| self.take_kept()>"Take those"</button>
                    <button type="button" class="button" on:click=move |_| self.keep_these()>"Keep these"</button>
                </div>
            </div>
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
        let wrong_time = memo(move || self.wrong_times.read().contains(&place));
        let set_time = move |event: Event| {
            let text = event_target_value(&event);
            let given: Option<Duration> = timeout(&text);
            let is_wrong = given.is_none() && !text.trim().is_empty();
            self.wrong_times.update(|wrong| {
                wrong.retain(|other| *other != place);
                wrong.extend(is_wrong.then_some(place));
            });
            if !is_wrong {
                self.change(place, |saved| saved.timeout = given);
            }
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
