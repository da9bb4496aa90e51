//! In which order packets leave a queue, and which are dropped or marked. One file for each discipline; the
//! [trait](QueueDiscipline) states the contract.

mod description;

use crate::account::Account;
use crate::config::{QueueConfig, QueueLimit};
use crate::occupancy::Occupancy;
use crate::queued::Queued;
use airfair_core::{Rate, Span, Stream, Time};

pub use airfair_core::parameter::{Kind, Parameter, Range, Value};
pub use description::{Configured, Description};
pub use red::automatic_minimum;

/// The disciplines: from this list follow the modules, the dispatch, and every table of names and parameters. The first is the
/// default.
macro_rules! disciplines {
    ($($module:ident::$Discipline:ident),+ $(,)?) => {
        $(
            mod $module;
            pub use $module::$Discipline;
        )+

        /// What each discipline states, in the order in which their names are listed.
        pub const DISCIPLINES: &[Description] =
            &[$(Description::of::<$Discipline<description::NoPacket>>()),+];

        /// A discipline at work, dispatched without an indirect call.
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

            #[inline]
            pub fn charge(&mut self, now: Time, station: u32, airtime: Span) {
                match self {
                    $(AnyDiscipline::$Discipline(it) => it.charge(now, station, airtime),)+
                }
            }

            #[inline]
            pub fn occupancy(&self) -> Occupancy {
                match self {
                    $(AnyDiscipline::$Discipline(it) => it.occupancy(),)+
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
}

/// A queue discipline: its name, its parameters, and what it does with packets.
///
/// Every packet that [`enqueue`](QueueDiscipline::enqueue) gets is held until it is handed out by
/// [`dequeue`](QueueDiscipline::dequeue), or goes to the account as a drop. Packets of a flow leave in the order in which they came.
pub trait QueueDiscipline<P: Queued>: Sized {
    /// What a scenario calls it.
    const NAME: &'static str;

    /// What can be set of it.
    const PARAMETERS: &'static [Parameter] = &[];

    /// Makes an empty one, from a value for each of its parameters. Reading one that it does not declare panics.
    fn new(given: &Configured, setup: &Setup) -> Self;

    /// What is wrong with these values together, each being allowed by itself: the parameter to blame, and why.
    fn contradiction(_given: &Configured) -> Option<(&'static str, String)> {
        None
    }

    /// A packet arrives: it is kept, or given to the account as a drop, or others are for it. The discipline sees to the limit, and what
    /// is `in_service` counts against it, though it is not held here.
    fn enqueue(&mut self, now: Time, packet: P, in_service: Occupancy, account: &mut Account<P>);

    /// The next packet to serve. `None` when none is held, which says that the server idles from now on.
    fn dequeue(&mut self, now: Time, account: &mut Account<P>) -> Option<P>;

    /// Packets to or from `station` took `airtime`: told at any time, also of a station for which nothing waits.
    fn charge(&mut self, _now: Time, _station: u32, _airtime: Span) {}

    /// What is held; what is in service is not.
    fn occupancy(&self) -> Occupancy;
}

/// Where a queue is made: what a discipline may want to know beside its parameters.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// The queue that it rules.
    pub config: &'a QueueConfig,
    /// The run's seed.
    pub seed: u64,
    /// The component whose queue it is.
    pub name: &'a str,
}

impl Setup<'_> {
    /// What the queue holds at most.
    pub fn limit(&self) -> QueueLimit {
        self.config.limit
    }

    /// How fast packets leave it.
    pub fn rate(&self) -> Rate {
        self.config.rate
    }

    /// The queue's own random numbers; each call begins them anew.
    pub fn stream(&self) -> Stream {
        Stream::new(self.seed, &format!("queue of {}", self.name))
    }
}
