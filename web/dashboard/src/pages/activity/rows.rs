//! Lines as a list.

use leptos::prelude::*;

use super::lines::Line;
use crate::kit::icons::Icon;
use crate::kit::now::time_of_day;
use crate::state::servers::ServerScope;

/// A list of these, each of its server, which may have to be named.
pub(crate) fn rows(lines: impl Iterator<Item = (ServerScope, Line)>, names_server: bool) -> AnyView {
    let rows = lines
        .map(|(scope, line)| row(scope, line, names_server))
        .collect::<Vec<_>>();
    view! { <ul class="happened">{rows}</ul> }.into_any()
}

fn row(scope: ServerScope, line: Line, names_server: bool) -> AnyView {
    let happening = line.happening;
    // An outage has the name of its server for a title.
    let server = (names_server && happening.session.is_some())
        .then(|| view! { <span class="happened-server">{scope.connection.name()}</span> });
    let session = match happening.session.filter(|_| line.has_session) {
        Some(session) => view! { <a href=scope.session(session).href()>{happening.title}</a> }.into_any(),
        None => happening.title.into_any(),
    };
    view! {
        <li>
            <span class=line.tone.class()><Icon sign=line.sign /></span>
            <span class="happened-where" dir="auto">{session}{server}</span>
            <span class="happened-what" dir="auto">{happening.text}</span>
            <span class="happened-remark">{line.remark}</span>
            <span class="happened-remark">{time_of_day(happening.at, false)}</span>
        </li>
    }
    .into_any()
}
