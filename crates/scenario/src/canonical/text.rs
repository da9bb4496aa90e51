//! The pieces of canonical JSON: objects with sorted keys, and values in base units.

use std::sync::Arc;

use airfair_core::schema::{Component, Value, Visitor};
use airfair_core::{Rate, Span};

/// JSON text that stands for no value.
pub const NONE: &str = "null";

/// A type that has a canonical JSON text.
pub trait Canonical {
    /// Returns the JSON text, without spaces.
    fn text(&self) -> String;
}

/// Writes an object with these entries, in the order of their keys.
pub fn object<const N: usize>(entries: [(&'static str, String); N]) -> String {
    sorted(entries.into())
}

/// Writes an array.
pub fn list(values: impl Iterator<Item = String>) -> String {
    let mut text = String::from("[");
    for (number, value) in values.enumerate() {
        if number > 0 {
            text.push(',');
        }
        text += &value;
    }
    text.push(']');
    text
}

/// Writes the settings of a component under the keys that it declares.
pub fn component(component: &dyn Component) -> String {
    let mut entries = Entries(Vec::with_capacity(48));
    component.visit(&mut entries);
    sorted(entries.0)
}

struct Entries(Vec<(&'static str, String)>);

impl Visitor for Entries {
    fn setting(&mut self, key: &'static str, value: Value) {
        self.0.push((key, value.text()));
    }

    fn part(&mut self, key: &'static str, part: &dyn Component) {
        self.0.push((key, component(part)));
    }
}

/// Writes an object with these entries, sorted by key. Keys come from the code and need no escapes.
pub fn sorted(mut entries: Vec<(&'static str, String)>) -> String {
    entries.sort_unstable_by_key(|(key, _)| *key);
    let mut text =
        String::with_capacity(entries.iter().map(|(key, value)| key.len() + value.len() + 4).sum());
    for (number, (key, value)) in entries.iter().enumerate() {
        text.push(if number == 0 { '{' } else { ',' });
        text.push('"');
        text += key;
        text += "\":";
        text += value;
    }
    text + if entries.is_empty() { "{}" } else { "}" }
}

/// Caches the text of shared settings, so that neighbours which share them write it once.
pub struct Shared<'a, T> {
    last: Option<(&'a Arc<T>, String)>,
}

impl<'a, T: Component> Shared<'a, T> {
    pub fn new() -> Shared<'a, T> {
        Shared { last: None }
    }

    pub fn text(&mut self, shared: &'a Arc<T>) -> String {
        match &self.last {
            Some((known, text)) if Arc::ptr_eq(known, shared) => text.clone(),
            _ => self.last.insert((shared, component(shared.as_ref()))).1.clone(),
        }
    }
}

impl Canonical for Value {
    fn text(&self) -> String {
        match self {
            Value::Number(number) | Value::Length(number) | Value::Level(number) | Value::Power(number) => {
                number.text()
            }
            Value::Count(number) | Value::Bytes(number) => number.text(),
            Value::Time(span) => span.text(),
            Value::Rate(rate) => rate.text(),
            Value::Word(word) => word.text(),
            Value::Flag(flag) => flag.text(),
            Value::Automatic => "\"automatic\"".to_owned(),
            Value::None => NONE.to_owned(),
        }
    }
}

impl<T: Canonical> Canonical for Option<T> {
    fn text(&self) -> String {
        self.as_ref().map_or(NONE.to_owned(), T::text)
    }
}

/// Implements [`Canonical`] for each of the types, with `text` as the function that writes a value.
macro_rules! written {
    ($($Type:ty),+ $(,)? => $text:expr) => {
        $(impl Canonical for $Type {
            fn text(&self) -> String {
                let text: fn(&$Type) -> String = $text;
                text(self)
            }
        })+
    };
}

/// Implements [`Canonical`] for structs as objects: the key that follows a field is its key in JSON. A field that is left out
/// does not compile. Fields after the semicolon were added later: they are written only where they have a value, so that the
/// keys of older results stay valid.
macro_rules! objects {
    ($($Type:ty { $($field:ident $key:literal),+ $(; $($later:ident $later_key:literal),+)? })+) => {
        $(impl Canonical for $Type {
            fn text(&self) -> String {
                let Self { $($field,)+ $($($later,)+)? } = self;
                #[allow(unused_mut, reason = "not every struct has later fields")]
                let mut entries = vec![$(($key, $field.text())),+];
                $($(
                    entries.extend(Some(($later_key, $later.text())).filter(|(_, text)| text != $crate::canonical::text::NONE));
                )+)?
                $crate::canonical::text::sorted(entries)
            }
        })+
    };
}

/// Implements [`Canonical`] for enums. The fields of a variant make an object, and the key that follows a field is its key in
/// JSON. A single field without a key is written by itself, and a variant without fields as null.
macro_rules! variants {
    ($($Type:ident {
        $($Variant:ident $({ $($field:ident $key:literal),+ })? $(($only:ident $($only_key:literal)?))?),+
    })+) => {
        $(impl Canonical for $Type {
            fn text(&self) -> String {
                match self {
                    $($Type::$Variant $({ $($field),+ })? $(($only))? => {
                        variants!(@text $($($field $key),+)? $($only $($only_key)?)?)
                    })+
                }
            }
        })+
    };
    (@text) => { NONE.to_owned() };
    (@text $only:ident) => { $only.text() };
    (@text $($field:ident $key:literal),+) => { object([$(($key, $field.text())),+]) };
}

pub(super) use {objects, variants, written};

// Times are written in whole nanoseconds.
written!(Span => |span| span.0.to_string());
// Rates are written in whole bit/s.
written!(Rate => |rate| rate.bits_per_second().to_string());
// serde_json writes reals exactly: the shortest text that reads as the same number.
written!(bool, u32, u64, usize, f64, (f64, f64), str, String => |value| {
    serde_json::to_string(value).expect("a plain value is JSON")
});

impl<T: Canonical> Canonical for [T] {
    fn text(&self) -> String {
        list(self.iter().map(T::text))
    }
}

impl<T: Canonical> Canonical for Vec<T> {
    fn text(&self) -> String {
        self.as_slice().text()
    }
}

impl<T: Canonical + ?Sized> Canonical for &T {
    fn text(&self) -> String {
        (*self).text()
    }
}

impl<T: Canonical> Canonical for Box<T> {
    fn text(&self) -> String {
        self.as_ref().text()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfair_core::schema::{Kind, Range};

    airfair_core::settings! {
        /// A struct whose fields have other names than its keys.
        #[derive(Debug)]
        pub struct Lamp[home, street] {
            /// A time.
            "timer" goes_off: Span, Kind::Time(Range::POSITIVE), [Span::from_micros(1), Span::ZERO];
            /// A number.
            "light" lumen: f64, Kind::Number(Range::POSITIVE), [0.1, 0.2];
            /// None.
            "shade" cover: Option<u32>, Kind::Count(Range::POSITIVE, "shades"), [None, None];
            /// Not a word about it.
            "implied" implied: bool, Kind::Flag, [false];
        }
    }

    #[test]
    fn keys_are_those_of_the_table_and_values_in_base_units() {
        use airfair_core::schema::Settings;
        assert_eq!(component(&Lamp::column(0)), r#"{"light":0.1,"shade":null,"timer":1000}"#);
        assert_eq!(Value::Word("a\"b").text(), r#""a\"b""#);
        assert_eq!(object([]), "{}");
    }

    #[test]
    fn shared_settings_are_written_for_each_that_differs() {
        use airfair_core::schema::Settings;
        let (one, two) = (Arc::new(Lamp::column(0)), Arc::new(Lamp { lumen: 2.0, ..Lamp::column(0) }));
        let mut shared = Shared::new();
        for lamp in [&one, &one, &two, &one] {
            assert_eq!(shared.text(lamp), component(lamp.as_ref()));
        }
    }
}
