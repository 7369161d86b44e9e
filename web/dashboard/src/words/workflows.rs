//! What is said of checks and reviewers: rounds, ends, verdicts, and what is wrong with a form.

use std::time::Duration;

use switchboard_core::Bound;
use switchboard_core::checks::Failure;
use switchboard_core::completion::{Severity, Vote};
use switchboard_core::ports::StoreError;
use switchboard_core::view::Ending;
use switchboard_core::workflow::{
    Broken, CheckResult, End, Finding, NoVerdict, Opinion, Seat, SendEnd, SentFindings, Start, StartError, Step, Stop,
    Work, Workflow,
};

use crate::kit::age::{age, count};
use crate::kit::sign::Sign;
use crate::kit::visible::visible;
use crate::words::request_title::shortened;
use crate::words::state_words::Tone;

/// The button that opens the form of a check.
pub const KEEP_GOING: &str = "Keep going until it passes…";

/// The button that opens the form of a review.
pub const ASK_REVIEWERS: &str = "Ask reviewers…";

/// The tab beside the timeline.
pub const TAB: &str = "Checks and reviews";

/// What shows the rounds and the reviewers.
pub const PANE: &str = "Loops of this session";

/// Where there is nothing yet.
pub const NOTHING: &str = "Nothing checks this session yet.";

/// What the two buttons do.
pub const WHAT_THEY_DO: &str = "A check is a command that has to exit with 0: what it prints is sent back to the agent until it does. \
Reviewers are agents with sessions of their own that say GO or name what is wrong.";

/// With so many rounds more a loop goes on.
pub const MORE_ROUNDS: u32 = 3;

/// Where the program of the loops is not there yet.
pub const LOADING: &str = "Loading what checks this session…";

/// What a check does not get.
pub const NO_INPUT: &str =
    "It runs with sh on the machine of the server, in the directory of the session, and gets no input.";

/// Below what a check that runs has printed.
pub const BEGINNING: &str = "Of a long output only the beginning is shown while it runs.";

/// Below the template.
pub const TEMPLATE: &str = "{output} stands for what the check printed: the failing lines, then the end.";

/// What a person does about a loop that does not pass.
const TELL_MORE: &str = "Tell the agent more in the timeline, or go on as it is.";

/// Why an agent or a reviewer may never begin.
const MODEL: &str = "A model that is not configured is the usual reason.";

/// What a person does where the agent did not take up what it was told.
const NOT_PICKED_UP: &str =
    "The agent never picked up what it was told: see in the timeline whether its model is configured.";

/// What is wrong with a command.
pub const NO_COMMAND: &str = "Say which command has to pass.";

/// What is wrong with a number of rounds.
pub const NO_ROUNDS: &str = "At most is a whole number from 1 to 50.";

/// What is wrong with a time-out.
pub const NO_TIMEOUT: &str = "The time-out is a number of seconds from 1 to 86400.";

/// What is wrong with a bound.
pub const NO_BOUND: &str = "A limit is a number above 0; leave it empty for none.";

/// What is wrong with a template.
pub const NO_TEMPLATE: &str = "The message needs {output} where the output of the check belongs.";

/// What is wrong with a number of reviewers at once.
pub const NO_AT_ONCE: &str = "At once is a whole number from 1 to 20.";

/// Nobody is chosen.
pub const NO_REVIEWER: &str = "Choose at least one reviewer.";

/// Nothing is there to review.
pub const NO_MATERIAL: &str = "Say what to review: what this session has changed, or the names of files.";

/// In the empty field of what to review.
pub const MATERIAL: &str = "Names of files, or what to look at first";

/// It is not read yet what the session has changed.
pub const CHANGES_AWAITED: &str = "Looking for what it has changed so far…";

/// So many files are named.
const FILES_NAMED: usize = 5;

/// So many characters of a command are quoted in a sentence.
const NAMED_MAX: usize = 40;

/// The reviewers are asked once it is known what the session has changed.
pub const READS_CHANGES: &str = "looking for what the session has changed";

/// The files that the session has changed so far.
#[must_use]
pub fn changes(files: &[String]) -> String {
    let named: Vec<_> = files.iter().take(FILES_NAMED).map(|file| visible(file)).collect();
    match files.len() - named.len() {
        _ if files.is_empty() => "So far no change of a file was found.".to_owned(),
        0 => format!("So far: {}.", named.join(", ")),
        more => format!("So far: {} and {more} more.", named.join(", ")),
    }
}

