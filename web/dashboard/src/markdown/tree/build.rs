//! Builds the tree from the events of the Markdown parser.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TextMergeStream};

use super::{Block, Inline, Item, address};

const NESTING_MAX: usize = 24;

/// Reads a Markdown text: CommonMark with tables, task lists and strikethrough.
#[must_use]
pub fn parse(text: &str) -> Vec<Block> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH;
    let mut builder = Builder::default();
    for event in TextMergeStream::new(Parser::new_ext(text, options)) {
        builder.handle(event);
    }
    builder.finish()
}

/// An element that has begun and not ended.
#[derive(Default)]
struct Open {
    kind: Kind,
    blocks: Vec<Block>,
    inlines: Vec<Inline>,
    items: Vec<Item>,
    rows: Vec<Vec<Vec<Inline>>>,
    cells: Vec<Vec<Inline>>,
    ticked: Option<bool>,
}

#[derive(Default)]
enum Kind {
    /// Holds blocks and is not shown itself: the whole text, or an element this version does not know.
    #[default]
    Root,
    Paragraph,
    Heading(u8),
    Code(String),
    Html,
    Quote,
    List(Option<u64>),
    Item,
    Table,
    Row,
    Cell,
    Strong,
    Emphasis,
    Struck,
    Link(String),
    Image(String),
}

struct Builder {
    /// The outermost first; never empty.
    open: Vec<Open>,
    /// Elements that have begun below the deepest level that is kept.
    skipped: usize,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            open: vec![Open::default()],
            skipped: 0,
        }
    }
}

