//! A view: what is to be shown, before it is.

use std::borrow::Cow;
use std::fmt;

use crate::element::Parts;
use crate::into_view::IntoView;
use crate::keyed::Rows;

/// Anything that can be shown.
pub struct View(pub(crate) Kind);

/// The name that Leptos gives to a view whose type is not known.
pub type AnyView = View;

pub(crate) enum Kind {
    Nothing,
    Text(Cow<'static, str>),
    Element(Box<Parts>),
    /// An element in which nothing changes, as it is written in a `view!`, and what must be around it to be read.
    Markup(&'static str, Option<&'static str>),
    List(Vec<View>),
    /// What a function returns, again after each change of what it has read.
    Live(Box<dyn FnMut() -> View>),
    /// Rows that stay where they are, and what they are, as long as their key is there.
    Keyed(Box<dyn FnMut() -> Rows>),
}

impl View {
    #[doc(hidden)]
    pub fn new(view: impl IntoView) -> Self {
        view.into_view()
    }

    #[doc(hidden)]
    #[must_use]
    pub fn with_view_marker(self, _: &'static str) -> Self {
        self
    }
}

impl fmt::Debug for View {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self.0 {
            Kind::Nothing => "Nothing",
            Kind::Text(_) => "Text",
            Kind::Element(_) => "Element",
            Kind::Markup(..) => "Markup",
            Kind::List(_) => "List",
            Kind::Live(_) => "Live",
            Kind::Keyed(_) => "Keyed",
        })
    }
}
