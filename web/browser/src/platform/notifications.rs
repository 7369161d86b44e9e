//! Notifications of the operating system, as the browser lets a page show them.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use gloo_events::EventListener;
use js_sys::{Object, Promise, Reflect};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{
    EventTarget, Notification, NotificationOptions, NotificationPermission, PermissionStatus, Permissions, Window,
};

use crate::platform::permission::Permission;

/// Returns the permission as it is at this moment.
#[must_use]
pub fn permission() -> Permission {
    if !has(&js_sys::global(), "Notification") {
        return Permission::Unsupported;
    }
    if window().is_some_and(|window| !window.is_secure_context()) {
        return Permission::Insecure;
    }
    match Notification::permission() {
        NotificationPermission::Granted => Permission::Granted,
        NotificationPermission::Denied => Permission::Refused,
        NotificationPermission::Default | _ => Permission::NotAsked,
    }
}

/// Has the browser ask the person, once, and returns what came of it. Browsers want a click or a key press for it.
pub async fn ask() -> Permission {
    if permission() == Permission::NotAsked
        && let Ok(asked) = Notification::request_permission()
    {
        // What was said is read below; a browser that refuses to ask has not changed it.
        let _said = JsFuture::from(asked).await;
    }
    permission()
}

/// Watches the permission until it is dropped: a person can withdraw it in the browser at any time.
#[derive(Debug)]
pub struct PermissionWatch {
    _focus: Option<EventListener>,
    _change: Rc<RefCell<Option<EventListener>>>,
}

impl PermissionWatch {
    /// Calls `tell` when the permission may have changed. A browser that does not say so is asked when the page gets the
    /// focus: its settings lie outside of the page.
    #[must_use]
    pub fn begin(tell: impl Fn() + Clone + 'static) -> Self {
        let focus = window().map(|window| {
            let tell = tell.clone();
            EventListener::new(&window, "focus", move |_| tell())
        });
        let change = Rc::<RefCell<Option<EventListener>>>::default();
        let place = Rc::downgrade(&change);
        spawn_local(async move {
            let status = status().await;
            if let (Some(status), Some(place)) = (status, place.upgrade()) {
                place.replace(Some(EventListener::new(&status, "change", move |_| tell())));
            }
        });
        Self {
            _focus: focus,
            _change: change,
        }
    }
}

async fn status() -> Option<EventTarget> {
    let navigator = window()?.navigator();
    if !has(&navigator, "permissions") {
        return None;
    }
    let permissions: Permissions = navigator.permissions().ok()?;
    let wanted = Object::new();
    Reflect::set(&wanted, &"name".into(), &"notifications".into()).ok()?;
    let asked: Promise = permissions.query(&wanted).ok()?;
    let status: PermissionStatus = JsFuture::from(asked).await.ok()?.dyn_into().ok()?;
    Some(status.into())
}

/// What a notification says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// The title.
    pub title: String,
    /// The text below it.
    pub body: String,
    /// Notifications with the same tag replace each other without a sound.
    pub tag: String,
}

/// A notification that was shown. Dropping it withdraws it.
pub struct Shown {
    notification: Notification,
    _listeners: [EventListener; 2],
}

/// What a person did with a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Clicked on it.
    Clicked,
    /// Put it away; or the system did.
    Closed,
}

/// Shows a notification, silently. `tell` is called later, never before this returns.
///
/// `None` where the browser shows none although it has allowed it: phones do so for pages without a service worker.
#[must_use]
pub fn show(said: &Said, tell: impl Fn(Act) + Clone + 'static) -> Option<Shown> {
    let options = NotificationOptions::new();
    options.set_body(&said.body);
    options.set_tag(&said.tag);
    options.set_silent(Some(true));
    let notification = Notification::new_with_options(&said.title, &options).ok()?;
    let listen = |event: &'static str, act: Act| {
        let tell = tell.clone();
        EventListener::new(&notification, event, move |_| tell(act))
    };
    let _listeners = [listen("click", Act::Clicked), listen("close", Act::Closed)];
    Some(Shown {
        notification,
        _listeners,
    })
}

impl Drop for Shown {
    fn drop(&mut self) {
        self.notification.close();
    }
}

impl fmt::Debug for Shown {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Shown")
    }
}

fn has(object: &Object, name: &str) -> bool {
    Reflect::has(object, &name.into()).unwrap_or(false)
}

fn window() -> Option<Window> {
    js_sys::global().dyn_into().ok()
}
