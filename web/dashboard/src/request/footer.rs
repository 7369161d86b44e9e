//! The right end of a card's footer: what the draft is worth, and the way to the session.

use std::time::Duration;

use leptos::prelude::*;
use switchboard_core::view::Durability;

use super::card::Card;
use super::shape::Place;
use crate::kit::erased::{leave_at_end, live, memo};
use crate::state::desk::kept_fields;
use crate::state::servers::ServerScope;
use crate::state::store::Store;
use crate::words::unsaved::{DRAFT_NOT_SAVED, DRAFT_SAVED, sentence};

/// So long after the last change the page says that the draft is kept.
const SETTLES_AFTER: Duration = Duration::from_millis(300);

/// A remark, the state of the draft, and a link to the session.
#[component]
pub(crate) fn Aside(card: Card, children: Children) -> impl IntoView {
    let session = card.request().session.clone();
    let scope = expect_context::<ServerScope>();
    let link = (card.place != Place::Timeline).then(|| {
        view! {
            <a class="button button-quiet" href=scope.session(session).href() aria-keyshortcuts=card.key("O")>
                "Open session"<kbd aria-hidden="true">"O"</kbd>
            </a>
        }
    });
    view! {
        <div class="footer-aside">
            <span class="remark">{children()}</span>
            <DraftMark card />
            {link}
        </div>
    }
}

/// *Draft saved*, once it is true for a moment; or why it is not.
#[component]
fn DraftMark(card: Card) -> impl IntoView {
    let store = expect_context::<Store>();
    let is_settled = RwSignal::new(true);
    let settle = StoredValue::new(None::<TimeoutHandle>);
    let cancel = move || {
        if let Some(timeout) = settle.try_update_value(Option::take).flatten() {
            timeout.clear();
        }
    };
    Effect::new(move |first: Option<()>| {
        leave_at_end();
        card.form.track();
        if first.is_some() {
            cancel();
            is_settled.set(false);
            settle.set_value(set_timeout_with_handle(move || is_settled.set(true), SETTLES_AFTER).ok());
        }
    });
    on_cleanup(cancel);
    let is_kept = memo(move || {
        let view = card.view.read();
        kept_fields(&view).is_some_and(|kept| kept == card.form.read().drafted())
    });
    let durability = memo(move || card.view.read().durability);
    let why = move || store.server().read().unsaved.as_ref().map(sentence);
    live(move || {
        let durability = durability.get();
        let is_known = is_settled.get() && is_kept.get() && durability != Durability::Pending;
        is_known.then(|| match durability {
            Durability::Failed => view! { <span class="remark" title=why()>{DRAFT_NOT_SAVED}</span> }.into_any(),
            Durability::Saved | Durability::Pending => view! { <span class="remark">{DRAFT_SAVED}</span> }.into_any(),
        })
    })
}
