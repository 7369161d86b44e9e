//! Makes the view: what a person sees of the board.

use std::sync::Arc;
use std::time::Duration;

use crate::collections::{List, SortedMap, SortedSet, sort_by_key};
use crate::engine::board::Board;
use crate::engine::board::conclude::NESTING_MAX;
use crate::engine::board::forget::SHOWN_AFTER_END;
use crate::engine::outbox::Delivery;
use crate::engine::refresh::link::FAILURES_HIDDEN;
use crate::engine::refresh::scope::ScopeKey;
use crate::engine::requests::{Kind, TrackedRequest, kind_of};
use crate::engine::sessions::transcript::fallback;
use crate::model::{
    Answers, Attempt, Directory, DraftKey, DraftText, GoneReason, NotSentReason, Outcome, Reply, RequestId, Sent,
    SessionId, Stage,
};
use crate::time::Time;
use crate::view::{
    Durability, FailingDirectory, Link, Older, PromptState, PromptView, RequestState, RequestView, ServerView,
    SessionRef, SessionView, Timeline, View,
};

/// Whether the end of a request leaves something for a person to do, even when nothing was typed: it was lost, and an
/// answer can still go as a message.
pub(crate) fn needs_a_word(tracked: &TrackedRequest) -> bool {
    tracked.request.permission().is_none() && matches!(tracked.ended(), Some((Outcome::Gone(GoneReason::Restarted), _)))
}

impl View {
    pub(crate) fn empty() -> Self {
        Self {
            server: ServerView {
                link: Link::Connecting,
                version: None,
                read: None,
                listed: false,
                next_try: None,
                failing: Vec::new(),
                unsaved: None,
            },
            requests: List::default(),
            sessions: List::default(),
            timeline: None,
            prompts: List::default(),
            prompt_drafts: Arc::default(),
        }
    }
}

impl Board {
    pub(crate) fn show(&mut self, now: Time) -> View {
        let stale = self.stale_directories();
        let timeline = self.show_timeline().map(|new| match &self.view.timeline {
            Some(old) if **old == new => old.clone(),
            Some(_) | None => Arc::new(new),
        });
        View {
            server: self.show_server(),
            requests: self.show_requests(&stale, now),
            sessions: self.show_sessions(&stale),
            timeline,
            prompts: self
                .outbox
                .queue
                .iter()
                .filter_map(|delivery| show_prompt(delivery, now))
                .collect(),
            prompt_drafts: self.show_prompt_drafts(),
        }
    }

    fn show_requests(&self, stale: &SortedMap<Directory, Time>, now: Time) -> List<RequestView> {
        let shown = self.requests.iter();
        let mut requests: Vec<Arc<RequestView>> = shown
            .filter_map(|(id, tracked)| {
                let since = stale.get(&tracked.request.directory).copied();
                let new = self.show_request(id, tracked, since, now)?;
                let old = self.view.requests.iter().find(|old| ***old == new).cloned();
                Some(old.unwrap_or_else(|| Arc::new(new)))
            })
            .collect();
        sort_by_key(&mut requests, |view| {
            (view.asked.unwrap_or(view.seen), view.request.id.clone())
        });
        requests.into_iter().collect()
    }

    fn show_sessions(&mut self, stale: &SortedMap<Directory, Time>) -> List<SessionView> {
        let (own, below) = self.count_waiting();
        let count = |counts: &SortedMap<SessionId, usize>, id| counts.get(id).copied().unwrap_or_default();
        let clock = &self.reader.server_clock;
        let mut sessions: Vec<Arc<SessionView>> = self
            .sessions
            .nodes
            .iter_mut()
            .map(|(id, node)| {
                let since = stale.get(&node.session.directory).copied();
                node.show(count(&own, id), count(&below, id), since, clock).clone()
            })
            .collect();
        sort_by_key(&mut sessions, |view| std::cmp::Reverse(view.session.updated));
        sessions.into_iter().collect()
    }

    pub(crate) fn show_server(&self) -> ServerView {
        let link = &self.reader.link;
        let shown = link.show();
        let live = matches!(shown, Link::Live);
        let failing = self.reader.scopes.iter().filter_map(|(key, scope)| {
            let ScopeKey::Directory(directory) = key else {
                return None;
            };
            let counts = scope.is_unreadable() || scope.cadence.failures() > FAILURES_HIDDEN;
            let error = scope.failure().filter(|_| live && counts)?;
            Some(FailingDirectory {
                directory: directory.clone(),
                since: scope.cadence.last_success(),
                error: error.clone(),
            })
        });
        ServerView {
            link: shown,
            version: link.version.clone(),
            read: link.last_success,
            listed: self.sweep.is_complete,
            next_try: self
                .reader
                .scopes
                .values()
                .filter_map(|scope| scope.cadence.deadline())
                .min(),
            failing: failing.collect(),
            unsaved: self
                .storage
                .store_problem
                .clone()
                .or_else(|| self.storage.load_problem.clone()),
        }
    }

