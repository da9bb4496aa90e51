//! Everything that differs between TCP stacks, as one table of settings with a column for each [profile](crate::profile).
//!
//! A row is documentation, key, field, type, unit and range, and the defaults in `ns2`, `rfc` and `linux` (one value: the same
//! in all three). Scenario files, the JSON Schema, keys of results, random scenarios and `docs/tcp.md` follow from it;
//! `docs/add-a-setting.md` is the guide. `rules` ties settings to each other.

mod rules;

use crate::congestion::Control;
use crate::outstanding::Outstanding;
use crate::segment::{Ack, Segment};
use airfair_core::schema::{Kind, MOST_SEGMENTS, Range, Settings as _};
use airfair_core::{Span, settings, words};

pub use rules::{given, initial_window_rfc3390};

const FLAG: Kind = Kind::Flag;
/// A window: one segment at least.
const WINDOW: Kind = Kind::Segments(Range::at_least(1.0).within_a_window());
/// A whole number of segments, one at least.
const SEGMENTS: Kind = Kind::Count(Range::at_least(1.0).within_a_window(), "segments");
const TIME: Kind = Kind::Time(Range::NOT_NEGATIVE);
const TIME_ABOVE_ZERO: Kind = Kind::Time(Range::POSITIVE);

/// Bytes, up to `most`.
const fn bytes(least: u32, most: u32) -> Kind {
    Kind::Bytes(Range::between(least as f64, most as f64))
}

const fn ms(millis: u64) -> Span {
    Span::from_millis(millis)
}

/// An IPv4 and a TCP header with all their options.
const MOST_HEADER: u32 = 120;
/// The payload of the longest IPv4 packet behind 40 bytes of headers.
const MOST_PAYLOAD: u32 = 65_495;
/// RFC 3390 at a segment of 1460 bytes.
const RFC_WINDOW: f64 = initial_window_rfc3390(1460);