/// Where it is not known what the session has changed.
#[must_use]
pub fn changes_unread(problem: &str) -> String {
    format!("What it has changed so far was not read: the server {problem}. It is read again when the review begins.")
}

/// What a loop that is not kept means.
#[must_use]
pub fn unsaved(problem: &StoreError) -> String {
    let goes_on = if *problem == StoreError::TimedOut {
        "It waits for the storage of the browser"
    } else {
        "It goes on until this page is closed"
    };
    format!("Not kept on this device: {problem}. {goes_on}: keep this tab open.")
}

/// That another loop of the session waits while the one that is shown has its turn.
#[must_use]
pub fn next_in_turn(next: &Workflow) -> String {
    let what = match &next.goal.check {
        Some(check) => format!("with the check “{}”", visible(&shortened(&check.command, NAMED_MAX))),
        None => "of reviewers alone".to_owned(),
    };
    let then = match next.stop {
        Some(Stop::Now) => " It was stopped, and ends then.",
        Some(Stop::AfterRound) => " It is stopped after one round.",
        None => "",
    };
    format!("Another loop of this session, {what}, waits for its turn.{then}")
}

/// What it means that the loops of this device cannot be read.
#[must_use]
pub fn unread(problem: &StoreError) -> String {
    format!(
        "The loops of this device cannot be read: {problem}. One that is not shown here stands still, unless another tab carries it \
         on. It is tried again every 5 seconds."
    )
}

/// That the rules of this device cannot be used.
#[must_use]
pub fn rules_unread(reason: &str) -> String {
    format!(
        "The rules of completion cannot be used: {reason}. Repair them under “Rules as a JSON file”, or import a file there. Until \
         then no reviewer is asked."
    )
}

/// Below the rules.
pub const RULES: &str = "dispatch_timeout is how long a reviewer may take that has no time-out of its own, in seconds. Under \
                         overrides stand others for an agent, a model or both: “review”, “@provider/model” or \
                         “review@provider/model”.";

/// That what was changed of the rules is lost with the page.
pub const RULES_UNKEPT: &str = "These rules are not kept on this device: the browser has no room, or keeps nothing. Export them, or \
                                they are gone with this page.";

/// Why the saved reviewers are not shown.
#[must_use]
pub fn reviewers_unread(reason: &str) -> String {
    format!(
        "The saved reviewers cannot be read: {reason}. They stay as they are: repair them under “Reviewers as a JSON file”, or import a file there."
    )
}

/// That what was changed of the reviewers is kept by this page alone.
pub const REVIEWERS_UNKEPT: &str = "These reviewers are not kept on this device: the browser has no room, or keeps nothing. \
                                    Export them, or they are gone with this page.";

/// That what was changed of the reviewers here is not kept, since another tab has saved others.
pub const OTHER_REVIEWERS: &str =
    "Another tab has saved other reviewers meanwhile. What you change here is not saved until you choose.";

/// That a person has stopped a loop.
#[must_use]
pub fn stops(stop: Stop) -> &'static str {
    match stop {
        Stop::AfterRound => "It stops after this round.",
        Stop::Now => "It is being stopped.",
    }
}

/// Why a loop was not started.
#[must_use]
pub fn not_started(error: &StartError) -> &'static str {
    match error {
        StartError::UnknownSession(_) => "The server does not know this session any more.",
        StartError::Running(_) => "Another loop goes on in this session. Stop it first.",
        StartError::NoRounds => NO_ROUNDS,
        StartError::NothingToDo => NO_COMMAND,
        StartError::NothingToReview => NO_MATERIAL,
        _ => "It was not started.",
    }
}

/// How a round stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundWords {
    /// The sign.
    pub sign: Sign,
    /// Its colour.
    pub tone: Tone,
    /// A word or two, for the strip.
    pub word: String,
    /// The same in full, behind `Round 2`.
    pub detail: String,
    /// At its right edge.
    pub aside: String,
}

/// How a round stands: `steps` are its own. `goes_on` says whether it is the one that goes on, `waits` whether its agent waits
/// for a person.
#[must_use]
pub fn round(workflow: &Workflow, steps: &[Step], goes_on: bool, waits: bool) -> RoundWords {
    if !goes_on {
        let result = steps.iter().rev().find_map(|step| result_of(workflow, step));
        return result.unwrap_or_else(|| plain(Sign::Square, "stopped"));
    }
    let is_awaited = matches!(
        steps.last().map(|step| &step.work),
        Some(Work::AwaitReply { running: false, .. })
    );
    let (sign, tone, word) = if waits {
        (Sign::Lamp, Tone::Lamp, "waiting for you")
    } else if is_awaited {
        (Sign::DashedCircle, Tone::Plain, "not begun")
    } else {
        (Sign::Arc, Tone::Plain, "running")
    };
    RoundWords {
        tone,
        detail: under_way(workflow, steps),
        ..plain(sign, word)
    }
}

