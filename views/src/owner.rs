//! What is done when an owner goes.

use reactive_graph::owner::Owner;
use send_wrapper::SendWrapper;

/// Runs a function when the current owner goes.
pub fn on_cleanup(run: impl FnOnce() + 'static) {
    clean_up(Box::new(run));
}

// Compiled once.
fn clean_up(run: Box<dyn FnOnce()>) {
    let run = SendWrapper::new(run);
    Owner::on_cleanup(move || run.take()());
}
