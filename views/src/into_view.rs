//! What can be put into a view.

use std::borrow::Cow;

use crate::memo::Memo;
use crate::signal::{Read, ReadSignal, RwSignal, Signal};
use crate::view::{Kind, View};

/// Anything that can be put into a view.
pub trait IntoView {
    /// Makes it one.
    fn into_view(self) -> View;
}

/// Makes a view of which the type does not matter.
pub trait IntoAny {
    /// Makes it a view.
    fn into_any(self) -> View;
}

impl<V: IntoView> IntoAny for V {
    fn into_any(self) -> View {
        self.into_view()
    }
}

/// Makes one view of many.
pub trait CollectView {
    /// Makes it one.
    fn collect_view(self) -> View;
}

impl<I: IntoIterator<Item: IntoView>> CollectView for I {
    fn collect_view(self) -> View {
        View(Kind::List(self.into_iter().map(IntoView::into_view).collect()))
    }
}

#[doc(hidden)]
pub trait IntoRender {
    fn into_render(self) -> View;
}

impl<V: IntoView> IntoRender for V {
    fn into_render(self) -> View {
        self.into_view()
    }
}

#[doc(hidden)]
pub trait IntoMaybeErased {
    fn into_maybe_erased(self) -> View;
}

impl<V: IntoView> IntoMaybeErased for V {
    fn into_maybe_erased(self) -> View {
        self.into_view()
    }
}

impl IntoView for View {
    fn into_view(self) -> View {
        self
    }
}

impl IntoView for () {
    fn into_view(self) -> View {
        View(Kind::Nothing)
    }
}

impl IntoView for &'static str {
    fn into_view(self) -> View {
        Cow::Borrowed(self).into_view()
    }
}

impl IntoView for String {
    fn into_view(self) -> View {
        Cow::<'static, str>::Owned(self).into_view()
    }
}

impl IntoView for Cow<'static, str> {
    fn into_view(self) -> View {
        View(Kind::Text(self))
    }
}

macro_rules! numbers {
    ($($type:ty),*) => {
        $(impl IntoView for $type {
            fn into_view(self) -> View {
                self.to_string().into_view()
            }
        })*
    };
}
numbers!(u32, u64, usize);

impl<V: IntoView> IntoView for Option<V> {
    fn into_view(self) -> View {
        self.map_or(View(Kind::Nothing), V::into_view)
    }
}

impl<V: IntoView> IntoView for Vec<V> {
    fn into_view(self) -> View {
        self.collect_view()
    }
}

impl<F: FnMut() -> V + 'static, V: IntoView> IntoView for F {
    fn into_view(mut self) -> View {
        View(Kind::Live(Box::new(move || self().into_view())))
    }
}

macro_rules! signals {
    ($($signal:ident),*) => {
        $(impl<V: IntoView + Clone + 'static> IntoView for $signal<V> {
            fn into_view(self) -> View {
                (move || self.get()).into_view()
            }
        })*
    };
}
signals!(Memo, ReadSignal, RwSignal, Signal);

macro_rules! tuples {
    ($($name:ident)+) => {
        impl<$($name: IntoView),+> IntoView for ($($name,)+) {
            #[expect(non_snake_case, reason = "a value is named as its type")]
            fn into_view(self) -> View {
                let ($($name,)+) = self;
                View(Kind::List(vec![$($name.into_view()),+]))
            }
        }
    };
}
tuples!(A B);
tuples!(A B C);
