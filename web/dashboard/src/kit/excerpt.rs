//! Bounds what is shown of a huge text until the whole is asked for.

#[cfg(target_family = "wasm")]
use leptos::prelude::*;

#[cfg(target_family = "wasm")]
use crate::kit::erased::{Show, live, memo};

/// Returns the text up to `limit` bytes, cut after a line where that loses little.
#[must_use]
pub fn excerpt(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let begin = &text[..text.floor_char_boundary(limit)];
    match begin.rfind('\n') {
        Some(end) if end > limit / 2 => &begin[..end],
        Some(_) | None => begin,
    }
}

/// Returns the last lines of the text, at most `count` of them and at most `limit` bytes.
#[must_use]
pub fn last_lines(text: &str, count: usize, limit: usize) -> &str {
    let text = text.trim_end_matches('\n');
    let begin = text
        .rmatch_indices('\n')
        .nth(count.saturating_sub(1))
        .map_or(0, |(at, _)| at + 1);
    let bounded = text.ceil_char_boundary(text.len().saturating_sub(limit));
    &text[begin.max(bounded)..]
}

/// How much more of a text the button below it shows at once, in bytes: a browser takes seconds to lay out more.
#[cfg(target_family = "wasm")]
pub(crate) const MORE: usize = 256 * 1024;

/// The button that shows more of a text; nothing when all of it is shown.
#[cfg(target_family = "wasm")]
#[component]
pub(crate) fn ShowMore(
    /// The text.
    text: Signal<String>,
    /// How much of it is shown, in bytes.
    shown: RwSignal<usize>,
) -> impl IntoView {
    let length = memo(move || text.with(String::len));
    let label = move || {
        let all = length.get().div_ceil(1024);
        if length.get() <= shown.get() + MORE {
            format!("Show all {all} KB")
        } else {
            format!("Show more of {all} KB")
        }
    };
    view! {
        <Show when=move || { length.get() > shown.get() }>
            <button class="show-all" type="button" on:click=move |_| shown.update(|shown| *shown += MORE)>
                {live(label)}
            </button>
        </Show>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_is_whole() {
        assert_eq!(excerpt("a\nb", 10), "a\nb");
        assert_eq!(last_lines("a\nb\n", 12, 100), "a\nb");
    }

    #[test]
    fn a_long_text_is_cut_between_lines_and_characters() {
        assert_eq!(excerpt("abcdef\nghijkl", 10), "abcdef");
        assert_eq!(excerpt("ööööö", 5), "öö");
        assert_eq!(last_lines("1\n2\n3\n4\n", 2, 100), "3\n4");
        assert_eq!(last_lines("öööö", 2, 5), "öö");
    }
}
