//! The files of a project, and what a session has changed in them.

use futures::future::join3;
use switchboard_core::model::{Directory, SessionId};
use switchboard_core::ports::{Read, ReadError};
use switchboard_wire::{self as wire, Change, ListedFile};

use super::{FetchTransport, Method};
use crate::formats::{Changes, MAKEFILES, Project, suggested_checks};

/// So many messages of a session are read at once for its changes.
const MESSAGES: u32 = 200;
/// So many pages of messages are read for them at most.
const PAGES: usize = 25;

impl FetchTransport {
    /// The commands that probably check the project in a directory, by what the server sees there.
    ///
    /// # Errors
    /// When the files of the directory cannot be listed, or not in time.
    pub async fn suggested_checks(self, directory: Directory) -> Result<Vec<String>, ReadError> {
        self.in_time(self.project(&directory))
            .await
            .map(|project| suggested_checks(&project))
    }

    /// Reads the changes of a session that the server has noted beside its newest 5,000 messages. More than a review has room for
    /// are not looked for.
    ///
    /// # Errors
    /// When the messages of the session cannot be read, or 200 of them not in 20 s.
    pub async fn session_changes(self, session: SessionId, directory: Directory) -> Result<Changes, ReadError> {
        let mut pages = Vec::new();
        let (mut before, mut length) = (None, 0);
        loop {
            let read = Read::Messages {
                session: session.clone(),
                directory: directory.clone(),
                limit: MESSAGES,
                before,
            };
            let (changes, older) = self.in_time(self.page_of_changes(&read)).await?;
            length += changes.iter().map(|change| change.patch.len()).sum::<usize>();
            pages.push(changes);
            before = older;
            if before.is_none() || pages.len() == PAGES || length > Changes::MAX {
                break;
            }
        }
        let oldest_first = pages.into_iter().rev().flatten();
        let changes = oldest_first.map(|change| (change.file, change.patch));
        Ok(Changes::of(changes, before.is_none()))
    }

    async fn page_of_changes(&self, read: &Read) -> Result<(Vec<Change>, Option<String>), ReadError> {
        let answer = self.call(Method::Get, &wire::path_of(read), None).answer().await?;
        Ok((wire::understood(&answer, wire::changes)?, answer.cursor))
    }

    /// A file that cannot be read suggests nothing.
    async fn project(&self, directory: &Directory) -> Result<Project, ReadError> {
        let root = self.list(wire::path_of_files(directory, ""), wire::files).await?;
        let (folders, files): (Vec<ListedFile>, Vec<ListedFile>) = root.into_iter().partition(|file| file.is_folder);
        let (folders, files) = (names(folders), names(files));
        let text = async |name: Option<&str>| {
            let name = name.filter(|name| files.iter().any(|file| file == name))?;
            self.list(wire::path_of_file_text(directory, name), wire::file_text)
                .await
                .ok()
        };
        let makefile = MAKEFILES.into_iter().find(|name| files.iter().any(|file| file == name));
        let tests = async {
            let is_there = folders.iter().any(|folder| folder == "tests");
            let list = self.list(wire::path_of_files(directory, "tests"), wire::files);
            if is_there { list.await.ok() } else { None }
        };
        let (package, makefile, tests) = join3(text(Some("package.json")), text(makefile), tests).await;
        Ok(Project {
            package: package.unwrap_or_default(),
            makefile: makefile.unwrap_or_default(),
            tests: tests.map(names).unwrap_or_default(),
            files,
        })
    }
}

fn names(files: Vec<ListedFile>) -> Vec<String> {
    files.into_iter().map(|file| file.name).collect()
}
