//! Plays a script against the host: time moves from event to event, as in packetdrill's `run.c`.

use crate::code::{Act, Statement};
use crate::cursor::Fault;
use crate::host::{CONSTANTS, Host, NAMES, Sent};
use crate::packet::{Flags, NotModelled, Options, Packet};
use crate::script::{Action, At, Call, Event, Script};
use crate::shell::Stack;
use airfair_core::{Span, Time};
use airfair_tcp::Ecn;
use std::collections::BTreeMap;
use std::fmt;

/// The verdict on a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All that happened is as the script expects.
    Passed,
    /// Something else happened than the script expects at this line.
    Failed(usize, String),
    /// The script needs something that is not modelled, at this line.
    Skipped(usize, String),
}

/// Judges a script.
///
/// # Errors
/// When the script cannot be read.
pub fn judge(text: &[u8]) -> Result<Verdict, Fault> {
    let script = Script::parse(text)?;
    let mut tolerance = Tolerance::default();
    for (line, name, value) in &script.options {
        if let Err(reason) = tolerance.option(name, value) {
            return Ok(Verdict::Skipped(*line, reason));
        }
    }
    if let Some((line, reason)) = foreign(&script) {
        return Ok(Verdict::Skipped(line, reason));
    }
    let mut run = Run {
        host: Host::new(Stack::new()),
        tolerance,
        last: None,
        names: constants(),
        accepted: None,
        steps: 0,
    };
    for event in &script.events {
        match run.event(event) {
            Ok(()) => {}
            Err(Stop::Differs(line, reason)) => return Ok(Verdict::Failed(line, reason)),
            Err(Stop::NotModelled(reason)) => return Ok(Verdict::Skipped(event.line, reason)),
        }
    }
    Ok(Verdict::Passed)
}

fn constants() -> BTreeMap<String, i64> {
    CONSTANTS.iter().map(|&(name, value)| (name.to_owned(), value)).collect()
}

/// Returns the first part of a script that cannot be played, with its line. Such a script is skipped as a whole: to play a part would
/// give half a result.
fn foreign(script: &Script) -> Option<(usize, NotModelled)> {
    let mut set: Vec<&str> = Vec::new();
    for event in &script.events {
        let found = match &event.action {
            Action::Foreign(reason) => Some(reason.clone()),
            Action::Call(call) => effect(call).err(),
            Action::Shell(commands) => Stack::new().take(commands).err(),
            Action::Code(statements) => statements.iter().find_map(|statement| unknown(statement, &mut set)),
            Action::Inject(_) | Action::Expect(_) => None,
        };
        if let Some(reason) = found {
            return Some((event.line, reason));
        }
    }
    None
}

/// Returns the problem of a name in a statement that has no value here, if there is one. `set` collects the names that get values.
fn unknown<'a>(statement: &'a Statement, set: &mut Vec<&'a str>) -> Option<NotModelled> {
    let (Act::Assert(expression) | Act::Set(_, expression)) = &statement.act;
    let mut names = Vec::new();
    expression.names(&mut names);
    let known = |name: &str| NAMES.contains(&name) || CONSTANTS.iter().any(|constant| constant.0 == name);
    let found = names.into_iter().find(|name| !known(name) && !set.contains(name));
    if let Act::Set(name, _) = &statement.act {
        set.push(name);
    }
    found.map(|name| format!("`{name}` is not modelled"))
}

/// The effect of a system call on the host.
enum Effect {
    None,
    Listen,
    Accept(i64),
    Connect,
    Write(u64),
    Read(u64),
    Close,
    Choose(String),
    /// ACKs are delayed from now on.
    DelayAcks,
}

