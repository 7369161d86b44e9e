//! Draws the report.

use std::sync::Arc;

use leptos::prelude::*;
use switchboard_core::model::{RequestId, SessionId};
use switchboard_core::view::RequestView;
use switchboard_core::{Time, sort_by_key};

use super::done::{Done, done};
use crate::kit::erased::{live, memo};
use crate::kit::focus;
use crate::kit::now::{Now, day, time_of_day};
use crate::kit::visible::visible;
use crate::pages::activity::filter::{Filter, Group};
use crate::state::activity::Activity;
use crate::state::dialogs::Dialogs;
use crate::state::narrowed::Narrowed;
use crate::state::navigation::Navigation;
use crate::state::policies::Policies;
use crate::state::route::Route;
use crate::state::servers::ServerScope;
use crate::state::workflows::Loops;
use crate::words::request_title::{heading, shortened};
use crate::words::said::said;
use crate::words::session_title::session_title;
use crate::words::time_out::{planned, replies_at};
use crate::words::unattended::{ALL_DONE, CORRECT, DONE, NEXT, NOT_CORRECTABLE, ON_ITS_WAY, more};

/// So many requests are listed that something is going to happen to.
const NEXT_MAX: usize = 5;

/// So much is listed of what was done.
const DONE_MAX: usize = 3;

/// So much of a question is shown, in characters.
const QUOTED: usize = 120;

/// A request that something is going to happen to by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Next {
    request: RequestId,
    until: Time,
    title: String,
    question: String,
    said: String,
    can_be_stopped: bool,
}

/// What policies are about to do and have done: nothing where there is nothing to tell.
#[component]
pub(crate) fn PolicyReport(
    /// To this session alone; none is the whole server.
    session: Option<SessionId>,
) -> impl IntoView {
    let scope = expect_context::<ServerScope>();
    let narrowed = expect_context::<Narrowed>();
    let policies = expect_context::<Policies>();
    let activity = expect_context::<Activity>();
    let now = expect_context::<Now>();
    let of = session.clone();
    let next = memo(move || {
        let now = now.get();
        let requests = scope.store.requests().read();
        let there = requests
            .iter()
            .filter(|view| of.is_none() || of.as_ref() == Some(&view.request.session));
        let mut next: Vec<Next> = there
            .filter_map(|view| next_of(view, policies, scope.loops, now))
            .collect();
        sort_by_key(&mut next, |next| next.until);
        next
    });
    let requests = memo(move || {
        let next = next.read();
        let listed = next.iter().take(NEXT_MAX).map(|next| next.request.clone());
        listed.collect::<Vec<_>>()
    });
    let rest = move || {
        let rest = next.read().len().saturating_sub(NEXT_MAX);
        (rest > 0).then(|| view! { <p class="remark">{more(rest)}</p> })
    };
    let rows = move || {
        let rows = requests.get().into_iter().map(|request| next_row(request, next));
        let rows = rows.collect::<Vec<_>>();
        (!rows.is_empty()).then(|| group(NEXT, rows, live(rest).into_any()))
    };
    let of = session.clone();
    let all_of_them = memo(move || {
        // The lines of one session have its title.
        let view = of.clone().and_then(|session| scope.store.session(session).get());
        let filter = Filter {
            group: Some(Group::Policy),
            text: view.map_or_else(String::new, |view| session_title(&view.session.title)),
        };
        narrowed.href(&Route::Activity, scope.key, filter.parameters())
    });
    let done_rows = move || {
        let done = activity.kept().with(|kept| done(kept, session.as_ref()));
        let rows = done.into_iter().take(DONE_MAX).map(done_row).collect::<Vec<_>>();
        (!rows.is_empty()).then(|| {
            let all = view! { <a class="link" href=all_of_them on:click=close_dialog()>{ALL_DONE}</a> };
            group(DONE, rows, all.into_any())
        })
    };
    view! { {live(rows)} {live(done_rows)} }.into_any()
}

fn group(name: &'static str, rows: Vec<AnyView>, foot: AnyView) -> AnyView {
    view! {
        <div class="policy-report" role="group" aria-label=name>
            <h4 class="group-label">{name}</h4>
            <ul>{rows}</ul>
            {foot}
        </div>
    }
    .into_any()
}

