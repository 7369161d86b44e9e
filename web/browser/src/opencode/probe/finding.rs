//! What may be found at an address.

use super::InvalidAddress;

/// What answers at an address.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Finding {
    /// An OpenCode that Switchboard speaks with.
    Fine {
        /// Its version.
        version: String,
    },
    /// It wants a password, and none was given.
    PasswordNeeded,
    /// It refused the name or password.
    WrongPassword,
    /// Nothing answers.
    Unreachable,
    /// Something answers, and does not let this page read it.
    CorsRefused {
        /// The origin of this page, as the server must be told it.
        origin: String,
    },
    /// It sends its callers to another address.
    Redirects,
    /// It takes requests and answers none.
    Silent,
    /// What stands before it answers that it is not there: 502 or 503.
    Unavailable {
        /// The answer, in words.
        answer: String,
    },
    /// An OpenCode without lists of questions and permissions.
    TooOld {
        /// Its version, if it tells.
        version: Option<String>,
    },
    /// An OpenCode of the second generation.
    SpeaksV2 {
        /// Its version.
        version: String,
    },
    /// It answers with errors, twice.
    Failing {
        /// The answer, in words.
        answer: String,
    },
    /// Another program, or a web page.
    NotOpenCode {
        /// What it answers, in words.
        answer: String,
    },
    /// A text that is no address of a server.
    InvalidAddress(InvalidAddress),
    /// This page came over HTTPS, and browsers let it speak to other machines over HTTPS only.
    MixedContent,
}

impl Finding {
    /// True for what a server does while it starts: it holds on to early requests, or what stands before it has no
    /// answer for them yet.
    #[must_use]
    pub fn may_be_starting(&self) -> bool {
        matches!(self, Finding::Silent | Finding::Unavailable { .. })
    }

    /// True for a finding that one answer which was cut off or replaced on its way would lead to as well.
    pub(super) fn may_be_spoilt(&self) -> bool {
        matches!(
            self,
            Finding::NotOpenCode { .. } | Finding::TooOld { .. } | Finding::CorsRefused { .. }
        )
    }
}
