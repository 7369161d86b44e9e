//! Tells of requests by notifications: each once over all tabs, until it is answered anywhere.
//!
//! Every tab decides for itself, hidden or not, so that none depends on another one that stands still. A lock of the
//! browser for each request has one of them tell it. What was told is remembered on the device: a page that is loaded
//! again does not repeat it. What is due at one moment, such as all that waits when the page is opened in the background
//! or when the quiet hours end, is told in one notification.
//!
//! A tab that goes away withdraws its notifications: a click could not open anything any more. No other tab repeats them.

use std::cell::RefCell;
use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::time::Duration;

use leptos::ev::pagehide;
use leptos::prelude::*;
use leptos::task::spawn_local;
use switchboard_browser::device::settings::Settings;
use switchboard_browser::platform::locks::{self, Ask, Lock};
use switchboard_browser::platform::notifications::{Act, Said, Shown, show};
use switchboard_browser::platform::page::{is_looked_at, set_badge};
use switchboard_browser::platform::permission::Permission;
use switchboard_browser::platform::sound;
use switchboard_browser::tabs::Attention;
use switchboard_core::model::RequestId;
use switchboard_core::view::RequestView;
use switchboard_core::{List, SortedSet};

use crate::kit::erased::{Show, effect, live, memo};
use crate::kit::icons::Icon;
use crate::kit::now::{Now, minute_of_day};
use crate::kit::sign::Sign;
use crate::parts::part;
use crate::state::dialogs::{Dialog, Dialogs};
use crate::state::each_server::for_each_server;
use crate::state::navigation::Navigation;
use crate::state::notification_choices::{NotificationChoices, following_permission};
use crate::state::servers::{ServerScope, Servers};
use crate::state::telling::{Occasion, Telling, tag};
use crate::state::workflows::LoopEnd;
use crate::words::notifications::{notification, refusal};
use crate::words::rounds::loop_ended;
use crate::words::session_title::session_title;

/// How long a request waits for the title of its session, so that the notification can name it.
const NAME_COMES: Duration = Duration::from_secs(5);
/// A browser may fire a timer so much early.
const EARLY: Duration = Duration::from_millis(50);

part! {
    /// Tells of requests by notifications, a part.
    other: notifier_part() view! { <Notifiers /> }, || {}
}

/// Tells of the requests of all servers, and has the icon of an installed page count them.
#[component]
fn Notifiers() -> impl IntoView {
    let servers = expect_context::<Servers>();
    let now = expect_context::<Now>();
    let waiting = memo(move || servers.waiting());
    let minute = memo(move || minute_of_day(now.get()));
    effect(move || {
        // Another tab that was closed has taken the count away.
        minute.track();
        set_badge(waiting.get());
    });
    let leaving = window_event_listener(pagehide, |_| set_badge(0));
    on_cleanup(move || {
        leaving.remove();
        set_badge(0);
    });
    for_each_server(servers, || view! { <Notifier /> }.into_any())
}

