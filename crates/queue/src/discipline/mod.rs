//! Queue disciplines: the order in which packets leave a queue, and which are dropped or marked. Each has a file; the
//! [trait](QueueDiscipline) is the contract.

mod description;

use crate::account::Account;
use crate::config::{QueueConfig, QueueLimit};
use crate::occupancy::Occupancy;
use crate::queued::Queued;
use airfair_core::{Rate, Span, Stream, Time};

pub use airfair_core::schema::{Kind, Parameter, Range, Value, Words};
pub use description::{Configured, Description};
pub use red::automatic_minimum;

/// Declares the disciplines: modules, dispatch, and every table of names and parameters follow from this list. The
/// first is the default.
macro_rules! disciplines {
    ($($module:ident::$Discipline:ident),+ $(,)?) => {
        $(
            mod $module;
            pub use $module::$Discipline;
        )+

        /// The declarations of each discipline, in the order of this list.
        pub const DISCIPLINES: &[Description] =
            &[$(Description::of::<$Discipline<description::NoPacket>>()),+];

        /// An instance of a discipline, dispatched without an indirect call.
        #[derive(Clone, Debug)]
        pub(crate) enum AnyDiscipline<P> {
            $($Discipline($Discipline<P>),)+
        }

        impl<P: Queued> AnyDiscipline<P> {
            pub fn new(setup: &Setup) -> AnyDiscipline<P> {
                let given = setup.config.discipline.given();
                match setup.config.discipline.name() {
                    $(<$Discipline<P> as QueueDiscipline<P>>::NAME => AnyDiscipline::$Discipline($Discipline::new(given, setup)),)+
                    name => unreachable!("{name} is in no list"),
                }
            }

            #[inline]
            pub fn enqueue(&mut self, now: Time, packet: P, in_service: Occupancy, account: &mut Account<P>) {
                match self {
                    $(AnyDiscipline::$Discipline(it) => it.enqueue(now, packet, in_service, account),)+
                }
            }

            #[inline]
            pub fn dequeue(&mut self, now: Time, account: &mut Account<P>) -> Option<P> {
                match self {
                    $(AnyDiscipline::$Discipline(it) => it.dequeue(now, account),)+
                }
            }

            /// Whether a packet passes at once.
            #[inline]
            pub fn passes(&self, with: Occupancy) -> bool {
                match self {
                    $(AnyDiscipline::$Discipline(it) => it.passes(with),)+
                }
            }

            /// How many packets may be in service so that the last one of them has passed.
            #[inline]
            pub fn most_to_pass(&self) -> u32 {
                match self {
                    $(AnyDiscipline::$Discipline(it) => it.most_to_pass(),)+
                }
            }

            #[inline]
            pub fn charge(&mut self, now: Time, station: u32, airtime: Span) {
                match self {
                    $(AnyDiscipline::$Discipline(it) => it.charge(now, station, airtime),)+
                }
            }

            #[inline]
            pub fn set_pending(&mut self, station: u32, airtime: Span) {
                match self {
                    $(AnyDiscipline::$Discipline(it) => it.set_pending(station, airtime),)+
                }
            }

            pub fn hold(&mut self, station: u32, held: bool) {
                match self {
                    $(AnyDiscipline::$Discipline(it) => it.hold(station, held),)+
                }
            }

            pub fn set_station_rate(&mut self, station: u32, rate: Rate) {
                match self {
                    $(AnyDiscipline::$Discipline(it) => it.set_station_rate(station, rate),)+
                }
            }

            #[inline]
            pub fn occupancy(&self) -> Occupancy {
                match self {
                    $(AnyDiscipline::$Discipline(it) => it.occupancy(),)+
                }
            }

            /// `false`, and nothing has changed: it has to be made anew.
            pub fn adopt(&mut self, setup: &Setup) -> bool {
                let given = setup.config.discipline.given();
                match (setup.config.discipline.name(), self) {
                    $((<$Discipline<P> as QueueDiscipline<P>>::NAME, AnyDiscipline::$Discipline(it)) => it.adopt(given, setup),)+
                    _ => false,
                }
            }

            pub fn drain(&mut self) -> Vec<P> {
                match self {
                    $(AnyDiscipline::$Discipline(it) => it.drain(),)+
                }
            }
        }
    };
}