fn effect(call: &Call) -> Result<Effect, NotModelled> {
    let shown = |what: &str| format!("{}({}): {what}", call.name, call.arguments.join(", ").escape_debug());
    let argument = |at: usize| call.arguments.get(at).map_or("", String::as_str);
    let size = |at: usize| argument(at).parse::<u64>().ok().filter(|size| *size <= u64::from(u32::MAX));
    let in_progress = call.name == "connect" && call.error.as_deref() == Some("EINPROGRESS");
    if call.result < 0 && !in_progress {
        return Err(shown("calls that fail are not modelled"));
    }
    let whole = |at: usize| {
        let size = size(at).ok_or_else(|| shown("not a number of bytes"))?;
        if size == call.result as u64 {
            Ok(size)
        } else {
            Err(shown("calls that stop halfway are not modelled"))
        }
    };
    Ok(match &*call.name {
        "socket" | "bind" | "fcntl" => Effect::None,
        "getsockopt" if argument(2) == "SO_ERROR" => Effect::None,
        "setsockopt" => match argument(2) {
            "SO_REUSEADDR" | "SO_SNDBUF" | "SO_RCVBUF" | "TCP_NODELAY" => Effect::None,
            "TCP_QUICKACK" if argument(3) == "[0]" => Effect::DelayAcks,
            "TCP_CONGESTION" => {
                let name = argument(3).trim_matches(|c| matches!(c, '[' | ']' | ' ')).trim_matches('"');
                Stack::new().choose(name)?;
                Effect::Choose(name.to_owned())
            }
            _ => return Err(shown("the option is not modelled")),
        },
        "listen" => Effect::Listen,
        "accept" => Effect::Accept(call.result),
        "connect" => Effect::Connect,
        "write" | "send" | "sendto" if matches!(argument(3), "" | "0") => Effect::Write(whole(2)?),
        "read" | "recv" if matches!(argument(3), "" | "0") => {
            let most = size(2).ok_or_else(|| shown("not a number of bytes"))?;
            Effect::Read((call.result as u64).min(most))
        }
        "close" => Effect::Close,
        "shutdown" if argument(1) == "SHUT_WR" => Effect::Close,
        _ => return Err(shown("the call is not modelled")),
    })
}

/// How far times may differ from the script's: packetdrill's defaults.
#[derive(Clone, Copy, Debug)]
struct Tolerance {
    least: Span,
    /// Tolerance as a share of the time since the event before, in thousandths.
    part: u64,
}

impl Default for Tolerance {
    fn default() -> Tolerance {
        Tolerance { least: Span::from_millis(4), part: 125 }
    }
}

impl Tolerance {
    fn option(&mut self, name: &str, value: &str) -> Result<(), NotModelled> {
        let number = value.parse::<u64>().ok();
        match (name, number) {
            ("--tolerance_usecs", Some(micros)) if micros <= 1_000_000 => self.least = Span(micros * 1000),
            ("--tolerance_percent", Some(percent)) if percent <= 100 => self.part = percent * 10,
            ("--ip_version", _) if value == "ipv4" => {}
            // The option sets how the kernel's clock counts; this clock is exact.
            ("--tcp_ts_tick_usecs", Some(_)) => {}
            _ => return Err(format!("the option `{}` is not modelled", name.escape_debug())),
        }
        Ok(())
    }

    fn after(&self, base: Time, planned: Time) -> Span {
        let part = u128::from(planned.since(base).0) * u128::from(self.part) / 1000;
        self.least.max(Span(part as u64))
    }
}

/// The reason why a script does not go on.
enum Stop {
    Differs(usize, String),
    NotModelled(NotModelled),
}

impl From<NotModelled> for Stop {
    fn from(reason: NotModelled) -> Stop {
        Stop::NotModelled(reason)
    }
}

/// Most timers that may fire in one script: more would be an endless one.
const MOST_STEPS: u64 = 1_000_000;
/// Longest time that `*` waits for a segment.
const LONGEST_WAIT: Span = Span::from_secs(600);

struct Run {
    host: Host,
    tolerance: Tolerance,
    /// Time at which the event before was due, and whether it was the arrival of a segment.
    last: Option<(Time, bool)>,
    names: BTreeMap<String, i64>,
    accepted: Option<i64>,
    steps: u64,
}

impl Run {
    fn event(&mut self, event: &Event) -> Result<(), Stop> {
        let arrives = matches!(event.action, Action::Inject(_));
        // The time of an arrival that follows another one counts from that one; all other times count from now.
        let base = match self.last {
            Some((due, true)) if arrives => due,
            _ => self.host.now,
        };
        let (from, to) = match event.at {
            At::Any => (self.host.now, self.host.now),
            At::Absolute(at) => (Time::ZERO + at, Time::ZERO + at),
            At::Relative(after) => (base + after, base + after),
            At::AbsoluteRange(from, to) => (Time::ZERO + from, Time::ZERO + to),
            At::RelativeRange(from, to) => (base + from, base + to),
        };
        let last = self.last.map_or(Time::ZERO, |(due, _)| due);
        self.last = Some((from, arrives));
        if let Action::Expect(packet) = &event.action {
            let due = if event.at == At::Any {
                Due { from: Time::ZERO, to: self.host.now + LONGEST_WAIT, about: None }
            } else {
                let slack = self.tolerance.after(last, from);
                Due { from: Time(from.0.saturating_sub(slack.0)), to: to + slack, about: Some((from, to)) }
            };
            return self.expect(event.line, packet, &due);
        }
        if from < self.host.now {
            let (now, from) = (self.host.now, from);
            return Err(Stop::Differs(event.line, format!("due at {from}, but it is {now} already")));
        }
        while self.host.now < from || self.host.next_deadline() <= from {
            self.step(from)?;
        }
        match &event.action {
            Action::Inject(packet) => Ok(self.host.inject(packet)?),
            Action::Call(call) => self.call(event.line, call),
            Action::Shell(commands) => {
                let before = self.host.stack.clone();
                self.host.stack.take(commands)?;
                if self.host.is_connected() && self.host.stack != before {
                    return Err(Stop::NotModelled(
                        "settings that change while a connection is open".to_owned(),
                    ));
                }
                Ok(())
            }
            Action::Code(statements) => self.code(statements),
            Action::Expect(_) => Ok(()),
            Action::Foreign(reason) => Err(Stop::NotModelled(reason.clone())),
        }
    }

