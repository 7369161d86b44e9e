//! Signals: values that tell who reads them when they change.

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::rc::Rc;

use reactive_graph::signal as graph;
use reactive_graph::traits::{Get, GetUntracked, Update};

use crate::memo::Memo;
use crate::payload::{Payload, cast, handle};
use crate::stored::StoredValue;

/// What all signals and memos can do: be read, with or without the reader being run again when they change.
pub trait Read<T: 'static> {
    #[doc(hidden)]
    fn tracked(&self) -> Rc<dyn Any>;
    #[doc(hidden)]
    fn untracked(&self) -> Rc<dyn Any>;

    /// The value, shared.
    fn read(&self) -> ReadGuard<T> {
        ReadGuard(cast(self.tracked()))
    }

    /// The value, shared; not tracked.
    fn read_untracked(&self) -> ReadGuard<T> {
        ReadGuard(cast(self.untracked()))
    }

    /// A copy of the value.
    fn get(&self) -> T
    where
        T: Clone,
    {
        T::clone(&self.read())
    }

    /// A copy of the value; not tracked.
    fn get_untracked(&self) -> T
    where
        T: Clone,
    {
        T::clone(&self.read_untracked())
    }

    /// Applies a function to the value.
    fn with<U>(&self, read: impl FnOnce(&T) -> U) -> U {
        read(&self.read())
    }

    /// Applies a function to the value; not tracked.
    fn with_untracked<U>(&self, read: impl FnOnce(&T) -> U) -> U {
        read(&self.read_untracked())
    }

    /// Follows the value without reading it.
    fn track(&self) {
        self.tracked();
    }
}

/// A value as it is while it is being read.
#[derive(Debug)]
pub struct ReadGuard<T>(Rc<T>);

impl<T> Deref for ReadGuard<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// A value that can be changed.
pub struct RwSignal<T> {
    inner: graph::RwSignal<Payload>,
    value: PhantomData<fn() -> T>,
}
handle!(RwSignal<T>);

impl<T: 'static> RwSignal<T> {
    /// Makes a signal that lives as long as the current owner.
    pub fn new(value: T) -> Self {
        Self::of(Rc::new(value))
    }

    /// Like [`RwSignal::new`]: here no value needs to be `Send`.
    pub fn new_local(value: T) -> Self {
        Self::new(value)
    }

    fn of(value: Rc<dyn Any>) -> Self {
        Self {
            inner: new_signal(value),
            value: PhantomData,
        }
    }

    /// The side that only reads.
    pub fn read_only(self) -> ReadSignal<T> {
        ReadSignal(self)
    }

    /// Sets a new value.
    pub fn set(self, value: T) {
        self.try_set(value);
    }

    /// Sets a new value. Returns it when the signal is gone.
    pub fn try_set(self, value: T) -> Option<T> {
        replace(self.inner, Rc::new(value)).map(|value| {
            let value = Rc::try_unwrap(cast(value));
            value.unwrap_or_else(|_| unreachable!("a value that was not taken has one owner"))
        })
    }

    /// Changes the value in its place.
    pub fn update(self, change: impl FnOnce(&mut T)) {
        let mut change = Some(change);
        change_signal(self.inner, &mut |value| {
            if let Some((change, value)) = change.take().zip(value.downcast_mut()) {
                change(value);
            }
        });
    }
}

// Each of these is compiled once.

fn new_signal(value: Rc<dyn Any>) -> graph::RwSignal<Payload> {
    graph::RwSignal::new(Payload::new(value))
}

fn replace(signal: graph::RwSignal<Payload>, value: Rc<dyn Any>) -> Option<Rc<dyn Any>> {
    let mut value = Some(value);
    signal.try_update(|payload| {
        if let Some(value) = value.take() {
            *payload = Payload::new(value);
        }
    });
    value
}

fn change_signal(signal: graph::RwSignal<Payload>, change: &mut dyn FnMut(&mut dyn Any)) {
    signal.try_update(|payload| change(payload.as_any_mut()));
}

impl<T: 'static> Read<T> for RwSignal<T> {
    fn tracked(&self) -> Rc<dyn Any> {
        tracked(self.inner)
    }

    fn untracked(&self) -> Rc<dyn Any> {
        untracked(self.inner)
    }
}

fn tracked(signal: graph::RwSignal<Payload>) -> Rc<dyn Any> {
    signal.get().into_any()
}

fn untracked(signal: graph::RwSignal<Payload>) -> Rc<dyn Any> {
    signal.get_untracked().into_any()
}

