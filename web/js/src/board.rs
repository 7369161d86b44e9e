//! One server, and everything that waits there for a person.

use std::cell::{Cell, RefCell};
use std::future::{Future, ready};
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;

use futures::future::{Either, select};
use futures::{StreamExt, stream};
use js_sys::Promise;
use switchboard_core::model::{Request, RequestId, SessionId};
use switchboard_core::{AnswerError, Handle};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::AbortSignal;

use super::given::{self, Given};
use super::iterator::EngineIterator;
use super::promise::promise;
use super::signal::{aborted, unless_aborted};
use super::snapshots::Snapshots;
use super::view::ServerPlace;
use super::{credentials, error, figures, outcome, unattended};
use switchboard_browser::server::Server;

/// One server, and everything that waits there for a person.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Board {
    state: Rc<RefCell<State>>,
    snapshots: Rc<RefCell<Snapshots>>,
    /// How many sessions were opened, to show their messages.
    pub(super) openings: Rc<Cell<u64>>,
}

#[derive(Debug)]
enum State {
    Open(Rc<Server>),
    /// What was known last. Nothing else is left: JavaScript may keep a closed board for long.
    Closed(JsValue),
}

impl Board {
    pub(super) fn new(server: Rc<Server>, place: ServerPlace) -> Self {
        Self {
            state: Rc::new(RefCell::new(State::Open(server))),
            snapshots: Rc::new(RefCell::new(Snapshots::new(place))),
            openings: Rc::default(),
        }
    }

    /// The server; none when the board is closed.
    pub(super) fn open_server(&self) -> Option<Rc<Server>> {
        self.state.borrow().server()
    }

    /// The server, for a call by this name.
    ///
    /// # Errors
    /// When the board is closed.
    pub(super) fn server(&self, call: &str) -> Result<Rc<Server>, JsValue> {
        self.open_server().ok_or_else(|| error::disposed(call))
    }

    pub(super) fn handle(&self, call: &str) -> Result<Handle, JsValue> {
        Ok(self.server(call)?.handle().clone())
    }

    /// Tells it something, unless it is closed.
    pub(super) fn tell(&self, tell: impl FnOnce(&Handle)) {
        if let Some(server) = self.open_server() {
            tell(server.handle());
        }
    }

    /// A request as whoever answers it has seen it.
    fn as_shown(&self, handle: &Handle, id: RequestId, revision: Option<usize>) -> Result<Arc<Request>, AnswerError> {
        let view = handle.view();
        let Some(now) = view.request(&id) else {
            return Err(AnswerError::Unknown(id));
        };
        let Some(revision) = revision else {
            return Ok(Arc::clone(&now.request));
        };
        let snapshots = self.snapshots.borrow();
        let shown = snapshots.revisions().shown(&id, revision).cloned();
        shown.ok_or_else(|| AnswerError::Changed(Arc::clone(&now.request)))
    }

    /// The server lives for as long as somebody waits for something.
    pub(super) fn promise<T: 'static>(
        &self,
        begun: Result<T, JsValue>,
        end: impl AsyncFnOnce(T) -> Result<JsValue, JsValue> + 'static,
    ) -> Promise {
        let server = self.open_server();
        promise(async move {
            let result = end(begun?).await;
            drop(server);
            result
        })
    }

    /// Closes it when the signal is aborted. Nothing waits for that once it is closed.
    pub(super) fn close_on(&self, signal: AbortSignal) {
        let Some(server) = self.open_server() else { return };
        let (ended, state) = (server.ended(), Rc::downgrade(&self.state));
        let snapshots = Rc::clone(&self.snapshots);
        spawn_local(async move {
            let is_aborted = matches!(select(pin!(aborted(&signal)), pin!(ended)).await, Either::Left(_));
            if let Some(state) = state.upgrade().filter(|_| is_aborted) {
                closing(state, snapshots).await;
            }
        });
    }
}

impl State {
    fn server(&self) -> Option<Rc<Server>> {
        match self {
            State::Open(server) => Some(Rc::clone(server)),
            State::Closed(_) => None,
        }
    }
}

