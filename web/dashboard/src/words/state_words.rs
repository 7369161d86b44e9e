//! The words for states: of a session, of a request, of the connection. Always a sign and a word, never colour alone.

use switchboard_core::Time;
use switchboard_core::model::Reply;
use switchboard_core::view::{
    AskedElsewhere, EndReason, Ending, Link, RequestState, RequestView, ServerView, SessionView, StuckCause, TurnState,
};

use crate::kit::age::{age, ordinal};
use crate::kit::sign::Sign;
use crate::words::end_reason::end_reason;

/// A state in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    /// A name for style sheets and tests.
    pub key: &'static str,
    /// Its sign.
    pub sign: Sign,
    /// Its colour.
    pub tone: Tone,
    /// The word.
    pub word: String,
    /// What follows the word; often empty.
    pub detail: String,
}

impl Words {
    /// The word and what follows it.
    #[must_use]
    pub fn sentence(&self) -> String {
        if self.detail.is_empty() {
            self.word.clone()
        } else {
            format!("{}, {}", self.word, self.detail)
        }
    }
}

/// What a colour says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Nothing.
    Plain,
    /// Nothing, for it is not known.
    Faint,
    /// Somebody waits for a person.
    Lamp,
    /// Proven.
    Ok,
    /// Broken.
    Bad,
}

impl Tone {
    /// Its class.
    #[must_use]
    pub fn class(self) -> &'static str {
        match self {
            Tone::Plain => "tone-plain",
            Tone::Faint => "tone-faint",
            Tone::Lamp => "tone-lamp",
            Tone::Ok => "tone-ok",
            Tone::Bad => "tone-bad",
        }
    }
}

fn words(key: &'static str, sign: Sign, tone: Tone, word: &str, detail: String) -> Words {
    Words {
        key,
        sign,
        tone,
        word: word.to_owned(),
        detail,
    }
}

/// How old what is shown is: `as of 48 s ago`.
#[must_use]
pub fn as_of(since: Time, now: Time) -> String {
    format!("as of {} ago", age(now.since(since)))
}

/// The state of a session.
#[must_use]
pub fn session(session: &SessionView, now: Time) -> Words {
    match &session.state {
        // A request is listed before its session has been read.
        TurnState::Unknown | TurnState::Working if session.waiting + session.waiting_below > 0 => {
            waiting_for_you(session.stale, now)
        }
        TurnState::Unknown => words("unknown", Sign::Circle, Tone::Faint, "no state yet", String::new()),
        TurnState::Working => {
            let sign_of_life = session
                .moved
                .map(|moved| format!("last sign {} ago", age(now.since(moved))));
            words(
                "working",
                Sign::Arc,
                Tone::Plain,
                "working",
                sign_of_life.unwrap_or_default(),
            )
        }
        TurnState::WaitingForHuman { .. } => waiting_for_you(session.stale, now),
        TurnState::Retrying { next, message, .. } => {
            let next = next.map(|next| format!("next try in {}", age(Time(next).since(now))));
            words(
                "retrying",
                Sign::TurnArrow,
                Tone::Plain,
                "retrying",
                next.unwrap_or_else(|| message.clone()),
            )
        }
        TurnState::Stuck { cause, since } => {
            let cause = match cause {
                StuckCause::DescendantWaits(_) => "a question of a sub-agent waits".to_owned(),
                StuckCause::Silent => format!("no sign for {}", age(now.since(*since))),
            };
            words("stuck", Sign::Triangle, Tone::Bad, "stuck", cause)
        }
        TurnState::Elsewhere { certain } => match session.asked_elsewhere.first() {
            Some(first) => asked_elsewhere(first, session.stale, now),
            None => {
                let word = if *certain {
                    "runs in another OpenCode"
                } else {
                    "not running here"
                };
                let last = format!("last sign {} ago", age(now.since(session.updated)));
                words("elsewhere", Sign::Server, Tone::Plain, word, last)
            }
        },
        TurnState::Ended { ending, reason } => ended(*ending, reason),
    }
}

/// A question that waits in another process, or perhaps does. `stale` is set when what is shown is old.
#[must_use]
pub fn asked_elsewhere(asked: &AskedElsewhere, stale: Option<Time>, now: Time) -> Words {
    let word = if asked.certain {
        "asks in another OpenCode"
    } else {
        "may ask in another OpenCode"
    };
    let since = || asked.asked.map(|asked| age(now.since(asked)));
    let detail = stale.map(|since| as_of(since, now)).or_else(since);
    words("elsewhere", Sign::Server, Tone::Plain, word, detail.unwrap_or_default())
}

