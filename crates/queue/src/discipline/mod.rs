//! Queue disciplines: the order in which packets leave a queue, and which packets are dropped or marked. Each discipline has a file; the
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

            /// See [`QueueDiscipline::ready_at`].
            #[inline]
            pub fn ready_at(&self) -> Time {
                match self {
                    $(AnyDiscipline::$Discipline(it) => it.ready_at(),)+
                }
            }

            /// Whether a packet passes at once: see [`QueueDiscipline::passes`].
            #[inline]
            pub fn passes(&self, with: Occupancy) -> bool {
                match self {
                    $(AnyDiscipline::$Discipline(it) => it.passes(with),)+
                }
            }

            /// See [`QueueDiscipline::most_to_pass`].
            #[inline]
            pub fn most_to_pass(&self) -> u32 {
                match self {
                    $(AnyDiscipline::$Discipline(it) => it.most_to_pass(),)+
                }
            }

            /// See [`QueueDiscipline::refuses`].
            #[inline]
            pub fn refuses(&self, in_service: Occupancy) -> bool {
                match self {
                    $(AnyDiscipline::$Discipline(it) => it.refuses(in_service),)+
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

            /// Continues with another configuration. Returns `false`, and changes nothing, if the discipline must be made anew instead.
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
/// Every packet that [`enqueue`](QueueDiscipline::enqueue) gets is held until it is handed out by [`dequeue`](QueueDiscipline::dequeue), or goes to
/// the account as a drop. Packets of a flow leave in the order of their arrival.
pub trait QueueDiscipline<P: Queued>: Sized {
    /// Name of the discipline in scenarios.
    const NAME: &'static str;

    /// What the discipline does, and its source, for people to read.
    const ABOUT: &'static str;

    /// Parameters of the discipline.
    const PARAMETERS: &'static [Parameter] = &[];

    /// Whether [`hold`](QueueDiscipline::hold) holds packets back: then the discipline has a queue for each station.
    const HOLDS_STATIONS: bool = false;

    /// The parameter that makes the discipline hold packets back: see [`ready_at`](QueueDiscipline::ready_at).
    const SHAPER: Option<&'static Parameter> = None;

    /// Creates an empty instance with these values of the parameters. To read an undeclared parameter panics.
    fn new(given: &Configured, setup: &Setup) -> Self;

    /// Returns a contradiction between values that are each allowed, if there is one: the parameter to blame, and the reason.
    fn contradiction(_given: &Configured) -> Option<(&'static str, String)> {
        None
    }

    /// Takes a packet that arrives: keeps it, or gives it or others to `account` as drops. The discipline enforces the limit. Packets `in_service`
    /// count against it though they are not held here.
    fn enqueue(&mut self, now: Time, packet: P, in_service: Occupancy, account: &mut Account<P>);

    /// Returns the next packet to serve. `None` if the queue is empty, before [`ready_at`](QueueDiscipline::ready_at), or if all its packets are for
    /// stations on hold: then the server may be busy with packets dequeued earlier.
    fn dequeue(&mut self, now: Time, account: &mut Account<P>) -> Option<P>;

    /// Returns when the next packet may be dequeued. A discipline that shapes holds all packets back until then.
    #[inline]
    fn ready_at(&self) -> Time {
        Time::ZERO
    }

    /// Whether [`enqueue`](QueueDiscipline::enqueue) would accept a packet and [`dequeue`](QueueDiscipline::dequeue) return it at once. Neither may
    /// have another effect. `with` is what would then be in service, this packet included. A discipline that inspects every packet returns `false`.
    #[inline]
    fn passes(&self, _with: Occupancy) -> bool {
        false
    }

    /// Returns a number of packets: as long as no more than this are in service, the next one included, the next one
    /// [passes](QueueDiscipline::passes), however long they are.
    #[inline]
    fn most_to_pass(&self) -> u32 {
        0
    }

    /// Whether the discipline, with `in_service` outside of it, surely drops the next packet for want of room, and does nothing else.
    #[inline]
    fn refuses(&self, _in_service: Occupancy) -> bool {
        false
    }

    /// Charges `station` for the `airtime` of packets to or from it. This may be called at any time, also for a station without waiting packets.
    fn charge(&mut self, _now: Time, _station: u32, _airtime: Span) {}

    /// Sets the airtime, by the driver's estimate, of the packets of `station` that the driver holds and has not charged for yet.
    fn set_pending(&mut self, _station: u32, _airtime: Span) {}

    /// Holds `station` back, or releases it. While it is held, `dequeue` hands out none of its packets; they wait as any others do.
    fn hold(&mut self, _station: u32, _held: bool) {}

    /// Sets the rate that `station` can expect from now on.
    fn set_station_rate(&mut self, _station: u32, _rate: Rate) {}

    /// Returns the packets and bytes held, without those in service.
    fn occupancy(&self) -> Occupancy;

    /// Continues with other values of the parameters, and with another limit and rate. Packets held stay, also beyond a smaller limit. Returns
    /// `false`, and changes nothing, if the discipline cannot do so: then it is made anew.
    fn adopt(&mut self, given: &Configured, setup: &Setup) -> bool;

    /// Removes and returns all packets: queue by queue in the order of their turns, and each queue's in the order of arrival.
    fn drain(&mut self) -> Vec<P>;
}

/// The context of a new instance of a discipline.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// Configuration of the queue.
    pub config: &'a QueueConfig,
    /// Seed of the run.
    pub seed: u64,
    /// Name of the component that the queue belongs to.
    pub name: &'a str,
    /// When the instance is made.
    pub at: Time,
}

impl Setup<'_> {
    /// Returns the limit of the queue.
    pub fn limit(&self) -> QueueLimit {
        self.config.limit
    }

    /// Returns the rate at which packets leave the queue.
    pub fn rate(&self) -> Rate {
        self.config.rate
    }

    /// Returns the queue's own stream of random numbers. Each call restarts it.
    pub fn stream(&self) -> Stream {
        Stream::starting(self.at, self.seed, &format!("queue of {}", self.name))
    }
}
