//! Closures of one type.
//!
//! Leptos compiles what surrounds a closure (a node of its graph, a place in the document) for each closure anew. Behind
//! these functions it does so once, or once for each type that closures return.
//!
//! They also leave what they have read when they end: by itself a memo keeps a place for each reader that it ever had, and
//! those of the desk outlive every page.

use leptos::prelude::*;
use leptos::reactive::graph::{Observer, Subscriber};

/// A closure in a view.
pub(crate) fn live<V: IntoAny>(mut view: impl FnMut() -> V + Send + 'static) -> Box<dyn FnMut() -> AnyView + Send> {
    Box::new(move || {
        leave_at_end();
        view().into_any()
    })
}

/// A closure that an attribute follows. One that reads only what ends with it needs none of this.
pub(crate) fn followed<T>(value: impl Fn() -> T + Send + Sync + 'static) -> impl Fn() -> T + Send + Sync + 'static {
    move || {
        leave_at_end();
        value()
    }
}

/// A memo that needs nothing of what it was before.
pub(crate) fn memo<T: PartialEq + Send + Sync + 'static>(value: impl Fn() -> T + Send + Sync + 'static) -> Memo<T> {
    memo_of(Box::new(value))
}

#[inline(never)]
fn memo_of<T: PartialEq + Send + Sync + 'static>(value: Box<dyn Fn() -> T + Send + Sync>) -> Memo<T> {
    Memo::new(move |_| {
        leave_at_end();
        value()
    })
}

/// An effect that needs nothing of when it ran before.
pub(crate) fn effect(run: impl FnMut() + 'static) {
    effect_of(Box::new(run));
}

#[inline(never)]
fn effect_of(mut run: Box<dyn FnMut()>) {
    Effect::new(move || {
        leave_at_end();
        run();
    });
}

/// Has the closure that runs leave what it reads once its owner is gone.
#[inline(never)]
pub(crate) fn leave_at_end() {
    if let Some(reader) = Observer::get() {
        on_cleanup(move || reader.clear_sources(&reader));
    }
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
    let is_shown = ArcMemo::new(move |_| {
        leave_at_end();
        when()
    });
    live(move || is_shown.get().then(|| children())).into_any()
}
