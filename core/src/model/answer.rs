//! What a person says to a request, and whether it may be sent.

use std::fmt;

use super::{Ask, Question, Request};

/// One list per question: the chosen labels, or a text of one's own.
pub type Answers = Vec<Vec<String>>;

/// What a person says to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Answers to all its questions.
    Answers(Answers),
    /// No answer: the question is turned away, and the run ends.
    Dismiss,
    /// Allow this call.
    Once,
    /// Allow this call and what [`super::Permission::always`] lists.
    Always,
    /// Forbid it, with or without a word for the agent.
    Reject {
        /// The word for the agent.
        message: Option<String>,
    },
}

/// Why a reply cannot be sent. The server checks none of this.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InvalidReply {
    /// A permission was answered, or a question allowed.
    WrongKind,
    /// There must be one list per question.
    WrongCount {
        /// How many questions there are.
        expected: usize,
        /// How many lists were given.
        given: usize,
    },
    /// A question has no answer, or only blank text.
    Empty {
        /// Its place in the request, from 0.
        question: usize,
    },
    /// Several answers to a question that takes one.
    TooMany {
        /// Its place in the request, from 0.
        question: usize,
    },
    /// The same option twice.
    Twice {
        /// Its place in the request, from 0.
        question: usize,
    },
    /// A text of one's own where only the options count.
    NotAnOption {
        /// Its place in the request, from 0.
        question: usize,
        /// What was given.
        answer: String,
    },
}

impl fmt::Display for InvalidReply {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InvalidReply::WrongKind => formatter.write_str("this kind of reply does not fit this kind of request"),
            InvalidReply::WrongCount { expected, given } => {
                write!(
                    formatter,
                    "{given} answers given for {expected} questions: each question takes one list"
                )
            }
            InvalidReply::Empty { question } => write!(formatter, "question {} has no answer", question + 1),
            InvalidReply::TooMany { question } => write!(formatter, "question {} takes one answer", question + 1),
            InvalidReply::Twice { question } => {
                write!(formatter, "question {} has the same answer twice", question + 1)
            }
            InvalidReply::NotAnOption { question, answer } => {
                write!(
                    formatter,
                    "question {} has no option `{answer}`, and takes no other text",
                    question + 1
                )
            }
        }
    }
}

impl std::error::Error for InvalidReply {}

/// Checks that a reply fits its request. An accepted reply is sent word for word.
///
/// # Errors
/// The first thing that does not fit.
pub fn validate(request: &Request, reply: &Reply) -> Result<(), InvalidReply> {
    match (&request.ask, reply) {
        (Ask::Questions(questions), Reply::Answers(answers)) => {
            if answers.len() != questions.len() {
                return Err(InvalidReply::WrongCount {
                    expected: questions.len(),
                    given: answers.len(),
                });
            }
            questions
                .iter()
                .zip(answers)
                .enumerate()
                .try_for_each(|(place, (question, given))| fits(place, question, given))
        }
        (Ask::Questions(_), Reply::Dismiss)
        | (Ask::Permission(_), Reply::Once | Reply::Always | Reply::Reject { .. }) => Ok(()),
        (Ask::Questions(_), Reply::Once | Reply::Always | Reply::Reject { .. })
        | (Ask::Permission(_), Reply::Answers(_) | Reply::Dismiss) => Err(InvalidReply::WrongKind),
    }
}

fn fits(place: usize, question: &Question, given: &[String]) -> Result<(), InvalidReply> {
    if given.is_empty() || given.iter().any(|answer| answer.trim().is_empty()) {
        return Err(InvalidReply::Empty { question: place });
    }
    if given.len() > 1 && !question.multiple {
        return Err(InvalidReply::TooMany { question: place });
    }
    // A question may offer two options of the same name.
    let is_given = |answer: &String| given.iter().filter(|other| *other == answer).count();
    let is_offered = |answer: &String| question.options.iter().filter(|option| option.label == *answer).count();
    if given.iter().any(|answer| is_given(answer) > is_offered(answer).max(1)) {
        return Err(InvalidReply::Twice { question: place });
    }
    let stranger = given
        .iter()
        .find(|answer| !question.options.iter().any(|option| option.label == **answer));
    match stranger {
        Some(answer) if !question.custom => Err(InvalidReply::NotAnOption {
            question: place,
            answer: answer.clone(),
        }),
        Some(_) | None => Ok(()),
    }
}