/// A round of which there is no more to say.
fn plain(sign: Sign, word: &str) -> RoundWords {
    RoundWords {
        sign,
        tone: Tone::Plain,
        word: word.to_owned(),
        detail: word.to_owned(),
        aside: String::new(),
    }
}

fn result_of(workflow: &Workflow, step: &Step) -> Option<RoundWords> {
    let span = step.ended.map(|ended| age(ended.since(step.begun))).unwrap_or_default();
    Some(match &step.work {
        Work::AwaitReply { .. } | Work::Tell(_) => return None,
        Work::Check(check) => match check.result.as_ref()? {
            CheckResult::Passed => RoundWords {
                tone: Tone::Ok,
                aside: format!("exit 0 · {span}"),
                ..plain(Sign::CheckCircle, "passed")
            },
            CheckResult::Failed(failure) => {
                let (word, detail) = failed(failure);
                let exit = match failure.exit {
                    Some(code) => format!("exit {code}"),
                    None => "no exit code".to_owned(),
                };
                RoundWords {
                    sign: Sign::XCircle,
                    tone: Tone::Bad,
                    word,
                    detail,
                    aside: format!("{exit} · {span}"),
                }
            }
            CheckResult::Interrupted => plain(Sign::SlashCircle, "interrupted"),
            CheckResult::Broken(_) => RoundWords {
                tone: Tone::Bad,
                ..plain(Sign::Triangle, "no result")
            },
        },
        Work::Review { seats, .. } => {
            step.ended?;
            if seats.iter().all(|seat| seat.opinion.is_none()) {
                return Some(plain(Sign::SlashCircle, "not reviewed"));
            }
            let said = tally(seats);
            let is_go = seats.iter().all(|seat| vote(seat) == Some(Vote::Go));
            let stops = switchboard_core::workflow::findings(workflow, seats);
            let stops = stops.iter().filter(|finding| finding.stops).count();
            let (sign, tone, word) = if is_go {
                (Sign::CheckCircle, Tone::Ok, "GO".to_owned())
            } else if stops > 0 {
                (Sign::XCircle, Tone::Bad, count(stops, "issue"))
            } else if seats.iter().any(|seat| vote(seat).is_none()) {
                (Sign::DashedQuestion, Tone::Bad, "no verdict".to_owned())
            } else {
                (Sign::XCircle, Tone::Bad, "no GO".to_owned())
            };
            RoundWords {
                sign,
                tone,
                word,
                detail: said,
                aside: span,
            }
        }
    })
}

fn failed(failure: &Failure) -> (String, String) {
    match (failure.timed_out, failure.failed, failure.total) {
        (true, _, _) => ("too slow".to_owned(), "took too long, and was stopped".to_owned()),
        (false, Some(failed), Some(total)) => (format!("{failed} failed"), format!("{failed} of {total} failed")),
        (false, Some(failed), None) => (format!("{failed} failed"), format!("{failed} failed")),
        (false, None, _) => ("failed".to_owned(), "failed".to_owned()),
    }
}

/// What goes on in a round.
fn under_way(workflow: &Workflow, steps: &[Step]) -> String {
    let Some(step) = steps.last().filter(|step| step.ended.is_none()) else {
        let is_unread = workflow.steps.is_empty() && workflow.goal.start != Start::Now;
        return if is_unread {
            "it begins once the session has been read"
        } else {
            "it begins"
        }
        .to_owned();
    };
    match &step.work {
        Work::AwaitReply { running: true, .. } => "it begins when the agent has finished".to_owned(),
        Work::AwaitReply { running: false, .. } => "it begins after the agent's next reply".to_owned(),
        Work::Check(_) => "the check runs".to_owned(),
        Work::Review { seats, .. } => {
            let spoken = seats.iter().filter(|seat| seat.opinion.is_some()).count();
            format!("the reviewers are at work, {spoken} of {} have ended", seats.len())
        }
        Work::Tell(_) => match what_was_wrong(workflow) {
            Some(wrong) => format!("the agent is fixing {wrong}"),
            None => "the agent is at work".to_owned(),
        },
    }
}

