//! Figures: how long requests wait to be seen, answered and confirmed, as a table and a chart, and all of them as a file.

use leptos::prelude::*;
use switchboard_browser::device::records::export_figures;
use switchboard_core::metrics::{Spread, summary};

use super::chart::{MARKS, WIDTH, place};
use crate::kit::age::short_span;
use crate::kit::download::download;
use crate::kit::erased::live;
use crate::state::actions::Actions;
use crate::state::connection::Connection;
use crate::state::store::Store;
use crate::words::activity::{CHART, figures_of};

const FILE: &str = "switchboard-figures.json";

/// How far the chart begins below its top, how high a row of it is, and how far marks reach beyond the ends.
const ROW: usize = 34;
const MARGIN: u32 = 16;

/// The figures of the connected server.
#[component]
pub(crate) fn Figures() -> impl IntoView {
    let actions = expect_context::<Actions>();
    let store = expect_context::<Store>();
    let connection = expect_context::<Connection>();
    let figures = move || {
        store.requests().track();
        let figures = actions.figures();
        let sums = summary(&figures);
        let rows = [
            ("Asked to seen", sums.asked_to_seen),
            ("Seen to answered", sums.seen_to_answered),
            ("Answered to confirmed", sums.answered_to_confirmed),
        ];
        view! {
            <div class="figures-shown">
                {chart(&rows)}
                <table class="figures">
                    <thead><tr><td></td><th scope="col">"Median"</th><th scope="col">"95 % within"</th><th scope="col">"Count"</th></tr></thead>
                    <tbody>{rows.map(|(name, spread)| row(name, spread)).into_iter().collect_view()}</tbody>
                </table>
            </div>
            <div class="setting-foot">
                <p class="remark">{figures_of(figures.len(), &connection.name())}</p>
                <button type="button" class="button" on:click=move |_| download(FILE, export_figures(&actions.figures()))>
                    "Export as JSON"
                </button>
            </div>
        }
    };
    view! {
        <section class="activity-figures" aria-label="Figures">
            <h2 class="group-label">"Figures"</h2>
            {live(figures)}
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

/// For each row a line to where 95 % are within, with a dot at the median. The table says the same in words.
fn chart(rows: &[(&'static str, Option<Spread>)]) -> Option<AnyView> {
    rows.iter().any(|(_, spread)| spread.is_some()).then(|| {
        let height = rows.len() * ROW;
        let marks = MARKS.map(|(span, words)| {
            let x = MARGIN + place(span);
            view! {
                <line class="chart-mark" x1=x x2=x y1="4" y2=height />
                <text x=x y=height + 14 text-anchor="middle">{words}</text>
            }
            .into_any()
        });
        let lines = rows.iter().enumerate().map(|(at, (name, spread))| {
            let y = at * ROW + 24;
            let line = spread.map(|spread| {
                let (median, p95) = (MARGIN + place(spread.median), MARGIN + place(spread.p95));
                view! {
                    <line class="chart-line" x1=MARGIN x2=p95 y1=y y2=y />
                    <circle cx=median cy=y r="4.5" />
                }
            });
            view! { <text x="0" y=y - 10>{*name}</text>{line} }.into_any()
        });
        let size = (WIDTH + 2 * MARGIN, height + 18);
        view! {
            <figure class="chart">
                <svg viewBox=format!("0 0 {} {}", size.0, size.1) width=size.0 height=size.1 aria-hidden="true">
                    {marks.into_iter().collect_view()}
                    {lines.collect_view()}
                </svg>
                <figcaption class="remark">{CHART}</figcaption>
            </figure>
        }
        .into_any()
    })
}
