//! What the browser says of the page: shown or hidden, focused, online again.

use gloo_events::EventListener;
use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{EventTarget, IdleRequestOptions, VisibilityState, Window};

/// How long [`idle`] waits at most, in milliseconds.
const IDLE_LATEST: u16 = 1000;

/// What happened to the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageEvent {
    /// It was shown, or hidden.
    Visible(bool),
    /// It has the focus again, the network is back, or it comes out of the browser's cache.
    Focus,
}

/// Watches the page until it is dropped.
#[derive(Debug)]
pub struct PageWatch {
    _listeners: Vec<EventListener>,
}

impl PageWatch {
    /// Calls `tell` for each thing that happens. Nothing ever happens in a worker or in Node.
    #[must_use]
    pub fn begin(tell: impl Fn(PageEvent) + Clone + 'static) -> Self {
        let Some(window) = window() else {
            return Self { _listeners: Vec::new() };
        };
        let focus = |event: &'static str| {
            let tell = tell.clone();
            EventListener::new(&window, event, move |_| tell(PageEvent::Focus))
        };
        let mut _listeners = vec![focus("focus"), focus("online"), focus("pageshow")];
        if let Some(document) = window.document() {
            let document: EventTarget = document.into();
            _listeners.push(EventListener::new(&document, "visibilitychange", move |_| {
                tell(PageEvent::Visible(is_visible()));
            }));
        }
        Self { _listeners }
    }
}

/// Whether somebody may be looking; always so where there is no page.
#[must_use]
pub fn is_visible() -> bool {
    window()
        .and_then(|window| window.document())
        .is_none_or(|document| document.visibility_state() != VisibilityState::Hidden)
}

/// Whether a person looks at this page: it is shown and has the focus.
#[must_use]
pub fn is_looked_at() -> bool {
    let document = window().and_then(|window| window.document());
    is_visible() && document.is_some_and(|document| document.has_focus().unwrap_or(false))
}

/// Resolves when what is on the screen has been drawn and nothing else is to be done, 1 s later at most; after that second
/// where the browser does not say so (Safari), at once where there is no page.
pub async fn idle() {
    let Some(window) = window() else { return };
    let waiting = Promise::new(&mut |resolve, _| {
        let options = IdleRequestOptions::new();
        options.set_timeout(IDLE_LATEST.into());
        if window.request_idle_callback_with_options(&resolve, &options).is_err() {
            // Timers fail only in a page that is going away.
            let _gone = window.set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, IDLE_LATEST.into());
        }
    });
    // It is never rejected.
    let _resolved = JsFuture::from(waiting).await;
}

/// Has the icon of an installed page count what waits; zero takes the count away. Nothing happens elsewhere.
pub fn set_badge(count: usize) {
    let set = || {
        let navigator = window()?.navigator();
        let set = Reflect::get(&navigator, &"setAppBadge".into()).ok()?;
        let set: Function = set.dyn_into().ok()?;
        let setting = set.call1(&navigator, &(count as f64).into()).ok()?;
        setting.dyn_into::<Promise>().ok()
    };
    if let Some(setting) = set() {
        spawn_local(async move {
            // A browser that forbids it shows no badge.
            let _forbidden = JsFuture::from(setting).await;
        });
    }
}

fn window() -> Option<Window> {
    js_sys::global().dyn_into().ok()
}
