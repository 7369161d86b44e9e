//! Why a server could not be connected, what that means, and what to do.

use leptos::prelude::*;

use crate::probe::{Finding, normalise_address};
use crate::ui::copy_button::CopyButton;
use crate::ui::icons::Icon;
use crate::ui::server_name::short_name;
use crate::ui::sign::Sign;

/// A finding in words, with its next step.
#[component]
pub(crate) fn Problem(address: String, finding: Finding) -> impl IntoView {
    let base = normalise_address(&address).unwrap_or(address);
    let words = finding.words(&short_name(&base), &base);
    let is_bad = finding != Finding::Starting;
    let sign = if matches!(finding, Finding::PasswordNeeded | Finding::WrongPassword) {
        Sign::Lock
    } else if finding == Finding::Unreachable {
        Sign::NoSignal
    } else if is_bad {
        Sign::Triangle
    } else {
        Sign::Arc
    };
    let role = if is_bad { "alert" } else { "status" };
    let command = words.command.map(|command| {
        let copied = command.clone();
        view! { <p class="connect-command"><code>{command}</code><CopyButton text=copied /></p> }
    });
    view! {
        <div class="connect-problem" data-testid="connect-problem" role=role>
            <span class:tone-bad=is_bad><Icon sign /></span>
            <div class="connect-words">
                <strong>{words.title}</strong>
                <p>{words.explanation}</p>
                <p>{words.next_step}</p>
                {command}
            </div>
        </div>
    }
}
