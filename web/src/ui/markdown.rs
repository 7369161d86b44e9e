//! Shows the Markdown of agents, as views and never as HTML.

pub mod tree;
