//! Shows the dialog that is open.

use leptos::html;
use leptos::prelude::*;

use crate::app::key_help::key_help_part;
use crate::kit::erased::{effect, live};
use crate::pages::settings_dialog::settings_part;
use crate::side::palette::palette_part;
use crate::state::dialogs::{Dialog, Dialogs};

/// Shows the open dialog.
#[component]
pub(crate) fn DialogLayer() -> impl IntoView {
    let dialogs = expect_context::<Dialogs>();
    let field = NodeRef::<html::Dialog>::new();
    effect(move || {
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
    live(move || {
        let (name, content) = match dialogs.get()? {
            Dialog::Palette => ("Search", palette_part()),
            Dialog::Keys => ("Keyboard", key_help_part()),
            Dialog::Settings => ("Settings", settings_part()),
        };
        let dialog = view! {
            <dialog node_ref=field class="dialog" aria-label=name on:close=move |_| dialogs.closed() on:click=pressed>
                {content}
            </dialog>
        };
        Some(dialog.into_any())
    })
}
