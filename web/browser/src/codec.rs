//! Values written as JSON and read back: one parser for all, and a few lines for each type.
//!
//! A type is named with its fields or variants. The compiler says when one of them is missing, and finds the type of each.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

/// A value that can be written as JSON and read back.
pub(crate) trait Record: Sized {
    /// The value as JSON.
    fn write(&self) -> Value;

    /// The value that was written; `None` for anything else. What is not known in it is passed over.
    fn read(value: &Value) -> Option<Self>;
}

/// Writes a value as a text.
pub(crate) fn to_text(record: &impl Record) -> String {
    record.write().to_string()
}

/// Reads the text of a value; `None` when it is damaged or of another type.
pub(crate) fn from_text<R: Record>(text: &str) -> Option<R> {
    R::read(&serde_json::from_str(text).ok()?)
}

/// An object with these fields.
pub(crate) fn object(fields: Vec<(&str, Value)>) -> Value {
    let named = fields.into_iter().map(|(name, value)| (name.to_owned(), value));
    Value::Object(named.collect::<Map<String, Value>>())
}

/// Reads a field of an object. One that is missing reads as null.
pub(crate) fn field<R: Record>(object: &Value, name: &str) -> Option<R> {
    R::read(object.get(name).unwrap_or(&Value::Null))
}

/// A variant: its name, or an object that has its content under its name.
pub(crate) fn variant(name: &str, content: Option<Value>) -> Value {
    match content {
        None => name.into(),
        Some(content) => object(vec![(name, content)]),
    }
}

