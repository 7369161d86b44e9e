//! One request as a page of its own, as a phone shows it.

use leptos::prelude::*;

use crate::kit::erased::{live, memo};
use crate::kit::icons::Icon;
use crate::kit::sign::Sign;
use crate::request::{Place, card};
use crate::state::desk::Desk;
use crate::state::keys::RequestKey;
use crate::state::navigation::Navigation;
use crate::state::servers::Servers;
use crate::words::control_names::BACK_TO_INBOX;
use crate::words::inbox;
use crate::words::nowhere::NO_REQUEST;
use crate::words::request_title::directory_name;
use crate::words::session_title::session_title;

/// A request, with the way back and the way to the next one.
#[component]
pub(crate) fn RequestPage(key: RequestKey) -> impl IntoView {
    let desk = expect_context::<Desk>();
    let servers = expect_context::<Servers>();
    let navigation = expect_context::<Navigation>();
    let rows = desk.rows();
    let shown = key.clone();
    desk.read_session_of(memo(move || Some(shown.clone())));
    let view = servers.following(key.clone());
    let session = memo(move || {
        let view = view.read();
        let session = view.as_ref()?.origin.last()?;
        Some(session_title(&session.title))
    });
    let directory = memo(move || {
        view.read()
            .as_ref()
            .map(|view| directory_name(&view.request.directory).to_owned())
    });
    let place = {
        let key = key.clone();
        memo(move || rows.with(|rows| (rows.iter().position(|row| *row == key), rows.len())))
    };
    let next = memo(move || {
        let (place, count) = place.get();
        let next = place.map_or(0, |place| (place + 1) % count);
        let next = rows.read().get(next).filter(|_| place.is_none() || count > 1)?.clone();
        Some(servers.place_of(next).href())
    });
    let is_known = memo(move || view.read().is_some());
    let key = StoredValue::new(key);
    view! {
        <header class="header header-phone">
            <a class="icon-button" href=move || navigation.inbox_as_left() aria-label=BACK_TO_INBOX><Icon sign=Sign::ChevronLeft /></a>
            <h1 class="header-session">
                <span dir="auto">{session}</span>
                <span class="header-directory">{directory}</span>
            </h1>
            {live(move || match place.get() {
                (Some(place), count) => Some(view! { <span class="header-words" data-testid="request-place">{inbox::place(place, count)}</span> }),
                (None, _) => None,
            })}
            {live(move || next.get().map(|href| view! {
                <a class="icon-button" href=href aria-label="Next request"><Icon sign=Sign::ChevronRight /></a>
            }))}
        </header>
        <div class="pane pane-page" data-scrolls="main">
            {live(move || if is_known.get() {
                card(servers, key.get_value(), Place::Page).into_any()
            } else {
                view! { <p class="empty-text">{NO_REQUEST}"."</p> }.into_any()
            })}
        </div>
    }
}