/// What waits in a loop: a reviewer, or the agent.
#[must_use]
pub fn waits(is_reviewer: bool) -> &'static str {
    match is_reviewer {
        true => "A reviewer waits for your answer, and gives its verdict after that.",
        false => "The agent waits for your answer. It goes on after that.",
    }
}

/// Why the reviewers of a loop have not been asked yet.
#[must_use]
pub fn not_asked(workflow: &Workflow) -> &'static str {
    match workflow.current().map(|step| &step.work) {
        _ if workflow.end.is_some() => "they were not asked",
        _ if workflow.stop.is_some() => "they are not asked: it stops before that",
        Some(Work::AwaitReply { running: true, .. }) => "they are asked when the agent has finished",
        Some(Work::AwaitReply { running: false, .. }) => "they are asked after the agent's next reply",
        Some(Work::Check(_) | Work::Review { .. } | Work::Tell(_)) | None if workflow.goal.check.is_some() => {
            "they are asked once the check passes"
        }
        Some(Work::Check(_) | Work::Review { .. } | Work::Tell(_)) | None => "they are about to be asked",
    }
}

/// What the agent was told last.
fn what_was_wrong(workflow: &Workflow) -> Option<String> {
    let before = workflow.steps.iter().rev().nth(1)?;
    match &before.work {
        Work::Check(check) => match check.result.as_ref()? {
            CheckResult::Failed(failure) => Some(
                failure
                    .failed
                    .map_or_else(|| "the failure".to_owned(), |failed| count(failed as usize, "failure")),
            ),
            CheckResult::Passed | CheckResult::Interrupted | CheckResult::Broken(_) => None,
        },
        Work::Review { seats, .. } => {
            let found = switchboard_core::workflow::findings(workflow, seats);
            Some(count(switchboard_core::workflow::to_mend(&found).len(), "issue"))
        }
        Work::AwaitReply { .. } | Work::Tell(_) => None,
    }
}

/// Whether it gets better, from the numbers of failures of the rounds so far; none when there is nothing to say.
#[must_use]
pub fn trend(failures: &[u32]) -> Option<(&'static str, String)> {
    let (last, before) = failures.split_last()?;
    let before = before.last()?;
    let strong = match last.cmp(before) {
        std::cmp::Ordering::Less => "It gets better:",
        std::cmp::Ordering::Equal => "It stays the same:",
        std::cmp::Ordering::Greater => "It gets worse:",
    };
    let all: Vec<String> = failures.iter().map(u32::to_string).collect();
    let noun = if *last == 1 { "failure" } else { "failures" };
    Some((
        strong,
        format!(
            "{} {noun}. If two rounds fail in the same way, the loop stops and asks you.",
            all.join(", then ")
        ),
    ))
}

/// The numbers of failures of the rounds that have one.
#[must_use]
pub fn failures(workflow: &Workflow) -> Vec<u32> {
    let failed = workflow.steps.iter().filter_map(|step| match &step.work {
        Work::Check(check) => match check.result.as_ref()? {
            CheckResult::Failed(failure) => failure.failed,
            CheckResult::Passed => Some(0),
            CheckResult::Interrupted | CheckResult::Broken(_) => None,
        },
        Work::AwaitReply { .. } | Work::Review { .. } | Work::Tell(_) => None,
    });
    failed.collect()
}

/// How large what was sent back is.
#[must_use]
pub fn sent_back(text: &str) -> String {
    let bytes = text.len();
    if bytes < 1024 {
        return format!("Sent back to the agent: {bytes} bytes.");
    }
    let tenths = bytes * 10 / 1024;
    format!("Sent back to the agent: {}.{} KB of output.", tenths / 10, tenths % 10)
}

