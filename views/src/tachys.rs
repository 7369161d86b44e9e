//! The names that Leptos's `view!` asks for.

#[doc(hidden)]
pub mod html {
    pub use crate::ev as event;
    use crate::into_view::IntoView;
    use crate::view::{Kind, View};

    #[derive(Debug)]
    pub struct InertElement(&'static str);

    impl InertElement {
        pub fn new(markup: &'static str) -> Self {
            Self(markup)
        }
    }

    impl IntoView for InertElement {
        fn into_view(self) -> View {
            View(Kind::Markup(self.0, None))
        }
    }

    pub mod element {
        use crate::element::Element;

        macro_rules! tags {
            ($($tag:ident)*) => {
                $(
                    pub fn $tag() -> Element {
                        Element::new(stringify!($tag), None)
                    }
                )*
            };
        }

        tags! {
            a abbr address article aside audio b bdi bdo blockquote br button canvas caption cite code col colgroup
            data datalist dd del details dfn dialog div dl dt em fieldset figcaption figure footer form h1 h2 h3 h4
            h5 h6 header hgroup hr i iframe img input ins kbd label legend li main mark menu meter nav ol optgroup
            option output p picture pre progress q rp rt ruby s samp search section select slot small source span
            strong sub summary sup table tbody td template textarea tfoot th thead time tr track u ul var video wbr
        }
    }
}

#[doc(hidden)]
pub mod svg {
    use crate::element::Element;
    use crate::into_view::IntoView;
    use crate::view::{Kind, View};

    #[derive(Debug)]
    pub struct InertElement(&'static str);

    impl InertElement {
        pub fn new(markup: &'static str) -> Self {
            Self(markup)
        }
    }

    impl IntoView for InertElement {
        fn into_view(self) -> View {
            View(Kind::Markup(self.0, Some("svg")))
        }
    }

    const NAMESPACE: &str = "http://www.w3.org/2000/svg";

    macro_rules! tags {
        ($($tag:ident)*) => {
            $(
                pub fn $tag() -> Element {
                    Element::new(stringify!($tag), Some(NAMESPACE))
                }
            )*
        };
    }

    tags! { circle ellipse g line path polygon polyline rect svg text tspan }
}

#[doc(hidden)]
pub mod view {
    pub mod iterators {
        use crate::into_view::IntoView;
        use crate::view::{Kind, View};

        #[derive(Debug)]
        pub struct StaticVec(Vec<View>);

        impl From<Vec<View>> for StaticVec {
            fn from(views: Vec<View>) -> Self {
                Self(views)
            }
        }

        impl IntoView for StaticVec {
            fn into_view(self) -> View {
                View(Kind::List(self.0))
            }
        }
    }
}
