//! The engine without a network: its store, transport and clock are in memory.
//!
//! A person answers while the server is away, and the program ends. The next connection finds the answer in the store, and
//! delivers it. Run it with `cargo run -p switchboard-core --example memory_store`.

mod clock;
mod server;
mod store;

use std::io::Write;
use std::rc::Rc;

use clock::JumpingClock;
use futures::executor::block_on;
use futures::{StreamExt, future};
use server::Server;
use store::MemoryStore;
use switchboard_core::model::{Reply, Request};
use switchboard_core::view::{RequestState, View};
use switchboard_core::{Config, Handle, connect};

fn main() -> std::io::Result<()> {
    let server = answer_across_two_connections();
    writeln!(std::io::stdout(), "the agent was answered {:?}", server.answers())
}

fn answer_across_two_connections() -> Server {
    let clock = JumpingClock::new();
    let (server, store) = (Server::new(&clock), MemoryStore::default());
    on_a_connection(1, &server, &clock, &store, async |board| {
        let asked = until(&board, waiting).await;
        server.set_up(false);
        let answering = board.answer(&asked, Reply::Answers(vec![vec!["Blue".to_owned()]]));
        assert!(answering.is_ok(), "the answer fits the question");
    });
    server.set_up(true);
    on_a_connection(2, &server, &clock, &store, async |board| {
        until(&board, answered).await;
    });
    server
}

/// Connects, does something, and closes the connection.
fn on_a_connection(
    seed: u64,
    server: &Server,
    clock: &JumpingClock,
    store: &MemoryStore,
    program: impl AsyncFnOnce(Handle),
) {
    let (server, clock, store) = (Rc::new(server.clone()), Rc::new(clock.clone()), Rc::new(store.clone()));
    // A program that talks to a real server takes the seed from its random numbers.
    let (board, driver) = connect(Config::new(seed), server, clock, store, Rc::new(|_| {}));
    let program = async {
        program(board.clone()).await;
        board.close();
    };
    block_on(future::join(driver, program));
}

/// Waits until a view shows something.
async fn until<T>(board: &Handle, shows: impl Fn(&View) -> Option<T>) -> T {
    let mut views = board.views();
    while let Some(view) = views.next().await {
        if let Some(shown) = shows(&view) {
            return shown;
        }
    }
    unreachable!("only this program closes the board")
}

/// The first request that waits.
fn waiting(view: &View) -> Option<Request> {
    let waiting = view.requests.iter().find(|request| request.state.is_waiting());
    waiting.map(|request| (*request.request).clone())
}

/// Whether a request is answered.
fn answered(view: &View) -> Option<()> {
    let mut states = view.requests.iter().map(|request| &request.state);
    states
        .any(|state| matches!(state, RequestState::Answered { .. }))
        .then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R13
    #[test]
    fn an_answer_given_while_the_server_is_away_is_delivered_by_the_next_connection() {
        assert_eq!(
            answer_across_two_connections().answers(),
            Some(vec![vec!["Blue".to_owned()]])
        );
    }
}
