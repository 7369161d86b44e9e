//! One session: its head, its timeline, the prompt box, and beside them what it is up to.

mod head;

use leptos::prelude::*;
use switchboard_core::model::SessionId;
use switchboard_core::view::Timeline;

use self::head::Head;
use crate::kit::erased::{Show, live, memo};
use crate::kit::focus;
use crate::pages::connection_bar::ConnectionBars;
use crate::pages::prompt_box::PromptBox;
use crate::pages::session_panel::SessionPanel;
use crate::pages::workflows::{OpenForm, workflows_part};
use crate::parts::part;
use crate::side::header::Header;
use crate::state::actions::Actions;
use crate::state::navigation::Navigation;
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
    let form = RwSignal::new(None::<OpenForm>);
    let route = expect_context::<Navigation>().route();
    let is_checks = memo(move || matches!(*route.read(), Route::Checks(_)));
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
            known(id.clone(), panel_toggled, is_checks, form)
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

fn known(
    id: SessionId,
    panel_toggled: RwSignal<bool>,
    is_checks: Memo<bool>,
    form: RwSignal<Option<OpenForm>>,
) -> AnyView {
    let shown = id.clone();
    let main = move || {
        if is_checks.get() {
            return workflows_part(shown.clone(), form);
        }
        view! {
            <TimelinePane session=shown.clone() />
            <PromptBox id=shown.clone() />
        }
        .into_any()
    };
    view! {
        <div class="session-page" class:panel-toggled=panel_toggled class:session-checks=is_checks>
            <div class="session-main">
                <Head id=id.clone() panel_toggled is_checks form />
                <ConnectionBars />
                {live(main)}
            </div>
            <Show when=move || !is_checks.get()><SessionPanel id=id.clone() toggled=panel_toggled /></Show>
        </div>
    }
    .into_any()
}
