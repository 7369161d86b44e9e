//! Effects: what is done each time that something read in it changes.

use std::fmt;

use reactive_graph::effect as graph;

/// What is done each time that something read in it changes, until its owner is gone.
#[derive(Debug)]
pub struct Effect;

impl Effect {
    /// Runs a function soon, and again after each change. It may take what it returned the time before.
    #[expect(clippy::new_ret_no_self, reason = "nobody holds an effect: its owner does")]
    pub fn new<T, M>(run: impl EffectFunction<T, M>) {
        graph::Effect::new(run.boxed());
    }
}

/// A function that an effect can run.
pub trait EffectFunction<T, M> {
    #[doc(hidden)]
    fn boxed(self) -> Box<dyn FnMut()>;
}

impl<F: FnMut() + 'static> EffectFunction<(), ()> for F {
    fn boxed(self) -> Box<dyn FnMut()> {
        Box::new(self)
    }
}

impl<T: 'static, F: FnMut(Option<T>) -> T + 'static> EffectFunction<T, (T,)> for F {
    fn boxed(mut self) -> Box<dyn FnMut()> {
        let mut before = None;
        Box::new(move || before = Some(self(before.take())))
    }
}

/// An effect that runs at once, and again after each change, until it is dropped.
pub(crate) struct RenderEffect(#[expect(dead_code, reason = "dropping it ends it")] graph::RenderEffect<()>);

impl RenderEffect {
    pub(crate) fn new(mut run: Box<dyn FnMut()>) -> Self {
        Self(graph::RenderEffect::new(move |_| run()))
    }
}

impl fmt::Debug for RenderEffect {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("RenderEffect")
    }
}
