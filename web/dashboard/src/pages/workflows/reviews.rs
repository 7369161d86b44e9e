//! The tally of reviewers: a row for each, what stops a GO, and what can be done about it.

use std::sync::Arc;

use leptos::prelude::*;
use switchboard_core::Time;
use switchboard_core::completion::{Severity, Vote};
use switchboard_core::model::SessionId;
use switchboard_core::workflow::{
    End, Finding, Goal, Opinion, Seat, SendEnd, SentFindings, Start, Step, Work, Workflow, findings, to_mend,
};

use super::checks::{end_notice, waiting_in, waits_in};
use crate::kit::erased::{Show, live, memo};
use crate::kit::icons::Icon;
use crate::kit::now::Now;
use crate::kit::sign::Sign;
use crate::kit::visible::visible;
use crate::state::servers::ServerScope;
use crate::state::workflows::Kept;
use crate::words::state_words::Tone;
use crate::words::workflows as words;

const SEVERITIES: [Severity; 4] = [Severity::Critical, Severity::High, Severity::Medium, Severity::Low];

/// The reviewers of the newest loop that has some.
#[component]
pub(super) fn Reviews(kept: Kept, workflow: Memo<Arc<Workflow>>) -> impl IntoView {
    let scope = expect_context::<ServerScope>();
    let step = memo(move || workflow.with(|workflow| reviews(workflow).last().map(|(_, step)| (*step).clone())));
    let seats = memo(move || step.with(|step| step.as_ref().map(|step| seats_of(step).to_vec()).unwrap_or_default()));
    let has_ended = memo(move || step.with(|step| step.as_ref().is_some_and(|step| step.ended.is_some())));
    let names = memo(move || {
        workflow.with(|workflow| {
            let reviewers = workflow.goal.review.iter().flat_map(|review| &review.reviewers);
            reviewers.map(|reviewer| reviewer.name.clone()).collect::<Vec<_>>()
        })
    });
    let waiting = memo(move || {
        let seats = seats.get();
        let requests = scope.store.requests().read();
        let waits = |session: &SessionId| waits_in(&requests, session).is_some();
        let is_waiting = |seat: &&Seat| seat.opinion.is_none() && seat.session.as_ref().is_some_and(waits);
        seats.iter().filter(is_waiting).count()
    });
    let found = memo(move || workflow.with(|workflow| findings(workflow, &seats.read())));
    let rows = move || (0..names.read().len()).collect::<Vec<_>>();
    let reads_changes = memo(move || workflow.with(|workflow| reads_changes(workflow)));
    let about = move || match seats.read().len() {
        0 => workflow.with(|workflow| words::not_asked(workflow).to_owned()),
        _ if reads_changes.get() => words::READS_CHANGES.to_owned(),
        _ => words::verdicts_in(&seats.read()),
    };
    // Beside a strip of rounds, that tells how it ended.
    let is_cut_short = memo(move || {
        workflow.with(|workflow| {
            let is_done = matches!(workflow.end, None | Some((End::Passed | End::Reviewed, _)));
            !workflow.goal.has_rounds() && !is_done
        })
    });
    view! {
        <section class="loop" aria-label="Reviewers">
            <header class="loop-head">
                <h2>"Reviewers"</h2>
                <span class="loop-about loop-end-side" role="status">{live(about)}</span>
            </header>
            <Show when=move || is_cut_short.get()>{end_notice(kept, workflow)}</Show>
            {figures(seats, waiting, has_ended)}
            <table class="verdicts" aria-label="Verdicts">
                <thead>
                    <tr>
                        <th scope="col">"Reviewer"</th>
                        <th scope="col">"Verdict"</th>
                        <th scope="col" class="number"><abbr title="Critical">"Crit."</abbr></th>
                        <th scope="col" class="number">"High"</th>
                        <th scope="col" class="number"><abbr title="Medium">"Med."</abbr></th>
                        <th scope="col" class="number">"Low"</th>
                        <th scope="col" class="number">"Time"</th>
                    </tr>
                </thead>
                <tbody>
                    <For each=rows key=Clone::clone let:place>
                        <Row names seats has_ended place />
                    </For>
                </tbody>
            </table>
            {issues(found)}
            {next_steps(kept, workflow, step, seats, found)}
            {history(workflow)}
        </section>
    }
    .into_any()
}

