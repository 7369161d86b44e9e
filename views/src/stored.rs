//! Values that an owner keeps, and that nobody follows.

use std::any::Any;
use std::marker::PhantomData;
use std::rc::Rc;

use reactive_graph::owner as graph;
use reactive_graph::owner::{LocalStorage, SyncStorage};
use reactive_graph::traits::{Dispose, GetValue, UpdateValue};

use crate::payload::{Payload, cast, handle};

/// A value that lives as long as the owner it was made in.
pub struct StoredValue<T, S = SyncStorage> {
    inner: graph::StoredValue<Payload>,
    value: PhantomData<fn() -> (T, S)>,
}
handle!(StoredValue<T, S>);

impl<T: 'static> StoredValue<T> {
    /// Keeps a value.
    pub fn new(value: T) -> Self {
        Self::of(Rc::new(value))
    }
}

impl<T: 'static> StoredValue<T, LocalStorage> {
    /// Keeps a value that is not `Send`.
    pub fn new_local(value: T) -> Self {
        Self::of(Rc::new(value))
    }
}

impl<T: 'static, S> StoredValue<T, S> {
    fn of(value: Rc<dyn Any>) -> Self {
        Self {
            inner: store(value),
            value: PhantomData,
        }
    }

    /// A copy of the value.
    pub fn get_value(self) -> T
    where
        T: Clone,
    {
        T::clone(&self.value())
    }

    /// Applies a function to the value.
    pub fn with_value<U>(self, read: impl FnOnce(&T) -> U) -> U {
        read(&self.value())
    }

    fn value(self) -> Rc<T> {
        cast(stored(self.inner))
    }

    /// Keeps another value.
    pub fn set_value(self, value: T) {
        self.update_value(|kept| *kept = value);
    }

    /// Changes the value.
    pub fn update_value(self, change: impl FnOnce(&mut T)) {
        self.try_update_value(change);
    }

    /// Changes the value and returns what comes of it; `None` when the value is gone.
    pub fn try_update_value<U>(self, change: impl FnOnce(&mut T) -> U) -> Option<U> {
        let mut change = Some(change);
        let mut result = None;
        change_stored(self.inner, &mut |value| {
            if let Some((change, value)) = change.take().zip(value.downcast_mut()) {
                result = Some(change(value));
            }
        });
        result
    }

    /// Lets go of the value.
    pub fn dispose(self) {
        self.inner.dispose();
    }
}

// Each of these is compiled once.

fn store(value: Rc<dyn Any>) -> graph::StoredValue<Payload> {
    graph::StoredValue::new(Payload::new(value))
}

fn stored(stored: graph::StoredValue<Payload>) -> Rc<dyn Any> {
    stored.get_value().into_any()
}

fn change_stored(stored: graph::StoredValue<Payload>, change: &mut dyn FnMut(&mut dyn Any)) {
    stored.try_update_value(|payload| change(payload.as_any_mut()));
}

/// A function that can be copied into as many closures as need it.
pub struct Callback<T>(StoredValue<Rc<dyn Fn(T)>>);
handle!(Callback<T>);

impl<T: 'static> Callback<T> {
    /// Keeps a function.
    pub fn new(run: impl Fn(T) + 'static) -> Self {
        Self(StoredValue::new(Rc::new(run)))
    }

    /// Calls it.
    pub fn run(self, input: T) {
        self.0.get_value()(input);
    }
}