/// Tells of the requests of a server, and says why a person who wants to be told is not.
#[component]
fn Notifier() -> impl IntoView {
    let servers = expect_context::<Servers>();
    let scope = expect_context::<ServerScope>();
    let store = scope.store;
    let base = scope.connection.base();
    let now = expect_context::<Now>();
    let choices = expect_context::<NotificationChoices>();
    let permission = following_permission();
    let is_watched = RwSignal::new(is_looked_at());
    let teller = Rc::new(Teller {
        scope,
        permission,
        navigation: expect_context::<Navigation>(),
        attention: Attention::begin(&base, move || {
            is_watched.try_set(is_looked_at());
        }),
        now,
        overdue: RwSignal::new(()),
        known: RefCell::default(),
        unnamed: RefCell::default(),
        told: RefCell::default(),
        ended: RefCell::default(),
    });
    choices.follow();
    let is_listed = memo(move || store.server().read().listed);
    let minute = memo(move || minute_of_day(now.get()));
    let overdue = teller.overdue;
    let teller = StoredValue::new_local(teller);
    effect(move || {
        overdue.track();
        let (settings, muted) = (choices.settings(), choices.muted());
        let occasion = Occasion {
            settings: &settings,
            muted: &muted,
            minute: minute.get(),
            is_looked_at: is_watched.get(),
        };
        let is_allowed = permission.get() == Permission::Granted;
        let requests = store.requests().get();
        // Until then requests come directory by directory.
        if is_listed.get() {
            teller.with_value(|teller| teller.observe(&requests, &occasion, is_allowed));
        }
    });
    let ends = scope.loops.ends();
    let begun = now.exact();
    effect(move || {
        let (settings, muted) = (choices.settings(), choices.muted());
        let occasion = Occasion {
            settings: &settings,
            muted: &muted,
            minute: minute.get(),
            is_looked_at: is_watched.get(),
        };
        let is_allowed = permission.get() == Permission::Granted;
        // What ended before was told by the tab that was there.
        let recent = ends.with(|ends| ends.iter().filter(|end| end.at >= begun).cloned().collect::<Vec<_>>());
        teller.with_value(|teller| teller.observe_ends(recent, &occasion, is_allowed));
    });
    let leave = move || {
        teller.try_with_value(|teller| teller.withdraw());
    };
    let leaving = window_event_listener(pagehide, move |_| leave());
    on_cleanup(move || {
        leaving.remove();
        leave();
    });
    // One of several servers says it for all.
    let is_first = memo(move || {
        servers
            .list()
            .read()
            .first()
            .is_some_and(|first| first.key == scope.key)
    });
    view! { <Show when=move || is_first.get()><Refusal choices permission /></Show> }
}

/// Why a person who wants to be told is not, and what to do about it.
#[component]
fn Refusal(choices: NotificationChoices, permission: RwSignal<Permission>) -> impl IntoView {
    let dialogs = expect_context::<Dialogs>();
    let words = memo(move || choices.settings().is_on.then(|| refusal(permission.get()))?);
    live(move || {
        let words = words.get()?;
        let row = view! {
            <div class="connection-place">
                <div class="connection" role="region" aria-label="Notifications">
                    <div class="connection-row">
                        <Icon sign=Sign::Triangle />
                        <p class="connection-text" role="status">{words}</p>
                        <button type="button" class="button" on:click=move |_| dialogs.open(Dialog::Settings)>
                            "Settings"
                        </button>
                        <button
                            type="button"
                            class="button button-quiet"
                            on:click=move |_| choices.change(|settings| settings.is_on = false)
                        >
                            "Turn off"
                        </button>
                    </div>
                </div>
            </div>
        };
        Some(row.into_any())
    })
}

/// Tells of requests, and remembers of which. Dropping it withdraws its notifications.
struct Teller {
    scope: ServerScope,
    permission: RwSignal<Permission>,
    navigation: Navigation,
    attention: Attention,
    now: Now,
    /// Changes when a request has waited long enough for the title of its session.
    overdue: RwSignal<()>,
    /// Requests that need no other look: told here or elsewhere, or seen.
    known: RefCell<SortedSet<RequestId>>,
    /// Requests that are not told yet because the title of their session is not known.
    unnamed: RefCell<SortedSet<RequestId>>,
    told: RefCell<Vec<Told>>,
    /// What tells of loops that have ended, with the right to tell of each.
    ended: RefCell<Vec<(Option<Shown>, Option<Lock>)>>,
}

/// What one notification tells.
struct Told {
    /// The requests that it is about, the oldest first.
    requests: Vec<Claimed>,
    /// None once a person has put it away.
    shown: Option<Shown>,
}

/// A request that no other tab tells.
struct Claimed {
    request: RequestId,
    _lock: Option<Lock>,
}

impl Teller {
    fn base(&self) -> String {
        self.scope.connection.base()
    }

