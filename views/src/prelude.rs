//! What a file of the dashboard takes in as a whole.

pub use leptos_macro::{component, view};
pub use reactive_graph::owner::{LocalStorage, Owner, expect_context, provide_context, use_context};

pub use crate::attribute::IntoAttributeValue;
pub use crate::browser::{
    IntervalHandle, TimeoutHandle, WindowListenerHandle, document, event_target_checked, event_target_value,
    request_animation_frame, set_interval_with_handle, set_timeout, set_timeout_with_handle, window,
    window_event_listener,
};
pub use crate::children::{Children, ChildrenFn, ViewFn};
pub use crate::component::IntoReactiveValue;
pub use crate::effect::Effect;
pub use crate::for_each::{For, ForProps};
pub use crate::into_view::{CollectView, IntoAny, IntoMaybeErased, IntoRender, IntoView};
pub use crate::memo::Memo;
pub use crate::mount::mount_to_body;
pub use crate::node_ref::NodeRef;
pub use crate::owner::on_cleanup;
pub use crate::show::{Show, ShowProps};
pub use crate::signal::{ArcRwSignal, Read, ReadSignal, RwSignal, Signal, WriteSignal, signal};
pub use crate::stored::{Callback, StoredValue};
pub use crate::view::{AnyView, View};
