//! Effects in order, with what each must hold alone.

use std::cell::RefCell;

use js_sys::{Array, Function};
use switchboard_core::effects::{
    Cancel, Class, Context, Decision, Effect, EffectId, EffectQueue as Queue, NotKept, Progress, Response, Scope,
};
use switchboard_core::model::{RequestId, SessionId, ToolRef};
use switchboard_core::{Clock, SortedMap};
use wasm_bindgen::prelude::*;

use super::error::{self, words_of};
use super::given::Given;
use super::object::object;
use super::promise::promise;
use switchboard_browser::platform::clock::BrowserClock;

/// All effects that are not done.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct EffectQueue {
    clock: BrowserClock,
    queue: RefCell<Queue<String, JsValue>>,
    numbers: RefCell<Numbers>,
}

/// The numbers by which JavaScript knows effects.
#[derive(Debug, Default)]
struct Numbers {
    given: u32,
    ids: SortedMap<u32, EffectId>,
}

#[wasm_bindgen]
impl EffectQueue {
    /// An empty queue.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Submits an effect. Returns its number, and a promise of its answer.
    pub fn submit(&self, effect: JsValue) -> Result<Array, JsValue> {
        let effect = read_effect(&Given::new("submit", effect))?;
        let (id, responding) = self.queue()?.submit(effect);
        let mut numbers = self.numbers.borrow_mut();
        numbers.given += 1;
        let number = numbers.given;
        numbers.ids.insert(number, id);
        let answer = promise(async move { shown(responding.await) });
        Ok(Array::of2(&number.into(), &answer))
    }

    /// Polls every effect that holds what it needs, once, in the order of submission.
    #[wasm_bindgen(js_name = pollAll)]
    pub fn poll_all(&self) -> Result<(), JsValue> {
        let now = self.clock.now();
        self.queue()?.poll_all(now);
        Ok(())
    }

    /// Ends an effect, and gives what it holds to the next in line. False when it has ended before.
    pub fn release(&self, number: u32) -> Result<bool, JsValue> {
        let id = self.numbers.borrow_mut().ids.remove(&number);
        Ok(id.is_some_and(|id| self.queue.try_borrow_mut().is_ok_and(|mut queue| queue.release(id))))
    }

    /// Forgets the number of an effect that was answered and holds nothing.
    pub fn forget(&self, number: u32) -> Result<(), JsValue> {
        let queue = self.queue()?;
        let mut numbers = self.numbers.borrow_mut();
        if numbers.ids.get(&number).is_some_and(|id| !queue.holds(*id)) {
            numbers.ids.remove(&number);
        }
        Ok(())
    }

    /// Ends all effects of a call, a session or an agent. Returns how many.
    pub fn cancel(&self, which: JsValue) -> Result<usize, JsValue> {
        let given = Given::new("cancel", which);
        let which = match (given.text("agent")?, given.text("session")?) {
            (Some(agent), None) => Cancel::Agent(agent),
            (None, Some(session)) => match read_call(&given)? {
                Some(call) => Cancel::Call(session.into(), call),
                None => Cancel::Session(session.into()),
            },
            _ => return Err(error::invalid_argument("cancel: name a session, or an agent")),
        };
        Ok(self.queue()?.cancel(&which))
    }

    /// Keeps a decision for the effect with this request. A reason makes it a refusal. False when there was one before.
    pub fn decide(&self, session: String, request: String, denied: Option<String>) -> Result<bool, JsValue> {
        let decision = denied.map_or(Decision::Approve, |reason| Decision::Deny { reason });
        let kept = self
            .queue()?
            .decide(SessionId::from(session), RequestId::from(request), decision);
        match kept {
            Ok(()) => Ok(true),
            Err(NotKept::Decided) => Ok(false),
            Err(reason) => Err(error::invalid_argument(&reason.to_string())),
        }
    }

    /// Drops the decisions of a session whose turn has ended.
    #[wasm_bindgen(js_name = endTurn)]
    pub fn end_turn(&self, session: String) -> Result<(), JsValue> {
        self.queue()?.end_turn(&session.into());
        Ok(())
    }

    /// Notes that a refresh begins.
    #[wasm_bindgen(js_name = refreshBegun)]
    pub fn refresh_begun(&self, number: u32) -> Result<(), JsValue> {
        self.queue()?.handle_refresh_begun(number.into());
        Ok(())
    }

