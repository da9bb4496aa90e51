//! What is counted.

use airfair_core::{Span, SpanSum};

/// One station's counts since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StationStats {
    /// Frames that the layers above handed over.
    pub offered_frames: u64,
    /// Their MSDU bytes.
    pub offered_bytes: u64,
    /// Frames it sent that arrived.
    pub delivered_frames: u64,
    /// Their MSDU bytes.
    pub delivered_bytes: u64,
    /// Frames that found its queue full, or were dropped to make room.
    pub drops_queue: u64,
    /// Frames that its queue's discipline dropped though there was room.
    pub drops_early: u64,
    /// Frames that its queue's discipline marked.
    pub marked: u64,
    /// Frames given up at a retry limit that had not arrived.
    pub drops_retry: u64,
    /// Frames it sent that arrived, were acknowledged by the receiver's MAC, and got no further.
    pub lost_above: u64,
    /// Frames that left its queue to be sent.
    pub served: u64,
    /// Time that these had spent in the queue, all added up.
    pub waited: SpanSum,
    /// Times that it won or shared access to the air: an RTS, or a data frame without RTS.
    pub attempts: u64,
    /// Attempts lost in a collision.
    pub collisions: u64,
    /// Attempts in which a frame, whoever sent it, was lost to errors of the air.
    pub errors: u64,
    /// Attempts after a first one that failed.
    pub retries: u64,
    /// Time that its attempts took on the air: all frames of the exchange and the gaps between them. An exchange counts whole
    /// when its data frame ends; [`Bss::airtime`](crate::Bss::airtime) counts up to an instant.
    pub airtime: Span,
    /// Time that attempts addressed to it took, collisions left out.
    pub airtime_as_receiver: Span,
}

/// A station's number of frames, integrated over time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OccupancyIntegral {
    /// Of the frames held, the one in service included.
    pub held: SpanSum,
    /// Of those that wait behind the one in service.
    pub waiting: SpanSum,
}

/// The medium's counts since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MediumStats {
    /// Time with at least one exchange on the air, counted as stations' airtime is.
    pub busy: Span,
    /// Stations' airtime minus `busy`: where frames overlapped.
    pub overlap: SpanSum,
    /// Attempts of all stations.
    pub attempts: u64,
    /// Times that the air was taken by one station alone.
    pub exchanges: u64,
    /// Times that two or more stations took the air together.
    pub collisions: u64,
    /// Frames that arrived.
    pub delivered_frames: u64,
}
