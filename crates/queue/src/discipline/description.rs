//! Properties of a discipline that are known without an instance.

use super::{Parameter, QueueDiscipline};
use crate::queued::Queued;
use airfair_core::schema::{self, Described, Value};

/// A discipline with an allowed value for each of its parameters.
pub type Configured = schema::Configured<Description>;

/// The declarations of a discipline.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    /// Name of the discipline in scenarios.
    pub name: &'static str,
    /// What the discipline does, and its source, for people to read.
    pub about: &'static str,
    /// Parameters of the discipline.
    pub parameters: &'static [Parameter],
    /// Whether the discipline hands out no packets of a station that a driver [holds back](crate::Queue::hold).
    pub holds_stations: bool,
    /// The parameter that makes the discipline hold packets back until the queue is [ready](crate::Queue::ready_at).
    pub shaper: Option<&'static Parameter>,
    contradiction: fn(&Configured) -> Option<(&'static str, String)>,
}

impl Description {
    /// Returns the declarations of `D`. The type of packets plays no role.
    pub(super) const fn of<D: QueueDiscipline<NoPacket>>() -> Description {
        Description {
            name: D::NAME,
            about: D::ABOUT,
            parameters: D::PARAMETERS,
            holds_stations: D::HOLDS_STATIONS,
            shaper: D::SHAPER,
            contradiction: D::contradiction,
        }
    }

    /// Returns the parameter of this name, if the discipline has one.
    pub fn parameter(&self, name: &str) -> Option<&'static Parameter> {
        self.parameters.iter().find(|parameter| parameter.name == name)
    }
}

impl Described for Description {
    type Default = Value;

    fn name(&self) -> &'static str {
        self.name
    }

    fn parameters(&self) -> &'static [Parameter] {
        self.parameters
    }

    fn contradiction(&self, given: &Configured) -> Option<(&'static str, String)> {
        (self.contradiction)(given)
    }
}

/// A type of packets without values, to name a discipline by.
#[derive(Clone, Copy, Debug)]
pub(super) enum NoPacket {}

impl Queued for NoPacket {
    fn bytes(&self) -> u32 {
        match *self {}
    }

    fn flow(&self) -> u64 {
        match *self {}
    }

    fn station(&self) -> u32 {
        match *self {}
    }

    fn mark(&mut self) -> bool {
        match *self {}
    }

    fn is_scalable(&self) -> bool {
        match *self {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::DISCIPLINES;
    use crate::config::{Discipline, QueueLimit};
    use crate::testing::queue;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique_and_defaults_are_allowed() {
        let mut names = BTreeSet::new();
        for discipline in DISCIPLINES {
            assert!(names.insert(discipline.name), "{} twice", discipline.name);
            let mut parameters = BTreeSet::new();
            for parameter in discipline.parameters {
                let (name, default) = (parameter.name, parameter.default);
                assert!(parameters.insert(name), "{name} twice");
                assert!(parameter.kind.allows_default(default), "{name}: {default}");
            }
        }
    }

    #[test]
    fn every_discipline_is_made_from_its_defaults_without_contradiction() {
        for description in DISCIPLINES {
            let discipline = Discipline::of(description);
            assert_eq!((description.contradiction)(discipline.given()), None, "{discipline:?}");
            // A discipline that reads an undeclared parameter panics here.
            assert!(queue(QueueLimit::Packets(10), description.name, &[]).is_empty());
        }
    }

    /// Each station of a large network has a queue, most of them drop-tail: larger state belongs elsewhere.
    #[test]
    fn queues_stay_small() {
        let bytes = std::mem::size_of::<crate::Queue<crate::testing::Packet>>();
        assert!(bytes <= 384, "a queue takes {bytes} bytes, 384 may: put what is large into a Box or a Vec");
    }
}
