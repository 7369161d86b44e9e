//! Draws the tree of a Markdown text.

use std::hash::{DefaultHasher, Hash, Hasher};

use leptos::html;
use leptos::prelude::*;

use super::growing;
use super::tree::{Block, Cell, Inline, Item, parse};
use crate::kit::copy_button::CopyButton;
use crate::kit::erased::memo;
use crate::kit::excerpt::{MORE, ShowMore, excerpt};
use crate::kit::growing_text::show_growing;
use crate::kit::visible::visible;

/// A Markdown text. What has not changed of it is not drawn again.
#[component]
pub(crate) fn Markdown(
    /// The text.
    #[prop(into)]
    text: Signal<String>,
    /// Whether it is still being written.
    #[prop(optional)]
    grows: bool,
) -> impl IntoView {
    let shown = RwSignal::new(MORE);
    let blocks = memo(move || text.with(|text| parse(excerpt(text, shown.get()))));
    let content = if grows {
        growing::blocks(blocks.into())
    } else {
        let numbered = move || {
            blocks
                .get()
                .into_iter()
                .enumerate()
                .map(Numbered::new)
                .collect::<Vec<_>>()
        };
        view! {
            <For each=numbered key=|numbered| numbered.key let:numbered>
                {block_view(numbered.block)}
            </For>
        }
        .into_any()
    };
    view! {
        <div class="markdown" dir="auto">{content}</div>
        <ShowMore text shown />
    }
}

/// A block that is known by its place and content.
#[derive(Clone, PartialEq)]
struct Numbered {
    key: (usize, u64),
    block: Block,
}

impl Numbered {
    fn new((place, block): (usize, Block)) -> Self {
        let mut hasher = DefaultHasher::new();
        block.hash(&mut hasher);
        Self {
            key: (place, hasher.finish()),
            block,
        }
    }
}

pub(super) fn block_view(block: Block) -> AnyView {
    match block {
        Block::Paragraph(text) => view! { <p dir="auto">{inline_views(text)}</p> }.into_any(),
        Block::Plain(text) => view! { <div class="plain">{inline_views(text)}</div> }.into_any(),
        Block::Heading { level, text } => heading(level, inline_views(text).into_any()),
        Block::Code { language, text } => view! { <Code language text /> }.into_any(),
        Block::Quote(blocks) => view! { <blockquote>{block_views(blocks)}</blockquote> }.into_any(),
        Block::List { start: None, items } => view! { <ul>{item_views(items)}</ul> }.into_any(),
        Block::List {
            start: Some(start),
            items,
        } => view! { <ol start=start.to_string()>{item_views(items)}</ol> }.into_any(),
        Block::Table { head, rows } => table(head, rows),
        Block::Rule => view! { <hr /> }.into_any(),
    }
}

fn block_views(blocks: Vec<Block>) -> Vec<AnyView> {
    blocks.into_iter().map(block_view).collect()
}

/// Headings of a text stand below those of the page.
pub(super) fn heading(level: u8, text: AnyView) -> AnyView {
    match level {
        1 => view! { <h3 dir="auto">{text}</h3> }.into_any(),
        2 => view! { <h4 dir="auto">{text}</h4> }.into_any(),
        _ => view! { <h5 dir="auto">{text}</h5> }.into_any(),
    }
}

#[component]
pub(super) fn Code(language: String, #[prop(into)] text: Signal<String>) -> impl IntoView {
    let element = NodeRef::<html::Code>::new();
    let shown = Signal::derive(move || text.with(|text| visible(text.trim_end_matches('\n')).into_owned()));
    let first = show_growing(move || element.get().map(Into::into), shown);
    view! {
        <div class="code">
            <div class="code-head">
                <span>{language}</span>
                <CopyButton text=text />
            </div>
            <pre dir="ltr" tabindex="0">
                <code node_ref=element>{first}</code>
            </pre>
        </div>
    }
}

fn item_views(items: Vec<Item>) -> Vec<AnyView> {
    items
        .into_iter()
        .map(|item| item_view(item.ticked, block_views(item.blocks).into_any()))
        .collect()
}

pub(super) fn item_view(ticked: Option<bool>, content: AnyView) -> AnyView {
    let box_view = ticked.map(|ticked| {
        let label = if ticked { "done" } else { "to do" };
        view! { <input type="checkbox" disabled checked=ticked aria-label=label /> }
    });
    let class = if ticked.is_some() { "task" } else { "" };
    view! { <li class=class dir="auto">{box_view} {content}</li> }.into_any()
}

fn table(head: Vec<Cell>, rows: Vec<Vec<Cell>>) -> AnyView {
    let head: Vec<_> = head
        .into_iter()
        .map(|cell| view! { <th dir="auto">{inline_views(cell)}</th> })
        .collect();
    let rows: Vec<_> = rows
        .into_iter()
        .map(|row| {
            let cells: Vec<_> = row
                .into_iter()
                .map(|cell| view! { <td dir="auto">{inline_views(cell)}</td> })
                .collect();
            view! { <tr>{cells}</tr> }
        })
        .collect();
    view! {
        <div class="table" tabindex="0">
            <table>
                <thead>
                    <tr>{head}</tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

fn inline_views(inlines: Vec<Inline>) -> Vec<AnyView> {
    inlines.into_iter().map(inline_view).collect()
}

fn inline_view(inline: Inline) -> AnyView {
    match inline {
        Inline::Text(text) => text.into_any(),
        Inline::Code(text) => view! { <code dir="ltr">{visible(&text).into_owned()}</code> }.into_any(),
        Inline::Strong(inner) => view! { <strong>{inline_views(inner)}</strong> }.into_any(),
        Inline::Emphasis(inner) => view! { <em>{inline_views(inner)}</em> }.into_any(),
        Inline::Struck(inner) => view! { <del>{inline_views(inner)}</del> }.into_any(),
        Inline::Link { address, label } => link(address, inline_views(label).into_any()),
        Inline::Break => view! { <br /> }.into_any(),
    }
}

pub(super) fn link(address: String, label: AnyView) -> AnyView {
    let title = visible(&address).into_owned();
    view! {
        <a href=address title=title target="_blank" rel="noopener noreferrer nofollow">
            {label}
        </a>
    }
    .into_any()
}
