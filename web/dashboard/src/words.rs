//! What states, requests, servers and sessions are called on the screen, and what is said of them.

pub mod announcements;
pub mod answering;
pub mod away;
pub mod connection;
pub mod cost;
pub mod cut_text;
pub mod end_reason;
pub mod inbox;
pub mod keys;
pub mod plan;
pub mod progress;
pub mod prompt;
pub mod refusal;
pub mod reject;
pub mod request_title;
pub mod said;
pub mod server_name;
pub mod session_title;
pub mod state_words;
pub mod stop;
pub mod tab_title;
pub mod time_out;
pub mod timeline;
pub mod unattended;
pub mod unsaved;
pub mod why;
