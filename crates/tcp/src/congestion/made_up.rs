//! ACKs that tests make up for a control that paces itself.

use super::control::tests::made;
use super::{BuiltIn, Delivery, Repair, Sample};
use crate::delivery::Lost;
use crate::profile::Profile;
use crate::window::Window;
use crate::window::tests::window;
use airfair_core::{Rate, Span, Stream, Time};

/// Bytes of a segment, and the round trip.
pub(super) const SEGMENT: u64 = 1000;
pub(super) const RTT: Span = Span::from_millis(40);

/// A connection without a network. It opens with a window of ten segments.
pub(super) struct MadeUp<C> {
    pub control: C,
    pub window: Window,
    pub now: Time,
    pub delivered: u64,
    pub repair: Repair,
    pub losses: Vec<Lost>,
    pub marked: bool,
    draws: Stream,
    /// The pacing rate that the sender knows.
    rate: Option<Rate>,
}

/// What an ACK shows while nothing is lost or marked.
pub(super) fn delivery<'a>(
    now: Time,
    departs: Time,
    sample: &'a Sample,
    draws: &'a mut Stream,
) -> Delivery<'a> {
    Delivery {
        now,
        sample,
        losses: &[],
        selective: true,
        marked: false,
        marked_bytes: 0,
        repair: Repair::None,
        uses_window: true,
        srtt: Some(RTT),
        segment_bytes: SEGMENT as u32,
        burst: 2 * SEGMENT,
        departs,
        draws,
        limited: false,
        answered: false,
        repaced: true,
    }
}

impl<C: BuiltIn> MadeUp<C> {
    pub fn new(name: &str, seed: u64) -> MadeUp<C> {
        let mut window = window(Profile::Linux, 10.0, 1e9);
        (window.segment_bytes, window.maximum) = (SEGMENT as u32, 1e9);
        let mut control: C = made(name, Profile::Rfc, &[]);
        control.on_open(&mut window);
        MadeUp {
            control,
            window,
            now: Time::ZERO,
            delivered: 0,
            repair: Repair::None,
            losses: Vec::new(),
            marked: false,
            draws: Stream::new(seed, name),
            rate: None,
        }
    }

    /// An ACK of `acked` bytes that shows this. Whether the control holds the sender back.
    pub fn ack(&mut self, acked: u64, sample: Sample) -> bool {
        self.delivered += acked;
        let losses = std::mem::take(&mut self.losses);
        let sample = Sample { acked, delivered: self.delivered, ..sample };
        let mut delivery = Delivery {
            losses: &losses,
            marked: std::mem::take(&mut self.marked),
            repair: self.repair,
            ..delivery(self.now, self.now, &sample, &mut self.draws)
        };
        self.control.on_delivery(&mut self.window, &mut delivery);
        let Delivery { limited, repaced, .. } = delivery;
        if repaced {
            self.rate = self.control.pacing_rate();
        }
        assert_eq!(self.rate, self.control.pacing_rate(), "a change that the sender does not hear of");
        limited
    }

    /// A round trip in which the path delivered at this rate in byte/s, with this many bytes in flight.
    pub fn round(&mut self, rate: f64, in_flight: u64) -> bool {
        self.now += RTT;
        let sample = Sample {
            rate: Some(rate),
            rtt: Some(RTT),
            prior_delivered: self.delivered,
            in_flight,
            prior_in_flight: in_flight,
            tx_in_flight: in_flight,
            ..Sample::default()
        };
        self.ack((rate * RTT.as_secs()) as u64, sample)
    }
}
