//! Drafts: what was typed or chosen and not sent, here and in the store.
//!
//! A load shows the store as it was at some moment since the load began. A draft that was written in that time may be newer
//! than what the load shows of it. A draft that was sent stays in the store until the store has what was sent.

use crate::collections::{SortedMap, SortedSet};
use crate::engine::action::Action;
use crate::model::{Draft, DraftKey, EntryId};
use crate::view::Durability;

/// The drafts of one board.
#[derive(Debug, Default)]
pub(crate) struct Drafts {
    held: SortedMap<DraftKey, Draft>,
    /// Those that another tab has kept, and that were not changed here since.
    foreign: SortedSet<DraftKey>,
    /// How many writes of a draft the store has not answered yet.
    writing: SortedMap<DraftKey, usize>,
    /// Drafts whose write has ended since the load in flight began.
    written: SortedSet<DraftKey>,
    /// Drafts whose write has failed: it is repeated with the next load.
    failed: SortedSet<DraftKey>,
    /// Drafts that were sent, by the entry that the store does not have yet.
    sent: SortedMap<EntryId, DraftKey>,
}

impl Drafts {
    pub(crate) fn get(&self, key: &DraftKey) -> Option<&Draft> {
        self.held.get(key)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&DraftKey, &Draft)> {
        self.held.iter()
    }

    /// Keeps a draft. Returns true when it is not what was held.
    pub(crate) fn keep(&mut self, draft: Draft, actions: &mut impl Extend<Action>) -> bool {
        if self.held.get(&draft.key) == Some(&draft) {
            return false;
        }
        let key = draft.key.clone();
        self.foreign.remove(&key);
        let known = self.held.insert(key.clone(), draft);
        self.write(key, known, actions);
        true
    }

    /// Drops a draft. Returns true when it was held.
    pub(crate) fn drop(&mut self, key: DraftKey, actions: &mut impl Extend<Action>) -> bool {
        let known = self.held.remove(&key);
        let was_held = known.is_some();
        if was_held {
            self.write(key, known, actions);
        }
        was_held
    }

    /// A draft has become an entry. The store keeps the draft until it has the entry.
    pub(crate) fn send(&mut self, key: DraftKey, entry: EntryId) {
        if self.held.remove(&key).is_some() {
            self.sent.insert(entry, key);
        }
    }

    /// The store has an entry, or the server has what it says.
    pub(crate) fn handle_entry_kept(&mut self, entry: &EntryId, actions: &mut impl Extend<Action>) {
        if let Some(key) = self.sent.remove(entry) {
            self.write_held(key, actions);
        }
    }

    /// Writes a draft again whatever was held: another tab may have dropped it.
    pub(crate) fn write_again(&mut self, key: &DraftKey, actions: &mut impl Extend<Action>) {
        if self.held.contains_key(key) {
            self.write_held(key.clone(), actions);
        }
    }

    fn write_held(&mut self, key: DraftKey, actions: &mut impl Extend<Action>) {
        let known = self.held.get(&key).cloned();
        self.write(key, known, actions);
    }

    /// Writes what is held, in place of what was known.
    fn write(&mut self, key: DraftKey, known: Option<Draft>, actions: &mut impl Extend<Action>) {
        if self.sent.values().any(|sent| *sent == key) {
            return;
        }
        *self.writing.entry(key.clone()).or_default() += 1;
        actions.extend([match self.held.get(&key) {
            Some(draft) => Action::KeepDraft {
                draft: draft.clone(),
                known,
            },
            None => Action::DropDraft(key),
        }]);
    }

    /// The store has answered a write, with what it holds then, or has failed.
    pub(crate) fn handle_written(&mut self, key: DraftKey, kept: Result<Option<Draft>, ()>) {
        if let Some(count) = self.writing.get_mut(&key) {
            *count -= 1;
            if *count == 0 {
                self.writing.remove(&key);
            }
        }
        let is_newest = !self.writing.contains_key(&key);
        if kept.is_err() {
            self.failed.insert(key.clone());
        } else if is_newest {
            self.failed.remove(&key);
        }
        self.written.insert(key.clone());
        if let (Ok(Some(kept)), Some(held)) = (kept, self.held.get_mut(&key))
            && is_newest
        {
            // It holds what another tab has typed, too.
            *held = kept;
        }
    }

    /// A load begins.
    pub(crate) fn begin_load(&mut self) {
        self.written.clear();
    }

    /// Whether some could not be written, and wait for the next load.
    pub(crate) fn are_unwritten(&self) -> bool {
        !self.failed.is_empty()
    }

    /// Whether some would be lost with this page.
    pub(crate) fn have_unsaved(&self) -> bool {
        self.held.keys().any(|key| self.durability(key) != Durability::Saved)
    }

    /// Whether a draft outlives this page; one that is not there does.
    pub(crate) fn durability(&self, key: &DraftKey) -> Durability {
        if !self.held.contains_key(key) {
            Durability::Saved
        } else if self.failed.contains(key) {
            Durability::Failed
        } else if self.writing.contains_key(key) || self.sent.values().any(|sent| sent == key) {
            Durability::Pending
        } else {
            Durability::Saved
        }
    }

