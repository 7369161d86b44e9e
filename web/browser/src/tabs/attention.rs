//! Whether a person looks at one of the tabs of a server.
//!
//! The tab that has the focus holds a lock of the browser, which every tab can see. A hidden tab holds none, and a closed
//! one has given it back.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use gloo_events::EventListener;
use wasm_bindgen::JsCast;
use web_sys::{EventTarget, Window};

use crate::platform::locks::{self, Ask};
use crate::platform::page::is_looked_at;
use crate::platform::task::Task;

/// Says whether a person looks at this tab or at another one of the same server, until it is dropped.
pub struct Attention {
    lock_name: String,
    _listeners: Vec<EventListener>,
}

impl Attention {
    /// Joins the tabs that share `name`. `tell` is called when a person begins or ceases to look at this one.
    #[must_use]
    pub fn begin(name: &str, tell: impl Fn() + Clone + 'static) -> Self {
        let lock_name = format!("switchboard:{name}:looked-at");
        let lock = Rc::new(RefCell::new(None::<Task>));
        let follow = {
            let lock_name = lock_name.clone();
            move || follow(&lock_name, &lock)
        };
        follow();
        let mut _listeners = Vec::new();
        if let Ok(window) = js_sys::global().dyn_into::<Window>() {
            let document = window.document().map(EventTarget::from);
            let window = EventTarget::from(window);
            let events = [
                (Some(&window), "focus"),
                (Some(&window), "blur"),
                (document.as_ref(), "visibilitychange"),
            ];
            for (target, event) in events {
                let (follow, tell) = (follow.clone(), tell.clone());
                let changed = move |_: &web_sys::Event| {
                    follow();
                    tell();
                };
                _listeners.extend(target.map(|target| EventListener::new(target, event, changed)));
            }
        }
        Self { lock_name, _listeners }
    }

    /// Whether a person looks at any of the tabs.
    pub async fn is_anywhere(&self) -> bool {
        is_looked_at() || locks::is_held(&self.lock_name).await
    }
}

impl fmt::Debug for Attention {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Attention").field(&self.lock_name).finish()
    }
}

/// Holds the lock while the tab is looked at.
fn follow(lock_name: &str, lock: &RefCell<Option<Task>>) {
    let is_held = lock.borrow().is_some();
    if is_held == is_looked_at() {
        return;
    }
    let asking = (!is_held).then(|| locks::ask(lock_name, Ask::InTurn)).flatten();
    lock.replace(asking.map(|asking| {
        Task::spawn(async move {
            let _lock = asking.await;
            std::future::pending::<()>().await;
        })
    }));
}
