//! Named sets of settings: what each `tcp=` name means in each profile.
//!
//! A profile is data. Nothing in the engine asks for it; the table is in `docs/tcp.md`.

use crate::settings::{
    Control, DelayedAck, Estimator, FastRetransmitGuard, Growth, Handshake, LossBase, Recovery, Restart, Rto,
    SendTimeStore, Settings, Vegas, VegasFair, WindowUnit,
};
use airfair_core::Span;

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

/// What a scenario's `tcp` names: a congestion control and its usual recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TcpName {
    /// Reno's control, Tahoe's recovery.
    Tahoe,
    /// Reno's control and recovery.
    Reno,
    /// Reno's control, NewReno's recovery.
    NewReno,
    /// Reno's control, SACK.
    Sack,
    /// Vegas.
    Vegas,
    /// Westwood.
    Westwood,
    /// Westwood+.
    WestwoodPlus,
    /// Reno with a window of at most ten segments (Jung & Park 2016, section 5.1).
    RenoMaxWin10,
    /// Vegas-Fair (Jung & Park 2016, section 5.1).
    VegasFair,
}

const PROFILES: [(&str, Profile); 3] =
    [("ns2", Profile::Ns2), ("rfc", Profile::Rfc), ("linux", Profile::Linux)];

const NAMES: [(&str, TcpName); 9] = [
    ("tahoe", TcpName::Tahoe),
    ("reno", TcpName::Reno),
    ("newreno", TcpName::NewReno),
    ("sack", TcpName::Sack),
    ("vegas", TcpName::Vegas),
    ("westwood", TcpName::Westwood),
    ("westwood-plus", TcpName::WestwoodPlus),
    ("reno-maxwin10", TcpName::RenoMaxWin10),
    ("vegas-fair", TcpName::VegasFair),
];

const RECOVERIES: [&str; 4] = ["tahoe", "reno", "newreno", "sack"];

/// The names that a scenario's `tcp` may have, in the order in which they are listed.
pub fn names() -> impl Iterator<Item = &'static str> {
    NAMES.iter().map(|(name, _)| *name)
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
        NAMES.iter().find(|(known, _)| *known == name).map(|(_, tcp)| *tcp)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(_, tcp)| *tcp == self).map_or("", |(name, _)| *name)
    }
}

/// ns-2's and the papers' thresholds (`v_alpha_`, `v_beta_`, `v_gamma_`); Brakmo & Peterson call it
/// Vegas-1,3.
pub const VEGAS: Vegas = Vegas { alpha: 1.0, beta: 3.0, gamma: 1.0 };

/// Linux's thresholds (`tcp_vegas`: alpha 2, beta 4, gamma 1).
pub const LINUX_VEGAS: Vegas = Vegas { alpha: 2.0, beta: 4.0, gamma: 1.0 };

/// Jung & Park 2016, section 5.1.
pub const VEGAS_FAIR: VegasFair = VegasFair {
    pause_interval: Span::from_secs(1),
    intro_length: 5000,
    alpha_increment: 1.0,
    beta_increment: 2.0,
};

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
    let mut settings = match profile {
        Profile::Ns2 => ns2(tcp),
        Profile::Rfc => rfc(),
        Profile::Linux => linux(),
    };
    let vegas = if profile == Profile::Linux { LINUX_VEGAS } else { VEGAS };
    settings.control = match tcp {
        TcpName::Tahoe | TcpName::Reno | TcpName::NewReno | TcpName::Sack | TcpName::RenoMaxWin10 => {
            Control::Reno
        }
        TcpName::Vegas => Control::Vegas(vegas),
        TcpName::VegasFair => Control::VegasFair(vegas, VEGAS_FAIR),
        // ns-2's module of that name is Westwood+.
        TcpName::Westwood if profile == Profile::Ns2 => Control::WestwoodPlus,
        TcpName::Westwood => Control::Westwood,
        TcpName::WestwoodPlus => Control::WestwoodPlus,
    };
    settings.recovery = recovery(profile, tcp);
    if tcp == TcpName::RenoMaxWin10 {
        settings.max_window = Some(10.0);
    }
    settings
}

fn recovery(profile: Profile, tcp: TcpName) -> Recovery {
    match (tcp, profile) {
        (TcpName::Tahoe, _) => Recovery::Tahoe,
        (TcpName::Reno | TcpName::RenoMaxWin10, _) => Recovery::Reno,
        (TcpName::NewReno, _) => Recovery::NewReno,
        (TcpName::Sack, Profile::Ns2) => Recovery::SackPipe,
        (TcpName::Vegas | TcpName::VegasFair, Profile::Ns2 | Profile::Rfc) => Recovery::Vegas,
        (TcpName::Westwood | TcpName::WestwoodPlus, Profile::Ns2) => Recovery::Fack,
        (TcpName::Westwood | TcpName::WestwoodPlus, Profile::Rfc) => Recovery::NewReno,
        // A kernel recovers with SACK whatever the control.
        (TcpName::Sack, Profile::Rfc)
        | (
            TcpName::Sack | TcpName::Vegas | TcpName::VegasFair | TcpName::Westwood | TcpName::WestwoodPlus,
            Profile::Linux,
        ) => Recovery::Sack,
    }
}

/// ns-2.35's defaults (`tcl/lib/ns-default.tcl` and the agents' sources).
fn ns2(tcp: TcpName) -> Settings {
    let agent = Settings {
        segment_bytes: 1000,
        header_bytes: 40,
        ack_bytes: 40,
        // Sack1 sinks add eight bytes a block and nothing else.
        sack_option_bytes: 0,
        control: Control::Reno,
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
        fast_retransmit_guard: FastRetransmitGuard::RecoverOrFirst,
        send_times: SendTimeStore::WindowRing,
        recovery_burst: Some(2),
        impatient: true,
        recovery_exit_deflates: false,
    };
    match tcp {
        TcpName::Vegas | TcpName::VegasFair => Settings {
            // Its output() adds no header; it has no SYN but delays growth all the same.
            header_bytes: 0,
            handshake: Handshake::FirstSegment,
            restart: Restart::IdleTimeoutIsLoss,
            restart_window: 2.0,
            loss_window: 2.0,
            limited_transmit: false,
            ..agent
        },
        // Agent/TCP/Linux: select_ca sets the tick to a jiffy of 1 ms; tcp_abc is 1.
        TcpName::Westwood | TcpName::WestwoodPlus => Settings {
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
                ..agent.rto
            },
            limited_transmit: false,
            ..agent
        },
        TcpName::Tahoe | TcpName::Reno | TcpName::NewReno | TcpName::Sack | TcpName::RenoMaxWin10 => agent,
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
        control: Control::Reno,
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
        delayed_ack: Some(DelayedAck { timeout: Span::from_millis(200), segments: 2 }),
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
        delayed_ack: Some(DelayedAck { timeout: Span::from_millis(40), segments: 2 }),
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
            assert_eq!(TcpName::from_name(name).map(TcpName::name), Some(name));
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
        for profile in [Profile::Ns2, Profile::Rfc, Profile::Linux] {
            let reno = settings(profile, TcpName::Reno);
            let bounded = Settings { max_window: Some(10.0), ..reno };
            assert_eq!(settings(profile, TcpName::RenoMaxWin10), bounded);
        }
    }

    #[test]
    fn rfc3390_counts_four_segments_or_4380_bytes() {
        assert_eq!([536, 1000, 1460, 4000].map(initial_window_rfc3390), [4.0, 4.0, 3.0, 2.0]);
    }
}