    /// Withdraws what is over, and tells what is due.
    fn observe(self: &Rc<Self>, requests: &List<RequestView>, occasion: &Occasion<'_>, is_allowed: bool) {
        self.withdraw_ended(requests, |view| is_allowed && occasion.allows(view));
        let is_new =
            |view: &&Arc<RequestView>| view.state.is_waiting() && !self.known.borrow().contains(&view.request.id);
        let new: Vec<&RequestId> = requests.iter().filter(is_new).map(|view| &view.request.id).collect();
        if new.is_empty() {
            return;
        }
        let told = Settings::open().told(&self.base());
        let mut due = Vec::new();
        for view in requests.iter().filter(|view| new.contains(&&view.request.id)) {
            let id = &view.request.id;
            match occasion.telling(view) {
                _ if told.contains(id) => {}
                Telling::Seen => Settings::open().add_told(&self.base(), id),
                Telling::Tell if is_allowed && self.is_awaiting_name(view) => continue,
                Telling::Tell if is_allowed => due.push(id.clone()),
                Telling::Tell | Telling::NotNow => continue,
            }
            self.known.borrow_mut().insert(id.clone());
        }
        if !due.is_empty() {
            spawn_local(Rc::clone(self).tell(due));
        }
    }

    /// Whether the title of its session may still come: a request is often known before its session was read.
    fn is_awaiting_name(&self, view: &RequestView) -> bool {
        let is_named = view.origin.last().is_some_and(|session| !session.title.is_empty());
        if is_named || view.seen + NAME_COMES <= self.now.exact() + EARLY {
            return false;
        }
        if self.unnamed.borrow_mut().insert(view.request.id.clone()) {
            let overdue = self.overdue;
            let look_again = move || {
                overdue.try_set(());
            };
            set_timeout(look_again, NAME_COMES);
        }
        true
    }

    /// Tells all of these in one notification, but for those that another tab tells.
    async fn tell(self: Rc<Self>, due: Vec<RequestId>) {
        let claimed = if self.attention.is_anywhere().await {
            Vec::new()
        } else {
            self.claim(&due).await
        };
        // Where they are told or seen they are remembered. A tab that went before it did so leaves them to the next look.
        let is_claimed = |id: &RequestId| claimed.iter().any(|claimed| claimed.request == *id);
        self.known.borrow_mut().retain(|id| !due.contains(id) || is_claimed(id));
        self.tell_claimed(claimed);
    }

    /// Those of these that no other tab tells.
    async fn claim(&self, due: &[RequestId]) -> Vec<Claimed> {
        let mut claimed = Vec::new();
        for request in due {
            let name = format!("switchboard:{}:told:{request}", self.base());
            let lock = match locks::ask(&name, Ask::IfFree) {
                Some(asking) => match asking.await {
                    Some(lock) => Some(lock),
                    None => continue,
                },
                None => None,
            };
            if !Settings::open().told(&self.base()).contains(request) {
                claimed.push(Claimed {
                    request: request.clone(),
                    _lock: lock,
                });
            }
        }
        claimed
    }

    /// Tells all of these in one notification, but for those that have been answered meanwhile.
    fn tell_claimed(self: &Rc<Self>, mut claimed: Vec<Claimed>) {
        let Some(requests) = self.scope.store.requests().try_get_untracked() else {
            return;
        };
        claimed.retain(|claimed| {
            let is_it = |view: &Arc<RequestView>| view.request.id == claimed.request && view.state.is_waiting();
            requests.iter().any(is_it)
        });
        if claimed.is_empty() {
            return;
        }
        for claimed in &claimed {
            Settings::open().add_told(&self.base(), &claimed.request);
        }
        let shown = self.show(&claimed, &requests);
        if shown.is_none() {
            self.permission.try_set(Permission::Unsupported);
        } else if Settings::open().notifications().has_sound {
            sound::play();
        }
        self.told.borrow_mut().push(Told {
            requests: claimed,
            shown,
        });
    }

