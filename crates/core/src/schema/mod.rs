//! Settings are declared once, beside the code that uses them.
//!
//! A declaration has a name, a [`Kind`] (unit and range), a default and a sentence of help. Scenario files, the JSON Schema,
//! keys of results, random scenarios and the tables in `docs/` follow from it.
//!
//! * A component with typed fields declares them with [`settings!`](crate::settings), and its closed sets of words with
//!   [`words!`](crate::words).
//! * A part that is chosen by name (a congestion control, a queue discipline) declares [`Parameter`]s and is
//!   [`Configured`] with a value for each.

mod component;
mod configured;
mod kind;
mod table;
mod value;

pub use component::{Component, Visitor};
pub use configured::{Configured, Described, Refused};
pub use kind::{Kind, MOST_SEGMENTS, Range, Words};
pub use table::{Setting, Settings, apply, column_value, is_implied};
pub use value::{Field, Value};

/// A parameter of a part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter<Default = Value> {
    /// Name of the parameter in a scenario's table; unique within the part.
    pub name: &'static str,
    /// Unit and range of the parameter.
    pub kind: Kind,
    /// Value of the parameter unless it is set.
    pub default: Default,
    /// Effect of the parameter, in a few words.
    pub help: &'static str,
}
