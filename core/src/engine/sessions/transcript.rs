//! Merges what is read of a session's messages into one timeline without gaps.
//!
//! The server lists messages newest first, a few at a time. What is held is always a contiguous run. A tail that does
//! not touch it waits aside until the pages between have been read.

use std::sync::Arc;

use crate::collections::{List, SortedSet};
use crate::model::{Message, MessageId, Page, Role, ToolPart};
use crate::view::Older;

/// The messages of one session, as far as they are held.
#[derive(Clone, Debug)]
pub(crate) struct Transcript {
    held: List<Message>,
    older: Option<String>,
    /// True once the page before `held` is known to exist or not.
    anchored: bool,
    ahead: Option<Ahead>,
}

/// Newer messages that do not touch what is held yet.
#[derive(Clone, Debug)]
struct Ahead {
    messages: Vec<Arc<Message>>,
    before: Option<String>,
}

impl Transcript {
    pub(crate) fn new() -> Self {
        Self {
            held: List::default(),
            older: None,
            anchored: false,
            ahead: None,
        }
    }

    /// Oldest first, without gaps.
    pub(crate) fn messages(&self) -> &List<Message> {
        &self.held
    }

    /// The newest messages that are known, oldest first, also when they are not connected yet.
    pub(crate) fn tail(&self) -> &[Arc<Message>] {
        self.ahead.as_ref().map_or(&self.held, |ahead| &ahead.messages)
    }

    /// The newest message that is known.
    pub(crate) fn newest(&self) -> Option<&Arc<Message>> {
        self.tail().last()
    }

    pub(crate) fn older(&self) -> Older {
        match (&self.older, self.anchored) {
            (_, false) => Older::Unknown,
            (None, true) => Older::None,
            (Some(_), true) => Older::Available,
        }
    }

    /// Leads to the page before the oldest message that is held.
    pub(crate) fn older_cursor(&self) -> Option<&str> {
        self.older.as_deref()
    }

    /// Leads to the page that is missing between what is held and what is newer.
    pub(crate) fn gap_cursor(&self) -> Option<&str> {
        self.ahead.as_ref().and_then(|ahead| ahead.before.as_deref())
    }

    pub(crate) fn is_catching_up(&self) -> bool {
        self.ahead.is_some()
    }

    /// True once a first page has been read.
    pub(crate) fn is_anchored(&self) -> bool {
        self.anchored
    }

    pub(crate) fn contains(&self, id: &MessageId) -> bool {
        self.message(id).is_some()
    }

    pub(crate) fn message(&self, id: &MessageId) -> Option<&Arc<Message>> {
        self.held.iter().rev().find(|message| message.id == *id)
    }

    /// Messages that may still change and do not lie in the newest `tail` ones, newest first.
    pub(crate) fn unfinished_before_tail(&self, tail: usize) -> impl Iterator<Item = &MessageId> {
        let end = self.held.len().saturating_sub(tail);
        self.held[..end]
            .iter()
            .rev()
            .filter(|message| !message.is_final())
            .map(|message| &message.id)
    }

    /// True when this newest window does not touch what is held.
    pub(crate) fn is_apart_from(&self, page: &Page) -> bool {
        let Some(first) = page.messages.first() else {
            return false;
        };
        let touches = page.older.is_none()
            || self.held.last().is_some_and(|last| last.place() >= first.place())
            || page.messages.iter().any(|message| self.contains(&message.id));
        !self.held.is_empty() && !touches
    }

    /// Begins anew with this newest window: what lies between is read when somebody wants to see it.
    pub(crate) fn restart(&mut self, page: Page) {
        *self = Self::new();
        self.observe_tail(page);
    }

    /// Takes the newest window of the session. Returns true when something that is held has changed.
    pub(crate) fn observe_tail(&mut self, page: Page) -> bool {
        let whole = page.older.is_none();
        if page.messages.is_empty() {
            let changed = !self.held.is_empty() && whole;
            if whole {
                *self = Self {
                    anchored: true,
                    ..Self::new()
                };
            }
            return changed;
        }
        if self.is_apart_from(&page) {
            let messages = page.messages.into_iter().map(Arc::new).collect();
            self.ahead = Some(Ahead {
                messages,
                before: page.older,
            });
            return false;
        }
        self.ahead = None;
        self.replace(page.messages.into_iter().map(Arc::new).collect(), page.older)
    }

