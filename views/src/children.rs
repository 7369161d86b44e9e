//! What stands between the tags of a component.

use std::fmt;
use std::rc::Rc;

use crate::into_view::IntoView;
use crate::view::View;

/// Children that are made once.
pub type Children = Box<dyn FnOnce() -> View>;

/// Children that can be made again.
pub type ChildrenFn = Rc<dyn Fn() -> View>;

/// Makes children of what a view has between the tags of a component.
pub trait ToChildren<F> {
    #[doc(hidden)]
    fn to_children(from: F) -> Self;
}

impl<F: FnOnce() -> V + 'static, V: IntoView> ToChildren<F> for Children {
    fn to_children(from: F) -> Self {
        Box::new(move || from().into_view())
    }
}

impl<F: Fn() -> V + 'static, V: IntoView> ToChildren<F> for ChildrenFn {
    fn to_children(from: F) -> Self {
        Rc::new(move || from().into_view())
    }
}

/// Children that are a text.
#[doc(hidden)]
#[derive(Debug)]
pub struct ChildrenOptContainer<T>(pub T);

impl<V: IntoView + 'static> ToChildren<ChildrenOptContainer<V>> for Children {
    fn to_children(from: ChildrenOptContainer<V>) -> Self {
        Box::new(move || from.0.into_view())
    }
}

impl<V: IntoView + Clone + 'static> ToChildren<ChildrenOptContainer<V>> for ChildrenFn {
    fn to_children(from: ChildrenOptContainer<V>) -> Self {
        Rc::new(move || from.0.clone().into_view())
    }
}

/// A function that makes a view; by default of nothing.
#[derive(Clone)]
pub struct ViewFn(ChildrenFn);

impl ViewFn {
    pub(crate) fn run(&self) -> View {
        (self.0)()
    }
}

impl Default for ViewFn {
    fn default() -> Self {
        (|| ()).into()
    }
}

impl<F: Fn() -> V + 'static, V: IntoView> From<F> for ViewFn {
    fn from(show: F) -> Self {
        Self(Rc::new(move || show().into_view()))
    }
}

impl fmt::Debug for ViewFn {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ViewFn")
    }
}