    fn show_request(
        &self,
        id: &RequestId,
        tracked: &TrackedRequest,
        stale: Option<Time>,
        now: Time,
    ) -> Option<RequestView> {
        if !tracked.is_published() {
            return None;
        }
        let delivery = self.outbox.queue.get(&tracked.entry);
        let draft = self.drafts.get(&DraftKey::Request(id.clone())).cloned();
        let state = self.state_of(tracked, delivery);
        if let Some((outcome, at)) = tracked.ended() {
            let text_left = draft.is_some() || delivery.is_some_and(|delivery| !delivery.entry.is_finished());
            let kept = !tracked.settled
                && match outcome {
                    Outcome::Confirmed { .. } => delivery.is_some() && now.since(*at) < SHOWN_AFTER_END,
                    Outcome::AnsweredElsewhere(_) | Outcome::Dismissed | Outcome::Gone(_) => {
                        text_left || needs_a_word(tracked) || now.since(*at) < SHOWN_AFTER_END
                    }
                    Outcome::Cancelled { .. } => text_left,
                };
            if !kept {
                return None;
            }
        }
        let reply = delivery.and_then(|delivery| match &delivery.entry.sent {
            Sent::Reply { reply, .. } => Some(reply.clone()),
            Sent::Prompt { .. } => None,
        });
        Some(RequestView {
            request: tracked.request.clone(),
            stale,
            seen: tracked.seen,
            asked: tracked.asked.map(|asked| self.reader.server_clock.ours(asked)),
            origin: self.origin_of(&tracked.request.session),
            reply,
            by_policy: self.is_by_policy(id),
            draft,
            durability: self.durability(delivery, id),
            others: self.other_permissions(id, tracked),
            suggestion: state.is_waiting().then(|| self.suggestion_for(tracked)).flatten(),
            unanswered: self.unanswered(tracked),
            runs_in: tracked.runs_in.clone(),
            rescue: state.is_ended().then(|| self.rescue_of(tracked)).flatten(),
            state,
        })
    }

    fn durability(&self, delivery: Option<&Delivery>, id: &RequestId) -> Durability {
        let of_draft = self.drafts.durability(&DraftKey::Request(id.clone()));
        delivery.map_or(of_draft, |delivery| delivery.durability().max(of_draft))
    }

    fn state_of(&self, tracked: &TrackedRequest, delivery: Option<&Delivery>) -> RequestState {
        if let Some((outcome, at)) = tracked.ended() {
            return ended_state(outcome, *at, delivery);
        }
        let Some(delivery) = delivery else {
            return RequestState::Waiting;
        };
        let entry = &delivery.entry;
        let since = delivery.said;
        match &entry.stage {
            _ if entry.settled => RequestState::Waiting,
            _ if delivery.awaits_claim() => RequestState::Sending {
                attempt: entry.attempts.max(1),
                since,
                problem: Some(CLAIM_AWAITED.to_owned()),
                next_try: None,
            },
            Stage::Saved => RequestState::Sending {
                attempt: 1,
                since,
                problem: None,
                next_try: None,
            },
            Stage::Attempting { .. } => RequestState::Sending {
                attempt: entry.attempts,
                since,
                problem: None,
                next_try: None,
            },
            Stage::Attempted { attempt, at } => match attempt {
                Attempt::Accepted => RequestState::Sent { at: *at },
                Attempt::Refused(reason) => RequestState::NotSent { reason: reason.clone() },
                Attempt::NotFound => self.sending(delivery, "the server did not know the request".to_owned()),
                Attempt::Unauthorized => self.sending(delivery, "the server wants a password".to_owned()),
                Attempt::InDoubt(reason) => self.sending(delivery, reason.clone()),
            },
            Stage::Ended { .. } => RequestState::Waiting,
        }
    }

    fn sending(&self, delivery: &Delivery, problem: String) -> RequestState {
        let read = self
            .directory_scope(&delivery.entry.directory)
            .and_then(|scope| scope.cadence.deadline());
        RequestState::Sending {
            attempt: delivery.entry.attempts,
            since: delivery.said,
            problem: Some(problem),
            next_try: delivery.next_attempt().max(read),
        }
    }