    /// Takes the newest messages, which touch what is held, and what leads to those before them.
    fn replace(&mut self, messages: Vec<Arc<Message>>, older: Option<String>) -> bool {
        let first = messages.first().map(|message| message.id.clone());
        let changed = self.replace_from(messages);
        // What lies before them lies before all that is held if they begin it.
        if older.is_none() || self.held.first().map(|message| &message.id) == first.as_ref() {
            self.older = older;
            self.anchored = true;
        }
        changed
    }

    /// Takes the page that [`Self::gap_cursor`] led to. Returns true when something that is held has changed.
    pub(crate) fn observe_gap(&mut self, page: Page) -> bool {
        let Some(ahead) = self.ahead.take() else { return false };
        let touches = page.older.is_none()
            || page.messages.iter().any(|message| self.contains(&message.id))
            || page.messages.is_empty();
        let messages: Vec<Arc<Message>> = page.messages.into_iter().map(Arc::new).chain(ahead.messages).collect();
        if touches {
            return self.replace(messages, page.older);
        }
        self.ahead = Some(Ahead {
            messages,
            before: page.older,
        });
        false
    }

    /// The page that is missing between what is held and what is newer cannot be read. What is newer is held alone.
    pub(crate) fn skip_gap(&mut self) {
        if let Some(ahead) = self.ahead.take() {
            self.held = ahead.messages.into_iter().collect();
            self.older = ahead.before;
            self.anchored = true;
        }
    }

    /// Takes the page before the oldest message that is held. Returns true when it held anything.
    pub(crate) fn observe_older(&mut self, page: Page) -> bool {
        self.older = page.older;
        self.anchored = true;
        let known: SortedSet<MessageId> = self.held.iter().map(|message| message.id.clone()).collect();
        let messages: Vec<Arc<Message>> = page
            .messages
            .into_iter()
            .filter(|message| !known.contains(&message.id))
            .map(Arc::new)
            .collect();
        let changed = !messages.is_empty();
        if changed {
            self.held.make_mut().splice(..0, messages);
        }
        changed
    }

    /// Takes one message. One that lies outside what is held is not kept. Returns true when it has changed.
    pub(crate) fn observe_message(&mut self, message: &Message) -> bool {
        let Some(place) = self.held.iter().rposition(|held| held.id == message.id) else {
            return false;
        };
        let changed = !tells_no_more(&self.held[place], message);
        if changed {
            self.held.make_mut()[place] = Arc::new(message.clone());
        }
        changed
    }

    /// Forgets a message that the server no longer has. Returns true when it was held.
    pub(crate) fn remove(&mut self, id: &MessageId) -> bool {
        let is_held = self.contains(id);
        if is_held {
            self.held.make_mut().retain(|message| message.id != *id);
        }
        is_held
    }

    /// Asks for a first page again: what is held is too little to show.
    pub(crate) fn unanchor(&mut self) {
        self.anchored = false;
        self.older = None;
    }

    /// Keeps the newest `limit` messages. What is dropped can be read again, once the session is opened.
    pub(crate) fn shrink(&mut self, limit: usize) {
        if self.held.len() > limit {
            let dropped = self.held.len() - limit;
            self.held.make_mut().drain(..dropped);
            self.unanchor();
        }
    }

