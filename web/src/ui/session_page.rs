//! One session: its head, its timeline, the prompt box, and beside them what it is up to.

mod head;
mod stop;

use leptos::prelude::*;
use switchboard_core::model::SessionId;

use self::head::Head;
use super::actions::Actions;
use super::prompt_box::PromptBox;
use super::session_panel::SessionPanel;
use super::timeline::TimelinePane;

/// The page of a session. While it is shown, the session is the open one.
#[component]
pub(crate) fn SessionPage(
    /// The session.
    id: SessionId,
) -> impl IntoView {
    let actions = expect_context::<Actions>();
    actions.open(Some(&id));
    on_cleanup(move || actions.open(None));
    let panel_toggled = RwSignal::new(false);
    view! {
        <div class="session-page" class:panel-toggled=panel_toggled>
            <div class="session-main">
                <Head id=id.clone() panel_toggled />
                <TimelinePane session=id.clone() />
                <PromptBox id=id.clone() />
            </div>
            <SessionPanel id toggled=panel_toggled />
        </div>
    }
}
