//! What a Markdown text consists of, as far as it is shown.
//!
//! Raw HTML is text here, images are links, and a link leads only where a link may. So whatever draws this tree can
//! draw no element and no address that an agent made up. Nesting is bounded: what lies deeper joins its surroundings.

mod address;
mod build;

pub use build::parse;

/// A block of a text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Block {
    /// A paragraph.
    Paragraph(Vec<Inline>),
    /// The text of a list item that is no paragraph of its own.
    Plain(Vec<Inline>),
    /// A heading.
    Heading {
        /// 1 to 6.
        level: u8,
        /// Its text.
        text: Vec<Inline>,
    },
    /// A block of code.
    Code {
        /// What the author calls it; empty when they do not.
        language: String,
        /// The code.
        text: String,
    },
    /// A quotation.
    Quote(Vec<Block>),
    /// A list.
    List {
        /// The number of the first item; none for a list of points.
        start: Option<u64>,
        /// The items.
        items: Vec<Item>,
    },
    /// A table.
    Table {
        /// The cells of its head.
        head: Vec<Cell>,
        /// The cells of its rows.
        rows: Vec<Vec<Cell>>,
    },
    /// A line across.
    Rule,
}

/// The text of one cell of a table.
pub type Cell = Vec<Inline>;

/// An item of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Item {
    /// Whether it is ticked; none when it has no box.
    pub ticked: Option<bool>,
    /// What it says.
    pub blocks: Vec<Block>,
}

/// A piece of a line.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Inline {
    /// Text.
    Text(String),
    /// Code.
    Code(String),
    /// Important text.
    Strong(Vec<Inline>),
    /// Stressed text.
    Emphasis(Vec<Inline>),
    /// Text that was taken back.
    Struck(Vec<Inline>),
    /// A link to somewhere else, always with `http:`, `https:` or `mailto:`.
    Link {
        /// Where it leads.
        address: String,
        /// What it is called.
        label: Vec<Inline>,
    },
    /// The end of a line.
    Break,
}

impl Inline {
    /// The text without its form.
    #[must_use]
    pub fn plain(&self) -> String {
        match self {
            Inline::Text(text) | Inline::Code(text) => text.clone(),
            Inline::Strong(inner) | Inline::Emphasis(inner) | Inline::Struck(inner) => plain(inner),
            Inline::Link { label, .. } => plain(label),
            Inline::Break => "\n".to_owned(),
        }
    }
}

/// The text of several pieces without their form.
#[must_use]
pub fn plain(inlines: &[Inline]) -> String {
    inlines.iter().map(Inline::plain).collect()
}

/// The beginning of a text without its form, on one line: of its first block that says something.
#[must_use]
pub fn preview(blocks: &[Block]) -> String {
    let text = |block: &Block| {
        let text = match block {
            Block::Paragraph(text) | Block::Plain(text) | Block::Heading { text, .. } => plain(text),
            Block::Code { text, .. } => text.clone(),
            Block::Quote(inner) => preview(inner),
            Block::List { items, .. } => items
                .iter()
                .map(|item| preview(&item.blocks))
                .find(|text| !text.is_empty())
                .unwrap_or_default(),
            Block::Table { head, .. } => head.iter().map(|cell| plain(cell)).collect::<Vec<_>>().join(" "),
            Block::Rule => String::new(),
        };
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    blocks
        .iter()
        .map(text)
        .find(|text| !text.is_empty())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preview_is_one_line_without_marks() {
        for (text, shown) in [
            ("**Why**: because `x`\nand more", "Why: because x and more"),
            ("# Done\n\nIt is.", "Done"),
            ("---\n\n- first\n- second", "first"),
            ("> > quoted", "quoted"),
            ("", ""),
        ] {
            assert_eq!(preview(&parse(text)), shown);
        }
    }
}
