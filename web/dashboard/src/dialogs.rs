//! The three dialogs of the page: palette, keyboard help, settings. Everything about a request happens in place.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlDialogElement;

use super::key_help::KeyHelp;
use super::palette::Palette;
use super::settings_dialog::SettingsDialog;

/// A dialog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialog {
    /// Finds sessions and commands.
    Palette,
    /// Says what the keys do.
    Keys,
    /// Appearance, keys, what happens when nobody answers, figures.
    Settings,
}

/// Which dialog is open. Comes from context.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dialogs(RwSignal<Option<Dialog>>);

impl Dialogs {
    /// None is open.
    pub(crate) fn new() -> Self {
        Self(RwSignal::new(None))
    }

    /// Opens a dialog.
    pub(crate) fn open(self, dialog: Dialog) {
        self.0.set(Some(dialog));
    }

    /// Closes the open one; the focus goes back to where it was.
    pub(crate) fn close(self) {
        match document().query_selector("dialog[open]") {
            Ok(Some(open)) => open.unchecked_into::<HtmlDialogElement>().close(),
            Ok(None) | Err(_) => self.0.set(None),
        }
    }

    /// True while one is open: the keys of the page are its own.
    pub(crate) fn is_open(self) -> bool {
        self.0.get_untracked().is_some()
    }
}

/// Shows the open dialog.
#[component]
pub(crate) fn DialogLayer() -> impl IntoView {
    let dialogs = expect_context::<Dialogs>();
    let field = NodeRef::<html::Dialog>::new();
    Effect::new(move || {
        if let Some(dialog) = field.get() {
            // It fails only for a dialog that is open already.
            let _ = dialog.show_modal();
        }
    });
    let pressed = move |event: leptos::ev::MouseEvent| {
        // What lies inside covers the dialog: a press on the dialog itself is one beside it.
        if event.target() == event.current_target() {
            dialogs.close();
        }
    };
    move || {
        let (name, content) = match dialogs.0.get()? {
            Dialog::Palette => ("Search", view! { <Palette /> }.into_any()),
            Dialog::Keys => ("Keyboard", view! { <KeyHelp /> }.into_any()),
            Dialog::Settings => ("Settings", view! { <SettingsDialog /> }.into_any()),
        };
        let dialog = view! {
            <dialog node_ref=field class="dialog" aria-label=name on:close=move |_| dialogs.0.set(None) on:click=pressed>
                {content}
            </dialog>
        };
        Some(dialog.into_any())
    }
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
                <span class="visually-hidden">"Close "</span><kbd>"Esc"</kbd>
            </button>
        </header>
    }
    .into_any()
}
