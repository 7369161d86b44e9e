//! Reads for the other tabs when this one leads, and takes what the leader has read when it follows.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use switchboard_core::ports::Wake;
use switchboard_core::{Clock, Handle};
use switchboard_wire::{self as wire, Event};

use crate::opencode::events::EventStream;
use crate::opencode::http::{Credentials, Fetch, SharedCredentials};
use crate::tabs::TabEvent;
use crate::tabs::share::Shared;

pub(super) struct Reader {
    base: String,
    credentials: SharedCredentials,
    fetch: Fetch,
    clock: Rc<dyn Clock>,
    handle: Handle,
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
    ) -> Self {
        Self {
            base,
            credentials,
            fetch,
            clock,
            handle,
            stream: RefCell::default(),
        }
    }

    pub(super) fn hear(&self, event: TabEvent) {
        match event {
            TabEvent::Leads(true) => {
                self.handle.set_leading(true);
                self.open_stream();
            }
            TabEvent::Leads(false) => drop(self.stream.take()),
            TabEvent::Shown(shared) => self.observe(&shared),
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
        if let Ok(fetched) = wire::decode(&shared.read, &shared.body, shared.cursor.as_deref()) {
            self.handle.set_leading(false);
            self.handle.observe(&shared.read, fetched, shared.begun);
        }
    }

    fn open_stream(&self) {
        let handle = self.handle.clone();
        let stream = EventStream::open(
            &self.base,
            self.credentials.clone(),
            self.fetch.clone(),
            Rc::clone(&self.clock),
            move |event| match event {
                Event::Wake(wake) => handle.wake(wake),
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
