// The set-up of the examples in the documentation, which include this file.

#[path = "clock.rs"]
mod clock;
#[path = "server.rs"]
mod server;
#[path = "store.rs"]
mod store;
#[path = "workflows.rs"]
mod workflows;

/// Runs a program on a board that shows the question of an agent.
fn on_a_board<F>(program: F)
where
    F: AsyncFnOnce(
        switchboard_core::Handle,
        std::sync::Arc<switchboard_core::model::Request>,
    ) -> Result<(), Box<dyn std::error::Error>>,
{
    use std::rc::Rc;

    use futures::StreamExt;

    let clock = clock::JumpingClock::new();
    let (server, store) = (server::Server::new(&clock), store::MemoryStore::default());
    let config = switchboard_core::Config::new(1);
    let (board, driver) =
        switchboard_core::connect(config, Rc::new(server), Rc::new(clock), Rc::new(store), Rc::new(|_| {}));
    let program = async {
        let mut views = board.views();
        let mut question = None;
        while question.is_none() {
            let view = views.next().await.expect("the board is open");
            question = view.requests.iter().next().map(|shown| shown.request.clone());
        }
        program(board.clone(), question.expect("the loop has found it")).await.expect("the example works");
        board.close();
    };
    futures::executor::block_on(futures::future::join(driver, program));
}