settings! {
    /// The settings of both ends of a TCP connection.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Settings[ns2, rfc, linux] {
        /// Payload bytes of a full segment.
        "segment_bytes" segment_bytes: u32, bytes(1, MOST_PAYLOAD), [1000, 1460, 1448];
        /// TCP and IP header bytes of a data segment, options included (`linux`: timestamps).
        "header_bytes" header_bytes: u32, bytes(0, MOST_HEADER), [40, 40, 52];
        /// Bytes on the wire of a segment without payload (an ACK, a SYN), SACK blocks not counted.
        "ack_bytes" ack_bytes: u32, bytes(1, MOST_HEADER), [40, 40, 52];
        /// Bytes on the wire of a SACK option beside its blocks of 8 bytes: kind, length and padding (RFC 2018). ns-2's Sack1 sinks
        /// add the blocks alone.
        "sack_option_bytes" sack_option_bytes: u32, bytes(0, MOST_HEADER), [0, 4, 4];
        /// Loss recovery; the default is the one of the TCP's name. In `ns2`, `sack` means `sack-pipe`.
        "recovery" recovery: Recovery, Kind::Word(Recovery::WORDS), [Recovery::Reno, Recovery::NewReno, Recovery::NewReno];
        /// The unit of the congestion window.
        "window_unit" window_unit: WindowUnit, Kind::Word(WindowUnit::WORDS), [WindowUnit::Segment, WindowUnit::Byte, WindowUnit::WholeSegment];
        /// By how much an ACK opens the congestion window.
        "growth" growth: Growth, Kind::Word(Growth::WORDS), [Growth::PerAck, Growth::PerByte, Growth::PerByte];
        /// `per-byte` growth: the most by which one ACK opens the window in slow start (RFC 5681, section 3.1: one segment); none: by every
        /// segment that the ACK covers, as in Linux. Setting `growth` removes the limit.
        "growth_limit" growth_limit: Option<u32>, SEGMENTS, [None, Some(1), None];
        /// Only an ACK that finds the sender limited by the window opens the window (Linux; RFC 7661, section 4.2, is close).
        "grow_only_when_limited" grow_only_when_limited: bool, FLAG, [false, false, true];
        /// With `grow_only_when_limited`: a sender counts as limited if the data in the network filled the window in the latest flight, whatever is
        /// outstanding when the ACK comes. Slow start goes on up to twice the segments outstanding in that flight (Linux's `tcp_is_cwnd_limited`).
        "grow_to_twice_used" grow_to_twice_used: bool, FLAG, [false, false, true];
        /// Data open the window once, when they arrive: data that were SACKed, or that a duplicate ACK stood for, do not count again when
        /// an ACK covers them. After a timeout, too, an ACK opens it by all that arrived (Linux; recoveries `rack` and `newreno`).
        "counts_deliveries" counts_deliveries: bool, FLAG, [false, false, true];
        /// The quantity that a loss halves.
        "loss_base" loss_base: LossBase, Kind::Word(LossBase::WORDS), [LossBase::Window, LossBase::FlightSize, LossBase::CongestionWindow];
        /// A loss sets the threshold to half the window whatever the control answers; its answer sets the window alone (ns-2's
        /// TCP/Linux, where Westwood has Reno's `ssthresh`, too, and only a `min_cwnd` of its own).
        fixed "halve_threshold" halve_threshold: bool, FLAG, [false];
        /// Congestion window of a new connection: ns-2's `windowInit_`, RFC 3390, RFC 6928.
        "initial_window" initial_window: f64, WINDOW, [2.0, RFC_WINDOW, 10.0];
        /// Slow-start threshold of a new connection; none: as large as the receive window (`linux`: so large that it bounds nothing,
        /// `TCP_INFINITE_SSTHRESH`).
        "initial_ssthresh" initial_ssthresh: Option<f64>, WINDOW, [None, None, Some(MOST_SEGMENTS)];
        /// Upper bound of the congestion window (ns-2's `maxcwnd_`).
        changeable "max_window" max_window: Option<f64>, WINDOW, [None];
        /// Congestion window after a retransmission timeout (RFC 5681's loss window).
        changeable "loss_window" loss_window: f64, WINDOW, [1.0];
        /// The window that the receiver advertises; with `first_window` the largest one. The application reads at once (`rfc`: 65535 bytes; `linux`:
        /// five eighths of `tcp_rmem`'s maximum of 6 MiB, as a full segment over Ethernet takes 2304 bytes of memory).
        changeable "window" receive_window: u32, SEGMENTS, [20, 44, 2715];
        /// The window that the receiver advertises at first. It grows to `window` with the data that arrive in a round trip (Dynamic
        /// Right-Sizing), and then is smaller by the data that have arrived beyond a gap; none: it is `window` from the start (`linux`: half of
        /// `tcp_rmem`'s 128 KiB).
        "first_window" first_window: Option<u32>, SEGMENTS, [None, None, Some(45)];
        /// Nothing goes out beyond the right edge of the receive window (RFC 9293, section 3.8.6). If not, the receive window only
        /// bounds the congestion window, and SACKed data make room beyond the edge (ns-2's TCP/Linux; `fack` recovery only).
        fixed "window_edge" window_edge: bool, FLAG, [true];
        /// The effect of an idle period on the congestion window.
        "restart" restart: Restart, Kind::Word(Restart::WORDS), [Restart::IdleTimeout, Restart::Rfc7661, Restart::Rfc2861];
        /// Congestion window after an idle restart (RFC 5681, section 4.1: the initial window).
        changeable "restart_window" restart_window: f64, WINDOW, [1.0, RFC_WINDOW, 10.0];
        /// Whether acknowledgements are delayed (RFC 1122, section 4.2.3.2).
        changeable "delayed_ack" delayed_ack: bool, FLAG, [false, true, true];
        /// The longest delay of an acknowledgement (`ns2`: `interval_` of `TCPSink/DelAck`; `rfc`: BSD's, within RFC 5681's 500 ms; `linux`:
        /// `TCP_DELACK_MIN`).
        changeable "delayed_ack_timeout" delayed_ack_timeout: Span, TIME_ABOVE_ZERO, [ms(100), ms(200), ms(40)];
        /// With delayed acknowledgements: the number of segments that are acknowledged at once.
        changeable "delayed_ack_segments" delayed_ack_segments: u32, SEGMENTS, [2];
        /// With delayed acknowledgements: the number of segments that are acknowledged one by one at the start of a connection, after a pause
        /// longer than the retransmission timeout, and after a segment that came twice; two after a mark. Linux's quick ACKs (`TCP_MAX_QUICKACKS`).
        changeable "quick_acks" quick_acks: u32, Kind::Count(Range::at_least(0.0).within_a_window(), "segments"), [0, 0, 16];
        /// A segment that is short or has PSH is acknowledged at once. PSH marks the end of what was written, and of each burst of two segments or
        /// more (`tso`): Linux acknowledges such a segment when the application reads it, which here is at once (`tcp_cleanup_rbuf`,
        /// `__tcp_transmit_skb`).
        "push_ack" push_ack: bool, FLAG, [false, false, true];
        /// Segments in sequence that come together are merged into one and acknowledged once, as in Linux with GRO.
        "gro" gro: bool, FLAG, [false, false, true];
        /// With `gro`: segments that come within this time of the first one are merged. 0 s: those that come at one instant, as an aggregate of
        /// Wi-Fi brings them. Over a wire no two segments do, so that `gro` has no effect there.
        "gro_wait" gro_wait: Span, TIME, [Span::ZERO];
        /// How a connection opens.
        "handshake" handshake: Handshake, Kind::Word(Handshake::WORDS), [Handshake::OneWay, Handshake::ThreeWay, Handshake::ThreeWay];
        /// The effect of a lost SYN on the window, the threshold and the timer.
        "lost_syn" lost_syn: LostSyn, Kind::Word(LostSyn::WORDS), [LostSyn::Rfc5681, LostSyn::Rfc5681, LostSyn::Linux];
        /// How RTT samples become a retransmission timeout.
        "rto_estimator" rto_estimator: Estimator, Kind::Word(Estimator::WORDS), [Estimator::Ticks, Estimator::Rfc6298, Estimator::Linux];
        /// Lower bound of the retransmission timeout; with the `linux` estimator, of its excess over SRTT.
        changeable "rto_min" rto_min: Span, TIME, [ms(200), ms(1000), ms(200)];
        /// Upper bound of the retransmission timeout.
        changeable "rto_max" rto_max: Span, TIME_ABOVE_ZERO, [ms(60_000), ms(60_000), ms(120_000)];
        /// The retransmission timeout before the first sample.
        "rto_initial" rto_initial: Span, TIME_ABOVE_ZERO, [ms(3000), ms(1000), ms(1000)];
        /// A clock tick; zero: exact times. `ticks` and `damped-ticks` take RTT samples in ticks, and `rfc6298` adds at least one tick to the
        /// smoothed round trip (its G). With the `linux` estimator it is a jiffy, 1 s / `CONFIG_HZ`. Timeouts, probes and delayed acknowledgements then
        /// wait for whole ticks, and ring on a tick of their host's clock, after 63 ticks and more on each eighth one, and so on (Linux's timer wheel,
        /// `calc_wheel_index`). No timeout is shorter than two ticks, unless `rto_max` is.
        "rto_granularity" rto_granularity: Span, TIME, [ms(10), Span::ZERO, ms(4)];
        /// RFC 7323 timestamps: every ACK gives an RTT sample. Their bytes are part of `header_bytes`.
        "timestamps" timestamps: bool, FLAG, [false, false, true];
        /// Limited transmit: a new segment goes out on each of the first two duplicate ACKs (RFC 3042; ns-2's `singledup_`).
        changeable "limited_transmit" limited_transmit: bool, FLAG, [true];
        /// Both ends use Explicit Congestion Notification (RFC 3168): new data may be marked, and a mark is answered like a loss.
        "ecn" ecn: bool, FLAG, [false];
        /// With `ecn`: data, retransmissions included, carry ECT(1), which asks for low latency and promises a scalable control (L4S, RFC 9331).
        "ect1" ect1: bool, FLAG, [false];
        /// How a receiver echoes marks.
        "ecn_echo" ecn_echo: EcnEcho, Kind::Word(EcnEcho::WORDS), [EcnEcho::Classic];
        /// Retransmissions, too, may be marked and carry CWR, as in ns-2. RFC 3168, section 6.1.5, forbids it.
        fixed "ecn_retransmissions" ecn_retransmissions: bool, FLAG, [true, false, false];
        /// Segments that the window allows wait for a random time, uniform from zero to this, and then go out together (ns-2's
        /// `overhead_`, against phase effects). Fast retransmissions and limited transmit's segments do not wait.
        "send_jitter" send_jitter: Span, TIME, [Span::ZERO];
        /// The pacing rate at which bursts of segments leave. Fast retransmissions, limited transmit's segments
        /// and probes do not wait. A control that brings a rate of its own paces itself whatever this setting.
        "pacing" pacing: Pacing, Kind::Word(Pacing::WORDS), [Pacing::Off];
        /// Segments of a paced burst; none: what the rate carries in 1 ms, at least two (one below 1.2 Mb/s) and at most 64 KiB; or as `tso` says.
        "pacing_quantum" pacing_quantum: Option<u32>, SEGMENTS, [None];
        /// The wait after a paced burst that left late is shorter by that delay, by half at most (Linux: against the jitter of timers).
        "pacing_credit" pacing_credit: bool, FLAG, [false, false, true];
        /// New segments leave in bursts, as with Linux's segmentation offload (TSO). A burst is what the pacing rate carries in 1 s / 1024, or in
        /// `small_queue_time` where `small_queue` acts, at least two segments (one below 1.2 Mb/s where a control paces itself) and at most 64 KiB, and
        /// more where a round trip is below 8 ms; Linux has a pacing rate for connections that do not pace, too. Fewer segments than a burst, and than a third of the window, wait for the next ACK if
        /// that is due and a segment went out in the last millisecond (`tcp_tso_autosize`, `tcp_tso_should_defer`).
        "tso" tso: bool, FLAG, [false, false, true];
        /// A connection of a Wi-Fi station holds segments back while the station's own queue holds enough of its segments (Linux's TCP small queues).
        /// Fast retransmissions, limited transmit's segments and probes do not wait.
        "small_queue" small_queue: bool, FLAG, [false, false, true];
        /// With `small_queue`: enough is more than the pacing rate carries in this time, and more than two bursts (1 s / 128:
        /// `tx_sk_pacing_shift` of mac80211). Linux has a pacing rate for connections that do not pace, too.
        "small_queue_time" small_queue_time: Span, TIME, [Span(7_812_500)];
        /// With `small_queue`: more than this is enough at any rate (`tcp_limit_output_bytes`).
        "small_queue_limit" small_queue_limit: u32, bytes(1, 1 << 30), [4 << 20];
        /// The number of segments at the start of a connection that are not paced (Linux: by its own pacing and by `fq`).
        "unpaced_segments" unpaced_segments: Option<u32>, SEGMENTS, [None, None, Some(10)];
        /// Whether duplicate ACKs for data that an earlier recovery or timeout covers may start another recovery.
        "fast_retransmit_guard" fast_retransmit_guard: FastRetransmitGuard, Kind::Word(FastRetransmitGuard::WORDS),
            [FastRetransmitGuard::RecoverOrFirst, FastRetransmitGuard::Recover, FastRetransmitGuard::Recover];
        /// Where Vegas keeps the send times of outstanding segments, by which it measures round trips.
        fixed "send_times" send_times: SendTimeStore, Kind::Word(SendTimeStore::WORDS),
            [SendTimeStore::WindowRing, SendTimeStore::PerSegment, SendTimeStore::PerSegment];
        /// Proportional Rate Reduction (RFC 9937) in the recoveries `sack` and `rack`, and after a mark: the data in the network come down to the new window evenly.
        "prr" prr: bool, FLAG, [false, false, true];
        /// With SACK: the receiver reports data that arrive twice (D-SACK, RFC 2883).
        "dsack" dsack: bool, FLAG, [false, false, true];
        /// With SACK and delayed acknowledgements: behind a gap that three acknowledgements have reported, further ones wait for more data. They wait
        /// for a twentieth of the handshake's round trip, for 1 ms at most, plus 0.1 ms by which a timer may be late; or until 44 segments have come
        /// or a third SACK block changes (Linux: `tcp_comp_sack_delay_ns`, `tcp_comp_sack_slack_ns`, `tcp_comp_sack_nr`, `tcp_sack_new_ofo_skb`).
        "sack_compression" sack_compression: bool, FLAG, [false, false, true];
        /// Recovery `rack`: a cut for a loss that was none is taken back. Timestamps show it (Eifel: RFC 3522, RFC 4015), or the receiver's
        /// reports that every retransmission was a duplicate (`dsack`; RFC 3708, as in Linux).
        "undo" undo: bool, FLAG, [false, false, true];
        /// Recovery `rack`: a flight whose end is not acknowledged is probed before the timeout (RFC 8985, section 7; Linux's
        /// `tcp_early_retrans`).
        "tail_loss_probe" tail_loss_probe: bool, FLAG, [true];
        /// Recovery `rack`: new data after a timeout show whether the timeout was needless, which then is taken back (F-RTO, RFC 5682, with SACK).
        "frto" frto: bool, FLAG, [false, false, true];
        /// The most segments that one duplicate or partial ACK releases during NewReno's fast recovery.
        "recovery_burst" recovery_burst: Option<u32>, SEGMENTS, [Some(2), None, None];
        /// Only the first partial ACK of a NewReno recovery restarts the retransmission timer (the "impatient" variant of RFC
        /// 6582, section 4; ns-2's `newreno_changes1_`); otherwise each partial ACK does.
        fixed "impatient" impatient: bool, FLAG, [true, true, false];
        /// Leaving NewReno's fast recovery sets the window to at most the data outstanding plus one segment (RFC 6582, section 3.2,
        /// step 3, option 1; ns-2's `exit_recovery_fix_`).
        "recovery_exit_deflates" recovery_exit_deflates: bool, FLAG, [false, true, true];
    }
    parts {
        /// How the congestion window moves.
        "control" control: Control, Control::reno();
    }
}