/// The reviews of a loop, each with the number of its round.
fn reviews(workflow: &Workflow) -> Vec<(usize, &Step)> {
    let rounds = workflow.by_round().into_iter().enumerate();
    let reviews = rounds.flat_map(|(place, steps)| {
        let reviews = steps.iter().filter(|step| matches!(step.work, Work::Review { .. }));
        reviews.map(move |step| (place + 1, step))
    });
    reviews.collect()
}

/// Whether the reviewers wait until it is known what the session has changed.
fn reads_changes(workflow: &Workflow) -> bool {
    let is_wanted = workflow.goal.review.iter().any(|review| review.material.changes);
    let step = workflow.current().map(|step| &step.work);
    is_wanted && workflow.end.is_none() && matches!(step, Some(Work::Review { changes: None, .. }))
}

fn seats_of(step: &Step) -> &[Seat] {
    match &step.work {
        Work::Review { seats, .. } => seats,
        Work::AwaitReply { .. } | Work::Check(_) | Work::Tell(_) => &[],
    }
}

fn sent_of(step: &Step) -> Option<&SentFindings> {
    match &step.work {
        Work::Review { sent, .. } => sent.as_ref(),
        Work::AwaitReply { .. } | Work::Check(_) | Work::Tell(_) => None,
    }
}

/// How many said what, and how many have said nothing.
fn figures(seats: Memo<Vec<Seat>>, waiting: Memo<usize>, has_ended: Memo<bool>) -> AnyView {
    let figures = move || {
        let seats = seats.read();
        let said = |vote: Vote| seats.iter().filter(|seat| words::vote(seat) == Some(vote)).count();
        let none = seats
            .iter()
            .filter(|seat| matches!(seat.opinion, Some(Opinion::None { .. })))
            .count();
        let open = seats.iter().filter(|seat| seat.opinion.is_none() && !has_ended.get());
        let (asked, next): (Vec<&Seat>, Vec<&Seat>) = open.partition(|seat| words::is_asked(seat));
        let rest = [
            (waiting.get(), (Sign::Lamp, Tone::Lamp, "waiting for you")),
            (
                asked.len().saturating_sub(waiting.get()),
                (Sign::Arc, Tone::Plain, "reviewing"),
            ),
            (next.len(), (Sign::DashedCircle, Tone::Plain, "next")),
            (none, (Sign::DashedQuestion, Tone::Plain, "no verdict")),
        ];
        // None is left out, but one stands there in any case.
        let is_left = rest.iter().any(|(number, _)| *number > 0);
        let shown = rest
            .into_iter()
            .enumerate()
            .filter(|(place, (number, _))| *number > 0 || !is_left && *place == 3);
        let votes = [Vote::Go, Vote::Conditional, Vote::NoGo].map(|vote| (said(vote), words::vote_words(vote)));
        let all = votes.into_iter().chain(shown.map(|(_, figure)| figure));
        all.map(|(number, (sign, tone, word))| {
            view! {
                <div class="figure">
                    <dt class=tone.class()><Icon sign />{word}</dt>
                    <dd>{number}</dd>
                </div>
            }
            .into_any()
        })
        .collect_view()
    };
    view! { <dl class="tally">{live(figures)}</dl> }.into_any()
}

