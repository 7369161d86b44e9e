//! The window and its timers.

use std::time::Duration;

use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue, UnwrapThrowExt};

use crate::ev::EventName;

/// The window of the page.
pub fn window() -> web_sys::Window {
    web_sys::window().expect_throw("a page has a window")
}

/// The document of the page.
pub fn document() -> web_sys::Document {
    window().document().expect_throw("a window has a document")
}

/// What is in the field that an event comes from.
pub fn event_target_value(event: &impl AsRef<web_sys::Event>) -> String {
    field(event.as_ref()).value()
}

/// Whether the box that an event comes from is checked.
pub fn event_target_checked(event: &impl AsRef<web_sys::Event>) -> bool {
    field(event.as_ref()).checked()
}

fn field(event: &web_sys::Event) -> web_sys::HtmlInputElement {
    event
        .target()
        .expect_throw("an event that is handled has a target")
        .unchecked_into()
}

/// A time-out that waits.
#[derive(Clone, Copy, Debug)]
pub struct TimeoutHandle(i32);

impl TimeoutHandle {
    /// Its function is not called.
    pub fn clear(&self) {
        window().clear_timeout_with_handle(self.0);
    }
}

/// Calls a function after a while.
pub fn set_timeout(run: impl FnOnce() + 'static, after: Duration) {
    drop(set_timeout_with_handle(run, after));
}

/// Calls a function after a while, unless it is cleared.
pub fn set_timeout_with_handle(run: impl FnOnce() + 'static, after: Duration) -> Result<TimeoutHandle, JsValue> {
    let run = once(Box::new(run));
    window()
        .set_timeout_with_callback_and_timeout_and_arguments_0(run.unchecked_ref(), milliseconds(after))
        .map(TimeoutHandle)
}

/// An interval that goes on.
#[derive(Clone, Copy, Debug)]
pub struct IntervalHandle(i32);

impl IntervalHandle {
    /// Ends the interval.
    pub fn clear(&self) {
        window().clear_interval_with_handle(self.0);
    }
}

/// Calls a function again and again.
pub fn set_interval_with_handle(run: impl Fn() + 'static, every: Duration) -> Result<IntervalHandle, JsValue> {
    let run = Closure::<dyn FnMut()>::wrap(Box::new(run)).into_js_value();
    window()
        .set_interval_with_callback_and_timeout_and_arguments_0(run.unchecked_ref(), milliseconds(every))
        .map(IntervalHandle)
}

/// Calls a function before the next frame is painted.
pub fn request_animation_frame(run: impl FnOnce() + 'static) {
    let run = once(Box::new(run));
    drop(window().request_animation_frame(run.unchecked_ref()));
}

fn once(run: Box<dyn FnOnce()>) -> JsValue {
    Closure::once_into_js(run)
}

fn milliseconds(duration: Duration) -> i32 {
    duration.as_millis().try_into().unwrap_or(i32::MAX)
}

/// A listener of the window.
#[derive(Debug)]
pub struct WindowListenerHandle {
    name: &'static str,
    listener: Closure<dyn FnMut(web_sys::Event)>,
}

impl WindowListenerHandle {
    /// Ends it.
    pub fn remove(self) {
        drop(window().remove_event_listener_with_callback(self.name, self.listener.as_ref().unchecked_ref()));
    }
}

/// Listens to an event of the window until the listener is removed.
pub fn window_event_listener<E: JsCast>(event: EventName<E>, handle: impl Fn(E) + 'static) -> WindowListenerHandle {
    listen(event.name, Box::new(move |event| handle(event.unchecked_into())))
}

// Compiled once.
fn listen(name: &'static str, handle: Box<dyn FnMut(web_sys::Event)>) -> WindowListenerHandle {
    let listener = Closure::wrap(handle);
    drop(window().add_event_listener_with_callback(name, listener.as_ref().unchecked_ref()));
    WindowListenerHandle { name, listener }
}
