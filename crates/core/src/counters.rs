//! Counters are declared once: a name, a unit and a description, from which follow the struct, the difference of two readings, the
//! columns of result tables and their documentation (`docs/counters.md`).

use std::ops::{AddAssign, Sub};

/// The declaration of a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    /// Name of the counter's field, and of its column in result tables.
    pub name: &'static str,
    /// Unit: one of the things counted, in the singular.
    pub unit: &'static str,
    /// Documentation of the counter.
    pub description: &'static str,
}

/// A counter, or a struct of counters: anything that [`counters!`](crate::counters!) can declare as a field.
pub trait Count: Copy + Default + Sub<Output = Self> + AddAssign {
    /// Adds the declarations of this type's counters to `list`: a number adds `field` itself, a struct its own fields.
    fn declare(field: Counter, list: &mut Vec<Counter>);

    /// Calls `visit` with each number, in the order of the declarations.
    fn visit(&mut self, visit: &mut dyn FnMut(&mut u64));
}

impl Count for u64 {
    fn declare(field: Counter, list: &mut Vec<Counter>) {
        list.push(field);
    }

    fn visit(&mut self, visit: &mut dyn FnMut(&mut u64)) {
        visit(self);
    }
}

/// Returns the declarations of all counters of a struct, in order.
pub fn declared<C: Count>() -> Vec<Counter> {
    let mut list = Vec::new();
    C::declare(Counter { name: "", unit: "", description: "" }, &mut list);
    list
}

/// Returns the value of each counter of a struct, in the order of [`declared`].
pub fn values<C: Count>(counts: &C) -> Vec<u64> {
    let mut values = Vec::new();
    let mut counts = *counts;
    counts.visit(&mut |value| values.push(*value));
    values
}

/// Declares structs of counters. A field with a unit is a `u64`, or another such struct: the unit then names its packets,
/// or `_` if they keep their name. A field without `=` is no column: it is added up and subtracted like the others, and may be a time.
///
/// ```
/// use airfair_core::SpanSum;
///
/// airfair_core::counters! {
///     /// Counts of a queue.
///     pub struct QueueStats {
///         /// Packets offered to the queue.
///         offered: u64 = "packet",
///     }
///     /// Counts of a station.
///     pub struct StationStats {
///         /// Transmission attempts.
///         attempts: u64 = "attempt",
///         /// Its interface queue.
///         queue: QueueStats = "frame",
///         /// Time that frames spent in it.
///         waited: SpanSum,
///     }
/// }
/// let counts = StationStats { attempts: 3, queue: QueueStats { offered: 2 }, waited: SpanSum(7) };
/// assert_eq!((counts - StationStats::default()).queue.offered, 2);
/// let columns = airfair_core::counters::declared::<StationStats>();
/// let columns: Vec<_> = columns.iter().map(|it| (it.name, it.unit)).collect();
/// assert_eq!(columns, [("attempts", "attempt"), ("offered", "frame")]);
/// ```
#[macro_export]
macro_rules! counters {
    ($(
        $(#[$meta:meta])*
        pub struct $Name:ident { $($(#[doc = $doc:literal])+ $field:ident: $type:ty $(= $unit:tt)?),+ $(,)? }
    )+) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $Name { $($(#[doc = $doc])+ pub $field: $type),+ }

        impl $crate::counters::Count for $Name {
            fn declare(outer: $crate::counters::Counter, list: &mut Vec<$crate::counters::Counter>) {
                $(
                    let description = concat!($($doc),+).trim_ascii();
                    $(
                        let own = $crate::counters!(@unit $unit);
                        let unit = if own == "packet" && !outer.unit.is_empty() { outer.unit } else { own };
                        let field = $crate::counters::Counter { name: stringify!($field), unit, description };
                        <$type as $crate::counters::Count>::declare(field, list);
                    )?
                    let _ = description;
                )+
            }

            fn visit(&mut self, visit: &mut dyn FnMut(&mut u64)) {
                $($({
                    let _ = $crate::counters!(@unit $unit);
                    $crate::counters::Count::visit(&mut self.$field, visit);
                })?)+
            }
        }

        /// Subtraction gives the counts since an earlier reading.
        impl std::ops::Sub for $Name {
            type Output = $Name;

            fn sub(self, earlier: $Name) -> $Name {
                $Name { $($field: self.$field - earlier.$field),+ }
            }
        }

        impl std::ops::AddAssign for $Name {
            fn add_assign(&mut self, other: $Name) {
                $(self.$field += other.$field;)+
            }
        }
    )+};
    (@unit _) => { "" };
    (@unit $unit:literal) => { $unit };
}

#[cfg(test)]
mod tests {
    use super::*;

    counters! {
        /// Inner.
        pub struct Inner {
            /// Packets lost
            /// on the way.
            lost: u64 = "packet",
            /// Their bytes.
            lost_bytes: u64 = "byte",
        }
        /// Outer.
        pub struct Outer {
            /// Attempts.
            attempts: u64 = "attempt",
            /// Its packets are frames.
            frames: Inner = "frame",
            /// Its packets are packets.
            own: Inner = _,
            /// No column.
            bytes: u64,
        }
    }

    #[test]
    fn a_declaration_gives_names_units_and_descriptions_in_order() {
        let columns = declared::<Outer>();
        let pairs: Vec<_> = columns.iter().map(|counter| (counter.name, counter.unit)).collect();
        let wanted = [
            ("attempts", "attempt"),
            ("lost", "frame"),
            ("lost_bytes", "byte"),
            ("lost", "packet"),
            ("lost_bytes", "byte"),
        ];
        assert_eq!(pairs, wanted);
        assert_eq!(columns[1].description, "Packets lost on the way.");
    }

    #[test]
    fn readings_are_added_and_subtracted_field_by_field() {
        let inner = |lost| Inner { lost, lost_bytes: 10 * lost };
        let outer = |n| Outer { attempts: n, frames: inner(n + 1), own: inner(n + 2), bytes: n };
        assert_eq!(values(&outer(1)), [1, 2, 20, 3, 30]);
        assert_eq!(values(&(outer(5) - outer(1))), [4, 4, 40, 4, 40]);
        let mut sum = outer(1);
        sum += outer(2);
        assert_eq!((values(&sum), sum.bytes), (vec![3, 5, 50, 7, 70], 3));
    }
}
