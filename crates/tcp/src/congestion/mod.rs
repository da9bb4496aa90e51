//! How the congestion window moves. One file for each control; the [trait](CongestionControl) states the
//! contract.
//!
//! A control never sees sequence-number bookkeeping, timers or retransmissions: the loss
//! [recovery](crate::recovery) decides *when* a window is cut and what goes out again, the control *how far*
//! it is cut and how it grows.

mod delivered;
mod reno;
mod vegas;
mod vegas_fair;
mod westwood;
mod westwood_plus;

use crate::settings::{Control, Settings};
use crate::window::Window;
use airfair_core::{Span, Time};
use std::fmt::Debug;

pub use reno::Reno;
pub use vegas::Vegas;
pub use vegas_fair::VegasFair;
pub use westwood::Westwood;
pub use westwood_plus::WestwoodPlus;

/// A congestion control: what it is told, and what it answers.
///
/// The engine's own are dispatched by a closed enum; a user's own implements this and comes as
/// [`Control::Custom`].
pub trait CongestionControl: Debug + Send {
    /// An ACK acknowledged new data. The control may move `window` where `ack.may_grow`, and measure always.
    /// Bounds (receive window, `max_window`) are the engine's; [`Window::open`] is Reno's growth.
    fn on_ack(&mut self, window: &mut Window, ack: &AckEvent);

    /// A duplicate ACK: some later segment arrived. `ack.acked` is zero.
    fn on_duplicate_ack(&mut self, _ack: &AckEvent) {}

    /// A segment is lost: where to cut to. The recovery sets the window.
    fn on_loss(&mut self, window: &Window, loss: &Loss) -> Reduction;

    /// A segment of `bytes` is handed out, for the first time or again.
    fn on_send(&mut self, _now: Time, _bytes: u32) {}
}

/// An ACK, as a congestion control sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AckEvent {
    /// When it came.
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
    /// The exact round-trip time of the segment that this ACK completes, if it was sent once and the control
    /// [asks for it](Control::measures_every_segment).
    pub rtt: Option<Span>,
    /// The retransmission timer's smoothed round-trip time.
    pub srtt: Option<Span>,
    /// Loss recovery does not forbid the window to grow.
    pub may_grow: bool,
}

/// A loss, as a congestion control sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loss {
    /// When it was found.
    pub now: Time,
    /// What [`LossBase`](crate::settings::LossBase) says is to be halved, in segments.
    pub base: f64,
    /// Found by the retransmission timer.
    pub timeout: bool,
    /// Payload bytes of a full segment.
    pub segment_bytes: u32,
}

/// The answer to a loss, in segments. The engine holds the threshold at two at least, and sets the window to
/// the loss window after a timeout and in Tahoe.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reduction {
    /// The new slow-start threshold.
    pub ssthresh: f64,
    /// The new congestion window, where recovery is fast.
    pub cwnd: f64,
}

impl Reduction {
    /// Threshold and window alike.
    pub fn to(segments: f64) -> Reduction {
        Reduction { ssthresh: segments, cwnd: segments }
    }
}

/// How a [`Control::Custom`] is named and built, once for each connection.
#[derive(Clone, Copy, Debug)]
pub struct CustomControl {
    /// Its name; two of the same name count as equal.
    pub name: &'static str,
    /// Makes one.
    pub build: fn(&Settings) -> Box<dyn CongestionControl>,
}

impl PartialEq for CustomControl {
    fn eq(&self, other: &CustomControl) -> bool {
        self.name == other.name
    }
}

impl Control {
    /// Whether the control is given the round-trip time of every segment.
    pub fn measures_every_segment(&self) -> bool {
        matches!(self, Control::Vegas(_) | Control::VegasFair(..) | Control::Custom(_))
    }
}

/// The controls that the engine dispatches itself.
#[derive(Debug)]
pub(crate) enum Engine {
    Reno(Reno),
    Vegas(Vegas),
    VegasFair(VegasFair),
    Westwood(Westwood),
    WestwoodPlus(WestwoodPlus),
    Custom(Box<dyn CongestionControl>),
}

impl Engine {
    pub fn new(settings: &Settings) -> Engine {
        match &settings.control {
            Control::Reno => Engine::Reno(Reno),
            Control::Vegas(vegas) => Engine::Vegas(Vegas::new(*vegas)),
            Control::VegasFair(vegas, fair) => Engine::VegasFair(VegasFair::new(*vegas, *fair)),
            Control::Westwood => Engine::Westwood(Westwood::default()),
            Control::WestwoodPlus => Engine::WestwoodPlus(WestwoodPlus::default()),
            Control::Custom(custom) => Engine::Custom((custom.build)(settings)),
        }
    }
}

macro_rules! dispatch {
    ($engine:expr, $control:ident => $call:expr) => {
        match $engine {
            Engine::Reno($control) => $call,
            Engine::Vegas($control) => $call,
            Engine::VegasFair($control) => $call,
            Engine::Westwood($control) => $call,
            Engine::WestwoodPlus($control) => $call,
            Engine::Custom($control) => $call,
        }
    };
}

impl CongestionControl for Engine {
    #[inline]
    fn on_ack(&mut self, window: &mut Window, ack: &AckEvent) {
        dispatch!(self, control => control.on_ack(window, ack));
    }

    #[inline]
    fn on_duplicate_ack(&mut self, ack: &AckEvent) {
        dispatch!(self, control => control.on_duplicate_ack(ack));
    }

    fn on_loss(&mut self, window: &Window, loss: &Loss) -> Reduction {
        dispatch!(self, control => control.on_loss(window, loss))
    }

    #[inline]
    fn on_send(&mut self, now: Time, bytes: u32) {
        dispatch!(self, control => control.on_send(now, bytes));
    }
}
