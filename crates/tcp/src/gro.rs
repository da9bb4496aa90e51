//! Generic receive offload: segments that arrive together are handed up as one, as Linux's GRO does (`net/core/gro.c`,
//! `net/ipv4/tcp_offload.c`). A driver hands over what it finds, the packets of an aggregate of Wi-Fi in one go, and all that is in
//! sequence becomes one segment for TCP.

use crate::segment::{Segment, ticks};
use crate::settings::Settings;
use airfair_core::{Span, Time};

/// Bytes of the longest IP packet, and so of the longest merged segment (`GRO_LEGACY_MAX_SIZE`).
const MOST: u32 = 65_535;

/// Segments that wait to be handed up.
#[derive(Clone, Debug)]
pub(crate) struct Gro {
    /// The longest time that segments wait, from the first of them on.
    wait: Span,
    /// Payload bytes of a full segment, and of the longest merged one.
    full: u32,
    most: u32,
    timestamps: bool,
    held: Option<(Segment, u32)>,
    /// When the waiting segments are handed up, and when a delayed acknowledgement is due meanwhile.
    pub due: Time,
    pub ack_due: Time,
}

impl Gro {
    /// Returns `None` if each segment is handed up alone.
    pub fn new(settings: &Settings) -> Option<Box<Gro>> {
        settings.gro.then(|| {
            Box::new(Gro {
                wait: settings.gro_wait,
                full: settings.segment_bytes,
                most: (MOST - settings.header_bytes).max(settings.segment_bytes),
                timestamps: settings.timestamps,
                held: None,
                due: Time::NEVER,
                ack_due: Time::NEVER,
            })
        })
    }

    pub fn is_empty(&self) -> bool {
        self.held.is_none()
    }

    /// Whether this segment can be merged with those that wait.
    pub fn continues(&self, segment: &Segment) -> bool {
        let Some((held, _)) = &self.held else { return false };
        segment.seq == held.seq + u64::from(held.len)
            && segment.ecn == held.ecn
            && !segment.flags.cwr()
            && (!self.timestamps || ticks(segment.sent_at) == ticks(held.sent_at))
            && held.len + segment.len <= self.most
    }

    /// Adds a segment, the first or one that [continues](Gro::continues) the others. Returns whether it ends the merged segment: it has PSH,
    /// or is short.
    pub fn add(&mut self, now: Time, segment: &Segment) -> bool {
        self.held = Some(match self.held {
            Some((held, number)) => {
                (Segment { len: held.len + segment.len, flags: segment.flags, ..held }, number + 1)
            }
            None => {
                // Once the instant of the last segment is over.
                self.due = now + self.wait + Span(1);
                (*segment, 1)
            }
        });
        segment.flags.push() || segment.len < self.full
    }

    /// Takes the merged segment, and the number of segments in it.
    pub fn take(&mut self) -> Option<(Segment, u32)> {
        self.due = Time::NEVER;
        self.held.take()
    }
}
