//! The host under test: a [`Sender`] and a [`Receiver`] behind one TCP port, on a clock that only the script moves.
//!
//! Our endpoints have no sequence numbers, no FIN and no choice of options; the host adds them. The SYN exchange is not simulated: the
//! endpoints get the options that both ends offer, and the exchange times the sender's first round trip as the SYN of a simulation does.

use crate::packet::{Flags, NotModelled, Options, Packet};
use crate::shell::{Agreed, Stack};
use airfair_core::{Span, Time};
use airfair_tcp::settings::Handshake;
use airfair_tcp::{Ack, Ecn, Info, Phase, Receiver, SackBlocks, Segment, Sender, Settings};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Longest segment in bytes that a host on Ethernet accepts: the value of its `mss` option.
const OWN_MSS: u32 = 1460;
/// Segment size in bytes if the other end sends no `mss` option (RFC 9293, section 3.7.1).
const DEFAULT_MSS: u32 = 536;
/// Bytes that a timestamp option and its padding take from each segment (RFC 7323, appendix A).
const TIMESTAMP_BYTES: u32 = 12;
/// Most segments that a script may make the host send: more would fill the memory.
const MOST_SEGMENTS: u64 = 1_000_000;

/// A segment that the host has sent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sent {
    pub at: Time,
    pub ecn: Ecn,
    pub flags: Flags,
    pub seq: u64,
    pub end: u64,
    pub ack: Option<u64>,
    /// Options of the segment. Of a SYN they say which options are present, without their values; of other segments they have the timestamp
    /// echoed, by the clock of the other end.
    pub options: Options,
}

/// State of the connection until it is open.
#[derive(Clone, Debug)]
enum Opening {
    Closed,
    Listening,
    /// The host has sent a SYN, at this time.
    Asked(Time),
    /// The host has answered a SYN.
    Answered,
    Open,
}

/// A connection, from the SYN of the other end on.
#[derive(Debug)]
struct Connection {
    sender: Sender,
    receiver: Receiver,
    agreed: Agreed,
    /// Window scale of the other end: the shift of the windows that it advertises.
    shift: u8,
    scales: bool,
    written: u64,
    read: u64,
    /// Whether the application has closed the connection, so that a FIN is to be sent.
    closed: bool,
    fin_sent: bool,
    /// End of the other end's stream, which its FIN states.
    peer_fin: Option<u64>,
    /// The timestamp to echo on data. The next field is the last sequence number that was acknowledged.
    recent: u32,
    acked: u64,
    /// Times at which segments with these timestamps of the script were sent.
    stamps: BTreeMap<u32, Time>,
    segments: u64,
}

#[derive(Debug)]
pub(crate) struct Host {
    pub now: Time,
    pub stack: Stack,
    opening: Opening,
    connection: Option<Box<Connection>>,
    /// Segments that were sent and that the script has not checked yet.
    pub out: VecDeque<Sent>,
}

impl Host {
    pub fn new(stack: Stack) -> Host {
        Host { now: Time::ZERO, stack, opening: Opening::Closed, connection: None, out: VecDeque::new() }
    }

    pub fn is_connected(&self) -> bool {
        self.connection.is_some()
    }

    pub fn is_open(&self) -> bool {
        matches!(self.opening, Opening::Open)
    }

    pub fn listen(&mut self) {
        self.opening = Opening::Listening;
    }

    /// The application asks for a connection: the host sends a SYN with all options that it offers.
    pub fn connect(&mut self) {
        self.opening = Opening::Asked(self.now);
        let asks = self.stack.ecn == 1;
        let options = Options {
            mss: Some(OWN_MSS),
            sack_ok: self.stack.sack,
            scale: Some(0),
            timestamps: self.stack.timestamps.then_some((0, 0)),
            sack: Vec::new(),
        };
        let flags = Flags { syn: true, ece: asks, cwr: asks, ..Flags::default() };
        self.out.push_back(Sent {
            at: self.now,
            ecn: Ecn::NotCapable,
            flags,
            seq: 0,
            end: 0,
            ack: None,
            options,
        });
    }

