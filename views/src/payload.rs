//! A value of any type, so that the machinery of signals is compiled once and not once per type.

use std::any::Any;
use std::rc::Rc;

use send_wrapper::SendWrapper;

/// A value of a type that only its owner knows. A page has one thread, so nothing in it needs to be `Send`.
#[derive(Clone)]
pub(crate) struct Payload(SendWrapper<Rc<dyn Any>>);

impl Payload {
    pub(crate) fn new(value: Rc<dyn Any>) -> Self {
        Self(SendWrapper::new(value))
    }

    pub(crate) fn into_any(self) -> Rc<dyn Any> {
        self.0.take()
    }

    pub(crate) fn as_any(&self) -> &dyn Any {
        &**self.0
    }

    /// The value, to be changed. Whoever still reads it has made a mistake that Leptos answers with a deadlock.
    pub(crate) fn as_any_mut(&mut self) -> &mut dyn Any {
        Rc::get_mut(&mut self.0).expect("nobody changes a value while it is being read")
    }
}

/// The value, of the type it was made with.
pub(crate) fn cast<T: 'static>(value: Rc<dyn Any>) -> Rc<T> {
    value.downcast().expect("a payload has the type it was made with")
}

/// Gives a type that is only a handle, whatever it points at, the traits of one.
macro_rules! handle {
    ($name:ident < $value:ident $(, $other:ident)? >) => {
        impl<$value $(, $other)?> Clone for $name<$value $(, $other)?> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<$value $(, $other)?> Copy for $name<$value $(, $other)?> {}
        impl<$value $(, $other)?> std::fmt::Debug for $name<$value $(, $other)?> {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(stringify!($name))
            }
        }
    };
}
pub(crate) use handle;
