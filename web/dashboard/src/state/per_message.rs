//! Keeps what was found in each message, so that a change of one message costs a look at that one alone.

use std::sync::Arc;

use switchboard_core::model::Message;

/// What was found in the messages of a session, by message.
#[derive(Debug)]
pub struct PerMessage<T>(Vec<(Arc<Message>, T)>);

impl<T> Default for PerMessage<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> PerMessage<T> {
    /// Looks at those of `messages` that it has not seen yet. The same message is the same by pointer.
    ///
    /// Messages come at either end and change in one place at a time, so what lies between the first and the last that
    /// differ is looked at again.
    pub fn update(&mut self, messages: &[Arc<Message>], look: impl Fn(&Message) -> T) {
        let is_same = |((seen, _), message): &(&(Arc<Message>, T), &Arc<Message>)| Arc::ptr_eq(seen, message);
        let before = self.0.iter().zip(messages).take_while(is_same).count();
        let from_end = self.0[before..].iter().rev().zip(messages[before..].iter().rev());
        let after = from_end.take_while(is_same).count();
        let new = &messages[before..messages.len() - after];
        let new = new.iter().map(|message| (message.clone(), look(message)));
        drop(self.0.splice(before..self.0.len() - after, new));
    }

    /// What was found, oldest message first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.0.iter().map(|(_, found)| found)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::fixtures::message;

    /// The ids of the messages that a change makes it look at.
    fn looked(found: &mut PerMessage<String>, messages: &[Arc<Message>]) -> Vec<String> {
        let looked = Cell::new(Vec::new());
        found.update(messages, |message| {
            let id = message.id.to_string();
            looked.set([looked.take(), vec![id.clone()]].concat());
            id
        });
        let ids: Vec<String> = messages.iter().map(|message| message.id.to_string()).collect();
        assert_eq!(found.iter().cloned().collect::<Vec<_>>(), ids);
        looked.take()
    }

    #[test]
    fn a_change_of_one_message_is_one_look_in_a_session_of_ten_thousand() {
        let mut messages: Vec<_> = (0..10_000)
            .map(|at| message(&format!("msg_{at}"), Vec::new()))
            .collect();
        let mut found = PerMessage::default();
        assert_eq!(looked(&mut found, &messages).len(), 10_000);
        assert!(
            looked(&mut found, &messages).is_empty(),
            "a token that streams changes no message"
        );

        messages[4_000] = message("msg_4000", Vec::new());
        assert_eq!(looked(&mut found, &messages), ["msg_4000"]);
        messages.push(message("new", Vec::new()));
        assert_eq!(looked(&mut found, &messages), ["new"]);
        messages.insert(0, message("older", Vec::new()));
        assert_eq!(looked(&mut found, &messages), ["older"]);
        messages.truncate(9_000);
        assert!(looked(&mut found, &messages).is_empty());
        assert!(looked(&mut found, &[]).is_empty());
    }
}
