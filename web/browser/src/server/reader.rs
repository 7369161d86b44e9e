//! Reads for the other tabs when this one leads, and takes what the leader has read when it follows.

use std::cell::{OnceCell, RefCell};
use std::fmt;
use std::rc::{Rc, Weak};

use switchboard_core::ports::Wake;
use switchboard_core::{Clock, Handle};
use switchboard_wire::Event;

use crate::opencode::events::EventStream;
use crate::opencode::http::{Credentials, Fetch, SharedCredentials};
use crate::tabs::share::Shared;
use crate::tabs::{Life, TabEvent, Tabs};

pub(super) struct Reader {
    base: String,
    credentials: SharedCredentials,
    fetch: Fetch,
    clock: Rc<dyn Clock>,
    handle: Handle,
    tabs: Weak<OnceCell<Tabs>>,
    /// The one event stream of all tabs, in the leading one.
    stream: RefCell<Option<EventStream>>,
}

impl Reader {
    pub(super) fn new(
        base: String,
        credentials: SharedCredentials,
        fetch: Fetch,
        clock: Rc<dyn Clock>,
        handle: Handle,
        tabs: &Rc<OnceCell<Tabs>>,
    ) -> Self {
        Self {
            base,
            credentials,
            fetch,
            clock,
            handle,
            tabs: Rc::downgrade(tabs),
            stream: RefCell::default(),
        }
    }

    pub(super) fn hear(&self, event: TabEvent) {
        match event {
            TabEvent::Leads(true) => {
                self.handle.set_leading(true);
                self.open_stream();
            }
            TabEvent::Leads(false) => {
                drop(self.stream.take());
                self.handle.wake(Wake::Lost);
            }
            TabEvent::Shown(shared) => self.observe(&shared),
            TabEvent::Stream(Life::Alive) => self.handle.wake(Wake::Alive),
            TabEvent::Stream(Life::Lost) => self.handle.wake(Wake::Lost),
            TabEvent::Ledger => self.handle.wake(Wake::Ledger),
        }
    }

    pub(super) fn set_credentials(&self, credentials: Option<Credentials>) {
        self.credentials.set(credentials);
        self.handle.credentials_changed();
        if self.stream.take().is_some() {
            self.open_stream();
        }
    }

    pub(super) fn close(&self) {
        drop(self.stream.take());
    }

    /// A tab follows from the moment it is shown something: until then it reads for itself.
    fn observe(&self, shared: &Shared) {
        if let Ok(fetched) = shared.fetched() {
            self.handle.set_leading(false);
            self.handle.observe(&shared.read, fetched, shared.begun);
        }
    }

    fn open_stream(&self) {
        let (handle, following) = (self.handle.clone(), self.handle.clone());
        let tabs = self.tabs.clone();
        let stream = EventStream::open(
            &self.base,
            self.credentials.clone(),
            self.fetch.clone(),
            Rc::clone(&self.clock),
            move |session| following.follows(session),
            move |event| match event {
                Event::Wake(wake) => {
                    let life = match wake {
                        Wake::Connected | Wake::Alive => Some(Life::Alive),
                        Wake::Lost => Some(Life::Lost),
                        Wake::Question(_)
                        | Wake::Permission(_)
                        | Wake::Answered(_)
                        | Wake::Directory(..)
                        | Wake::Focus
                        | Wake::Ledger => None,
                    };
                    if let (Some(life), Some(tabs)) = (life, tabs.upgrade().as_deref().and_then(OnceCell::get)) {
                        tabs.tell(life);
                    }
                    handle.wake(wake);
                }
                Event::Preview(preview) => handle.preview(preview),
            },
        );
        self.stream.replace(Some(stream));
    }
}

impl fmt::Debug for Reader {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Reader").field(&self.base).finish()
    }
}
