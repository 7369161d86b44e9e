//! Figures: how long requests wait to be seen, answered and confirmed, and all of them as a file.

use js_sys::{Array, JsString};
use leptos::prelude::*;
use switchboard_core::metrics::{Spread, summary};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::{HtmlAnchorElement, Url};

use crate::kit::age::short_span;
use crate::state::actions::Actions;
use crate::words::settings::figures_of;
use switchboard_browser::device::records::export_figures;

const FILE: &str = "switchboard-figures.json";

#[wasm_bindgen]
extern "C" {
    type Blob;

    #[wasm_bindgen(constructor)]
    fn new(parts: &Array) -> Blob;

    #[wasm_bindgen(js_namespace = URL, js_name = createObjectURL)]
    fn object_url(blob: &Blob) -> String;
}

/// The figures of the connected server.
#[component]
pub(crate) fn Figures() -> impl IntoView {
    let actions = expect_context::<Actions>();
    let figures = actions.figures();
    let sums = summary(&figures);
    let rows = [
        ("Asked to seen", sums.asked_to_seen),
        ("Seen to answered", sums.seen_to_answered),
        ("Answered to confirmed", sums.answered_to_confirmed),
    ]
    .map(|(name, spread)| row(name, spread));
    view! {
        <section class="setting" aria-label="Figures">
            <h3 class="group-label">"Figures"</h3>
            <table class="figures">
                <thead><tr><td></td><th scope="col">"Median"</th><th scope="col">"95 % within"</th><th scope="col">"Count"</th></tr></thead>
                <tbody>{rows.into_iter().collect_view()}</tbody>
            </table>
            <div class="setting-foot">
                <p class="remark">{figures_of(figures.len())}</p>
                <button type="button" class="button" on:click=move |_| download(actions)>"Export as JSON"</button>
            </div>
        </section>
    }
    .into_any()
}

fn row(name: &'static str, spread: Option<Spread>) -> AnyView {
    let [median, p95, of] = spread.map_or_else(
        || ["–", "–", "0"].map(str::to_owned),
        |spread| {
            [
                short_span(spread.median),
                short_span(spread.p95),
                spread.count.to_string(),
            ]
        },
    );
    view! { <tr><th scope="row">{name}</th><td>{median}</td><td>{p95}</td><td>{of}</td></tr> }.into_any()
}

/// Hands the figures to the browser as a file.
fn download(actions: Actions) {
    let text = export_figures(&actions.figures());
    let address = object_url(&Blob::new(&Array::of1(&JsString::from(text))));
    if let Ok(link) = document().create_element("a") {
        let link: HtmlAnchorElement = link.unchecked_into();
        link.set_href(&address);
        link.set_download(FILE);
        link.click();
    }
    // The download has begun. Revoking fails for no address that was made here.
    let _ = Url::revoke_object_url(&address);
}