impl Reply {
    /// The reply in a few words, as it is quoted on the screen: `Red`, `Red, Yes`, `allow once`.
    #[must_use]
    pub fn summary(&self) -> String {
        match self {
            Reply::Answers(answers) => summary_of(answers),
            Reply::Dismiss => "dismiss".to_owned(),
            Reply::Once => "allow once".to_owned(),
            Reply::Always => "always allow".to_owned(),
            Reply::Reject { message: None } => "reject".to_owned(),
            Reply::Reject { message: Some(message) } => format!("reject: {message}"),
        }
    }
}

/// Answers in a few words: `Red`, `Cheese and Olives`, `Red, Cheese, Yes`.
pub(crate) fn summary_of(answers: &[Vec<String>]) -> String {
    let each: Vec<String> = answers
        .iter()
        .map(|given| {
            if given.is_empty() {
                "unanswered".to_owned()
            } else {
                given.join(" and ")
            }
        })
        .collect();
    each.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Choice, RequestId};

    fn question(labels: &[&str], multiple: bool, custom: bool) -> Question {
        let options = labels
            .iter()
            .map(|label| Choice {
                label: (*label).to_owned(),
                description: String::new(),
            })
            .collect();
        Question {
            text: "?".to_owned(),
            header: String::new(),
            options,
            multiple,
            custom,
        }
    }

    fn request(ask: Ask) -> Request {
        Request {
            id: RequestId::from("que_1"),
            session: "ses_1".into(),
            directory: "/d".into(),
            tool: None,
            ask,
        }
    }

    fn answers(lists: &[&[&str]]) -> Reply {
        Reply::Answers(
            lists
                .iter()
                .map(|list| list.iter().map(|text| (*text).to_owned()).collect())
                .collect(),
        )
    }

    /// R18
    #[test]
    fn what_the_server_would_swallow_is_refused_before_sending() {
        let single = request(Ask::Questions(vec![question(&["Red", "Blue"], false, false)]));
        let several = request(Ask::Questions(vec![
            question(&["Cheese", "Olives"], true, true),
            question(&["Yes"], false, true),
        ]));
        let permission = request(Ask::Permission(Box::default()));
        let cases: [(&Request, Reply, Result<(), InvalidReply>); 14] = [
            (&single, answers(&[&["Blue"]]), Ok(())),
            (
                &single,
                answers(&[&["Green"]]),
                Err(InvalidReply::NotAnOption {
                    question: 0,
                    answer: "Green".to_owned(),
                }),
            ),
            (
                &single,
                answers(&[&["Red", "Blue"]]),
                Err(InvalidReply::TooMany { question: 0 }),
            ),
            (&single, answers(&[&[]]), Err(InvalidReply::Empty { question: 0 })),
            (
                &single,
                answers(&[]),
                Err(InvalidReply::WrongCount { expected: 1, given: 0 }),
            ),
            (
                &single,
                answers(&[&["Red"], &["Red"]]),
                Err(InvalidReply::WrongCount { expected: 1, given: 2 }),
            ),
            (&several, answers(&[&["Cheese", "my own"], &["Yes"]]), Ok(())),
            (
                &several,
                answers(&[&["Cheese"], &["  "]]),
                Err(InvalidReply::Empty { question: 1 }),
            ),
            (
                &several,
                answers(&[&["Cheese", "Cheese"], &["Yes"]]),
                Err(InvalidReply::Twice { question: 0 }),
            ),
            (&several, Reply::Dismiss, Ok(())),
            (&several, Reply::Once, Err(InvalidReply::WrongKind)),
            (&permission, Reply::Always, Ok(())),
            (&permission, answers(&[&["Yes"]]), Err(InvalidReply::WrongKind)),
            (&permission, Reply::Dismiss, Err(InvalidReply::WrongKind)),
        ];
        for (request, reply, expected) in cases {
            assert_eq!(validate(request, &reply), expected, "{reply:?}");
        }
    }
}