/// How a loop ended, what that means, and whether one can go on with it.
#[must_use]
pub fn end(workflow: &Workflow, end: &End) -> (Tone, String) {
    let text = match end {
        End::Passed => {
            let text = match (&workflow.goal.check, &workflow.goal.review) {
                (Some(_), Some(_)) => "The check passes, and all reviewers say GO.",
                (None, Some(_)) => "All reviewers say GO.",
                (_, None) => "The check passes.",
            };
            return (Tone::Ok, text.to_owned());
        }
        End::Reviewed => {
            let text = match workflow.goal.has_rounds() {
                true => "The reviewers have spoken, and name nothing that the agent could mend. You decide.",
                false => "The reviewers have spoken. You decide.",
            };
            return (Tone::Plain, text.to_owned());
        }
        End::Stopped => return (Tone::Plain, "You stopped it.".to_owned()),
        End::RoundsUsedUp => {
            let used_up = match workflow.goal.rounds {
                1 => "Its one round is used up, and it does not pass.".to_owned(),
                rounds => format!("All {rounds} rounds are used up, and it does not pass."),
            };
            format!("{used_up} {}", advice(workflow))
        }
        End::OverBudget(bound) => {
            let bound = match bound {
                Bound::Tokens => "tokens",
                Bound::Cost => "cost",
                Bound::Time => "time",
            };
            format!(
                "The limit of {bound} is reached. Nothing more was sent to the agent. Go on tells it what failed once more; \
                 for more than that, start it anew with a higher limit."
            )
        }
        End::Stalled => format!("Two rounds failed in the same way, so it stopped. {}", advice(workflow)),
        End::AgentEnded(Ending::NotStarted) => format!(
            "The agent picked up neither of the last two messages, so it stopped. {MODEL} Look at the timeline, then go on."
        ),
        End::AgentEnded(ending) => format!(
            "The agent {}, so it stopped. Look at the timeline, then start it anew.",
            ending_words(*ending)
        ),
        End::CheckBroken(Broken::Refused(problem)) => {
            format!("The check did not run: {problem}. Put that right and go on, or start anew with another command.")
        }
        End::CheckBroken(Broken::InDoubt(problem)) => {
            format!(
                "It is not known whether the check ran: {problem}. It was not run again by itself. Go on runs it again."
            )
        }
        End::NotReviewed(problem) => format!("The reviewers were not asked: {problem}. Go on asks them."),
        End::NotTold(problem) => {
            format!("The agent could not be told what failed: {problem}. Start it anew when the server is back.")
        }
        End::SessionGone => "The session is gone, so it stopped.".to_owned(),
    };
    (Tone::Bad, text)
}

/// What a person does about a loop that does not pass: what its last check says of it, else that the agent may need to know more.
fn advice(workflow: &Workflow) -> &'static str {
    let told = workflow.steps.iter().rev().find_map(|step| match &step.work {
        Work::Tell(told) => Some(told.reply.as_ref()?.ending),
        Work::AwaitReply { .. } | Work::Check(_) | Work::Review { .. } => None,
    });
    if told == Some(Ending::NotStarted) {
        return NOT_PICKED_UP;
    }
    let failed = workflow.steps.iter().rev().find_map(|step| match &step.work {
        Work::Check(check) => check.result.as_ref(),
        Work::AwaitReply { .. } | Work::Review { .. } | Work::Tell(_) => None,
    });
    match failed {
        Some(CheckResult::Failed(failure)) => match failure.exit {
            _ if failure.timed_out => {
                "It takes longer than its time-out: start it anew with more time, or with a command that ends by itself. It gets \
                 no input."
            }
            Some(127) => {
                "The shell did not find a command (exit 127): start it anew with another one, or install what is missing on the \
                 machine of the server and go on."
            }
            Some(126) => {
                "The shell found the command but could not run it (exit 126): make it executable and go on, or start it anew with \
                 another one."
            }
            _ if failure.output.trim().is_empty() => {
                "The command prints nothing, so the agent is told no more than its exit code: start it anew with one that says what \
                 fails."
            }
            _ => TELL_MORE,
        },
        Some(CheckResult::Passed | CheckResult::Interrupted | CheckResult::Broken(_)) | None => TELL_MORE,
    }
}

/// How a loop ended, for a notification.
#[must_use]
pub fn ended(workflow: &Workflow) -> String {
    workflow
        .end
        .as_ref()
        .map_or_else(String::new, |(how, _)| end(workflow, how).1)
}

fn ending_words(ending: Ending) -> &'static str {
    match ending {
        Ending::Done => "has finished",
        Ending::Empty => "ended without text",
        Ending::Dismissed => "ended because a request was dismissed or rejected",
        Ending::Failed => "failed",
        Ending::Aborted => "was stopped",
        Ending::Interrupted => "was interrupted",
        Ending::NotStarted => "never picked it up",
        Ending::TimedOut => "took too long",
    }
}

/// The vote of a reviewer.
#[must_use]
pub fn vote(seat: &Seat) -> Option<Vote> {
    seat.opinion.as_ref().and_then(Opinion::vote)
}

