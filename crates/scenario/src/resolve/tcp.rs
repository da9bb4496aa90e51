//! TCP settings: a profile's, with what the file sets.

use airfair_core::Span;
use airfair_tcp::profile::DELAYED_ACK;
use airfair_tcp::settings::{
    Estimator, FastRetransmitGuard, Growth, Handshake, LossBase, Restart, WindowUnit,
};
use airfair_tcp::{Profile, Settings};

use crate::file::Tcp;
use crate::problem::{Located, Problem, Result};
use crate::resolve::part;
use crate::resolved::Connection;
use crate::scope::{Readable, Scope, above_zero, within};
use crate::tcp_settings::{self, USUAL, profiles, recoveries, variants};
use crate::value::{Value, WordValue};

/// What an IPv4 packet holds behind 40 bytes of headers.
const MOST_SEGMENT_BYTES: u64 = 65_495;
/// An IPv4 and a TCP header with all their options.
const MOST_HEADER_BYTES: u64 = 120;
/// 2^30 bytes of one byte each: RFC 7323's largest receive window.
const MOST_SEGMENTS: u32 = 1 << 30;

pub const RESTARTS: [(&str, Restart); 6] = [
    ("none", Restart::None),
    ("idle-timeout", Restart::IdleTimeout),
    ("idle-timeout-is-loss", Restart::IdleTimeoutIsLoss),
    ("rfc5681", Restart::Rfc5681),
    ("rfc2861", Restart::Rfc2861),
    ("rfc7661", Restart::Rfc7661),
];
pub const HANDSHAKES: [(&str, Handshake); 5] = [
    ("none", Handshake::None),
    ("first-segment", Handshake::FirstSegment),
    ("one-way", Handshake::OneWay),
    ("overlapped", Handshake::Overlapped),
    ("three-way", Handshake::ThreeWay),
];
const WINDOW_UNITS: [(&str, WindowUnit); 2] = [("segment", WindowUnit::Segment), ("byte", WindowUnit::Byte)];
const GROWTHS: [(&str, bool); 2] = [("per-ack", false), ("per-byte", true)];
const LOSS_BASES: [(&str, LossBase); 2] =
    [("window", LossBase::Window), ("flight-size", LossBase::FlightSize)];
const GUARDS: [(&str, FastRetransmitGuard); 3] = [
    ("none", FastRetransmitGuard::None),
    ("recover", FastRetransmitGuard::Recover),
    ("recover-or-first", FastRetransmitGuard::RecoverOrFirst),
];
const ESTIMATORS: [(&str, Estimator); 4] = [
    ("rfc6298", Estimator::Rfc6298),
    ("linux", Estimator::Linux),
    ("ticks", Estimator::Ticks),
    ("damped-ticks", Estimator::DampedTicks),
];
pub const CONNECTIONS: [(&str, Connection); 3] =
    [("reuse", Connection::Reuse), ("fresh", Connection::Fresh), ("renewed", Connection::Renewed)];

/// The settings of a flow with its own table `own` over the file's `[tcp]`.
pub fn resolve(own: Option<&Tcp>, defaults: &Tcp, scope: &Scope) -> Result<(Settings, Connection)> {
    let layers = Layers { own, defaults, scope };
    let profile = layers.word(|tcp| &tcp.profile, "profile", "profile", &profiles())?.unwrap_or(USUAL.0);
    let variant = layers.word(|tcp| &tcp.variant, "variant", "TCP", &variants())?.unwrap_or(USUAL.1);
    let segment = |bytes| within(bytes, 1, MOST_SEGMENT_BYTES).map(|bytes| bytes as u32);
    let segment_bytes = layers.checked(|tcp| &tcp.segment_bytes, "segment_bytes", segment)?;
    let mut settings = tcp_settings::of(profile, variant, segment_bytes);
    let recovery = layers.word(|tcp| &tcp.recovery, "recovery", "recovery", &recoveries(profile))?;
    put(&mut settings.recovery, recovery);
    sizes(&layers, &mut settings)?;
    windows(&layers, &mut settings)?;
    losses(&layers, &mut settings)?;
    acknowledgements(&layers, profile, &mut settings)?;
    timer(&layers, &mut settings)?;
    control(&layers, &mut settings)?;
    put(&mut settings.ecn, layers.value(|tcp| &tcp.ecn, "ecn")?);
    put(&mut settings.send_jitter, layers.value(|tcp| &tcp.send_jitter, "send_jitter")?);
    let connection = layers.word(|tcp| &tcp.connection, "connection", "connection", &CONNECTIONS)?;
    Ok((settings, connection.unwrap_or(Connection::Reuse)))
}

/// A flow's own table over the file's.
struct Layers<'a> {
    own: Option<&'a Tcp>,
    defaults: &'a Tcp,
    scope: &'a Scope<'a>,
}

