//! Decisions that came before the effects they are for.

use std::fmt;

use super::DECISIONS_MAX;
use super::effect::Decision;
use crate::collections::SortedMap;
use crate::model::{RequestId, SessionId};

/// Decisions by the full id of their request.
#[derive(Debug, Default)]
pub(super) struct Decisions {
    kept: SortedMap<(SessionId, RequestId), Decision>,
}

/// Why a decision was not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotKept {
    /// There is one already: the first counts.
    Decided,
    /// There are [`DECISIONS_MAX`] that nothing has used.
    TooMany,
}

impl fmt::Display for NotKept {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            NotKept::Decided => "the request is already decided",
            NotKept::TooMany => "too many decisions wait for their effects",
        })
    }
}

impl std::error::Error for NotKept {}

impl Decisions {
    pub(super) fn keep(&mut self, request: (SessionId, RequestId), decision: Decision) -> Result<(), NotKept> {
        if self.kept.contains_key(&request) {
            return Err(NotKept::Decided);
        }
        if self.kept.len() >= DECISIONS_MAX {
            return Err(NotKept::TooMany);
        }
        self.kept.insert(request, decision);
        Ok(())
    }

    pub(super) fn get(&self, request: &(SessionId, RequestId)) -> Option<&Decision> {
        self.kept.get(request)
    }

    pub(super) fn forget(&mut self, request: &(SessionId, RequestId)) {
        self.kept.remove(request);
    }

    pub(super) fn end_turn(&mut self, session: &SessionId) {
        self.kept.retain(|(of, _), _| of != session);
    }
}
