//! The three dialogs of the page: palette, keyboard help, settings. Everything about a request happens in place.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlDialogElement;

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

    /// The open one.
    pub(crate) fn get(self) -> Option<Dialog> {
        self.0.get()
    }

    /// Closes the open one; the focus goes back to where it was.
    pub(crate) fn close(self) {
        if let Some(open) = shown() {
            open.close();
        }
        self.0.set(None);
    }

    /// The browser has closed one, and says so some time later: another may have been opened meanwhile.
    pub(crate) fn closed(self) {
        if shown().is_none() {
            self.0.set(None);
        }
    }

    /// True while one is open: the keys of the page are its own.
    pub(crate) fn is_open(self) -> bool {
        self.0.get_untracked().is_some()
    }
}

/// The one that is on the screen.
fn shown() -> Option<HtmlDialogElement> {
    let open = document().query_selector("dialog[open]").ok().flatten()?;
    Some(open.unchecked_into())
}
