//! What a request is called: its question, its kind, its quick answers.

use switchboard_core::model::{Ask, Directory, Permission, Question, Request};

use crate::kit::sign::Sign;
use crate::kit::visible::visible;

/// The sentence a request is named by.
#[must_use]
pub fn question(request: &Request) -> String {
    match &request.ask {
        Ask::Questions(questions) => questions
            .first()
            .map_or_else(|| "The agent asks.".to_owned(), |question| question.text.clone()),
        Ask::Permission(permission) => match permission.kind.as_str() {
            "bash" => "Run this command?".to_owned(),
            "edit" => "Edit one file?".to_owned(),
            "external_directory" => "Work outside the project?".to_owned(),
            "webfetch" => "Fetch this page?".to_owned(),
            "websearch" => "Search the web?".to_owned(),
            "read" => "Read this file?".to_owned(),
            "task" => "Start this sub-agent?".to_owned(),
            "doom_loop" => "Go on after the same call three times?".to_owned(),
            other => format!("Allow “{other}”?"),
        },
    }
}

/// What one of several questions is called: its header, else its number.
#[must_use]
pub fn header(questions: &[Question], place: usize) -> String {
    let header = questions
        .get(place)
        .map(|question| visible(&question.header).into_owned());
    header
        .filter(|header| !header.trim().is_empty())
        .unwrap_or_else(|| format!("Question {}", place + 1))
}

/// The name under which a card is known to a screen reader: the question, and what it is about.
#[must_use]
pub fn name(request: &Request) -> String {
    let subject = subject(request);
    let question = question(request);
    if subject.is_empty() {
        question
    } else {
        format!("{question} {subject}")
    }
}

/// The sentence a request is named by once it is answered: of several questions the first, and how many more.
#[must_use]
pub fn heading(request: &Request) -> String {
    and_more(question(request), request.questions())
}

/// The first of several questions, and how many more there are.
#[must_use]
pub fn and_more(first: String, questions: &[Question]) -> String {
    match questions.len() {
        0 | 1 => first,
        several => format!("{first} and {} more", several - 1),
    }
}

/// What follows the first of several questions where there is one line for all.
#[must_use]
pub fn other_headers(questions: &[Question]) -> Option<String> {
    let others: Vec<&str> = questions
        .iter()
        .skip(1)
        .map(|question| question.header.as_str())
        .collect();
    (!others.is_empty()).then(|| format!(" and {} more: {}", others.len(), others.join(", ")))
}

/// Which of several questions is shown.
#[must_use]
pub fn numbered(place: usize, count: usize) -> String {
    format!("question {} of {count}", place + 1)
}

/// Who asks, where it is clear in which session.
#[must_use]
pub fn asker(is_sub_agent: bool) -> &'static str {
    if is_sub_agent {
        "A sub-agent asks"
    } else {
        "The agent asks"
    }
}

/// What a permission is about: the whole command, the file, or the patterns. Empty for a question.
#[must_use]
pub fn subject(request: &Request) -> String {
    let Some(permission) = request.permission() else {
        return String::new();
    };
    if let Some(command) = &permission.command {
        return command.clone();
    }
    file(request).unwrap_or_else(|| permission.patterns.join("\n"))
}

/// The file that a permission is about, without the directory of its session.
#[must_use]
pub fn file(request: &Request) -> Option<String> {
    let file = request.permission()?.file.as_ref()?;
    let inside = file.strip_prefix(request.directory.as_str());
    let relative = inside.and_then(|rest| rest.strip_prefix('/'));
    Some(relative.unwrap_or(file).to_owned())
}

/// What a permission does, as the first word of a folded row.
#[must_use]
pub fn verb(permission: &Permission) -> &str {
    match permission.kind.as_str() {
        "bash" => "Run",
        "edit" => "Edit",
        "external_directory" => "Work in",
        "webfetch" => "Fetch",
        "websearch" => "Search",
        "read" => "Read",
        "task" => "Start",
        other => other,
    }
}