    /// Returns the time of the host's next timer.
    pub fn next_deadline(&self) -> Time {
        self.connection.as_ref().map_or(Time::NEVER, |connection| {
            connection.sender.next_deadline().min(connection.receiver.next_deadline())
        })
    }

    /// Moves time to the next deadline and fires its timers, or to `to` if that comes first. Returns whether timers fired.
    pub fn step(&mut self, to: Time) -> Result<bool, NotModelled> {
        let due = self.next_deadline();
        let acts = due <= to;
        self.now = self.now.max(if acts { due } else { to });
        if acts && let Some(connection) = &mut self.connection {
            connection.sender.on_timer(self.now);
            connection.receiver.on_timer(self.now);
            connection.drain(self.now, &mut self.out)?;
        }
        Ok(acts)
    }

    /// The application appends `bytes` bytes to its stream.
    pub fn write(&mut self, bytes: u64) -> Result<(), NotModelled> {
        let Some(connection) = &mut self.connection else {
            return Err("a write before the connection".to_owned());
        };
        connection.written += bytes;
        connection.sender.write(self.now, bytes);
        connection.drain(self.now, &mut self.out)
    }

    /// The application reads `bytes` bytes. Returns whether that many have arrived.
    pub fn read(&mut self, bytes: u64) -> bool {
        let Some(connection) = &mut self.connection else { return false };
        connection.read += bytes;
        connection.read <= connection.receiver.delivered_to()
    }

    /// The application switches quick ACKs off.
    pub fn delay_acks(&mut self) -> Result<(), NotModelled> {
        let Some(connection) = &mut self.connection else {
            return Err("`TCP_QUICKACK` before the connection is not modelled".to_owned());
        };
        let settings = self.stack.settings(&connection.agreed);
        connection.receiver.adopt(&Settings { quick_acks: 0, ..settings });
        Ok(())
    }

    /// The application closes its stream.
    pub fn close(&mut self) -> Result<(), NotModelled> {
        let Some(connection) = &mut self.connection else { return Ok(()) };
        connection.closed = true;
        connection.drain(self.now, &mut self.out)
    }

    /// A segment arrives from the script.
    pub fn inject(&mut self, packet: &Packet) -> Result<(), NotModelled> {
        let now = self.now;
        let nothing = Options::default();
        let options = packet.options.as_ref().unwrap_or(&nothing);
        if packet.flags.syn && (packet.seq, packet.end) != (0, 0) {
            return Err("a SYN with data, or with another number than zero, is not modelled".to_owned());
        }
        match (&self.opening, packet.flags.syn, packet.flags.ack) {
            (Opening::Listening, true, false) => {
                self.agree(packet, options, Handshake::ThreeWay);
                self.opening = Opening::Answered;
                let Some(connection) = &mut self.connection else { return Ok(()) };
                connection.sender.write(now, 0);
                connection.drain(now, &mut self.out)
            }
            (&Opening::Asked(at), true, true) => {
                self.agree(packet, options, Handshake::ThreeWay);
                self.opening = Opening::Open;
                let Some(connection) = &mut self.connection else { return Ok(()) };
                // The sender was made after the SYN went out, so it sends its own SYN at that time.
                connection.sender.write(at, 0);
                while connection.sender.poll_transmit(at).is_some() {}
                let window = connection.window(packet, 0);
                connection.sender.on_ack(
                    now,
                    &Ack { ack: 0, window, sack: SackBlocks::NONE, echo: at, syn: true, ece: false, ace: 0 },
                );
                connection.answer(now, &[], &mut self.out)?;
                connection.drain(now, &mut self.out)
            }
            (_, true, _) => Err("a SYN to an open connection is not modelled".to_owned()),
            (Opening::Answered | Opening::Open, false, _) => {
                self.opening = Opening::Open;
                let Some(connection) = &mut self.connection else { return Ok(()) };
                connection.take(now, packet, options, &mut self.out)
            }
            _ => Err("a segment before the connection is not modelled".to_owned()),
        }
    }

