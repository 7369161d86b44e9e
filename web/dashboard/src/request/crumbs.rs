//! Who asks, when it is a sub-agent: its ancestors as links, oldest first.

use leptos::prelude::*;

use super::card::Card;
use crate::kit::erased::{live, memo};
use crate::kit::icons::Icon;
use crate::kit::sign::Sign;
use crate::state::servers::ServerScope;
use crate::words::session_title::session_title;

/// The chain from the oldest ancestor to the asking session; nothing for a session without ancestors.
#[component]
pub(crate) fn Crumbs(card: Card) -> impl IntoView {
    let scope = expect_context::<ServerScope>();
    let origin = memo(move || card.view.read().origin.clone());
    live(move || {
        let origin = origin.get();
        (origin.len() > 1).then(|| {
            let links: Vec<_> = origin
                .into_iter()
                .enumerate()
                .map(|(place, session)| {
                    let between = (place > 0).then(|| view! { <Icon sign=Sign::ChevronRight /> });
                    view! {
                        <li>{between}<a href=scope.session(session.id).href() dir="auto">{session_title(&session.title)}</a></li>
                    }
                })
                .collect();
            view! { <nav class="crumbs" aria-label="Who asks"><Icon sign=Sign::Branch /><ol>{links}</ol></nav> }
        })
    })
}
