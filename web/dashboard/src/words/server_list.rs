//! What is said of a list of servers as a file.

use switchboard_browser::device::server_list::{Fault, InvalidList};

use crate::kit::visible::visible;

/// Over the buttons.
pub const TITLE: &str = "The list as a file";

/// What is in the file.
pub const ABOUT: &str = "Addresses, names and user names, in this order. No passwords.";

/// Saves the list.
pub const EXPORT: &str = "Export";

/// Reads a list.
pub const IMPORT: &str = "Import…";

/// What was imported.
#[must_use]
pub fn imported(added: usize, known: usize) -> String {
    let added = match added {
        0 => "No server was added".to_owned(),
        1 => "1 server was added".to_owned(),
        several => format!("{several} servers were added"),
    };
    match known {
        0 => format!("{added}."),
        1 => format!("{added}, 1 was here already."),
        several => format!("{added}, {several} were here already."),
    }
}

/// Why a file was not imported, and what to do. Nothing has changed.
#[must_use]
pub fn refused(invalid: &InvalidList) -> String {
    match invalid {
        InvalidList::TooLarge => {
            "This file is too large for a list of servers: choose one that Export has saved.".to_owned()
        }
        InvalidList::Page => {
            "This file is a web page and no list of servers: choose one that Export has saved.".to_owned()
        }
        InvalidList::CutOff => "This file ends too early: copy it again from where it was saved.".to_owned(),
        InvalidList::Foreign => "This file is of another program: choose one that Export has saved.".to_owned(),
        InvalidList::Newer => {
            "This file is of a newer version of this page: reload the page, then import the file again.".to_owned()
        }
        InvalidList::Empty => {
            "This file names no server: export the list again where servers are connected.".to_owned()
        }
        InvalidList::Address { place, fault } => address(*place, *fault),
        InvalidList::Twice { address } => {
            let address = visible(address);
            format!("This file names {address} twice: delete one of both there, and import it again.")
        }
    }
}

fn address(place: usize, fault: Fault) -> String {
    match fault {
        Fault::NoAddress => format!(
            "Server {place} of this file has no address that begins with http:// or https://: correct it there, and import the file again."
        ),
        Fault::Secret => format!(
            "The address of server {place} in this file holds a name or a password: delete them there, and import the file again."
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_imported_is_counted() {
        for (added, known, said) in [
            (2, 0, "2 servers were added."),
            (1, 1, "1 server was added, 1 was here already."),
            (0, 3, "No server was added, 3 were here already."),
        ] {
            assert_eq!(imported(added, known), said);
        }
    }

    #[test]
    fn each_refusal_is_one_sentence_that_says_what_to_do() {
        let address = "http://a".to_owned();
        let faults = [Fault::NoAddress, Fault::Secret].map(|fault| InvalidList::Address { place: 2, fault });
        let others = [
            InvalidList::TooLarge,
            InvalidList::Page,
            InvalidList::CutOff,
            InvalidList::Foreign,
            InvalidList::Newer,
            InvalidList::Empty,
            InvalidList::Twice { address },
        ];
        for invalid in faults.into_iter().chain(others) {
            let said = refused(&invalid);
            let (_, then) = said.split_once(": ").unwrap();
            assert!(then.ends_with('.') && then.len() > 20, "{said}");
        }
    }
}
