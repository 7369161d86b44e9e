//! What is said while a person answers a request.

use switchboard_core::model::{Answers, Question, Reply};

use crate::kit::visible::visible;
use crate::words::request_title::shortened;

/// How much of an answer the button that sends it quotes.
const QUOTED: usize = 28;

/// The request asks something else by now.
pub const HAS_CHANGED: &str = "This request has changed since it was shown.";

/// Follows it where something is filled in.
pub const FILLED_IN_IS_KEPT: &str = " What you filled in is kept.";

/// The control beside the field for an own answer.
pub const CHOOSE_OWN: &str = "Choose your own answer";

/// Before the directory in which a command runs, where it is not that of its session.
pub const RUNS_IN: &str = "Runs in ";

/// Before what *always* allows.
pub const ALLOWS: &str = "Allows ";

/// How far *always* reaches.
pub const REACH: &str = "in every session of this directory, until the server restarts";

/// Before the session that the answer to a request goes to which ended without it.
pub const GOES_TO: &str = "It goes to ";

/// On the button that allows so many requests once, before what they ask for.
#[must_use]
pub fn allow_once(requests: usize) -> String {
    format!("Allow once {requests} × ")
}

/// Where a question takes several options, and is not answered here.
pub const SEVERAL: &str = "Several may be chosen.";

/// What can be done about a question that waits in another process.
pub const ANSWERED_THERE: &str =
    "It can be read here, and is answered where it was asked: in a terminal, an editor or another server.";

/// How many options may be chosen, where it is not one.
#[must_use]
pub fn hint(question: &Question) -> Option<&'static str> {
    match (question.multiple, question.custom) {
        (true, true) => Some("Pick any number, and add your own if one is missing."),
        (true, false) => Some("Pick any number."),
        (false, _) => None,
    }
}

/// An answer to a like question that died.
#[must_use]
pub fn suggestion(answers: &Answers) -> String {
    format!(
        "You answered a like question that died: “{}”.",
        Reply::Answers(answers.clone()).summary()
    )
}

/// What has to be done before the answer to a question can be sent.
#[must_use]
pub fn missing(question: &Question) -> &'static str {
    if question.multiple {
        "Send: choose at least one"
    } else if question.options.is_empty() {
        "Send: write an answer"
    } else {
        "Send: choose one"
    }
}

/// How many questions have no answer yet.
#[must_use]
pub fn more_to_answer(open: usize) -> String {
    format!("{open} more to answer")
}

/// What is sent. `is_own` is whether the only answer is in a person's own words.
#[must_use]
pub fn send(answers: &Answers, is_own: bool) -> String {
    if answers.len() > 1 {
        return format!("Send {} answers", answers.len());
    }
    match answers.first().map(Vec::as_slice).unwrap_or_default() {
        [only] if !is_own => format!("Send “{}”", shortened(&visible(only), QUOTED)),
        [_] => "Send your answer".to_owned(),
        several => format!("Send {} choices", several.len()),
    }
}

/// Opens a question with many options. Where there is room for words they are counted as such.
#[must_use]
pub fn pick_from(options: usize, has_room: bool) -> String {
    counted("Pick from", options, "options", has_room)
}

/// Opens a request with several questions. Where there is room for words they are counted as such.
#[must_use]
pub fn answer_all(questions: usize, has_room: bool) -> String {
    counted("Answer", questions, "questions", has_room)
}

fn counted(verb: &str, number: usize, nouns: &str, has_room: bool) -> String {
    if has_room {
        format!("{verb} {number} {nouns}")
    } else {
        format!("{verb} {number}…")
    }
}

/// Sends the answer to a request that ended without it.
#[must_use]
pub fn rescue(is_correction: bool) -> &'static str {
    if is_correction {
        "Send mine as a correction"
    } else {
        "Send it as a message"
    }
}

/// What dismissing a question does.
#[must_use]
pub fn dismissing(is_sub_agent: bool) -> &'static str {
    if is_sub_agent {
        "Dismissing ends this sub-agent; its parent sees an error and goes on."
    } else {
        "Dismissing ends the run; the agent is told that you dismissed the question."
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(given: &[&[&str]]) -> Answers {
        let answer = |labels: &&[&str]| labels.iter().map(|label| (*label).to_owned()).collect();
        given.iter().map(answer).collect()
    }

    #[test]
    fn the_button_names_what_it_sends() {
        for (given, is_own, said) in [
            (&[&["sqlx"][..]][..], false, "Send “sqlx”"),
            (&[&["sqlx"]], true, "Send your answer"),
            (&[&["a", "b"]], false, "Send 2 choices"),
            (&[&["a"], &["b"]], false, "Send 2 answers"),
        ] {
            assert_eq!(send(&answers(given), is_own), said);
        }
    }

    #[test]
    fn many_options_are_counted_and_named_where_there_is_room() {
        assert_eq!(
            [true, false].map(|room| pick_from(5, room)),
            ["Pick from 5 options", "Pick from 5…"]
        );
        assert_eq!(
            [true, false].map(|room| answer_all(3, room)),
            ["Answer 3 questions", "Answer 3…"]
        );
    }
}