/// What is going to happen to a request; none where nothing is, as where the reviewer that asks is stopped before.
fn next_of(view: &Arc<RequestView>, policies: Policies, loops: Loops, now: Time) -> Option<Next> {
    let clock = |time| time_of_day(time, false);
    let next = |until, said, can_be_stopped| Next {
        request: view.request.id.clone(),
        until,
        title: view
            .origin
            .last()
            .map_or_else(String::new, |session| session_title(&session.title)),
        question: visible(&shortened(&heading(&view.request), QUOTED)).into_owned(),
        said,
        can_be_stopped,
    };
    if view.by_policy && view.state.is_on_its_way() {
        return Some(next(view.seen, format!("{}. {ON_ITS_WAY}", said(view)), false));
    }
    let until = view.unanswered.as_ref()?.until;
    let (policy, is_stopped) = (policies.policy(&view.request), policies.is_stopped(&view.request.id));
    let ends = replies_at(view, &policy, is_stopped).unwrap_or(until);
    if loops.reviewer_time(view).is_some_and(|time| time.until < ends) {
        return None;
    }
    let planned = planned(view, &policy, is_stopped, now, &clock)?;
    let said = planned.sentence();
    Some(next(until, said, planned.replies))
}

fn next_row(request: RequestId, next: Memo<Vec<Next>>) -> AnyView {
    let scope = expect_context::<ServerScope>();
    let policies = expect_context::<Policies>();
    let of = request.clone();
    let shown = move |text: fn(&Next) -> &String| {
        let of = of.clone();
        live(move || {
            next.read()
                .iter()
                .find(|next| next.request == of)
                .map(|next| text(next).clone())
        })
    };
    let (title, question, said) = (
        shown(|next| &next.title),
        shown(|next| &next.question),
        shown(|next| &next.said),
    );
    let of = request.clone();
    let can_be_stopped = memo(move || next.read().iter().any(|next| next.request == of && next.can_be_stopped));
    let href = scope.request(request.clone()).href();
    let stop = move |_| {
        policies.stop(&request);
        // The button goes.
        focus::back_to(vec![
            "dialog[open] .policy-report a".to_owned(),
            ".policy-report a".to_owned(),
        ]);
    };
    let button = move || {
        let stop = stop.clone();
        can_be_stopped
            .get()
            .then(|| view! { <button type="button" class="button" on:click=stop>"Keep waiting"</button> })
    };
    view! {
        <li>
            <p><a href=href dir="auto" on:click=close_dialog()>{title}</a>" "<span dir="auto">{question}</span></p>
            <p class="remark">{said}</p>
            {live(button)}
        </li>
    }
    .into_any()
}

fn done_row(done: Done) -> AnyView {
    let Done {
        happening,
        undoing,
        correction,
    } = done;
    let now = expect_context::<Now>();
    let at = format!(
        "{} {}",
        day(happening.at, now.exact()),
        time_of_day(happening.at, false)
    );
    view! {
        <li>
            <p><span dir="auto">{session_title(&happening.title)}</span>" "<span dir="auto">{visible(&happening.text).into_owned()}</span></p>
            <p class="remark">{format!("{at}. {undoing}")}</p>
            {happening.session.map(|session| correcting(session, correction))}
        </li>
    }
    .into_any()
}

/// Leads to the session, with the beginning of a correction in its message field. What stands there stays.
fn correcting(session: SessionId, correction: String) -> AnyView {
    let scope = expect_context::<ServerScope>();
    let dialogs = expect_context::<Dialogs>();
    let navigation = expect_context::<Navigation>();
    let is_listed = {
        let view = scope.store.session(session.clone());
        memo(move || view.read().is_some())
    };
    let draft = scope.store.prompt_draft(session.clone());
    let correct = move |_| {
        let held = draft.get_untracked().unwrap_or_default();
        if !held.contains(&correction) {
            let between = if held.is_empty() { "" } else { "\n\n" };
            scope
                .actions
                .draft_prompt(&session, format!("{held}{between}{correction}"));
        }
        dialogs.close();
        navigation.go(&scope.session(session.clone()));
    };
    let is_read = memo(move || scope.store.server().read().listed);
    let way = move || {
        if is_listed.get() {
            let correct = correct.clone();
            return Some(view! { <button type="button" class="button" on:click=correct>{CORRECT}</button> }.into_any());
        }
        is_read
            .get()
            .then(|| view! { <p class="remark">{NOT_CORRECTABLE}</p> }.into_any())
    };
    live(way).into_any()
}

/// What a link inside of a dialog leads to lies behind it.
fn close_dialog() -> impl Fn(leptos::ev::MouseEvent) {
    let dialogs = expect_context::<Dialogs>();
    move |_| {
        if dialogs.is_open() {
            dialogs.close();
        }
    }
}
