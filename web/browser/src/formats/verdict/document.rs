//! The first document of a YAML text as a tree, each part with its place. JSON is YAML.

use std::collections::BTreeSet;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError};
use switchboard_core::completion::Fault;

/// So many lists and maps lie in each other at most.
const DEPTH_MAX: usize = 16;

/// A part of a document.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) content: Content,
    at: Place,
}

#[derive(Debug)]
pub(super) enum Content {
    Scalar {
        text: String,
        /// Written without quotes, in a single line.
        is_plain: bool,
    },
    List(Vec<Node>),
    /// In the order in which it is written.
    Map(Vec<(Node, Node)>),
    /// It stands for another part: no verdict needs one.
    Alias,
}

/// A line and a column, from 1.
#[derive(Clone, Copy, Debug)]
struct Place {
    line: usize,
    column: usize,
}

impl Node {
    /// What is written there; none for nothing, and for all that is no text, number or truth value.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.content {
            Content::Scalar { text, .. } if !self.is_null() => Some(text),
            Content::Scalar { .. } | Content::List(_) | Content::Map(_) | Content::Alias => None,
        }
    }

    pub(super) fn is_null(&self) -> bool {
        match &self.content {
            Content::Scalar { text, is_plain } => {
                *is_plain && matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL")
            }
            Content::List(_) | Content::Map(_) | Content::Alias => false,
        }
    }

    /// A fault at its place.
    pub(super) fn fault(&self, message: &str) -> Fault {
        self.at.fault(message)
    }
}

impl Place {
    fn fault(self, message: &str) -> Fault {
        Fault {
            line: self.line,
            column: self.column,
            message: message.to_owned(),
        }
    }
}

impl From<&Marker> for Place {
    fn from(marker: &Marker) -> Self {
        Self {
            line: marker.line(),
            column: marker.col() + 1,
        }
    }
}

/// Reads the first document; of a text without one, nothing.
pub(super) fn read(text: &str) -> Result<Node, Fault> {
    let mut parser = Parser::new_from_str(text);
    let mut open: Vec<Open> = Vec::new();
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| damaged(&error, text))?;
        let at = Place::from(&span.start);
        let content = match event {
            Event::SequenceStart(..) | Event::MappingStart(..) if open.len() == DEPTH_MAX => {
                return Err(at.fault("a verdict is not nested so deeply"));
            }
            Event::SequenceStart(..) => {
                open.push(Open::List(Vec::new(), at));
                continue;
            }
            Event::MappingStart(..) => {
                open.push(Open::Map(Entries::default(), at));
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(closed) => closed.close(),
                None => continue,
            },
            Event::Scalar(text, style, _, _) => Node {
                content: Content::Scalar {
                    text: text.into_owned(),
                    is_plain: style == ScalarStyle::Plain,
                },
                at,
            },
            Event::Alias(_) => Node {
                content: Content::Alias,
                at,
            },
            Event::DocumentEnd | Event::StreamEnd => break,
            Event::Nothing | Event::StreamStart | Event::DocumentStart(_) => continue,
        };
        match open.last_mut() {
            Some(around) => around.take(content)?,
            None => return Ok(content),
        }
    }
    Ok(Node {
        content: Content::Scalar {
            text: String::new(),
            is_plain: true,
        },
        at: Place { line: 1, column: 1 },
    })
}

/// A list or a map of which the end has not been read.
enum Open {
    List(Vec<Node>, Place),
    Map(Entries, Place),
}

#[derive(Default)]
struct Entries {
    whole: Vec<(Node, Node)>,
    /// A key whose value has not been read.
    key: Option<Node>,
    keys: BTreeSet<String>,
}

impl Open {
    fn take(&mut self, node: Node) -> Result<(), Fault> {
        let entries = match self {
            Open::List(items, _) => {
                items.push(node);
                return Ok(());
            }
            Open::Map(entries, _) => entries,
        };
        match entries.key.take() {
            Some(key) => entries.whole.push((key, node)),
            None => {
                let is_new = node.text().is_none_or(|text| entries.keys.insert(text.to_owned()));
                if !is_new {
                    return Err(node.fault("a map has each key once"));
                }
                entries.key = Some(node);
            }
        }
        Ok(())
    }

    fn close(self) -> Node {
        match self {
            Open::List(items, at) => Node {
                content: Content::List(items),
                at,
            },
            Open::Map(entries, at) => Node {
                content: Content::Map(entries.whole),
                at,
            },
        }
    }
}

/// The parser finds what is missing at the end of a text on a line behind it.
fn damaged(error: &ScanError, text: &str) -> Fault {
    let written = text.trim_end();
    let last = written.split('\n').next_back().unwrap_or_default();
    let end = Place {
        line: written.matches('\n').count() + 1,
        column: last.chars().count() + 1,
    };
    let at = Place::from(error.marker());
    if at.line > end.line { end } else { at }.fault(error.info())
}