#[component]
fn Row(names: Memo<Vec<String>>, seats: Memo<Vec<Seat>>, has_ended: Memo<bool>, place: usize) -> impl IntoView {
    let scope = expect_context::<ServerScope>();
    let now = expect_context::<Now>();
    let seat = memo(move || seats.read().get(place).cloned().unwrap_or_default());
    let name = memo(move || names.read().get(place).map(|name| visible(name).into_owned()));
    let request = waiting_in(scope, move || {
        let seat = seat.read();
        seat.opinion.is_none().then(|| seat.session.clone()).flatten()
    });
    let verdict = memo(move || words::verdict(&seat.read(), request.read().is_some(), has_ended.get()));
    let counts = memo(move || {
        seat.with(|seat| match &seat.opinion {
            Some(Opinion::Verdict(verdict)) => Some(SEVERITIES.map(|severity| {
                let issues = verdict.issues.iter();
                issues.filter(|issue| issue.severity == severity).count()
            })),
            Some(Opinion::None { .. }) | None => None,
        })
    });
    let time = memo(move || {
        seat.with(|seat| {
            let begun = seat.begun?;
            let until: Time = seat.ended.unwrap_or_else(|| now.get());
            Some(words::clock(until.since(begun)))
        })
    });
    let silent = memo(move || {
        seat.with(|seat| match &seat.opinion {
            Some(Opinion::None { reason, text }) => {
                Some((words::no_verdict(seat, reason, text), visible(text).into_owned()))
            }
            Some(Opinion::Verdict(_)) | None => None,
        })
    });
    let session = memo(move || seat.read().session.clone());
    let cells = move || {
        if let Some(route) = request.get() {
            return view! { <td colspan="4" class="number"><a class="button" href=route.href()>"Answer it"</a></td> }
                .into_any();
        }
        let cell = |(place, number): (usize, Option<usize>)| {
            let is_critical = place == 0 && number.is_some_and(|number| number > 0);
            let shown = number
                .filter(|number| *number > 0)
                .map_or_else(|| "–".to_owned(), |number| number.to_string());
            view! { <td class="number" class:tone-bad=is_critical>{shown}</td> }.into_any()
        };
        let counts = counts.get().map_or([None; 4], |counts| counts.map(Some));
        counts.into_iter().enumerate().map(cell).collect_view().into_any()
    };
    view! {
        <tr>
            <th scope="row" dir="auto" title=move || name.get()>
                {live(move || match session.get() {
                    Some(session) => view! { <a href=scope.session(session).href()>{name}</a> }.into_any(),
                    None => name.into_any(),
                })}
            </th>
            <td>
                {live(move || {
                    let (sign, tone, word) = verdict.get();
                    view! { <span class=format!("verdict {}", tone.class())><Icon sign />{word}</span> }
                })}
            </td>
            {live(cells)}
            <td class="number">{time}</td>
        </tr>
        {live(move || silent.get().map(|(why, text)| view! {
            <tr class="verdict-why">
                <td colspan="7">
                    <p>{why}</p>
                    {(!text.trim().is_empty()).then(|| view! { <pre class="round-output" tabindex="0" dir="auto">{text}</pre> })}
                </td>
            </tr>
        }))}
    }
    .into_any()
}

/// What stops a GO, and what else was found.
fn issues(found: Memo<Vec<Finding>>) -> AnyView {
    let of = move |stops: bool| {
        let found = found.read();
        let found: Vec<Finding> = found.iter().filter(|finding| finding.stops == stops).cloned().collect();
        found
    };
    let stopping = memo(move || of(true));
    let others = memo(move || of(false));
    view! {
        <Show when=move || !stopping.read().is_empty()>
            <h3 class="group-label">"Issues that stop a GO"</h3>
            <ol class="issues">{live(move || stopping.get().into_iter().map(issue).collect_view())}</ol>
        </Show>
        <Show when=move || !others.read().is_empty()>
            <details class="issues-more">
                <summary>"Issues that do not stop a GO"</summary>
                <ol class="issues">{live(move || others.get().into_iter().map(issue).collect_view())}</ol>
            </details>
        </Show>
    }
    .into_any()
}

fn issue(finding: Finding) -> AnyView {
    let (letter, word) = words::severity(finding.issue.severity);
    let class = if finding.issue.severity == Severity::Critical {
        "severity severity-critical"
    } else {
        "severity"
    };
    view! {
        <li>
            <span class=class><span aria-hidden="true">{letter}</span><span class="visually-hidden">{word}": "</span></span>
            <div>
                <p dir="auto">{visible(&finding.issue.text).into_owned()}</p>
                <p class="issue-by">{words::found_by(&finding)}</p>
            </div>
        </li>
    }
    .into_any()
}

