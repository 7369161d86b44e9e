//! Why a server could not be connected, what that means, and what to do.

use leptos::prelude::*;

use crate::kit::copy_button::CopyButton;
use crate::kit::icons::Icon;
use crate::kit::sign::Sign;
use crate::words::server_name::short_name;
use switchboard_browser::opencode::probe::{Finding, TRIES, normalise_address, starting};

/// A finding in words, with its next step.
#[component]
pub(crate) fn Problem(
    address: String,
    finding: Finding,
    /// The number of the try that follows by itself.
    next_try: Option<u32>,
) -> impl IntoView {
    let base = normalise_address(&address).unwrap_or(address);
    let name = short_name(&base);
    let words = next_try.map_or_else(|| finding.words(&name, &base), |next| starting(&name, next, TRIES));
    let is_fine = matches!(finding, Finding::Fine { .. });
    let is_bad = next_try.is_none() && !is_fine;
    let sign = if next_try.is_some() {
        Sign::Arc
    } else if is_fine {
        Sign::CheckCircle
    } else if matches!(finding, Finding::PasswordNeeded | Finding::WrongPassword) {
        Sign::Lock
    } else if matches!(finding, Finding::Unreachable | Finding::Silent) {
        Sign::NoSignal
    } else {
        Sign::Triangle
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
