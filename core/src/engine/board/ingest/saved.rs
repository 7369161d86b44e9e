//! Takes in what the store holds.

use std::sync::Arc;

use crate::engine::board::Board;
use crate::engine::board::refresh::USE_LASTS;
use crate::engine::refresh::scope::ScopeKey;
use crate::model::{Directory, Draft, DraftKey, DraftText, Entry, EntryId, Request, Sent, SessionId, Stage};
use crate::ports::Saved;
use crate::time::Time;

impl Board {
    /// Takes what the store holds.
    pub(crate) fn observe_saved(&mut self, saved: Saved, now: Time) {
        let number = self.number;
        self.changed |= !self.storage.loaded || !saved.entries.is_empty() || self.outbox.queue.iter().next().is_some();
        self.observe_links(saved.links);
        self.drafts.repeat_failed_writes(&mut self.actions);
        let waits = &self.waits;
        let is_awaited = |id: &EntryId| waits.is_prompt_awaited(id);
        let on_their_way = self.outbox.queue.prompts_on_their_way();
        let replaced = self.outbox.queue.observe_saved(&saved.entries, is_awaited, number, now);
        for (entry, session) in on_their_way {
            let delivery = self.outbox.queue.get(&entry);
            if !delivery.is_some_and(|delivery| delivery.entry.is_on_its_way()) {
                self.handle_prompt_over(&session);
            }
        }
        for entry in &saved.entries {
            self.observe_refused_elsewhere(entry, now);
        }
        for (ours, theirs) in replaced {
            self.keep_losing_answer(&ours, &theirs);
        }
        // What has happened here since they were saved counts more: the store may be slow.
        let newest = |entry: &Arc<Entry>| Some(self.outbox.queue.get(&entry.id)?.entry.clone());
        let entries: Vec<Arc<Entry>> = saved.entries.iter().filter_map(newest).collect();
        for entry in entries {
            self.remember(&entry, now);
        }
        let is_first = !std::mem::replace(&mut self.storage.loaded, true);
        let is_saved = |key: &DraftKey| saved.drafts.iter().any(|draft| draft.key == *key);
        self.changed |= self.drafts.forget_dropped(is_saved);
        for draft in saved.drafts {
            if let (true, DraftText::Form { request, .. }) = (is_first, &draft.text) {
                self.recall(request, now);
                self.watch(&request.session, &request.directory, now);
            }
            let key = draft.key.clone();
            // The page before was closed between the two writes of a Send.
            let was_sent = is_first
                && self
                    .outbox
                    .queue
                    .iter()
                    .any(|delivery| is_sent_as(&draft, &delivery.entry));
            self.changed |= self.drafts.observe_saved(draft);
            if was_sent {
                self.drop_draft(key);
            }
        }
    }

    /// Shows a request that was kept before the server has named it.
    pub(super) fn recall(&mut self, request: &Arc<Request>, now: Time) {
        let tracked = self.requests.recall(request, now);
        tracked.publish();
        if let Some(asked) = tracked.asked {
            self.reader.server_clock.observe(asked, None, now);
        }
        // An earlier life has seen it before.
        self.agree_on_sight(&request.id);
    }

    /// Looks after the request of an entry that another tab, or an earlier life, has left.
    pub(crate) fn remember(&mut self, entry: &Entry, now: Time) {
        if let Sent::Reply { request, .. } = &entry.sent {
            self.recall(request, now);
            self.note_seen(&request.id);
            if let Stage::Ended { outcome, at } = &entry.stage {
                let outcome = self.attributed(&request.id, outcome.clone());
                if let Some(tracked) = self.requests.get_mut(&request.id) {
                    tracked.end(outcome, *at);
                    tracked.settled = entry.settled;
                }
            }
        }
        if !entry.settled && !matches!(entry.stage, Stage::Ended { .. }) {
            self.watch(&entry.session, &entry.directory, now);
        }
    }

    /// Keeps a directory in use, and finds out about a session that is not known yet.
    pub(super) fn watch(&mut self, session: &SessionId, directory: &Directory, now: Time) {
        if !self.sessions.nodes.contains_key(session) {
            self.sessions.unknown.insert(session.clone(), directory.clone());
        }
        let pace = self.config.pace;
        let scope = self.scope(ScopeKey::Directory(directory.clone()));
        let rests = scope.used.replace(now).is_none_or(|used| now.since(used) >= USE_LASTS);
        if rests {
            scope.cadence.wake(now, &pace);
        }
    }
}

/// Whether an entry that is on its way says what a draft of a prompt says. One that was refused is no longer: its text may
/// have been typed again.
fn is_sent_as(draft: &Draft, entry: &Entry) -> bool {
    match (&draft.key, &draft.text, &entry.sent) {
        (DraftKey::Prompt(session), DraftText::Prompt(_), Sent::Prompt { prompt, .. }) => {
            *session == entry.session && entry.is_on_its_way() && draft.says(&prompt.text)
        }
        (DraftKey::Prompt(_) | DraftKey::Request(_), _, Sent::Prompt { .. } | Sent::Reply { .. }) => false,
    }
}
