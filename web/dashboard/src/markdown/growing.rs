//! Draws the tree of a text that is still being written.
//!
//! An element is known by its place and kind, and stays while only its content changes: new text is appended to it. So
//! a selection survives, also in the paragraph that grows.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem::discriminant;
use std::sync::Arc;

use leptos::html;
use leptos::prelude::*;

use super::tree::{Block, Inline, Item};
use super::view::{Code, block_view, heading, link};
use crate::kit::erased::memo;
use crate::kit::growing_text::show_growing;
use crate::kit::visible::visible;

/// The views of blocks.
pub(super) fn blocks(blocks: Signal<Vec<Block>>) -> AnyView {
    slots(blocks, Block::Rule, kind_of_block, Arc::new(block))
}

fn inlines(inlines: Signal<Vec<Inline>>) -> AnyView {
    slots(inlines, Inline::Break, kind_of_inline, Arc::new(inline))
}

fn items(items: Signal<Vec<Item>>) -> AnyView {
    slots(items, Item::default(), |item| hash(&item.ticked), Arc::new(item_view))
}

/// The views of a list. An item is drawn anew only when another kind of item stands at its place.
fn slots<T: Clone + PartialEq + Send + Sync + 'static>(
    list: Signal<Vec<T>>,
    gone: T,
    kind: fn(&T) -> u64,
    view: Arc<dyn Fn(Signal<T>) -> AnyView + Send + Sync>,
) -> AnyView {
    let places = memo(move || list.with(|list| list.iter().map(kind).enumerate().collect::<Vec<_>>()));
    let slot = move |(place, _): (usize, u64)| {
        let gone = gone.clone();
        let item = memo(move || list.with(|list| list.get(place).cloned().unwrap_or_else(|| gone.clone())));
        view(item.into())
    };
    view! {
        <For each=move || places.get() key=|place| *place children=slot />
    }
    .into_any()
}

fn kind_of_block(block: &Block) -> u64 {
    match block {
        Block::Paragraph(_) | Block::Plain(_) | Block::Quote(_) => hash(&discriminant(block)),
        Block::Heading { level, .. } => hash(&(discriminant(block), level)),
        Block::Code { language, .. } => hash(&(discriminant(block), language)),
        Block::List { start, .. } => hash(&(discriminant(block), start)),
        Block::Table { .. } | Block::Rule => hash(block),
    }
}

fn kind_of_inline(inline: &Inline) -> u64 {
    match inline {
        Inline::Text(_)
        | Inline::Code(_)
        | Inline::Strong(_)
        | Inline::Emphasis(_)
        | Inline::Struck(_)
        | Inline::Break => hash(&discriminant(inline)),
        Inline::Link { address, .. } => hash(&(discriminant(inline), address)),
    }
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

fn block(block: Signal<Block>) -> AnyView {
    let text = Signal::derive(move || block.with(|block| text_of_block(block).to_vec()));
    match block.get_untracked() {
        Block::Paragraph(_) => view! { <p dir="auto">{inlines(text)}</p> }.into_any(),
        Block::Plain(_) => view! { <div class="plain">{inlines(text)}</div> }.into_any(),
        Block::Heading { level, .. } => heading(level, inlines(text)),
        Block::Code { language, .. } => {
            let text = Signal::derive(move || block.with(code_of));
            view! { <Code language text /> }.into_any()
        }
        Block::Quote(_) => {
            let inner = Signal::derive(move || block.with(blocks_of));
            view! { <blockquote>{blocks(inner)}</blockquote> }.into_any()
        }
        Block::List { start, .. } => {
            let inner = items(Signal::derive(move || block.with(items_of)));
            match start {
                None => view! { <ul>{inner}</ul> }.into_any(),
                Some(start) => view! { <ol start=start.to_string()>{inner}</ol> }.into_any(),
            }
        }
        settled @ (Block::Table { .. } | Block::Rule) => block_view(settled),
    }
}

fn item_view(item: Signal<Item>) -> AnyView {
    let ticked = item.with_untracked(|item| item.ticked);
    let inner = blocks(Signal::derive(move || item.with(|item| item.blocks.clone())));
    super::view::item_view(ticked, inner)
}

fn inline(inline: Signal<Inline>) -> AnyView {
    let inner = Signal::derive(move || inline.with(|inline| text_of_inline(inline).to_vec()));
    match inline.get_untracked() {
        Inline::Text(_) => {
            let element = NodeRef::<html::Span>::new();
            let first = show_growing(move || element.get().map(Into::into), words(inline));
            view! { <span node_ref=element>{first}</span> }.into_any()
        }
        Inline::Code(_) => {
            let element = NodeRef::<html::Code>::new();
            let shown = Signal::derive(move || inline.with(|inline| visible(&inline.plain()).into_owned()));
            let first = show_growing(move || element.get().map(Into::into), shown);
            view! { <code dir="ltr" node_ref=element>{first}</code> }.into_any()
        }
        Inline::Strong(_) => view! { <strong>{inlines(inner)}</strong> }.into_any(),
        Inline::Emphasis(_) => view! { <em>{inlines(inner)}</em> }.into_any(),
        Inline::Struck(_) => view! { <del>{inlines(inner)}</del> }.into_any(),
        Inline::Link { address, .. } => link(address, inlines(inner)),
        Inline::Break => view! { <br /> }.into_any(),
    }
}

fn words(inline: Signal<Inline>) -> Signal<String> {
    Signal::derive(move || inline.with(Inline::plain))
}

fn text_of_block(block: &Block) -> &[Inline] {
    match block {
        Block::Paragraph(text) | Block::Plain(text) | Block::Heading { text, .. } => text,
        Block::Code { .. } | Block::Quote(_) | Block::List { .. } | Block::Table { .. } | Block::Rule => &[],
    }
}

fn text_of_inline(inline: &Inline) -> &[Inline] {
    match inline {
        Inline::Strong(inner) | Inline::Emphasis(inner) | Inline::Struck(inner) => inner,
        Inline::Link { label, .. } => label,
        Inline::Text(_) | Inline::Code(_) | Inline::Break => &[],
    }
}

fn code_of(block: &Block) -> String {
    if let Block::Code { text, .. } = block {
        text.clone()
    } else {
        String::new()
    }
}

fn blocks_of(block: &Block) -> Vec<Block> {
    if let Block::Quote(blocks) = block {
        blocks.clone()
    } else {
        Vec::new()
    }
}

fn items_of(block: &Block) -> Vec<Item> {
    if let Block::List { items, .. } = block {
        items.clone()
    } else {
        Vec::new()
    }
}