disciplines! {
    drop_tail::DropTail,
    red::Red,
    choke::Choke,
    codel::CoDel,
    fq_codel::FqCoDel,
    airtime_drr::AirtimeDrr,
    mac80211::Mac80211,
    pie::Pie,
    dualpi2::DualPi2,
    cake::Cake,
    fq::Fq,
}

/// A queue discipline: its name, its parameters, and its treatment of packets.
///
/// Every packet that [`enqueue`](QueueDiscipline::enqueue) gets is held until it is handed out by
/// [`dequeue`](QueueDiscipline::dequeue), or goes to the account as a drop. Packets of a flow leave in the order in which they came.
pub trait QueueDiscipline<P: Queued>: Sized {
    /// Its name in scenarios.
    const NAME: &'static str;

    /// For people: what it does, and its source.
    const ABOUT: &'static str;

    /// Its parameters.
    const PARAMETERS: &'static [Parameter] = &[];

    /// Whether [`hold`](QueueDiscipline::hold) holds packets back: it has a queue for each station.
    const HOLDS_STATIONS: bool = false;

    /// Creates an empty instance with these values of its parameters. Reading an undeclared parameter panics.
    fn new(given: &Configured, setup: &Setup) -> Self;

    /// If values that are each allowed contradict each other: the parameter to blame, and the reason.
    fn contradiction(_given: &Configured) -> Option<(&'static str, String)> {
        None
    }

    /// A packet arrives: keep it, or give it or others to `account` as drops. The discipline enforces the limit;
    /// packets `in_service` count against it though they are not held here.
    fn enqueue(&mut self, now: Time, packet: P, in_service: Occupancy, account: &mut Account<P>);

    /// The next packet to serve. `None` if the queue is empty, or if all its packets are for stations on hold: then
    /// the server may be busy with packets dequeued earlier.
    fn dequeue(&mut self, now: Time, account: &mut Account<P>) -> Option<P>;

    /// Whether [`enqueue`](QueueDiscipline::enqueue) would accept a packet and [`dequeue`](QueueDiscipline::dequeue) return it at once. Neither may
    /// change anything. `with` is what would then be in service, this packet included. A discipline that inspects every packet returns `false`.
    #[inline]
    fn passes(&self, _with: Occupancy) -> bool {
        false
    }

    /// As long as no more packets than this are in service with the next one, it [passes](QueueDiscipline::passes), however long they are.
    #[inline]
    fn most_to_pass(&self) -> u32 {
        0
    }

    /// Packets to or from `station` took `airtime`. This may come at any time, also for a station without waiting
    /// packets.
    fn charge(&mut self, _now: Time, _station: u32, _airtime: Span) {}

    /// The driver holds packets of `station` that will take this `airtime`, by its estimate, and has not charged for them yet.
    fn set_pending(&mut self, _station: u32, _airtime: Span) {}

    /// While `station` is `held`, `dequeue` hands out none of its packets; they wait as any others do.
    fn hold(&mut self, _station: u32, _held: bool) {}

    /// `station` can expect this `rate` from now on.
    fn set_station_rate(&mut self, _station: u32, _rate: Rate) {}

    /// Packets and bytes held, without those in service.
    fn occupancy(&self) -> Occupancy;

    /// Goes on with other values of its parameters, and with another limit and rate. Packets held stay, also beyond a smaller limit.
    /// Returns `false`, and nothing has changed, if it cannot: then it is made anew.
    fn adopt(&mut self, given: &Configured, setup: &Setup) -> bool;

    /// Removes all packets: queue by queue in the order of their turns, each as they came.
    fn drain(&mut self) -> Vec<P>;
}

/// The context of a new instance.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// The configuration of its queue.
    pub config: &'a QueueConfig,
    /// The run's seed.
    pub seed: u64,
    /// The component that the queue belongs to.
    pub name: &'a str,
    /// When it is made.
    pub at: Time,
}

impl Setup<'_> {
    /// The limit of the queue.
    pub fn limit(&self) -> QueueLimit {
        self.config.limit
    }

    /// The rate at which packets leave it.
    pub fn rate(&self) -> Rate {
        self.config.rate
    }

    /// The queue's own random numbers; each call restarts them.
    pub fn stream(&self) -> Stream {
        Stream::starting(self.at, self.seed, &format!("queue of {}", self.name))
    }
}
