//! Lines as a list.

use leptos::prelude::*;

use super::lines::Line;
use crate::kit::icons::Icon;
use crate::kit::now::time_of_day;
use crate::state::servers::ServerScope;

/// A list of these.
pub(crate) fn rows(lines: Vec<Line>) -> AnyView {
    let rows = lines.into_iter().map(row).collect::<Vec<_>>();
    view! { <ul class="happened">{rows}</ul> }.into_any()
}

fn row(line: Line) -> AnyView {
    let scope = expect_context::<ServerScope>();
    let happening = line.happening;
    let session = match happening.session.filter(|_| line.has_session) {
        Some(session) => view! { <a href=scope.session(session).href()>{happening.title}</a> }.into_any(),
        None => happening.title.into_any(),
    };
    view! {
        <li>
            <span class=line.tone.class()><Icon sign=line.sign /></span>
            <span class="happened-where" dir="auto">{session}</span>
            <span class="happened-what" dir="auto">{happening.text}</span>
            <span class="happened-remark">{line.remark}</span>
            <span class="happened-remark">{time_of_day(happening.at, false)}</span>
        </li>
    }
    .into_any()
}
