//! Views of one of several types.

use crate::into_view::IntoView;
use crate::view::View;

macro_rules! either {
    ($name:ident: $($variant:ident)+) => {
        /// A view of one of several types.
        #[derive(Clone, Copy, Debug)]
        pub enum $name<$($variant),+> {
            $(
                #[allow(missing_docs)]
                $variant($variant),
            )+
        }

        impl<$($variant: IntoView),+> IntoView for $name<$($variant),+> {
            fn into_view(self) -> View {
                match self {
                    $(Self::$variant(view) => view.into_view(),)+
                }
            }
        }
    };
}

either!(Either: Left Right);
either!(EitherOf3: A B C);
either!(EitherOf5: A B C D E);
