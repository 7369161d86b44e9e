//! Web Locks: a name that one tab of this origin holds at a time, and that the browser takes back when the tab dies.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::FutureExt;
use futures::channel::oneshot;
use js_sys::{Array, Function, Object, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::AbortController;

/// How a lock is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// Now or never.
    IfFree,
    /// Behind everybody who asked before.
    InTurn,
    /// At once, taking it from whoever has it.
    Steal,
}

/// A lock that is held. Dropping it gives it back.
#[derive(Debug)]
pub struct Lock {
    _release: Release,
    lost: oneshot::Receiver<()>,
}

/// A lock that has been asked for. Resolves with it, or with `None` when it is not to be had. Dropping it takes the
/// question back.
#[derive(Debug)]
pub struct Asking {
    granted: oneshot::Receiver<Option<Release>>,
    failed: Option<oneshot::Receiver<()>>,
    abort: Option<AbortController>,
    _callback: Closure<dyn FnMut(JsValue) -> JsValue>,
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(extends = Object)]
    type LockManager;

    #[wasm_bindgen(method, catch)]
    fn request(
        this: &LockManager,
        name: &str,
        options: &JsValue,
        callback: &Closure<dyn FnMut(JsValue) -> JsValue>,
    ) -> Result<Promise, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn query(this: &LockManager) -> Result<Promise, JsValue>;
}

/// True where the browser offers Web Locks. It offers none to pages that came over plain HTTP from another machine.
#[must_use]
pub fn are_offered() -> bool {
    manager().is_some()
}

/// Asks for a lock; the question has its place in the queue when this returns. `None` where there are no Web Locks.
#[must_use]
pub fn ask(name: &str, ask: Ask) -> Option<Asking> {
    let manager = manager()?;
    let abort = match ask {
        Ask::InTurn => AbortController::new().ok(),
        Ask::IfFree | Ask::Steal => None,
    };
    let (grant, granted) = oneshot::channel();
    let callback = callback(grant);
    let promise = manager.request(name, &options(ask, abort.as_ref())?, &callback).ok()?;
    let (fail, failed) = oneshot::channel();
    spawn_local(async move {
        if JsFuture::from(promise).await.is_err() {
            let _nobody_cares = fail.send(());
        }
    });
    Some(Asking {
        granted,
        failed: Some(failed),
        abort,
        _callback: callback,
    })
}

/// Whether a tab of this origin holds a lock at this moment. False where there are no Web Locks.
pub async fn is_held(name: &str) -> bool {
    let Some(asked) = manager().and_then(|manager| manager.query().ok()) else {
        return false;
    };
    let Ok(locks) = JsFuture::from(asked).await else {
        return false;
    };
    let held = Reflect::get(&locks, &"held".into()).unwrap_or_default();
    let has_name = |lock: JsValue| Reflect::get(&lock, &"name".into()).is_ok_and(|held| held == name);
    Array::from(&held).iter().any(has_name)
}

impl Lock {
    /// Resolves when another tab has stolen it.
    pub async fn lost(&mut self) {
        if (&mut self.lost).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

impl Future for Asking {
    type Output = Option<Lock>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Lock>> {
        if let Poll::Ready(granted) = self.granted.poll_unpin(context) {
            let lock = granted.ok().flatten().zip(self.failed.take());
            return Poll::Ready(lock.map(|(release, lost)| Lock {
                _release: release,
                lost,
            }));
        }
        match self.failed.as_mut().map(|failed| failed.poll_unpin(context)) {
            Some(Poll::Pending) => Poll::Pending,
            Some(Poll::Ready(_)) | None => Poll::Ready(None),
        }
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        if let Some(abort) = &self.abort {
            abort.abort();
        }
    }
}

/// Resolves the promise that keeps the lock.
#[derive(Debug)]
struct Release(Function);

impl Drop for Release {
    fn drop(&mut self) {
        // Resolving a promise fails only in a page that is going away.
        let _gone = self.0.call0(&JsValue::UNDEFINED);
    }
}

fn manager() -> Option<LockManager> {
    let navigator = Reflect::get(&js_sys::global(), &"navigator".into()).ok()?;
    let locks = Reflect::get(&navigator, &"locks".into()).ok()?;
    locks.is_object().then(|| locks.unchecked_into())
}

/// Called by the browser with the lock, or with null; what it returns keeps the lock until it resolves.
fn callback(grant: oneshot::Sender<Option<Release>>) -> Closure<dyn FnMut(JsValue) -> JsValue> {
    Closure::once(move |lock: JsValue| -> JsValue {
        if lock.is_null() {
            let _nobody_asks = grant.send(None);
            return JsValue::UNDEFINED;
        }
        let mut release = None;
        let kept = Promise::new(&mut |resolve, _reject| release = Some(Release(resolve)));
        let _nobody_asks = grant.send(release);
        kept.into()
    })
}

fn options(ask: Ask, abort: Option<&AbortController>) -> Option<JsValue> {
    let options = Object::new();
    let set = |name: &str, value: &JsValue| Reflect::set(&options, &name.into(), value).ok();
    match ask {
        Ask::IfFree => set("ifAvailable", &JsValue::TRUE)?,
        Ask::Steal => set("steal", &JsValue::TRUE)?,
        Ask::InTurn => true,
    };
    if let Some(abort) = abort {
        set("signal", &abort.signal())?;
    }
    Some(options.into())
}
