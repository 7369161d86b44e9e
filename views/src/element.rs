//! Elements: a tag with attributes, listeners and children, written one after the other.

use std::fmt;

use wasm_bindgen::JsCast;
use web_sys::Event;

use crate::attribute::{IntoAttributeValue, Place, Source};
use crate::ev::EventName;
use crate::into_view::IntoView;
use crate::node_ref::{AnyNodeRef, NodeRef};
use crate::view::{Kind, View};

/// An element that is being put together.
pub struct Element(Box<Parts>);

pub(crate) struct Parts {
    pub(crate) tag: &'static str,
    pub(crate) namespace: Option<&'static str>,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) children: Vec<View>,
}

pub(crate) enum Attribute {
    Value(Place, Source),
    Listener(&'static str, Box<dyn FnMut(Event)>),
    Reference(AnyNodeRef),
}

impl Element {
    pub(crate) fn new(tag: &'static str, namespace: Option<&'static str>) -> Self {
        Self(Box::new(Parts {
            tag,
            namespace,
            attributes: Vec::new(),
            children: Vec::new(),
        }))
    }

    /// Adds what is in the element.
    #[must_use]
    pub fn child(self, child: impl IntoView) -> Self {
        self.with_child(child.into_view())
    }

    fn with_child(mut self, child: View) -> Self {
        match child.0 {
            Kind::List(children) => self.0.children.extend(children),
            Kind::Nothing | Kind::Text(_) | Kind::Element(_) | Kind::Markup(..) | Kind::Live(_) | Kind::Keyed(_) => {
                self.0.children.push(child)
            }
        }
        self
    }

    /// Adds an attribute by name.
    #[must_use]
    pub fn attr(self, name: &'static str, value: impl IntoAttributeValue) -> Self {
        self.with(Attribute::Value(Place::Attribute(name), value.into_attribute_value()))
    }

    /// Adds the classes, or one class by name for as long as a value says so.
    #[must_use]
    pub fn class<M>(self, class: impl IntoClass<M>) -> Self {
        let Class(place, value) = class.into_class();
        self.with(Attribute::Value(place, value))
    }

    /// Sets a property of the element in the document.
    #[must_use]
    pub fn prop(self, name: &'static str, value: impl IntoAttributeValue) -> Self {
        self.with(Attribute::Value(Place::Property(name), value.into_attribute_value()))
    }

    /// Listens to an event.
    #[must_use]
    pub fn on<E: JsCast>(self, event: EventName<E>, mut handle: impl FnMut(E) + 'static) -> Self {
        let handle = Box::new(move |event: Event| handle(event.unchecked_into()));
        self.with(Attribute::Listener(event.name, handle))
    }

    /// Tells where the element is.
    #[must_use]
    pub fn node_ref<T>(self, reference: NodeRef<T>) -> Self {
        self.with(Attribute::Reference(reference.any()))
    }

    fn with(mut self, attribute: Attribute) -> Self {
        self.0.attributes.push(attribute);
        self
    }
}

impl IntoView for Element {
    fn into_view(self) -> View {
        View(Kind::Element(self.0))
    }
}

impl fmt::Debug for Element {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "<{}>", self.0.tag)
    }
}

/// The value of `class`, or the name of a class and whether it is there.
pub trait IntoClass<M> {
    #[doc(hidden)]
    fn into_class(self) -> Class;
}

/// All classes, or one of them.
#[doc(hidden)]
#[allow(missing_debug_implementations, reason = "it holds a function")]
pub struct Class(Place, Source);

impl<V: IntoAttributeValue> IntoClass<()> for V {
    fn into_class(self) -> Class {
        Class(Place::Attribute("class"), self.into_attribute_value())
    }
}

impl<V: IntoAttributeValue> IntoClass<(V,)> for (&'static str, V) {
    fn into_class(self) -> Class {
        Class(Place::Class(self.0), self.1.into_attribute_value())
    }
}

macro_rules! attributes {
    ($($method:ident $name:literal)*) => {
        impl Element {
            $(
                #[doc = concat!("Adds the attribute `", $name, "`.")]
                #[must_use]
                pub fn $method(self, value: impl IntoAttributeValue) -> Self {
                    self.attr($name, value)
                }
            )*
        }
    };
}

attributes! {
    accept "accept"
    accesskey "accesskey"
    action "action"
    alt "alt"
    aria_activedescendant "aria-activedescendant"
    aria_atomic "aria-atomic"
    aria_autocomplete "aria-autocomplete"
    aria_busy "aria-busy"
    aria_checked "aria-checked"
    aria_colcount "aria-colcount"
    aria_controls "aria-controls"
    aria_current "aria-current"
    aria_describedby "aria-describedby"
    aria_description "aria-description"
    aria_details "aria-details"
    aria_disabled "aria-disabled"
    aria_errormessage "aria-errormessage"
    aria_expanded "aria-expanded"
    aria_haspopup "aria-haspopup"
    aria_hidden "aria-hidden"
    aria_invalid "aria-invalid"
    aria_keyshortcuts "aria-keyshortcuts"
    aria_label "aria-label"
    aria_labelledby "aria-labelledby"
    aria_level "aria-level"
    aria_live "aria-live"
    aria_modal "aria-modal"
    aria_multiselectable "aria-multiselectable"
    aria_orientation "aria-orientation"
    aria_owns "aria-owns"
    aria_placeholder "aria-placeholder"
    aria_posinset "aria-posinset"
    aria_pressed "aria-pressed"
    aria_readonly "aria-readonly"
    aria_relevant "aria-relevant"
    aria_required "aria-required"
    aria_roledescription "aria-roledescription"
    aria_rowcount "aria-rowcount"
    aria_selected "aria-selected"
    aria_setsize "aria-setsize"
    aria_sort "aria-sort"
    aria_valuemax "aria-valuemax"
    aria_valuemin "aria-valuemin"
    aria_valuenow "aria-valuenow"
    aria_valuetext "aria-valuetext"
    autocapitalize "autocapitalize"
    autocomplete "autocomplete"
    autofocus "autofocus"
    checked "checked"
    cite "cite"
    cols "cols"
    colspan "colspan"
    contenteditable "contenteditable"
    datetime "datetime"
    decoding "decoding"
    dir "dir"
    disabled "disabled"
    download "download"
    draggable "draggable"
    enterkeyhint "enterkeyhint"
    r#for "for"
    form "form"
    height "height"
    hidden "hidden"
    href "href"
    hreflang "hreflang"
    id "id"
    inert "inert"
    inputmode "inputmode"
    lang "lang"
    list "list"
    loading "loading"
    max "max"
    maxlength "maxlength"
    method "method"
    min "min"
    minlength "minlength"
    multiple "multiple"
    name "name"
    novalidate "novalidate"
    open "open"
    part "part"
    pattern "pattern"
    placeholder "placeholder"
    popover "popover"
    popovertarget "popovertarget"
    readonly "readonly"
    rel "rel"
    required "required"
    reversed "reversed"
    role "role"
    rows "rows"
    rowspan "rowspan"
    scope "scope"
    selected "selected"
    size "size"
    slot "slot"
    spellcheck "spellcheck"
    src "src"
    start "start"
    step "step"
    tabindex "tabindex"
    target "target"
    title "title"
    translate "translate"
    r#type "type"
    value "value"
    width "width"
    wrap "wrap"
}