impl Settings {
    /// The window that the receiver advertises at first.
    pub fn opening_window(&self) -> u32 {
        self.first_window.map_or(self.receive_window, |first| first.min(self.receive_window))
    }

    /// Whether segments wait for a pacing rate, which may be the control's own.
    pub(crate) fn is_paced(&self) -> bool {
        self.control.paces() || self.pacing != Pacing::Off
    }

    /// Whether [`Settings::counts_deliveries`] holds, for a recovery that knows it.
    pub(crate) fn counts_data_once(&self) -> bool {
        self.counts_deliveries && matches!(self.recovery, Recovery::Rack | Recovery::NewReno)
    }

    /// A window of this number of segments, or `max_window` if that is less.
    pub(crate) fn at_most_max_window(&self, segments: f64) -> f64 {
        self.max_window.map_or(segments, |most| segments.min(most))
    }

    /// Whether the receiver acknowledges every segment on arrival.
    pub fn acks_at_once(&self) -> bool {
        !self.delayed_ack && !self.gro
    }

    /// The keys of the settings that can change while a connection is open, beside the parameters of its control. The others are agreed
    /// when it opens, or are part of how it works.
    pub fn changeable() -> impl Iterator<Item = &'static str> {
        Settings::TABLE.iter().filter(|setting| setting.changeable).map(|setting| setting.key)
    }

    /// These settings with the [changeable](Settings::changeable) ones of `other`. Parameters are those of `other` if the control is the
    /// same. The receive window stays where ns-2's Vegas has a ring of its length.
    pub fn with_changeable_of(&self, other: &Settings) -> Settings {
        let mut settings = self.clone();
        let keys = Settings::changeable().filter(|&key| key != "window" || !Outstanding::have_ring(self));
        for (key, value) in keys.filter_map(|key| Some((key, other.get(key)?))) {
            settings.put(key, value);
        }
        if self.control.name() == other.control.name() {
            settings.control.clone_from(&other.control);
        }
        settings
    }
}

