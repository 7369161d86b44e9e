//! The head of the main column: the title of the page, what there is to say about it, and on a phone what the side
//! bar has elsewhere.

use leptos::prelude::*;

use crate::kit::icons::Icon;
use crate::kit::sign::Sign;
use crate::state::dialogs::{Dialog, Dialogs};

/// The one `h1` of a page, with words beside it.
#[component]
pub(crate) fn Header(title: &'static str, children: Children) -> impl IntoView {
    view! {
        <header class="header">
            <h1 class="header-title">{title}</h1>
            {children()}
            <span class="header-tools">
                <DialogButton dialog=Dialog::Palette sign=Sign::Search name="Search" />
                <DialogButton dialog=Dialog::Settings sign=Sign::Gear name="Settings" />
            </span>
        </header>
    }
    .into_any()
}

/// A button that opens a dialog.
#[component]
pub(crate) fn DialogButton(dialog: Dialog, sign: Sign, name: &'static str) -> impl IntoView {
    let dialogs = expect_context::<Dialogs>();
    view! {
        <button type="button" class="icon-button" aria-label=name title=name on:click=move |_| dialogs.open(dialog)>
            <Icon sign />
        </button>
    }
    .into_any()
}

/// The head of a dialog: its title, a word beside it, and the way out.
#[component]
pub(crate) fn DialogHead(title: &'static str, about: &'static str) -> impl IntoView {
    let dialogs = expect_context::<Dialogs>();
    view! {
        <header class="dialog-head">
            <h2 class="header-title">{title}</h2>
            <p class="header-words">{about}</p>
            <button type="button" class="dialog-close" title="Close" on:click=move |_| dialogs.close()>
                <span class="visually-hidden">"Close "</span><kbd>"Esc"</kbd><Icon sign=Sign::X />
            </button>
        </header>
    }
    .into_any()
}
