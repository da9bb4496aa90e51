//! How the congestion window moves, with one file for each control. The [trait](CongestionControl) states the
//! contract.
//!
//! A control never sees sequence-number bookkeeping, timers or retransmissions: the loss
//! [recovery](crate::recovery) decides *when* a window is cut and which segments are retransmitted, the control *how far*
//! it is cut and how it grows.

mod aggregation;
mod bbr_rules;
mod builtin;
mod control;
mod delivered;
pub(crate) mod float;
mod hystart;
#[cfg(test)]
mod made_up;
mod max_filter;
mod prior_window;

use crate::core::{Accepted, Marked};
use crate::profile::ByProfile;
use crate::rtt::RttEstimator;
use crate::settings::Settings;
use crate::window::Window;
use airfair_core::{Rate, Span, Stream, Time};
use std::fmt::Debug;

pub(crate) use crate::delivery::{Lost, Sample};
pub use airfair_core::schema::{Kind, Range, Refused, Value, Words};
pub(crate) use builtin::{BuiltIn, Measures};
pub use builtin::{Description, Variant};
pub use control::{Configured, Control, CustomControl};

/// A parameter of a control; its default depends on the profile.
pub type Parameter = airfair_core::schema::Parameter<ByProfile<Value>>;

/// The engine's own controls: from this list follow the modules, the dispatch, and every table of names and parameters.
macro_rules! controls {
    ($($module:ident::$Control:ident),+ $(,)?) => {
        $(
            mod $module;
            pub use $module::$Control;
        )+

        /// The declarations of the built-in controls, in the order in which their names are listed.
        pub const CONTROLS: &[Description] =
            &[$(Description::of::<$Control>(|given| Engine::$Control($Control::new(given)))),+];

        /// The controls that the engine dispatches itself.
        #[derive(Debug)]
        #[repr(u8)]
        pub(crate) enum Engine {
            $($Control($Control),)+
            Custom(Box<dyn CongestionControl>),
        }

        /// The [trait's methods](CongestionControl).
        impl Engine {
            pub fn on_open(&mut self, window: &mut Window) {
                match self {
                    $(Engine::$Control(control) => control.on_open(window),)+
                    Engine::Custom(control) => control.on_open(window),
                }
            }

            #[inline(always)]
            pub fn on_ack(&mut self, window: &mut Window, ack: Heard<'_>) {
                match self {
                    $(Engine::$Control(control) => control.on_ack(window, &ack.event()),)+
                    Engine::Custom(control) => control.on_ack(window, &ack.event()),
                }
            }

            #[inline(always)]
            pub fn on_duplicate_ack(&mut self, window: &mut Window, ack: Heard<'_>) {
                match self {
                    $(Engine::$Control(control) => control.on_duplicate_ack(window, &ack.event()),)+
                    Engine::Custom(control) => control.on_duplicate_ack(window, &ack.event()),
                }
            }

            pub fn on_loss(&mut self, window: &Window, loss: &Loss) -> Reduction {
                match self {
                    $(Engine::$Control(control) => control.on_loss(window, loss),)+
                    Engine::Custom(control) => control.on_loss(window, loss),
                }
            }

            pub fn on_mark(&mut self, window: &Window, loss: &Loss) -> Reduction {
                match self {
                    $(Engine::$Control(control) => control.on_mark(window, loss),)+
                    Engine::Custom(control) => control.on_mark(window, loss),
                }
            }

            pub fn heeds_marks(&self, now: Time) -> bool {
                match self {
                    $(Engine::$Control(control) => control.heeds_marks(now),)+
                    Engine::Custom(control) => control.heeds_marks(now),
                }
            }

            pub fn on_marked(&mut self, bytes: u64) {
                match self {
                    $(Engine::$Control(control) => control.on_marked(bytes),)+
                    Engine::Custom(control) => control.on_marked(bytes),
                }
            }

            #[inline]
            pub fn on_send(&mut self, now: Time, bytes: u32) {
                match self {
                    $(Engine::$Control(control) => control.on_send(now, bytes),)+
                    Engine::Custom(control) => control.on_send(now, bytes),
                }
            }

            /// Takes over the parameters of `control`; a user's own control has none.
            pub fn adopt(&mut self, control: &Control, window: &mut Window) {
                let Control::BuiltIn(given) = control else { return };
                match self {
                    $(Engine::$Control(control) => control.adopt(given, window),)+
                    Engine::Custom(_) => {}
                }
            }

            pub fn on_delivery(&mut self, window: &mut Window, delivery: &mut Delivery<'_>) {
                match self {
                    $(Engine::$Control(control) => control.on_delivery(window, delivery),)+
                    Engine::Custom(_) => {}
                }
            }

            pub fn on_resume(&mut self, now: Time) {
                match self {
                    $(Engine::$Control(control) => control.on_resume(now),)+
                    Engine::Custom(_) => {}
                }
            }

            pub fn pacing_rate(&self) -> Option<Rate> {
                match self {
                    $(Engine::$Control(control) => control.pacing_rate(),)+
                    Engine::Custom(_) => None,
                }
            }

            pub fn on_undo(&mut self) {
                match self {
                    $(Engine::$Control(control) => control.on_undo(),)+
                    Engine::Custom(control) => control.on_undo(),
                }
            }

            pub fn on_idle_restart(&mut self) {
                match self {
                    $(Engine::$Control(control) => control.on_idle_restart(),)+
                    Engine::Custom(control) => control.on_idle_restart(),
                }
            }
        }
    };
}

