//! Everything that differs between TCP stacks, as plain settings. A [profile](crate::profile) fills them in.

use airfair_core::Span;

/// One TCP endpoint pair's settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Payload bytes of a full segment.
    pub segment_bytes: u32,
    /// TCP and IP header bytes that a data segment carries on the wire (options included).
    pub header_bytes: u32,
    /// Bytes on the wire of a segment without payload (an ACK, a SYN).
    pub ack_bytes: u32,
    /// How the congestion window moves.
    pub control: Control,
    /// How losses are found and mended.
    pub recovery: Recovery,
    /// The unit the congestion window is kept in.
    pub window_unit: WindowUnit,
    /// Congestion window of a new connection, in segments.
    pub initial_window: f64,
    /// Slow-start threshold of a new connection, in segments; `None`: as large as the receive window allows.
    pub initial_ssthresh: Option<f64>,
    /// Upper bound on the congestion window, in segments (ns-2 `maxcwnd_`).
    pub max_window: Option<f64>,
    /// The window that the receiver advertises, in segments.
    pub receive_window: u32,
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
}

/// A congestion control with its own parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum Control {
    /// RFC 5681.
    Reno,
    /// Brakmo & Peterson 1995.
    Vegas(Vegas),
    /// Jung & Park 2016, Fig. 5.
    VegasFair(Vegas, VegasFair),
    /// Mascolo et al. 2001 (low-pass filtered bandwidth estimate, per ACK).
    Westwood,
    /// Grieco & Mascolo 2004 (bandwidth sampled once per RTT).
    WestwoodPlus,
}

/// Vegas' thresholds, in segments queued along the path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vegas {
    /// Below it the window grows by one a round trip.
    pub alpha: f64,
    /// Above it the window shrinks by one a round trip.
    pub beta: f64,
    /// Above it slow start ends.
    pub gamma: f64,
}

/// Vegas-Fair's introductory phase (Jung & Park 2016, section 5.1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VegasFair {
    /// A gap between two segments of at least this starts a new transmission session.
    pub pause_interval: Span,
    /// Bytes of a session during which the thresholds are raised.
    pub intro_length: u64,
    /// What is added to alpha meanwhile.
    pub alpha_increment: f64,
    /// What is added to beta meanwhile.
    pub beta_increment: f64,
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
}

/// The unit of the congestion window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowUnit {
    /// A real number of segments, as ns-2 keeps it.
    Segment,
    /// Whole bytes.
    Byte,
}

/// What an idle period does to the congestion window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restart {
    /// Nothing.
    None,
    /// When the retransmission timer fires with nothing outstanding (ns-2).
    IdleTimeout,
    /// To the restart window before the first segment after an idle period of an RTO or more (RFC 5681, section 4.1).
    Rfc5681,
    /// Congestion window validation (RFC 7661).
    Rfc7661,
}

/// RFC 1122 delayed acknowledgements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DelayedAck {
    /// An ACK waits no longer than this.
    pub timeout: Span,
    /// And no more than this many segments go unacknowledged.
    pub segments: u32,
}

/// How a connection opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handshake {
    /// Data flows at once.
    None,
    /// ns-2's one-way agents: a SYN from the sender, answered by an ACK; the window does not grow on it.
    OneWay,
    /// SYN, SYN-ACK, then data (the ACK rides on it).
    ThreeWay,
}

/// The retransmission timer (RFC 6298).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rto {
    /// Never shorter than this.
    pub minimum: Span,
    /// Never longer than this.
    pub maximum: Span,
    /// Before the first sample.
    pub initial: Span,
    /// RTT samples are taken in ticks of this length; zero: as exact as the clock.
    pub granularity: Span,
}