impl Layers<'_> {
    /// The upper layer's value where it has one, with the path of the layer that an error is in.
    fn topmost<T>(&self, read: impl Fn(&Tcp) -> Result<Option<T>>) -> Result<Option<T>> {
        if let Some(own) = self.own
            && let Some(value) = read(own).at("tcp")?
        {
            return Ok(Some(value));
        }
        read(self.defaults).map_err(|problem| problem.at("tcp").rooted())
    }

    fn word<T: Clone>(
        &self,
        pick: impl Fn(&Tcp) -> &Option<WordValue>,
        key: &str,
        what: &str,
        table: &[(&str, T)],
    ) -> Result<Option<T>> {
        self.topmost(|tcp| self.scope.word(pick(tcp), key, what, table))
    }

    /// Whether the flow's control is the one that the file's `[tcp]` names.
    fn shares_control(&self) -> Result<bool> {
        let Some(own) = self.own else { return Ok(true) };
        let named = |tcp: &Tcp| self.scope.word(&tcp.variant, "variant", "TCP", &variants());
        let Some(own) = named(own).at("tcp")? else { return Ok(true) };
        let file = named(self.defaults).map_err(|problem| problem.at("tcp").rooted())?.unwrap_or(USUAL.1);
        Ok(own.control() == file.control())
    }

    fn value<K: Readable>(
        &self,
        pick: impl Fn(&Tcp) -> &Option<Value<K>>,
        key: &str,
    ) -> Result<Option<K::Out>> {
        self.checked(pick, key, Ok)
    }

    /// The value under `key`, once `check` has found nothing wrong with it.
    fn checked<K: Readable, T>(
        &self,
        pick: impl Fn(&Tcp) -> &Option<Value<K>>,
        key: &str,
        check: impl Fn(K::Out) -> Result<T>,
    ) -> Result<Option<T>> {
        self.topmost(|tcp| self.scope.optional(pick(tcp), key)?.map(&check).transpose().at(key))
    }
}

fn put<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

fn segments(value: f64) -> Result<f64> {
    within(value, 1.0, f64::from(MOST_SEGMENTS))
}

fn whole_segments(value: u64) -> Result<u32> {
    within(value, 1, u64::from(MOST_SEGMENTS)).map(|value| value as u32)
}

fn header(value: u64) -> Result<u32> {
    within(value, 0, MOST_HEADER_BYTES).map(|value| value as u32)
}

fn sizes(layers: &Layers, settings: &mut Settings) -> Result<()> {
    put(&mut settings.header_bytes, layers.checked(|tcp| &tcp.header_bytes, "header_bytes", header)?);
    let ack = |bytes| within(bytes, 1, MOST_HEADER_BYTES).map(|bytes| bytes as u32);
    put(&mut settings.ack_bytes, layers.checked(|tcp| &tcp.ack_bytes, "ack_bytes", ack)?);
    put(
        &mut settings.sack_option_bytes,
        layers.checked(|tcp| &tcp.sack_option_bytes, "sack_option_bytes", header)?,
    );
    Ok(())
}

fn windows(layers: &Layers, settings: &mut Settings) -> Result<()> {
    put(
        &mut settings.window_unit,
        layers.word(|tcp| &tcp.window_unit, "window_unit", "unit", &WINDOW_UNITS)?,
    );
    put(&mut settings.initial_window, layers.checked(|tcp| &tcp.initial_window, "initial_window", segments)?);
    if let Some(ssthresh) = layers.checked(|tcp| &tcp.initial_ssthresh, "initial_ssthresh", segments)? {
        settings.initial_ssthresh = Some(ssthresh);
    }
    if let Some(window) = layers.checked(|tcp| &tcp.max_window, "max_window", segments)? {
        settings.max_window = Some(window);
    }
    put(&mut settings.loss_window, layers.checked(|tcp| &tcp.loss_window, "loss_window", segments)?);
    put(&mut settings.receive_window, layers.checked(|tcp| &tcp.window, "window", whole_segments)?);
    put(&mut settings.restart, layers.word(|tcp| &tcp.restart, "restart", "restart rule", &RESTARTS)?);
    put(&mut settings.restart_window, layers.checked(|tcp| &tcp.restart_window, "restart_window", segments)?);
    let limited = layers.value(|tcp| &tcp.grow_only_when_limited, "grow_only_when_limited")?;
    put(&mut settings.grow_only_when_limited, limited);
    if let Some(per_byte) = layers.word(|tcp| &tcp.growth, "growth", "growth", &GROWTHS)? {
        settings.growth = if per_byte { Growth::PerByte { limit: None } } else { Growth::PerAck };
    }
    if let Some(segments) = layers.checked(|tcp| &tcp.growth_limit, "growth_limit", whole_segments)? {
        let Growth::PerByte { limit } = &mut settings.growth else {
            return Err(out_of_place("growth_limit", "`per-byte` growth"));
        };
        *limit = Some(segments);
    }
    Ok(())
}

