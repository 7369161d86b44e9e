//! One request over `fetch`: what is sent is bounded, what comes back too, and dropping it ends it.

use js_sys::{Error, Function, Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{
    AbortController, Headers, ReadableStreamDefaultReader, ReadableStreamReadResult, ReferrerPolicy, RequestCache,
    RequestCredentials, RequestInit, RequestMode, RequestRedirect, Response, ResponseType,
};

use switchboard_wire::HttpAnswer;

/// The longest body that is read, in bytes.
const BODY_BYTES_MAX: usize = 64 << 20;

/// The verb of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Method {
    Get,
    Post,
}

/// Whether the answer is to be read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Mode {
    /// Read it, if the server lets this page.
    Cors,
    /// Only see that something answers.
    NoCors,
    /// Only see whether it leads elsewhere.
    Redirect,
}

/// What makes the requests: `fetch` as it is found here, or a function that does the same.
#[derive(Clone, Debug, Default)]
pub struct Fetch(Option<Function>);

/// A request. It is not `Debug`: it may hold a password.
pub(crate) struct Call {
    pub(crate) fetch: Fetch,
    pub(crate) method: Method,
    pub(crate) mode: Mode,
    pub(crate) url: String,
    pub(crate) authorization: Option<String>,
    pub(crate) accept: &'static str,
    pub(crate) body: Option<String>,
    /// Its request goes on when its page is left. Browsers allow that to requests of 64 KiB in all.
    pub(crate) keepalive: bool,
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum CallError {
    /// No connection, or it broke; in words.
    Broken(String),
    /// An answer that is too long or no text; in words.
    Unreadable(String),
}

/// An answer whose body has not been read. Dropping it ends the request.
pub(crate) struct Opened {
    response: Response,
    reader: Option<ReadableStreamDefaultReader>,
    _abort: AbortOnDrop,
}

/// Ends the request when it is dropped; afterwards that does nothing.
struct AbortOnDrop(AbortController);

#[wasm_bindgen]
extern "C" {
    /// The global one, wherever this runs.
    #[wasm_bindgen(js_name = fetch, catch)]
    fn global_fetch(url: &str, init: &RequestInit) -> Result<Promise, JsValue>;
}

impl Fetch {
    /// Makes requests with `function`, which takes and returns what `fetch` does.
    #[must_use]
    pub fn over(function: Function) -> Self {
        Self(Some(function))
    }

    fn begin(&self, url: &str, init: &RequestInit) -> Result<Promise, JsValue> {
        match &self.0 {
            Some(function) => Ok(Promise::resolve(&function.call2(
                &JsValue::UNDEFINED,
                &url.into(),
                init,
            )?)),
            None => global_fetch(url, init),
        }
    }
}

impl Call {
    /// Sends it, and waits for the head of the answer.
    pub(crate) async fn open(&self) -> Result<Opened, CallError> {
        let abort = AbortOnDrop(AbortController::new().map_err(broken)?);
        let promise = self.fetch.begin(&self.url, &self.init(&abort.0)?).map_err(broken)?;
        let response: Response = JsFuture::from(promise).await.map_err(broken)?.unchecked_into();
        let reader = response.body().map(|body| body.get_reader().unchecked_into());
        Ok(Opened {
            response,
            reader,
            _abort: abort,
        })
    }

    /// Sends it, and reads the whole answer.
    pub(crate) async fn answer(&self) -> Result<HttpAnswer, CallError> {
        let mut opened = self.open().await?;
        let mut bytes = Vec::new();
        while let Some(chunk) = opened.next_chunk().await? {
            if bytes.len() + chunk.len() > BODY_BYTES_MAX {
                return Err(CallError::Unreadable(format!("more than {} MB", BODY_BYTES_MAX >> 20)));
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(HttpAnswer {
            status: opened.status(),
            content_type: opened.header("content-type"),
            cursor: opened.header("x-next-cursor"),
            body: String::from_utf8(bytes).map_err(|_| CallError::Unreadable("a body that is no text".to_owned()))?,
        })
    }

    fn init(&self, abort: &AbortController) -> Result<RequestInit, CallError> {
        let init = RequestInit::new();
        init.set_method(match self.method {
            Method::Get => "GET",
            Method::Post => "POST",
        });
        init.set_headers_headers(&self.headers().map_err(broken)?);
        if let Some(body) = &self.body {
            init.set_body(&JsValue::from_str(body));
        }
        init.set_cache(RequestCache::NoStore);
        init.set_credentials(RequestCredentials::Omit);
        init.set_referrer_policy(ReferrerPolicy::NoReferrer);
        match self.mode {
            Mode::Cors => init.set_redirect(RequestRedirect::Error),
            // Browsers refuse to send these with any rule for redirects of one's own.
            Mode::NoCors => init.set_mode(RequestMode::NoCors),
            Mode::Redirect => init.set_redirect(RequestRedirect::Manual),
        }
        if self.keepalive {
            // Not bound by web-sys yet.
            Reflect::set(&init, &"keepalive".into(), &true.into()).map_err(broken)?;
        }
        init.set_signal(Some(&abort.signal()));
        Ok(init)
    }

    fn headers(&self) -> Result<Headers, JsValue> {
        let headers = Headers::new()?;
        headers.set("accept", self.accept)?;
        if let Some(authorization) = &self.authorization {
            headers.set("authorization", authorization)?;
        }
        if self.body.is_some() {
            headers.set("content-type", "application/json")?;
        }
        Ok(headers)
    }
}

impl Opened {
    /// The HTTP status.
    pub(crate) fn status(&self) -> u16 {
        self.response.status()
    }

    /// Whether it leads elsewhere; known only where redirects are not followed.
    pub(crate) fn is_redirect(&self) -> bool {
        self.response.type_() == ResponseType::Opaqueredirect
    }

    /// A header, if the server sent it and lets this page see it.
    pub(crate) fn header(&self, name: &str) -> Option<String> {
        self.response.headers().get(name).ok().flatten()
    }

    /// The next piece of the body; none at its end.
    pub(crate) async fn next_chunk(&mut self) -> Result<Option<Vec<u8>>, CallError> {
        let Some(reader) = &self.reader else { return Ok(None) };
        let read = JsFuture::from(reader.read()).await.map_err(broken)?;
        let read: ReadableStreamReadResult = read.unchecked_into();
        if read.get_done() == Some(true) {
            return Ok(None);
        }
        Ok(Some(read.get_value().unchecked_into::<Uint8Array>().to_vec()))
    }
}

/// Some versions of Node forget to whom a signal belongs once a request has its head; who reads the body can still end it.
impl Drop for Opened {
    fn drop(&mut self) {
        if let Some(reader) = &self.reader {
            let cancelling = JsFuture::from(reader.cancel());
            spawn_local(async move {
                // A body that was read to its end, or broke, is over already.
                let _is_over = cancelling.await;
            });
        }
    }
}

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn broken(error: JsValue) -> CallError {
    let message = error.dyn_ref::<Error>().map(|error| String::from(error.message()));
    CallError::Broken(message.unwrap_or_else(|| "no connection".to_owned()))
}
