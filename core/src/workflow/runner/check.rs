//! Runs the check, in a session of its own.

use futures::future::{Either, select};

use super::Runner;
use crate::engine::waits::shell::{ShellCommand, ShellError, ShellResult};
use crate::model::WorkflowId;
use crate::ports::PostFailure;
use crate::workflow::output::failure;
use crate::workflow::{Broken, CheckResult, CheckWork, Failure, Work};

/// How much of the command stands in the title of its session, in characters.
const TITLE_MAX: usize = 60;

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
        self.change_step(id, place, true, |work| {
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
        if !posted {
            // From here on it may have been sent.
            self.change_step(id, place, false, |work| {
                if let Work::Check(check) = work {
                    check.session = Some(session.clone());
                    check.posted = true;
                }
            })
            .await;
        }
        let _needed = self.board.need(&session, &workflow.directory);
        self.until_known(&session).await;
        if self.board.is_deleted(&session) {
            return Some(CheckResult::Broken(Broken::InDoubt(
                "its session was deleted".to_owned(),
            )));
        }
        let ran = match posted {
            false => self.board.run_shell(&session, &command, Some(&name)).await,
            true => self.board.find_shell(&session, &command, &name).await,
        };
        match ran? {
            Err(ShellError::Closed) => futures::future::pending().await,
            ran => Some(result_of(ran)),
        }
    }

    fn check_of(&self, id: &WorkflowId, place: usize) -> Option<CheckWork> {
        match &self.get(id)?.steps.get(place)?.work {
            Work::Check(check) => Some(check.clone()),
            Work::AwaitReply { .. } | Work::Review { .. } | Work::Tell(_) => None,
        }
    }
}

fn result_of(ran: Result<ShellResult, ShellError>) -> CheckResult {
    match ran {
        Ok(ShellResult { exit: Some(0), .. }) => CheckResult::Passed,
        Ok(result) if result.was_aborted() => {
            CheckResult::Broken(Broken::InDoubt("its command was stopped by another client".to_owned()))
        }
        // The shell around a command says how that ended, unless it could not start.
        Ok(ShellResult { output, exit: None, .. }) if output.trim().is_empty() => CheckResult::Broken(Broken::InDoubt(
            "its shell ended without a word, as it does where the directory is gone".to_owned(),
        )),
        Ok(ShellResult { output, exit, .. }) => CheckResult::Failed(failure(&output, exit)),
        Err(ShellError::TimedOut { output }) => CheckResult::Failed(Failure {
            timed_out: true,
            ..failure(&output, None)
        }),
        Err(ShellError::Interrupted { .. }) => CheckResult::Interrupted,
        Err(ShellError::NotCreated(failure)) => CheckResult::Broken(broken(failure)),
        Err(ShellError::Refused(reason)) => CheckResult::Broken(Broken::Refused(reason)),
        Err(error @ (ShellError::InDoubt(_) | ShellError::Unread { .. } | ShellError::Closed)) => {
            CheckResult::Broken(Broken::InDoubt(error.to_string()))
        }
    }
}

fn broken(failure: PostFailure) -> Broken {
    match failure {
        PostFailure::Refused(reason) => Broken::Refused(reason),
        PostFailure::Unauthorized => Broken::Refused(failure.to_string()),
        PostFailure::InDoubt(_) | PostFailure::Closed => Broken::InDoubt(failure.to_string()),
    }
}
