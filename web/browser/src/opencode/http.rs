//! The way to one OpenCode server, over `fetch`. It works in a page, in a worker and in Node.

mod credentials;
mod fetch;
mod offer;
mod project;

use std::cell::Cell;
use std::fmt;
use std::rc::Rc;

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use switchboard_core::ports::{Fetched, Post, Posted, Read, ReadError, Transport};
use switchboard_core::{Clock, Time};
use switchboard_wire::{self as wire, HttpAnswer};

pub use credentials::{Credentials, SharedCredentials};
pub use fetch::Fetch;
pub(crate) use fetch::{Call, CallError, Method, Mode, Opened};
pub use offer::Offer;

use crate::tabs::share::{self, Shared};

/// The first version that promises to list the sessions of all projects.
const LISTS_ALL_PROJECTS: (u32, u32) = (1, 17);

/// What a tab wants to know of each read that says the same to every tab.
pub type Tap = Rc<dyn Fn(Shared)>;

/// The JSON text at a URL that needs no credentials, relative to the page. `None` when there is none.
pub async fn get_json(url: &str) -> Option<String> {
    let call = Call {
        fetch: Fetch::default(),
        method: Method::Get,
        mode: Mode::Cors,
        url: url.to_owned(),
        authorization: None,
        accept: "application/json",
        body: None,
        keepalive: false,
    };
    let answer = call.answer().await.ok()?;
    (answer.status == 200 && answer.is_json()).then_some(answer.body)
}

/// The way to one server. Its clones share what they learn about it.
#[derive(Clone)]
pub struct FetchTransport {
    base: Rc<str>,
    credentials: SharedCredentials,
    fetch: Fetch,
    clock: Rc<dyn Clock>,
    tap: Option<Tap>,
    lists_one_project: Rc<Cell<bool>>,
}

impl FetchTransport {
    /// A way to the server at `base`: an address as [`crate::opencode::probe::normalise_address`] gives it.
    pub fn new(base: &str, credentials: SharedCredentials, clock: Rc<dyn Clock>) -> Self {
        Self {
            base: base.into(),
            credentials,
            fetch: Fetch::default(),
            clock,
            tap: None,
            lists_one_project: Rc::default(),
        }
    }

    /// Makes its requests with `fetch`. Defaults to the global one.
    #[must_use]
    pub fn with_fetch(self, fetch: Fetch) -> Self {
        Self { fetch, ..self }
    }

    /// Tells `tap` of each successful read that [`share::is_shared`].
    #[must_use]
    pub fn with_tap(self, tap: Tap) -> Self {
        Self { tap: Some(tap), ..self }
    }

    async fn fetch(self, read: Read) -> Result<Fetched, ReadError> {
        let begun = self.clock.now();
        let (answer, fetched) = match &read {
            Read::Sessions { since, .. } => self.sessions(&read, *since).await?,
            Read::Health
            | Read::Directories
            | Read::Session { .. }
            | Read::Questions(_)
            | Read::Permissions(_)
            | Read::Status(_)
            | Read::Messages { .. }
            | Read::Message { .. } => self.get(&wire::path_of(&read), &read).await?,
        };
        let fetched = fetched?;
        self.tell(read, answer, begun);
        Ok(fetched)
    }

    /// The list of all projects; of one project where the server is too old for the other.
    async fn sessions(&self, read: &Read, since: Option<u64>) -> Result<Understood, ReadError> {
        if !self.lists_one_project.get() {
            let (answer, fetched) = self.get(&wire::path_of(read), read).await?;
            if fetched.is_ok() || !self.is_too_old_for(&answer).await {
                return Ok((answer, fetched));
            }
            self.lists_one_project.set(true);
        }
        self.get(&wire::path_of_one_project(since), read).await
    }

    /// An answer that looks like that of an unknown path proves nothing: the version does.
    async fn is_too_old_for(&self, answer: &HttpAnswer) -> bool {
        if answer.status == 401 {
            return false;
        }
        let health = self.get(&wire::path_of(&Read::Health), &Read::Health).await;
        let Ok((_, Ok(Fetched::Health(health)))) = health else {
            return false;
        };
        version_of(&health.version).is_some_and(|version| version < LISTS_ALL_PROJECTS)
    }

    async fn get(&self, path: &str, read: &Read) -> Result<Understood, ReadError> {
        let answer = self.call(Method::Get, path, None).answer().await?;
        let fetched = wire::fetched(read, &answer);
        Ok((answer, fetched))
    }

    async fn send(self, post: Post) -> Posted {
        let wire::Outgoing { path, body } = wire::outgoing(&post);
        let call = Call {
            // A stop is not kept anywhere: nobody repeats it after a reload.
            keepalive: matches!(post, Post::Abort { .. }),
            ..self.call(Method::Post, &path, body)
        };
        match call.answer().await {
            Ok(answer) => wire::posted(&post, &answer),
            Err(CallError::Broken(reason) | CallError::Unreadable(reason)) => Posted::InDoubt(reason),
        }
    }

    fn call(&self, method: Method, path: &str, body: Option<String>) -> Call {
        Call {
            fetch: self.fetch.clone(),
            method,
            mode: Mode::Cors,
            url: format!("{}{path}", self.base),
            authorization: self.credentials.header(),
            accept: "application/json",
            body,
            keepalive: false,
        }
    }

    fn tell(&self, read: Read, answer: HttpAnswer, begun: Time) {
        let Some(tap) = self.tap.as_ref().filter(|_| share::is_shared(&read)) else {
            return;
        };
        tap(Shared {
            read,
            body: answer.body,
            begun,
        });
    }
}

impl From<CallError> for ReadError {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Broken(reason) => ReadError::Unreachable(reason),
            CallError::Unreadable(what) => ReadError::Unexpected(what),
        }
    }
}

/// An answer, and what it means.
type Understood = (HttpAnswer, Result<Fetched, ReadError>);

/// Dropping a future aborts its request.
impl Transport for FetchTransport {
    fn read(&self, read: Read) -> LocalBoxFuture<'static, Result<Fetched, ReadError>> {
        self.clone().fetch(read).boxed_local()
    }

    fn post(&self, post: Post) -> LocalBoxFuture<'static, Posted> {
        self.clone().send(post).boxed_local()
    }
}

impl fmt::Debug for FetchTransport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("FetchTransport").field(&self.base).finish()
    }
}

/// The first two numbers of a version.
fn version_of(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.split('.').map(|number| number.parse().ok());
    Some((numbers.next()??, numbers.next()??))
}
