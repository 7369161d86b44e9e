//! Requests, the event stream, the probe and the clock, in a real browser with a `fetch` of ours.
#![cfg(target_family = "wasm")]

mod clock;
mod events;
mod fake_clock;
mod fake_server;
mod http;
mod probe;
mod project;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);