/// How many said what: `2 GO, 1 NO-GO`.
#[must_use]
pub fn tally(seats: &[Seat]) -> String {
    let said = |wanted: Option<Vote>| {
        seats
            .iter()
            .filter(|seat| vote(seat) == wanted && seat.opinion.is_some())
            .count()
    };
    let parts = [
        (said(Some(Vote::Go)), "GO"),
        (said(Some(Vote::Conditional)), "CONDITIONAL"),
        (said(Some(Vote::NoGo)), "NO-GO"),
        (said(None), "without a verdict"),
    ];
    let parts = parts.iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts.map(|(count, word)| format!("{count} {word}")).collect();
    match parts.as_slice() {
        [] => "none was heard".to_owned(),
        parts => parts.join(", "),
    }
}

/// What stands in the row of a reviewer.
#[must_use]
pub fn verdict(seat: &Seat, waits: bool, has_ended: bool) -> (Sign, Tone, &'static str) {
    match &seat.opinion {
        Some(Opinion::Verdict(verdict)) => vote_words(verdict.vote),
        Some(Opinion::None { .. }) => (Sign::DashedQuestion, Tone::Bad, "no verdict"),
        None if has_ended => (Sign::Square, Tone::Plain, "not asked"),
        None if waits => (Sign::Lamp, Tone::Lamp, "waiting for you"),
        None if !is_asked(seat) => (Sign::DashedCircle, Tone::Plain, "next"),
        None => (Sign::Arc, Tone::Plain, "reviewing"),
    }
}

/// Whether a reviewer was asked: it has a session.
#[must_use]
pub fn is_asked(seat: &Seat) -> bool {
    seat.session.is_some()
}

/// A vote.
#[must_use]
pub fn vote_words(vote: Vote) -> (Sign, Tone, &'static str) {
    match vote {
        Vote::Go => (Sign::CheckCircle, Tone::Ok, "GO"),
        Vote::Conditional => (Sign::Triangle, Tone::Plain, "CONDITIONAL"),
        Vote::NoGo => (Sign::XCircle, Tone::Bad, "NO-GO"),
    }
}

/// Why a reviewer gave no verdict. What it said all the same stands below it.
#[must_use]
pub fn no_verdict(seat: &Seat, reason: &NoVerdict, text: &str) -> String {
    let why = match reason {
        NoVerdict::Unreadable(fault) => format!("Its answer is no verdict: {fault}."),
        NoVerdict::TimedOut if seat.begun.is_none() => {
            "Its time was over before the server had taken up its prompt. If an agent is chosen for it, see whether this server has it."
                .to_owned()
        }
        NoVerdict::TimedOut => {
            "It took too long, and was stopped. Its time runs also while it waits for an answer.".to_owned()
        }
        NoVerdict::Ended(Ending::NotStarted) => format!(
            "It never began, and the server does not say why. If a model is chosen for it, see whether this server has it. {MODEL}"
        ),
        NoVerdict::Ended(Ending::Failed) => "It failed; its session says why.".to_owned(),
        NoVerdict::Ended(ending) => format!("It {}.", ending_words(*ending)),
        NoVerdict::NotAsked(problem) => format!("It could not be asked: {problem}."),
    };
    match text.trim() {
        "" => why,
        _ => format!("{why} This is what it had said:"),
    }
}

/// A severity: its letter, and the word for it.
#[must_use]
pub fn severity(severity: Severity) -> (&'static str, &'static str) {
    match severity {
        Severity::Critical => ("C", "Critical"),
        Severity::High => ("H", "High"),
        Severity::Medium => ("M", "Medium"),
        Severity::Low => ("L", "Low"),
    }
}

/// Who found an issue.
#[must_use]
pub fn found_by(finding: &Finding) -> String {
    let by = finding.by.join(", ");
    match finding.by.len() {
        0 | 1 => by,
        2 => format!("{by} · found by two"),
        more => format!("{by} · found by {more}"),
    }
}

/// How many reviewers have given a verdict.
#[must_use]
pub fn verdicts_in(seats: &[Seat]) -> String {
    let given = seats.iter().filter(|seat| vote(seat).is_some()).count();
    match (given, seats.len()) {
        (0, 1) => "its verdict is not in".to_owned(),
        (1, 1) => "its verdict is in".to_owned(),
        (given, of) if given == of => format!("all {of} verdicts are in"),
        (1, of) => format!("1 of {} is in", count(of, "verdict")),
        (given, of) => format!("{given} of {} are in", count(of, "verdict")),
    }
}

