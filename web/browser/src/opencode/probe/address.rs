//! Addresses of servers, as people type them and as the rest of the program wants them.

use std::fmt;

use js_sys::{Reflect, global};
use wasm_bindgen::JsValue;
use web_sys::Url;

/// Why a text is no address of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InvalidAddress {
    /// Nothing was typed.
    Empty,
    /// It cannot be read as an address.
    Unreadable,
    /// It begins with something else than `http:` or `https:`.
    OtherScheme,
    /// It holds a name or password, which would end up in histories and logs.
    Credentials,
}

impl fmt::Display for InvalidAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            InvalidAddress::Empty => "the address is empty",
            InvalidAddress::Unreadable => "this is not an address",
            InvalidAddress::OtherScheme => "the address does not begin with http:// or https://",
            InvalidAddress::Credentials => "the address contains a name or a password",
        })
    }
}

impl std::error::Error for InvalidAddress {}

/// The base address of a server: scheme, host, port and, behind a proxy, a path; without a slash at its end.
///
/// `localhost:4096` becomes `http://localhost:4096`. Query and hash are left out.
///
/// # Errors
/// When the text is no address of a server.
pub fn normalise_address(text: &str) -> Result<String, InvalidAddress> {
    let text = text.trim();
    if text.is_empty() {
        return Err(InvalidAddress::Empty);
    }
    // Chromium would take them for a part of the host.
    if text.contains(char::is_whitespace) {
        return Err(InvalidAddress::Unreadable);
    }
    let whole = if text.contains("://") {
        text.to_owned()
    } else {
        format!("http://{text}")
    };
    let url = Url::new(&whole).map_err(|_| InvalidAddress::Unreadable)?;
    if !matches!(url.protocol().as_str(), "http:" | "https:") {
        return Err(InvalidAddress::OtherScheme);
    }
    let has_token = url.search().contains("auth_token");
    if has_token || !url.username().is_empty() || !url.password().is_empty() {
        return Err(InvalidAddress::Credentials);
    }
    Ok(format!("{}{}", url.origin(), url.pathname().trim_end_matches('/')))
}

/// True when a base address is on this machine.
#[must_use]
pub fn is_loopback(base: &str) -> bool {
    let Ok(url) = Url::new(base) else { return false };
    let host = url.hostname();
    host == "localhost" || host.ends_with(".localhost") || host == "[::1]" || is_loopback_v4(&host)
}

/// The browser writes every form of such an address as four numbers. `127.example.org` is a name.
fn is_loopback_v4(host: &str) -> bool {
    host.parse::<std::net::Ipv4Addr>()
        .is_ok_and(|address| address.is_loopback())
}

/// True when browsers forbid this page to speak with this base address.
pub(super) fn is_mixed_content(base: &str) -> bool {
    page_origin().starts_with("https:") && base.starts_with("http:") && !is_loopback(base)
}

/// The origin of this page or worker; empty in Node, which has none.
pub(super) fn page_origin() -> String {
    let origin = Reflect::get(&global(), &JsValue::from_str("origin"));
    origin.ok().and_then(|origin| origin.as_string()).unwrap_or_default()
}
