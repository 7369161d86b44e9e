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

    /// The open one has closed.
    pub(crate) fn closed(self) {
        self.0.set(None);
    }

    /// Closes the open one; the focus goes back to where it was.
    pub(crate) fn close(self) {
        match document().query_selector("dialog[open]") {
            Ok(Some(open)) => open.unchecked_into::<HtmlDialogElement>().close(),
            Ok(None) | Err(_) => self.closed(),
        }
    }

    /// True while one is open: the keys of the page are its own.
    pub(crate) fn is_open(self) -> bool {
        self.0.get_untracked().is_some()
    }
}
