//! What `#[component]` and the tags of components become.

/// The props of a component.
pub trait Props {
    /// Collects them.
    type Builder;

    /// Begins to collect them.
    fn builder() -> Self::Builder;
}

/// The props of a component, or none.
#[doc(hidden)]
pub trait PropsOrNone {
    type Builder;

    fn builder() -> Self::Builder;
}

impl<P: Props> PropsOrNone for P {
    type Builder = P::Builder;

    fn builder() -> Self::Builder {
        P::builder()
    }
}

/// The props of a component that has none.
#[doc(hidden)]
#[derive(Debug)]
pub struct NoProps;

impl NoProps {
    pub fn build(self) {}
}

impl PropsOrNone for NoProps {
    type Builder = Self;

    fn builder() -> Self {
        Self
    }
}

#[doc(hidden)]
pub trait Component<P> {}

impl<F: FnOnce() -> V, V> Component<NoProps> for F {}

impl<P: Props, F: FnOnce(P) -> V, V> Component<P> for F {}

#[doc(hidden)]
pub fn component_props_builder<P: PropsOrNone>(_: &impl Component<P>) -> P::Builder {
    P::builder()
}

#[doc(hidden)]
pub trait ComponentConstructor<P, V> {
    fn construct(self, props: P) -> V;
}

impl<F: FnOnce() -> V, V> ComponentConstructor<(), V> for F {
    fn construct(self, (): ()) -> V {
        self()
    }
}

impl<P: Props, F: FnOnce(P) -> V, V> ComponentConstructor<P, V> for F {
    fn construct(self, props: P) -> V {
        self(props)
    }
}

#[doc(hidden)]
pub fn component_view<P, V>(component: impl ComponentConstructor<P, V>, props: P) -> V {
    component.construct(props)
}

/// What a prop marked with `into` takes.
pub trait IntoReactiveValue<T, M> {
    #[doc(hidden)]
    fn into_reactive_value(self) -> T;
}

impl<T, V: Into<T>> IntoReactiveValue<T, ()> for V {
    fn into_reactive_value(self) -> T {
        self.into()
    }
}
