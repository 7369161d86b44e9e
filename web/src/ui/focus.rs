//! Where focus and pointer are, in terms of requests; the only file that looks for elements.

use leptos::prelude::*;
use switchboard_core::model::RequestId;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::inbox::rows::Hand;

/// The requests that have pointer and focus.
pub(crate) fn hand() -> Hand {
    let document = document();
    let request = |selector| {
        let article = document.query_selector(selector).ok().flatten()?;
        article.get_attribute("data-request-id").map(RequestId::from)
    };
    Hand {
        pointed: request("article[data-request-id]:hover"),
        focused: request("article[data-request-id]:focus-within"),
    }
}

/// Gives a request the focus, once it is drawn.
pub(crate) fn request(id: &RequestId) {
    let id = id.clone();
    request_animation_frame(move || {
        if let Some(article) = article(&id) {
            focus(&article);
        }
    });
}

/// Focuses the first element that matches; nothing happens when there is none.
pub(crate) fn first(selector: &str) {
    if let Ok(Some(element)) = document().query_selector(selector) {
        focus(&element);
    }
}

/// Focuses the heading of the page once it is drawn, unless the focus is in the page by then.
pub(crate) fn heading() {
    request_animation_frame(|| {
        let is_inside = document().query_selector("main :focus").ok().flatten().is_some();
        if let Some(heading) = document()
            .query_selector("main h1")
            .ok()
            .flatten()
            .filter(|_| !is_inside)
        {
            // Setting an attribute fails only for names that are none.
            let _ = heading.set_attribute("tabindex", "-1");
            focus(&heading);
        }
    });
}

fn focus(element: &Element) {
    if let Some(element) = element.dyn_ref::<HtmlElement>() {
        // Focusing fails only for elements that are gone.
        let _ = element.focus();
    }
}

/// Focuses the first control that answers a request, once it is drawn.
pub(crate) fn answer(id: &RequestId) {
    let id = id.clone();
    request_animation_frame(move || {
        let controls = ".options input, .footer button";
        let control = article(&id).and_then(|article| article.query_selector(controls).ok().flatten());
        if let Some(control) = control {
            focus(&control);
        }
    });
}

/// The card of a request. An id that breaks the selector finds none.
fn article(id: &RequestId) -> Option<Element> {
    let selector = format!("article[data-request-id=\"{id}\"]");
    document().query_selector(&selector).ok().flatten()
}

/// Remembers where a request is on the screen, so that it can stay there while others fold.
#[derive(Debug)]
pub(crate) struct Anchor {
    id: RequestId,
    top: Option<f64>,
}

impl Anchor {
    /// Remembers where this request is.
    pub(crate) fn of(id: &RequestId) -> Self {
        Self {
            id: id.clone(),
            top: top_of(id),
        }
    }

    /// Scrolls so that it is there again.
    pub(crate) fn restore(self) {
        let Some((before, after)) = self.top.zip(top_of(&self.id)) else {
            return;
        };
        if let Ok(Some(pane)) = document().query_selector("[data-scrolls=main]") {
            pane.set_scroll_top(pane.scroll_top() + (after - before).round() as i32);
        }
    }
}

fn top_of(id: &RequestId) -> Option<f64> {
    article(id).map(|article| article.get_bounding_client_rect().top())
}
