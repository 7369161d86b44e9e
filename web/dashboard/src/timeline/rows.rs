//! One signal per message, so that a message is drawn again only when it has changed itself.

use std::sync::Arc;

use leptos::prelude::*;
use switchboard_core::SortedMap;
use switchboard_core::model::{Message, MessageId};

/// A message of the timeline.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// Its id.
    pub(super) id: MessageId,
    /// Its newest content.
    pub(super) message: ArcRwSignal<Arc<Message>>,
}

/// Brings the rows up to date: those of messages that stay keep their signal, and only changed ones are told.
pub(super) fn update(rows: RwSignal<Vec<Row>>, messages: &[Arc<Message>]) {
    let is_same_order = rows.with_untracked(|rows| {
        rows.len() == messages.len() && rows.iter().zip(messages).all(|(row, message)| row.id == message.id)
    });
    if is_same_order {
        rows.with_untracked(|rows| rows.iter().zip(messages).for_each(|(row, message)| show(row, message)));
        return;
    }
    let kept: SortedMap<MessageId, Row> =
        rows.with_untracked(|rows| rows.iter().map(|row| (row.id.clone(), row.clone())).collect());
    let next = messages
        .iter()
        .map(|message| match kept.get(&message.id) {
            Some(row) => {
                show(row, message);
                row.clone()
            }
            None => Row {
                id: message.id.clone(),
                message: ArcRwSignal::new(message.clone()),
            },
        })
        .collect();
    rows.set(next);
}

fn show(row: &Row, message: &Arc<Message>) {
    let is_same = row.message.with_untracked(|shown| Arc::ptr_eq(shown, message));
    if !is_same {
        row.message.set(message.clone());
    }
}