words! {
    /// Loss recovery.
    pub enum Recovery {
        /// Fast retransmit, then slow start from one segment.
        Tahoe = "tahoe",
        /// Fast recovery until the first new ACK (RFC 2581).
        Reno = "reno",
        /// Partial ACKs keep fast recovery going (RFC 6582).
        NewReno = "newreno",
        /// Selective acknowledgements (RFC 2018, RFC 6675).
        Sack = "sack",
        /// Selective acknowledgements with losses found by time, and probes of a flight's end (RACK-TLP, RFC 8985).
        Rack = "rack",
        /// Selective acknowledgements with a counted pipe (Fall & Floyd 1996), as ns-2's `Sack1`.
        SackPipe = "sack-pipe",
        /// Selective acknowledgements with forward acknowledgement (Mathis & Mahdavi 1996) and rate halving, as
        /// ns-2's TCP/Linux.
        Fack = "fack",
        /// Reno's, with Vegas' earlier retransmission checks (Brakmo & Peterson 1995, section 3.1).
        Vegas = "vegas",
    }
}

words! {
    /// The unit of the congestion window.
    pub enum WindowUnit {
        /// A real number of segments, as ns-2 keeps it: its whole part may be outstanding; the threshold is a
        /// whole number.
        Segment = "segment",
        /// Bytes: a segment goes out when all of it fits.
        Byte = "byte",
        /// Like `byte`, but the answers of Reno, CUBIC and DCTCP to losses and marks are whole numbers of segments, rounded as in Linux.
        WholeSegment = "whole-segment",
    }
}