/// What a person does with what was found, once the loop has ended.
fn next_steps(
    kept: Kept,
    workflow: Memo<Arc<Workflow>>,
    step: Memo<Option<Step>>,
    seats: Memo<Vec<Seat>>,
    found: Memo<Vec<Finding>>,
) -> AnyView {
    let has_ended = memo(move || workflow.read().end.is_some() && !seats.read().is_empty());
    let sent = memo(move || step.with(|step| step.as_ref().and_then(sent_of).cloned()));
    let can_send = memo(move || workflow.with(|workflow| workflow.can_send_findings()));
    let to_send = memo(move || found.with(|found| to_mend(found).len()));
    let problem = RwSignal::new(None::<&'static str>);
    let again = move |_| {
        let old = workflow.get_untracked();
        let goal = asked_again(&old, &seats.read_untracked());
        if let Err(error) = kept.start(&old.session, goal) {
            problem.set(Some(words::not_started(&error)));
        }
    };
    view! {
        <Show when=move || has_ended.get()>
            <div class="footer">
                <Show when=move || can_send.get() || sent.read().is_some()>
                    <button
                        type="button"
                        class="button button-primary"
                        disabled=move || !can_send.get()
                        on:click=move |_| kept.send_findings(&workflow.read_untracked().id)
                    >
                        {live(move || words::send_issues(to_send.get(), sent.read().as_ref()))}
                    </button>
                </Show>
                <button type="button" class="button" on:click=again>"Ask the reviewers again"</button>
            </div>
            {live(move || match sent.get()?.end? {
                SendEnd::Refused(reason) => {
                    Some(view! { <p class="field-problem" role="alert">{words::not_sent(&reason)}</p> })
                }
                SendEnd::Stored => None,
            })}
            {live(move || problem.get().map(|problem| view! { <p class="field-problem" role="alert">{problem}</p> }))}
        </Show>
    }
    .into_any()
}

/// Asks those again who did not say GO, or all when all did; what an agent that works is doing comes first.
fn asked_again(workflow: &Workflow, seats: &[Seat]) -> Goal {
    let mut goal = Goal::new(Start::AfterRun);
    goal.rounds = 1;
    goal.review = workflow.goal.review.clone().map(|mut review| {
        let open: Vec<_> = review
            .reviewers
            .iter()
            .zip(seats)
            .filter(|(_, seat)| words::vote(seat) != Some(Vote::Go))
            .map(|(reviewer, _)| reviewer.clone())
            .collect();
        if !open.is_empty() {
            review.reviewers = open;
        }
        review.fix = false;
        review
    });
    goal
}

/// The reviews before the one that is shown.
fn history(workflow: Memo<Arc<Workflow>>) -> AnyView {
    let scope = expect_context::<ServerScope>();
    let before = memo(move || {
        let Some(kept) = scope.loops.kept() else {
            return Vec::new();
        };
        let shown = workflow.get();
        let list = kept.list().read();
        let mine = list
            .iter()
            .filter(|other| other.session == shown.session && other.begun <= shown.begun);
        let mut said: Vec<String> = mine
            .flat_map(|other| {
                reviews(other).into_iter().map(|(round, step)| {
                    let time = crate::kit::now::time_of_day(step.begun, false);
                    format!("{time}, round {round}: {}", words::tally(seats_of(step)))
                })
            })
            .collect();
        said.pop();
        said.reverse();
        said
    });
    view! {
        <Show when=move || !before.read().is_empty()>
            <details class="issues-more">
                <summary>"Earlier reviews"</summary>
                <ul class="loop-history">
                    {live(move || before.get().into_iter().map(|said| view! { <li>{said}</li> }.into_any()).collect_view())}
                </ul>
            </details>
        </Show>
    }
    .into_any()
}