/// Closes a board at once. Resolves when what was said before is kept, and drops the server then.
fn closing(state: Rc<RefCell<State>>, snapshots: Rc<RefCell<Snapshots>>) -> impl Future<Output = ()> {
    let server = state.borrow().server();
    if let Some(server) = &server {
        server.close();
    }
    async move {
        let Some(server) = server else { return };
        server.ended().await;
        let last = snapshots.borrow_mut().of(&server.handle().view());
        state.replace(State::Closed(last.unwrap_or_default()));
        snapshots.take();
    }
}

#[wasm_bindgen]
impl Board {
    /// What is known now, the same object until that changes; of a closed board, what was known last.
    #[wasm_bindgen(unchecked_return_type = "View")]
    pub fn view(&self) -> Result<JsValue, JsValue> {
        match &*self.state.borrow() {
            State::Open(server) => self.snapshots.borrow_mut().of(&server.handle().view()),
            State::Closed(last) => Ok(last.clone()),
        }
    }

    /// The present view, and the newest one whenever it has changed. A slow reader skips views.
    #[wasm_bindgen(unchecked_return_type = "Items<View>")]
    pub fn views(&self) -> EngineIterator {
        match &*self.state.borrow() {
            State::Open(server) => {
                let snapshots = Rc::clone(&self.snapshots);
                let views = server
                    .handle()
                    .views()
                    .map(move |view| snapshots.borrow_mut().of(&view));
                EngineIterator::new(server.clone(), views)
            }
            State::Closed(last) => EngineIterator::new(Rc::new(()), stream::once(ready(Ok(last.clone())))),
        }
    }

    /// Looks for a request: at once where the view has it, and else until everything was read once more. Resolves with whether
    /// there is one.
    #[wasm_bindgen(unchecked_return_type = "Promise<boolean>")]
    pub fn find(
        &self,
        #[wasm_bindgen(js_name = "requestId")] request: String,
        #[wasm_bindgen(unchecked_optional_param_type = "CallOptions")] options: JsValue,
    ) -> Promise {
        let begin = || {
            let signal = Given::new("find", options).live_signal()?;
            let request = RequestId::from(request);
            Ok((self.handle("find")?.find(&request), request, signal))
        };
        self.promise(begin(), async |(finding, request, signal)| {
            let found = unless_aborted(signal, finding).await?;
            let found = found.map_err(|reason| error::find("find", &request, reason))?;
            Ok(found.is_some().into())
        })
    }

    /// Looks for a session: at once where it is known, and else until the list of sessions was read once more. Resolves with whether
    /// there is one.
    #[wasm_bindgen(js_name = findSession, unchecked_return_type = "Promise<boolean>")]
    pub fn find_session(
        &self,
        #[wasm_bindgen(js_name = "sessionId")] session: String,
        #[wasm_bindgen(unchecked_optional_param_type = "CallOptions")] options: JsValue,
    ) -> Promise {
        let begin = || {
            let signal = Given::new("findSession", options).live_signal()?;
            let session = SessionId::from(session);
            Ok((self.handle("findSession")?.find_session(&session), session, signal))
        };
        self.promise(begin(), async |(finding, session, signal)| {
            let found = unless_aborted(signal, finding).await?;
            let found = found.map_err(|reason| error::find("findSession", &session, reason))?;
            Ok(found.is_some().into())
        })
    }

    /// Answers a request as it was at a revision of its view; without one, as it is now. Resolves when the request has ended,
    /// with how.
    #[wasm_bindgen(unchecked_return_type = "Promise<Outcome>")]
    pub fn answer(
        &self,
        #[wasm_bindgen(js_name = "requestId")] request: String,
        #[wasm_bindgen(unchecked_param_type = "Reply")] reply: JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "AnswerOptions")] options: JsValue,
    ) -> Promise {
        let begin = || {
            let given = Given::new("answer", options);
            let (signal, revision) = (given.live_signal()?, given.count("revision")?);
            let reply = given::reply(&reply)?;
            let (handle, request) = (self.handle("answer")?, RequestId::from(request));
            let answering = self
                .as_shown(&handle, request, revision)
                .and_then(|shown| handle.answer(&shown, reply));
            Ok((answering.map_err(|reason| error::answer("answer", reason))?, signal))
        };
        self.promise(begin(), async |(answering, signal)| {
            outcome::to_js(unless_aborted(signal, answering).await?)
        })
    }