    /// Replaces everything from the first of `messages` on: what the server no longer lists there has been removed.
    ///
    /// Places alone do not tell where that is: a prompt that reached the server twice is dated anew and stays where it was, and
    /// of two messages of one millisecond the server lists first what it made first.
    fn replace_from(&mut self, messages: Vec<Arc<Message>>) -> bool {
        let Some(first) = messages.first() else { return false };
        let place_of = |message: &Arc<Message>| self.held.iter().rposition(|held| held.id == message.id);
        let start = place_of(first).unwrap_or_else(|| {
            let newer = self.held.partition_point(|held| held.place() < first.place());
            messages
                .iter()
                .find_map(place_of)
                .map_or(newer, |known| known.min(newer))
        });
        let tail: Vec<Arc<Message>> = messages
            .into_iter()
            .map(
                |message| match self.held[start..].iter().find(|held| held.id == message.id) {
                    Some(held) if tells_no_more(held, &message) => held.clone(),
                    Some(_) | None => message,
                },
            )
            .collect();
        let unchanged = self.held.len() - start == tail.len()
            && self.held[start..]
                .iter()
                .zip(&tail)
                .all(|(held, new)| Arc::ptr_eq(held, new));
        if unchanged {
            return false;
        }
        let held = self.held.make_mut();
        held.truncate(start);
        held.extend(tail);
        true
    }
}

/// The reply of the newest turn when its last message has no text (requirements R16): the last text of the turn, else
/// what its tools did, else that there is none.
pub(crate) fn fallback(messages: &[Arc<Message>]) -> String {
    let turn: Vec<&Arc<Message>> = messages
        .iter()
        .rev()
        .take_while(|message| message.role != Role::User)
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
        .collect();
    if let Some(text) = turn
        .iter()
        .rev()
        .map(|message| message.text())
        .find(|text| !text.is_empty())
    {
        return text;
    }
    let tools: Vec<String> = turn
        .iter()
        .flat_map(|message| message.tools())
        .map(|(_, tool)| told(tool))
        .collect();
    if tools.is_empty() {
        return "The agent ended without text.".to_owned();
    }
    format!("The agent ended without text. It used {}.", tools.join(", "))
}

fn told(tool: &ToolPart) -> String {
    match &tool.subject {
        Some(subject) => format!("{} ({subject})", tool.tool),
        None => tool.tool.clone(),
    }
}

