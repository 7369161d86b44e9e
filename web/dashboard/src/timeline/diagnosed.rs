//! Requests with the finding that they repair.

use leptos::prelude::*;

use super::anchor::Anchor;
use super::part::Requests;
use super::scene::Scene;
use crate::doctor::{Notice, Ways};
use crate::kit::erased::{Show, memo};

/// The requests of one place, and around them what the doctor has found, where they repair it or nothing stands elsewhere.
#[component]
pub(super) fn Diagnosed(at: Anchor) -> impl IntoView {
    let scene = expect_context::<Scene>();
    let doctor = scene.doctor;
    let place = at.clone();
    let is_here = memo(move || scene.finding_place().as_ref() == Some(&place));
    view! {
        <Show when=move || is_here.get()>
            <Notice doctor />
        </Show>
        <Requests requests=scene.requests_at(at) />
        <Show when=move || is_here.get()>
            <Ways doctor id=scene.session.get_value() />
        </Show>
    }
    .into_any()
}