    /// A load has ended: what could not be written is written again.
    pub(crate) fn repeat_failed_writes(&mut self, actions: &mut impl Extend<Action>) {
        for key in std::mem::take(&mut self.failed) {
            self.write_held(key, actions);
        }
    }

    /// Takes a draft that the load shows: another tab may have changed it. Returns true when it is news.
    pub(crate) fn observe_saved(&mut self, draft: Draft) -> bool {
        let is_news = !self.is_ahead_of_load(&draft.key) && self.held.get(&draft.key) != Some(&draft);
        if is_news {
            self.foreign.insert(draft.key.clone());
            self.held.insert(draft.key.clone(), draft);
        }
        is_news
    }

    /// Forgets what another tab has kept and the load shows no more. Returns true when that was something. What was typed
    /// here stays: the store may have been cleared.
    pub(crate) fn forget_dropped(&mut self, is_saved: impl Fn(&DraftKey) -> bool) -> bool {
        let dropped = self
            .foreign
            .iter()
            .filter(|key| !is_saved(key) && !self.is_ahead_of_load(key));
        let dropped: Vec<DraftKey> = dropped.cloned().collect();
        for key in &dropped {
            self.foreign.remove(key);
            self.held.remove(key);
        }
        !dropped.is_empty()
    }

    /// Whether something was done here that the load may not show.
    fn is_ahead_of_load(&self, key: &DraftKey) -> bool {
        self.writing.contains_key(key)
            || self.written.contains(key)
            || self.failed.contains(key)
            || self.sent.values().any(|sent| sent == key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::DraftText;

    fn key() -> DraftKey {
        DraftKey::Prompt("ses_1".into())
    }

    fn draft(text: &str) -> Draft {
        Draft {
            key: key(),
            text: DraftText::Prompt(text.to_owned()),
        }
    }

    fn held(drafts: &Drafts) -> Option<&Draft> {
        drafts.get(&key())
    }

    /// R13
    #[test]
    fn a_draft_that_was_sent_stays_in_the_store_until_the_store_has_what_was_sent() {
        let (mut drafts, mut actions) = (Drafts::default(), Vec::new());
        drafts.keep(draft("abc"), &mut actions);
        drafts.handle_written(key(), Ok(None));
        actions.clear();
        drafts.send(key(), "msg_1".into());
        assert_eq!(held(&drafts), None, "the prompt box is empty at once");
        drafts.keep(draft("d"), &mut actions);
        assert!(actions.is_empty(), "what was typed since would replace it there");
        drafts.handle_entry_kept(&"msg_1".into(), &mut actions);
        assert!(matches!(&actions[..], [Action::KeepDraft { draft: kept, .. }] if *kept == draft("d")));
    }

    /// R13
    #[test]
    fn a_load_does_not_bring_back_a_draft_that_was_dropped_while_it_was_under_way() {
        let (mut drafts, mut actions) = (Drafts::default(), Vec::new());
        drafts.keep(draft("abc"), &mut actions);
        drafts.handle_written(key(), Ok(None));
        drafts.begin_load();
        drafts.drop(key(), &mut actions);
        assert!(!drafts.observe_saved(draft("abc")), "the drop is under way");
        drafts.handle_written(key(), Ok(None));
        assert!(
            !drafts.observe_saved(draft("abc")),
            "the load may be older than the drop"
        );
        drafts.begin_load();
        assert!(drafts.observe_saved(draft("abc")), "another tab has kept it since");
    }

    /// R13: two tabs on one draft
    #[test]
    fn what_another_tab_types_or_drops_is_taken_unless_something_was_typed_here() {
        let (mut drafts, mut actions) = (Drafts::default(), Vec::new());
        assert!(drafts.observe_saved(draft("a")));
        assert!(drafts.observe_saved(draft("ab")), "the other tab goes on typing");
        assert!(!drafts.observe_saved(draft("ab")));
        assert!(drafts.forget_dropped(|_| false), "the other tab has sent it");
        assert_eq!(held(&drafts), None);
        drafts.keep(draft("mine"), &mut actions);
        drafts.handle_written(key(), Ok(None));
        drafts.begin_load();
        assert!(!drafts.forget_dropped(|_| false), "the store was cleared");
        assert_eq!(held(&drafts), Some(&draft("mine")));
    }

    #[test]
    fn a_write_that_failed_is_repeated_with_what_is_held_then() {
        let (mut drafts, mut actions) = (Drafts::default(), Vec::new());
        drafts.keep(draft("a"), &mut actions);
        drafts.handle_written(key(), Err(()));
        drafts.keep(draft("ab"), &mut actions);
        actions.clear();
        drafts.repeat_failed_writes(&mut actions);
        assert!(matches!(&actions[..], [Action::KeepDraft { draft: kept, .. }] if *kept == draft("ab")));
    }
}
