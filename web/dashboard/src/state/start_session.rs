//! Starting a session with its first message.

use switchboard_core::PromptOptions;
use switchboard_core::model::{Directory, SessionId};

use crate::state::actions::Actions;

/// Makes a session and sends its first message; a failure comes back in words.
pub(crate) async fn start_session(
    actions: Actions,
    directory: Directory,
    text: String,
    options: PromptOptions,
) -> Result<SessionId, String> {
    let session = actions.create_session(&directory, None).await;
    let session = session.map_err(|error| error.to_string())?;
    let sent = actions.prompt(&session, &text, options);
    sent.map(|_| session).map_err(|error| error.to_string())
}
