//! The configuration of a queue.

use crate::discipline::{Configured, DISCIPLINES, Description, Parameter};
use airfair_core::Rate;
use airfair_core::schema::{Component, Described, Refused, Value, Visitor};
use std::fmt;

/// A queue.
#[derive(Clone, Debug, PartialEq)]
pub struct QueueConfig {
    /// Its limit.
    pub limit: QueueLimit,
    /// Its discipline.
    pub discipline: Discipline,
    /// Rate of the link or station that it feeds: some disciplines depend on the rate at which packets leave.
    pub rate: Rate,
    /// Stations whose airtime has another weight than [`AIRTIME_WEIGHT`], each once. Disciplines that do not share the air ignore it.
    pub weights: Vec<(u32, u16)>,
}

/// The usual weight of a station's airtime (mac80211's `IEEE80211_DEFAULT_AIRTIME_WEIGHT`).
pub const AIRTIME_WEIGHT: u16 = 256;

/// The limit of a queue, the packet in transmission included.
///
/// ns-2's DropTail with limit L holds L - 1 waiting packets and one in transmission: the same L. (Its RED differs;
/// see [`Red`](crate::discipline::Red).)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueLimit {
    /// In packets.
    Packets(u32),
    /// In bytes, by the lengths that the packets report.
    Bytes(u64),
}

/// A discipline with values of its parameters.
#[derive(Clone, PartialEq)]
pub struct Discipline(Configured);

impl Discipline {
    /// The discipline of this name with its defaults.
    pub fn named(name: &str) -> Option<Discipline> {
        let description = DISCIPLINES.iter().find(|discipline| discipline.name == name)?;
        Some(Discipline::of(description))
    }

    pub(crate) fn of(description: &'static Description) -> Discipline {
        Discipline(Configured::new(description, |default| default))
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.0.description().name()
    }

    /// Its parameters.
    pub fn parameters(&self) -> &'static [Parameter] {
        self.0.description().parameters()
    }

    /// The value of the parameter of this name, if it has one.
    pub fn value(&self, name: &str) -> Option<Value> {
        self.0.value(name)
    }

    /// Sets parameters, checked one by one and then together.
    ///
    /// # Errors
    /// When the discipline has no parameter of a name, or a value is not allowed; nothing is set then.
    pub fn set(&mut self, values: &[(&str, Value)]) -> Result<(), Refused> {
        self.0.set(values)
    }

    /// A value for each of its parameters.
    pub fn given(&self) -> &Configured {
        &self.0
    }
}

/// First in, first out, with drops when it is full.
impl Default for Discipline {
    fn default() -> Discipline {
        Discipline::of(&DISCIPLINES[0])
    }
}

impl Component for Discipline {
    fn visit(&self, visitor: &mut dyn Visitor) {
        self.0.visit(visitor);
    }
}

/// Name and parameters.
impl fmt::Debug for Discipline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_drop_tail() {
        assert_eq!(Some(Discipline::default()), Discipline::named("drop_tail"));
        assert_eq!(format!("{:?}", Discipline::default()), "drop_tail");
        assert_eq!(Discipline::named("drop-tail"), None);
    }
}
