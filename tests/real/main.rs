//! Runs the same stories against a real OpenCode and the simulated one, and compares what an observer sees.

mod answers;
mod events;
mod http;
mod messages;
mod observer;
mod process;
mod shape;
mod simulated;
mod stories;
mod story;
mod stream;
mod subject;
mod terminal;
