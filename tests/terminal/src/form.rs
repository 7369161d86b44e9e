//! One request as it is shown, and what has been answered of it.

use std::fmt::Write;
use std::sync::Arc;

use switchboard_core::model::{Answers, Ask, Permission, Question, Reply, Request};

/// A request that is shown. Its questions are asked one after the other.
pub(crate) struct Form {
    pub(crate) request: Arc<Request>,
    answers: Answers,
}

impl Form {
    pub(crate) fn new(request: Arc<Request>) -> Self {
        Self {
            request,
            answers: Answers::new(),
        }
    }

    /// What is asked next.
    pub(crate) fn shown(&self) -> String {
        match &self.request.ask {
            Ask::Questions(questions) => questions
                .get(self.answers.len())
                .map_or_else(String::new, shown_question),
            Ask::Permission(permission) => shown_permission(permission),
        }
    }

    /// Takes a line, and gives the reply when it is complete. A line that says nothing is passed over.
    pub(crate) fn take(&mut self, line: &str) -> Option<Reply> {
        let line = line.trim();
        match &self.request.ask {
            Ask::Questions(_) if line == "-" => Some(Reply::Dismiss),
            Ask::Questions(questions) => {
                let question = questions.get(self.answers.len())?;
                if line.is_empty() {
                    return None;
                }
                self.answers.push(answer(question, line));
                (self.answers.len() == questions.len()).then(|| Reply::Answers(self.answers.clone()))
            }
            Ask::Permission(_) => match line {
                "once" => Some(Reply::Once),
                "always" => Some(Reply::Always),
                "reject" => Some(Reply::Reject { message: None }),
                _ => None,
            },
        }
    }

    /// Asks from the beginning.
    pub(crate) fn clear(&mut self) {
        self.answers.clear();
    }
}

/// Numbers of options, separated by commas; anything else is a text of one's own.
fn answer(question: &Question, line: &str) -> Vec<String> {
    let option = |number: &str| {
        let place = number.trim().parse::<usize>().ok()?.checked_sub(1)?;
        Some(question.options.get(place)?.label.clone())
    };
    let chosen: Option<Vec<String>> = line.split(',').map(option).collect();
    chosen.unwrap_or_else(|| vec![line.to_owned()])
}

fn shown_question(question: &Question) -> String {
    let mut shown = format!("{}\n", printable(&question.text));
    for (number, option) in (1..).zip(&question.options) {
        let (label, description) = (printable(&option.label), printable(&option.description));
        // Writing to a text cannot fail.
        let _ = writeln!(shown, "  {number} {label}: {description}");
    }
    let several = if question.multiple { ", several as 1,2" } else { "" };
    let own = if question.custom { ", or your own text" } else { "" };
    let _ = write!(shown, "A number{several}{own}; - dismisses the question:");
    shown
}

fn shown_permission(permission: &Permission) -> String {
    let subject = permission.command.as_ref().or(permission.file.as_ref()).cloned();
    let subject = subject.unwrap_or_else(|| permission.patterns.join(", "));
    let (kind, always) = (printable(&permission.kind), printable(&permission.always.join(", ")));
    format!(
        "May the agent do this? {kind}: {}\nonce, always ({always}) or reject:",
        printable(&subject)
    )
}

/// An agent's text without the characters that a terminal obeys.
pub(crate) fn printable(text: &str) -> String {
    text.chars()
        .filter(|character| !character.is_control() || *character == '\n')
        .collect()
}

#[cfg(test)]
mod tests {
    use switchboard_core::model::Choice;

    use super::*;

    fn form(questions: Vec<Question>) -> Form {
        let ask = Ask::Questions(questions);
        Form::new(Arc::new(Request::new("que_1".into(), "ses_1".into(), "/d".into(), ask)))
    }

    fn question() -> Question {
        let options = vec![Choice::new("Red", "warm"), Choice::new("Blue", "cool")];
        Question::new("Which \u{1b}[2Jcolour?", "Colour", options)
    }

    /// R18
    #[test]
    fn a_reply_is_complete_with_the_last_question() {
        let mut form = form(vec![question(), question()]);
        assert_eq!(form.take("2"), None);
        let answers = vec![vec!["Blue".to_owned()], vec!["3, but green".to_owned()]];
        assert_eq!(form.take("3, but green"), Some(Reply::Answers(answers)));
    }

    #[test]
    fn an_empty_line_answers_nothing() {
        let mut form = form(vec![question()]);
        assert_eq!(form.take("  "), None);
        assert_eq!(form.take("1"), Some(Reply::Answers(vec![vec!["Red".to_owned()]])));
    }

    #[test]
    fn an_agent_cannot_steer_the_terminal() {
        assert!(!form(vec![question()]).shown().contains('\u{1b}'));
    }
}
