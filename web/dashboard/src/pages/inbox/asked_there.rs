//! The questions that wait in other processes, each with the way to where it can be read whole.

use leptos::prelude::*;

use crate::kit::erased::{live, memo};
use crate::kit::icons::Icon;
use crate::kit::now::Now;
use crate::kit::sign::Sign;
use crate::kit::visible::visible;
use crate::parts::part;
use crate::state::elsewhere::{QuestionThere, questions_there};
use crate::state::narrowed::Narrowed;
use crate::state::servers::Servers;
use crate::words::inbox::{ANSWERED_THERE, asked_elsewhere};
use crate::words::request_title::directory_name;
use crate::words::session_title::session_title;
use crate::words::state_words;

part! {
    /// The questions of other processes, a part.
    other: asked_there_part() view! { <List /> }, || {}
}

/// The questions; nothing where there are none.
#[component]
fn List() -> impl IntoView {
    let servers = expect_context::<Servers>();
    let narrowing = expect_context::<Narrowed>().narrowing();
    let now = expect_context::<Now>();
    let asked = memo(move || questions_there(servers, &narrowing.read(), now.get()));
    let rows = move || {
        asked
            .get()
            .into_iter()
            .filter_map(|asked| row(servers, now, asked))
            .collect::<Vec<_>>()
    };
    let count = memo(move || asked.read().len());
    live(move || {
        let count = count.get();
        (count > 0).then(|| {
            view! {
                <section class="asked-list" aria-labelledby="asked-elsewhere" data-testid="asked-elsewhere-list">
                    <h2 class="group-label" id="asked-elsewhere">{asked_elsewhere(count)}</h2>
                    <p class="asked-hint">{ANSWERED_THERE}</p>
                    <ul>{live(rows)}</ul>
                </section>
            }
        })
    })
}

fn row(servers: Servers, now: Now, question: QuestionThere) -> Option<AnyView> {
    let QuestionThere {
        server,
        session,
        certain,
        asked,
    } = question;
    let scope = untrack(|| servers.get(server))?;
    let text = asked
        .questions
        .first()
        .map(|question| visible(question.text.trim()).into_owned());
    let said = move || state_words::asked_elsewhere(certain, &asked, now.get()).sentence();
    let server = servers.are_several().then(|| format!(" · {}", scope.connection.name()));
    let row = view! {
        <li>
            <a class="asked-row" href=scope.session(session.id.clone()).href()>
                <Icon sign=Sign::Server />
                <span class="asked-question" dir="auto">{text}</span>
                <span class="asked-state">{live(said)}</span>
                <span class="asked-place" dir="auto">
                    {session_title(&session.title)} " / " {directory_name(&session.directory).to_owned()} {server}
                </span>
            </a>
        </li>
    };
    Some(row.into_any())
}
