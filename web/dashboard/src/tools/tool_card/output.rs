//! A text that went into a tool or came out of it.

use leptos::html::Pre;
use leptos::prelude::*;

use crate::kit::copy_button::CopyButton;
use crate::kit::erased::{Show, live, memo};
use crate::kit::excerpt::{MORE, ShowMore, excerpt, last_lines};
use crate::kit::growing_text::show_growing;
use crate::kit::visible::visible;
use crate::words::cut_text::all_lines;

const LINES: usize = 12;
const FOLDED_MAX: usize = 4 * 1024;

/// Which end of a long text is shown first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The beginning.
    First,
    /// The end, as of something that is still being written.
    Last,
}

/// A text, twelve lines of it until the whole is asked for.
#[component]
pub(super) fn Output(
    /// The text.
    text: Signal<String>,
    /// Which end is shown first.
    end: End,
) -> impl IntoView {
    let all = RwSignal::new(false);
    let unfolded = RwSignal::new(MORE);
    let shown = memo(move || {
        text.with(|text| {
            let shown = match (all.get(), end) {
                (true, _) => excerpt(text, unfolded.get()),
                (false, End::Last) => last_lines(text, LINES, FOLDED_MAX),
                (false, End::First) => first_lines(text),
            };
            visible(shown.trim_end_matches('\n')).into_owned()
        })
    });
    let element = NodeRef::<Pre>::new();
    let first = show_growing(move || element.get().map(Into::into), shown.into());
    let lines = memo(move || text.with(|text| text.trim_end_matches('\n').lines().count()));
    let folded = memo(move || !all.get() && text.with(|text| is_long(text)));
    view! {
        <div class="output">
            <pre dir="ltr" tabindex="0" node_ref=element>{first}</pre>
                <Show when=move || folded.get()>
                    <button class="show-all" type="button" on:click=move |_| all.set(true)>
                        {live(move || all_lines(lines.get()))}
                    </button>
                </Show>
                <Show when=move || all.get()>
                    <ShowMore text shown=unfolded />
                </Show>
            <CopyButton text />
        </div>
    }
}

fn first_lines(text: &str) -> &str {
    let end = text.match_indices('\n').nth(LINES - 1).map_or(text.len(), |(at, _)| at);
    excerpt(&text[..end], FOLDED_MAX)
}

fn is_long(text: &str) -> bool {
    let text = text.trim_end_matches('\n');
    text.len() > FOLDED_MAX || text.lines().nth(LINES).is_some()
}
