//! References to elements in the document.

use std::marker::PhantomData;

use wasm_bindgen::JsCast;

use crate::html::ElementType;
use crate::payload::handle;
use crate::signal::{Read, RwSignal};

/// The element that carries it, once it is there.
pub struct NodeRef<E> {
    element: AnyNodeRef,
    kind: PhantomData<fn() -> E>,
}
handle!(NodeRef<E>);

pub(crate) type AnyNodeRef = RwSignal<Option<web_sys::Element>>;

impl<E> NodeRef<E> {
    /// Refers to nothing yet.
    #[expect(clippy::new_without_default, reason = "as in Leptos, it is made in one way")]
    pub fn new() -> Self {
        Self {
            element: RwSignal::new(None),
            kind: PhantomData,
        }
    }

    pub(crate) fn any(self) -> AnyNodeRef {
        self.element
    }
}

impl<E: ElementType> NodeRef<E> {
    /// The element.
    pub fn get(self) -> Option<E::Output> {
        self.element.get().map(JsCast::unchecked_into)
    }

    /// The element; not tracked.
    pub fn get_untracked(self) -> Option<E::Output> {
        self.element.get_untracked().map(JsCast::unchecked_into)
    }
}
