//! Permissions that may be given together.

use std::sync::Arc;

use switchboard_core::model::Request;
use switchboard_core::view::{RequestState, RequestView, RunsIn};

/// The waiting requests that ask for the very same as `shown`, which is one of them: a permission of the same kind for the
/// same command, with the same patterns and details, in the same directory. Where a command runs its call tells: as long as
/// that was not read, it is like no other.
///
/// A change to a file is like no other: each diff is to be read. What somebody has begun to answer is left alone.
#[must_use]
pub fn alike(requests: &[Arc<RequestView>], shown: &Request) -> Vec<Arc<Request>> {
    let Some(permission) = shown.permission().filter(|permission| permission.file.is_none()) else {
        return Vec::new();
    };
    let runs_in = requests
        .iter()
        .find(|view| view.request.id == shown.id)
        .map(|view| &view.runs_in);
    let is_alike = |view: &&Arc<RequestView>| {
        let other = &view.request;
        let is_there = Some(&view.runs_in) == runs_in && view.runs_in != RunsIn::Unread;
        other.permission() == Some(permission)
            && other.directory == shown.directory
            && (is_there || permission.command.is_none())
            && (other.id == shown.id || (view.state == RequestState::Waiting && view.draft.is_none()))
    };
    requests
        .iter()
        .filter(is_alike)
        .map(|view| view.request.clone())
        .collect()
}

#[cfg(test)]
mod tests {
    use switchboard_core::Time;
    use switchboard_core::model::{Ask, Draft, DraftKey, DraftText, Permission};

    use super::*;
    use crate::fixtures::asking;

    fn test() -> Permission {
        Permission {
            kind: "bash".to_owned(),
            patterns: vec!["cargo test".to_owned()],
            command: Some("cargo test".to_owned()),
            ..Permission::default()
        }
    }

    fn waiting(id: &str, permission: Permission) -> RequestView {
        asking(id, Ask::Permission(Box::new(permission)), RequestState::Waiting)
    }

    /// The ids of those that are allowed together with the first.
    fn together(requests: Vec<RequestView>) -> Vec<String> {
        let requests: Vec<_> = requests.into_iter().map(Arc::new).collect();
        let alike = alike(&requests, &requests[0].request);
        alike.iter().map(|request| request.id.to_string()).collect()
    }

    #[test]
    fn the_same_command_in_other_sessions_is_alike() {
        let mut other = waiting("b", test());
        Arc::make_mut(&mut other.request).session = "ses_2".into();
        assert_eq!(together(vec![waiting("a", test()), other]), ["a", "b"]);
    }

    #[test]
    fn a_command_that_runs_elsewhere_or_nobody_knows_where_is_not_alike() {
        let named = |directory: &str| RunsIn::Named(directory.to_owned());
        let running_in = |id: &str, runs_in: RunsIn| RequestView {
            runs_in,
            ..waiting(id, test())
        };
        let views = |first: RunsIn| {
            let others = [RunsIn::Session, named("production"), RunsIn::Unread];
            let others = ["here", "there", "unread"].into_iter().zip(others);
            let others = others.map(|(id, runs_in)| running_in(id, runs_in));
            std::iter::once(running_in("a", first)).chain(others).collect()
        };
        assert_eq!(together(views(RunsIn::Session)), ["a", "here"]);
        assert_eq!(together(views(named("production"))), ["a", "there"]);
        assert_eq!(together(views(named("scratch"))), ["a"]);
        assert_eq!(together(views(RunsIn::Unread)), Vec::<String>::new());
    }

    #[test]
    fn what_differs_in_anything_is_not_alike() {
        let mut elsewhere = waiting("elsewhere", test());
        Arc::make_mut(&mut elsewhere.request).directory = "/other".into();
        let others: [fn(&mut Permission); 5] = [
            |permission| permission.kind = "webfetch".to_owned(),
            |permission| permission.command = Some("cargo test --all".to_owned()),
            |permission| permission.patterns.push("cargo *".to_owned()),
            |permission| permission.always.push("*".to_owned()),
            |permission| permission.detail = "{\"cwd\":\"/tmp\"}".to_owned(),
        ];
        let others = others.map(|change| {
            let mut permission = test();
            change(&mut permission);
            waiting("other", permission)
        });
        let all = [waiting("a", test()), elsewhere].into_iter().chain(others).collect();
        assert_eq!(together(all), ["a"]);
    }

    #[test]
    fn changes_to_files_are_never_allowed_together() {
        let edit = Permission {
            kind: "edit".to_owned(),
            file: Some("/d/a.txt".to_owned()),
            diff: Some("+1".to_owned()),
            ..Permission::default()
        };
        assert_eq!(together(vec![waiting("a", edit.clone()), waiting("b", edit)]).len(), 0);
    }

    #[test]
    fn what_is_answered_or_begun_is_left_alone() {
        let mut begun = waiting("begun", test());
        begun.draft = Some(Draft {
            key: DraftKey::Request("begun".into()),
            text: DraftText::Prompt("Use the other branch".to_owned()),
        });
        let mut sent = waiting("sent", test());
        sent.state = RequestState::Sent { at: Time(0) };
        assert_eq!(together(vec![waiting("a", test()), begun, sent]), ["a"]);
    }
}
