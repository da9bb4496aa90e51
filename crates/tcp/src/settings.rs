//! Everything that differs between TCP stacks, as plain settings. A [profile](crate::profile) fills them in.

use crate::congestion::Control;
use crate::segment::{Ack, Segment};
use airfair_core::Span;

/// One TCP endpoint pair's settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Payload bytes of a full segment; at least one.
    pub segment_bytes: u32,
    /// TCP and IP header bytes that a data segment carries on the wire (options included).
    pub header_bytes: u32,
    /// Bytes on the wire of a segment without payload (an ACK, a SYN), SACK blocks not counted.
    pub ack_bytes: u32,
    /// Bytes on the wire that a SACK option takes beside its blocks of 8 (kind, length, padding).
    pub sack_option_bytes: u32,
    /// How the congestion window moves.
    pub control: Control,
    /// How losses are found and mended.
    pub recovery: Recovery,
    /// The unit the congestion window is kept in.
    pub window_unit: WindowUnit,
    /// How much an ACK opens the congestion window.
    pub growth: Growth,
    /// The window opens only on an ACK that finds the sender limited by it (Linux; RFC 7661, section 4.2, is
    /// close).
    pub grow_only_when_limited: bool,
    /// What a loss halves.
    pub loss_base: LossBase,
    /// A loss sets the threshold to half the window whatever the control answers; its answer sets the window
    /// alone (ns-2's TCP/Linux, where `ssthresh` is Reno's for Westwood too and only `min_cwnd` is its own).
    pub halve_threshold: bool,
    /// Congestion window of a new connection, in segments.
    pub initial_window: f64,
    /// Slow-start threshold of a new connection, in segments; `None`: as large as the receive window allows.
    pub initial_ssthresh: Option<f64>,
    /// Upper bound on the congestion window, in segments (ns-2 `maxcwnd_`).
    pub max_window: Option<f64>,
    /// Congestion window after a retransmission timeout, in segments (RFC 5681's loss window).
    pub loss_window: f64,
    /// The window that the receiver advertises, in segments; at least one. It reads at once, so this is constant; a network that
    /// rewrites it may make it less on the way, and none.
    pub receive_window: u32,
    /// Nothing goes out beyond the right edge of the receive window (RFC 9293, section 3.8.6). If not, the
    /// receive window only bounds the congestion window, and SACKed data make room for more beyond the edge
    /// (ns-2's TCP/Linux; [`Recovery::Fack`] only).
    pub window_edge: bool,
    /// What an idle period does to the congestion window.
    pub restart: Restart,
    /// Window after an idle restart, in segments.
    pub restart_window: f64,
    /// Delayed acknowledgements; `None`: every segment is acknowledged at once.
    pub delayed_ack: Option<DelayedAck>,
    /// How a connection opens.
    pub handshake: Handshake,
    /// The retransmission timer.
    pub rto: Rto,
    /// RFC 7323 timestamps: every ACK gives an RTT sample (their bytes are part of `header_bytes`).
    pub timestamps: bool,
    /// RFC 3042: new segments on the first two duplicate ACKs.
    pub limited_transmit: bool,
    /// Explicit congestion notification (RFC 3168), agreed on by both ends: new data may be marked, and a mark is answered as a loss
    /// is.
    pub ecn: bool,
    /// Retransmissions may be marked, too, and say CWR, as in ns-2. RFC 3168, section 6.1.5, forbids it.
    pub ecn_retransmissions: bool,
    /// What the window allows to send waits for a random time, uniform from zero to this, and then goes out together with what
    /// the window has come to allow meanwhile (ns-2's `overhead_`, against phase effects). Fast retransmissions and limited
    /// transmit's segments do not wait. Zero: nothing waits. See [`Sender::with_jitter`](crate::Sender::with_jitter).
    pub send_jitter: Span,
    /// Whether duplicate ACKs for data that an earlier recovery or timeout already covers start another
    /// recovery.
    pub fast_retransmit_guard: FastRetransmitGuard,
    /// Where Vegas keeps what it measures segments with.
    pub send_times: SendTimeStore,
    /// Most segments that one duplicate or partial ACK may release during NewReno's fast recovery; `None`: no
    /// limit (ns-2: 2).
    pub recovery_burst: Option<u32>,
    /// Only the first partial ACK of a NewReno recovery restarts the retransmission timer (the "impatient"
    /// variant of RFC 6582, section 4); if not, each does.
    pub impatient: bool,
    /// Leaving NewReno's fast recovery sets the window to at most what is outstanding plus one segment
    /// (RFC 6582, section 3.2, step 3, option 1; ns-2's `exit_recovery_fix_`).
    pub recovery_exit_deflates: bool,
}

impl Settings {
    /// Bytes on the wire of a segment: IP packet, nothing below.
    #[inline]
    pub fn segment_wire_bytes(&self, segment: &Segment) -> u32 {
        if segment.syn { self.ack_bytes } else { segment.len + self.header_bytes }
    }

    /// Bytes on the wire of an ACK, its SACK blocks included.
    #[inline]
    pub fn ack_wire_bytes(&self, ack: &Ack) -> u32 {
        if ack.sack.is_empty() {
            self.ack_bytes
        } else {
            self.ack_bytes + self.sack_option_bytes + 8 * ack.sack.len() as u32
        }
    }
}