    /// Tells of loops that have ended, each once.
    fn observe_ends(self: &Rc<Self>, ends: Vec<LoopEnd>, occasion: &Occasion<'_>, is_allowed: bool) {
        for end in ends {
            let id = RequestId::from(end.workflow.as_str());
            if self.known.borrow().contains(&id) {
                continue;
            }
            match occasion.telling_end(&end.directory) {
                Telling::Seen => Settings::open().add_told(&self.base(), &id),
                Telling::Tell if is_allowed => spawn_local(Rc::clone(self).tell_end(id.clone(), end)),
                Telling::Tell | Telling::NotNow => continue,
            }
            self.known.borrow_mut().insert(id);
        }
    }

    /// Tells of a loop that has ended, unless another tab does. `id` stands for it among what was told.
    async fn tell_end(self: Rc<Self>, id: RequestId, end: LoopEnd) {
        if self.attention.is_anywhere().await {
            return;
        }
        let name = format!("switchboard:{}:told:{id}", self.base());
        let lock = match locks::ask(&name, Ask::IfFree) {
            Some(asking) => match asking.await {
                Some(lock) => Some(lock),
                None => return,
            },
            None => None,
        };
        if Settings::open().told(&self.base()).contains(&id) {
            return;
        }
        Settings::open().add_told(&self.base(), &id);
        let Some(sessions) = self.scope.store.sessions().try_get_untracked() else {
            return;
        };
        let session = sessions.iter().find(|view| view.session.id == end.session);
        let session = session.map_or_else(|| "A session".to_owned(), |view| session_title(&view.session.title));
        let said = Said {
            title: loop_ended(&session),
            body: end.words,
            tag: tag(&self.base(), std::slice::from_ref(&id)),
        };
        let place = self.scope.checks(end.session);
        let navigation = self.navigation;
        let shown = show(&said, move |act| {
            if act == Act::Clicked {
                // A browser that does not give the focus leaves the page where it is.
                let _ = window().focus();
                navigation.go(&place);
            }
        });
        if shown.is_some() && Settings::open().notifications().has_sound {
            sound::play();
        }
        self.ended.borrow_mut().push((shown, lock));
    }

    /// Withdraws what tells only of requests that are no longer to be told, and counts the others anew.
    fn withdraw_ended(self: &Rc<Self>, requests: &List<RequestView>, is_wanted: impl Fn(&RequestView) -> bool) {
        self.told.borrow_mut().retain_mut(|told| {
            let before = told.requests.len();
            told.requests.retain(|claimed| {
                let is_it = |view: &Arc<RequestView>| view.request.id == claimed.request && is_wanted(view);
                requests.iter().any(is_it)
            });
            let has_changed = told.requests.len() < before && !told.requests.is_empty();
            if has_changed && told.shown.take().is_some() {
                told.shown = self.show(&told.requests, requests);
            }
            !told.requests.is_empty()
        });
    }

    /// Withdraws everything.
    fn withdraw(&self) {
        self.told.borrow_mut().clear();
        self.ended.borrow_mut().clear();
    }

    fn show(self: &Rc<Self>, claimed: &[Claimed], requests: &List<RequestView>) -> Option<Shown> {
        let ids: Vec<RequestId> = claimed.iter().map(|claimed| claimed.request.clone()).collect();
        let views: Vec<&RequestView> = requests
            .iter()
            .filter(|view| ids.contains(&view.request.id))
            .map(|view| &**view)
            .collect();
        let (title, body) = notification(&views);
        let tag = tag(&self.base(), &ids);
        let (teller, first) = (Rc::downgrade(self), ids.first()?.clone());
        show(&Said { title, body, tag }, move |act| acted(&teller, &first, act))
    }
}

/// A click opens the request, of several the oldest; then the notification is gone.
fn acted(teller: &Weak<Teller>, request: &RequestId, act: Act) {
    let Some(teller) = teller.upgrade() else { return };
    if act == Act::Clicked {
        // A browser that does not give the focus leaves the page where it is; the request is open in it.
        let _ = window().focus();
        teller.navigation.go(&teller.scope.request(request.clone()));
    }
    for told in &mut *teller.told.borrow_mut() {
        if told.requests.iter().any(|claimed| claimed.request == *request) {
            told.shown = None;
        }
    }
}