/// A session that another of the servers runs.
#[must_use]
pub fn runs_on(server: &str) -> Words {
    words(
        "elsewhere",
        Sign::Server,
        Tone::Plain,
        &format!("runs on {server}"),
        String::new(),
    )
}

fn waiting_for_you(stale: Option<Time>, now: Time) -> Words {
    let (sign, detail) = match stale {
        Some(since) => (Sign::LampHollow, as_of(since, now)),
        None => (Sign::Lamp, String::new()),
    };
    words("waiting", sign, Tone::Lamp, "waiting for you", detail)
}

fn ended(ending: Ending, reason: &EndReason) -> Words {
    let detail = || end_reason(reason);
    match ending {
        Ending::Done => words("done", Sign::CheckCircle, Tone::Ok, "done", String::new()),
        Ending::Empty => words(
            "empty",
            Sign::MinusCircle,
            Tone::Plain,
            "ended without text",
            String::new(),
        ),
        Ending::Dismissed => words("dismissed", Sign::X, Tone::Plain, "ended", detail()),
        Ending::Failed => words("failed", Sign::XCircle, Tone::Bad, "failed", detail()),
        Ending::Aborted => words("aborted", Sign::Square, Tone::Plain, "stopped", detail()),
        Ending::Interrupted => words("interrupted", Sign::SlashCircle, Tone::Bad, "interrupted", detail()),
        Ending::NotStarted => words("not-started", Sign::DashedCircle, Tone::Plain, "not started", detail()),
        Ending::TimedOut => words("timed-out", Sign::Square, Tone::Bad, "timed out", detail()),
    }
}

/// How a session has ended, as the beginning of a sentence: `words` are those for its state.
#[must_use]
pub fn outcome(ending: Ending, words: &Words) -> String {
    if ending == Ending::Done {
        "Finished".to_owned()
    } else {
        capitalised(words.sentence())
    }
}

fn capitalised(mut sentence: String) -> String {
    if let Some(first) = sentence.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    sentence
}

/// The state of a request.
#[must_use]
pub fn request(view: &RequestView, now: Time) -> Words {
    match &view.state {
        RequestState::Waiting => {
            let sign = if view.stale.is_some() {
                Sign::LampHollow
            } else {
                Sign::Lamp
            };
            words("waiting", sign, Tone::Lamp, "waiting", age(now.since(asked(view))))
        }
        RequestState::Sending { attempt, problem, .. } => {
            let sign = if problem.is_some() {
                Sign::NoSignal
            } else {
                Sign::ArrowUp
            };
            let word = match attempt {
                0 | 1 => "sending".to_owned(),
                more => format!("sending, {} try", ordinal(*more)),
            };
            words("sending", sign, Tone::Plain, &word, String::new())
        }
        RequestState::Sent { at } => words(
            "sent",
            Sign::Tick,
            Tone::Plain,
            "sent, not confirmed",
            age(now.since(*at)),
        ),
        RequestState::Answered { .. } if matches!(view.reply, Some(Reply::Reject { .. })) => {
            words("dismissed", Sign::X, Tone::Plain, "rejected", String::new())
        }
        RequestState::Answered { .. } => words("answered", Sign::TwoTicks, Tone::Ok, "answered", String::new()),
        RequestState::AnsweredElsewhere { .. } => words(
            "elsewhere",
            Sign::Person,
            Tone::Plain,
            "answered elsewhere",
            String::new(),
        ),
        RequestState::Dismissed { .. } => {
            let word = if view.request.permission().is_some() {
                "rejected"
            } else {
                "dismissed"
            };
            words("dismissed", Sign::X, Tone::Plain, word, String::new())
        }
        // Why is said where there is room for a sentence.
        RequestState::NotSent { .. } => words("not-sent", Sign::NoSignal, Tone::Bad, "not sent", String::new()),
        RequestState::Gone { .. } => {
            let what = if view.request.permission().is_some() {
                "the request is gone"
            } else {
                "the question is gone"
            };
            words("gone", Sign::DashedQuestion, Tone::Bad, what, String::new())
        }
    }
}

/// When a request was asked, as far as it can be told.
#[must_use]
pub fn asked(view: &RequestView) -> Time {
    view.asked.unwrap_or(view.seen)
}

