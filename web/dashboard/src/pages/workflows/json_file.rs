//! What a person may edit as a JSON file: its text, exported and imported.

use leptos::ev::Event;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::kit::download::{download, file_text};

/// Such a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct JsonFile {
    /// The line that opens it.
    pub(super) summary: &'static str,
    /// The name of its field.
    pub(super) label: &'static str,
    /// The buttons that write it to a file, and read one.
    pub(super) buttons: [&'static str; 2],
    /// What it is called when it is exported.
    pub(super) file: &'static str,
    /// What is typed.
    pub(super) text: RwSignal<String>,
    /// Whether something is wrong with it.
    pub(super) is_wrong: Memo<bool>,
    /// Takes what was typed, or stood in a file.
    pub(super) read: Callback<String>,
}

impl JsonFile {
    /// Its text, shut at first, and below it a remark.
    pub(super) fn view(self, remark: Option<&'static str>) -> AnyView {
        let Self {
            summary,
            label,
            buttons: [export, import],
            file,
            text,
            is_wrong,
            read,
        } = self;
        let imported = move |event: Event| {
            spawn_local(async move {
                if let Some(text) = file_text(&event_target(&event)).await {
                    read.run(text.trim_start_matches('\u{feff}').to_owned());
                }
            });
        };
        view! {
            <details class="loop-more">
                <summary>{summary}</summary>
                <label class="field">
                    <span class="field-label">{label}</span>
                    <textarea
                        class="input mono loop-material"
                        rows="8"
                        spellcheck="false"
                        aria-invalid=move || is_wrong.get().then_some("true")
                        prop:value=text
                        on:input=move |event| read.run(event_target_value(&event))
                    ></textarea>
                </label>
                {remark.map(|remark| view! { <p class="remark">{remark}</p> })}
                <div class="footer">
                    <button type="button" class="button" on:click=move |_| download(file, text.get_untracked())>
                        {export}
                    </button>
                    <label class="button loop-import">
                        {import}
                        <input class="visually-hidden" type="file" accept="application/json,.json" on:change=imported />
                    </label>
                </div>
            </details>
        }
        .into_any()
    }
}