controls! {
    reno::Reno,
    vegas::Vegas,
    vegas_fair::VegasFair,
    westwood::Westwood,
    westwood_plus::WestwoodPlus,
    aimd::Aimd,
    constant::Constant,
    bbr::Bbr,
    bbr3::Bbr3,
    dctcp::Dctcp,
    prague::Prague,
    cubic::Cubic,
}

impl Engine {
    pub fn new(settings: &Settings) -> Engine {
        match &settings.control {
            Control::BuiltIn(given) => (given.description().build)(given),
            Control::Custom(custom) => Engine::Custom(custom.build(settings)),
        }
    }
}

/// A congestion control: its inputs and its answers.
///
/// The engine's own controls are dispatched by a closed enum, declare their names and parameters (`BuiltIn`), and may pace themselves. A
/// user's own control implements this trait alone and comes as [`Control::Custom`].
pub trait CongestionControl: Debug + Send {
    /// A connection opens, with the initial window of its settings. The control may set another window, or [hold](Window::hold) it. Segments
    /// that duplicate ACKs release beyond the window are the recovery's.
    fn on_open(&mut self, _window: &mut Window) {}

    /// An ACK has acknowledged new data. The control may measure always, and move `window` if `ack.may_grow`.
    /// The engine applies the bounds (receive window, `max_window`). [`Window::open`] is Reno's growth.
    fn on_ack(&mut self, window: &mut Window, ack: &AckEvent);

    /// A duplicate ACK has come: some later segment has arrived. `ack.acked` is zero. The control may end slow start, and leaves the window alone.
    fn on_duplicate_ack(&mut self, _window: &mut Window, _ack: &AckEvent) {}

    /// Returns the answer to a lost segment. The recovery sets the window.
    fn on_loss(&mut self, window: &Window, loss: &Loss) -> Reduction;

    /// Returns the answer to a mark, which is asked for once for the data outstanding. By default a mark is answered like a loss.
    fn on_mark(&mut self, window: &Window, loss: &Loss) -> Reduction {
        self.on_loss(window, loss)
    }

    /// Whether to answer a mark now; if not, the next mark is asked about. Marks on data that were outstanding when the window was last
    /// cut are never asked about.
    fn heeds_marks(&self, _now: Time) -> bool {
        true
    }

    /// `bytes` of the data that the next ACK of new data acknowledges, partial or not, are marked. With
    /// [`EcnEcho::Accurate`](crate::settings::EcnEcho::Accurate) the receiver counts marks. Otherwise data count as marked if the ACK that first
    /// reported them had an echo; with [`EcnEcho::Each`](crate::settings::EcnEcho::Each) these are exactly the marked ones.
    fn on_marked(&mut self, _bytes: u64) {}

