//! The list of servers as a file: where they are and what they are called, in their order, and never a password.

use std::fmt;

use serde_json::{Value, json};

use crate::codec::{Record, field, record};

/// The most that such a file may have, in bytes.
pub const SIZE_MAX: usize = 256 * 1024;

/// What the file says of itself.
const KIND: &str = "servers";
const VERSION: u64 = 1;

/// A server of such a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedServer {
    /// Its address.
    pub address: String,
    /// What the person calls it.
    pub name: Option<String>,
    /// The name to log in with.
    pub username: Option<String>,
}
record!(ListedServer {
    address,
    name,
    username
});

/// Why an address of a file cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It does not lead to a server.
    NoAddress,
    /// It holds a name or a password.
    Secret,
}

/// Why a file is no list of servers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvalidList {
    /// It has more than [`SIZE_MAX`].
    TooLarge,
    /// It is a page of the web.
    Page,
    /// Its end is missing.
    CutOff,
    /// Another program has written it.
    Foreign,
    /// A newer version of this one has.
    Newer,
    /// It names no server.
    Empty,
    /// An address in it cannot be used.
    Address {
        /// Which one of its servers has it, counted from one.
        place: usize,
        /// Why.
        fault: Fault,
    },
    /// It names a server twice.
    Twice {
        /// The address of that server.
        address: String,
    },
}

impl fmt::Display for InvalidList {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InvalidList::TooLarge => write!(formatter, "the file has more than {SIZE_MAX} bytes"),
            InvalidList::Page => formatter.write_str("the file is a web page"),
            InvalidList::CutOff => formatter.write_str("the end of the file is missing"),
            InvalidList::Foreign => formatter.write_str("another program has written the file"),
            InvalidList::Newer => formatter.write_str("a newer version has written the file"),
            InvalidList::Empty => formatter.write_str("the file names no server"),
            InvalidList::Address { place, .. } => write!(formatter, "the address of server {place} cannot be used"),
            InvalidList::Twice { address } => write!(formatter, "the file names {address} twice"),
        }
    }
}

impl std::error::Error for InvalidList {}

/// Writes the file.
#[must_use]
pub fn write_server_list(servers: &[ListedServer]) -> String {
    let list: Value = servers.iter().map(Record::write).collect();
    format!(
        "{:#}\n",
        json!({ "switchboard": KIND, "version": VERSION, "servers": list })
    )
}

/// Reads the file. `normalise` makes an address what the rest of the program wants it to be.
///
/// # Errors
/// When anything in it is not as [`write_server_list`] writes it.
pub fn read_server_list(
    text: &str,
    normalise: impl Fn(&str) -> Result<String, Fault>,
) -> Result<Vec<ListedServer>, InvalidList> {
    if text.len() > SIZE_MAX {
        return Err(InvalidList::TooLarge);
    }
    // Some editors begin a file with a mark of its encoding.
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.starts_with('<') {
        return Err(InvalidList::Page);
    }
    let value: Value = serde_json::from_str(text).map_err(|error| {
        if error.is_eof() {
            InvalidList::CutOff
        } else {
            InvalidList::Foreign
        }
    })?;
    if value.get("switchboard").and_then(Value::as_str) != Some(KIND) {
        return Err(InvalidList::Foreign);
    }
    match value.get("version").and_then(Value::as_u64) {
        Some(VERSION) => {}
        Some(newer) if newer > VERSION => return Err(InvalidList::Newer),
        Some(_) | None => return Err(InvalidList::Foreign),
    }
    let list = value.get("servers").and_then(Value::as_array);
    let mut servers: Vec<ListedServer> = Vec::new();
    for (place, entry) in (1..).zip(list.ok_or(InvalidList::Foreign)?) {
        let invalid = |fault| InvalidList::Address { place, fault };
        let typed: String = field(entry, "address").ok_or_else(|| invalid(Fault::NoAddress))?;
        let address = normalise(&typed).map_err(invalid)?;
        if servers.iter().any(|server| server.address == address) {
            return Err(InvalidList::Twice { address });
        }
        // What is written of it besides is no reason to refuse it.
        let text = |name| {
            field::<Option<String>>(entry, name)
                .flatten()
                .filter(|text| !text.trim().is_empty())
        };
        servers.push(ListedServer {
            address,
            name: text("name"),
            username: text("username"),
        });
    }
    if servers.is_empty() {
        return Err(InvalidList::Empty);
    }
    Ok(servers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(address: &str, name: Option<&str>) -> ListedServer {
        ListedServer {
            address: address.to_owned(),
            name: name.map(str::to_owned),
            username: name.map(|_| "opencode".to_owned()),
        }
    }

    fn normalise(address: &str) -> Result<String, Fault> {
        match address {
            secret if secret.contains('@') => Err(Fault::Secret),
            address if address.starts_with("http") => Ok(address.trim_end_matches('/').to_owned()),
            _ => Err(Fault::NoAddress),
        }
    }

    fn read(text: &str) -> Result<Vec<ListedServer>, InvalidList> {
        read_server_list(text, normalise)
    }

    #[test]
    fn what_is_written_is_read_in_its_order() {
        let servers = [server("http://b", Some("build-01")), server("http://a", None)];
        let written = write_server_list(&servers);
        assert_eq!(read(&written), Ok(servers.to_vec()));
        assert_eq!(read(&format!("\u{feff}\n{written}")), Ok(servers.to_vec()));
    }

    #[test]
    fn a_list_that_ends_early_is_cut_off_wherever_it_ends() {
        let written = write_server_list(&[server("http://b", Some("build-01"))]);
        for end in 0..written.trim_end().len() {
            assert_eq!(read(&written[..end]), Err(InvalidList::CutOff), "{end}");
        }
    }

    #[test]
    fn what_is_no_list_of_servers_is_told_apart() {
        let with = |servers: &str| format!(r#"{{"switchboard":"servers","version":1,"servers":{servers}}}"#);
        let address = |fault| InvalidList::Address { place: 2, fault };
        for (text, invalid) in [
            ("<!doctype html><title>Sign in</title>".to_owned(), InvalidList::Page),
            ("servers: 3".to_owned(), InvalidList::Foreign),
            (r#"{"name":"opencode"}"#.to_owned(), InvalidList::Foreign),
            (r#"["http://a"]"#.to_owned(), InvalidList::Foreign),
            (with("[]").replace('1', "2"), InvalidList::Newer),
            (with("[]").replace('1', "\"1\""), InvalidList::Foreign),
            (with("{}"), InvalidList::Foreign),
            (with("[]"), InvalidList::Empty),
            (
                with(r#"[{"address":"http://a"},{"address":"javascript:alert(1)"}]"#),
                address(Fault::NoAddress),
            ),
            (
                with(r#"[{"address":"http://a"},{"name":"b"}]"#),
                address(Fault::NoAddress),
            ),
            (
                with(r#"[{"address":"http://a"},{"address":"http://me:secret@b"}]"#),
                address(Fault::Secret),
            ),
            (
                with(r#"[{"address":"http://a"},{"address":"http://a/"}]"#),
                InvalidList::Twice {
                    address: "http://a".to_owned(),
                },
            ),
            (" ".repeat(SIZE_MAX + 1), InvalidList::TooLarge),
        ] {
            assert_eq!(read(&text), Err(invalid), "{:.80}", text);
        }
    }

    #[test]
    fn what_else_a_file_says_of_a_server_is_passed_over() {
        let text = r#"{"switchboard":"servers","version":1,"servers":[{"address":"http://a","name":7,"username":" ","password":"x"}]}"#;
        assert_eq!(read(text), Ok(vec![server("http://a", None)]));
    }
}