/// The name of a variant, and its content.
pub(crate) fn variant_of(value: &Value) -> Option<(&str, &Value)> {
    match value {
        Value::String(name) => Some((name, &Value::Null)),
        Value::Object(object) => object.iter().next().map(|(name, content)| (name.as_str(), content)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
    }
}

/// Says how a struct is written: by its fields, or as a text that it is made from.
macro_rules! record {
    ($name:ty { $($field:ident),* $(,)? }) => {
        impl $crate::codec::Record for $name {
            fn write(&self) -> serde_json::Value {
                let Self { $($field),* } = self;
                $crate::codec::object(vec![
                    $((stringify!($field), $crate::codec::Record::write($field))),*
                ])
            }

            fn read(value: &serde_json::Value) -> Option<Self> {
                Some(Self { $($field: $crate::codec::field(value, stringify!($field))?),* })
            }
        }
    };
}
pub(crate) use record;

/// Says how an enum is written: by the names of its variants. After `or text` comes the variant for a text that names none.
macro_rules! choice {
    ($name:ty { $($word:literal => $variant:ident $(($inner:ident))? $({ $($field:ident),* })?),* $(,)? } $(or text => $text:ident)?) => {
        impl $crate::codec::Record for $name {
            fn write(&self) -> serde_json::Value {
                match self {
                    $(Self::$variant $(($inner))? $({ $($field),* })? => $crate::codec::variant(
                        $word,
                        $crate::codec::choice!(@content $($inner)? $({ $($field),* })?),
                    ),)*
                }
            }

            fn read(value: &serde_json::Value) -> Option<Self> {
                #[allow(unused_variables, reason = "not every variant has content")]
                let (name, content) = $crate::codec::variant_of(value)?;
                match name {
                    $($word => Some(Self::$variant
                        $(({ let $inner = $crate::codec::Record::read(content)?; $inner }))?
                        $({ $($field: $crate::codec::field(content, stringify!($field))?),* })?
                    ),)*
                    $(text if value.is_string() => Some(Self::$text(text.to_owned())),)?
                    _ => None,
                }
            }
        }
    };
    (@content) => { None };
    (@content $inner:ident) => { Some($crate::codec::Record::write($inner)) };
    (@content { $($field:ident),* }) => {
        Some($crate::codec::object(vec![
            $((stringify!($field), $crate::codec::Record::write($field))),*
        ]))
    };
}
pub(crate) use choice;

impl Record for String {
    fn write(&self) -> Value {
        self.as_str().into()
    }

    fn read(value: &Value) -> Option<Self> {
        value.as_str().map(str::to_owned)
    }
}

impl Record for bool {
    fn write(&self) -> Value {
        (*self).into()
    }

    /// What was written before there was such a flag has it not set.
    fn read(value: &Value) -> Option<Self> {
        if value.is_null() { Some(false) } else { value.as_bool() }
    }
}

impl Record for u16 {
    fn write(&self) -> Value {
        (*self).into()
    }

    fn read(value: &Value) -> Option<Self> {
        value.as_u64()?.try_into().ok()
    }
}

impl Record for u32 {
    fn write(&self) -> Value {
        (*self).into()
    }

    fn read(value: &Value) -> Option<Self> {
        value.as_u64()?.try_into().ok()
    }
}

impl Record for u64 {
    fn write(&self) -> Value {
        (*self).into()
    }

    fn read(value: &Value) -> Option<Self> {
        value.as_u64()
    }
}

impl Record for i32 {
    fn write(&self) -> Value {
        (*self).into()
    }

    fn read(value: &Value) -> Option<Self> {
        value.as_i64()?.try_into().ok()
    }
}

impl Record for usize {
    fn write(&self) -> Value {
        (*self).into()
    }

    fn read(value: &Value) -> Option<Self> {
        value.as_u64()?.try_into().ok()
    }
}

impl Record for f64 {
    /// JSON has no infinity.
    fn write(&self) -> Value {
        if self.is_finite() { *self } else { f64::MAX }.into()
    }

    fn read(value: &Value) -> Option<Self> {
        value.as_f64()
    }
}

/// In seconds.
impl Record for Duration {
    fn write(&self) -> Value {
        match self.subsec_nanos() {
            0 => self.as_secs().into(),
            _ => self.as_secs_f64().into(),
        }
    }

    fn read(value: &Value) -> Option<Self> {
        match value.as_u64() {
            Some(seconds) => Some(Self::from_secs(seconds)),
            None => Self::try_from_secs_f64(value.as_f64()?).ok(),
        }
    }
}

impl<R: Record> Record for Option<R> {
    fn write(&self) -> Value {
        self.as_ref().map_or(Value::Null, R::write)
    }

    fn read(value: &Value) -> Option<Self> {
        if value.is_null() {
            return Some(None);
        }
        R::read(value).map(Some)
    }
}

impl<R: Record> Record for Vec<R> {
    fn write(&self) -> Value {
        Value::Array(self.iter().map(R::write).collect())
    }

    fn read(value: &Value) -> Option<Self> {
        value.as_array()?.iter().map(R::read).collect()
    }
}

/// A list of two.
impl<A: Record, B: Record> Record for (A, B) {
    fn write(&self) -> Value {
        Value::Array(vec![self.0.write(), self.1.write()])
    }

    fn read(value: &Value) -> Option<Self> {
        match value.as_array()?.as_slice() {
            [first, second] => Some((A::read(first)?, B::read(second)?)),
            _ => None,
        }
    }
}

impl<R: Record> Record for Box<R> {
    fn write(&self) -> Value {
        R::write(self)
    }

    fn read(value: &Value) -> Option<Self> {
        R::read(value).map(Self::new)
    }
}

impl<R: Record> Record for Arc<R> {
    fn write(&self) -> Value {
        R::write(self)
    }

    fn read(value: &Value) -> Option<Self> {
        R::read(value).map(Self::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Debug, PartialEq)]
    struct Letter {
        text: String,
        pages: Option<u32>,
        way: Vec<Way>,
    }
    record!(Letter { text, pages, way });

    #[derive(Clone, Debug, PartialEq)]
    enum Way {
        Hand,
        Post(u64),
        Pigeon { is_fast: bool },
    }
    choice!(Way {
        "hand" => Hand,
        "post" => Post(stamps),
        "pigeon" => Pigeon { is_fast },
    });

    fn letter() -> Letter {
        Letter {
            text: "grüße\n\"\u{1f4de}\"".to_owned(),
            pages: None,
            way: vec![Way::Hand, Way::Post(1 << 52), Way::Pigeon { is_fast: true }],
        }
    }

    #[test]
    fn a_value_is_read_back_as_it_was_written() {
        assert_eq!(from_text(&to_text(&letter())), Some(letter()));
    }

    #[test]
    fn a_number_is_read_back_as_it_was_written() {
        for cost in [0.0, 0.1 + 0.2, 1e-9, f64::MAX] {
            assert_eq!(from_text(&to_text(&cost)), Some(cost));
        }
        assert_eq!(from_text(&to_text(&f64::INFINITY)), Some(f64::MAX));
        assert_eq!(from_text(&to_text(&-9_i32)), Some(-9_i32));
        for span in [
            Duration::ZERO,
            Duration::from_millis(1_500),
            Duration::from_secs(u64::MAX),
        ] {
            assert_eq!(from_text(&to_text(&span)), Some(span));
        }
        assert_eq!(from_text::<Duration>("-1.5"), None);
    }

    #[test]
    fn what_is_not_known_is_passed_over_and_what_is_optional_may_be_missing() {
        let text = r#"{"text":"a","way":["hand",{"pigeon":{"is_fast":false,"colour":"grey"}}],"seal":{}}"#;
        let read: Letter = from_text(text).unwrap();
        assert_eq!(read.way, [Way::Hand, Way::Pigeon { is_fast: false }]);
        assert_eq!(read.pages, None);
    }

    #[test]
    fn anything_else_is_not_read() {
        for text in [
            "",
            "[]",
            r#"{"way":[]}"#,
            r#"{"text":7,"way":[]}"#,
            r#"{"text":"a","pages":"two","way":[]}"#,
            r#"{"text":"a","pages":-1,"way":[]}"#,
            r#"{"text":"a","way":["sea"]}"#,
            r#"{"text":"a","way":["post"]}"#,
        ] {
            assert_eq!(from_text::<Letter>(text), None, "{text}");
        }
    }
}