/// The side of a signal that only reads.
pub struct ReadSignal<T>(RwSignal<T>);
handle!(ReadSignal<T>);

impl<T: 'static> Read<T> for ReadSignal<T> {
    fn tracked(&self) -> Rc<dyn Any> {
        self.0.tracked()
    }

    fn untracked(&self) -> Rc<dyn Any> {
        self.0.untracked()
    }
}

/// The side of a signal that only writes.
pub struct WriteSignal<T>(RwSignal<T>);
handle!(WriteSignal<T>);

impl<T: 'static> WriteSignal<T> {
    /// Sets a new value.
    pub fn set(self, value: T) {
        self.0.set(value);
    }

    /// Sets a new value. Returns it when the signal is gone.
    pub fn try_set(self, value: T) -> Option<T> {
        self.0.try_set(value)
    }
}

/// Makes a signal, its two sides apart.
pub fn signal<T: 'static>(value: T) -> (ReadSignal<T>, WriteSignal<T>) {
    let signal = RwSignal::new(value);
    (ReadSignal(signal), WriteSignal(signal))
}

/// A value that can be changed and lives as long as somebody holds it.
pub struct ArcRwSignal<T> {
    inner: graph::ArcRwSignal<Payload>,
    value: PhantomData<fn() -> T>,
}

impl<T> Clone for ArcRwSignal<T> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            value: PhantomData,
        }
    }
}

impl<T> fmt::Debug for ArcRwSignal<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ArcRwSignal")
    }
}

impl<T: 'static> ArcRwSignal<T> {
    /// Makes a signal.
    pub fn new(value: T) -> Self {
        Self {
            inner: graph::ArcRwSignal::new(Payload::new(Rc::new(value))),
            value: PhantomData,
        }
    }

    /// Sets a new value.
    pub fn set(&self, value: T) {
        RwSignal::from(self.clone()).set(value);
    }
}

impl<T: 'static> Read<T> for ArcRwSignal<T> {
    fn tracked(&self) -> Rc<dyn Any> {
        self.inner.get().into_any()
    }

    fn untracked(&self) -> Rc<dyn Any> {
        self.inner.get_untracked().into_any()
    }
}

impl<T> From<ArcRwSignal<T>> for RwSignal<T> {
    fn from(signal: ArcRwSignal<T>) -> Self {
        Self {
            inner: signal.inner.into(),
            value: PhantomData,
        }
    }
}

/// Anything that can be read: a signal, a memo, a function of them, or a value that stays.
pub struct Signal<T>(Source<T>);
handle!(Signal<T>);

enum Source<T> {
    Signal(RwSignal<T>),
    Memo(Memo<T>),
    Derived(StoredValue<Rc<dyn Fn() -> Rc<dyn Any>>>),
}
handle!(Source<T>);

impl<T: 'static> Signal<T> {
    /// A function of other signals. It is run each time that it is read.
    pub fn derive(compute: impl Fn() -> T + 'static) -> Self {
        Self::computed(Rc::new(move || Rc::new(compute())))
    }

    fn computed(compute: Rc<dyn Fn() -> Rc<dyn Any>>) -> Self {
        Self(Source::Derived(StoredValue::new(compute)))
    }
}

impl<T: 'static> Read<T> for Signal<T> {
    fn tracked(&self) -> Rc<dyn Any> {
        match self.0 {
            Source::Signal(signal) => signal.tracked(),
            Source::Memo(memo) => memo.tracked(),
            Source::Derived(compute) => compute.get_value()(),
        }
    }

    fn untracked(&self) -> Rc<dyn Any> {
        match self.0 {
            Source::Signal(signal) => signal.untracked(),
            Source::Memo(memo) => memo.untracked(),
            Source::Derived(compute) => reactive_graph::graph::untrack(|| compute.get_value()()),
        }
    }
}

impl<T: Default + 'static> Default for RwSignal<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> From<Memo<T>> for Signal<T> {
    fn from(memo: Memo<T>) -> Self {
        Self(Source::Memo(memo))
    }
}

impl<T> From<RwSignal<T>> for Signal<T> {
    fn from(signal: RwSignal<T>) -> Self {
        Self(Source::Signal(signal))
    }
}

impl<T> From<ReadSignal<T>> for Signal<T> {
    fn from(signal: ReadSignal<T>) -> Self {
        Self(Source::Signal(signal.0))
    }
}

impl<T: 'static> From<T> for Signal<T> {
    fn from(value: T) -> Self {
        let value: Rc<dyn Any> = Rc::new(value);
        Self::computed(Rc::new(move || value.clone()))
    }
}
