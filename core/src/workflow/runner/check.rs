//! Runs the check, in a session of its own.

use std::cell::Cell;
use std::time::Duration;

use futures::future::{Either, select};

use super::Runner;
use crate::engine::waits::shell::{ShellCommand, ShellError, ShellResult, failure_of};
use crate::model::{SessionId, WorkflowId};
use crate::ports::PostFailure;
use crate::workflow::{Broken, CheckResult, CheckWork, Work};

/// How much of the command stands in the title of its session, in characters.
const TITLE_MAX: usize = 60;
/// How long it may take to note that a command is sent: a tab that stood still meanwhile sends it no more. Source: another tab
/// that has taken the step over looks for the command for 10 s.
const NOTED_MAX: Duration = Duration::from_secs(10);

impl Runner {
    pub(super) async fn check(&self, id: &WorkflowId, place: usize) {
        let result = match select(Box::pin(self.checked(id, place)), Box::pin(self.stopped_now(id))).await {
            Either::Left((result, _)) => result,
            Either::Right(((), _)) => {
                if let Some(session) = self.check_of(id, place).and_then(|check| check.session) {
                    // The server says of an abort what it likes: the session shows that the command has ended.
                    drop(self.board.abort(&session).await);
                }
                None
            }
        };
        self.end_step(id, place, &|work| {
            if let Work::Check(check) = work {
                check.result.clone_from(&result);
            }
        })
        .await;
    }

    async fn checked(&self, id: &WorkflowId, place: usize) -> Option<CheckResult> {
        let workflow = self.get(id)?;
        let check = workflow.goal.check.as_ref()?;
        let name = workflow.name_of(place);
        let title: String = check.command.chars().take(TITLE_MAX).collect();
        let title = format!("Check: {title}");
        let CheckWork { session, posted, .. } = self.check_of(id, place)?;
        let session = match session {
            Some(session) => session,
            None => match self
                .session_for(&workflow.session, &workflow.directory, &title, &name)
                .await
            {
                Ok(session) => session,
                Err(failure) => return Some(CheckResult::Broken(broken(failure))),
            },
        };
        let mut command = ShellCommand::new(workflow.directory.clone(), &title, &check.command);
        // Another life of the page gives it its whole time again: a clock that was set in between must not end it.
        command.timeout = check.timeout;
        let _needed = self.board.need(&session, &workflow.directory);
        self.until_known(&session).await;
        // From here on it may have been sent: by this tab, or by one that has taken the step meanwhile, in a session of its own.
        let is_first = !posted && self.note_posted(id, place, &session).await;
        let session = self.check_of(id, place)?.session?;
        let _needed = self.board.need(&session, &workflow.directory);
        self.until_known(&session).await;
        if self.board.is_deleted(&session) {
            return Some(CheckResult::Broken(Broken::InDoubt(
                "its session was deleted".to_owned(),
            )));
        }
        let ran = match is_first {
            true => self.board.run_shell(&session, &command, Some(&name)).await,
            false => self.board.find_shell(&session, &command, &name).await,
        };
        match ran? {
            Err(ShellError::Closed) => futures::future::pending().await,
            ran => Some(result_of(ran)),
        }
    }

    /// Notes that the command is sent in this session. Returns false when the record says that it was sent before, or so long ago
    /// that another tab may have looked for it in vain.
    async fn note_posted(&self, id: &WorkflowId, place: usize, session: &SessionId) -> bool {
        let (is_first, begun) = (Cell::new(false), self.clock.now());
        self.change_step(id, place, &|step| {
            is_first.set(false);
            let Work::Check(check) = &mut step.work else {
                return false;
            };
            if check.posted {
                return false;
            }
            check.session = Some(session.clone());
            check.posted = true;
            is_first.set(true);
            true
        })
        .await;
        is_first.get() && self.clock.now().since(begun) < NOTED_MAX
    }

    fn check_of(&self, id: &WorkflowId, place: usize) -> Option<CheckWork> {
        match &self.get(id)?.steps.get(place)?.work {
            Work::Check(check) => Some(check.clone()),
            Work::AwaitReply { .. } | Work::Review { .. } | Work::Tell(_) => None,
        }
    }
}

fn result_of(ran: Result<ShellResult, ShellError>) -> CheckResult {
    match failure_of(ran) {
        Ok(None) => CheckResult::Passed,
        Ok(Some(failure)) => CheckResult::Failed(failure),
        Err(ShellError::Interrupted { .. }) => CheckResult::Interrupted,
        Err(ShellError::NotCreated(failure)) => CheckResult::Broken(broken(failure)),
        Err(ShellError::Refused(reason)) => CheckResult::Broken(Broken::Refused(reason)),
        Err(error @ ShellError::NoShell) => CheckResult::Broken(Broken::Refused(error.to_string())),
        Err(
            error @ (ShellError::InDoubt(_)
            | ShellError::TimedOut { .. }
            | ShellError::Stopped { .. }
            | ShellError::Unread { .. }
            | ShellError::Closed),
        ) => CheckResult::Broken(Broken::InDoubt(error.to_string())),
    }
}

fn broken(failure: PostFailure) -> Broken {
    match failure {
        PostFailure::Refused(reason) => Broken::Refused(reason),
        PostFailure::Unauthorized => Broken::Refused(failure.to_string()),
        PostFailure::InDoubt(_) | PostFailure::Closed => Broken::InDoubt(failure.to_string()),
    }
}
