//! `<For>`: a list by keys.

use std::rc::Rc;

use leptos_macro::component;
use reactive_graph::owner::Owner;

use crate::into_view::IntoView;
use crate::keyed::Row;
use crate::view::{Kind, View};

/// Shows a row for each item. A row stays what it is as long as its key is there.
#[allow(unreachable_pub, reason = "the macro makes a builder that nobody names")]
#[component]
pub fn For<Each, Items, T, Show, V, ToKey, K>(
    /// The items, in order.
    each: Each,
    /// What tells an item from the others.
    key: ToKey,
    /// Makes the row of an item; what it reads is followed by the row alone.
    children: Show,
) -> impl IntoView
where
    Each: Fn() -> Items + 'static,
    Items: IntoIterator<Item = T> + 'static,
    T: 'static,
    Show: Fn(T) -> V + 'static,
    V: IntoView + 'static,
    ToKey: Fn(&T) -> K + 'static,
    K: PartialEq + 'static,
{
    let children = Rc::new(children);
    let parent = Owner::current().unwrap_or_default();
    View(Kind::Keyed(Box::new(move || {
        each()
            .into_iter()
            .map(|item| {
                let children = children.clone();
                Row {
                    key: Box::new(key(&item)),
                    show: Box::new(move || children(item).into_view()),
                    parent: parent.clone(),
                }
            })
            .collect()
    })))
}
