//! How the end of an effect reaches whoever submitted it: exactly once, always.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::FutureExt;
use futures::channel::oneshot;

/// The one answer to an effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Response<T> {
    /// It is done.
    Ready(T),
    /// There was nothing to do.
    NothingToDo,
    /// It failed and had no effect; in words.
    Failed(String),
    /// It may or may not have had its effect, and is not tried again; in words.
    InDoubt(String),
    /// It was cancelled, released or dropped with its queue before it had an answer.
    Cancelled,
}

/// Resolves with the answer to an effect. Dropping it disturbs nothing: the effect is done all the same.
#[must_use = "the answer to an effect is worth knowing; drop it on purpose otherwise"]
#[derive(Debug)]
pub struct Responding<T>(oneshot::Receiver<Response<T>>);

impl<T> Future for Responding<T> {
    type Output = Response<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Response<T>> {
        let answered = self.0.poll_unpin(context);
        answered.map(|answer| answer.unwrap_or(Response::Cancelled))
    }
}

/// The duty to answer. Dropping it answers [`Response::Cancelled`].
#[derive(Debug)]
pub(super) struct Responder<T>(oneshot::Sender<Response<T>>);

impl<T> Responder<T> {
    pub(super) fn new() -> (Self, Responding<T>) {
        let (sender, receiver) = oneshot::channel();
        (Self(sender), Responding(receiver))
    }

    pub(super) fn answer(self, response: Response<T>) {
        // Whoever has dropped the other end does not want to know.
        let _ = self.0.send(response);
    }
}
