//! This tab among the others of its server.
//!
//! A tab leads while it holds a lock of the browser ([`super::leadership`] decides when to ask for it). Where there are no
//! Web Locks or no BroadcastChannel, each tab leads for itself, and nothing is shared.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::{Rc, Weak};

use switchboard_core::{Clock, Time};

use super::channel::{Channel, Life, Message};
use crate::platform::locks::{self, Ask};
use crate::platform::page::is_visible;
use crate::platform::task::Task;
use crate::tabs::leadership::{Action, Leadership};
use crate::tabs::share::Shared;

/// What a tab learns of the others, and of its own part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TabEvent {
    /// This tab leads from now on, or no longer.
    Leads(bool),
    /// The leader has read this.
    Shown(Shared),
    /// The event stream of the leader is alive, or lost.
    Stream(Life),
    /// Another tab has changed the ledger.
    Ledger,
}

/// This tab among the others. Dropping it leaves them, and closes the channel.
pub struct Tabs(Rc<Part>);

struct Part {
    /// The name of the lock that makes a leader.
    lock_name: String,
    channel: Channel,
    /// Whether the browser has what is needed to lead other tabs.
    leads_others: bool,
    clock: Rc<dyn Clock>,
    tell: Box<dyn Fn(TabEvent)>,
    leadership: RefCell<Leadership>,
    leads: Cell<bool>,
    /// Waits for the lock, then keeps it.
    lock: RefCell<Option<Task>>,
    patience: RefCell<Option<Task>>,
}

impl Tabs {
    /// Joins the tabs that share `name`. `tell` is called later, never before this returns.
    #[must_use]
    pub fn join(name: &str, channel: Channel, clock: Rc<dyn Clock>, tell: impl Fn(TabEvent) + 'static) -> Self {
        let part = Rc::new(Part {
            lock_name: format!("switchboard:{name}:leader"),
            leads_others: locks::are_offered() && channel.is_open(),
            leadership: RefCell::new(Leadership::new(is_visible(), clock.now())),
            channel,
            clock,
            tell: Box::new(tell),
            leads: Cell::new(false),
            lock: RefCell::default(),
            patience: RefCell::default(),
        });
        part.listen();
        part.act();
        Self(part)
    }

    /// Says that this tab is visible, or not.
    pub fn set_visible(&self, is_visible: bool) {
        self.0
            .input(|leadership, now| leadership.handle_visible(is_visible, now));
    }

    /// Shows the other tabs what this one has read. A tab that follows shows nothing.
    pub fn show(&self, shared: Shared) {
        self.0.tell_followers(&Message::Shown(shared));
    }

    /// Tells the other tabs how the event stream of this one is. They have none of their own.
    pub fn tell(&self, life: Life) {
        self.0.tell_followers(&Message::Stream(life));
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        self.channel.close();
    }
}

impl fmt::Debug for Tabs {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Tabs")
            .field("leads", &self.0.leads.get())
            .finish_non_exhaustive()
    }
}

impl Part {
    fn tell_followers(&self, message: &Message) {
        if self.leads.get() && self.leads_others {
            self.channel.post(message);
        }
    }

    fn listen(self: &Rc<Self>) {
        let part = Rc::downgrade(self);
        self.channel.listen(move |message| {
            let Some(part) = part.upgrade() else { return };
            match message {
                Message::Word(word) => part.input(|leadership, now| leadership.handle_word(word, now)),
                Message::Shown(shared) if !part.leads.get() => (part.tell)(TabEvent::Shown(shared)),
                Message::Stream(life) if !part.leads.get() => (part.tell)(TabEvent::Stream(life)),
                Message::Shown(_) | Message::Stream(_) => {}
                Message::Ledger => (part.tell)(TabEvent::Ledger),
            }
        });
    }

    fn input(self: &Rc<Self>, input: impl FnOnce(&mut Leadership, Time)) {
        input(&mut self.leadership.borrow_mut(), self.clock.now());
        self.act();
    }

    fn act(self: &Rc<Self>) {
        loop {
            let Some(action) = self.leadership.borrow_mut().next_action() else {
                break;
            };
            match action {
                Action::Queue => self.ask(Ask::InTurn),
                Action::Take => self.ask(Ask::Steal),
                Action::Say(word) => self.channel.post(&Message::Word(word)),
            }
        }
        let leads = self.leadership.borrow().is_leading();
        if self.leads.replace(leads) != leads {
            (self.tell)(TabEvent::Leads(leads));
        }
        self.await_patience();
    }

    /// Asks for the lock before this returns, and keeps it once it is there.
    fn ask(self: &Rc<Self>, ask: Ask) {
        let asking = self.leads_others.then(|| locks::ask(&self.lock_name, ask)).flatten();
        let part = Rc::downgrade(self);
        let keep = async move {
            let mut lock = match asking {
                Some(asking) => asking.await,
                None => None,
            };
            input(&part, |leadership, _| leadership.handle_granted());
            match &mut lock {
                Some(lock) => lock.lost().await,
                None => std::future::pending().await,
            }
            input(&part, |leadership, _| leadership.handle_taken());
        };
        self.lock.replace(Some(Task::spawn(keep)));
    }

    fn await_patience(self: &Rc<Self>) {
        let deadline = self.leadership.borrow().next_deadline();
        let task = deadline.map(|deadline| {
            let end = self.clock.sleep_until(deadline);
            let part = Rc::downgrade(self);
            Task::spawn(async move {
                end.await;
                input(&part, Leadership::handle_deadline);
            })
        });
        self.patience.replace(task);
    }
}

fn input(part: &Weak<Part>, give: impl FnOnce(&mut Leadership, Time)) {
    if let Some(part) = part.upgrade() {
        part.input(give);
    }
}
