//! Settings of a TCP connection. Every one but `profile` and `variant` has the profile's value unless it is set.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::file::Control;
use crate::value::{CountValue, FlagValue, NumberValue, SizeValue, TimeValue, WordValue};

/// Settings of both ends of a TCP connection.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tcp {
    /// The named set of settings that the rest starts from: `rfc` (the default), `ns2` or `linux`.
    pub profile: Option<WordValue>,
    /// The congestion control and its usual loss recovery: `reno`, `vegas`, ... (`newreno`).
    pub variant: Option<WordValue>,
    /// Loss recovery: `tahoe`, `reno`, `newreno`, `sack`, `sack-pipe`, `fack` or `vegas`.
    pub recovery: Option<WordValue>,
    /// How sessions share connections: `reuse` (the default), `fresh` or `renewed`.
    pub connection: Option<WordValue>,
    /// Payload of a full segment.
    pub segment_bytes: Option<SizeValue>,
    /// TCP and IP header bytes of a data segment.
    pub header_bytes: Option<SizeValue>,
    /// Bytes on the wire of a segment without payload.
    pub ack_bytes: Option<SizeValue>,
    /// Bytes on the wire that a SACK option takes beside its blocks of 8 bytes each.
    pub sack_option_bytes: Option<SizeValue>,
    /// How much an ACK opens the congestion window: `per-ack` or `per-byte`.
    pub growth: Option<WordValue>,
    /// `per-byte` growth: the most that one ACK opens the window in slow start, in segments (no limit).
    pub growth_limit: Option<CountValue>,
    /// The window opens only on an ACK that finds the sender limited by it.
    pub grow_only_when_limited: Option<FlagValue>,
    /// What a loss halves: `window` (ns-2) or `flight-size` (RFC 5681).
    pub loss_base: Option<WordValue>,
    /// Congestion window after a retransmission timeout, in segments.
    pub loss_window: Option<NumberValue>,
    /// When duplicate ACKs may start a recovery: `none`, `recover` (RFC 6582) or `recover-or-first` (ns-2).
    pub fast_retransmit_guard: Option<WordValue>,
    /// Most segments that one ACK may release during NewReno's fast recovery.
    pub recovery_burst: Option<CountValue>,
    /// Leaving NewReno's fast recovery sets the window to at most what is outstanding plus one segment.
    pub recovery_exit_deflates: Option<FlagValue>,
    /// How RTT samples become a timeout: `rfc6298`, `linux`, `ticks` (4.3BSD, ns-2) or `damped-ticks`.
    pub rto_estimator: Option<WordValue>,
    /// The unit that the congestion window is kept in: `segment` or `byte`.
    pub window_unit: Option<WordValue>,
    /// Congestion window of a new connection, in segments.
    pub initial_window: Option<NumberValue>,
    /// Slow-start threshold of a new connection, in segments.
    pub initial_ssthresh: Option<NumberValue>,
    /// Upper bound of the congestion window, in segments.
    pub max_window: Option<NumberValue>,
    /// The window that the receiver advertises, in segments.
    pub window: Option<CountValue>,
    /// What idleness does to the window: `none`, `idle-timeout` (ns-2), `idle-timeout-is-loss` (ns-2's Vegas),
    /// `rfc5681`, `rfc2861` (Linux) or `rfc7661`.
    pub restart: Option<WordValue>,
    /// Window after an idle restart, in segments.
    pub restart_window: Option<NumberValue>,
    /// Whether acknowledgements are delayed.
    pub delayed_ack: Option<FlagValue>,
    /// A delayed acknowledgement waits no longer.
    pub delayed_ack_timeout: Option<TimeValue>,
    /// No more segments than this go unacknowledged.
    pub delayed_ack_segments: Option<CountValue>,
    /// How a connection opens: `none`, `first-segment`, `one-way`, `overlapped` (three of ns-2's) or `three-way`.
    pub handshake: Option<WordValue>,
    /// The retransmission timer is never shorter.
    pub rto_min: Option<TimeValue>,
    /// The retransmission timer is never longer.
    pub rto_max: Option<TimeValue>,
    /// The retransmission timer before the first sample.
    pub rto_initial: Option<TimeValue>,
    /// RTT samples are taken in ticks of this length; 0 s: exactly.
    pub rto_granularity: Option<TimeValue>,
    /// RFC 7323 timestamps: every ACK gives an RTT sample.
    pub timestamps: Option<FlagValue>,
    /// RFC 3042: new segments on the first two duplicate ACKs.
    pub limited_transmit: Option<FlagValue>,
    /// A random time, from zero to this, that what the window allows to send waits for (ns-2's `overhead_`; none).
    pub send_jitter: Option<TimeValue>,
    /// RFC 3168: both ends are capable of Explicit Congestion Notification.
    pub ecn: Option<FlagValue>,
    /// Parameters of the congestion control.
    pub control: Option<Control>,
}
