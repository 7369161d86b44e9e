//! What can be set, with the values that hold unless something else is said.

use std::time::Duration;

use crate::model::Directory;
use crate::policy::Unattended;

/// The settings of a board.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Config {
    /// Where ids and jitter come from. It must be random: message ids are global on a server, and two boards with one seed
    /// can make the same id, which puts the text of the one into the message of the other.
    pub seed: u64,
    /// Shows this directory alone. Defaults to all of the server.
    pub directory: Option<Directory>,
    /// How often things are read.
    pub pace: Pace,
    /// Bounds.
    pub limits: Limits,
    /// What happens to requests that nobody answers. Defaults to a time-out of 30 minutes that leaves them answerable.
    pub unattended: Unattended,
}

impl Config {
    /// The usual settings. The seed has no default: take it from the random numbers of the platform.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            directory: None,
            pace: Pace::default(),
            limits: Limits::default(),
            unattended: Unattended::default(),
        }
    }
}

/// How often things are read.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Pace {
    /// Between two refreshes while anything is busy or waits, and the page is visible. Defaults to 2 s.
    pub busy: Duration,
    /// Between two refreshes while all is quiet. Defaults to 5 s.
    pub quiet: Duration,
    /// Between two refreshes of a hidden page. Defaults to 15 s.
    pub hidden: Duration,
    /// The longest pause between two refreshes of the session list, or of a directory in which nothing runs, or only what waits
    /// for a person, while the event stream announces all that happens. Defaults to 9 s: a tab that follows waits 1 s longer,
    /// and no tab may be blind for more than 10 s.
    pub announced: Duration,
    /// The same for a directory in which something runs. Defaults to 8 s.
    pub announced_running: Duration,
    /// Between two refreshes while somebody awaits a reply, also when the page is hidden. Defaults to 1 s.
    pub awaited: Duration,
    /// Between two sweeps over all directories. Defaults to 60 s.
    pub sweep: Duration,
    /// Wakes that come closer than this are one. Defaults to 250 ms.
    pub wake_gap: Duration,
    /// How long a following tab waits for the leader before it reads for itself. Defaults to 3 s.
    pub follow_patience: Duration,
    /// The longest pause after failures. Defaults to 10 s.
    pub backoff_max: Duration,
    /// How long one read may take. Defaults to 8 s.
    pub read_deadline: Duration,
    /// How long one send may take. Defaults to 15 s: a prompt of 20 MB takes 1.4 s on a fast line.
    pub send_deadline: Duration,
    /// How far apart two refreshes must begin to agree on an absence. Defaults to 2 s.
    pub absence_gap: Duration,
}

/// Bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Limits {
    /// Reads in flight. Defaults to 4: a browser has six connections, one streams events, one is kept for sends.
    pub reads_in_flight: usize,
    /// Reads of messages in one refresh. Defaults to 8.
    pub message_reads: usize,
    /// Messages on the first page of an opened session. Defaults to 40.
    pub page: u32,
    /// Messages that are held of a session that is not open. Defaults to 20.
    pub held: usize,
    /// Idle sessions of a directory, newest first, whose last messages are read. Defaults to 50.
    pub idle_read: usize,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            busy: Duration::from_secs(2),
            quiet: Duration::from_secs(5),
            hidden: Duration::from_secs(15),
            announced: Duration::from_secs(9),
            announced_running: Duration::from_secs(8),
            awaited: Duration::from_secs(1),
            sweep: Duration::from_secs(60),
            wake_gap: Duration::from_millis(250),
            follow_patience: Duration::from_secs(3),
            backoff_max: Duration::from_secs(10),
            read_deadline: Duration::from_secs(8),
            send_deadline: Duration::from_secs(15),
            absence_gap: Duration::from_secs(2),
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            reads_in_flight: 4,
            message_reads: 8,
            page: 40,
            held: 20,
            idle_read: 50,
        }
    }
}
