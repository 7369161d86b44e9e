//! Values of attributes, properties and classes.

use std::borrow::Cow;

use wasm_bindgen::JsValue;
use web_sys::Element;

use crate::memo::Memo;
use crate::signal::{Read, ReadSignal, RwSignal, Signal};

/// A value to be set.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A text.
    Text(Cow<'static, str>),
    /// Yes or no: an attribute without a value, or none.
    Flag(bool),
    /// No attribute.
    Absent,
}

/// Where a value comes from.
#[doc(hidden)]
#[allow(missing_debug_implementations, reason = "it holds a function")]
pub enum Source {
    Fixed(Value),
    Live(Box<dyn FnMut() -> Value>),
}

/// Where a value goes to, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Attribute(&'static str),
    Class(&'static str),
    Property(&'static str),
}

impl Place {
    // Setting fails only for names that are none, and ours are written in views.
    pub(crate) fn set(self, element: &Element, value: &Value) {
        match (self, value) {
            (Self::Attribute(name), Value::Text(text)) => drop(element.set_attribute(name, text)),
            (Self::Attribute(name), Value::Flag(true)) => drop(element.set_attribute(name, "")),
            (Self::Attribute(name), Value::Flag(false) | Value::Absent) => drop(element.remove_attribute(name)),
            (Self::Class(name), value) => {
                let is_there = *value == Value::Flag(true);
                drop(element.class_list().toggle_with_force(name, is_there));
            }
            (Self::Property(name), value) => {
                let value = match value {
                    Value::Text(text) => JsValue::from_str(text),
                    Value::Flag(flag) => JsValue::from_bool(*flag),
                    Value::Absent => JsValue::UNDEFINED,
                };
                drop(js_sys::Reflect::set(element, &name.into(), &value));
            }
        }
    }
}

/// Anything that can be the value of an attribute.
pub trait IntoValue {
    #[doc(hidden)]
    fn into_value(self) -> Value;
}

/// Anything that can be the value of an attribute, now or again after each change.
pub trait IntoAttributeValue {
    #[doc(hidden)]
    fn into_attribute_value(self) -> Source;
}

impl IntoAttributeValue for Source {
    fn into_attribute_value(self) -> Source {
        self
    }
}

macro_rules! values {
    ($($type:ty: $value:ident => $into:expr;)*) => {
        $(
            impl IntoValue for $type {
                fn into_value(self) -> Value {
                    let $value = self;
                    $into
                }
            }

            impl IntoAttributeValue for $type {
                fn into_attribute_value(self) -> Source {
                    Source::Fixed(self.into_value())
                }
            }
        )*
    };
}

values! {
    &'static str: text => Value::Text(Cow::Borrowed(text));
    String: text => Value::Text(Cow::Owned(text));
    Cow<'static, str>: text => Value::Text(text);
    bool: flag => Value::Flag(flag);
    u32: number => Value::Text(number.to_string().into());
    usize: number => Value::Text(number.to_string().into());
}

impl<V: IntoValue> IntoValue for Option<V> {
    fn into_value(self) -> Value {
        self.map_or(Value::Absent, V::into_value)
    }
}

impl<V: IntoValue> IntoAttributeValue for Option<V> {
    fn into_attribute_value(self) -> Source {
        Source::Fixed(self.into_value())
    }
}

impl<F: FnMut() -> V + 'static, V: IntoValue> IntoAttributeValue for F {
    fn into_attribute_value(mut self) -> Source {
        Source::Live(Box::new(move || self().into_value()))
    }
}

macro_rules! signals {
    ($($signal:ident),*) => {
        $(impl<V: IntoValue + Clone + 'static> IntoAttributeValue for $signal<V> {
            fn into_attribute_value(self) -> Source {
                (move || self.get()).into_attribute_value()
            }
        })*
    };
}
signals!(Memo, ReadSignal, RwSignal, Signal);
