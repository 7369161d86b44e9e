//! Chooses a policy: after how long, what then, and with which option.

use leptos::ev::Event;
use leptos::prelude::*;
use switchboard_core::policy::{Policy, Then};

use crate::kit::erased::{live, memo};
use crate::words::unattended::{AFTER, Scope, after, is_same};

/// One policy. For a session there may be none: then it is as for all.
#[component]
pub(crate) fn PolicyChoice(
    /// What it is for.
    scope: Scope,
    /// The present one.
    policy: Signal<Option<Policy>>,
    /// Called with another one.
    on_change: Callback<Option<Policy>>,
) -> impl IntoView {
    let change = move |change: &dyn Fn(&mut Policy)| {
        let mut policy = policy.get_untracked().unwrap_or_else(Policy::never);
        change(&mut policy);
        on_change.run(Some(policy));
    };
    let then = memo(move || {
        let policy = policy.get()?;
        policy.after.map(|_| policy.then)
    });
    let consequence = memo(move || policy.with(|policy| scope.consequence(policy.as_ref()?)));
    let when = times(scope, policy, on_change);
    let has_then = memo(move || then.read().is_some());
    let has_label = memo(move || matches!(*then.read(), Some(Then::Answer(_))));
    let offers = move || {
        has_then.get().then(|| {
            let choose = move |event| {
                if let Some((_, then)) = chosen_of(&event, scope.offers()) {
                    change(&|policy| policy.then = then());
                }
            };
            let choices = scope.offers().iter().enumerate().map(|(place, (name, each))| {
                let is_chosen = move || then.read().as_ref().is_some_and(|then| is_same(then, &each()));
                view! { <option value=place.to_string() prop:selected=is_chosen>{*name}</option> }.into_any()
            });
            let choices = choices.collect_view();
            view! { <label>"Then"<select class="input" on:change=choose>{choices}</select></label> }.into_any()
        })
    };
    let label = move || {
        has_label.get().then(|| {
            let text = move || match then.get() {
                Some(Then::Answer(label)) => label,
                Some(Then::Leave | Then::Reject) | None => String::new(),
            };
            let write = move |label: &str| change(&|policy| policy.then = Then::Answer(label.to_owned()));
            view! {
                <label>
                    "Option"
                    <input
                        type="text"
                        class="input"
                        dir="auto"
                        autocomplete="off"
                        prop:value=text
                        on:input=move |event| write(&event_target_value(&event))
                        on:change=move |event| write(event_target_value(&event).trim())
                    />
                </label>
            }
            .into_any()
        })
    };
    view! {
        <div class="policy" role="group" aria-label=scope.name()>
            {when}
            {live(offers)}
            {live(label)}
            {live(move || consequence.get().map(|words| view! { <p class="remark">{words}</p> }.into_any()))}
        </div>
    }
    .into_any()
}

/// After how long. A session has one choice more.
fn times(scope: Scope, policy: Signal<Option<Policy>>, on_change: Callback<Option<Policy>>) -> AnyView {
    let as_for_all = (scope == Scope::Session).then_some(("As for all".to_owned(), None));
    let choices: Vec<(String, Option<Option<std::time::Duration>>)> = as_for_all
        .into_iter()
        .chain(AFTER.map(|time| (after(time), Some(time))))
        .collect();
    let options = choices.iter().cloned().enumerate().map(|(place, (name, time))| {
        let is_chosen = move || policy.with(|policy| policy.as_ref().map(|policy| policy.after) == time);
        view! { <option value=place.to_string() prop:selected=is_chosen>{name}</option> }.into_any()
    });
    let options = options.collect_view();
    let choose = move |event| {
        let Some((_, time)) = chosen_of(&event, &choices) else {
            return;
        };
        on_change.run(time.map(|after| {
            let then = policy.get_untracked().map(|policy| policy.then);
            let then = then.filter(|_| after.is_some()).unwrap_or_default();
            Policy { after, then }
        }));
    };
    view! { <label>{scope.name()}<select class="input" on:change=choose>{options}</select></label> }.into_any()
}

/// What was chosen from a list whose values are the places in it.
fn chosen_of<'a, T>(event: &Event, list: &'a [T]) -> Option<&'a T> {
    list.get(event_target_value(event).parse::<usize>().ok()?)
}
