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
use crate::words::inbox::{answered_there, asked_elsewhere};
use crate::words::request_title::{and_more, directory_name, shortened};
use crate::words::session_title::session_title;
use crate::words::state_words;

/// So many characters of a question are shown in its row.
const QUESTION_MAX: usize = 200;

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
    let questions = memo(move || questions_there(servers, &narrowing.read(), now.get()));
    let is_empty = memo(move || questions.read().is_empty());
    let words = memo(move || {
        let questions = questions.read();
        let count = questions.iter().map(|question| question.asked.questions.len()).sum();
        let all_certain = questions.iter().all(|question| question.asked.certain);
        (asked_elsewhere(count, all_certain), answered_there(all_certain))
    });
    live(move || {
        (!is_empty.get()).then(|| {
            view! {
                <section class="asked-list" aria-labelledby="asked-elsewhere" data-testid="asked-elsewhere-list">
                    <h2 class="group-label" id="asked-elsewhere">{live(move || words.read().0.clone())}</h2>
                    <p class="asked-hint">{live(move || words.read().1)}</p>
                    <ul>
                        <For each=move || questions.get() key=QuestionThere::key let:question>
                            {row(servers, now, questions, question)}
                        </For>
                    </ul>
                </section>
            }
        })
    })
}

/// A question, as it is among all by now.
fn row(servers: Servers, now: Now, all: Memo<Vec<QuestionThere>>, first: QuestionThere) -> Option<AnyView> {
    let key = first.key();
    let scope = untrack(|| servers.get(first.server))?;
    let asked = &first.asked.questions;
    let text = asked.first().map(|question| visible(question.text.trim()).into_owned());
    let text = and_more(shortened(&text.unwrap_or_default(), QUESTION_MAX), asked);
    let session = first.session.id.clone();
    let directory = visible(directory_name(&first.session.directory)).into_owned();
    let question = Memo::new(move |before: Option<&QuestionThere>| {
        let now = all.with(|all| all.iter().find(|question| question.key() == key).cloned());
        now.unwrap_or_else(|| before.unwrap_or(&first).clone())
    });
    let title = move || question.with(|question| session_title(&question.session.title));
    let said = move || {
        let QuestionThere { asked, stale, .. } = &*question.read();
        state_words::asked_elsewhere(asked, *stale, now.get()).sentence()
    };
    let server = move || {
        let name = servers
            .are_several()
            .then(|| visible(&scope.connection.name()).into_owned());
        name.map(|name| view! { " · " <span dir="auto">{name}</span> })
    };
    let row = view! {
        <li>
            <a class="asked-row" href=scope.session(session).href()>
                <Icon sign=Sign::Server />
                <span class="asked-question" dir="auto">{text}</span>
                <span class="asked-state">{live(said)}</span>
                <span class="asked-place">
                    <span dir="auto">{live(title)}</span> " / " <span dir="auto">{directory}</span> {live(server)}
                </span>
            </a>
        </li>
    };
    Some(row.into_any())
}
