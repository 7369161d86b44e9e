//! What of all that the servers have a list shows: everything, one server, one directory.

use switchboard_core::SortedMap;
use switchboard_core::model::Directory;

use crate::state::keys::{Asked, ServerKey};

/// What a list shows. Without any of it that is everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Narrowing {
    /// This server alone.
    pub server: Option<ServerKey>,
    /// This directory alone, on each server that is shown.
    pub directory: Option<Directory>,
}

impl Narrowing {
    /// Whether anything is left out.
    #[must_use]
    pub fn leaves_out(&self) -> bool {
        *self != Narrowing::default()
    }

    /// Whether anything of a server may be shown.
    #[must_use]
    pub fn allows_server(&self, server: ServerKey) -> bool {
        self.server.is_none_or(|only| only == server)
    }

    /// Whether a directory is shown.
    #[must_use]
    pub fn allows_directory(&self, directory: &Directory) -> bool {
        self.directory.as_ref().is_none_or(|only| only == directory)
    }

    /// Whether something is shown that has this directory, or none.
    #[must_use]
    pub fn allows_place(&self, directory: Option<&Directory>) -> bool {
        self.directory.is_none() || directory.is_some_and(|directory| self.allows_directory(directory))
    }

    /// Whether a request is shown.
    #[must_use]
    pub fn allows(&self, asked: &Asked) -> bool {
        self.allows_server(asked.server) && self.allows_directory(&asked.view.request.directory)
    }
}

/// Everything that a list may be narrowed to, of servers with their directories: the servers, each followed by its
/// directories, then the directories that several servers have. Nothing where there is nothing to choose.
#[must_use]
pub fn choices(servers: &[(ServerKey, Vec<Directory>)]) -> Vec<Narrowing> {
    let is_one = servers.len() == 1;
    let mut holders: SortedMap<&Directory, usize> = SortedMap::new();
    let mut choices = Vec::new();
    for (server, directories) in servers {
        let server = (!is_one).then_some(*server);
        let directory = None;
        choices.extend(server.map(|_| Narrowing { server, directory }));
        for directory in directories {
            *holders.entry(directory).or_insert(0) += 1;
            let directory = Some(directory.clone());
            choices.push(Narrowing { server, directory });
        }
    }
    let shared = holders.into_iter().filter(|(_, count)| *count > 1);
    choices.extend(shared.map(|(directory, _)| Narrowing {
        server: None,
        directory: Some(directory.clone()),
    }));
    if choices.len() > 1 { choices } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use switchboard_core::model::Ask;
    use switchboard_core::view::RequestState;

    use super::*;
    use crate::fixtures::asking;

    const HERE: ServerKey = ServerKey(0);
    const THERE: ServerKey = ServerKey(1);

    fn only(server: Option<ServerKey>, directory: Option<&str>) -> Narrowing {
        Narrowing {
            server,
            directory: directory.map(Directory::from),
        }
    }

    fn directories(names: &[&str]) -> Vec<Directory> {
        names.iter().copied().map(Directory::from).collect()
    }

    #[test]
    fn a_request_is_shown_where_server_and_directory_are() {
        let asked = Asked {
            server: HERE,
            view: Arc::new(asking("que_1", Ask::Questions(Vec::new()), RequestState::Waiting)),
        };
        let directory = asked.view.request.directory.to_string();
        for (narrowing, is_shown) in [
            (only(None, None), true),
            (only(Some(HERE), None), true),
            (only(Some(THERE), None), false),
            (only(None, Some(&directory)), true),
            (only(Some(HERE), Some(&directory)), true),
            (only(None, Some("/elsewhere")), false),
        ] {
            assert_eq!(narrowing.allows(&asked), is_shown, "{narrowing:?}");
        }
    }

    #[test]
    fn of_one_server_its_directories_can_be_chosen_if_there_are_several() {
        assert_eq!(choices(&[(HERE, directories(&["/a"]))]), []);
        assert_eq!(
            choices(&[(HERE, directories(&["/a", "/b"]))]),
            [only(None, Some("/a")), only(None, Some("/b"))]
        );
    }

    #[test]
    fn of_several_servers_each_can_be_chosen_and_what_they_have_in_common() {
        assert_eq!(
            choices(&[(HERE, directories(&["/a", "/b"])), (THERE, directories(&["/b"]))]),
            [
                only(Some(HERE), None),
                only(Some(HERE), Some("/a")),
                only(Some(HERE), Some("/b")),
                only(Some(THERE), None),
                only(Some(THERE), Some("/b")),
                only(None, Some("/b")),
            ]
        );
        assert_eq!(choices(&[(HERE, Vec::new()), (THERE, Vec::new())]).len(), 2);
    }
}
