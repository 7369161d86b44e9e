//! A server inside the page: requests to its addresses wait until the test answers them.

use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen(module = "/tests/network/fake_server.js")]
extern "C" {
    fn open(base: &str) -> JsValue;
    #[wasm_bindgen(js_name = nextCall)]
    fn next_call(server: &JsValue) -> js_sys::Promise;
    fn path(call: &JsValue) -> String;
    fn option(call: &JsValue, name: &str) -> String;
    fn header(call: &JsValue, name: &str) -> Option<String>;
    #[wasm_bindgen(js_name = isAborted)]
    fn is_aborted(call: &JsValue) -> bool;
    fn refuse(call: &JsValue);
    fn begin(call: &JsValue, status: u16, content_type: &str, cursor: Option<String>);
    fn push(call: &JsValue, bytes: &[u8]);
    fn end(call: &JsValue);
    #[wasm_bindgen(js_name = breakOff)]
    fn break_off(call: &JsValue);
}

pub(crate) const JSON: &str = "application/json";
pub(crate) const HTML: &str = "text/html;charset=utf-8";

/// A server with an address of its own.
pub(crate) struct FakeServer {
    pub(crate) base: String,
    server: JsValue,
}

/// A request that has arrived.
pub(crate) struct FakeCall(JsValue);

impl FakeServer {
    pub(crate) fn new(base: &str) -> Self {
        Self {
            base: base.to_owned(),
            server: open(base),
        }
    }

    /// The next request, as soon as it arrives.
    pub(crate) async fn next_call(&self) -> FakeCall {
        FakeCall(
            JsFuture::from(next_call(&self.server))
                .await
                .expect("it is never rejected"),
        )
    }

    /// The next request, which must be for this path, is answered so.
    pub(crate) async fn answer(&self, path: &str, status: u16, content_type: &str, body: &str) {
        let call = self.next_call().await;
        assert_eq!(call.path(), path);
        call.answer(status, content_type, body);
    }
}

impl FakeCall {
    pub(crate) fn path(&self) -> String {
        path(&self.0)
    }

    pub(crate) fn option(&self, name: &str) -> String {
        option(&self.0, name)
    }

    pub(crate) fn header(&self, name: &str) -> Option<String> {
        header(&self.0, name)
    }

    pub(crate) fn is_aborted(&self) -> bool {
        is_aborted(&self.0)
    }

    /// No connection, or a page that is not let in.
    pub(crate) fn refuse(&self) {
        refuse(&self.0);
    }

    pub(crate) fn answer(&self, status: u16, content_type: &str, body: &str) {
        self.begin(status, content_type);
        if status != 204 {
            self.push(body.as_bytes());
            self.end();
        }
    }

    pub(crate) fn answer_with_cursor(&self, body: &str, cursor: &str) {
        begin(&self.0, 200, JSON, Some(cursor.to_owned()));
        self.push(body.as_bytes());
        self.end();
    }

    /// The head of the answer; the body follows.
    pub(crate) fn begin(&self, status: u16, content_type: &str) {
        begin(&self.0, status, content_type, None);
    }

    pub(crate) fn push(&self, bytes: &[u8]) {
        push(&self.0, bytes);
    }

    pub(crate) fn end(&self) {
        end(&self.0);
    }

    pub(crate) fn break_off(&self) {
        break_off(&self.0);
    }
}