/// When the server was read last.
#[must_use]
pub fn read_ago(read: Time, now: Time) -> String {
    format!("read {} ago", age(now.since(read)))
}

/// The state of all connections in one line, from the words of each and when it was read last: how many servers there are
/// and how they are; of several, how many are live.
#[must_use]
pub fn servers(each: &[(Words, Option<Time>)], now: Time) -> Words {
    let is_live = |words: &Words| words.key == "live";
    let live = each.iter().filter(|(words, _)| is_live(words)).count();
    let is_bad = |words: &Words| words.tone == Tone::Bad;
    let troubled = each.iter().find(|(words, _)| is_bad(words));
    let troubled = troubled.or_else(|| each.iter().find(|(words, _)| !is_live(words)));
    // What was read longest ago says how old the page may be.
    let read = each.iter().filter_map(|(_, read)| *read).min();
    let read = read.map(|read| read_ago(read, now)).unwrap_or_default();
    let Some((shown, _)) = troubled.or(each.first()) else {
        return words("connecting", Sign::Arc, Tone::Plain, "", String::new());
    };
    let word = match (each.len(), troubled) {
        (1, Some(_)) => format!("1 server · {}", shown.word),
        (1, None) => format!("1 server · {read}"),
        (count, Some(_)) => format!("{live} of {count} servers live"),
        (count, None) => format!("{count} servers · {read}"),
    };
    Words { word, ..shown.clone() }
}