    /// Makes the two endpoints with the options that both this host and the SYN of the other end offer.
    fn agree(&mut self, packet: &Packet, options: &Options, handshake: Handshake) {
        let (flags, timestamps) = (packet.flags, self.stack.timestamps && options.timestamps.is_some());
        let mss = options.mss.unwrap_or(DEFAULT_MSS).min(OWN_MSS);
        let agreed = Agreed {
            segment_bytes: mss.saturating_sub(if timestamps { TIMESTAMP_BYTES } else { 0 }).max(1),
            timestamps,
            sack: self.stack.sack && options.sack_ok,
            // A SYN asks for ECN with both flags, and its answer agrees with one (RFC 3168, section 6.1.1).
            ecn: self.stack.ecn > 0 && flags.ece && (flags.ack != flags.cwr),
        };
        let settings = Arc::new(Settings { handshake, ..self.stack.settings(&agreed) });
        let receiver = Receiver::new(&Settings { handshake: Handshake::None, ..(*settings).clone() });
        self.connection = Some(Box::new(Connection {
            sender: Sender::sharing(settings),
            receiver,
            agreed,
            shift: options.scale.unwrap_or(0),
            scales: options.scale.is_some(),
            written: 0,
            read: 0,
            closed: false,
            fin_sent: false,
            peer_fin: None,
            recent: options.timestamps.map_or(0, |(value, _)| value),
            acked: 0,
            stamps: BTreeMap::new(),
            segments: 0,
        }));
    }

    /// Notes that a segment with this timestamp of the script was sent at `at`.
    pub fn stamp(&mut self, value: u32, at: Time) {
        if let Some(connection) = &mut self.connection {
            connection.stamps.insert(value, at);
        }
    }

    /// Returns the value of a name in `tcp_info`; `None` if the name is unknown or there is no connection.
    pub fn value(&self, name: &str) -> Option<i64> {
        let connection = self.connection.as_ref()?;
        let sender = &connection.sender;
        let info = sender.info();
        let value = |number: u64| Some(number as i64);
        let micros = |span: Span| Some((span.0 / 1000) as i64);
        match name {
            "tcpi_snd_cwnd" => Some(info.cwnd as i64),
            "tcpi_snd_ssthresh" => Some(sender.ssthresh() as i64),
            "tcpi_ca_state" => Some(info.phase as i64),
            "tcpi_unacked" => value(info.unacked),
            "tcpi_sacked" => value(info.sacked),
            "tcpi_lost" => value(info.lost),
            "tcpi_retrans" => value(info.resent),
            "tcpi_reordering" => value(info.reordering),
            "tcpi_rtt" => micros(sender.srtt().unwrap_or(Span::ZERO)),
            "tcpi_min_rtt" => micros(info.min_rtt.unwrap_or(Span(u64::from(u32::MAX) * 1000))),
            "tcpi_rto" => micros(sender.rto()),
            "tcpi_delivered" => value(connection.delivered(&info)),
            "tcpi_total_retrans" => value(sender.stats().retransmissions),
            "tcpi_snd_mss" => value(u64::from(connection.agreed.segment_bytes)),
            _ => None,
        }
    }
}

/// The names for which [`Host::value`] has a value.
pub(crate) const NAMES: &[&str] = &[
    "tcpi_snd_cwnd",
    "tcpi_snd_ssthresh",
    "tcpi_ca_state",
    "tcpi_unacked",
    "tcpi_sacked",
    "tcpi_lost",
    "tcpi_retrans",
    "tcpi_reordering",
    "tcpi_rtt",
    "tcpi_min_rtt",
    "tcpi_rto",
    "tcpi_delivered",
    "tcpi_total_retrans",
    "tcpi_snd_mss",
];

