//! A file in a message: a picture where it is safe to draw one, else its name.

use leptos::prelude::*;

use crate::kit::icons::Icon;
use crate::kit::sign::Sign;
use crate::kit::visible::visible;

const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// A file. Only pictures that the message itself contains are drawn; nothing is loaded.
#[component]
pub(super) fn Attachment(name: String, mime: String, url: String) -> impl IntoView {
    let name = visible(&name).into_owned();
    if is_picture(&mime, &url) {
        return view! { <img class="attachment" src=url alt=name loading="lazy" decoding="async" /> }.into_any();
    }
    view! {
        <span class="chip" title=visible(&mime).into_owned()>
            <Icon sign=Sign::FileDiff />
            {name}
        </span>
    }
    .into_any()
}

fn is_picture(mime: &str, url: &str) -> bool {
    let content = url.strip_prefix("data:").and_then(|data| data.strip_prefix(mime));
    PICTURES.contains(&mime) && content.is_some_and(|content| content.starts_with(";base64,"))
}
