//! Tables of settings with typed fields.

use super::component::Component;
use super::configured::Refused;
use super::kind::Kind;
use super::value::Value;

/// A row of a table of settings.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Name of the setting in scenario files, in the JSON Schema and in keys of results.
    pub key: &'static str,
    /// Unit and range of the setting.
    pub kind: Kind,
    /// Effect of the setting: the documentation of the field.
    pub help: &'static str,
    /// Whether scenario files may set it. The value of any other setting depends on the column alone.
    pub settable: bool,
    /// Whether it can change while a run goes on.
    pub changeable: bool,
    /// The names of the columns of defaults.
    pub columns: &'static [&'static str],
    /// Returns the default in the column with this number.
    pub default: fn(usize) -> Value,
}

impl Setting {
    /// Returns the defaults in words: one for all columns, or each with the column's name. `None` if the setting has no value
    /// by default.
    pub fn defaults(&self) -> Option<String> {
        let values: Vec<Value> = (0..self.columns.len()).map(self.default).collect();
        match values.as_slice() {
            [one, others @ ..] if others.iter().all(|other| other == one) => {
                (*one != Value::None).then(|| format!("default {one}"))
            }
            values => {
                let named = self.columns.iter().zip(values).map(|(name, value)| format!("`{name}` {value}"));
                Some(named.collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// A struct that [`settings!`](crate::settings) declares.
pub trait Settings: Component + Sized + 'static {
    /// The names of the columns of defaults.
    const COLUMNS: &'static [&'static str];

    /// The rows, in the order of the declaration.
    const TABLE: &'static [Setting];

    /// Returns the defaults of the column with this number.
    fn column(column: usize) -> Self;

    /// Returns the value of the setting with this key, if there is one.
    fn get(&self, key: &str) -> Option<Value>;

    /// Sets a value without a check of its range. Returns `false` when there is no such key, or its field cannot hold the
    /// value.
    fn put(&mut self, key: &str, value: Value) -> bool;
}

/// Returns the default in a column: a row gives one value for each column, or one for all. Used by
/// [`settings!`](crate::settings).
pub fn column_value<T: Copy, const VALUES: usize, const COLUMNS: usize>(
    values: [T; VALUES],
    column: usize,
) -> T {
    const { assert!(VALUES == 1 || VALUES == COLUMNS, "a row has one default, or one for each column") }
    values[if VALUES == 1 { 0 } else { column }]
}

/// Whether keys of results leave a value out: they do if the row has one default for all columns, and the value is that
/// default. So a new setting whose default is the former behaviour changes no key.
pub fn is_implied<T: Copy + PartialEq, const VALUES: usize>(defaults: [T; VALUES], value: T) -> bool {
    VALUES == 1 && defaults[0] == value
}

/// Sets values, each checked by its own range.
///
/// # Errors
/// When no settable row has a key, or a value is out of range. The values before it in `values` are set then.
pub fn apply<S: Settings>(settings: &mut S, values: &[(&str, Value)]) -> Result<(), Refused> {
    for &(key, value) in values {
        let refused = |reason| Err(Refused { parameter: key.to_owned(), reason });
        match S::TABLE.iter().find(|row| row.key == key && row.settable) {
            None => return refused("there is no such setting".to_owned()),
            Some(row) if !row.kind.allows(value) || !settings.put(key, value) => {
                return refused(format!("{value} is out of range: {} is needed", row.kind.allowed()));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// Declares a struct of settings as a table: a row has documentation, key, field, type, [`Kind`] and defaults.
///
/// The brackets after the struct's name hold the names of the columns of defaults; a row gives one default for each, or one for
/// all. `fixed` before a key keeps the setting out of scenario files, and `changeable` lets it change while a run goes on. `parts` hold
/// settings of their own.
///
/// ```
/// use airfair_core::schema::{Kind, Range, Settings, Value};
///
/// airfair_core::settings! {
///     /// A lamp.
///     #[derive(Clone, Debug, PartialEq)]
///     pub struct Lamp[home, street] {
///         /// Bulbs that it holds.
///         "bulbs" bulbs: u32, Kind::Count(Range::at_least(1.0), "bulbs"), [1, 4];
///         /// Whether it is on.
///         "on" is_on: bool, Kind::Flag, [false];
///     }
/// }
///
/// let street = Lamp::column(1);
/// assert_eq!((street.bulbs, street.is_on), (4, false));
/// assert_eq!(street.get("on"), Some(Value::Flag(false)));
/// assert_eq!(Lamp::TABLE[0].help, "Bulbs that it holds.");
/// ```
#[macro_export]
macro_rules! settings {
    (
        $(#[$meta:meta])*
        $vis:vis struct $Name:ident[$($column:ident),+] {
            $(
                $(#[doc = $help:literal])+
                $($mark:ident)? $key:literal $field:ident: $Type:ty, $kind:expr, [$($default:expr),+];
            )+
        }
        $(parts {
            $(
                $(#[doc = $part_help:literal])+
                $part_key:literal $part:ident: $Part:ty, $part_default:expr;
            )+
        })?
    ) => {
        $(#[$meta])*
        $vis struct $Name {
            $(
                $(#[doc = $help])+
                pub $field: $Type,
            )+
            $($(
                $(#[doc = $part_help])+
                pub $part: $Part,
            )+)?
        }

        impl $crate::schema::Settings for $Name {
            const COLUMNS: &'static [&'static str] = &[$(stringify!($column)),+];

            const TABLE: &'static [$crate::schema::Setting] = &[$(
                $crate::schema::Setting {
                    key: $key,
                    kind: $kind,
                    help: concat!($($help),+).trim_ascii(),
                    settable: $crate::settings!(@settable $($mark)?),
                    changeable: $crate::settings!(@changeable $($mark)?),
                    columns: <$Name as $crate::schema::Settings>::COLUMNS,
                    default: |column| {
                        const COLUMNS: usize = <$Name as $crate::schema::Settings>::COLUMNS.len();
                        let value = $crate::schema::column_value::<$Type, _, COLUMNS>([$($default),+], column);
                        $crate::schema::Field::to_value(value, $kind)
                    },
                },
            )+];

            fn column(column: usize) -> $Name {
                const COLUMNS: usize = <$Name as $crate::schema::Settings>::COLUMNS.len();
                $Name {
                    $($field: $crate::schema::column_value::<$Type, _, COLUMNS>([$($default),+], column),)+
                    $($($part: $part_default,)+)?
                }
            }

            fn get(&self, key: &str) -> Option<$crate::schema::Value> {
                match key {
                    $($key => Some($crate::schema::Field::to_value(self.$field, $kind)),)+
                    _ => None,
                }
            }

            fn put(&mut self, key: &str, value: $crate::schema::Value) -> bool {
                match key {
                    $($key => $crate::schema::Field::from_value(value).map(|value| self.$field = value).is_some(),)+
                    _ => false,
                }
            }
        }

        impl $crate::schema::Component for $Name {
            fn visit(&self, visitor: &mut dyn $crate::schema::Visitor) {
                $(
                    if !$crate::schema::is_implied([$($default),+], self.$field) {
                        visitor.setting($key, $crate::schema::Field::to_value(self.$field, $kind));
                    }
                )+
                $($(visitor.part($part_key, &self.$part);)+)?
            }
        }
    };
    (@settable) => { true };
    (@settable fixed) => { false };
    (@settable changeable) => { true };
    (@changeable changeable) => { true };
    (@changeable $($fixed:ident)?) => { false };
}

#[cfg(test)]
mod tests {
    use super::super::{Range, Visitor};
    use super::*;
    use crate::Span;

    crate::words! {
        /// Colours.
        pub enum Colour {
            /// Like blood.
            Red = "red",
            /// Like grass.
            DarkGreen = "dark-green",
        }
    }

    crate::settings! {
        /// A lamp, and its plug.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Lamp[home, street] {
            /// Bulbs.
            "bulbs" bulbs: u32, Kind::Count(Range::between(1.0, 9.0), "bulbs"), [1, 4];
            /// After this long it goes off;
            /// none: never.
            "timer" goes_off: Option<Span>, Kind::Time(Range::POSITIVE), [None];
            /// Its light.
            "light" colour: Colour, Kind::Word(Colour::WORDS), [Colour::Red, Colour::DarkGreen];
            /// Whether it burns.
            fixed "burns" burns: bool, Kind::Flag, [true];
        }
        parts {
            /// Its plug.
            "plug" plug: Plug, Plug::column(0);
        }
    }

    crate::settings! {
        /// A plug.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Plug[usual] {
            /// Pins.
            "pins" pins: f64, Kind::Number(Range::POSITIVE), [2.0];
        }
    }

    #[test]
    fn every_word_names_its_variant() {
        assert_eq!(*Colour::WORDS, ["red", "dark-green"]);
        for colour in Colour::ALL {
            assert_eq!(Colour::from_word(colour.word()), Some(colour));
        }
        assert_eq!(Colour::from_word("Red"), None);
    }

    #[derive(Default)]
    struct Listed(Vec<(&'static str, Value)>);

    impl Visitor for Listed {
        fn setting(&mut self, key: &'static str, value: Value) {
            self.0.push((key, value));
        }

        fn part(&mut self, key: &'static str, part: &dyn Component) {
            self.0.push((key, Value::None));
            part.visit(self);
        }
    }

    #[test]
    fn a_table_gives_defaults_by_column_and_values_by_key() {
        assert_eq!(Lamp::COLUMNS, ["home", "street"]);
        let mut lamp = Lamp::column(1);
        assert_eq!((lamp.bulbs, lamp.goes_off, lamp.colour), (4, None, Colour::DarkGreen));
        assert_eq!(Lamp::TABLE[0].defaults().unwrap(), "`home` 1, `street` 4");
        assert_eq!(Lamp::TABLE[1].defaults(), None);
        assert_eq!(Lamp::TABLE[1].help, "After this long it goes off; none: never.");
        assert!(lamp.put("timer", Value::Time(Span(5))) && !lamp.put("timer", Value::Flag(true)));
        assert!(!lamp.put("goes_off", Value::None), "the key counts, not the field");
        assert_eq!((lamp.get("timer"), lamp.get("goes_off")), (Some(Value::Time(Span(5))), None));
    }

    #[test]
    fn a_visitor_sees_settings_under_their_keys_unless_they_are_implied() {
        let mut lamp = Lamp::column(0);
        let mut listed = Listed::default();
        lamp.visit(&mut listed);
        let implied = [("bulbs", Value::Count(1)), ("light", Value::Word("red")), ("plug", Value::None)];
        assert_eq!(listed.0, implied);
        (lamp.goes_off, lamp.burns, lamp.plug.pins) = (Some(Span(7)), false, 3.0);
        let mut listed = Listed::default();
        lamp.visit(&mut listed);
        let others =
            [("timer", Value::Time(Span(7))), ("burns", Value::Flag(false)), ("pins", Value::Number(3.0))];
        assert!(others.iter().all(|one| listed.0.contains(one)) && listed.0.len() == 6, "{:?}", listed.0);
    }

    #[test]
    fn a_value_out_of_range_or_fixed_is_refused() {
        let set =
            |key, value| apply(&mut Lamp::column(0), &[(key, value)]).map_err(|refused| refused.to_string());
        assert_eq!(set("bulbs", Value::Count(2)), Ok(()));
        assert_eq!(set("light", Value::Word("dark-green")), Ok(()));
        for (key, value, wanted) in [
            (
                "bulbs",
                Value::Count(0),
                "bulbs: 0 is out of range: a whole number of bulbs at least 1 and at most 9",
            ),
            ("light", Value::Word("blue"), "light: blue is out of range: `red` or `dark-green` is needed"),
            ("burns", Value::Flag(false), "burns: there is no such setting"),
            ("colour", Value::Word("red"), "colour: there is no such setting"),
        ] {
            assert!(set(key, value).is_err_and(|message| message.starts_with(wanted)), "{key}");
        }
    }
}
