//! One session: its head, its timeline, the prompt box, and beside them what it is up to.

mod head;

use leptos::prelude::*;
use switchboard_core::model::SessionId;
use switchboard_core::view::Timeline;

use self::head::Head;
use crate::kit::erased::{live, memo};
use crate::kit::focus;
use crate::pages::connection_bar::ConnectionBars;
use crate::pages::prompt_box::PromptBox;
use crate::pages::session_panel::SessionPanel;
use crate::parts::part;
use crate::side::header::Header;
use crate::state::actions::Actions;
use crate::state::route::Route;
use crate::state::store::Store;
use crate::timeline::TimelinePane;
use crate::words::control_names::BACK_TO_INBOX;
use crate::words::nowhere::{NO_SESSION, WHY_NO_SESSION};

/// The page of a session. While it is shown, the session is the open one.
#[component]
fn SessionPage(
    /// The session.
    id: SessionId,
) -> impl IntoView {
    let actions = expect_context::<Actions>();
    actions.open(Some(&id));
    on_cleanup(move || actions.open(None));
    let panel_toggled = RwSignal::new(false);
    let store = expect_context::<Store>();
    let session = store.session(id.clone());
    let asked = id.clone();
    let is_missing = memo(move || {
        let timeline = store.timeline().read();
        let is_refused = |timeline: &Timeline| timeline.session == asked && timeline.problem.is_some();
        session.read().is_none() && timeline.as_ref().is_some_and(|timeline| is_refused(timeline))
    });
    live(move || {
        if is_missing.get() {
            missing()
        } else {
            known(id.clone(), panel_toggled)
        }
    })
}

part! {
    /// The page of a session, a part.
    session: session_part(id: SessionId) view! { <SessionPage id /> }, focus::heading
}

/// The server knows nothing of the session that the address names.
fn missing() -> AnyView {
    view! {
        <Header title="Session">""</Header>
        <ConnectionBars />
        <div class="pane" data-scrolls="main">
            <div class="empty" role="status">
                <h2 class="empty-title">{NO_SESSION}</h2>
                <p class="empty-text">{WHY_NO_SESSION}</p>
                <a class="button" href=Route::Sessions.href()>"All sessions"</a>
                <a class="button button-quiet" href=Route::Inbox.href()>{BACK_TO_INBOX}</a>
            </div>
        </div>
    }
    .into_any()
}

fn known(id: SessionId, panel_toggled: RwSignal<bool>) -> AnyView {
    view! {
        <div class="session-page" class:panel-toggled=panel_toggled>
            <div class="session-main">
                <Head id=id.clone() panel_toggled />
                <ConnectionBars />
                <TimelinePane session=id.clone() />
                <PromptBox id=id.clone() />
            </div>
            <SessionPanel id toggled=panel_toggled />
        </div>
    }
    .into_any()
}
