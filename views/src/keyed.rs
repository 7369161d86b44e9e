//! Lists whose rows stay what they are as long as their key is there.

use std::any::Any;

use reactive_graph::owner::Owner;
use web_sys::Node;

use crate::mounted::Mounted;
use crate::view::View;

/// The rows of a list, in order.
pub(crate) type Rows = Vec<Row>;

pub(crate) struct Row {
    pub(crate) key: Box<dyn Key>,
    /// Makes the row; called for a new key only.
    pub(crate) show: Box<dyn FnOnce() -> View>,
    /// What the owners of the rows belong to.
    pub(crate) parent: Owner,
}

/// What tells a row from the others.
pub(crate) trait Key: Any {
    fn is(&self, other: &dyn Key) -> bool;
}

impl<K: PartialEq + 'static> Key for K {
    fn is(&self, other: &dyn Key) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref() == Some(self)
    }
}

/// The rows as they are shown.
#[derive(Default)]
pub(crate) struct MountedRows(Vec<MountedRow>);

struct MountedRow {
    key: Box<dyn Key>,
    content: Mounted,
    owner: Owner,
}

impl MountedRow {
    fn new(row: Row) -> Self {
        let owner = row.parent.child();
        let content = owner.with(|| (row.show)().build());
        Self {
            key: row.key,
            content,
            owner,
        }
    }

    fn remove(self) {
        self.content.unmount();
        self.owner.cleanup();
    }
}

impl MountedRows {
    pub(crate) fn mount(&self, parent: &Node, before: Option<&Node>) {
        for row in &self.0 {
            row.content.mount(parent, before);
        }
    }

    pub(crate) fn unmount(&self) {
        for row in &self.0 {
            row.content.unmount();
        }
    }

    pub(crate) fn first(&self) -> Option<Node> {
        self.0.first().map(|row| row.content.first())
    }

    /// Shows other rows, before the node `end` where that is in the document.
    pub(crate) fn update(&mut self, rows: Rows, end: &Node) {
        let parent = end.parent_node();
        // Most changes are in one place: what is the same at both ends stays as it is.
        let is_same = |old: &MountedRow, new: &Row| old.key.is(&*new.key);
        let head = self
            .0
            .iter()
            .zip(&rows)
            .take_while(|(old, new)| is_same(old, new))
            .count();
        let tail = self.0[head..]
            .iter()
            .rev()
            .zip(rows[head..].iter().rev())
            .take_while(|(old, new)| is_same(old, new))
            .count();
        let kept = self.0.split_off(self.0.len() - tail);
        let mut old: Vec<Option<MountedRow>> = self.0.drain(head..).map(Some).collect();
        let middle = rows.len() - tail;
        let next: Vec<MountedRow> = rows
            .into_iter()
            .take(middle)
            .skip(head)
            .map(|row| {
                let found = old.iter_mut().find_map(|old| old.take_if(|old| old.key.is(&*row.key)));
                found.unwrap_or_else(|| MountedRow::new(row))
            })
            .collect();
        old.into_iter().flatten().for_each(MountedRow::remove);
        if let Some(parent) = parent {
            let mut before = kept.first().map_or_else(|| end.clone(), |row| row.content.first());
            for row in next.iter().rev() {
                if row.content.last().next_sibling().as_ref() != Some(&before) {
                    row.content.mount(&parent, Some(&before));
                }
                before = row.content.first();
            }
        }
        self.0.extend(next);
        self.0.extend(kept);
    }
}
