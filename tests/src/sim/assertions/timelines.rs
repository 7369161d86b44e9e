//! The messages that tabs show: a piece of what the server has, without gaps, and in the end up to the newest.

use std::sync::Arc;
use std::time::Duration;

use switchboard_core::Time;
use switchboard_core::model::Message;
use switchboard_core::view::{Older, Timeline, View};

use crate::opencode::OpenCode;
use crate::sim::assertions::eventually::Unmet;
use crate::sim::reference::Standing;
use crate::sim::sut::Sut;
use crate::tab::Tab;
use crate::watch::Watch;

/// Checks a timeline that is shown for the first time. Returns true when there was one.
pub(in crate::sim) fn check(tab: usize, view: &View, before: Option<&View>, server: &OpenCode, watch: &Watch) -> bool {
    let Some(timeline) = &view.timeline else { return false };
    let seen = before.and_then(|before| before.timeline.as_ref());
    if seen.is_some_and(|seen| Arc::ptr_eq(seen, timeline)) {
        return false;
    }
    if let Some(words) = flaw(timeline, server) {
        watch.report("timeline", format!("tab {tab} shows {}: {words}", timeline.session));
    }
    !timeline.messages.is_empty()
}

/// What is wrong with a timeline: what it holds must lie side by side on the server.
fn flaw(timeline: &Timeline, server: &OpenCode) -> Option<String> {
    // Of a session that is deleted nothing can be compared.
    server.session(&timeline.session)?;
    server.with_messages(&timeline.session, |held| {
        let first = timeline.messages.first()?;
        let start = held.iter().position(|message| message.id == first.id);
        let Some(start) = start else {
            return Some(format!("{} is not there", first.id));
        };
        let real = held[start..].iter().map(|message| &message.id);
        let shown: Vec<_> = timeline.messages.iter().map(|message| &message.id).collect();
        let real: Vec<_> = real.take(shown.len()).collect();
        if shown != real {
            return Some(format!("{shown:?} in place of {real:?}"));
        }
        match timeline.older {
            Older::None if start > 0 => Some(format!("{start} messages lie before the first, and it says none")),
            Older::Available if start == 0 => Some("it says that more lies before the first message".to_owned()),
            Older::None | Older::Available | Older::Unknown | Older::Loading => None,
        }
    })
}

impl Sut {
    /// The open session is shown up to its newest message, as it is, once it is at rest.
    pub(in crate::sim) fn untold(&self, tab: &Tab, since: Time, agreed: Duration, found: &mut Vec<Unmet>) {
        let view = tab.view();
        let Some(timeline) = &view.timeline else { return };
        let id = &timeline.session;
        let Some(real) = self.reference.sessions.get(id).filter(|real| !real.deleted) else {
            return;
        };
        if self.world.server.readable(id).is_some() {
            return;
        }
        if !matches!(self.reference.standing(id, &self.world.server), Standing::Ended(_)) {
            return;
        }
        let is_whole = self.world.server.with_messages(id, |held| {
            let start = held.len().saturating_sub(timeline.messages.len());
            // A prompt that arrives twice is dated anew, which nothing shows.
            let are_same = |(shown, real): (&Arc<Message>, &Message)| {
                shown.id == real.id && shown.parts == real.parts && shown.completed == real.completed
            };
            !timeline.messages.is_empty() && timeline.messages.iter().zip(&held[start..]).all(are_same)
        });
        if !is_whole {
            let words = format!(
                "tab {} does not show the newest messages of {id} as they are",
                tab.number
            );
            let patience = self.swept_if_archived(id).unwrap_or(agreed);
            found.push(Unmet::new("timeline", since.max(real.since) + patience, words));
        }
    }
}
