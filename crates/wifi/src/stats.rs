//! The counters of a BSS.

use airfair_core::{Span, SpanSum, counters};
use airfair_queue::QueueStats;

counters! {
    /// A station's counts since the start of the run.
    pub struct StationStats {
        /// Exchanges that the station began, each counted when its first frame begins: an RTS, a CTS-to-self, data, or a request for a block ack.
        /// With EDCA an A-MPDU is one exchange, and a TXOP may have several. Beacons and broadcasts of an access point do not count.
        attempts: u64 = "attempt",
        /// Attempts lost in a collision: because of other frames on the air the receiver does not take the RTS, or the data frame sent without
        /// one. With `reception = "sinr"` the power of other frames is noise: a frame that the receiver follows and they spoil is lost at random,
        /// and does not count.
        collisions: u64 = "attempt",
        /// Attempts that failed. Without EDCA the last attempt of a frame that is given up then does not count.
        retries: u64 = "attempt",
        /// Counts of the interface queue.
        queue: QueueStats = "frame",
        /// Frames given up at a retry limit before they arrived.
        dropped_retries: u64 = "frame",
        /// Frames that the receiver's MAC acknowledged and that were lost above it.
        lost_errors: u64 = "frame",
        /// Frames that arrived, each counted once.
        delivered: u64 = "frame",
        /// MSDU bytes offered to the interface queue.
        offered_bytes: u64,
        /// MSDU bytes of the delivered frames.
        delivered_bytes: u64,
        /// Attempts that failed because a frame of the exchange, of either side, was lost at random. With EDCA these are all that failed without a
        /// collision: also those whose answer was lost to one, or whose frame was too weak for its receiver.
        lossy_attempts: u64,
        /// MPDUs sent with EDCA, each attempt counted when its exchange ends; several may go in an A-MPDU.
        mpdus: u64 = "MPDU",
        /// MPDUs sent with EDCA that were not acknowledged: they or their answer were destroyed by a collision, or at random.
        mpdus_lost: u64 = "MPDU",
        /// The modulation and coding schemes of the MPDUs sent, added up: divided by `mpdus` this is the mean.
        mpdus_mcs: u64 = "MCS",
        /// Broadcast and multicast frames of its access point that the station received.
        broadcasts: u64 = "frame",
        /// Broadcast and multicast frames of its access point that the station did not receive: another frame, noise or random loss destroyed
        /// them, it transmitted itself, or its access point dropped them. Nobody retransmits them.
        broadcasts_lost: u64 = "frame",
        /// Broadcast and multicast frames that this access point dropped, as 128 others waited for the air.
        broadcasts_dropped: u64 = "frame",
        /// Frames that left the interface queue to be sent.
        served: u64,
        /// Queueing delays of the frames that left the interface queue to be sent, added up.
        waited: SpanSum,
        /// Time that the station's attempts took on the air: all frames of the exchange and the gaps between them. An exchange counts whole when
        /// its data frame ends; [`SharedMedium::airtime`](crate::SharedMedium::airtime) counts up to an instant.
        airtime: Span,
        /// Time that attempts addressed to the station took, collisions excluded.
        airtime_as_receiver: Span,
    }
}

/// A station's number of frames, integrated over time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OccupancyIntegral {
    /// Integral of the number of frames held, those in service included.
    pub held: SpanSum,
    /// Integral of the number of frames that wait: with DCF all but the first, with EDCA those that have been in no PPDU.
    pub waiting: SpanSum,
}

/// Time that a frame spent in its sender's queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueDelay {
    /// Index of the receiving station.
    pub to: u32,
    /// Time from the frame's arrival until its own transmission is next (DCF), or its first PPDU is (EDCA).
    pub delay: Span,
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
    pub delivered: u64,
}
