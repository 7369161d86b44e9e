//! Closures of one type.
//!
//! Leptos compiles what surrounds a closure (a node of its graph, a place in the document) for each closure anew. Behind
//! these functions it does so once, or once for each type that closures return.

use leptos::prelude::*;

/// A closure in a view.
pub(crate) fn live<V: IntoAny>(mut view: impl FnMut() -> V + Send + 'static) -> Box<dyn FnMut() -> AnyView + Send> {
    Box::new(move || view().into_any())
}

/// A memo that needs nothing of what it was before.
pub(crate) fn memo<T: PartialEq + Send + Sync + 'static>(value: impl Fn() -> T + Send + Sync + 'static) -> Memo<T> {
    memo_of(Box::new(value))
}

#[inline(never)]
fn memo_of<T: PartialEq + Send + Sync + 'static>(value: Box<dyn Fn() -> T + Send + Sync>) -> Memo<T> {
    Memo::new(move |_| value())
}

/// An effect that needs nothing of when it ran before.
pub(crate) fn effect(run: impl FnMut() + 'static) {
    effect_of(Box::new(run));
}

#[inline(never)]
fn effect_of(run: Box<dyn FnMut()>) {
    Effect::new(run);
}

/// Children while a condition holds, as Leptos' own component shows them.
#[component(transparent)]
pub(crate) fn Show<W: Fn() -> bool + Send + Sync + 'static>(
    /// The condition.
    when: W,
    /// What is shown.
    children: ChildrenFn,
) -> impl IntoView {
    show(Box::new(when), children)
}

#[inline(never)]
fn show(when: Box<dyn Fn() -> bool + Send + Sync>, children: ChildrenFn) -> AnyView {
    let is_shown = ArcMemo::new(move |_| when());
    live(move || is_shown.get().then(|| children())).into_any()
}