/// Whether a message that was read again leaves what is held as it is: it is the same, or it could be understood in part only
/// and the whole of it is held.
fn tells_no_more(held: &Message, read: &Message) -> bool {
    held == read || held.is_final() && held.fault.is_none() && read.fault.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Part, PartBody, SessionId};

    fn message(number: u64) -> Message {
        let id = MessageId::from(format!("msg_{number:04}"));
        Message {
            completed: Some(number),
            finish: Some("stop".to_owned()),
            ..Message::new(id, SessionId::from("ses_1"), Role::Assistant, number)
        }
    }

    fn page(numbers: std::ops::RangeInclusive<u64>) -> Page {
        let first = *numbers.start();
        Page {
            messages: numbers.map(message).collect(),
            older: (first > 1).then(|| format!("before {first}")),
        }
    }

    fn numbers(transcript: &Transcript) -> Vec<u64> {
        transcript.messages().iter().map(|message| message.created).collect()
    }

    /// R15
    #[test]
    fn a_gap_of_more_messages_than_one_read_holds_is_filled_in_order() {
        let mut transcript = Transcript::new();
        transcript.observe_tail(page(8..=10));
        transcript.observe_tail(page(29..=30));
        assert_eq!(numbers(&transcript), [8, 9, 10], "nothing is shown out of order");
        assert!(transcript.is_catching_up());
        transcript.observe_gap(page(19..=28));
        assert_eq!(transcript.gap_cursor(), Some("before 19"));
        transcript.observe_gap(page(9..=18));
        assert_eq!(numbers(&transcript), (8..=30).collect::<Vec<_>>());
        assert!(!transcript.is_catching_up());
    }

    /// R15
    #[test]
    fn nothing_is_shown_twice_when_pages_overlap() {
        let mut transcript = Transcript::new();
        transcript.observe_tail(page(5..=8));
        transcript.observe_tail(page(7..=9));
        transcript.observe_older(page(3..=6));
        transcript.observe_older(page(1..=3));
        assert_eq!(numbers(&transcript), (1..=9).collect::<Vec<_>>());
        assert_eq!(transcript.older(), Older::None);
    }

    #[test]
    fn what_a_revert_removed_disappears() {
        let mut transcript = Transcript::new();
        transcript.observe_tail(page(1..=6));
        let mut after = page(4..=4);
        after.messages.push(message(9));
        assert!(transcript.observe_tail(after));
        assert_eq!(numbers(&transcript), [1, 2, 3, 4, 9]);
    }

    #[test]
    fn a_message_that_is_dated_anew_keeps_its_place() {
        let mut transcript = Transcript::new();
        transcript.observe_tail(page(1..=4));
        for window in [1..=4, 2..=4, 3..=4] {
            let mut again = page(window);
            again.messages[0].created += 10;
            transcript.observe_tail(again);
        }
        assert_eq!(numbers(&transcript), [11, 12, 13, 4]);
    }

    /// F1
    #[test]
    fn of_two_messages_of_one_millisecond_none_is_lost() {
        let mut transcript = Transcript::new();
        let mut window = page(1..=4);
        let earlier_id = window.messages.remove(2);
        window.messages[2].created = earlier_id.created;
        window.messages.push(earlier_id.clone());
        transcript.observe_tail(window.clone());
        let mut next = page(5..=5);
        next.messages.insert(0, earlier_id);
        transcript.observe_tail(next);
        window.messages.push(message(5));
        let ids = |messages: &[Arc<Message>]| messages.iter().map(|message| message.id.clone()).collect::<Vec<_>>();
        let listed: Vec<MessageId> = window.messages.into_iter().map(|message| message.id).collect();
        assert_eq!(ids(transcript.messages()), listed);
    }

    #[test]
    fn an_unchanged_tail_changes_nothing() {
        let mut transcript = Transcript::new();
        transcript.observe_tail(page(1..=6));
        assert!(!transcript.observe_tail(page(5..=6)));
    }

    fn with_text(number: u64, text: &str) -> Arc<Message> {
        let part = Part {
            id: "prt_1".into(),
            body: PartBody::Text {
                text: text.to_owned(),
                synthetic: false,
            },
        };
        Arc::new(Message {
            parts: vec![part],
            ..message(number)
        })
    }

    fn with_tool(number: u64) -> Arc<Message> {
        let tool = ToolPart {
            tool: "bash".to_owned(),
            subject: Some("make".to_owned()),
            ..ToolPart::default()
        };
        Arc::new(Message {
            parts: vec![Part {
                id: "prt_2".into(),
                body: PartBody::Tool(Box::new(tool)),
            }],
            ..message(number)
        })
    }

    /// R16
    #[test]
    fn a_final_message_without_text_falls_back_to_what_is_there() {
        let user = Arc::new(Message {
            role: Role::User,
            ..message(2)
        });
        let older = with_text(1, "of the turn before");
        let empty = Arc::new(message(5));
        assert_eq!(
            fallback(&[older.clone(), user.clone(), with_text(3, "so far"), empty.clone()]),
            "so far"
        );
        let tools = fallback(&[older.clone(), user.clone(), with_tool(3), empty.clone()]);
        assert_eq!(tools, "The agent ended without text. It used bash (make).");
        assert_eq!(fallback(&[older, user, empty]), "The agent ended without text.");
    }

    /// R15
    #[test]
    fn a_message_that_was_damaged_on_the_way_takes_the_place_of_no_whole_one() {
        let mut transcript = Transcript::new();
        transcript.observe_tail(page(1..=2));
        let damaged = Message {
            fault: Some("it comes without parts".to_owned()),
            ..message(2)
        };
        assert!(!transcript.observe_message(&damaged));
        assert!(!transcript.observe_tail(Page {
            messages: vec![message(1), damaged.clone()],
            older: None,
        }));
        let running = Message {
            completed: None,
            ..message(3)
        };
        transcript.observe_tail(Page {
            messages: vec![message(2), running],
            older: None,
        });
        let damaged = Message {
            fault: damaged.fault,
            ..message(3)
        };
        assert!(
            transcript.observe_message(&damaged),
            "it has gone on, and is all that is known"
        );
    }
}
