//! Named sets of settings: what each `tcp=` name means in each profile.
//!
//! A profile is data. Nothing in the engine asks for it; the table is in `docs/tcp.md`.

use crate::congestion::{CONTROLS, Control, Description, Variant};
use crate::settings::{
    DelayedAck, Estimator, FastRetransmitGuard, Growth, Handshake, LossBase, Recovery, Restart, Rto,
    SendTimeStore, Settings, WindowUnit,
};
use airfair_core::Span;
use std::fmt;

/// Whose TCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// ns-2.35's agents with their defaults, so that runs can be compared number by number.
    Ns2,
    /// What the RFCs say: 5681, 6298, 6582, 6675, 3042, 3390, 1122.
    Rfc,
    /// What a current Linux kernel does, as far as these settings go.
    Linux,
}

/// A value for each profile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ByProfile<T> {
    /// In [`Profile::Ns2`].
    pub ns2: T,
    /// In [`Profile::Rfc`].
    pub rfc: T,
    /// In [`Profile::Linux`].
    pub linux: T,
}

impl<T: Copy> ByProfile<T> {
    /// The same in all of them.
    pub const fn all(value: T) -> ByProfile<T> {
        ByProfile { ns2: value, rfc: value, linux: value }
    }

    /// The value in `profile`.
    pub fn of(&self, profile: Profile) -> T {
        match profile {
            Profile::Ns2 => self.ns2,
            Profile::Rfc => self.rfc,
            Profile::Linux => self.linux,
        }
    }
}

/// How ACKs are delayed where they are: by default in all profiles but ns-2's, whose delaying sinks (`TCPSink/DelAck`)
/// wait 100 ms (`interval_`). RFC 1122, section 4.2.3.2, allows half a second, and two full segments.
pub const DELAYED_ACK: ByProfile<DelayedAck> = ByProfile {
    ns2: DelayedAck { timeout: Span::from_millis(100), segments: 2 },
    rfc: DelayedAck { timeout: Span::from_millis(200), segments: 2 },
    linux: DelayedAck { timeout: Span::from_millis(40), segments: 2 },
};

/// Which of ns-2's agents a control runs in: what the agents' sources make different.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ns2Agent {
    /// `Agent/TCP` and those derived from it without settings of their own.
    Tcp,
    /// `Agent/TCP/Vegas`.
    Vegas,
    /// `Agent/TCP/Linux`.
    Linux,
}

/// What a scenario's `tcp` names: a congestion control and its usual recovery.
#[derive(Clone, Copy)]
pub struct TcpName {
    control: &'static Description,
    variant: &'static Variant,
}

const PROFILES: [(&str, Profile); 3] =
    [("ns2", Profile::Ns2), ("rfc", Profile::Rfc), ("linux", Profile::Linux)];

const RECOVERIES: [&str; 4] = ["tahoe", "reno", "newreno", "sack"];

/// The names that a scenario's `tcp` may have, in the order in which they are listed.
pub fn names() -> impl Iterator<Item = &'static str> {
    CONTROLS.iter().flat_map(|control| control.variants).map(|variant| variant.name)
}

/// The names that a scenario's `profile` may have.
pub fn profiles() -> impl Iterator<Item = &'static str> {
    PROFILES.iter().map(|(name, _)| *name)
}

/// The names that a scenario's `recovery` may have.
pub fn recoveries() -> impl Iterator<Item = &'static str> {
    RECOVERIES.iter().copied()
}

impl Profile {
    /// All of them.
    pub const ALL: [Profile; 3] = [Profile::Ns2, Profile::Rfc, Profile::Linux];

    /// The profile of this name.
    pub fn from_name(name: &str) -> Option<Profile> {
        PROFILES.iter().find(|(known, _)| *known == name).map(|(_, profile)| *profile)
    }

    /// The recovery that this name means here.
    pub fn recovery(self, name: &str) -> Option<Recovery> {
        Some(match name {
            "tahoe" => Recovery::Tahoe,
            "reno" => Recovery::Reno,
            "newreno" => Recovery::NewReno,
            "sack" => match self {
                Profile::Ns2 => Recovery::SackPipe,
                Profile::Rfc | Profile::Linux => Recovery::Sack,
            },
            _ => return None,
        })
    }
}

