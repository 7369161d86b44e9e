//! The browser's clock, with the browser's own time set by the test.

use std::time::Duration;

use switchboard_browser::platform::clock::BrowserClock;
use switchboard_core::{Clock, Time};
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test as test;

#[wasm_bindgen(module = "/tests/network/fake_time.js")]
extern "C" {
    type FakeTime;
    /// Replaces the browser's clocks and timers; a timer fires this many milliseconds early, once.
    #[wasm_bindgen(js_name = replaceTime)]
    fn replace_time(wall: f64, early: f64) -> FakeTime;
    #[wasm_bindgen(method, js_name = setWall)]
    fn set_wall(this: &FakeTime, wall: f64);
    #[wasm_bindgen(method)]
    fn pass(this: &FakeTime, milliseconds: f64);
    #[wasm_bindgen(method, getter)]
    fn delays(this: &FakeTime) -> Vec<f64>;
    #[wasm_bindgen(method, getter)]
    fn pending(this: &FakeTime) -> u32;
    #[wasm_bindgen(method)]
    fn restore(this: &FakeTime);
}

const NOON: f64 = 1_795_000_000_000.0;

#[test]
fn a_wall_clock_that_is_set_back_does_not_stop_the_time() {
    let time = replace_time(NOON, 0.0);
    let clock = BrowserClock::new();
    let start = clock.now();
    time.set_wall(NOON - 3_600_000.0);
    time.pass(2_000.0);
    let later = clock.now();
    time.restore();
    assert_eq!(start, Time(NOON as u64));
    assert_eq!(later.since(start), Duration::from_secs(2));
}

#[test]
fn a_laptop_that_slept_is_not_left_behind() {
    let time = replace_time(NOON, 0.0);
    let clock = BrowserClock::new();
    let start = clock.now();
    time.set_wall(NOON + 3_600_000.0);
    let later = clock.now();
    time.restore();
    assert_eq!(later.since(start), Duration::from_secs(3_600));
}

#[test]
async fn a_timer_that_fires_early_or_cannot_wait_long_enough_is_set_again() {
    let time = replace_time(NOON, 3.0);
    let clock = BrowserClock::new();
    let month = Duration::from_secs(30 * 24 * 3_600);
    let deadline = clock.now() + month;
    clock.sleep_until(deadline).await;
    let (woken, delays) = (clock.now(), time.delays());
    time.restore();
    assert!(woken >= deadline);
    assert_eq!(delays, [2_147_483_647.0, 444_516_356.0]);
}

#[test]
async fn a_deadline_in_the_past_is_over_at_once() {
    let time = replace_time(NOON, 0.0);
    let clock = BrowserClock::new();
    clock.sleep_until(clock.now()).await;
    clock.sleep_until(Time(0)).await;
    let delays = time.delays();
    time.restore();
    assert!(delays.is_empty());
}

#[test]
fn dropping_a_sleep_clears_its_timer() {
    use futures::FutureExt;
    let time = replace_time(NOON, 0.0);
    let clock = BrowserClock::new();
    let mut sleep = clock.sleep_until(clock.now() + Duration::from_secs(5));
    let is_over = (&mut sleep).now_or_never().is_some();
    let while_asleep = time.pending();
    drop(sleep);
    let afterwards = time.pending();
    time.restore();
    assert!(!is_over);
    assert_eq!((while_asleep, afterwards), (1, 0));
}
