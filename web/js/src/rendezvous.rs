//! Questions of an agent that has nothing to do with OpenCode, and the answers of a person. Questions and answers pass
//! through as they are.

use std::rc::Rc;
use std::time::Duration;

use futures::StreamExt;
use js_sys::{Array, Promise};
use switchboard_core::rendezvous::{self, Answered, AskOptions, Asked, By, NotAsked, OnTimeOut, Outcome, Waiting};
use wasm_bindgen::prelude::*;

use super::error;
use super::given::Given;
use super::iterator::EngineIterator;
use super::object::object;
use super::promise::promise;
use super::signal::unless_aborted;
use switchboard_browser::platform::clock::BrowserClock;

/// Where questions meet answers.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Rendezvous(Rc<Desk>);

type Desk = rendezvous::Rendezvous<Rc<str>, JsValue, JsValue>;

#[wasm_bindgen]
impl Rendezvous {
    /// A rendezvous at which nothing was asked yet.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self(Rc::new(Desk::new(Rc::new(BrowserClock::new()))))
    }

    /// Publishes a question. Resolves with how it ended.
    pub fn ask(&self, key: &str, question: JsValue, options: JsValue) -> Promise {
        let given = Given::new("ask", options);
        let begin = || {
            let signal = given.live_signal()?;
            let asked = self.0.ask(key.into(), question, ask_options(&given)?);
            Ok((asked.map_err(not_asked)?, signal))
        };
        self.end_of(begin())
    }

    /// Waits for the end of a question; `undefined` when it is not known.
    pub fn wait(&self, key: &str, options: JsValue) -> Option<Promise> {
        let waiting = self.0.wait(&key.into())?;
        let signal = Given::new("wait", options).live_signal();
        Some(self.end_of(signal.map(|signal| (waiting, signal))))
    }

    /// Answers a question. Returns what became of the answer, and by how many milliseconds it is late.
    pub fn answer(&self, key: &str, answer: JsValue) -> Result<JsValue, JsValue> {
        let status = match self.0.answer(&key.into(), answer) {
            Answered::Late(by) => return object(&[("status", "late".into()), ("lateBy", milliseconds(by))]),
            Answered::Taken => "taken",
            Answered::Already => "already",
            Answered::Unknown => "unknown",
            Answered::Closed => "closed",
        };
        object(&[("status", status.into())])
    }

    /// Ends a question without an answer. False when it has ended before.
    pub fn cancel(&self, key: &str, reason: &str) -> bool {
        self.0.cancel(&key.into(), reason)
    }

    /// What waits, and what was left when its time was up, in the order it was asked.
    pub fn waiting(&self) -> Result<Array, JsValue> {
        shown(self.0.waiting())
    }

    /// What waits now, and the newest of it whenever it has changed. A slow reader skips states.
    #[wasm_bindgen(unchecked_return_type = "Items<unknown>")]
    pub fn views(&self) -> EngineIterator {
        let states = self.0.views().map(|waiting| shown(waiting).map(JsValue::from));
        EngineIterator::new(self.0.clone(), states)
    }

    /// Answers that came too late, as a list of `{ key, question, answer, lateBy }`.
    #[wasm_bindgen(js_name = takeLate)]
    pub fn take_late(&self) -> Result<Array, JsValue> {
        let late = self.0.take_late().into_iter().map(|late| {
            object(&[
                ("key", (&*late.key).into()),
                ("question", (*late.question).clone()),
                ("answer", late.answer),
                ("lateBy", milliseconds(late.late_by)),
            ])
        });
        late.collect()
    }

    /// Ends everything; twice is fine.
    pub fn close(&self) {
        self.0.close();
    }
}

impl Default for Rendezvous {
    fn default() -> Self {
        Self::new()
    }
}

type Begun = Result<(Waiting<Rc<str>, JsValue, JsValue>, Option<web_sys::AbortSignal>), JsValue>;

impl Rendezvous {
    /// The rendezvous lives for as long as somebody waits.
    fn end_of(&self, begun: Begun) -> Promise {
        let desk = Rc::clone(&self.0);
        promise(async move {
            let (waiting, signal) = begun?;
            let outcome = unless_aborted(signal, waiting).await;
            drop(desk);
            ended(outcome?)
        })
    }
}

fn ask_options(given: &Given) -> Result<AskOptions<JsValue>, JsValue> {
    let mut options = AskOptions::default();
    let then = given.field("then")?;
    options.timeout = given.time_out("timeout")?.or(options.timeout);
    options.then = match given.inner("then") {
        Ok(Some(then)) => OnTimeOut::Answer(then.field("answer")?),
        Ok(None) => options.then,
        Err(_) if then.as_string().as_deref() == Some("leave") => OnTimeOut::Leave,
        Err(_) => return Err(given.wrong("then", "\"leave\" or { answer }")),
    };
    Ok(options)
}

fn not_asked(reason: NotAsked<Rc<str>>) -> JsValue {
    match reason {
        NotAsked::Closed => error::disposed("ask"),
        NotAsked::AlreadyAsked(_) | _ => error::invalid_argument(&format!("ask: {reason}")),
    }
}

fn ended(outcome: Outcome<JsValue>) -> Result<JsValue, JsValue> {
    match outcome {
        Outcome::Answered { answer, by } => {
            let by = match by {
                By::Person => "person",
                By::Policy => "policy",
            };
            object(&[("status", "answered".into()), ("answer", answer), ("by", by.into())])
        }
        Outcome::TimedOut => object(&[("status", "timedOut".into())]),
        Outcome::Cancelled(reason) => object(&[("status", "cancelled".into()), ("reason", reason.into())]),
        Outcome::Closed => object(&[("status", "closed".into())]),
    }
}

fn milliseconds(span: Duration) -> JsValue {
    (span.as_millis() as f64).into()
}

fn shown(waiting: Vec<Asked<Rc<str>, JsValue>>) -> Result<Array, JsValue> {
    let time = |at: Option<switchboard_core::Time>| at.map_or(JsValue::NULL, |at| (at.0 as f64).into());
    let waiting = waiting.into_iter().map(|asked| {
        object(&[
            ("key", (&*asked.key).into()),
            ("question", (*asked.question).clone()),
            ("asked", time(Some(asked.asked))),
            ("until", time(asked.until)),
            ("warned", asked.warned.into()),
            ("timedOut", time(asked.timed_out)),
        ])
    });
    waiting.collect()
}