impl TcpName {
    /// The TCP of this name.
    pub fn from_name(name: &str) -> Option<TcpName> {
        let named = |control: &'static Description| {
            let variant = control.variants.iter().find(|variant| variant.name == name)?;
            Some(TcpName { control, variant })
        };
        CONTROLS.iter().find_map(named)
    }

    /// The TCP of this name, where it is known to be one of [`names`]; in a constant it is checked when compiled.
    ///
    /// # Panics
    /// When it is not.
    pub const fn named(name: &str) -> TcpName {
        let mut i = 0;
        while i < CONTROLS.len() {
            let control = &CONTROLS[i];
            let mut j = 0;
            while j < control.variants.len() {
                if same(control.variants[j].name, name) {
                    return TcpName { control, variant: &control.variants[j] };
                }
                j += 1;
            }
            i += 1;
        }
        panic!("there is no TCP of this name")
    }

    /// The name of its congestion control.
    pub fn control(self) -> &'static str {
        self.control.name()
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.variant.name
    }
}

/// Whether two texts are equal, for constants.
const fn same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut same = one.len() == other.len();
    let mut i = 0;
    while same && i < one.len() {
        same = one[i] == other[i];
        i += 1;
    }
    same
}

impl PartialEq for TcpName {
    fn eq(&self, other: &TcpName) -> bool {
        self.name() == other.name()
    }
}

impl Eq for TcpName {}

impl fmt::Debug for TcpName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TcpName({})", self.name())
    }
}

/// The initial window of RFC 3390 in segments of this size.
pub fn initial_window_rfc3390(segment_bytes: u32) -> f64 {
    match segment_bytes {
        0..=1095 => 4.0,
        1096..=2190 => 3.0,
        _ => 2.0,
    }
}

/// What `tcp` means in `profile`.
pub fn settings(profile: Profile, tcp: TcpName) -> Settings {
    let base = match profile {
        Profile::Ns2 => ns2(tcp.control.ns2_agent),
        Profile::Rfc => rfc(),
        Profile::Linux => linux(),
    };
    Settings {
        control: control(profile, tcp),
        recovery: tcp.variant.recovery.of(profile),
        max_window: tcp.variant.max_window,
        ..base
    }
}

fn control(profile: Profile, tcp: TcpName) -> Control {
    let description = match tcp.variant.in_ns2 {
        Some(name) if profile == Profile::Ns2 => TcpName::named(name).control,
        _ => tcp.control,
    };
    Control::BuiltIn(description.configured(profile))
}

/// What a profile's settings are stated with, before a name chooses the control.
fn reno() -> Control {
    Control::BuiltIn(TcpName::named("reno").control.configured(Profile::Rfc))
}

/// ns-2.35's defaults (`tcl/lib/ns-default.tcl` and the agents' sources).
fn ns2(agent: Ns2Agent) -> Settings {
    let tcp = Settings {
        segment_bytes: 1000,
        header_bytes: 40,
        ack_bytes: 40,
        // Sack1 sinks add eight bytes a block and nothing else.
        sack_option_bytes: 0,
        control: reno(),
        recovery: Recovery::Reno,
        window_unit: WindowUnit::Segment,
        growth: Growth::PerAck,
        grow_only_when_limited: false,
        loss_base: LossBase::Window,
        halve_threshold: false,
        initial_window: 2.0,
        initial_ssthresh: None,
        max_window: None,
        loss_window: 1.0,
        receive_window: 20,
        window_edge: true,
        restart: Restart::IdleTimeout,
        restart_window: 1.0,
        delayed_ack: None,
        handshake: Handshake::OneWay,
        rto: Rto {
            estimator: Estimator::Ticks,
            minimum: Span::from_millis(200),
            maximum: Span::from_secs(60),
            initial: Span::from_secs(3),
            granularity: Span::from_millis(10),
        },
        timestamps: false,
        limited_transmit: true,
        ecn: false,
        ecn_retransmissions: true,
        send_jitter: Span::ZERO,
        fast_retransmit_guard: FastRetransmitGuard::RecoverOrFirst,
        send_times: SendTimeStore::WindowRing,
        recovery_burst: Some(2),
        impatient: true,
        recovery_exit_deflates: false,
    };
    match agent {
        Ns2Agent::Tcp => tcp,
        Ns2Agent::Vegas => Settings {
            // Its output() adds no header; it has no SYN but delays growth all the same.
            header_bytes: 0,
            handshake: Handshake::FirstSegment,
            restart: Restart::IdleTimeoutIsLoss,
            restart_window: 2.0,
            loss_window: 2.0,
            limited_transmit: false,
            ..tcp
        },
        // select_ca sets the tick to a jiffy of 1 ms; tcp_abc is 1.
        Ns2Agent::Linux => Settings {
            growth: Growth::PerByte { limit: Some(1) },
            grow_only_when_limited: true,
            halve_threshold: true,
            window_edge: false,
            restart_window: 2.0,
            handshake: Handshake::Overlapped,
            rto: Rto {
                estimator: Estimator::DampedTicks,
                maximum: Span::from_secs(120),
                granularity: Span::from_millis(1),
                ..tcp.rto
            },
            limited_transmit: false,
            ..tcp
        },
    }
}

