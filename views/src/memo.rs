//! Memos: values computed from others, which tell their readers only when they come out different.

use std::any::Any;
use std::marker::PhantomData;
use std::rc::Rc;

use reactive_graph::computed as graph;
use reactive_graph::traits::{Get, GetUntracked};
use send_wrapper::SendWrapper;

use crate::payload::{Payload, handle};
use crate::signal::Read;

/// A value computed from others.
pub struct Memo<T> {
    inner: graph::Memo<Payload>,
    value: PhantomData<fn() -> T>,
}
handle!(Memo<T>);

/// From the value before to the next one, and whether they differ.
type Compute = Box<dyn Fn(Option<&dyn Any>) -> (Rc<dyn Any>, bool)>;

impl<T: 'static> Memo<T> {
    /// Makes a memo that lives as long as the current owner. Its function gets the value before.
    pub fn new(compute: impl Fn(Option<&T>) -> T + 'static) -> Self
    where
        T: PartialEq,
    {
        Self::new_with_compare(compute, |before, next| before != next)
    }

    /// Like [`Memo::new`]; `differs` says whether readers are to be told.
    pub fn new_with_compare(
        compute: impl Fn(Option<&T>) -> T + 'static,
        differs: fn(Option<&T>, Option<&T>) -> bool,
    ) -> Self {
        let inner = new_memo(Box::new(move |before| {
            let before = before.and_then(<dyn Any>::downcast_ref);
            let next = compute(before);
            let is_different = differs(before, Some(&next));
            (Rc::new(next), is_different)
        }));
        Self {
            inner,
            value: PhantomData,
        }
    }
}

// Compiled once.
fn new_memo(compute: Compute) -> graph::Memo<Payload> {
    let compute = SendWrapper::new(compute);
    graph::Memo::new_owning(move |before: Option<Payload>| {
        let (next, is_different) = compute(before.as_ref().map(Payload::as_any));
        (Payload::new(next), is_different)
    })
}

impl<T: 'static> Read<T> for Memo<T> {
    fn tracked(&self) -> Rc<dyn Any> {
        tracked(self.inner)
    }

    fn untracked(&self) -> Rc<dyn Any> {
        untracked(self.inner)
    }
}

fn tracked(memo: graph::Memo<Payload>) -> Rc<dyn Any> {
    memo.get().into_any()
}

fn untracked(memo: graph::Memo<Payload>) -> Rc<dyn Any> {
    memo.get_untracked().into_any()
}