/// Loss recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// Fast retransmit, then slow start from one segment.
    Tahoe,
    /// Fast recovery until the first new ACK (RFC 2581).
    Reno,
    /// Partial ACKs keep fast recovery going (RFC 6582).
    NewReno,
    /// Selective acknowledgements (RFC 2018, RFC 6675).
    Sack,
    /// Selective acknowledgements with a counted pipe (Fall & Floyd 1996), as ns-2's `Sack1`.
    SackPipe,
    /// Selective acknowledgements with forward acknowledgement (Mathis & Mahdavi 1996) and rate halving, as
    /// ns-2's TCP/Linux.
    Fack,
    /// Reno's, with Vegas' earlier retransmission checks (Brakmo & Peterson 1995, section 3.1).
    Vegas,
}

impl Recovery {
    /// Whether the receiver has to send SACK blocks.
    pub fn uses_sack(self) -> bool {
        matches!(self, Recovery::Sack | Recovery::SackPipe | Recovery::Fack)
    }
}

/// The unit of the congestion window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowUnit {
    /// A real number of segments, as ns-2 keeps it: its whole part may be outstanding; the threshold is a
    /// whole number.
    Segment,
    /// Bytes: a segment goes out when all of it fits.
    Byte,
}

/// How much an ACK opens the congestion window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// One segment an ACK in slow start, one over the window after (ns-2's `windowOption_` 1).
    PerAck,
    /// By what the ACK acknowledges (RFC 3465; RFC 5681, section 3.1).
    PerByte {
        /// The most that one ACK opens the window in slow start, in segments; `None`: no limit.
        limit: Option<u32>,
    },
}

/// What a loss halves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossBase {
    /// The window in use: the lesser of the congestion and receive windows (ns-2).
    Window,
    /// What is outstanding (RFC 5681, equation 4).
    FlightSize,
}

/// What an idle period does to the congestion window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restart {
    /// Nothing.
    None,
    /// To the restart window when the retransmission timer fires with nothing outstanding (ns-2).
    IdleTimeout,
    /// The retransmission timer runs on while nothing is outstanding, and its firing is a timeout like any
    /// other: it halves the threshold, backs the timer off and is counted (ns-2's Vegas).
    IdleTimeoutIsLoss,
    /// To the restart window before the first segment after an idle period of an RTO or more (RFC 5681,
    /// section 4.1).
    Rfc5681,
    /// Halved for each RTO of an idle period, down to the restart window, while the threshold remembers three
    /// quarters of it (RFC 2861; Linux's `tcp_slow_start_after_idle`).
    Rfc2861,
    /// Congestion window validation (RFC 7661).
    Rfc7661,
}

/// RFC 1122 delayed acknowledgements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DelayedAck {
    /// An ACK waits no longer than this.
    pub timeout: Span,
    /// And this many segments are acknowledged at once.
    pub segments: u32,
}

/// How a connection opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handshake {
    /// Data flows at once.
    None,
    /// The first data segment does a SYN's work: it goes alone, and the initial window counts from the ACK
    /// after its own (ns-2's Vegas, which sets `delay_growth_` but sends no SYN).
    FirstSegment,
    /// A SYN from the sender, answered by an ACK; the initial window counts from there (ns-2's one-way
    /// agents).
    OneWay,
    /// A SYN that takes a segment's place in the initial window and that data follow without waiting (ns-2's
    /// TCP/Linux).
    Overlapped,
    /// SYN, SYN-ACK, then data (the ACK rides on it). On the wire the same as `OneWay`, as only one end has
    /// data; a lost SYN makes the initial window one segment in both (RFC 5681, section 3.1).
    ThreeWay,
}

/// Where the send times of outstanding segments are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendTimeStore {
    /// An entry for each outstanding segment.
    PerSegment,
    /// ns-2's Vegas: a ring with a slot for each segment of the receive window, and two defects that change
    /// what is sent. A cumulative ACK across the ring's end does not clear the slots it covers, so that the
    /// segments that use them next count as retransmitted; and the slot of a segment that was never sent
    /// counts as late, so that the check after a retransmission may send the next new segment twice.
    WindowRing,
}

/// When duplicate ACKs may start a recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FastRetransmitGuard {
    /// Always (RFC 5681).
    None,
    /// Only when everything sent before the last recovery or timeout is acknowledged (RFC 6582, section 3.2,
    /// step 1).
    Recover,
    /// The same, except that the connection's first segment may always be retransmitted (ns-2's `bugFix_` and
    /// `bugfix_ss_`).
    RecoverOrFirst,
}

/// The retransmission timer (RFC 6298).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rto {
    /// How samples become a timeout.
    pub estimator: Estimator,
    /// Never shorter than this.
    pub minimum: Span,
    /// Never longer than this.
    pub maximum: Span,
    /// Before the first sample.
    pub initial: Span,
    /// RTT samples are taken in ticks of this length; zero: as exact as the clock.
    pub granularity: Span,
}

/// How RTT samples become a retransmission timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Estimator {
    /// RFC 6298, in nanoseconds.
    Rfc6298,
    /// As `Rfc6298`, but the minimum bounds the variance term, so that the timeout is never below SRTT plus
    /// the minimum, and a sample far below SRTT raises the variance by an eighth of what it else would
    /// (Linux's `tcp_rtt_estimator`).
    Linux,
    /// Whole ticks: SRTT with three fraction bits, the variance with two; backed off beyond eightfold, SRTT
    /// is forgotten (4.3BSD, as ns-2's Agent/TCP keeps it). Needs a granularity.
    Ticks,
    /// As `Ticks`, with Linux's damping of the variance (ns-2's TCP/Linux). Needs a granularity.
    DampedTicks,
}
