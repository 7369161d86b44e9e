//! Shell commands on the server's machine, for checks (requirements F7).

use super::Handle;
use super::validation::Checked;
use crate::engine::waits::shell::{ShellCommand, ShellError, ShellResult, failure_of};

impl Handle {
    /// Runs a command on the server's machine, once: it is never sent again.
    ///
    /// Dropping the future ends the wait; the command goes on.
    ///
    /// # Errors
    /// When it was not run, took too long, or nothing is known of it.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/memory_store/in_documentation.rs"));
    /// # use switchboard_core::ShellCommand;
    /// # fn main() { on_a_board(async |board, question| {
    /// let tests = ShellCommand::new(question.directory.clone(), "Tests", "cargo test");
    /// let result = board.shell(&tests).await?;
    /// assert_eq!(result.exit, Some(0));
    /// # Ok(()) }) }
    /// ```
    pub async fn shell(&self, command: &ShellCommand) -> Result<ShellResult, ShellError> {
        let made_for = command.made_for.as_ref();
        let session = self.create_for(made_for, &command.directory, &command.title).await;
        let session = session.map_err(ShellError::NotCreated)?;
        let result = self.run_shell(&session, command, None).await;
        result.unwrap_or(Err(ShellError::Closed))
    }

    /// A check for [`Handle::until_valid`]: passes when the command exits with 0. One that takes longer than
    /// [`ShellCommand::timeout`] is stopped, and has failed. Of what it prints the agent is told up to 16 KB
    /// ([`SENT_MAX`](crate::checks::SENT_MAX)): the lines that tell what failed, and the end.
    ///
    /// Dropping the future ends the wait; the command goes on.
    ///
    /// # Errors
    /// When the result of the command is not known, or another client has stopped it.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/memory_store/in_documentation.rs"));
    /// # use switchboard_core::{Checked, ShellCommand};
    /// # fn main() { on_a_board(async |board, question| {
    /// let tests = ShellCommand::new(question.directory.clone(), "Tests", "cargo test");
    /// assert_eq!(board.check(&tests).await?, Checked::Passed);
    /// # Ok(()) }) }
    /// ```
    pub async fn check(&self, command: &ShellCommand) -> Result<Checked, ShellError> {
        let failure = failure_of(self.shell(command).await)?;
        Ok(failure.map_or(Checked::Passed, Checked::CommandFailed))
    }
}