/// What *always* would allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Allowance {
    /// Everything of its kind, in words.
    Everything(&'static str),
    /// What these patterns match, in the server's pattern language.
    Patterns(String),
}

/// What *always* would allow; none when the server offers nothing.
#[must_use]
pub fn always(permission: &Permission) -> Option<Allowance> {
    match permission.always.as_slice() {
        [] => None,
        [everything] if everything == "*" && permission.kind == "edit" => Some(Allowance::Everything("all edits")),
        patterns => Some(Allowance::Patterns(patterns.join(", "))),
    }
}

/// The kind of a request.
#[must_use]
pub fn kind(request: &Request, is_sub_agent: bool) -> (Sign, String) {
    let (sign, word) = match &request.ask {
        Ask::Questions(questions) if questions.len() > 1 => {
            (Sign::SpeechQuestion, format!("{} questions", questions.len()))
        }
        Ask::Questions(_) => (Sign::SpeechQuestion, "Question".to_owned()),
        Ask::Permission(permission) => {
            let sign = match permission.kind.as_str() {
                "bash" => Sign::Terminal,
                "edit" => Sign::FileDiff,
                _ => Sign::Shield,
            };
            (sign, "Permission".to_owned())
        }
    };
    if is_sub_agent {
        (Sign::Branch, "Sub-agent".to_owned())
    } else {
        (sign, word)
    }
}

/// The last part of a directory, as people call it.
#[must_use]
pub fn directory_name(directory: &Directory) -> &str {
    last_part(directory.as_str())
}

/// The last part of a path.
#[must_use]
pub fn last_part(path: &str) -> &str {
    let path = path.trim_end_matches(['/', '\\']);
    path.rsplit(['/', '\\'])
        .next()
        .filter(|name| !name.is_empty())
        .unwrap_or("/")
}

/// Cuts a text at so many characters, with a sign that it was cut.
#[must_use]
pub fn shortened(text: &str, characters: usize) -> String {
    let line = text.lines().next().unwrap_or_default();
    let cut: String = line.chars().take(characters).collect();
    if cut.len() == text.len() {
        cut
    } else {
        format!("{}…", cut.trim_end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_says_that_it_was_cut() {
        assert_eq!(shortened("sqlx", 28), "sqlx");
        assert_eq!(shortened("first line\nsecond", 28), "first line…");
        assert_eq!(shortened("ein ß und mehr", 5), "ein ß…");
    }

    #[test]
    fn a_file_is_named_as_seen_from_its_directory() {
        let named = |path: &str| {
            let permission = Permission {
                file: Some(path.to_owned()),
                ..Permission::default()
            };
            let request = Request {
                id: "per_1".into(),
                session: "ses_1".into(),
                directory: "/srv/a".into(),
                tool: None,
                ask: Ask::Permission(Box::new(permission)),
            };
            file(&request)
        };
        assert_eq!(named("/srv/a/src/main.rs").as_deref(), Some("src/main.rs"));
        assert_eq!(named("/srv/ab/main.rs").as_deref(), Some("/srv/ab/main.rs"));
    }

    #[test]
    fn always_names_what_it_allows() {
        let allows = |kind: &str, patterns: &[&str]| {
            always(&Permission {
                kind: kind.to_owned(),
                always: patterns.iter().map(|pattern| (*pattern).to_owned()).collect(),
                ..Permission::default()
            })
        };
        let patterns = |text: &str| Some(Allowance::Patterns(text.to_owned()));
        assert_eq!(allows("bash", &["certbot *", "ls *"]), patterns("certbot *, ls *"));
        assert_eq!(allows("edit", &["*"]), Some(Allowance::Everything("all edits")));
        assert_eq!(allows("webfetch", &["*"]), patterns("*"));
        assert_eq!(allows("bash", &[]), None);
    }
}