fn losses(layers: &Layers, settings: &mut Settings) -> Result<()> {
    put(&mut settings.loss_base, layers.word(|tcp| &tcp.loss_base, "loss_base", "loss base", &LOSS_BASES)?);
    put(&mut settings.limited_transmit, layers.value(|tcp| &tcp.limited_transmit, "limited_transmit")?);
    let guard = layers.word(|tcp| &tcp.fast_retransmit_guard, "fast_retransmit_guard", "guard", &GUARDS)?;
    put(&mut settings.fast_retransmit_guard, guard);
    if let Some(burst) = layers.checked(|tcp| &tcp.recovery_burst, "recovery_burst", whole_segments)? {
        settings.recovery_burst = Some(burst);
    }
    let deflates = layers.value(|tcp| &tcp.recovery_exit_deflates, "recovery_exit_deflates")?;
    put(&mut settings.recovery_exit_deflates, deflates);
    Ok(())
}

fn acknowledgements(layers: &Layers, profile: Profile, settings: &mut Settings) -> Result<()> {
    put(&mut settings.handshake, layers.word(|tcp| &tcp.handshake, "handshake", "handshake", &HANDSHAKES)?);
    put(&mut settings.timestamps, layers.value(|tcp| &tcp.timestamps, "timestamps")?);
    match layers.value(|tcp| &tcp.delayed_ack, "delayed_ack")? {
        Some(true) => settings.delayed_ack = Some(DELAYED_ACK.of(profile)),
        Some(false) => settings.delayed_ack = None,
        None => {}
    }
    let timeout = layers.checked(|tcp| &tcp.delayed_ack_timeout, "delayed_ack_timeout", above_zero)?;
    let number = layers.checked(|tcp| &tcp.delayed_ack_segments, "delayed_ack_segments", whole_segments)?;
    match &mut settings.delayed_ack {
        Some(delayed) => {
            put(&mut delayed.timeout, timeout);
            put(&mut delayed.segments, number);
        }
        None if timeout.is_some() => return Err(out_of_place("delayed_ack_timeout", "`delayed_ack = true`")),
        None if number.is_some() => return Err(out_of_place("delayed_ack_segments", "`delayed_ack = true`")),
        None => {}
    }
    Ok(())
}

fn timer(layers: &Layers, settings: &mut Settings) -> Result<()> {
    let rto = &mut settings.rto;
    put(
        &mut rto.estimator,
        layers.word(|tcp| &tcp.rto_estimator, "rto_estimator", "estimator", &ESTIMATORS)?,
    );
    put(&mut rto.minimum, layers.value(|tcp| &tcp.rto_min, "rto_min")?);
    put(&mut rto.maximum, layers.checked(|tcp| &tcp.rto_max, "rto_max", above_zero)?);
    put(&mut rto.initial, layers.checked(|tcp| &tcp.rto_initial, "rto_initial", above_zero)?);
    put(&mut rto.granularity, layers.value(|tcp| &tcp.rto_granularity, "rto_granularity")?);
    if rto.minimum > rto.maximum {
        let message = format!("the shortest timer, {}, is above the longest, {}", rto.minimum, rto.maximum);
        return Err(Problem::new(message).at("rto_min").at("tcp"));
    }
    if rto.granularity == Span::ZERO && matches!(rto.estimator, Estimator::Ticks | Estimator::DampedTicks) {
        let message = "the estimator counts in ticks: they must be above zero";
        return Err(Problem::new(message).at("rto_granularity").at("tcp"));
    }
    Ok(())
}

/// The control's own parameters. Those of the file's table are the file's control's: a flow of another control starts from
/// that one's own values.
fn control(layers: &Layers, settings: &mut Settings) -> Result<()> {
    let shared = |problem: Problem| problem.at("control").at("tcp").rooted();
    let own = |problem: Problem| problem.at("control").at("tcp");
    let mut tables: Vec<part::Table> = Vec::new();
    if let Some(table) = &layers.defaults.control
        && layers.shares_control()?
    {
        tables.push((&table.0, &shared));
    }
    if let Some(table) = layers.own.and_then(|tcp| tcp.control.as_ref()) {
        tables.push((&table.0, &own));
    }
    part::set(&tables, &mut settings.control, layers.scope)
}

fn out_of_place(key: &str, owner: &str) -> Problem {
    Problem::new(format!("it belongs to {owner}: leave it out here")).at(key).at("tcp")
}
