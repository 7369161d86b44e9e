//! Chooses the agent and the model that take a message.

use leptos::ev::Event;
use leptos::prelude::*;
use switchboard_browser::opencode::http::Offer;
use switchboard_core::PromptOptions;

use crate::kit::erased::{live, memo};
use crate::state::prompt_choice::{PromptChoice, default_model, model_name};
use crate::words::prompt_choice::{default_choice, gone, unread};

/// The two lists, once they are read, and what is wrong with them.
#[component]
pub(crate) fn PromptChoiceRow(
    /// What is chosen.
    choice: PromptChoice,
    /// Which agent and which model the session's last prompt named.
    #[prop(into)]
    last: Signal<PromptOptions>,
) -> impl IntoView {
    let lists = move || choice.offer().get().map(|offer| lists(choice, offer, last));
    let gone = move || {
        let said = gone(&choice.gone().read())?;
        Some(view! { <p class="choice-note" role="alert">{said}</p> }.into_any())
    };
    let problem = move || {
        let said = choice
            .problem()
            .with(|problem| Some(unread(problem.as_ref()?, &choice.chosen().read())))?;
        let again = view! {
            <p class="choice-note">
                <span role="status">{said}</span>
                " "
                <button
                    type="button"
                    class="link"
                    aria-busy=move || choice.is_reading().get().then_some("true")
                    on:click=move |_| choice.read_again()
                >
                    {live(move || if choice.is_reading().get() { "Trying…" } else { "Try again" })}
                </button>
            </p>
        };
        Some(again.into_any())
    };
    view! { <div class="choice" data-testid="prompt-choice">{live(lists)}{live(gone)}{live(problem)}</div> }.into_any()
}

fn lists(choice: PromptChoice, offer: Offer, last: Signal<PromptOptions>) -> AnyView {
    let offer = StoredValue::new(offer);
    let chosen = choice.chosen();
    let agent = memo(move || default_choice(last.read().agent.as_deref()));
    let model = memo(move || {
        offer.with_value(|offer| {
            let model = default_model(offer, &chosen.read(), &last.read()).cloned();
            let name = model.map(|model| model_name(offer, &model).map_or_else(|| model.to_string(), str::to_owned));
            default_choice(name.as_deref())
        })
    });
    let Offer { agents, providers } = offer.get_value();
    let agents: Vec<_> = agents.into_iter().map(|agent| agent.name).collect();
    let agent_options = options(
        &agents,
        0,
        |agent| agent.clone(),
        move |agent| chosen.read().agent.as_ref() == Some(agent),
    );
    let choose_agent = move |event: Event| choice.choose_agent(named(&event, &agents));
    let models: Vec<_> = providers.iter().flat_map(|provider| provider.models.clone()).collect();
    let mut before = 0;
    let groups = providers.into_iter().map(|provider| {
        let options = options(
            &provider.models,
            before,
            |model| model.name.clone(),
            move |model| chosen.read().model.as_ref() == Some(&model.id),
        );
        before += provider.models.len();
        view! { <optgroup label=provider.name>{options}</optgroup> }.into_any()
    });
    let groups = groups.collect_view();
    let choose_model = move |event: Event| choice.choose_model(named(&event, &models).map(|model| model.id));
    view! {
        <label>
            "Agent"
            <select class="input" dir="auto" on:change=choose_agent>
                <option value="" prop:selected=move || chosen.read().agent.is_none()>{agent}</option>
                {agent_options}
            </select>
        </label>
        <label>
            "Model"
            <select class="input" dir="auto" on:change=choose_model>
                <option value="" prop:selected=move || chosen.read().model.is_none()>{model}</option>
                {groups}
            </select>
        </label>
    }
    .into_any()
}

/// One option for each of these, whose value is its place: `before` of them stand in front.
fn options<T: Clone + Send + Sync + 'static>(
    each: &[T],
    before: usize,
    name: fn(&T) -> String,
    is_chosen: impl Fn(&T) -> bool + Copy + Send + Sync + 'static,
) -> AnyView {
    let options = each.iter().cloned().enumerate().map(|(place, one)| {
        let name = name(&one);
        let value = (before + place).to_string();
        view! { <option value=value prop:selected=move || is_chosen(&one)>{name}</option> }.into_any()
    });
    options.collect_view().into_any()
}

/// What was chosen from a list whose values are the places in it; none is the default.
fn named<T: Clone>(event: &Event, list: &[T]) -> Option<T> {
    list.get(event_target_value(event).parse::<usize>().ok()?).cloned()
}