    fn step(&mut self, to: Time) -> Result<bool, Stop> {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return Err(Stop::NotModelled(format!("more than {MOST_STEPS} timers fire")));
        }
        Ok(self.host.step(to)?)
    }

    fn call(&mut self, line: usize, call: &Call) -> Result<(), Stop> {
        match effect(call)? {
            Effect::None => {}
            Effect::Listen => self.host.listen(),
            Effect::Accept(_) if !self.host.is_open() => {
                return Err(Stop::Differs(line, "no connection is open that could be accepted".to_owned()));
            }
            Effect::Accept(_) if self.accepted.is_some() => {
                return Err(Stop::NotModelled("a second connection".to_owned()));
            }
            Effect::Accept(number) => self.accepted = Some(number),
            Effect::Connect if self.host.is_connected() => {}
            Effect::Connect => self.host.connect(),
            Effect::Write(bytes) => self.host.write(bytes)?,
            Effect::Read(bytes) => {
                if !self.host.read(bytes) {
                    return Err(Stop::Differs(
                        line,
                        format!("fewer than {bytes} bytes are there to be read"),
                    ));
                }
            }
            // To close the listening socket changes nothing.
            Effect::Close if self.accepted.is_some_and(|number| call.arguments[0] != number.to_string()) => {}
            Effect::Close => self.host.close()?,
            Effect::DelayAcks => self.host.delay_acks()?,
            Effect::Choose(name) => {
                if self.host.is_connected() {
                    return Err(Stop::NotModelled(
                        "another congestion control in an open connection".to_owned(),
                    ));
                }
                self.host.stack.choose(&name)?;
            }
        }
        Ok(())
    }

    fn code(&mut self, statements: &[Statement]) -> Result<(), Stop> {
        for name in NAMES {
            let value = self.host.value(name).unwrap_or(0);
            self.names.insert((*name).to_owned(), value);
        }
        for Statement { line, text, act } in statements {
            let differs = |reason| Stop::Differs(*line, reason);
            match act {
                Act::Set(name, expression) => {
                    let value = expression.value(&self.names).map_err(differs)?;
                    self.names.insert(name.clone(), value);
                }
                Act::Assert(expression) => {
                    if expression.value(&self.names).map_err(differs)? == 0 {
                        let mut names = Vec::new();
                        expression.names(&mut names);
                        names.retain(|name| CONSTANTS.iter().all(|constant| constant.0 != *name));
                        names.dedup();
                        let values: Vec<_> =
                            names.iter().map(|name| format!("{name} is {}", self.names[*name])).collect();
                        let text = text.split(',').next().unwrap_or(text);
                        return Err(differs(format!("{text}: {}", values.join(", "))));
                    }
                }
            }
        }
        Ok(())
    }

    /// Waits for a segment and compares it. A segment longer than ours may come as several: bytes count, not their division into
    /// segments.
    fn expect(&mut self, line: usize, packet: &Packet, due: &Due) -> Result<(), Stop> {
        let differs =
            |reason: String| Stop::Differs(line, format!("expected {}{}: {reason}", Shown(packet), due));
        let mut at = packet.seq;
        loop {
            let nothing = || match at == packet.seq {
                true => "nothing was sent".to_owned(),
                false => format!("nothing was sent beyond {at}"),
            };
            let sent = self.next_sent(due)?.ok_or_else(|| differs(nothing()))?;
            let last = sent.end >= packet.end;
            let wrong = |what: String| differs(format!("sent {}, {what}", ShownSent(&sent)));
            if sent.seq != at || (sent.end > sent.seq) != (packet.end > packet.seq) {
                return Err(differs(format!("sent {}", ShownSent(&sent))));
            }
            if let Some(what) = mismatch(packet, &sent, last) {
                return Err(wrong(what));
            }
            if sent.at < due.from || sent.at > due.to {
                return Err(wrong(format!("not within {} to {}", due.from, due.to)));
            }
            if let Some(Options { timestamps: Some((value, _)), .. }) = &packet.options {
                self.host.stamp(*value, sent.at);
            }
            if sent.end > packet.end {
                // The rest of the segment is expected later.
                self.host.out.push_front(Sent { seq: packet.end, ..sent });
                return Ok(());
            }
            at = sent.end;
            if last {
                return Ok(());
            }
        }
    }

    /// Returns the next segment that was sent, or that is sent by `due`.
    fn next_sent(&mut self, due: &Due) -> Result<Option<Sent>, Stop> {
        loop {
            if let Some(sent) = self.host.out.pop_front() {
                return Ok(Some(sent));
            }
            if !self.step(due.to)? {
                return Ok(None);
            }
        }
    }
}