    /// A segment of `bytes` is handed out, for the first time or again. Only a control that follows segments
    /// (`BuiltIn::MEASURES`) is told; a user's own control follows all.
    fn on_send(&mut self, _now: Time, _bytes: u32) {}

    /// The last loss turned out to be none. Window and threshold are what they were before it.
    fn on_undo(&mut self) {}

    /// The retransmission timer has fired with nothing outstanding and has set the window back
    /// ([`Restart::IdleTimeout`](crate::settings::Restart::IdleTimeout)). This is no loss, and needs no answer.
    fn on_idle_restart(&mut self) {}
}

/// An ACK, as a control that paces itself sees it.
#[derive(Debug)]
pub(crate) struct Delivery<'a> {
    /// When the ACK came.
    pub now: Time,
    /// What the ACK shows to be delivered and lost.
    pub sample: &'a Sample,
    /// The segments that count as lost since the ACK before this one.
    pub losses: &'a [Lost],
    /// The receiver reports data that arrive out of order (SACK).
    pub selective: bool,
    /// The ACK echoes a mark on data for which no mark was [answered](Delivery::answered).
    pub marked: bool,
    /// Marked bytes that the ACK reports.
    pub marked_bytes: u64,
    /// Loss recovery is under way.
    pub repair: Repair,
    /// The window held the sender back, as [`Settings::grow_only_when_limited`] asks; without that setting, the application did not.
    pub uses_window: bool,
    /// The retransmission timer's smoothed round-trip time.
    pub srtt: Option<Span>,
    /// Payload bytes of a full segment.
    pub segment_bytes: u32,
    /// Bytes of a paced burst.
    pub burst: u64,
    /// When the next burst may leave.
    pub departs: Time,
    /// Random numbers for the control's choices.
    pub draws: &'a mut Stream,
    /// Set by the control if segments in flight now, and those sent until these are delivered, do not show what the path carries, as if the
    /// application held the sender back.
    pub limited: bool,
    /// Set by the control if it answers the mark, so that the receiver may stop echoing it.
    pub answered: bool,
    /// Cleared by the control if its pacing rate is still the one that it was last asked for.
    pub repaced: bool,
}

/// The state of loss recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repair {
    /// Nothing.
    None,
    /// Fast recovery.
    Fast,
    /// The data that were outstanding when the retransmission timer fired are being retransmitted.
    Timeout,
}

/// An ACK, as a congestion control sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AckEvent {
    /// When the ACK came.
    pub now: Time,
    /// Sequence offset up to which everything is acknowledged, this ACK included. (Offsets count from the
    /// connection's start; a SYN counts as a segment.)
    pub una: u64,
    /// Sequence offset of the next segment to send.
    pub nxt: u64,
    /// Bytes that this ACK acknowledged.
    pub acked: u64,
    /// Payload bytes of a full segment.
    pub segment_bytes: u32,
    /// The exact round-trip time of the segment that this ACK completes, if the segment was sent once and the control
    /// measures round trips (a user's own control always does). With Linux's estimator also the one by the timestamp where data were sent again,
    /// and of a duplicate ACK that of the last data that it SACKs.
    pub rtt: Option<Span>,
    /// The retransmission timer's smoothed round-trip time.
    pub srtt: Option<Span>,
    /// Loss recovery does not forbid the window to grow.
    pub may_grow: bool,
    /// The sender counts as limited by its window, whatever is outstanding now ([`Settings::grow_to_twice_used`]).
    pub found_limited: bool,
    /// Segments wait for a pacing rate.
    pub paced: bool,
}

/// The parts of an [`AckEvent`]. Each control makes its own event from them, so that fields which it does not read cost nothing.
#[derive(Clone, Copy)]
pub(crate) struct Heard<'a> {
    pub now: Time,
    pub una: u64,
    pub nxt: u64,
    pub accepted: Accepted,
    pub segment_bytes: u32,
    pub marked: Marked,
    pub rtt: &'a RttEstimator,
    pub settings: &'a Settings,
}