/// The state of the connection.
#[must_use]
pub fn server(server: &ServerView, now: Time) -> Words {
    match &server.link {
        Link::Connecting => words(
            "connecting",
            Sign::Arc,
            Tone::Plain,
            "connecting",
            "first contact".to_owned(),
        ),
        Link::Live if !server.failing.is_empty() => {
            let word = match server.failing.len() {
                1 => "1 directory not read".to_owned(),
                several => format!("{several} directories not read"),
            };
            words("in-part", Sign::Clock, Tone::Plain, &word, String::new())
        }
        Link::Live => {
            let read = server.read.map(|read| read_ago(read, now));
            words("live", Sign::Live, Tone::Plain, "live", read.unwrap_or_default())
        }
        Link::Stale { since, .. } => {
            let word = format!("{} old", age(now.since(*since)));
            words("stale", Sign::Clock, Tone::Plain, &word, String::new())
        }
        Link::Offline { since, .. } => {
            let detail = format!("for {}", age(now.since(*since)));
            words("offline", Sign::NoSignal, Tone::Bad, "offline", detail)
        }
        Link::Password => words("password", Sign::Lock, Tone::Bad, "password", "refused".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use switchboard_core::model::{Ask, Session};

    use super::*;
    use crate::fixtures::asking;

    const NOW: Time = Time(1_000_000);

    fn in_state(state: TurnState, stale: Option<Time>) -> SessionView {
        let session = Session {
            id: "ses_1".into(),
            directory: "/d".into(),
            parent: None,
            title: String::new(),
            created: 0,
            updated: 0,
            archived: false,
            cost: None,
        };
        SessionView {
            session: Arc::new(session),
            state,
            waiting: 0,
            waiting_below: 0,
            stale,
            updated: Time(0),
            moved: Some(Time(997_000)),
            agent: None,
            last_text: String::new(),
            asked_elsewhere: Vec::new(),
        }
    }

    #[test]
    fn a_session_shows_its_state_and_what_follows_from_it() {
        let waiting = TurnState::WaitingForHuman { descendant: None };
        let failed = TurnState::Ended {
            ending: Ending::Failed,
            reason: EndReason::Failed {
                name: "APIError".to_owned(),
                message: "rate limit".to_owned(),
            },
        };
        for (state, stale, sign, said) in [
            (TurnState::Working, None, Sign::Arc, "working, last sign 3 s ago"),
            (waiting.clone(), None, Sign::Lamp, "waiting for you, "),
            (
                waiting,
                Some(Time(952_000)),
                Sign::LampHollow,
                "waiting for you, as of 48 s ago",
            ),
            (failed, None, Sign::XCircle, "failed, APIError: rate limit"),
        ] {
            let words = session(&in_state(state, stale), NOW);
            assert_eq!(
                (words.sign, format!("{}, {}", words.word, words.detail)),
                (sign, said.to_owned())
            );
        }
    }

    #[test]
    fn a_session_waits_as_soon_as_its_request_or_one_below_it_is_known() {
        let unread = SessionView {
            waiting: 1,
            ..in_state(TurnState::Unknown, None)
        };
        let parent = SessionView {
            waiting_below: 1,
            ..in_state(TurnState::Working, None)
        };
        assert_eq!([unread, parent].map(|view| session(&view, NOW).key), ["waiting"; 2]);
    }

    /// R24
    #[test]
    fn a_session_that_asks_in_another_process_says_so_and_since_when() {
        let said = |certain, asked: &[Option<Time>], stale| {
            let asked = asked.iter().map(|asked| AskedElsewhere {
                message: "msg_1".into(),
                part: "prt_1".into(),
                questions: Vec::new(),
                asked: *asked,
                certain,
            });
            let view = SessionView {
                asked_elsewhere: asked.collect(),
                ..in_state(TurnState::Elsewhere { certain }, stale)
            };
            session(&view, NOW).sentence()
        };
        let since = Some(Time(100_000));
        assert_eq!(said(true, &[since, None], None), "asks in another OpenCode, 15 min");
        assert_eq!(said(false, &[since], None), "may ask in another OpenCode, 15 min");
        let stale = said(true, &[since], Some(Time(952_000)));
        assert_eq!(stale, "asks in another OpenCode, as of 48 s ago");
        assert_eq!(said(true, &[None], None), "asks in another OpenCode");
        assert_eq!(said(false, &[], None), "not running here, last sign 16 min ago");
    }

    fn asked_at(asked: Option<Time>, state: RequestState) -> RequestView {
        RequestView {
            seen: Time(940_000),
            asked,
            ..asking("que_1", Ask::Questions(Vec::new()), state)
        }
    }

    #[test]
    fn a_request_waits_since_it_was_asked_or_else_seen() {
        let since = |asked| request(&asked_at(asked, RequestState::Waiting), NOW).detail;
        assert_eq!(since(Some(Time(100_000))), "15 min");
        assert_eq!(since(None), "1 min");
    }

    /// R19
    #[test]
    fn a_rejected_permission_is_not_shown_as_answered() {
        let state = RequestState::Answered {
            at: NOW,
            sent: NOW,
            note: None,
        };
        for (reply, sign, word) in [
            (Reply::Reject { message: None }, Sign::X, "rejected"),
            (Reply::Once, Sign::TwoTicks, "answered"),
        ] {
            let view = RequestView {
                reply: Some(reply),
                ..asking("per_1", Ask::Permission(Box::default()), state.clone())
            };
            let words = request(&view, NOW);
            assert_eq!((words.sign, words.word.as_str()), (sign, word));
        }
    }

    #[test]
    fn a_failing_send_says_which_try_it_is() {
        let state = RequestState::Sending {
            attempt: 3,
            since: NOW,
            problem: Some("does not answer".to_owned()),
            next_try: None,
        };
        let words = request(&asked_at(None, state), NOW);
        assert_eq!((words.sign, words.word.as_str()), (Sign::NoSignal, "sending, 3rd try"));
    }

    #[test]
    fn the_line_of_all_servers_counts_those_that_are_live() {
        let state = |key: &'static str, tone, read: u64| {
            let words = words(key, Sign::Live, tone, key, String::new());
            (words, Some(Time(NOW.0 - read * 1_000)))
        };
        let live = |read| state("live", Tone::Plain, read);
        let locked = || state("password", Tone::Bad, 9);
        let line = |each: &[(Words, Option<Time>)]| {
            let words = servers(each, NOW);
            (words.word, words.tone)
        };
        assert_eq!(line(&[live(3)]), ("1 server · read 3 s ago".to_owned(), Tone::Plain));
        assert_eq!(line(&[locked()]), ("1 server · password".to_owned(), Tone::Bad));
        assert_eq!(
            line(&[live(3), live(9)]),
            ("2 servers · read 9 s ago".to_owned(), Tone::Plain)
        );
        let in_part = || state("in-part", Tone::Plain, 2);
        assert_eq!(
            line(&[in_part(), live(1)]),
            ("1 of 2 servers live".to_owned(), Tone::Plain)
        );
        assert_eq!(
            line(&[in_part(), locked()]),
            ("0 of 2 servers live".to_owned(), Tone::Bad)
        );
        let some = [live(3), locked(), live(1)];
        assert_eq!(line(&some), ("2 of 3 servers live".to_owned(), Tone::Bad));
    }
}