words! {
    /// How far an ACK opens the congestion window.
    pub enum Growth {
        /// One segment an ACK in slow start, one over the window after (ns-2's `windowOption_` 1).
        PerAck = "per-ack",
        /// By the bytes that the ACK acknowledges (RFC 3465; RFC 5681, section 3.1).
        PerByte = "per-byte",
    }
}

words! {
    /// The quantity that a loss halves.
    pub enum LossBase {
        /// The window in use: the lesser of the congestion and receive windows (ns-2).
        Window = "window",
        /// The congestion window, also beyond the receiver's (Linux's `tcp_reno_ssthresh`).
        CongestionWindow = "congestion-window",
        /// The data outstanding (RFC 5681, equation 4).
        FlightSize = "flight-size",
    }
}

words! {
    /// The effect of an idle period on the congestion window.
    pub enum Restart {
        /// None.
        None = "none",
        /// To the restart window when the retransmission timer fires with nothing outstanding (ns-2).
        IdleTimeout = "idle-timeout",
        /// The retransmission timer runs on while nothing is outstanding, and its firing is a timeout like any
        /// other: it halves the threshold, backs the timer off and is counted (ns-2's Vegas).
        IdleTimeoutIsLoss = "idle-timeout-is-loss",
        /// To the restart window before the first segment after an idle period of an RTO or more (RFC 5681,
        /// section 4.1).
        Rfc5681 = "rfc5681",
        /// Halved for each RTO that an idle period outlasts, down to the restart window, while the threshold remembers three
        /// quarters of it (RFC 2861; Linux's `tcp_slow_start_after_idle`).
        Rfc2861 = "rfc2861",
        /// Congestion window validation (RFC 7661).
        Rfc7661 = "rfc7661",
    }
}

