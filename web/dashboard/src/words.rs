//! What states, servers and sessions are called on the screen.

pub mod end_reason;
pub mod plan;
pub mod refusal;
pub mod server_name;
pub mod session_title;
pub mod state_words;