    /// Waits for the end of a request without answering it. Resolves with how it ended.
    #[wasm_bindgen(unchecked_return_type = "Promise<Outcome>")]
    pub fn wait(
        &self,
        #[wasm_bindgen(js_name = "requestId")] request: String,
        #[wasm_bindgen(unchecked_optional_param_type = "CallOptions")] options: JsValue,
    ) -> Promise {
        let begin = || {
            let signal = Given::new("wait", options).live_signal()?;
            let waiting = self.handle("wait")?.wait(&request.into());
            Ok((waiting.map_err(|reason| error::answer("wait", reason))?, signal))
        };
        self.promise(begin(), async |(waiting, signal)| {
            outcome::to_js(unless_aborted(signal, waiting).await?)
        })
    }

    /// Sends the answer of a dead question as a message that quotes it. Resolves with the id of the message when the server
    /// shows it.
    #[wasm_bindgen(unchecked_return_type = "Promise<string>")]
    pub fn rescue(
        &self,
        #[wasm_bindgen(js_name = "requestId")] request: String,
        #[wasm_bindgen(unchecked_optional_param_type = "CallOptions")] options: JsValue,
    ) -> Promise {
        let begin = || {
            let signal = Given::new("rescue", options).live_signal()?;
            let storing = self.handle("rescue")?.rescue(&request.into());
            Ok((storing.map_err(error::rescue)?, signal))
        };
        self.promise(begin(), async |(storing, signal)| {
            let message = unless_aborted(signal, storing).await?;
            let message = message.map_err(|reason| error::not_stored("rescue", reason))?;
            Ok(message.as_str().into())
        })
    }

    /// Gives up the text of a request that has ended or was refused.
    pub fn discard(&self, #[wasm_bindgen(js_name = "requestId")] request: String) {
        self.tell(|handle| handle.discard(&request.into()));
    }

    /// Gives up a prompt that was not taken.
    #[wasm_bindgen(js_name = discardPrompt)]
    pub fn discard_prompt(&self, entry: String) {
        self.tell(|handle| handle.discard_prompt(&entry.into()));
    }

    /// Sets what happens to requests that nobody answers.
    #[wasm_bindgen(js_name = setUnattended)]
    pub fn set_unattended(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Unattended")] policies: JsValue,
    ) -> Result<(), JsValue> {
        let policies = unattended::policies(&Given::new("setUnattended", policies))?;
        self.tell(|handle| handle.set_unattended(policies));
        Ok(())
    }

    /// Keeps the default answer from being given: the request stays as it is.
    #[wasm_bindgen(js_name = stopCountdown)]
    pub fn stop_countdown(&self, #[wasm_bindgen(js_name = "requestId")] request: String) {
        self.tell(|handle| handle.stop_countdown(&request.into()));
    }

    /// When each request of the last 30 days was asked, seen, answered, accepted and confirmed, and by whom.
    #[wasm_bindgen(unchecked_return_type = "Figures")]
    pub fn figures(&self) -> Result<JsValue, JsValue> {
        figures::to_js(self.handle("figures")?.figures(), &self.snapshots.borrow().place.name)
    }

    /// Gives another name and password. What waits for them goes on at once.
    #[wasm_bindgen(js_name = setCredentials)]
    pub fn set_credentials(
        &self,
        #[wasm_bindgen(unchecked_param_type = "CredentialOptions")] options: JsValue,
    ) -> Result<(), JsValue> {
        let credentials = credentials(&Given::new("setCredentials", options))?;
        self.server("setCredentials")?.set_credentials(credentials);
        Ok(())
    }

    /// Reads everything at once.
    #[wasm_bindgen(js_name = tryNow)]
    pub fn try_now(&self) {
        self.tell(Handle::try_now);
    }

    /// Ends everything; twice is fine. Resolves when what was said before is kept, 2 s later at most. What was not
    /// delivered goes on with the next connection.
    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub fn close(&self) -> Promise {
        let closing = closing(Rc::clone(&self.state), Rc::clone(&self.snapshots));
        promise(async move {
            closing.await;
            Ok(JsValue::UNDEFINED)
        })
    }
}