impl Heard<'_> {
    #[inline(always)]
    fn event(&self) -> AckEvent {
        const BY_USE: u16 = Marked::GROWS_WHEN_LIMITED | Marked::REMEMBERS_USE;
        let Accepted { acked, rtt, may_grow } = self.accepted;
        let srtt = self.rtt.srtt(self.settings);
        let Heard { now, una, nxt, segment_bytes, .. } = *self;
        let found_limited = may_grow && self.marked.is_only(BY_USE, BY_USE);
        let paced = self.marked.is(Marked::PACED);
        AckEvent { now, una, nxt, acked, segment_bytes, rtt, srtt, may_grow, found_limited, paced }
    }
}

/// A loss, as a congestion control sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loss {
    /// When the loss was found.
    pub now: Time,
    /// The quantity to halve ([`LossBase`](crate::settings::LossBase)), in segments.
    pub base: f64,
    /// The retransmission timer found the loss.
    pub timeout: bool,
    /// Payload bytes of a full segment.
    pub segment_bytes: u32,
}

/// The answer to a loss, in segments. The engine keeps the threshold at two or more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reduction {
    /// The new slow-start threshold.
    pub ssthresh: f64,
    /// The new congestion window in fast recovery.
    pub cwnd: f64,
    /// The new congestion window where everything outstanding is retransmitted: after a timeout, and in Tahoe. `None`: the engine's own,
    /// [`Settings::loss_window`] (in Tahoe one segment).
    pub loss_window: Option<f64>,
}

impl Reduction {
    /// Sets threshold and window alike, with the engine's own loss window.
    pub fn to(segments: f64) -> Reduction {
        Reduction { ssthresh: segments, cwnd: segments, loss_window: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{self, Profile, TcpName};

    /// Another allowed value of a parameter.
    fn other(kind: Kind, value: Value) -> Value {
        match (kind, value) {
            (Kind::Word(words), Value::Word(word)) => {
                Value::Word(words.iter().copied().find(|other| *other != word).unwrap_or(word))
            }
            (_, Value::Number(0.0)) => Value::Number(0.01),
            (_, Value::Number(number)) => Value::Number(number * 0.9),
            (_, Value::Time(span)) => Value::Time(span * 2),
            (_, Value::Flag(flag)) => Value::Flag(!flag),
            (_, Value::Bytes(bytes)) => Value::Bytes(bytes * 2),
            (_, Value::Count(count)) => Value::Count(count * 2),
            (_, value) => panic!("no other value than {value}"),
        }
    }

    /// On a new connection a control that adopts parameters is one that is made with them.
    #[test]
    fn every_control_adopts_all_its_parameters() {
        for control in CONTROLS {
            let settings = profile::settings(
                Profile::Rfc,
                TcpName::from_name(control.name()).expect("a name of the list"),
            );
            for parameter in control.parameters {
                let value = settings.control.value(parameter.name).expect("it is the control's");
                let mut changed = settings.clone();
                changed.control.set(&[(parameter.name, other(parameter.kind, value))]).expect("allowed");
                let opened = |settings: &Settings| {
                    let (mut engine, mut window) = (Engine::new(settings), Window::new(settings));
                    engine.on_open(&mut window);
                    (engine, window)
                };
                let (mut engine, mut window) = opened(&settings);
                window.maximum = crate::window::maximum(&changed);
                engine.adopt(&changed.control, &mut window);
                let (made, fresh) = opened(&changed);
                let name = format!("{}.{}", control.name(), parameter.name);
                assert_eq!(format!("{engine:?}"), format!("{made:?}"), "{name}");
                assert_ne!(
                    format!("{engine:?}"),
                    format!("{:?}", opened(&settings).0),
                    "{name} is part of its state"
                );
                assert_eq!(window.maximum, fresh.maximum, "{name}");
            }
        }
    }
}