/// Names that have the same value in all scripts.
pub(crate) const CONSTANTS: &[(&str, i64)] = &[
    ("TCP_CA_Open", Phase::Open as i64),
    ("TCP_CA_Disorder", Phase::Disorder as i64),
    ("TCP_CA_CWR", Phase::Reduced as i64),
    ("TCP_CA_Recovery", Phase::Recovery as i64),
    ("TCP_CA_Loss", Phase::Loss as i64),
    ("True", 1),
    ("False", 0),
];

impl Connection {
    /// Returns the window that a segment advertises, in segments.
    fn window(&self, packet: &Packet, shift: u8) -> u32 {
        let bytes = packet.window.unwrap_or(0) << shift;
        (bytes / u64::from(self.agreed.segment_bytes)).min(u64::from(u32::MAX)) as u32
    }

    /// Returns the number of segments delivered, including the SYN, as Linux counts them.
    fn delivered(&self, info: &Info) -> u64 {
        self.sender.acked_to().div_ceil(u64::from(self.agreed.segment_bytes)) + info.sacked + 1
    }

    /// Takes a segment of the open connection that arrives: first its acknowledgement, then its data.
    fn take(
        &mut self,
        now: Time,
        packet: &Packet,
        options: &Options,
        out: &mut VecDeque<Sent>,
    ) -> Result<(), NotModelled> {
        if packet.seq == 0 {
            return Err("data that begin before the SYN are not modelled".to_owned());
        }
        let len = packet.end - packet.seq;
        if let Some((value, _)) = options.timestamps.filter(|_| packet.seq <= self.acked + 1) {
            // RFC 7323, section 4.3.
            self.recent = self.recent.max(value);
        }
        if packet.ack.is_some() {
            self.take_ack(now, packet, options, len > 0 || packet.flags.fin)?;
        }
        if packet.flags.fin {
            self.peer_fin = Some(packet.end - 1);
        }
        if len > 0 {
            let sent_at = options.timestamps.map_or(Time::ZERO, |(value, _)| Time(u64::from(value)));
            self.receiver.on_segment(
                now,
                &Segment {
                    seq: packet.seq - 1,
                    len: len as u32,
                    syn: false,
                    retransmission: false,
                    ecn: packet.ecn.unwrap_or_default(),
                    flags: airfair_tcp::Flags::new(packet.flags.cwr, false),
                    sent_at,
                },
            );
        }
        let before = out.len();
        self.drain(now, out)?;
        if packet.flags.fin && out.len() == before {
            self.answer(now, &[], out)?;
        }
        Ok(())
    }

    fn take_ack(
        &mut self,
        now: Time,
        packet: &Packet,
        options: &Options,
        brings: bool,
    ) -> Result<(), NotModelled> {
        let Some(ack) = packet.ack.and_then(|ack| ack.checked_sub(1)) else {
            return Err("an ACK of less than the SYN is not modelled".to_owned());
        };
        // The host's FIN has a sequence number beyond the stream.
        let ack = if self.fin_sent { ack.min(self.written) } else { ack };
        let mut sack = SackBlocks::NONE;
        // Empty and reversed blocks, and blocks of data that were never sent, are ignored (RFC 2018, section 4).
        let sent = 1..=self.sender.sent_to() + 1;
        let is_block =
            |&&(start, end): &&(u64, u64)| start < end && sent.contains(&start) && sent.contains(&end);
        for &(start, end) in options.sack.iter().filter(is_block) {
            sack.push(ack, start - 1, end - 1);
        }
        if brings && sack.is_empty() && ack <= self.sender.acked_to() && self.sender.sent_to() > 0 {
            // RFC 5681, section 2: an ACK that carries data is no duplicate ACK.
            return Ok(());
        }
        let echo = match options.timestamps {
            Some((_, echo)) if self.agreed.timestamps => {
                // The timestamp of the SYN may be missing in the script.
                self.stamps.get(&echo).copied().unwrap_or(Time::ZERO)
            }
            _ => Time::ZERO,
        };
        let window = self.window(packet, self.shift);
        let ece = packet.flags.ece;
        self.sender.on_ack(now, &Ack { ack, window, sack, echo, syn: true, ece, ace: 0 });
        Ok(())
    }

