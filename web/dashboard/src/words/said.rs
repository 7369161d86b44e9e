//! What was said to a request, by a person or a time-out, in a few words.

use switchboard_core::model::{Answers, ElsewhereAnswer, Reply, Request};
use switchboard_core::view::{RequestState, RequestView};

use crate::words::request_title::{self, shortened};

/// How much of an answer is quoted.
const QUOTED: usize = 60;

/// Who said it: a person here, or a policy for them.
#[must_use]
pub fn who(view: &RequestView) -> &'static str {
    if view.by_policy { "The time-out" } else { "You" }
}

/// What was said to a request, as a sentence without an end: `You answered “sqlx”`.
#[must_use]
pub fn said(view: &RequestView) -> String {
    said_within(view, QUOTED)
}

/// The same, with so many characters of an answer at most.
#[must_use]
pub fn said_within(view: &RequestView, quoted: usize) -> String {
    let Some(reply) = &view.reply else {
        return match &view.state {
            RequestState::Dismissed { .. } => "Dismissed elsewhere".to_owned(),
            RequestState::Waiting
            | RequestState::Sending { .. }
            | RequestState::Sent { .. }
            | RequestState::Answered { .. }
            | RequestState::AnsweredElsewhere { .. }
            | RequestState::NotSent { .. }
            | RequestState::Gone { .. } => String::new(),
        };
    };
    let who = who(view);
    match reply {
        Reply::Answers(_) => format!("{who} answered “{}”", shortened(&reply.summary(), quoted)),
        Reply::Dismiss => format!("{who} dismissed it"),
        Reply::Once => "You allowed it once".to_owned(),
        Reply::Always => "You allowed it always".to_owned(),
        Reply::Reject { message: None } => format!("{who} rejected it"),
        Reply::Reject { message: Some(message) } => format!("You rejected it: “{}”", shortened(message, quoted)),
    }
}

/// Whether a request was answered in another tab of this browser: this device has sent what was taken, and this tab has not
/// said it.
#[must_use]
pub fn is_of_another_tab(view: &RequestView) -> bool {
    let RequestState::AnsweredElsewhere { answer, .. } = &view.state else {
        return false;
    };
    match (answer, &view.reply) {
        (ElsewhereAnswer::Answers(taken), Some(Reply::Answers(sent))) => taken == sent,
        (ElsewhereAnswer::Allowed, Some(Reply::Once | Reply::Always))
        | (ElsewhereAnswer::Rejected, Some(Reply::Reject { .. })) => true,
        (
            ElsewhereAnswer::Answers(_)
            | ElsewhereAnswer::Allowed
            | ElsewhereAnswer::Rejected
            | ElsewhereAnswer::Unknown,
            _,
        ) => false,
    }
}

/// What was answered elsewhere, as a sentence without an end.
#[must_use]
pub fn elsewhere(answer: &ElsewhereAnswer) -> String {
    match answer {
        ElsewhereAnswer::Answers(answers) => {
            let answer = Reply::Answers(answers.clone()).summary();
            format!("Answered elsewhere: “{answer}”")
        }
        ElsewhereAnswer::Allowed => "Allowed elsewhere".to_owned(),
        ElsewhereAnswer::Rejected => "Rejected elsewhere".to_owned(),
        ElsewhereAnswer::Unknown => "Answered elsewhere".to_owned(),
    }
}

/// The lines of the box that shows what was said: who or what each is about, and what was said. Several answers are
/// named by their questions.
#[must_use]
pub fn lines(view: &RequestView) -> Vec<(String, String)> {
    match &view.reply {
        None => Vec::new(),
        Some(Reply::Answers(answers)) => answer_lines(&view.request, answers, who(view)),
        Some(Reply::Reject { message: Some(message) }) => {
            vec![(format!("{} rejected it:", who(view)), message.clone())]
        }
        Some(Reply::Dismiss | Reply::Once | Reply::Always | Reply::Reject { message: None }) => {
            vec![(String::new(), said(view))]
        }
    }
}

/// Answers, one line each; a single one is named by who gave it.
#[must_use]
pub fn answer_lines(request: &Request, answers: &Answers, who: &str) -> Vec<(String, String)> {
    let questions = request.questions();
    let line = |(place, answer): (usize, &Vec<String>)| {
        let name = if questions.len() > 1 {
            request_title::header(questions, place)
        } else {
            who.to_owned()
        };
        (name, Reply::Answers(vec![answer.clone()]).summary())
    };
    answers.iter().enumerate().map(line).collect()
}

#[cfg(test)]
mod tests {
    use switchboard_core::Time;
    use switchboard_core::model::{Ask, Question};

    use super::*;
    use crate::fixtures::asking;

    fn answered(ask: Ask, reply: Reply) -> RequestView {
        let state = RequestState::Sent { at: Time(0) };
        RequestView {
            reply: Some(reply),
            ..asking("que_1", ask, state)
        }
    }

    fn questions(headers: &[&str]) -> Ask {
        let question = |header: &&str| Question {
            text: "?".to_owned(),
            header: (*header).to_owned(),
            options: Vec::new(),
            multiple: false,
            custom: true,
        };
        Ask::Questions(headers.iter().map(question).collect())
    }

    fn line(name: &str, text: &str) -> (String, String) {
        (name.to_owned(), text.to_owned())
    }

    #[test]
    fn each_of_several_answers_is_named_by_its_question() {
        let answers = Reply::Answers(vec![vec!["Red".to_owned()], vec!["A".to_owned(), "B".to_owned()]]);
        let view = answered(questions(&["Colour", ""]), answers);
        assert_eq!(lines(&view), [line("Colour", "Red"), line("Question 2", "A and B")]);
        let one = answered(questions(&["Colour"]), Reply::Answers(vec![vec!["Red".to_owned()]]));
        assert_eq!(lines(&one), [line("You", "Red")]);
    }

    #[test]
    fn what_is_no_answer_is_told_in_a_sentence() {
        let permission = || Ask::Permission(Box::default());
        for (ask, reply, said) in [
            (questions(&["Colour"]), Reply::Dismiss, "You dismissed it"),
            (permission(), Reply::Reject { message: None }, "You rejected it"),
            (permission(), Reply::Once, "You allowed it once"),
        ] {
            assert_eq!(lines(&answered(ask, reply)), [line("", said)]);
        }
    }
}
