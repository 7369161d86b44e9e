//! The rules of completion of this device, as a JSON file.

use leptos::prelude::*;
use switchboard_browser::device::settings::Settings;
use switchboard_browser::formats::read_config;
use switchboard_core::completion::CompletionConfig;

use super::field::said;
use super::json_file::JsonFile;
use crate::kit::erased::{live, memo};
use crate::words::workflows as words;

/// The rules as they are typed. What makes sense is kept at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct RulesFile {
    text: RwSignal<String>,
    problem: RwSignal<Option<String>>,
    /// What is changed here is lost with the page.
    is_unkept: RwSignal<bool>,
}

impl RulesFile {
    /// Those of this device. What another tab keeps is shown here, unless what is typed here is wrong.
    pub(super) fn of_device() -> Self {
        let rules = Self {
            text: RwSignal::default(),
            problem: RwSignal::default(),
            is_unkept: RwSignal::new(false),
        };
        rules.show(Settings::open().completion_text());
        let listener = window_event_listener(leptos::ev::storage, move |_| {
            if rules.problem.read_untracked().is_none() && !rules.is_unkept.get_untracked() {
                rules.take_kept();
            }
        });
        on_cleanup(move || listener.remove());
        rules
    }

    /// The rules; none while what is typed cannot be read.
    pub(super) fn rules(self) -> Option<CompletionConfig> {
        read_config(&self.text.read_untracked()).ok()
    }

    fn take_kept(self) {
        let kept = Settings::open().completion_text();
        if *self.text.read_untracked() != kept {
            self.show(kept);
        }
    }

    fn show(self, text: String) {
        self.problem.set(problem_of(&text));
        self.text.set(text);
    }

    fn read(self, text: String) {
        if problem_of(&text).is_none() {
            self.is_unkept.set(!Settings::open().set_completion(&text));
        }
        self.show(text);
    }

    /// The file, and what is wrong with it.
    pub(super) fn view(self) -> AnyView {
        let file = JsonFile {
            summary: "Rules as a JSON file",
            label: "Rules as JSON",
            buttons: ["Export rules", "Import rules…"],
            file: "completion.json",
            text: self.text,
            is_wrong: memo(move || self.problem.read().is_some()),
            read: Callback::new(move |text| self.read(text)),
        };
        view! {
            {file.view(Some(words::RULES))}
            {live(move || self.problem.get().map(|problem| view! { <p class="field-problem" role="alert">{problem}</p> }))}
            {live(move || self.is_unkept.get().then(|| said(words::RULES_UNKEPT)))}
        }
        .into_any()
    }
}

fn problem_of(text: &str) -> Option<String> {
    let invalid = read_config(text).err()?;
    Some(words::rules_unread(&invalid.to_string()))
}
