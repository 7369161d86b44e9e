//! Fields of the forms, each with what is wrong with it beside it.

use std::time::Duration;

use leptos::ev::SubmitEvent;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast as _;
use leptos::web_sys::{Element, HtmlElement};
use switchboard_core::Budget;

use crate::kit::amount::{bound, dollars, whole};
use crate::kit::erased::live;
use crate::words::workflows as words;

/// A field of one line.
#[component]
pub(super) fn Field(
    /// Its name.
    label: &'static str,
    /// What is typed.
    value: RwSignal<String>,
    /// What is wrong with it.
    #[prop(into)]
    problem: Signal<Option<&'static str>>,
    /// Whether it is for a number.
    #[prop(default = false)]
    is_number: bool,
) -> impl IntoView {
    view! {
        <label class="field" class:field-number=is_number>
            <span class="field-label">{label}</span>
            <input
                class="input"
                class:mono=!is_number
                type="text"
                inputmode=is_number.then_some("decimal")
                autocapitalize="off"
                autocomplete="off"
                spellcheck="false"
                aria-invalid=move || problem.get().map(|_| "true")
                prop:value=value
                on:input=move |event| value.set(event_target_value(&event))
            />
            {live(move || problem.get().map(said))}
        </label>
    }
    .into_any()
}

/// Moves the focus to the first field of a form with which something is wrong, once it is marked as that: what hides it is opened.
pub(super) fn focus_first_wrong(event: &SubmitEvent) {
    let form: Element = event_target(event);
    request_animation_frame(move || {
        let find = |selector: &str| form.query_selector(selector).ok().flatten();
        let Some(wrong) = find("[aria-invalid]").or_else(|| find(".field-problem")) else {
            return;
        };
        let mut above = wrong.parent_element();
        while let Some(element) = above {
            if element.tag_name() == "DETAILS" {
                // Fails only for names that are none.
                let _ = element.set_attribute("open", "");
            }
            above = element.parent_element();
        }
        wrong.scroll_into_view();
        if let Some(field) = wrong.dyn_ref::<HtmlElement>() {
            // Focusing fails only for elements that are gone.
            let _ = field.focus();
        }
    });
}

/// What is wrong with a field.
pub(super) fn said(problem: &'static str) -> AnyView {
    view! { <span class="field-problem" role="alert">{problem}</span> }.into_any()
}

/// What all replies may take, as it is typed; empty is no bound.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    minutes: RwSignal<String>,
    tokens: RwSignal<String>,
    dollars: RwSignal<String>,
}

impl Bounds {
    pub(super) fn new() -> Self {
        Self {
            minutes: RwSignal::default(),
            tokens: RwSignal::default(),
            dollars: RwSignal::default(),
        }
    }

    /// The budget; none when a bound is no number.
    pub(super) fn budget(self) -> Option<Budget> {
        let mut budget = Budget::default();
        budget.tokens = bound(&self.tokens.read(), |text| whole(text, u64::MAX))?;
        budget.cost = bound(&self.dollars.read(), dollars)?;
        let minutes = bound(&self.minutes.read(), |text| whole(text, 100_000))?;
        budget.time = minutes.map(|minutes| Duration::from_secs(minutes * 60));
        Some(budget)
    }

    /// The three fields.
    pub(super) fn view(self) -> AnyView {
        let wrong = |is_wrong: bool| is_wrong.then_some(words::NO_BOUND);
        let tokens = Signal::derive(move || wrong(bound(&self.tokens.read(), |text| whole(text, u64::MAX)).is_none()));
        let cost = Signal::derive(move || wrong(bound(&self.dollars.read(), dollars).is_none()));
        let minutes = Signal::derive(move || wrong(bound(&self.minutes.read(), |text| whole(text, 100_000)).is_none()));
        view! {
            <details class="loop-more">
                <summary>"Limits of all replies together"</summary>
                <div class="field-row">
                    <Field label="Minutes" value=self.minutes problem=minutes is_number=true />
                    <Field label="Tokens" value=self.tokens problem=tokens is_number=true />
                    <Field label="Dollars" value=self.dollars problem=cost is_number=true />
                </div>
            </details>
        }
        .into_any()
    }
}
