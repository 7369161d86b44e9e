//! Bounds what is shown of a huge text until the whole is asked for.

#[cfg(target_family = "wasm")]
use leptos::prelude::*;

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

/// The button that shows the whole of a text that exceeds `limit`; nothing when it does not.
#[cfg(target_family = "wasm")]
#[component]
pub(crate) fn Excerpt(
    /// The text.
    text: Signal<String>,
    /// How much of it is shown at first, in bytes.
    limit: usize,
    /// Set when the whole is asked for.
    whole: RwSignal<bool>,
) -> impl IntoView {
    let kilobytes = Memo::new(move |_| text.with(|text| text.len().div_ceil(1024)));
    let folded = Memo::new(move |_| !whole.get() && text.with(|text| text.len() > limit));
    view! {
        <Show when=move || folded.get()>
            <button class="show-all" type="button" on:click=move |_| whole.set(true)>
                {move || format!("Show all {} KB", kilobytes.get())}
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