words! {
    /// How a connection opens.
    pub enum Handshake {
        /// Data flows at once.
        None = "none",
        /// The first data segment stands for a SYN: it goes alone, and the initial window counts from the ACK
        /// after its own (ns-2's Vegas, which sets `delay_growth_` but sends no SYN).
        FirstSegment = "first-segment",
        /// A SYN from the sender, answered by an ACK; the initial window counts from there (ns-2's one-way
        /// agents).
        OneWay = "one-way",
        /// A SYN that takes a segment's place in the initial window and that data follow without waiting (ns-2's
        /// TCP/Linux).
        Overlapped = "overlapped",
        /// SYN, SYN-ACK, then data (the ACK rides on it). On the wire the same as `one-way`, as only one end has
        /// data; a lost SYN makes the initial window one segment in both (RFC 5681, section 3.1).
        ThreeWay = "three-way",
    }
}

words! {
    /// The effect of a lost SYN. If timestamps show that the first one was answered, the initial window stays (Linux:
    /// `tcp_try_undo_spurious_syn`).
    pub enum LostSyn {
        /// The initial window is one segment then (RFC 5681, section 3.1), and the threshold is what a timeout leaves of it. Each timeout
        /// doubles the timer.
        Rfc5681 = "rfc5681",
        /// The threshold stays, and one lost SYN leaves the initial window, too (`tcp_init_transfer`, `tcp_init_metrics`). The first
        /// four timeouts do not double the timer (`tcp_syn_linear_timeouts`).
        Linux = "linux",
    }
}

impl LostSyn {
    /// Number of lost SYNs that leave the initial window as it is.
    pub(crate) fn spared(self) -> u64 {
        match self {
            LostSyn::Rfc5681 => 0,
            LostSyn::Linux => 1,
        }
    }

    /// Number of timeouts of SYNs that do not double the timer.
    pub(crate) fn linear_timeouts(self) -> u64 {
        match self {
            LostSyn::Rfc5681 => 0,
            LostSyn::Linux => 4,
        }
    }
}

words! {
    /// How a receiver echoes marks.
    pub enum EcnEcho {
        /// From a mark until the sender confirms that it has answered, by CWR (RFC 3168, section 6.1.3).
        Classic = "classic",
        /// Segment by segment: an ACK shows whether the segment that it answers was marked (RFC 8257, section 3.2). A change ends the wait of a
        /// delayed ACK, which then speaks for the segments before as well; RFC 8257 acknowledges those separately.
        Each = "each",
        /// By a count of the marked segments, modulo 8, in each ACK (AccECN, RFC 9768, section 3.2.2), so that a sender learns how many
        /// were marked even where ACKs are delayed or lost. The first of several marks, and the second since an ACK, are acknowledged
        /// at once. Without the option that counts bytes.
        Accurate = "accurate",
    }
}