impl Builder {
    fn handle(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.begin(kind_of(tag)),
            Event::End(_) => self.end(),
            Event::Text(text) => self.words(&text),
            Event::InlineHtml(text) => self.text(&text),
            Event::Html(text) => self.html(&text),
            Event::Code(code) => self.top().inlines.push(Inline::Code(code.into_string())),
            Event::SoftBreak => self.text("\n"),
            Event::HardBreak => self.top().inlines.push(Inline::Break),
            Event::Rule => self.block(Block::Rule),
            Event::TaskListMarker(ticked) => self.tick(ticked),
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => self.text(&text),
        }
    }

    fn begin(&mut self, kind: Kind) {
        // Items, rows and cells are what their list or table holds: they are as deep as it was allowed to be.
        let belongs = matches!(kind, Kind::Item | Kind::Row | Kind::Cell);
        if self.skipped > 0 || (self.open.len() >= NESTING_MAX && !belongs) {
            self.skipped += 1;
            self.separate();
            return;
        }
        let is_image = matches!(kind, Kind::Image(_));
        self.open.push(Open {
            kind,
            ..Open::default()
        });
        if is_image {
            self.text("Image: ");
        }
    }

    fn end(&mut self) {
        if self.skipped > 0 {
            self.skipped -= 1;
            return;
        }
        if self.open.len() < 2 {
            return;
        }
        let Some(mut ended) = self.open.pop() else { return };
        match std::mem::take(&mut ended.kind) {
            Kind::Root | Kind::Html => ended.into_blocks().into_iter().for_each(|block| self.block(block)),
            Kind::Paragraph => self.block(Block::Paragraph(ended.inlines)),
            Kind::Heading(level) => self.block(Block::Heading {
                level,
                text: ended.inlines,
            }),
            Kind::Code(language) => self.block(Block::Code {
                language,
                text: super::plain(&ended.inlines),
            }),
            Kind::Quote => self.block(Block::Quote(ended.into_blocks())),
            Kind::List(start) => self.block(Block::List {
                start,
                items: ended.items,
            }),
            Kind::Item => {
                let ticked = ended.ticked;
                self.top().items.push(Item {
                    ticked,
                    blocks: ended.into_blocks(),
                });
            }
            Kind::Table => {
                let mut rows = ended.rows.into_iter();
                let head = rows.next().unwrap_or_default();
                self.block(Block::Table {
                    head,
                    rows: rows.collect(),
                });
            }
            Kind::Row => self.top().rows.push(ended.cells),
            Kind::Cell => self.top().cells.push(ended.inlines),
            Kind::Strong => self.top().inlines.push(Inline::Strong(ended.inlines)),
            Kind::Emphasis => self.top().inlines.push(Inline::Emphasis(ended.inlines)),
            Kind::Struck => self.top().inlines.push(Inline::Struck(ended.inlines)),
            Kind::Link(to) | Kind::Image(to) => self.top().inlines.extend(address::link(&to, ended.inlines)),
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(Inline::Text(before)) = self.top().inlines.last_mut() {
            before.push_str(text);
        } else {
            self.top().inlines.push(Inline::Text(text.to_owned()));
        }
    }

    /// Text in which addresses become links, except inside code and inside a link.
    fn words(&mut self, text: &str) {
        let is_plain = self
            .open
            .iter()
            .all(|open| !matches!(open.kind, Kind::Code(_) | Kind::Html | Kind::Link(_) | Kind::Image(_)));
        let mut rest = text;
        while let Some(found) = is_plain.then(|| address::find(rest)).flatten() {
            let (before, address) = (&rest[..found.start], &rest[found.clone()]);
            if !before.is_empty() {
                self.text(before);
            }
            let label = vec![Inline::Text(address.to_owned())];
            self.top().inlines.extend(address::link(address, label));
            rest = &rest[found.end..];
        }
        if !rest.is_empty() {
            self.text(rest);
        }
    }

    fn tick(&mut self, ticked: bool) {
        let item = self.open.iter_mut().rev().find(|open| matches!(open.kind, Kind::Item));
        if let Some(item) = item {
            item.ticked = Some(ticked);
        }
    }

    /// HTML is shown as its author wrote it, line by line.
    fn html(&mut self, text: &str) {
        for (at, line) in text.trim_end_matches('\n').split('\n').enumerate() {
            if at > 0 || !self.top().inlines.is_empty() {
                self.top().inlines.push(Inline::Break);
            }
            self.text(line);
        }
    }

    fn block(&mut self, block: Block) {
        let top = self.top();
        top.flush();
        top.blocks.push(block);
    }

    /// Keeps words apart that stood in elements which are not kept.
    fn separate(&mut self) {
        if !self.top().inlines.is_empty() {
            self.text(" ");
        }
    }

    fn top(&mut self) -> &mut Open {
        self.open.last_mut().expect("the root is never closed")
    }

    fn finish(mut self) -> Vec<Block> {
        self.skipped = 0;
        while self.open.len() > 1 {
            self.end();
        }
        self.open.pop().map(Open::into_blocks).unwrap_or_default()
    }
}

impl Open {
    /// Makes a block of text that stands among blocks.
    fn flush(&mut self) {
        if !self.inlines.is_empty() {
            self.blocks.push(Block::Plain(std::mem::take(&mut self.inlines)));
        }
    }

    fn into_blocks(mut self) -> Vec<Block> {
        self.flush();
        self.blocks
    }
}

fn kind_of(tag: Tag<'_>) -> Kind {
    match tag {
        Tag::Paragraph => Kind::Paragraph,
        Tag::Heading { level, .. } => Kind::Heading(number(level)),
        Tag::BlockQuote(_) => Kind::Quote,
        Tag::CodeBlock(CodeBlockKind::Fenced(info)) => {
            Kind::Code(info.split_whitespace().next().unwrap_or_default().to_owned())
        }
        Tag::CodeBlock(CodeBlockKind::Indented) => Kind::Code(String::new()),
        Tag::HtmlBlock => Kind::Html,
        Tag::List(start) => Kind::List(start),
        Tag::Item => Kind::Item,
        Tag::Table(_) => Kind::Table,
        Tag::TableHead | Tag::TableRow => Kind::Row,
        Tag::TableCell => Kind::Cell,
        Tag::Emphasis => Kind::Emphasis,
        Tag::Strong => Kind::Strong,
        Tag::Strikethrough => Kind::Struck,
        Tag::Link { dest_url, .. } => Kind::Link(dest_url.into_string()),
        Tag::Image { dest_url, .. } => Kind::Image(dest_url.into_string()),
        Tag::FootnoteDefinition(_)
        | Tag::DefinitionList
        | Tag::DefinitionListTitle
        | Tag::DefinitionListDefinition
        | Tag::Superscript
        | Tag::Subscript
        | Tag::MetadataBlock(_) => Kind::Root,
    }
}

