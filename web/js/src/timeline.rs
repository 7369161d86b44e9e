//! The messages of one session while they come, as a plain object.

use std::cell::Cell;
use std::future::ready;
use std::rc::Rc;
use std::sync::Arc;

use futures::{Stream, StreamExt};
use switchboard_core::Handle;
use switchboard_core::model::{Message, PartBody, PartId, SessionId};
use switchboard_core::view::{Older, Timeline};
use wasm_bindgen::prelude::*;

use super::board::Board;
use super::iterator::EngineIterator;
use super::object::object;
use super::plain::plain;
use super::snapshots::Objects;
use super::turn::MessageShape;

#[wasm_bindgen]
impl Board {
    /// The messages of a session, and the newest state of them whenever that has changed. One session of a board is open at a
    /// time: opening another ends it.
    #[wasm_bindgen(unchecked_return_type = "Items<Timeline>")]
    pub fn timeline(&self, #[wasm_bindgen(js_name = "sessionId")] session: String) -> Result<EngineIterator, JsValue> {
        let server = self.server("timeline")?;
        let opening = Opening::new(server.handle(), &self.openings, session.into());
        Ok(EngineIterator::new(server, timelines(opening)))
    }

    /// Asks for the messages before the oldest one of the session that is open.
    #[wasm_bindgen(js_name = loadOlder)]
    pub fn load_older(&self) {
        self.tell(Handle::load_older);
    }
}

/// A session that is open for as long as this lives, or until another one is opened.
struct Opening {
    handle: Handle,
    session: SessionId,
    /// How many sessions were opened.
    openings: Rc<Cell<u64>>,
    number: u64,
}

impl Opening {
    fn new(handle: &Handle, openings: &Rc<Cell<u64>>, session: SessionId) -> Self {
        let number = openings.get() + 1;
        openings.set(number);
        handle.open(Some(&session));
        Self {
            handle: handle.clone(),
            session,
            openings: Rc::clone(openings),
            number,
        }
    }

    fn is_current(&self) -> bool {
        self.openings.get() == self.number
    }
}

impl Drop for Opening {
    fn drop(&mut self) {
        if self.is_current() {
            self.handle.open(None);
        }
    }
}

fn timelines(opening: Opening) -> impl Stream<Item = Result<JsValue, JsValue>> {
    let opening = Rc::new(opening);
    let current = Rc::clone(&opening);
    let mut seen: Option<Arc<Timeline>> = None;
    let mut objects = Objects::default();
    opening
        .handle
        .views()
        .take_while(move |_| ready(current.is_current()))
        .filter_map(move |view| {
            let timeline = view.timeline.clone();
            let ours = timeline.filter(|timeline| timeline.session == opening.session);
            let news = ours.filter(|timeline| seen.as_ref() != Some(timeline));
            if let Some(timeline) = &news {
                seen = Some(Arc::clone(timeline));
            }
            ready(news.map(|timeline| to_js(&timeline, &mut objects)))
        })
}

/// Messages that have not changed are the same objects as before.
fn to_js(timeline: &Timeline, objects: &mut Objects<Message>) -> Result<JsValue, JsValue> {
    let messages: Vec<Arc<Message>> = timeline
        .messages
        .iter()
        .map(|message| shown(message, timeline))
        .collect();
    let abandoned: Vec<_> = timeline.abandoned.iter().map(PartId::as_str).collect();
    let older = match timeline.older {
        Older::Unknown => "unknown",
        Older::None => "none",
        Older::Available => "available",
        Older::Loading => "loading",
    };
    object(&[
        ("session", timeline.session.as_str().into()),
        (
            "messages",
            objects.list(&messages, |message| plain(&MessageShape::from(message)))?,
        ),
        ("older", older.into()),
        ("abandoned", plain(&abandoned)?),
        ("catchingUp", timeline.catching_up.into()),
        ("problem", plain(&timeline.problem)?),
        ("fallback", plain(&timeline.fallback)?),
    ])
}

/// A message with the text that streams, where that is ahead of what the server has shown.
fn shown(message: &Arc<Message>, timeline: &Timeline) -> Arc<Message> {
    let mut shown = Arc::clone(message);
    for (at, part) in message.parts.iter().enumerate() {
        let Some(preview) = timeline.previews.get(&part.id) else {
            continue;
        };
        if let PartBody::Text { text, .. } | PartBody::Reasoning { text, .. } =
            &mut Arc::make_mut(&mut shown).parts[at].body
            && text.len() < preview.len()
        {
            preview.as_ref().clone_into(text);
        }
    }
    shown
}