/// A time of minutes and seconds: `1:02`.
#[must_use]
pub fn clock(span: Duration) -> String {
    let seconds = span.as_secs();
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

/// The button that sends what was found.
#[must_use]
pub fn send_issues(number: usize, sent: Option<&SentFindings>) -> String {
    match sent.map(|sent| &sent.end) {
        None | Some(Some(SendEnd::Refused(_))) => format!("Send {} to the agent", count(number, "issue")),
        Some(None) => "Sending to the agent…".to_owned(),
        Some(Some(SendEnd::Stored)) => "Sent to the agent".to_owned(),
    }
}

/// Why what was found was not sent.
#[must_use]
pub fn not_sent(reason: &str) -> String {
    format!("It was not sent: {reason}.")
}

#[cfg(test)]
mod tests {
    use switchboard_core::Time;
    use switchboard_core::completion::Issue;
    use switchboard_core::model::PromptIds;
    use switchboard_core::workflow::{Check, CheckWork, Goal, Reply, TellWork};

    use super::*;

    #[test]
    fn of_many_changed_files_some_are_named_and_the_others_counted() {
        let files: Vec<String> = (1..=7).map(|file| format!("f{file}")).collect();
        assert_eq!(changes(&[]), "So far no change of a file was found.");
        assert_eq!(changes(&files[..2]), "So far: f1, f2.");
        assert_eq!(changes(&files), "So far: f1, f2, f3, f4, f5 and 2 more.");
    }

    #[test]
    fn a_loop_that_waits_for_another_one_is_named() {
        let mut waiting = workflow(Vec::new(), true);
        let waits = "Another loop of this session, with the check “cargo test”, waits for its turn.";
        assert_eq!(next_in_turn(&waiting), waits);
        waiting.stop = Some(Stop::Now);
        waiting.goal.check = None;
        let ends =
            "Another loop of this session, of reviewers alone, waits for its turn. It was stopped, and ends then.";
        assert_eq!(next_in_turn(&waiting), ends);
    }

    #[test]
    fn reviewers_who_are_not_asked_yet_wait_for_what_comes_before_them() {
        let waits = |running| Work::AwaitReply { running, updated: 0 };
        let mut reviews = workflow(vec![waits(true)], true);
        assert_eq!(not_asked(&reviews), "they are asked when the agent has finished");
        reviews = workflow(vec![waits(false)], true);
        assert_eq!(not_asked(&reviews), "they are asked after the agent's next reply");
        reviews = workflow(vec![waits(false), Work::Check(CheckWork::default())], true);
        assert_eq!(not_asked(&reviews), "they are asked once the check passes");
        reviews = workflow(vec![waits(false)], false);
        reviews.goal.check = None;
        assert_eq!(not_asked(&reviews), "they are about to be asked");
        reviews.stop = Some(Stop::AfterRound);
        assert_eq!(not_asked(&reviews), "they are not asked: it stops before that");
        reviews.end = Some((End::Stopped, Time(0)));
        assert_eq!(not_asked(&reviews), "they were not asked");
    }

    fn failure(failed: u32) -> Work {
        Work::Check(CheckWork {
            result: Some(CheckResult::Failed(Failure {
                exit: Some(101),
                failed: Some(failed),
                total: Some(148),
                ..Failure::default()
            })),
            ..CheckWork::default()
        })
    }

    fn told() -> Work {
        Work::Tell(TellWork {
            text: "Mend it.".to_owned(),
            ids: None,
            reply: None,
        })
    }

    fn workflow(works: Vec<Work>, goes_on: bool) -> Workflow {
        let last = works.len().saturating_sub(1);
        let mut goal = Goal::new(Start::Now);
        goal.check = Some(Check {
            command: "cargo test".to_owned(),
            timeout: Duration::from_secs(60),
        });
        let steps = works.into_iter().enumerate().map(|(place, work)| Step {
            begun: Time(0),
            ended: (place < last || !goes_on).then_some(Time(34_000)),
            work,
        });
        Workflow {
            id: "w".into(),
            version: 1,
            session: "ses_1".into(),
            directory: "/d".into(),
            begun: Time(0),
            goal,
            steps: steps.collect(),
            stop: None,
            went_on: 0,
            end: None,
        }
    }

    #[test]
    fn a_round_says_what_failed_and_the_next_one_what_is_being_fixed() {
        let workflow = workflow(vec![failure(7), told(), failure(2), told()], true);
        let rounds = workflow.by_round();
        let said: Vec<_> = rounds
            .iter()
            .enumerate()
            .map(|(place, steps)| {
                let words = round(&workflow, steps, place + 1 == rounds.len(), false);
                (words.word, words.detail, words.aside)
            })
            .collect();
        let expected = [
            ("7 failed", "7 of 148 failed", "exit 101 · 34 s"),
            ("2 failed", "2 of 148 failed", "exit 101 · 34 s"),
            ("running", "the agent is fixing 2 failures", ""),
        ];
        let expected = expected.map(|(word, detail, aside)| (word.to_owned(), detail.to_owned(), aside.to_owned()));
        assert_eq!(said, expected);
        let (strong, rest) = trend(&failures(&workflow)).unwrap();
        assert_eq!(strong, "It gets better:");
        assert!(rest.starts_with("7, then 2 failures. If two rounds"), "{rest}");
        assert_eq!(trend(&[7]), None);
    }

    #[test]
    fn an_end_says_what_to_do_about_it() {
        let failed = |exit, output: &str, timed_out| {
            let failure = Failure {
                exit: Some(exit),
                output: output.to_owned(),
                timed_out,
                ..Failure::default()
            };
            Work::Check(CheckWork {
                result: Some(CheckResult::Failed(failure)),
                ..CheckWork::default()
            })
        };
        for (check, expected) in [
            (failed(1, "bad", false), "Tell the agent more in the timeline"),
            (failed(127, "bad", false), "The shell did not find a command"),
            (failed(126, "bad", false), "make it executable"),
            (failed(1, "\n", false), "start it anew with one that says what fails"),
            (failed(1, "bad", true), "start it anew with more time"),
        ] {
            for how in [End::Stalled, End::RoundsUsedUp] {
                let (tone, said) = end(&workflow(vec![check.clone()], false), &how);
                assert!(tone == Tone::Bad && said.contains(expected), "{said}");
            }
        }
        let not_started = Reply {
            message: "msg_1".into(),
            ending: Ending::NotStarted,
            tokens: 0,
            cost: 0.0,
        };
        let works = vec![failed(1, "bad", false), told(), failed(1, "bad", false)];
        let mut lost = workflow(works, false);
        if let Work::Tell(told) = &mut lost.steps[1].work {
            told.reply = Some(not_started);
        }
        let (_, said) = end(&lost, &End::RoundsUsedUp);
        assert!(
            said.contains("see in the timeline whether its model is configured"),
            "{said}"
        );
    }

    #[test]
    fn a_reviewer_without_a_verdict_is_quoted_only_where_it_said_something() {
        let asked = Seat {
            begun: Some(Time(0)),
            ..Seat::default()
        };
        let said = no_verdict(&asked, &NoVerdict::Ended(Ending::Empty), "");
        assert_eq!(said, "It ended without text.");
        let said = no_verdict(&asked, &NoVerdict::TimedOut, "I look");
        assert!(
            said.starts_with("It took too long") && said.ends_with("This is what it had said:"),
            "{said}"
        );
        let said = no_verdict(&Seat::default(), &NoVerdict::TimedOut, "");
        assert!(said.ends_with("see whether this server has it."), "{said}");
    }

    #[test]
    fn what_was_sent_back_is_measured() {
        assert_eq!(sent_back("12345"), "Sent back to the agent: 5 bytes.");
        assert_eq!(
            sent_back(&"x".repeat(1_450)),
            "Sent back to the agent: 1.4 KB of output."
        );
        assert_eq!(clock(Duration::from_secs(134)), "2:14");
    }

    #[test]
    fn an_issue_that_several_found_says_so() {
        let finding = Finding {
            issue: Issue {
                severity: Severity::High,
                text: "It leaks.".to_owned(),
            },
            by: vec!["tests".to_owned(), "security".to_owned()],
            stops: true,
        };
        assert_eq!(found_by(&finding), "tests, security · found by two");
        let sent = |end| SentFindings {
            ids: PromptIds {
                message: "msg_1".into(),
                part: "prt_1".into(),
            },
            end,
        };
        let refused = Some(SendEnd::Refused("the session is gone".to_owned()));
        assert_eq!(send_issues(1, None), "Send 1 issue to the agent");
        assert_eq!(send_issues(1, Some(&sent(None))), "Sending to the agent…");
        assert_eq!(send_issues(1, Some(&sent(Some(SendEnd::Stored)))), "Sent to the agent");
        assert_eq!(send_issues(2, Some(&sent(refused))), "Send 2 issues to the agent");
    }
}
