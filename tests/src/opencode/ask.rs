//! Requests of tool calls: how they are listed, allowed and refused (docs/opencode.md, sections 1 and 2).

use futures::channel::oneshot;
use switchboard_core::model::{
    Ask, CallId, Directory, MessageId, PartId, Permission, Request, RequestId, SessionId, ToolRef,
};

use super::OpenCode;
use super::history::Event;
use super::state::{Asked, Verdict};

/// Where a tool call is.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) session: SessionId,
    pub(super) directory: Directory,
    pub(super) message: MessageId,
    pub(super) part: PartId,
    pub(super) call: CallId,
    pub(super) agent: String,
}

impl OpenCode {
    /// Lists the request of a call and waits until it is decided. Dropping the future leaves a ghost.
    pub(super) async fn ask(&self, place: &Place, ask: Ask) -> (RequestId, Verdict) {
        let tool = ToolRef {
            message: place.message.clone(),
            call: place.call.clone(),
        };
        self.ask_for(place, Some(tool), ask).await
    }

    /// Asks whether a run may go on that has called the same again and again: such a request names no call, and a stop takes
    /// it from the list.
    pub(super) async fn ask_to_go_on(&self, place: &Place, tool: &str) -> (RequestId, Verdict) {
        let permission = Permission {
            kind: "doom_loop".to_owned(),
            patterns: vec![tool.to_owned()],
            always: vec![tool.to_owned()],
            ..Permission::default()
        };
        self.ask_for(place, None, Ask::Permission(Box::new(permission))).await
    }

    async fn ask_for(&self, place: &Place, tool: Option<ToolRef>, ask: Ask) -> (RequestId, Verdict) {
        let prefix = if matches!(ask, Ask::Questions(_)) { "que" } else { "per" };
        let request = Request {
            id: RequestId::new(self.id(prefix)),
            session: place.session.clone(),
            directory: place.directory.clone(),
            tool,
            ask,
        };
        let id = request.id.clone();
        if self.is_allowed(&request) {
            return (id, Verdict::Allowed);
        }
        self.tell(Event::Asked(Box::new(request.clone())));
        let (waiter, verdict) = oneshot::channel();
        self.with(|state| state.instance(&place.directory).asked.push(Asked { request, waiter }));
        match verdict.await {
            Ok(verdict) => (id, verdict),
            Err(oneshot::Canceled) => futures::future::pending().await,
        }
    }

    fn is_allowed(&self, request: &Request) -> bool {
        self.with(|state| {
            let allowed = &state.instance(&request.directory).allowed;
            request
                .permission()
                .is_some_and(|permission| covers(allowed, permission))
        })
    }

    /// *Always*: notes it for the instance, and lets go what waits in the same session and is covered by it.
    pub(super) fn allow_from_now_on(&self, request: &Request, directory: &Directory) {
        let Some(permission) = request.permission() else { return };
        let freed = self.with(|state| {
            let instance = state.instance(directory);
            let noted = permission
                .always
                .iter()
                .map(|pattern| (permission.kind.clone(), pattern.clone()));
            instance.allowed.extend(noted);
            let allowed = instance.allowed.clone();
            let is_covered = |asked: &mut Asked| {
                asked.request.session == request.session
                    && asked
                        .request
                        .permission()
                        .is_some_and(|permission| covers(&allowed, permission))
            };
            instance.asked.extract_if(.., is_covered).collect::<Vec<_>>()
        });
        for asked in freed {
            self.tell_taken_along(&asked, true);
            let _ = asked.waiter.send(Verdict::Allowed);
        }
    }

    /// *Reject*: takes all permissions of the session along. Returns how many of them were live.
    pub(super) fn reject_others(&self, session: &SessionId, directory: &Directory) -> usize {
        let is_other = |asked: &mut Asked| asked.request.session == *session && asked.request.permission().is_some();
        let others = self.with(|state| {
            state
                .instance(directory)
                .asked
                .extract_if(.., is_other)
                .collect::<Vec<_>>()
        });
        let live = others.iter().filter(|asked| !asked.is_ghost()).count();
        for asked in others {
            self.tell_taken_along(&asked, false);
            let _ = asked.waiter.send(Verdict::Rejected {
                message: None,
                ends_run: true,
            });
        }
        live
    }

    fn tell_taken_along(&self, asked: &Asked, allowed: bool) {
        if !asked.is_ghost() {
            let request = asked.request.id.clone();
            self.tell(Event::TakenAlong { request, allowed });
        }
    }
}

fn covers(allowed: &[(String, String)], permission: &Permission) -> bool {
    !permission.patterns.is_empty()
        && permission.patterns.iter().all(|asked| {
            allowed
                .iter()
                .any(|(kind, pattern)| *kind == permission.kind && matches_pattern(pattern, asked))
        })
}

/// `*` stands for anything at the end of a pattern.
fn matches_pattern(pattern: &str, text: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => text.starts_with(start.trim_end()),
        None => pattern == text,
    }
}
