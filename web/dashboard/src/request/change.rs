//! What is different about a request that changed while it was shown.

use switchboard_core::model::{Ask, Permission, Question, Request};

use crate::kit::excerpt::excerpt;
use crate::words::request_title;

/// How much of a new text is quoted, in bytes: the whole is shown on demand.
const QUOTED: usize = 400;

/// Something that is different: what it is, and how it is now.
pub type Difference = (&'static str, String);

/// What `now` asks that `shown` did not ask; empty when both ask the same.
#[must_use]
pub fn differences(shown: &Request, now: &Request) -> Vec<Difference> {
    if shown.asks_the_same(now) {
        return Vec::new();
    }
    let mut found = match (&shown.ask, &now.ask) {
        (Ask::Questions(shown), Ask::Questions(now)) => of_questions(shown, now),
        (Ask::Permission(shown), Ask::Permission(now)) => of_permission(shown, now),
        (Ask::Questions(_), Ask::Permission(_)) | (Ask::Permission(_), Ask::Questions(_)) => {
            vec![("It asks", request_title::name(now))]
        }
    };
    if shown.session != now.session {
        found.push(("Session", now.session.to_string()));
    }
    for (_, text) in &mut found {
        text.truncate(excerpt(text, QUOTED).len());
    }
    found
}

fn of_questions(shown: &[Question], now: &[Question]) -> Vec<Difference> {
    let mut found = Vec::new();
    if shown.len() != now.len() {
        found.push(("Questions", now.len().to_string()));
    }
    for (place, question) in now.iter().enumerate() {
        let before = shown.get(place);
        if before.is_none_or(|before| before.text != question.text) {
            found.push(("Question", question.text.clone()));
        }
        if before.is_some_and(|before| before.header != question.header) {
            found.push(("Header", question.header.clone()));
        }
        if before.is_some_and(|before| before.options != question.options) {
            let labels: Vec<&str> = question.options.iter().map(|option| option.label.as_str()).collect();
            found.push(("Options", labels.join(", ")));
        }
        if before.is_some_and(|before| before.multiple != question.multiple) {
            let choices = if question.multiple { "any number" } else { "one" };
            found.push(("Choices", choices.to_owned()));
        }
        if before.is_some_and(|before| before.custom != question.custom) {
            let own = if question.custom { "allowed" } else { "not allowed" };
            found.push(("Own answer", own.to_owned()));
        }
    }
    found
}

fn of_permission(shown: &Permission, now: &Permission) -> Vec<Difference> {
    let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "none".to_owned());
    let mut found = Vec::new();
    let mut compare = |what: &'static str, is_same: bool, now: String| {
        if !is_same {
            found.push((what, now));
        }
    };
    compare("Kind", shown.kind == now.kind, now.kind.clone());
    compare("Command", shown.command == now.command, text(&now.command));
    compare("File", shown.file == now.file, text(&now.file));
    compare("Change", shown.diff == now.diff, text(&now.diff));
    // The patterns of a command are the command.
    let is_told = shown.patterns == now.patterns || shown.command != now.command;
    compare("Pattern", is_told, now.patterns.join(", "));
    compare("Always would allow", shown.always == now.always, now.always.join(", "));
    compare("Details", shown.detail == now.detail, now.detail.clone());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(ask: Ask) -> Request {
        Request {
            id: "per_1".into(),
            session: "ses_1".into(),
            directory: "/d".into(),
            tool: None,
            ask,
        }
    }

    fn command(command: &str) -> Request {
        let permission = Permission {
            kind: "bash".to_owned(),
            command: Some(command.to_owned()),
            always: vec!["*".to_owned()],
            ..Permission::default()
        };
        request(Ask::Permission(Box::new(permission)))
    }

    fn questions(texts: &[&str]) -> Request {
        let question = |text: &&str| Question {
            text: (*text).to_owned(),
            header: String::new(),
            options: Vec::new(),
            multiple: false,
            custom: true,
        };
        request(Ask::Questions(texts.iter().map(question).collect()))
    }

    #[test]
    fn only_what_is_different_is_told() {
        assert_eq!(differences(&command("ls"), &command("ls")), []);
        assert_eq!(
            differences(&command("ls"), &command("rm -rf /")),
            [("Command", "rm -rf /".to_owned())]
        );
        assert_eq!(
            differences(&questions(&["Red?"]), &questions(&["Red?", "Blue?"])),
            [("Questions", "2".to_owned()), ("Question", "Blue?".to_owned())]
        );
        assert_eq!(
            differences(&questions(&["Red?"]), &command("ls")),
            [("It asks", "Run this command? ls".to_owned())]
        );
    }

    #[test]
    fn a_change_of_the_asking_session_alone_is_told() {
        let other = Request {
            session: "ses_2".into(),
            ..command("ls")
        };
        assert_eq!(differences(&command("ls"), &other), [("Session", "ses_2".to_owned())]);
    }
}
