//! Which agent and which model take a prompt: what was chosen, and what there is to choose from.

use leptos::prelude::*;
use leptos::task::spawn_local;
use switchboard_browser::device::settings::Settings;
use switchboard_browser::opencode::http::Offer;
use switchboard_core::PromptOptions;
use switchboard_core::model::{Directory, ModelRef};

use crate::state::connection::Connection;

/// Which agent and which model take the prompts of one place where prompts are written.
///
/// Both are remembered by directory. What was chosen holds also while the lists cannot be read; what is no longer in them
/// gives way to the default.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PromptChoice {
    connection: Connection,
    /// What everything else is about. None until something was read.
    directory: StoredValue<Option<Directory>>,
    chosen: RwSignal<PromptOptions>,
    offer: RwSignal<Option<Offer>>,
    gone: RwSignal<PromptOptions>,
    problem: RwSignal<Option<String>>,
    is_reading: RwSignal<bool>,
}

impl PromptChoice {
    /// The choice of a place that has read nothing yet.
    pub(crate) fn new() -> Self {
        Self {
            connection: expect_context::<Connection>(),
            directory: StoredValue::new(None),
            chosen: RwSignal::default(),
            offer: RwSignal::new(None),
            gone: RwSignal::default(),
            problem: RwSignal::new(None),
            is_reading: RwSignal::new(false),
        }
    }

    /// Reads what there is to choose from in a directory. What was read of it before stays until then.
    pub(crate) fn read(self, directory: &Directory) {
        if !self.is_about(directory) {
            self.directory.set_value(Some(directory.clone()));
            self.chosen.set(self.remembered(directory));
            self.offer.set(None);
            self.problem.set(None);
        } else if self.is_reading.get_untracked() {
            return;
        }
        self.gone.set(PromptOptions::default());
        self.is_reading.set(true);
        let directory = directory.clone();
        let reading = self.connection.offer(&directory);
        spawn_local(async move {
            let read = reading.await;
            // The place may be gone, or about another directory.
            if self.directory.try_get_value().flatten().as_ref() != Some(&directory) {
                return;
            }
            self.is_reading.set(false);
            match read {
                Ok(offer) => self.take(offer),
                Err(error) if self.offer.read_untracked().is_none() => self.problem.set(Some(error.to_string())),
                Err(_) => {}
            }
        });
    }

    /// Reads again after a failure.
    pub(crate) fn read_again(self) {
        if let Some(directory) = self.directory.get_value() {
            self.read(&directory);
        }
    }

    /// What a prompt in this directory names.
    pub(crate) fn options(self, directory: &Directory) -> PromptOptions {
        if self.is_about(directory) {
            self.chosen.get_untracked()
        } else {
            self.remembered(directory)
        }
    }

    /// Chooses an agent; none is the default.
    pub(crate) fn choose_agent(self, agent: Option<String>) {
        self.choose(PromptOptions {
            agent,
            ..self.chosen.get_untracked()
        });
    }

    /// Chooses a model; none is the default.
    pub(crate) fn choose_model(self, model: Option<ModelRef>) {
        self.choose(PromptOptions {
            model,
            ..self.chosen.get_untracked()
        });
    }

    /// What was chosen.
    pub(crate) fn chosen(self) -> ReadSignal<PromptOptions> {
        self.chosen.read_only()
    }

    /// What there is to choose from, once it is read.
    pub(crate) fn offer(self) -> ReadSignal<Option<Offer>> {
        self.offer.read_only()
    }

    /// What had been chosen and was not among it.
    pub(crate) fn gone(self) -> ReadSignal<PromptOptions> {
        self.gone.read_only()
    }

    /// Why nothing can be chosen.
    pub(crate) fn problem(self) -> ReadSignal<Option<String>> {
        self.problem.read_only()
    }

    /// Whether it is being read.
    pub(crate) fn is_reading(self) -> ReadSignal<bool> {
        self.is_reading.read_only()
    }

    fn choose(self, options: PromptOptions) {
        self.gone.set(PromptOptions::default());
        self.keep(options);
    }

    fn take(self, offer: Offer) {
        let mut chosen = self.chosen.get_untracked();
        let gone = PromptOptions {
            agent: chosen.agent.take_if(|agent| !has_agent(&offer, agent)),
            model: chosen.model.take_if(|model| model_name(&offer, model).is_none()),
        };
        if gone != PromptOptions::default() {
            self.gone.set(gone);
            self.keep(chosen);
        }
        self.problem.set(None);
        if self.offer.read_untracked().as_ref() != Some(&offer) {
            self.offer.set(Some(offer));
        }
    }

    fn keep(self, options: PromptOptions) {
        if let Some(directory) = self.directory.get_value() {
            Settings::open().set_prompt_options(&self.connection.base(), &directory, options.clone());
        }
        self.chosen.set(options);
    }

    fn remembered(self, directory: &Directory) -> PromptOptions {
        Settings::open().prompt_options(&self.connection.base(), directory)
    }

    fn is_about(self, directory: &Directory) -> bool {
        self.directory
            .with_value(|about| about.as_ref().is_some_and(|about| about == directory))
    }
}

/// What a model is called, if it is offered.
pub(crate) fn model_name<'a>(offer: &'a Offer, model: &ModelRef) -> Option<&'a str> {
    let mut models = offer.providers.iter().flat_map(|provider| &provider.models);
    models
        .find(|offered| offered.id == *model)
        .map(|offered| offered.name.as_str())
}

/// The model of a prompt that names none: that of the agent, else the session's last.
pub(crate) fn default_model<'a>(
    offer: &'a Offer,
    chosen: &PromptOptions,
    last: &'a PromptOptions,
) -> Option<&'a ModelRef> {
    let agent = chosen.agent.as_ref().or(last.agent.as_ref());
    let agent = offer.agents.iter().find(|offered| Some(&offered.name) == agent);
    agent.and_then(|agent| agent.model.as_ref()).or(last.model.as_ref())
}

fn has_agent(offer: &Offer, agent: &str) -> bool {
    offer.agents.iter().any(|offered| offered.name == agent)
}