/// The time at which a segment is expected.
struct Due {
    from: Time,
    to: Time,
    /// The time as the script states it, without tolerance.
    about: Option<(Time, Time)>,
}

impl fmt::Display for Due {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.about {
            None => Ok(()),
            Some((from, to)) if from == to => write!(f, " at {from}"),
            Some((from, to)) => write!(f, " between {from} and {to}"),
        }
    }
}

/// Returns the first field of a segment that is not as expected.
fn mismatch(packet: &Packet, sent: &Sent, last: bool) -> Option<String> {
    // The FIN of an expected segment belongs to the last part of its data.
    let wanted = Flags { fin: packet.flags.fin && last && sent.end == packet.end, ..packet.flags };
    let given = Flags { fin: sent.flags.fin && sent.end <= packet.end, ..sent.flags };
    if wanted != given {
        return Some(format!("not with the flags {wanted}"));
    }
    if packet.ack != sent.ack {
        return Some("not with this acknowledgement".to_owned());
    }
    if packet.ecn.is_some_and(|ecn| ecn != sent.ecn) {
        return Some(format!("as {}", ecn_name(sent.ecn)));
    }
    let wanted = packet.options.as_ref()?;
    let given = &sent.options;
    if sent.flags.syn {
        for (name, wanted, given) in [
            ("mss", wanted.mss.is_some(), given.mss.is_some()),
            ("sackOK", wanted.sack_ok, given.sack_ok),
            ("wscale", wanted.scale.is_some(), given.scale.is_some()),
            ("TS", wanted.timestamps.is_some(), given.timestamps.is_some()),
        ] {
            if wanted != given {
                return Some(format!("{} the option {name}", if given { "with" } else { "without" }));
            }
        }
        return None;
    }
    if wanted.sack != given.sack {
        return Some("not with these SACK blocks".to_owned());
    }
    match (wanted.timestamps, given.timestamps) {
        (None, None) => None,
        (Some((_, wanted)), Some((_, given))) if wanted == given => None,
        (Some(_), Some((_, given))) => Some(format!("echoing the timestamp {given}")),
        (Some(_), None) => Some("without a timestamp".to_owned()),
        (None, Some(_)) => Some("with a timestamp".to_owned()),
    }
}

fn ecn_name(ecn: Ecn) -> &'static str {
    match ecn {
        Ecn::NotCapable => "noecn",
        Ecn::Capable => "ect0",
        Ecn::Scalable => "ect1",
        Ecn::CongestionExperienced => "ce",
    }
}

/// Writes a segment of the script as a script would.
struct Shown<'a>(&'a Packet);

/// Writes a segment that was sent as a script would.
struct ShownSent<'a>(&'a Sent);

fn show(
    f: &mut fmt::Formatter<'_>,
    flags: Flags,
    (seq, end): (u64, u64),
    ack: Option<u64>,
    options: Option<&Options>,
) -> fmt::Result {
    write!(f, "{flags} {seq}:{end}({})", end - seq)?;
    if let Some(ack) = ack {
        write!(f, " ack {ack}")?;
    }
    let blocks = options.map_or(&[][..], |options| &options.sack);
    if !blocks.is_empty() {
        let blocks: Vec<_> = blocks.iter().map(|(start, end)| format!("{start}:{end}")).collect();
        write!(f, " <sack {}>", blocks.join(" "))?;
    }
    Ok(())
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let packet = self.0;
        show(f, packet.flags, (packet.seq, packet.end), packet.ack, packet.options.as_ref())
    }
}

impl fmt::Display for ShownSent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sent = self.0;
        show(f, sent.flags, (sent.seq, sent.end), sent.ack, Some(&sent.options))?;
        write!(f, " at {}", sent.at)
    }
}
