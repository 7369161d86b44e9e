//! What is asked, how that ends, and what is said about it.

use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use super::timeout::TIME_OUT;
use crate::time::Time;

/// How long a question waits, and what happens then.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AskOptions<A> {
    /// How long, from the asking; none is for ever. Defaults to 30 minutes.
    pub timeout: Option<Duration>,
    /// What the time-out does, beyond freeing who waits. Defaults to [`OnTimeOut::Leave`].
    pub then: OnTimeOut<A>,
}

impl<A> Default for AskOptions<A> {
    fn default() -> Self {
        Self {
            timeout: Some(TIME_OUT),
            then: OnTimeOut::Leave,
        }
    }
}

/// What a time-out does with a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OnTimeOut<A> {
    /// It stays answerable: it is shown until somebody answers it late, or cancels it.
    Leave,
    /// It gets this answer.
    Answer(A),
}

/// Who has answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Somebody, with [`Rendezvous::answer`](super::Rendezvous::answer).
    Person,
    /// Its [`OnTimeOut::Answer`].
    Policy,
}

/// The one end of a question, as its waiters see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome<A> {
    /// It has an answer.
    Answered {
        /// The answer.
        answer: A,
        /// Who gave it.
        by: By,
    },
    /// Nobody answered in time.
    TimedOut,
    /// It was cancelled; why, in words.
    Cancelled(String),
    /// The rendezvous was closed or dropped.
    Closed,
}

/// What became of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answered {
    /// It is the answer.
    Taken,
    /// The question had ended so long before. The answer is kept for [`Rendezvous::take_late`](super::Rendezvous::take_late).
    Late(Duration),
    /// Somebody had answered before. Nothing happened.
    Already,
    /// There is no such question. Nothing happened.
    Unknown,
    /// The rendezvous is closed. Nothing happened.
    Closed,
}

/// A question that is shown.
#[derive(Debug, PartialEq, Eq)]
pub struct Asked<K, Q> {
    /// Its key.
    pub key: K,
    /// What is asked.
    pub question: Rc<Q>,
    /// When it was asked.
    pub asked: Time,
    /// When its time is up; none where it waits for ever.
    pub until: Option<Time>,
    /// Its time is running out: 5 minutes are left, or half of it when that is less.
    pub warned: bool,
    /// When its time was up: nobody waits for it, and an answer is late.
    pub timed_out: Option<Time>,
}

/// An answer that came too late for those who waited.
#[derive(Debug, PartialEq, Eq)]
pub struct Late<K, Q, A> {
    /// The key of the question.
    pub key: K,
    /// What was asked.
    pub question: Rc<Q>,
    /// The answer.
    pub answer: A,
    /// How long after the end.
    pub late_by: Duration,
}

/// Why a question was not asked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotAsked<K> {
    /// This key was used before. A key is used once, so that no answer meets the wrong question.
    AlreadyAsked(K),
    /// The rendezvous is closed.
    Closed,
}

impl<K: fmt::Display> fmt::Display for NotAsked<K> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotAsked::AlreadyAsked(key) => write!(formatter, "{key} was asked before: a key is used once"),
            NotAsked::Closed => formatter.write_str("the rendezvous is closed"),
        }
    }
}

impl<K: fmt::Debug + fmt::Display> std::error::Error for NotAsked<K> {}