words! {
    /// The pacing rate of a control without a rate of its own.
    pub enum Pacing {
        /// None: the window alone says when segments leave.
        Off = "off",
        /// Linux's, which paces where asked to or with the `fq` discipline: twice the window in a smoothed round trip while it is below
        /// half of the slow-start threshold, and 1.2 times after (`tcp_pacing_ss_ratio`, `tcp_pacing_ca_ratio`).
        Linux = "linux",
    }
}

words! {
    /// Where the send times of outstanding segments are kept.
    pub enum SendTimeStore {
        /// An entry for each outstanding segment.
        PerSegment = "per-segment",
        /// ns-2's Vegas: a ring with a slot for each segment of the receive window, and two defects that change
        /// the segments sent. A cumulative ACK across the ring's end does not clear the slots it covers, so that the
        /// segments that use them next count as retransmitted; and the slot of a segment that was never sent
        /// counts as late, so that the check after a retransmission may send the next new segment twice.
        WindowRing = "window-ring",
    }
}

words! {
    /// When duplicate ACKs may start a recovery.
    pub enum FastRetransmitGuard {
        /// Always (RFC 5681).
        None = "none",
        /// Only when everything sent before the last recovery or timeout is acknowledged (RFC 6675, section 5.1), and without SACK more
        /// than that (RFC 6582, section 3.2, step 1).
        Recover = "recover",
        /// Like `recover`, but the connection's first segment may always be retransmitted (ns-2's `bugFix_` and
        /// `bugfix_ss_`).
        RecoverOrFirst = "recover-or-first",
    }
}

words! {
    /// How RTT samples become a retransmission timeout.
    pub enum Estimator {
        /// RFC 6298, in nanoseconds.
        Rfc6298 = "rfc6298",
        /// Like `rfc6298`, but the minimum bounds the variance term, so that the timeout is never below SRTT plus
        /// the minimum; a sample far below SRTT raises the variance by an eighth of the usual amount; and the term
        /// is the largest of a round trip, and falls by a quarter a round trip at most (Linux's
        /// `tcp_rtt_estimator`). Data that are SACKed, and partial ACKs with timestamps, give samples, too
        /// (`tcp_ack_update_rtt`).
        Linux = "linux",
        /// Whole ticks: SRTT with three fraction bits, the variance with two; backed off beyond eightfold, SRTT
        /// is forgotten (4.3BSD, as ns-2's Agent/TCP keeps it). Needs a granularity.
        Ticks = "ticks",
        /// Like `ticks`, with Linux's damping of the variance (ns-2's TCP/Linux). Needs a granularity.
        DampedTicks = "damped-ticks",
    }
}

impl Settings {
    /// Bytes on the wire of a segment: those of its IP packet.
    pub fn segment_wire_bytes(&self, segment: &Segment) -> u32 {
        if segment.syn { self.ack_bytes } else { segment.len + self.header_bytes }
    }

    /// Bytes on the wire of a full segment.
    #[inline]
    pub fn whole_segment_wire_bytes(&self) -> u32 {
        self.segment_bytes + self.header_bytes
    }

    /// Bytes on the wire of an ACK, its SACK blocks included.
    pub fn ack_wire_bytes(&self, ack: &Ack) -> u32 {
        if ack.sack.is_empty() {
            self.plain_ack_wire_bytes()
        } else {
            self.ack_bytes + self.sack_option_bytes + 8 * ack.sack.len() as u32
        }
    }

    /// Bytes on the wire of an ACK without SACK blocks.
    #[inline]
    pub fn plain_ack_wire_bytes(&self) -> u32 {
        self.ack_bytes
    }
}

impl Recovery {
    /// Whether the receiver has to send SACK blocks.
    pub fn uses_sack(self) -> bool {
        matches!(self, Recovery::Sack | Recovery::Rack | Recovery::SackPipe | Recovery::Fack)
    }
}

impl Estimator {
    /// Whether the estimator counts in ticks of the granularity.
    pub fn counts_ticks(self) -> bool {
        matches!(self, Estimator::Ticks | Estimator::DampedTicks)
    }
}