fn number(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::tree::plain;

    fn text(text: &str) -> Inline {
        Inline::Text(text.to_owned())
    }

    fn link(address: &str, label: &str) -> Inline {
        Inline::Link {
            address: address.to_owned(),
            label: vec![text(label)],
        }
    }

    fn paragraph(markdown: &str) -> Vec<Inline> {
        match parse(markdown).as_slice() {
            [Block::Paragraph(inlines)] => inlines.clone(),
            other => panic!("not one paragraph: {other:?}"),
        }
    }

    #[test]
    fn the_forms_that_agents_use_are_understood() {
        let blocks = parse(
            "# Plan\n\nUse `a` and **b**.\n\n- [x] one\n- two\n  1. deep\n\n```rust\nlet a = 1;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> said\n\n---",
        );
        let item = |ticked, blocks| Item { ticked, blocks };
        let plain = |content: &str| Block::Plain(vec![text(content)]);
        let expected = vec![
            Block::Heading {
                level: 1,
                text: vec![text("Plan")],
            },
            Block::Paragraph(vec![
                text("Use "),
                Inline::Code("a".to_owned()),
                text(" and "),
                Inline::Strong(vec![text("b")]),
                text("."),
            ]),
            Block::List {
                start: None,
                items: vec![
                    item(Some(true), vec![plain("one")]),
                    item(
                        None,
                        vec![
                            plain("two"),
                            Block::List {
                                start: Some(1),
                                items: vec![item(None, vec![plain("deep")])],
                            },
                        ],
                    ),
                ],
            },
            Block::Code {
                language: "rust".to_owned(),
                text: "let a = 1;\n".to_owned(),
            },
            Block::Table {
                head: vec![vec![text("a")], vec![text("b")]],
                rows: vec![vec![vec![text("1")], vec![text("2")]]],
            },
            Block::Quote(vec![Block::Paragraph(vec![text("said")])]),
            Block::Rule,
        ];
        assert_eq!(blocks, expected);
    }

    #[test]
    fn html_is_text() {
        assert_eq!(
            paragraph("a <img src=x onerror=alert(1)> b"),
            vec![text("a <img src=x onerror=alert(1)> b")]
        );
        assert_eq!(
            parse("<script>\nalert(1)\n</script>"),
            vec![Block::Plain(vec![
                text("<script>"),
                Inline::Break,
                text("alert(1)"),
                Inline::Break,
                text("</script>")
            ])]
        );
    }

    #[test]
    fn a_link_leads_to_the_web_or_to_mail_and_nowhere_else() {
        for address in ["https://example.org/a?b", "HTTP://example.org", "mailto:a@example.org"] {
            assert_eq!(paragraph(&format!("[here]({address})")), vec![link(address, "here")]);
        }
        for address in [
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            "data:text/html,x",
            "vbscript:x",
            "file:///etc/passwd",
            "//evil.example",
            "src/main.rs",
            "blob:x",
        ] {
            assert_eq!(
                plain(&paragraph(&format!("[here]({address})"))),
                format!("here ({address})"),
                "{address}"
            );
            let links = paragraph(&format!("[here]({address})"));
            assert!(
                !links.iter().any(|inline| matches!(inline, Inline::Link { .. })),
                "{address}"
            );
        }
        assert!(
            !paragraph("[x](&#106;avascript:alert(1)) [y](java&#10;script:a) <javascript:alert(1)>")
                .iter()
                .any(|inline| matches!(inline, Inline::Link { .. }))
        );
    }

    #[test]
    fn an_address_in_a_text_is_a_link() {
        let (short, long) = ("https://a.example", "http://b.example/c_d?e=(1)&f=2~[a]*b_c");
        assert_eq!(
            paragraph(&format!(
                "See {short}. And ({long}), not xhttps://no or https:// or javascript:alert(1)."
            )),
            vec![
                text("See "),
                link(short, short),
                text(". And ("),
                link(long, long),
                text("), not xhttps://no or https:// or javascript:alert(1)."),
            ]
        );
        assert_eq!(paragraph(&format!("`{short}`")), vec![Inline::Code(short.to_owned())]);
        assert_eq!(paragraph(&format!("[{short}]({short})")), vec![link(short, short)]);
        assert_eq!(
            paragraph(&format!("**{short}**")),
            vec![Inline::Strong(vec![link(short, short)])]
        );
        assert_eq!(
            paragraph("https://a.example/\u{202E}moc"),
            vec![link("https://a.example/", "https://a.example/"), text("\u{202E}moc")]
        );
    }

    #[test]
    fn a_label_that_claims_another_address_is_shown_with_the_true_one() {
        assert_eq!(
            paragraph("[https://bank.example](https://evil.example)"),
            vec![
                link("https://evil.example", "https://bank.example"),
                text(" (https://evil.example)")
            ]
        );
        for (label, address, is_written_out) in [
            ("bank.example", "https://evil.example", true),
            ("www.bank.example/login", "https://evil.example", true),
            ("see bank.example:443", "https://bank.example@evil.example", true),
            ("bank.example", "https://evil.example/@bank.example", true),
            ("Bank.example/login", "https://bank.example/", false),
            ("the docs, v1.2.3", "https://evil.example", false),
        ] {
            let shown = plain(&paragraph(&format!("[{label}]({address})")));
            assert_eq!(shown != label, is_written_out, "{shown}");
        }
        assert_eq!(
            paragraph("<https://a.example>"),
            vec![link("https://a.example", "https://a.example")]
        );
    }

    #[test]
    fn an_image_is_a_link() {
        assert_eq!(
            paragraph("![a cat](https://tracker.example/cat.png)"),
            vec![link("https://tracker.example/cat.png", "Image: a cat")]
        );
        assert_eq!(
            plain(&paragraph("![a cat](data:image/png;base64,x)")),
            "Image: a cat (data:image/png;base64,x)"
        );
    }

    #[test]
    fn deep_nesting_ends_and_loses_no_word() {
        fn depth(blocks: &[Block]) -> usize {
            blocks
                .iter()
                .map(|block| {
                    if let Block::Quote(inner) = block {
                        1 + depth(inner)
                    } else {
                        0
                    }
                })
                .max()
                .unwrap_or(0)
        }
        fn words(blocks: &[Block]) -> String {
            blocks
                .iter()
                .map(|block| match block {
                    Block::Quote(inner) => words(inner),
                    Block::Paragraph(inlines) | Block::Plain(inlines) => plain(inlines),
                    other @ (Block::Heading { .. }
                    | Block::Code { .. }
                    | Block::List { .. }
                    | Block::Table { .. }
                    | Block::Rule) => panic!("unexpected {other:?}"),
                })
                .collect()
        }
        let blocks = parse(&format!("{}deep", "> ".repeat(5000)));
        assert!(depth(&blocks) < NESTING_MAX);
        assert!(words(&blocks).ends_with("deep"));
        let stars = parse(&format!("{}x{}", "*_".repeat(2000), "_*".repeat(2000)));
        assert!(words(&stars).contains('x'));
    }
}
