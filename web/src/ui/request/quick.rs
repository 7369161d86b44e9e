//! The buttons of a folded request. An option only chooses; a permission is given from here only when the whole
//! command can be read here.

use leptos::prelude::*;
use switchboard_core::model::{Ask, Permission, Question, Reply};

use super::card::Card;
use super::form::Sheet;
use super::title::shortened;
use crate::ui::open_request::OpenRequest;
use crate::ui::visible::visible;

/// A command of at most so many characters is shown whole in a folded row: two lines, three on the narrowest phones.
const READABLE: usize = 72;

/// The quick ways to answer.
#[component]
pub(crate) fn Quick(card: Card) -> impl IntoView {
    let request = card.request();
    let buttons = match &request.ask {
        Ask::Questions(questions) => match questions.as_slice() {
            [question] => of_question(card, question),
            several => more(card, format!("Answer {}…", several.len()), None),
        },
        Ask::Permission(permission) if permission.diff.is_some() => more(card, "Review diff".to_owned(), None),
        Ask::Permission(permission) => of_permission(card, permission),
    };
    view! { <div class="quick" on:click=|event| event.stop_propagation()>{buttons}</div> }
}

fn of_question(card: Card, question: &Question) -> AnyView {
    let options = &question.options;
    if question.multiple || options.len() > 3 {
        return more(card, format!("Pick from {}…", options.len()), None);
    }
    if options.is_empty() {
        return more(card, "Answer…".to_owned(), None);
    }
    let opens = expect_context::<OpenRequest>();
    let shown = options.len().min(2);
    let choices: Vec<AnyView> = options[..shown]
        .iter()
        .map(|option| {
            let (question, label) = (question.clone(), option.label.clone());
            let choose = move |_| {
                card.fill(|form| form.choose(0, &question, &label));
                opens.open(&card.id());
            };
            view! {
                <button type="button" class="button" title=option.description.clone() on:click=choose dir="auto">
                    {shortened(&option.label, 24)}
                </button>
            }
            .into_any()
        })
        .collect();
    let rest = (options.len() > shown || question.custom).then(|| more(card, "More…".to_owned(), None));
    view! { {choices}{rest} }.into_any()
}

fn of_permission(card: Card, permission: &Permission) -> AnyView {
    if !is_readable(permission) {
        return more(card, "Review…".to_owned(), None);
    }
    view! {
        <button type="button" class="button" on:click=move |_| card.send(Reply::Once)>"Allow once"</button>
        {more(card, "Reject…".to_owned(), Some(Sheet::Reject))}
    }
    .into_any()
}

/// True for a command that a folded row shows whole: only beside such a one may it be allowed.
pub(super) fn is_readable(permission: &Permission) -> bool {
    permission.command.as_deref().is_some_and(|command| {
        let shown = visible(command);
        shown.chars().count() <= READABLE && !shown.contains('\n')
    })
}

/// A button that opens the request, with something to confirm if need be.
fn more(card: Card, label: String, sheet: Option<Sheet>) -> AnyView {
    let opens = expect_context::<OpenRequest>();
    let open = move |_| {
        card.form.update(|form| form.sheet = sheet);
        opens.open(&card.id());
    };
    view! { <button type="button" class="button" on:click=open>{label}</button> }.into_any()
}