    /// Takes note of a refresh that was read: effects in doubt that it began after are polled again.
    #[wasm_bindgen(js_name = observeRefresh)]
    pub fn observe_refresh(&self, number: u32) -> Result<(), JsValue> {
        self.queue()?.observe_refresh(number.into());
        Ok(())
    }

    /// Whether an effect holds what it needs.
    pub fn holds(&self, number: u32) -> Result<bool, JsValue> {
        let queue = self.queue()?;
        Ok(self
            .numbers
            .borrow()
            .ids
            .get(&number)
            .is_some_and(|id| queue.holds(*id)))
    }
}

impl EffectQueue {
    /// A poll cannot use the queue that polls it.
    fn queue(&self) -> Result<std::cell::RefMut<'_, Queue<String, JsValue>>, JsValue> {
        self.queue
            .try_borrow_mut()
            .map_err(|_| error::invalid_argument("a poll cannot use the queue that polls it"))
    }
}

fn read_effect(given: &Given) -> Result<Effect<String, JsValue>, JsValue> {
    let class = match given.text("class")?.as_deref() {
        None | Some("once") => Class::Once,
        Some("consumedById") => Class::ConsumedById,
        Some("idempotentById") => Class::IdempotentById,
        Some(_) => return Err(given.wrong("class", "\"once\", \"consumedById\" or \"idempotentById\"")),
    };
    let Some(poll) = given.function("poll")? else {
        return Err(given.wrong("poll", "a function"));
    };
    let session = given.text("session")?.map(SessionId::from);
    let mut effect = Effect::new(class, move |context: &Context<'_>| polled(&poll, context))
        .needs(
            given
                .form::<Vec<String>>("needs", "a list of texts")?
                .unwrap_or_default(),
        )
        .acts_on(given.flag("targetExists")?.unwrap_or(true))
        .within(Scope {
            agent: given.text("agent")?,
            session: session.clone(),
            call: read_call(given)?,
        });
    if let (Some(request), Some(session)) = (given.text("request")?, session) {
        effect = effect.decided_by(session, request.into());
    }
    Ok(effect)
}

fn read_call(given: &Given) -> Result<Option<ToolRef>, JsValue> {
    let Some(call) = given.inner("call")? else {
        return Ok(None);
    };
    Ok(Some(ToolRef {
        message: call.needed_text("message")?.into(),
        call: call.needed_text("call")?.into(),
    }))
}

/// A poll that throws has failed; so has one that says nothing that can be understood.
fn polled(poll: &Function, context: &Context<'_>) -> Progress<JsValue> {
    let said = shape_of(context).and_then(|context| poll.call1(&JsValue::UNDEFINED, &context));
    let said = match said {
        Ok(said) => Given::new("poll", said),
        Err(thrown) => return Progress::Failed(words_of(&thrown)),
    };
    let value = || said.field("value").unwrap_or(JsValue::UNDEFINED);
    let reason = || said.text("reason").ok().flatten().unwrap_or_default();
    match said.text("status").ok().flatten().as_deref() {
        Some("ready") => Progress::Ready(value()),
        Some("holding") => Progress::Holding(value()),
        Some("pending") => Progress::Pending,
        Some("nothingToDo") => Progress::NothingToDo,
        Some("failed") => Progress::Failed(reason()),
        Some("inDoubt") => Progress::InDoubt(reason()),
        Some(_) | None => Progress::Failed("the poll returned no status".to_owned()),
    }
}

fn shape_of(context: &Context<'_>) -> Result<JsValue, JsValue> {
    let decision = match context.decision {
        None => JsValue::UNDEFINED,
        Some(Decision::Approve) => object(&[("approved", JsValue::TRUE)])?,
        Some(Decision::Deny { reason }) => object(&[("approved", JsValue::FALSE), ("reason", reason.into())])?,
    };
    object(&[
        ("now", (context.now.0 as f64).into()),
        ("refresh", (context.refresh as f64).into()),
        ("decision", decision),
    ])
}

fn shown(response: Response<JsValue>) -> Result<JsValue, JsValue> {
    match response {
        Response::Ready(value) => object(&[("status", "ready".into()), ("value", value)]),
        Response::NothingToDo => object(&[("status", "nothingToDo".into())]),
        Response::Failed(reason) => object(&[("status", "failed".into()), ("reason", reason.into())]),
        Response::InDoubt(reason) => object(&[("status", "inDoubt".into()), ("reason", reason.into())]),
        Response::Cancelled => object(&[("status", "cancelled".into())]),
    }
}
