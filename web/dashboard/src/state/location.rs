//! The part of the address before `#`: which server the page is about.

use leptos::prelude::*;
use wasm_bindgen::JsValue;
use web_sys::{Url, UrlSearchParams};

use crate::state::route::Route;

/// The server that the address names.
pub(crate) fn server() -> Option<String> {
    let search = window().location().search().ok()?;
    UrlSearchParams::new_with_str(&search).ok()?.get("server")
}

/// Names the server in the address, so that the page can be reloaded and linked to. The rest of the address stays.
pub(crate) fn name_server(base: &str) {
    let address = window().location().href().ok().and_then(|href| Url::new(&href).ok());
    let (Ok(history), Some(address)) = (window().history(), address) else {
        return;
    };
    address.search_params().set("server", base);
    // A browser that forbids it leaves the address as it was; nothing depends on it.
    let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&address.href()));
}

/// The same when the server that the address names is gone: what is behind `#` was about that one, and names it from now on.
pub(crate) fn move_to_server(base: &str, gone: &str) {
    name_server(base);
    let hash = window().location().hash().unwrap_or_default();
    if let Some(place) = Route::parse(&hash).naming(gone)
        && let Ok(history) = window().history()
    {
        // As above.
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&place.href()));
    }
}

/// True for an address on the host that served this page.
pub(crate) fn is_own_host(base: &str) -> bool {
    let own = window().location().hostname().ok();
    let other = Url::new(base).ok().map(|url| url.hostname());
    own.is_some_and(|own| !own.is_empty() && Some(own) == other)
}
