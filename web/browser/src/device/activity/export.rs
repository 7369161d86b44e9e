//! Writes what happened as files for people and programs. The fields are those of [`Happening`], the newest first.

use serde_json::{Value, json};
use switchboard_core::Time;

use super::Happening;
use crate::codec::Record;

/// The columns of the table.
const COLUMNS: [&str; 12] = [
    "at",
    "kind",
    "by",
    "server",
    "directory",
    "session",
    "title",
    "request",
    "text",
    "seen",
    "sent",
    "until",
];

/// The address of a server, and what happened there.
pub type OfServer<'a> = (&'a str, &'a Happening);

/// A JSON object with the list. Times are milliseconds since the epoch.
#[must_use]
pub fn write_json<'a>(happenings: impl Iterator<Item = OfServer<'a>>) -> String {
    let list: Value = happenings.map(written).collect();
    format!("{:#}", json!({ "activity": list }))
}

/// A table as of RFC 4180, with a line of names first. `date` writes a time.
#[must_use]
pub fn write_csv<'a>(happenings: impl Iterator<Item = OfServer<'a>>, date: &dyn Fn(Time) -> String) -> String {
    let names = COLUMNS.map(str::to_owned);
    let lines = happenings.map(|happening| {
        let record = written(happening);
        COLUMNS.map(|column| match &record[column] {
            Value::String(text) => text.clone(),
            Value::Number(time) => date(Time(time.as_u64().unwrap_or_default())),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => String::new(),
        })
    });
    let mut table = String::new();
    for line in std::iter::once(names).chain(lines) {
        table.push_str(&line.map(|text| cell(&text)).join(","));
        table.push_str("\r\n");
    }
    table
}

fn written((server, happening): OfServer<'_>) -> Value {
    let mut record = happening.write();
    record["server"] = server.into();
    record
}

/// A quoted cell. Spreadsheets take a cell that begins like a formula for one, so it begins with an apostrophe: what it
/// says was written by an agent.
fn cell(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']);
    let guard = if is_formula { "'" } else { "" };
    format!("\"{guard}{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use switchboard_core::metrics::AnsweredBy;

    use super::super::tests::answered;
    use super::*;

    #[test]
    fn the_json_names_the_server_of_each_and_every_field() {
        let one = answered(AnsweredBy::Elsewhere, 7, "Answered elsewhere: “\"Red\"”");
        let read: Value = serde_json::from_str(&write_json([("http://a", &one)].into_iter())).unwrap();
        let fields = read["activity"][0].as_object().unwrap();
        assert_eq!(fields["by"], "elsewhere");
        assert_eq!(fields["at"], 7);
        assert_eq!(fields["server"], "http://a");
        assert!(COLUMNS.iter().all(|name| fields.contains_key(*name)));
    }

    #[test]
    fn the_table_quotes_every_cell_and_ends_each_line() {
        let one = answered(AnsweredBy::Here, 7, "You answered “a, \"b\"\nc”");
        let table = write_csv([("http://a", &one)].into_iter(), &|time| format!("t{}", time.0));
        assert_eq!(
            table,
            "\"at\",\"kind\",\"by\",\"server\",\"directory\",\"session\",\"title\",\"request\",\"text\",\"seen\",\"sent\",\"until\"\r\n\
             \"t7\",\"answered\",\"here\",\"http://a\",\"/d\",\"ses_1\",\"Fence\",\"que_1\",\"You answered “a, \"\"b\"\"\nc”\",\"\",\"t6\",\"\"\r\n"
        );
    }

    #[test]
    fn no_cell_is_a_formula() {
        for text in ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1"] {
            assert_eq!(cell(text), format!("\"'{text}\""));
        }
        assert_eq!(cell("a=1"), "\"a=1\"");
    }
}
