//! What the engine asks the driver to do.

use std::sync::Arc;

use crate::metrics::Figure;
use crate::model::{Draft, DraftKey, Entry, EntryId};
use crate::ports::{Post, Read, SessionLink};

/// Something that the driver does for the engine.
#[derive(Debug)]
pub(crate) enum Action {
    /// Read, and answer with [`Board::handle_read`](super::board::Board::handle_read).
    Read { number: u64, read: Read },
    /// Send an entry, and answer with [`Board::handle_posted`](super::board::Board::handle_posted).
    Send { entry: EntryId, post: Post },
    /// Send something that is in no ledger, and answer with [`Board::handle_commanded`](super::board::Board::handle_commanded).
    Command { number: u64, post: Post },
    /// Commit, and answer with [`Board::handle_committed`](super::board::Board::handle_committed).
    Commit { entry: Arc<Entry>, expected: Option<u64> },
    /// Claim, and answer with [`Board::handle_claimed`](super::board::Board::handle_claimed).
    Claim(EntryId),
    /// Load, and answer with [`Board::handle_loaded`](super::board::Board::handle_loaded).
    Load,
    /// Load the figures, and answer with [`Board::handle_figures`](super::board::Board::handle_figures).
    LoadFigures,
    /// Keep a figure, and answer with [`Board::handle_figure_kept`](super::board::Board::handle_figure_kept).
    KeepFigure(Figure),
    /// Keep a link. Nothing is told of the result: it is in the title of the session, too.
    KeepLink(SessionLink),
    /// Keep a draft, and answer with [`Board::handle_draft_kept`](super::board::Board::handle_draft_kept).
    KeepDraft {
        /// What is kept.
        draft: Draft,
        /// What was known of the one that it replaces.
        known: Option<Draft>,
    },
    /// Drop a draft, and answer with [`Board::handle_draft_kept`](super::board::Board::handle_draft_kept).
    DropDraft(DraftKey),
}
