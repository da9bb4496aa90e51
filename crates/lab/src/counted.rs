//! Counters in the form in which results keep them: under their declared names, among the other fields of a record.

use airfair_core::counters::{Count, Counter, declared, values};
use airfair_net::LinkStats;
use airfair_sim::record::FlowCounts;
use airfair_wifi::StationStats;
use serde::de::{Error, IgnoredAny, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

/// Returns the declared counters by the table of results that has them.
pub fn counters() -> [(&'static str, Vec<Counter>); 3] {
    [
        ("flows", declared::<FlowCounts>()),
        ("links", declared::<LinkStats>()),
        ("stations", declared::<StationStats>()),
    ]
}

/// The counters of a record; fields that are no columns are zero. A record that was stored before a counter existed has no value for
/// it.
#[derive(Clone, Debug, PartialEq)]
pub struct Counted<C> {
    counts: C,
    values: Vec<Option<u64>>,
}

impl<C: Count> Counted<C> {
    /// Keeps the declared counters among `counts`.
    pub fn new(counts: C) -> Counted<C> {
        Counted::of_values(values(&counts).into_iter().map(Some).collect())
    }

    fn of_values(values: Vec<Option<u64>>) -> Counted<C> {
        let mut counts = C::default();
        let mut each = values.iter();
        counts.visit(&mut |count| *count = each.next().copied().flatten().unwrap_or_default());
        Counted { counts, values }
    }

    /// Returns the value of each counter, in the order of [`declared`].
    pub fn values(&self) -> &[Option<u64>] {
        &self.values
    }
}

impl<C> Deref for Counted<C> {
    type Target = C;

    fn deref(&self) -> &C {
        &self.counts
    }
}

impl<C: Count> Serialize for Counted<C> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (counter, value) in declared::<C>().iter().zip(&self.values) {
            if let Some(value) = value {
                map.serialize_entry(counter.name, value)?;
            }
        }
        map.end()
    }
}

impl<'de, C: Count> Deserialize<'de> for Counted<C> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Counted<C>, D::Error> {
        struct Counters<C>(PhantomData<C>);

        impl<'de, C: Count> Visitor<'de> for Counters<C> {
            type Value = Counted<C>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("counters by name")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Counted<C>, A::Error> {
                let counters = declared::<C>();
                let mut values = vec![None; counters.len()];
                while let Some(name) = map.next_key::<String>()? {
                    match counters.iter().position(|counter| counter.name == name) {
                        Some(index) if values[index].is_some() => {
                            return Err(A::Error::duplicate_field(counters[index].name));
                        }
                        Some(index) => values[index] = Some(map.next_value()?),
                        None => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(Counted::of_values(values))
            }
        }
        deserializer.deserialize_map(Counters(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfair_core::counters;

    counters! {
        /// Counts of something.
        pub struct Stats {
            /// Packets that arrived.
            offered: u64 = "packet",
            /// Packets that were dropped.
            dropped: u64 = "packet",
            /// A field that is no column.
            served: u64,
        }
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Record {
        name: String,
        #[serde(flatten)]
        counts: Counted<Stats>,
        mean: f64,
    }

    fn read(text: &str) -> Result<Record, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    #[test]
    fn counters_stand_among_the_fields_in_order_and_come_back() {
        let counts = Counted::new(Stats { offered: u64::MAX, dropped: 2, served: 3 });
        let record = Record { name: "link".into(), counts, mean: 0.1 };
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(text, r#"{"name":"link","offered":18446744073709551615,"dropped":2,"mean":0.1}"#);
        assert_eq!(read(&text).unwrap(), record);
    }

    #[test]
    fn a_counter_that_is_younger_than_the_record_has_no_value() {
        let text = r#"{"name":"link","offered":5,"from_the_future":"x","mean":0.1}"#;
        let record = read(text).unwrap();
        assert_eq!((record.counts.values(), record.counts.dropped), (&[Some(5), None][..], 0));
        assert_eq!(serde_json::to_string(&record).unwrap(), r#"{"name":"link","offered":5,"mean":0.1}"#);
    }

    #[test]
    fn what_is_no_count_is_refused() {
        for value in ["-1", "0.5", "\"5\"", "null"] {
            assert!(read(&format!(r#"{{"name":"link","offered":{value},"mean":0.1}}"#)).is_err(), "{value}");
        }
        let twice = read(r#"{"name":"link","offered":1,"offered":2,"mean":0.1}"#).unwrap_err();
        assert!(twice.contains("duplicate field `offered`"), "{twice}");
    }
}
