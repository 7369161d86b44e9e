//! Where focus and pointer are, in terms of requests.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event};

use crate::kit::focus::focus;
use crate::kit::sight::{pane_of, share};
use crate::state::foremost::IN_SIGHT;
use crate::state::keys::{RequestKey, ServerKey};
use crate::state::rows::Hand;

/// The event of what scrolls that says: it was scrolled so that what is in sight stays there.
pub(crate) const PLACED: &str = "placed";

/// The requests that have pointer and focus.
pub(crate) fn hand() -> Hand {
    let document = document();
    let request = |selector| {
        let article = document.query_selector(selector).ok().flatten()?;
        key_of(&article)
    };
    Hand {
        pointed: request("article[data-request-id]:hover"),
        focused: request("article[data-request-id]:focus-within"),
    }
}

/// Gives a request the focus, once it is drawn.
pub(crate) fn request(key: &RequestKey) {
    let key = key.clone();
    request_animation_frame(move || {
        if let Some(article) = article(&key) {
            focus(&article);
        }
    });
}

/// Focuses the first control that answers a request, once it is drawn.
pub(crate) fn answer(key: &RequestKey) {
    let key = key.clone();
    request_animation_frame(move || {
        let controls = ".options input, .footer button";
        let control = article(&key).and_then(|article| article.query_selector(controls).ok().flatten());
        if let Some(control) = control {
            focus(&control);
        }
    });
}

/// The requests on the page, from its top to its end.
pub(crate) fn requests() -> Vec<RequestKey> {
    let Ok(articles) = document().query_selector_all("main article[data-request-id]") else {
        return Vec::new();
    };
    (0..articles.length())
        .filter_map(|at| articles.get(at)?.dyn_into::<Element>().ok())
        .filter_map(|article| key_of(&article))
        .collect()
}

/// Whether enough of a card is in sight for a key to answer it.
pub(crate) fn is_in_sight(article: &Element) -> bool {
    let Some(pane) = pane_of(article) else { return true };
    let (card, pane) = (article.get_bounding_client_rect(), pane.get_bounding_client_rect());
    let visible = card.bottom().min(pane.bottom()) - card.top().max(pane.top());
    share(visible, card.height(), pane.height()) >= IN_SIGHT
}

/// The card of the request that an element is in.
pub(crate) fn request_around(element: &Element) -> Option<Element> {
    element.closest("article[data-request-id]").ok().flatten()
}

/// The card of a request. An id that breaks the selector finds none.
pub(crate) fn article(key: &RequestKey) -> Option<Element> {
    document().query_selector(&selector(key)).ok().flatten()
}

/// The selector of the card of a request.
pub(crate) fn selector(key: &RequestKey) -> String {
    let RequestKey { server, id } = key;
    format!("article[data-server=\"{}\"][data-request-id=\"{id}\"]", server.0)
}

/// The request of a card, or of what leads to one.
pub(crate) fn key_of(article: &Element) -> Option<RequestKey> {
    let server = article.get_attribute("data-server")?.parse().ok()?;
    let id = article.get_attribute("data-request-id")?;
    Some(ServerKey(server).request(&id.into()))
}

/// Remembers where a request is on the screen, so that it can stay there while others fold.
#[derive(Debug)]
pub(crate) struct Anchor {
    key: RequestKey,
    top: Option<f64>,
}

impl Anchor {
    /// Remembers where this request is.
    pub(crate) fn of(key: &RequestKey) -> Self {
        Self {
            key: key.clone(),
            top: top_of(key),
        }
    }

    /// Scrolls so that it is there again.
    pub(crate) fn restore(self) {
        let Some((before, after)) = self.top.zip(top_of(&self.key)) else {
            return;
        };
        if let Ok(Some(pane)) = document().query_selector("[data-scrolls=main]") {
            pane.set_scroll_top(pane.scroll_top() + (after - before).round() as i32);
            if let Ok(event) = Event::new(PLACED) {
                // It fails for an event that is being dispatched already.
                let _ = pane.dispatch_event(&event);
            }
        }
    }
}

fn top_of(key: &RequestKey) -> Option<f64> {
    article(key).map(|article| article.get_bounding_client_rect().top())
}
