//! Which agent and model take the prompts of a directory, as it is kept on this device.

use switchboard_core::PromptOptions;
use switchboard_core::model::Directory;

use crate::codec::record;

/// What was chosen in one directory.
#[derive(Debug)]
pub(super) struct Choice {
    pub(super) directory: Directory,
    pub(super) options: PromptOptions,
}

record!(Choice { directory, options });

record!(PromptOptions { agent, model });
