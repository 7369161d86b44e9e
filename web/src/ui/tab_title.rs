//! The tab of the browser: its title counts what waits, its picture is lit while something does.

use leptos::prelude::*;

use super::store::Store;

/// The picture of `www/icon.svg` with its upper right jack lit.
const LIT: &str = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect x='1' y='1' \
width='30' height='30' rx='8' fill='%231b1a17' stroke='%237d7a72'/%3E%3Cg fill='none' stroke='%23edebe6' \
stroke-width='2'%3E%3Ccircle cx='11' cy='11' r='3.5'/%3E%3Ccircle cx='11' cy='21' r='3.5'/%3E%3Ccircle cx='21' cy='21' \
r='3.5'/%3E%3C/g%3E%3Ccircle cx='21' cy='11' r='5.5' fill='%23f7b03a'/%3E%3C/svg%3E";

/// Keeps title and picture true until its owner is gone.
pub(crate) fn follow(store: Store) {
    let waiting = Memo::new(move |_| store.waiting());
    Effect::new(move || {
        let title = match waiting.get() {
            0 => "Switchboard".to_owned(),
            several => format!("({several}) Switchboard"),
        };
        document().set_title(&title);
    });
    let picture = document().query_selector("link[rel=icon]").ok().flatten();
    let unlit = picture.as_ref().and_then(|picture| picture.get_attribute("href"));
    let Some((picture, unlit)) = picture.zip(unlit) else {
        return;
    };
    Effect::new(move || {
        let href = if waiting.get() > 0 { LIT } else { &unlit };
        // Setting an attribute fails only for names that are none.
        let _ = picture.set_attribute("href", href);
    });
    on_cleanup(|| document().set_title("Switchboard"));
}
