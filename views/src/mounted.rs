//! Views as they are shown: builds them, changes them in their place, and takes them away.
//!
//! A view that takes the place of another of the same shape takes over its elements, so that focus, scroll and selection
//! stay where they are.

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

use reactive_graph::owner::Owner;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{Element, Event, HtmlTemplateElement, Node, Text};

use crate::attribute::{Place, Source, Value};
use crate::browser::document;
use crate::effect::RenderEffect;
use crate::element::{Attribute, Parts};
use crate::keyed::{MountedRows, Rows};
use crate::view::{Kind, View};

pub(crate) enum Mounted {
    Nothing(Node),
    Text(Text, Cow<'static, str>),
    Element(Box<MountedElement>),
    Markup(Node, &'static str),
    List(Vec<Mounted>, Node),
    Live(Option<RenderEffect>, Slot),
    Keyed(
        #[expect(dead_code, reason = "dropping it ends it")] RenderEffect,
        Rc<RefCell<MountedRows>>,
        Node,
    ),
}

/// What a function has returned last, once it was called.
type Slot = Rc<RefCell<Option<Mounted>>>;

impl View {
    pub(crate) fn build(self) -> Mounted {
        match self.0 {
            Kind::Nothing => Mounted::Nothing(mark()),
            Kind::Text(text) => Mounted::Text(document().create_text_node(&text), text),
            Kind::Element(parts) => Mounted::Element(Box::new(MountedElement::new(*parts))),
            Kind::Markup(markup, around) => Mounted::Markup(parse(markup, around), markup),
            Kind::List(views) => Mounted::List(views.into_iter().map(View::build).collect(), mark()),
            Kind::Live(run) => {
                let slot = Slot::default();
                Mounted::Live(Some(follow(run, &slot)), slot)
            }
            Kind::Keyed(rows) => build_keyed(rows),
        }
    }
}

impl Mounted {
    /// Shows another view in this place.
    pub(crate) fn rebuild(&mut self, view: View) {
        match (&mut *self, view.0) {
            (Self::Nothing(_), Kind::Nothing) => {}
            (Self::Text(node, shown), Kind::Text(text)) => {
                if *shown != text {
                    node.set_data(&text);
                    *shown = text;
                }
            }
            (Self::Element(element), Kind::Element(parts)) if element.fits(&parts) => element.rebuild(*parts),
            (Self::Markup(_, shown), Kind::Markup(markup, _)) if *shown == markup => {}
            (Self::List(items, end), Kind::List(views)) => {
                let parent = end.parent_node();
                rebuild_list(items, views, parent.as_ref(), Some(end));
            }
            (Self::Live(effect, slot), Kind::Live(run)) => {
                // What the old function has left is cleaned up before the new one runs.
                *effect = None;
                *effect = Some(follow(run, slot));
            }
            (_, kind) => self.replace(View(kind).build()),
        }
    }

    fn replace(&mut self, new: Mounted) {
        let first = self.first();
        if let Some(parent) = first.parent_node() {
            new.mount(&parent, Some(&first));
        }
        self.unmount();
        *self = new;
    }

    /// Puts it into the document.
    pub(crate) fn mount(&self, parent: &Node, before: Option<&Node>) {
        let insert = |node: &Node| drop(parent.insert_before(node, before));
        match self {
            Self::Nothing(node) | Self::Markup(node, _) => insert(node),
            Self::Text(text, _) => insert(text),
            Self::Element(element) => insert(&element.node),
            Self::List(items, end) => {
                for item in items {
                    item.mount(parent, before);
                }
                insert(end);
            }
            Self::Live(_, slot) => {
                if let Some(content) = &*slot.borrow() {
                    content.mount(parent, before);
                }
            }
            Self::Keyed(_, rows, end) => {
                rows.borrow().mount(parent, before);
                insert(end);
            }
        }
    }

    /// Takes it out of the document.
    pub(crate) fn unmount(&self) {
        match self {
            Self::Nothing(node) | Self::Markup(node, _) => remove(node),
            Self::Text(text, _) => remove(text),
            Self::Element(element) => remove(&element.node),
            Self::List(items, end) => {
                items.iter().for_each(Self::unmount);
                remove(end);
            }
            Self::Live(_, slot) => {
                if let Some(content) = &*slot.borrow() {
                    content.unmount();
                }
            }
            Self::Keyed(_, rows, end) => {
                rows.borrow().unmount();
                remove(end);
            }
        }
    }

    /// Its first node.
    pub(crate) fn first(&self) -> Node {
        match self {
            Self::Nothing(node) | Self::Markup(node, _) => node.clone(),
            Self::Text(text, _) => text.clone().into(),
            Self::Element(element) => element.node.clone().into(),
            Self::List(items, end) => items.first().map_or_else(|| end.clone(), Self::first),
            Self::Live(_, slot) => slot.borrow().as_ref().map_or_else(mark, Self::first),
            Self::Keyed(_, rows, end) => rows.borrow().first().unwrap_or_else(|| end.clone()),
        }
    }

    /// Its last node.
    pub(crate) fn last(&self) -> Node {
        match self {
            Self::Nothing(node) | Self::Markup(node, _) | Self::List(_, node) | Self::Keyed(_, _, node) => node.clone(),
            Self::Text(text, _) => text.clone().into(),
            Self::Element(element) => element.node.clone().into(),
            Self::Live(_, slot) => slot.borrow().as_ref().map_or_else(mark, Self::last),
        }
    }
}

/// A node that nobody sees, where there is nothing or something ends.
fn mark() -> Node {
    document().create_comment("").into()
}

/// Markup comes from views alone: it is part of the program.
fn parse(markup: &str, around: Option<&str>) -> Node {
    let template: HtmlTemplateElement = document()
        .create_element("template")
        .expect("the name is one")
        .unchecked_into();
    let content = match around {
        None => {
            template.set_inner_html(markup);
            template.content().first_child()
        }
        Some(around) => {
            template.set_inner_html(&format!("<{around}>{markup}</{around}>"));
            template.content().first_child().and_then(|around| around.first_child())
        }
    };
    content.unwrap_or_else(mark)
}

fn remove(node: &Node) {
    if let Some(parent) = node.parent_node() {
        drop(parent.remove_child(node));
    }
}

fn rebuild_list(items: &mut Vec<Mounted>, views: Vec<View>, parent: Option<&Node>, end: Option<&Node>) {
    for gone in items.drain(views.len().min(items.len())..) {
        gone.unmount();
    }
    let mut views = views.into_iter();
    for (item, view) in items.iter_mut().zip(views.by_ref()) {
        item.rebuild(view);
    }
    for view in views {
        let item = view.build();
        if let Some(parent) = parent {
            item.mount(parent, end);
        }
        items.push(item);
    }
}

/// Shows what a function returns. An effect outlives its end by a moment: it must not hold what is shown.
fn follow(mut run: Box<dyn FnMut() -> View>, slot: &Slot) -> RenderEffect {
    let slot = Rc::downgrade(slot);
    RenderEffect::new(Box::new(move || {
        let Some(slot) = slot.upgrade() else { return };
        let view = run();
        let mut slot = slot.borrow_mut();
        match &mut *slot {
            Some(content) => content.rebuild(view),
            None => *slot = Some(view.build()),
        }
    }))
}

fn build_keyed(mut rows: Box<dyn FnMut() -> Rows>) -> Mounted {
    let end = mark();
    let shown = Rc::<RefCell<MountedRows>>::default();
    let effect = {
        let (end, shown) = (end.clone(), Rc::downgrade(&shown));
        RenderEffect::new(Box::new(move || {
            let Some(shown) = shown.upgrade() else { return };
            let rows = rows();
            shown.borrow_mut().update(rows, &end);
        }))
    };
    Mounted::Keyed(effect, shown, end)
}

/// An element in the document, with what keeps it true.
pub(crate) struct MountedElement {
    node: Element,
    tag: &'static str,
    attributes: Vec<MountedAttribute>,
    children: Vec<Mounted>,
}

enum MountedAttribute {
    Fixed(Place, Value),
    Live(Place, Option<RenderEffect>),
    Listener(#[expect(dead_code, reason = "dropping it ends it")] Listener),
    Reference,
}

impl MountedElement {
    fn new(parts: Parts) -> Self {
        let node = match parts.namespace {
            None => document().create_element(parts.tag),
            Some(namespace) => document().create_element_ns(Some(namespace), parts.tag),
        }
        .expect("the names in views are names of elements");
        let attributes = parts
            .attributes
            .into_iter()
            .map(|attribute| MountedAttribute::new(&node, attribute))
            .collect();
        let children: Vec<Mounted> = parts.children.into_iter().map(View::build).collect();
        for child in &children {
            child.mount(&node, None);
        }
        Self {
            node,
            tag: parts.tag,
            attributes,
            children,
        }
    }

    /// True when the element can become another one in its place.
    fn fits(&self, parts: &Parts) -> bool {
        let mut pairs = self.attributes.iter().zip(&parts.attributes);
        self.tag == parts.tag
            && self.attributes.len() == parts.attributes.len()
            && pairs.all(|(old, new)| old.fits(new))
    }

    fn rebuild(&mut self, parts: Parts) {
        for (old, new) in self.attributes.iter_mut().zip(parts.attributes) {
            old.rebuild(&self.node, new);
        }
        rebuild_list(&mut self.children, parts.children, Some(&self.node), None);
    }
}

impl MountedAttribute {
    fn new(element: &Element, attribute: Attribute) -> Self {
        match attribute {
            Attribute::Value(place, Source::Fixed(value)) => {
                if !matches!(value, Value::Absent | Value::Flag(false)) || matches!(place, Place::Property(_)) {
                    place.set(element, &value);
                }
                Self::Fixed(place, value)
            }
            Attribute::Value(place, Source::Live(run)) => Self::Live(place, Some(keep(element, place, run))),
            Attribute::Listener(name, handle) => Self::Listener(Listener::new(element, name, handle)),
            Attribute::Reference(reference) => {
                reference.set(Some(element.clone()));
                Self::Reference
            }
        }
    }

    fn fits(&self, attribute: &Attribute) -> bool {
        match (self, attribute) {
            (Self::Fixed(old, _) | Self::Live(old, _), Attribute::Value(new, _)) => old == new,
            (Self::Listener(_), Attribute::Listener(..)) | (Self::Reference, Attribute::Reference(_)) => true,
            _ => false,
        }
    }

    fn rebuild(&mut self, element: &Element, attribute: Attribute) {
        match (&mut *self, attribute) {
            (Self::Fixed(Place::Attribute(_), old), Attribute::Value(_, Source::Fixed(new))) if *old == new => {}
            (Self::Fixed(_, old), Attribute::Value(place, Source::Fixed(new))) => {
                place.set(element, &new);
                *old = new;
            }
            (Self::Live(_, effect), Attribute::Value(place, Source::Live(run))) => {
                *effect = None;
                *effect = Some(keep(element, place, run));
            }
            (_, attribute) => *self = Self::new(element, attribute),
        }
    }
}

/// Keeps a value of an element what a function returns.
fn keep(element: &Element, place: Place, mut run: Box<dyn FnMut() -> Value>) -> RenderEffect {
    let element = element.clone();
    let mut shown = None;
    RenderEffect::new(Box::new(move || {
        let value = run();
        if shown.as_ref() != Some(&value) {
            place.set(&element, &value);
            shown = Some(value);
        }
    }))
}

struct Listener {
    element: Element,
    name: &'static str,
    handle: Closure<dyn FnMut(Event)>,
}

impl Listener {
    fn new(element: &Element, name: &'static str, mut handle: Box<dyn FnMut(Event)>) -> Self {
        let owner = Owner::current().unwrap_or_default();
        let handle = Closure::<dyn FnMut(Event)>::new(move |event| owner.with(|| handle(event)));
        drop(element.add_event_listener_with_callback(name, handle.as_ref().unchecked_ref()));
        Self {
            element: element.clone(),
            name,
            handle,
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let handle = self.handle.as_ref().unchecked_ref();
        drop(self.element.remove_event_listener_with_callback(self.name, handle));
    }
}