    /// The answer to a question with the same words in the same session that did not arrive.
    fn suggestion_for(&self, tracked: &TrackedRequest) -> Option<Answers> {
        let undelivered = self.outbox.queue.iter().filter(|delivery| {
            !delivery.entry.settled
                && matches!(&delivery.entry.stage, Stage::Ended { outcome, .. } if !matches!(outcome, Outcome::Confirmed { .. }))
        });
        undelivered
            .filter_map(|delivery| match &delivery.entry.sent {
                Sent::Reply {
                    request,
                    reply: Reply::Answers(answers),
                    ..
                } => Some((request, answers)),
                Sent::Reply { .. } | Sent::Prompt { .. } => None,
            })
            .find(|(request, _)| {
                request.id != tracked.request.id
                    && request.session == tracked.request.session
                    && request.ask == tracked.request.ask
            })
            .map(|(_, answers)| answers.clone())
    }

    fn other_permissions(&self, id: &RequestId, tracked: &TrackedRequest) -> usize {
        if kind_of(&tracked.request) == Kind::Question {
            return 0;
        }
        let same = |other: &TrackedRequest| {
            other.request.session == tracked.request.session
                && kind_of(&other.request) == Kind::Permission
                && other.ended().is_none()
        };
        self.requests
            .iter()
            .filter(|(other, candidate)| *other != id && same(candidate))
            .count()
    }

    /// Directories of which what is shown is old, and their last success.
    fn stale_directories(&self) -> SortedMap<Directory, Time> {
        let everywhere = self.reader.link.is_failing();
        let stale = self.reader.scopes.iter().filter_map(|(key, scope)| match key {
            ScopeKey::Directory(directory) if everywhere || scope.cadence.failures() > FAILURES_HIDDEN => {
                Some((directory.clone(), scope.cadence.last_success()?))
            }
            ScopeKey::Directory(_) | ScopeKey::Sessions => None,
        });
        stale.collect()
    }

    fn origin_of(&self, session: &SessionId) -> Vec<SessionRef> {
        let mut chain = Vec::new();
        let mut next = Some(session.clone());
        while let Some(id) = next.filter(|_| chain.len() < NESTING_MAX) {
            let node = self.sessions.nodes.get(&id);
            chain.push(SessionRef {
                title: node.map(|node| node.session.title.clone()).unwrap_or_default(),
                id,
            });
            next = node.and_then(|node| node.session.parent.clone());
        }
        chain.reverse();
        chain
    }

    /// Requests that wait, by the session itself, and by those above it.
    fn count_waiting(&self) -> (SortedMap<SessionId, usize>, SortedMap<SessionId, usize>) {
        let (mut own, mut below) = (SortedMap::new(), SortedMap::new());
        for (_, tracked) in self.requests.iter().filter(|(_, tracked)| self.waits(tracked)) {
            *own.entry(tracked.request.session.clone()).or_default() += 1;
            for ancestor in self.origin_of(&tracked.request.session).iter().rev().skip(1) {
                *below.entry(ancestor.id.clone()).or_default() += 1;
            }
        }
        (own, below)
    }

    fn show_timeline(&mut self) -> Option<Timeline> {
        let id = self.attention.open.as_ref()?;
        let previews = self.attention.previews.show(id);
        let Some(node) = self.sessions.nodes.get(id) else {
            let problem = self
                .sessions
                .gone
                .contains_key(id)
                .then(|| "This session was deleted.".to_owned());
            return Some(Timeline {
                session: id.clone(),
                messages: List::default(),
                older: Older::Unknown,
                previews: SortedMap::new(),
                abandoned: SortedSet::new(),
                catching_up: false,
                problem,
                fallback: None,
                ghosts: Vec::new(),
            });
        };
        let transcript = &node.transcript;
        Some(Timeline {
            session: id.clone(),
            messages: transcript.messages().clone(),
            older: if self.attention.older_wanted {
                Older::Loading
            } else {
                transcript.older()
            },
            previews,
            abandoned: node.abandoned.clone(),
            catching_up: transcript.is_catching_up(),
            problem: node.problem.clone(),
            fallback: node.ended_without_text().then(|| fallback(transcript.messages())),
            ghosts: self.ghosts_of(id),
        })
    }