fn rfc() -> Settings {
    let segment_bytes = 1460;
    Settings {
        segment_bytes,
        header_bytes: 40,
        ack_bytes: 40,
        // RFC 2018: kind and length, and two bytes of padding.
        sack_option_bytes: 4,
        control: reno(),
        recovery: Recovery::NewReno,
        window_unit: WindowUnit::Byte,
        // RFC 5681, section 3.1: min(N, SMSS) in slow start.
        growth: Growth::PerByte { limit: Some(1) },
        grow_only_when_limited: false,
        loss_base: LossBase::FlightSize,
        halve_threshold: false,
        initial_window: initial_window_rfc3390(segment_bytes),
        initial_ssthresh: None,
        max_window: None,
        loss_window: 1.0,
        // RFC 9293 without window scaling: 65535 bytes.
        receive_window: 44,
        window_edge: true,
        restart: Restart::Rfc5681,
        // RFC 5681, section 4.1: min(IW, cwnd).
        restart_window: initial_window_rfc3390(segment_bytes),
        // RFC 5681, section 4.2, within the 500 ms of RFC 1122; BSD's 200 ms.
        delayed_ack: Some(DELAYED_ACK.rfc),
        handshake: Handshake::ThreeWay,
        rto: Rto {
            estimator: Estimator::Rfc6298,
            minimum: Span::from_secs(1),
            maximum: Span::from_secs(60),
            initial: Span::from_secs(1),
            granularity: Span::ZERO,
        },
        timestamps: false,
        limited_transmit: true,
        ecn: false,
        ecn_retransmissions: false,
        send_jitter: Span::ZERO,
        fast_retransmit_guard: FastRetransmitGuard::Recover,
        send_times: SendTimeStore::PerSegment,
        recovery_burst: None,
        impatient: true,
        recovery_exit_deflates: true,
    }
}

/// `net/ipv4` of a current kernel: `TCP_INIT_CWND`, `TCP_RTO_MIN`, `TCP_RTO_MAX`, `TCP_TIMEOUT_INIT`,
/// `TCP_DELACK_MIN`, and the defaults of the sysctls `tcp_timestamps`, `tcp_slow_start_after_idle` and
/// `tcp_rmem` (half of its maximum of 6 MiB is window).
fn linux() -> Settings {
    Settings {
        segment_bytes: 1448,
        header_bytes: 52,
        ack_bytes: 52,
        // Slow start counts every segment that an ACK covers.
        growth: Growth::PerByte { limit: None },
        grow_only_when_limited: true,
        // `tcp_reno_ssthresh` halves the congestion window, not what is outstanding.
        loss_base: LossBase::Window,
        initial_window: 10.0,
        receive_window: 2172,
        restart: Restart::Rfc2861,
        restart_window: 10.0,
        delayed_ack: Some(DELAYED_ACK.linux),
        rto: Rto {
            estimator: Estimator::Linux,
            minimum: Span::from_millis(200),
            maximum: Span::from_secs(120),
            initial: Span::from_secs(1),
            granularity: Span::ZERO,
        },
        timestamps: true,
        impatient: false,
        ..rfc()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_again() {
        for name in names() {
            assert_eq!(TcpName::from_name(name), Some(TcpName::named(name)));
            assert_eq!(TcpName::named(name).name(), name);
        }
        for name in profiles() {
            assert!(Profile::from_name(name).is_some(), "{name}");
            for recovery in recoveries() {
                assert!(Profile::from_name(name).and_then(|profile| profile.recovery(recovery)).is_some());
            }
        }
        assert_eq!(TcpName::from_name("cubic"), None);
    }

    #[test]
    fn maxwin10_is_reno_with_one_setting_changed() {
        for profile in Profile::ALL {
            let reno = settings(profile, TcpName::named("reno"));
            let bounded = Settings { max_window: Some(10.0), ..reno };
            assert_eq!(settings(profile, TcpName::named("reno-maxwin10")), bounded);
        }
    }

    #[test]
    fn rfc3390_counts_four_segments_or_4380_bytes() {
        assert_eq!([536, 1000, 1460, 4000].map(initial_window_rfc3390), [4.0, 4.0, 3.0, 2.0]);
    }
}