    /// Returns the sequence number that the next segment acknowledges.
    fn ack_number(&self) -> u64 {
        let arrived = self.receiver.delivered_to();
        arrived + 1 + u64::from(self.peer_fin == Some(arrived))
    }

    /// Sends all that may be sent: data, a FIN behind them, and an ACK if none of these carries it.
    fn drain(&mut self, now: Time, out: &mut VecDeque<Sent>) -> Result<(), NotModelled> {
        let mut carried = false;
        while let Some(segment) = self.sender.poll_transmit(now) {
            self.segments += 1;
            if self.segments > MOST_SEGMENTS {
                return Err(format!("more than {MOST_SEGMENTS} segments sent"));
            }
            if segment.syn {
                out.push_back(self.syn(now));
                continue;
            }
            carried = true;
            let (seq, end) = (segment.seq + 1, segment.seq + 1 + u64::from(segment.len));
            let fin = self.closed && segment.seq + u64::from(segment.len) == self.written;
            self.fin_sent |= fin;
            let flags = Flags { fin, ack: true, cwr: segment.flags.cwr(), ..Flags::default() };
            let sent = self.sent(now, segment.ecn, flags, (seq, end), &[]);
            out.push_back(sent);
        }
        if self.closed && !self.fin_sent && self.sender.sent_to() == self.written {
            self.fin_sent = true;
            carried = true;
            let at = self.written + 1;
            let flags = Flags { fin: true, ack: true, ..Flags::default() };
            let sent = self.sent(now, Ecn::NotCapable, flags, (at, at), &[]);
            out.push_back(sent);
        }
        while let Some(ack) = self.receiver.poll_transmit() {
            let blocks: Vec<_> = ack.sack.iter(ack.ack).map(|(start, end)| (start + 1, end + 1)).collect();
            // Data that are sent at the same time carry the ACK.
            if !carried {
                self.answer_with(now, &blocks, ack.ece, Some(ack.echo.0 as u32), out);
            }
        }
        Ok(())
    }

    /// Sends an ACK without data.
    fn answer(
        &mut self,
        now: Time,
        blocks: &[(u64, u64)],
        out: &mut VecDeque<Sent>,
    ) -> Result<(), NotModelled> {
        // This ACK has the fields of delayed ones, which are discarded.
        while self.receiver.poll_transmit().is_some() {}
        self.answer_with(now, blocks, false, None, out);
        Ok(())
    }

    fn answer_with(
        &mut self,
        now: Time,
        blocks: &[(u64, u64)],
        ece: bool,
        echo: Option<u32>,
        out: &mut VecDeque<Sent>,
    ) {
        let at = self.sender.sent_to() + 1 + u64::from(self.fin_sent);
        let flags = Flags { ack: true, ece, ..Flags::default() };
        let mut sent = self.sent(now, Ecn::NotCapable, flags, (at, at), blocks);
        if let (Some((_, of)), Some(echo)) = (&mut sent.options.timestamps, echo) {
            *of = echo;
        }
        out.push_back(sent);
    }

    fn sent(
        &mut self,
        at: Time,
        ecn: Ecn,
        flags: Flags,
        (seq, end): (u64, u64),
        blocks: &[(u64, u64)],
    ) -> Sent {
        let ack = self.ack_number();
        self.acked = self.receiver.delivered_to();
        let timestamps = self.agreed.timestamps.then_some((0, self.recent));
        let options = Options { timestamps, sack: blocks.to_vec(), ..Options::default() };
        Sent { at, ecn, flags, seq, end, ack: Some(ack), options }
    }

    /// Returns the answer to the other end's SYN.
    fn syn(&mut self, now: Time) -> Sent {
        let flags = Flags { syn: true, ack: true, ece: self.agreed.ecn, ..Flags::default() };
        let mut sent = self.sent(now, Ecn::NotCapable, flags, (0, 0), &[]);
        sent.options.mss = Some(OWN_MSS);
        sent.options.sack_ok = self.agreed.sack;
        sent.options.scale = self.scales.then_some(0);
        sent
    }
}