    fn ghosts_of(&self, session: &SessionId) -> Vec<RequestId> {
        let tracked = self.requests.iter();
        let ghosts = tracked.filter(|(_, tracked)| tracked.request.session == *session && tracked.is_ghost());
        ghosts.map(|(id, _)| id.clone()).collect()
    }

    /// The same timeline with the text that streams by now.
    pub(crate) fn show_streamed(&mut self, timeline: &Timeline) -> Arc<Timeline> {
        Arc::new(Timeline {
            previews: self.attention.previews.show(&timeline.session),
            ..timeline.clone()
        })
    }

    fn show_prompt_drafts(&self) -> Arc<SortedMap<SessionId, String>> {
        let prompts = self.drafts.iter().filter_map(|(key, draft)| match (key, &draft.text) {
            (DraftKey::Prompt(session), DraftText::Prompt(text)) => Some((session.clone(), text.clone())),
            (DraftKey::Prompt(_) | DraftKey::Request(_), _) => None,
        });
        let prompts = prompts.collect();
        if prompts == *self.view.prompt_drafts {
            self.view.prompt_drafts.clone()
        } else {
            Arc::new(prompts)
        }
    }
}

fn ended_state(outcome: &Outcome, at: Time, delivery: Option<&Delivery>) -> RequestState {
    match outcome {
        Outcome::Confirmed { note } => {
            let dismissed = delivery.is_some_and(|delivery| {
                matches!(
                    &delivery.entry.sent,
                    Sent::Reply {
                        reply: Reply::Dismiss,
                        ..
                    }
                )
            });
            if dismissed {
                return RequestState::Dismissed { by_us: true, at };
            }
            let sent = delivery.map_or(at, |delivery| delivery.said);
            RequestState::Answered {
                at,
                sent,
                note: note.clone(),
            }
        }
        Outcome::AnsweredElsewhere(answer) => RequestState::AnsweredElsewhere {
            answer: answer.clone(),
            at,
        },
        Outcome::Dismissed => RequestState::Dismissed { by_us: false, at },
        Outcome::Gone(reason) => RequestState::Gone {
            reason: reason.clone(),
            at,
        },
        Outcome::Cancelled { by_us } => RequestState::Gone {
            reason: GoneReason::Stopped { by_us: *by_us },
            at,
        },
    }
}

/// Why something is not sent from here while the store does not answer a claim.
const CLAIM_AWAITED: &str = "the storage of this device does not say whether another tab is sending it";

/// How long a stored prompt is still shown as such: until the timeline has it.
const STORED_SHOWN: Duration = Duration::from_secs(3);

fn show_prompt(delivery: &Delivery, now: Time) -> Option<Arc<PromptView>> {
    let entry = &delivery.entry;
    let Sent::Prompt { prompt, rescues } = &entry.sent else {
        return None;
    };
    let state = match &entry.stage {
        _ if entry.settled => return None,
        _ if delivery.awaits_claim() => sending(entry.attempts.max(1), CLAIM_AWAITED),
        Stage::Saved => PromptState::Sending {
            attempt: 1,
            problem: None,
        },
        Stage::Attempting { .. } => PromptState::Sending {
            attempt: entry.attempts,
            problem: None,
        },
        Stage::Attempted { attempt, .. } => match attempt {
            Attempt::Accepted if entry.attempts > 1 => PromptState::Sending {
                attempt: entry.attempts,
                problem: Some("the server took it and did not store it; is the agent known there?".to_owned()),
            },
            Attempt::Accepted => PromptState::Sent,
            Attempt::Refused(reason) => PromptState::NotSent { reason: reason.clone() },
            Attempt::NotFound => sending(entry.attempts, "the server did not know the session"),
            Attempt::Unauthorized => sending(entry.attempts, "the server wants a password"),
            Attempt::InDoubt(reason) => sending(entry.attempts, reason),
        },
        Stage::Ended {
            outcome: Outcome::Confirmed { .. },
            at,
        } => {
            if now.since(*at) >= STORED_SHOWN {
                return None;
            }
            PromptState::Stored { at: *at }
        }
        Stage::Ended { .. } => PromptState::NotSent {
            reason: NotSentReason::SessionDeleted,
        },
    };
    Some(Arc::new(PromptView {
        entry: entry.id.clone(),
        session: entry.session.clone(),
        message: prompt.message.clone(),
        text: prompt.text.clone(),
        rescues: rescues.clone(),
        state,
    }))
}

fn sending(attempt: u32, problem: &str) -> PromptState {
    PromptState::Sending {
        attempt,
        problem: Some(problem.to_owned()),
    }
}
