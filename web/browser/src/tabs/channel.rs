//! What tabs say to each other. Never a password, and nothing to decide an answer from.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use gloo_events::EventListener;
use js_sys::Reflect;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{BroadcastChannel, MessageEvent};

use crate::tabs::leadership::Word;
use crate::tabs::share::Shared;

/// One thing that a tab says to the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// About leading.
    Word(Word),
    /// What the leader has read.
    Shown(Shared),
    /// The event stream of the leader is alive, or lost.
    Stream(Life),
    /// An entry of the ledger has changed: read it again.
    Ledger,
}

/// Whether an event stream announces what happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// It has just given a sign of life.
    Alive,
    /// It has ended or has fallen silent.
    Lost,
}

/// The channel of one server. Its clones are the same channel; what one says, the others do not hear.
#[derive(Clone)]
pub struct Channel(Rc<Inner>);

struct Inner {
    channel: RefCell<Option<BroadcastChannel>>,
    listener: RefCell<Option<EventListener>>,
}

impl Channel {
    /// The channel with this name; one that leads nowhere where the browser has none.
    #[must_use]
    pub fn open(name: &str) -> Self {
        let is_offered = Reflect::has(&js_sys::global(), &"BroadcastChannel".into()).unwrap_or(false);
        let channel = is_offered.then(|| BroadcastChannel::new(&format!("switchboard:{name}")).ok());
        Self(Rc::new(Inner {
            channel: RefCell::new(channel.flatten()),
            listener: RefCell::default(),
        }))
    }

    /// A channel that leads nowhere.
    #[must_use]
    pub fn closed() -> Self {
        Self(Rc::new(Inner {
            channel: RefCell::default(),
            listener: RefCell::default(),
        }))
    }

    /// False when it leads nowhere.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.0.channel.borrow().is_some()
    }

    /// Says something to the other tabs.
    pub fn post(&self, message: &Message) {
        if let (Some(channel), Some(text)) = (&*self.0.channel.borrow(), message.to_text()) {
            // The browser closes the channel of a page that it freezes. The other tabs read for themselves.
            let _closed = channel.post_message(&JsValue::from(text));
        }
    }

    /// Hears what other tabs say, until the channel is closed. What another version of the page says may be unknown here;
    /// it is left out.
    pub fn listen(&self, hear: impl Fn(Message) + 'static) {
        let channel = self.0.channel.borrow();
        let Some(channel) = &*channel else { return };
        let listener = EventListener::new(channel, "message", move |event| {
            let text = event
                .dyn_ref::<MessageEvent>()
                .and_then(|event| event.data().as_string());
            if let Some(message) = text.as_deref().and_then(Message::from_text) {
                hear(message);
            }
        });
        self.0.listener.replace(Some(listener));
    }

    /// Closes it, for all its clones: it leads nowhere from then on. Node lives for as long as a channel is open.
    pub fn close(&self) {
        drop(self.0.listener.take());
        if let Some(channel) = self.0.channel.take() {
            channel.close();
        }
    }
}

impl fmt::Debug for Channel {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Channel").field(&self.is_open()).finish()
    }
}

impl Message {
    fn to_text(&self) -> Option<String> {
        match self {
            Message::Word(Word::Asks) => Some("asks".to_owned()),
            Message::Word(Word::Leads) => Some("leads".to_owned()),
            Message::Word(Word::Hides) => Some("hides".to_owned()),
            Message::Stream(Life::Alive) => Some("alive".to_owned()),
            Message::Stream(Life::Lost) => Some("lost".to_owned()),
            Message::Ledger => Some("ledger".to_owned()),
            Message::Shown(shared) => shared.encode().map(|text| format!("shown {text}")),
        }
    }

    fn from_text(text: &str) -> Option<Self> {
        match text {
            "asks" => Some(Message::Word(Word::Asks)),
            "leads" => Some(Message::Word(Word::Leads)),
            "hides" => Some(Message::Word(Word::Hides)),
            "alive" => Some(Message::Stream(Life::Alive)),
            "lost" => Some(Message::Stream(Life::Lost)),
            "ledger" => Some(Message::Ledger),
            _ => {
                let shared = Shared::decode(text.strip_prefix("shown ")?)?;
                Some(Message::Shown(shared))
            }
        }
    }
}
