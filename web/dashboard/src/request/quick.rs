//! The buttons of a folded request. An option only chooses; a permission is given from here only when the whole
//! command can be read here.

use leptos::prelude::*;
use switchboard_core::model::{Ask, Permission, Question, Reply};

use super::card::Card;
use super::subject::named;
use crate::kit::erased::live;
use crate::kit::icons::Icon;
use crate::kit::sign::Sign;
use crate::kit::viewport::IsPhone;
use crate::kit::visible::visible;
use crate::state::form::Sheet;
use crate::state::open_request::OpenRequest;
use crate::words::answering;
use crate::words::request_title::shortened;

/// A command of at most so many characters is shown whole in a folded row: two lines, three on the narrowest phones.
const READABLE: usize = 72;

/// The quick ways to answer.
#[component]
pub(crate) fn Quick(card: Card) -> impl IntoView {
    let is_phone = expect_context::<IsPhone>();
    view! {
        <div class="quick" on:click=|event| event.stop_propagation()>{live(move || if card.is_changed.get() {
            more(card, "Review…".to_owned(), None)
        } else {
            buttons(card, is_phone.get())
        })}</div>
    }
    .into_any()
}

fn buttons(card: Card, is_phone: bool) -> AnyView {
    let request = card.request();
    // A phone has room for words, and opens the request as a page.
    let way = |label| {
        if is_phone {
            page(card, label)
        } else {
            more(card, label, None)
        }
    };
    match &request.ask {
        Ask::Questions(questions) => match questions.as_slice() {
            [question] if question.multiple || question.options.len() > 3 => {
                way(answering::pick_from(question.options.len(), is_phone))
            }
            [question] => of_question(card, question, is_phone),
            several => way(answering::answer_all(several.len(), is_phone)),
        },
        Ask::Permission(permission) if permission.diff.is_some() && is_phone => page(card, "Review diff".to_owned()),
        Ask::Permission(permission) if permission.diff.is_some() => more(card, "Review diff".to_owned(), None),
        Ask::Permission(permission) => of_permission(card, permission),
    }
}

fn of_question(card: Card, question: &Question, is_phone: bool) -> AnyView {
    let options = &question.options;
    if options.is_empty() {
        return more(card, "Answer…".to_owned(), None);
    }
    let shown = options.len().min(if is_phone { 3 } else { 2 });
    let choices: Vec<AnyView> = options
        .iter()
        .take(shown)
        .enumerate()
        .map(|(place, option)| {
            let choose = move || card.fill(|form| form.choose(0, place));
            let label = shortened(&visible(&option.label), 24);
            button(card, label, visible(&option.description).into_owned(), Box::new(choose))
        })
        .collect();
    let rest = if is_phone && question.custom {
        Some("Own answer…")
    } else if question.custom || options.len() > shown {
        Some("More…")
    } else {
        None
    };
    let rest =
        rest.map(|label| view! { <span class="quick-rest">{more(card, label.to_owned(), None)}</span> }.into_any());
    choices.into_iter().chain(rest).collect_view().into_any()
}

fn of_permission(card: Card, permission: &Permission) -> AnyView {
    if !is_readable(permission) || named(&card.view.read()).is_some() {
        return more(card, "Review…".to_owned(), None);
    }
    view! {
        <button type="button" class="button" aria-disabled=card.held() on:click=move |_| card.send(Reply::Once)>"Allow once"</button>
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
    let confirm = move || card.form.update(|form| form.sheet = sheet);
    button(card, label, String::new(), Box::new(confirm))
}

/// A button as wide as the page that opens the request on a page of its own.
fn page(card: Card, label: String) -> AnyView {
    let opens = expect_context::<OpenRequest>();
    view! {
        <button type="button" class="button way" on:click=move |_| opens.open(&card.key_of_request())>
            {label}<Icon sign=Sign::ChevronRight />
        </button>
    }
    .into_any()
}

/// A button that does something and opens the request.
fn button(card: Card, label: String, about: String, first: Box<dyn Fn()>) -> AnyView {
    let opens = expect_context::<OpenRequest>();
    let press = move |_| {
        first();
        opens.open(&card.key_of_request());
    };
    view! { <button type="button" class="button" title=about on:click=press dir="auto">{label}</button> }.into_any()
}
