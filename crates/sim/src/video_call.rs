//! One direction of a video call: an encoder and its pacer, and the receiver that puts frames together, with feedback the other way.
//!
//! Both ends are in one struct, so that a packet need not carry its whole content. Each end reads only what has reached it: the receiver the
//! packets that have come and the numbers of packets of their frames, the sender the reports that have come.

use crate::gcc::{Cluster, Gcc, Received};
use crate::packet::Body;
use crate::record::FlowCounts;
use crate::session::Sessions;
use crate::timing::Kept;
use airfair_core::{Rate, Span, Stream, Time};
use airfair_scenario::rtcp;
use airfair_tcp::SenderStats;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Rate of the pacer over that of the media. libwebrtc takes 1.1 with feedback of this kind, `kStrictPacingMultiplier`, and 2.5 without.
const PACING: f64 = 1.1;
/// What waits for the pacer goes out within this time on average, at a higher rate if it must: libwebrtc, `PacingController`.
const LONGEST_QUEUE: Span = Span::from_secs(2);
/// Time over which the share of packets that are sent again is measured, and its most. The encoder leaves room for them: libwebrtc,
/// `FecControllerDefault`.
const REPAIRS_OVER: Span = Span::from_secs(1);
const MOST_REPAIRS: f64 = 0.5;
/// Spread of the frames' sizes: RFC 8593, section 5, Table 1 (`SCALE_B`, Laplacian), and the least size over the mean.
const SPREAD: f64 = 0.15;
const SMALLEST: f64 = 0.1;
/// The sender keeps packets to send them again for this time, or for so many round trips if these are longer. With fewer packets than [`FEW`] it keeps
/// them so many times as long: libwebrtc, `RtpPacketHistory` and `kMinSendSidePacketHistorySize`.
const KEPT_FOR: Span = Span::from_secs(1);
const KEPT_ROUND_TRIPS: u64 = 3;
const FEW: u32 = 600;
const FEW_TIMES: u64 = 3;
/// How long the sender remembers when packets were sent: libwebrtc, `TransportFeedbackAdapter`.
const REMEMBERED_FOR: Span = Span::from_secs(60);
/// Time between feedback: the default of libwebrtc, `RemoteEstimatorProxy`. Once a receiver there sends media itself, it takes 50 to 250 ms, so that
/// feedback is 5 % of what it sends; one direction of a call here does not know the other.
const FEEDBACK: Span = Span::from_millis(100);
/// The receiver's clock: draft-holmer-rmcat-transport-wide-cc-extensions-01, section 3.1.
const TICK: Span = Span::from_micros(250);
/// A packet is asked for again at the first look, every [`LOOK`], after a round trip, which is [`UNKNOWN_RTT`] until one is known; how often it is; and
/// how many may be missing: libwebrtc, `NackRequester` and `NackPeriodicProcessor`.
const UNKNOWN_RTT: Span = Span::from_millis(100);
const LOOK: Span = Span::from_millis(20);
const ASKS: u32 = 10;
const MOST_MISSING: usize = 1000;
/// After a picture that has stood still for so long, what is missing is not waited for. libwebrtc asks for a key frame then: `kMaxWaitForFrame`.
const LONGEST_STILL: Span = Span::from_secs(3);
/// A packet that is asked for is not sent again sooner than a round trip and this after the last time: libwebrtc, `RTPSender::OnReceivedNack`.
const AGAIN_MARGIN: Span = Span::from_millis(5);

/// One direction of a call.
#[derive(Clone, Debug)]
pub struct VideoCall {
    sender: Sender,
    receiver: Receiver,
    /// For each frame, the number of the first packet behind it.
    frames: Vec<u32>,
    /// What the receiver has reported and the sender has not read, by the number of the report.
    reports: VecDeque<(u64, Report)>,
}

/// What the receiver tells the sender.
#[derive(Clone, Debug)]
enum Report {
    /// Of the packets with these numbers, those that have come, and when; and how long the report was kept after the last one, as receivers in RTP
    /// say (RFC 3550, section 6.4.1, DLSR).
    Feedback { from: u64, until: u64, received: Vec<(u64, Time)>, kept: Span },
    /// These packets of media are missing.
    Missing(Vec<u32>),
}

/// What a call sends.
#[derive(Clone, Copy, Debug)]
pub struct Media {
    /// Time between two frames.
    pub frame_interval: Span,
    /// The least rate on the wire.
    pub least: Rate,
    /// The highest rate on the wire.
    pub most: Rate,
    /// Most payload of a packet.
    pub packet_bytes: u32,
    /// Bytes of all headers of a packet.
    pub header_bytes: u32,
}

#[derive(Clone, Debug)]
struct Sender {
    media: Media,
    gcc: Gcc,
    sizes: Stream,
    /// Packets of media from number `oldest` on.
    packets: VecDeque<Packet>,
    oldest: u32,
    /// Number of the next packet of media that has not been sent.
    unsent: u32,
    /// Packets to be sent again, and since when.
    again: VecDeque<(u32, Time)>,
    /// What waits for the pacer.
    waiting: Waiting,
    /// For each frame of the last second when it was captured, and the bytes that had been sent, again and in all.
    repairs: VecDeque<(Time, [u64; 2])>,
    sent_bytes: [u64; 2],
    /// The cluster that is being sent, and what is left of it.
    cluster: Option<Cluster>,
    /// When the next packet may go.
    free_at: Time,
    /// Times of sending, from number `first` on: of all packets, media or not.
    sent: VecDeque<Sent>,
    first: u64,
    /// Payload sent for the first time.
    fresh_bytes: u64,
    stats: SenderStats,
}

/// Packets that wait.
#[derive(Clone, Copy, Debug, Default)]
struct Waiting {
    packets: u64,
    bytes: u64,
    /// Sum of the instants since which they wait, in ns.
    since: u128,
}

impl Waiting {
    fn enter(&mut self, at: Time, bytes: u32) {
        self.packets += 1;
        self.bytes += u64::from(bytes);
        self.since += u128::from(at.0);
    }

    fn leave(&mut self, since: Time, bytes: u32) {
        self.packets -= 1;
        self.bytes -= u64::from(bytes);
        self.since -= u128::from(since.0);
    }

    /// Returns the rate in bit/s that is needed so that packets wait for [`LONGEST_QUEUE`] on average.
    fn least_rate(&self, now: Time) -> f64 {
        if self.packets == 0 {
            return 0.0;
        }
        let mean = now.since(Time((self.since / u128::from(self.packets)) as u64));
        let left = Span(LONGEST_QUEUE.0.saturating_sub(mean.0)).max(Span::from_millis(1));
        self.bytes as f64 * 8.0 / left.as_secs()
    }
}

/// A packet of media at the sender.
#[derive(Clone, Copy, Debug)]
struct Packet {
    payload: u32,
    captured: Time,
    /// When it was first sent; [`Time::NEVER`] if it was not.
    sent: Time,
    /// When it was last sent again.
    again: Option<Time>,
}

/// A packet that has been sent.
#[derive(Clone, Copy, Debug)]
struct Sent {
    at: Time,
    bytes: u32,
    cluster: Option<u32>,
}

#[derive(Clone, Debug)]
struct Receiver {
    /// Packets since the last feedback, and the number behind those that are reported.
    received: Vec<(u64, Time)>,
    reported: u64,
    feedback_at: Time,
    /// Number behind the newest packet of media.
    expected: u32,
    /// Packets that are missing: when they are asked for again, and how often they have been.
    missing: BTreeMap<u32, (Time, u32)>,
    ask_at: Time,
    /// The round-trip time as far as it is known.
    rtt: Option<Span>,
    /// When the first packet came.
    began: Option<Time>,
    /// When the picture last changed, or the first packet came.
    changed: Time,
    /// Number of packets that have come of each frame that is not shown.
    parts: BTreeMap<u32, u32>,
    /// Frames that will not be complete.
    lost: BTreeSet<u32>,
    /// Number of the next frame to be shown.
    next: u32,
    /// Reports to be sent: their numbers and bytes.
    outgoing: VecDeque<(u64, u32)>,
    reports: u64,
    delivered_bytes: u64,
    delays: Option<Kept>,
}

impl VideoCall {
    /// Returns a direction of a call before its first frame. `sizes` draws the sizes of frames.
    pub fn new(media: Media, sizes: Stream) -> VideoCall {
        VideoCall {
            sender: Sender {
                media,
                gcc: Gcc::new(media.least, media.most),
                sizes,
                packets: VecDeque::new(),
                oldest: 0,
                unsent: 0,
                again: VecDeque::new(),
                waiting: Waiting::default(),
                repairs: VecDeque::new(),
                sent_bytes: [0; 2],
                cluster: None,
                free_at: Time::ZERO,
                sent: VecDeque::new(),
                first: 0,
                fresh_bytes: 0,
                stats: SenderStats::default(),
            },
            receiver: Receiver {
                received: Vec::new(),
                reported: 0,
                feedback_at: Time::NEVER,
                expected: 0,
                missing: BTreeMap::new(),
                ask_at: Time::NEVER,
                rtt: None,
                began: None,
                changed: Time::ZERO,
                parts: BTreeMap::new(),
                lost: BTreeSet::new(),
                next: 0,
                outgoing: VecDeque::new(),
                reports: 0,
                delivered_bytes: 0,
                delays: None,
            },
            frames: Vec::new(),
            reports: VecDeque::new(),
        }
    }

    /// Captures and encodes a frame. Returns its payload in bytes.
    pub fn on_capture(&mut self, now: Time) -> u64 {
        let sender = &mut self.sender;
        sender.forget(now);
        sender.gcc.on_time(now);
        let bytes = sender.encode(now);
        self.frames.push(sender.oldest + sender.packets.len() as u32);
        bytes
    }

    /// Returns when the sender has a packet to send.
    pub fn sender_deadline(&self) -> Time {
        if self.sender.has_packets() { self.sender.free_at } else { Time::NEVER }
    }

    /// Returns when the receiver reports next.
    pub fn receiver_deadline(&self) -> Time {
        self.receiver.feedback_at.min(self.receiver.ask_at)
    }

    /// Sends a packet of media if one may go. Returns it with its bytes on the wire.
    pub fn poll_media(&mut self, now: Time, sessions: &mut Sessions) -> Option<(Body, u32)> {
        let packet = self.sender.poll(now)?;
        sessions.on_sent(now, self.sender.fresh_bytes);
        Some(packet)
    }

    /// Takes a packet of media.
    pub fn on_media(&mut self, now: Time, packet: &MediaPacket, sessions: &mut Sessions) {
        let VideoCall { receiver, frames, reports, .. } = self;
        receiver.note(now, packet);
        if let Some(number) = packet.media {
            receiver.take(now, number, packet.payload, frames, reports);
            receiver.show(now, frames, sessions);
        }
    }

    /// Lets the receiver report what is due.
    pub fn on_receiver_deadline(&mut self, now: Time, sessions: &mut Sessions) {
        let VideoCall { receiver, frames, reports, .. } = self;
        if receiver.feedback_at <= now {
            receiver.give_feedback(now, reports);
        }
        if receiver.ask_at <= now {
            receiver.ask_again(now, frames, reports);
            receiver.show(now, frames, sessions);
        }
    }

    /// Sends a report of the receiver's, if one is to be sent. Returns it with its bytes on the wire.
    pub fn poll_report(&mut self) -> Option<(Body, u32)> {
        let (report, bytes) = self.receiver.outgoing.pop_front()?;
        Some((Body::Report { payload: bytes, report }, bytes + rtcp::HEADERS))
    }

    /// Takes a report.
    pub fn on_report(&mut self, now: Time, number: u64) {
        // Reports before this one are lost, or overtaken.
        while let Some((found, report)) = self.reports.front()
            && *found <= number
        {
            if *found == number {
                self.sender.on_report(now, report);
            }
            self.reports.pop_front();
        }
    }

    /// Keeps the one-way delay of each packet that arrives at `from` or later.
    pub fn keep_delays(&mut self, from: Time) {
        self.receiver.delays = Some(Kept::new(from));
    }

    /// Returns the one-way delays that were kept.
    pub fn delays(&self) -> &[Span] {
        self.receiver.delays.as_ref().map_or(&[], Kept::times)
    }

    /// Returns the counts so far, without arrivals, which the flow counts.
    pub fn counts(&self) -> FlowCounts {
        let (delivered_bytes, sender) = (self.receiver.delivered_bytes, self.sender.stats);
        FlowCounts { delivered_bytes, sender, ..FlowCounts::default() }
    }
}

/// A packet from the sender of a call.
#[derive(Clone, Copy, Debug)]
pub struct MediaPacket {
    /// Number of payload bytes.
    pub payload: u32,
    /// Number of the packet among all that the sender has sent.
    pub number: u64,
    /// Number among the packets of media, the same when it is sent again; `None` for padding.
    pub media: Option<u32>,
    /// When it was sent.
    pub sent: Time,
    /// The round-trip time as far as the sender knows it. Receivers in RTP find it from reports of their own (RFC 3611, section 4.4).
    pub rtt: Option<Span>,
}

impl Sender {
    /// Whether anything waits for the pacer.
    fn has_packets(&self) -> bool {
        self.cluster.is_some() || !self.again.is_empty() || self.unsent < self.end()
    }

    /// Returns the number behind the last packet of media.
    fn end(&self) -> u32 {
        self.oldest + self.packets.len() as u32
    }

    /// Forgets packets that will not be sent again, and when packets were sent long ago.
    fn forget(&mut self, now: Time) {
        let least = KEPT_FOR.max(self.gcc.rtt().unwrap_or(Span::ZERO) * KEPT_ROUND_TRIPS);
        while let Some(packet) = self.packets.front()
            && self.oldest < self.unsent
        {
            let age = now.since(packet.again.unwrap_or(packet.sent));
            let are_few = self.unsent - self.oldest < FEW;
            if age < least || are_few && age < least * FEW_TIMES || self.is_waiting(self.oldest) {
                break;
            }
            self.packets.pop_front();
            self.oldest += 1;
        }
        while let Some(sent) = self.sent.front()
            && now.since(sent.at) > REMEMBERED_FOR
        {
            self.sent.pop_front();
            self.first += 1;
        }
    }

    /// Whether a packet waits to be sent again.
    fn is_waiting(&self, number: u32) -> bool {
        self.again.iter().any(|&(other, _)| other == number)
    }

    /// Makes the packets of a frame, all about as long. Returns their payload in bytes.
    fn encode(&mut self, now: Time) -> u64 {
        let Media { frame_interval, packet_bytes, header_bytes, .. } = self.media;
        let mean = self.gcc.target() * (1.0 - self.repaired(now)) * frame_interval.as_secs() / 8.0;
        let half = self.sizes.unit() - 0.5;
        let deviation = -SPREAD * half.signum() * libm::log(1.0 - 2.0 * half.abs());
        let bytes = (mean * (1.0 + deviation).max(SMALLEST)).round() as u64;
        let packets = bytes.div_ceil(u64::from(packet_bytes + header_bytes)).max(1);
        let payload = bytes.saturating_sub(packets * u64::from(header_bytes)).max(packets);
        for number in 0..packets {
            let part = (number + 1) * payload / packets - number * payload / packets;
            let payload = part as u32;
            self.packets.push_back(Packet { payload, captured: now, sent: Time::NEVER, again: None });
            self.waiting.enter(now, payload + header_bytes);
        }
        self.probe();
        self.free_at = self.free_at.max(now);
        payload
    }

    /// Returns the share of packets that were sent again in the last second.
    fn repaired(&mut self, now: Time) -> f64 {
        self.repairs.push_back((now, self.sent_bytes));
        while self.repairs.front().is_some_and(|(at, _)| now.since(*at) > REPAIRS_OVER) {
            self.repairs.pop_front();
        }
        let [again, all] = self
            .repairs
            .front()
            .map_or([0; 2], |(_, before)| [self.sent_bytes[0] - before[0], self.sent_bytes[1] - before[1]]);
        if all == 0 { 0.0 } else { (again as f64 / all as f64).min(MOST_REPAIRS) }
    }

    /// Begins to send a cluster if one waits and no other is being sent.
    fn probe(&mut self) {
        self.cluster = self.cluster.or_else(|| self.gcc.poll_probe());
    }

    fn poll(&mut self, now: Time) -> Option<(Body, u32)> {
        if !self.has_packets() || self.free_at > now {
            return None;
        }
        let fresh = (self.unsent < self.end()).then_some((self.unsent, Time::NEVER));
        let next = self.again.pop_front().or(fresh);
        let header_bytes = self.media.header_bytes;
        let payload = match next {
            None => self.media.packet_bytes,
            Some((number, since)) => {
                let packet = &mut self.packets[(number - self.oldest) as usize];
                let bytes = packet.payload + header_bytes;
                if packet.sent == Time::NEVER {
                    packet.sent = now;
                    self.unsent += 1;
                    self.fresh_bytes += u64::from(packet.payload);
                    self.waiting.leave(packet.captured, bytes);
                } else {
                    packet.again = Some(now);
                    self.stats.retransmissions += 1;
                    self.sent_bytes[0] += u64::from(bytes);
                    self.waiting.leave(since, bytes);
                }
                packet.payload
            }
        };
        let media = next.map(|(number, _)| number);
        let bytes = payload + header_bytes;
        self.sent_bytes[1] += u64::from(bytes);
        let number = self.first + self.sent.len() as u64;
        self.sent.push_back(Sent { at: now, bytes, cluster: self.cluster.map(|cluster| cluster.id) });
        self.stats.segments += 1;
        self.stats.sent_bytes += u64::from(payload);
        let rate = match &mut self.cluster {
            None => (PACING * self.gcc.target()).max(self.waiting.least_rate(now)),
            Some(cluster) => {
                let rate = cluster.rate;
                cluster.packets = cluster.packets.saturating_sub(1);
                cluster.bytes = cluster.bytes.saturating_sub(bytes);
                if cluster.packets == 0 && cluster.bytes == 0 {
                    self.cluster = None;
                    self.probe();
                }
                rate
            }
        };
        self.free_at = now + Span::from_secs_f64(f64::from(bytes) * 8.0 / rate).max(Span(1));
        let packet = MediaPacket { payload, number, media, sent: now, rtt: self.gcc.rtt() };
        Some((Body::Media(packet), bytes))
    }

    fn on_report(&mut self, now: Time, report: &Report) {
        match report {
            Report::Missing(numbers) => {
                for &number in numbers.iter().filter(|&&number| number >= self.oldest) {
                    let Packet { payload, again, .. } = self.packets[(number - self.oldest) as usize];
                    // It may be on its way.
                    let rtt = self.gcc.rtt().unwrap_or(Span::ZERO);
                    let comes = again.is_some_and(|at| now.since(at) < rtt + AGAIN_MARGIN);
                    if !comes && !self.is_waiting(number) {
                        self.again.push_back((number, now));
                        self.waiting.enter(now, payload + self.media.header_bytes);
                    }
                }
            }
            Report::Feedback { from, until, received, kept } => {
                let seen = received.iter().filter_map(|&(number, arrived)| {
                    let place = usize::try_from(number.checked_sub(self.first)?).ok()?;
                    let &Sent { at, bytes, cluster } = self.sent.get(place)?;
                    Some(Received { sent: at, arrived, bytes, cluster })
                });
                let seen: Vec<_> = seen.collect();
                let open = until.saturating_sub(self.first.max(*from)).min(self.sent.len() as u64);
                let lost = open.saturating_sub(seen.len() as u64) as u32;
                let over = until.saturating_sub(self.first).min(self.sent.len() as u64);
                self.sent.drain(..over as usize);
                self.first += over;
                self.gcc.on_feedback(now, &seen, lost, *kept);
                self.probe();
            }
        }
        self.free_at = self.free_at.max(now);
    }
}

impl Receiver {
    /// Notes a packet for feedback.
    fn note(&mut self, now: Time, packet: &MediaPacket) {
        self.received.push((packet.number, Time(now.0 - now.0 % TICK.0)));
        if self.feedback_at == Time::NEVER {
            self.feedback_at = now + FEEDBACK;
        }
        self.rtt = packet.rtt.or(self.rtt);
        if self.began.is_none() {
            (self.began, self.changed) = (Some(now), now);
        }
        if let Some(delays) = &mut self.delays {
            delays.note(now, now - packet.sent);
        }
    }

    /// Takes a packet of media. Asks for those before it that are missing.
    fn take(
        &mut self,
        now: Time,
        number: u32,
        payload: u32,
        frames: &[u32],
        reports: &mut VecDeque<(u64, Report)>,
    ) {
        if number < self.expected && self.missing.remove(&number).is_none() {
            return; // it is there already, or given up
        }
        self.delivered_bytes += u64::from(payload);
        *self.parts.entry(frame_of(number, frames)).or_default() += 1;
        let mut missing: Vec<u32> = (self.expected..number).collect();
        self.expected = self.expected.max(number + 1);
        if self.missing.len() + missing.len() > MOST_MISSING || now.since(self.changed) >= LONGEST_STILL {
            let all = std::mem::take(&mut self.missing).into_keys().chain(missing.drain(..));
            self.lost.extend(all.map(|number| frame_of(number, frames)));
        }
        let again = self.next_look(now);
        self.missing.extend(missing.iter().map(|&number| (number, (again, 1))));
        self.ask_for(&missing, reports);
    }

    /// Asks for these packets.
    fn ask_for(&mut self, numbers: &[u32], reports: &mut VecDeque<(u64, Report)>) {
        for some in numbers.chunks(rtcp::MOST_REPORTED as usize) {
            self.report(Report::Missing(some.to_vec()), reports);
        }
        self.ask_at = self.missing.values().map(|&(again, _)| again).min().unwrap_or(Time::NEVER);
    }

    /// Returns when a packet that is asked for now is asked for again.
    fn next_look(&self, now: Time) -> Time {
        let began = self.began.unwrap_or(now);
        let least = now.since(began) + self.rtt.unwrap_or(UNKNOWN_RTT).max(Span(1));
        began + Span(least.0.next_multiple_of(LOOK.0))
    }

    /// Asks again for packets, and gives up those that have been asked for often.
    fn ask_again(&mut self, now: Time, frames: &[u32], reports: &mut VecDeque<(u64, Report)>) {
        let mut asked = Vec::new();
        let next = self.next_look(now);
        let lost = &mut self.lost;
        self.missing.retain(|&number, (again, times)| {
            if now < *again {
                return true;
            }
            if *times == ASKS {
                lost.insert(frame_of(number, frames));
                return false;
            }
            (*again, *times) = (next, *times + 1);
            asked.push(number);
            true
        });
        self.ask_for(&asked, reports);
    }

    /// Reports the packets since the last feedback. Goes on as long as packets come.
    fn give_feedback(&mut self, now: Time, reports: &mut VecDeque<(u64, Report)>) {
        let received = std::mem::take(&mut self.received);
        self.feedback_at = if received.is_empty() { Time::NEVER } else { now + FEEDBACK };
        for some in received.chunks(rtcp::MOST_REPORTED as usize) {
            let (mut from, mut until) = (self.reported, self.reported);
            some.iter().for_each(|&(number, _)| (from, until) = (from.min(number), until.max(number + 1)));
            self.reported = until;
            let kept = some.last().map_or(Span::ZERO, |&(_, arrived)| now.since(arrived));
            self.report(Report::Feedback { from, until, received: some.to_vec(), kept }, reports);
        }
    }

    fn report(&mut self, report: Report, reports: &mut VecDeque<(u64, Report)>) {
        self.reports += 1;
        self.outgoing.push_back((self.reports, report.bytes()));
        reports.push_back((self.reports, report));
    }

    /// Shows the frames that are complete, in their order.
    fn show(&mut self, now: Time, frames: &[u32], sessions: &mut Sessions) {
        loop {
            let place = self.next as usize;
            let is_lost = self.lost.remove(&self.next);
            let Some(&come) = self.parts.get(&self.next).or(is_lost.then_some(&0)) else { return };
            let packets = frames[place] - if place == 0 { 0 } else { frames[place - 1] };
            if !is_lost {
                if come < packets {
                    return;
                }
                sessions.on_frame(now, place);
                self.changed = now;
            }
            self.parts.remove(&self.next);
            self.next += 1;
        }
    }
}

impl Report {
    /// Returns the bytes of the report in RTCP.
    fn bytes(&self) -> u32 {
        match self {
            Report::Feedback { from, until, received, .. } => {
                rtcp::feedback(received.len() as u32, until - from)
            }
            Report::Missing(numbers) => rtcp::request(numbers),
        }
    }
}

/// Returns the number of the frame that a packet of media belongs to.
fn frame_of(number: u32, frames: &[u32]) -> u32 {
    frames.partition_point(|&end| end <= number) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Time = Time(1_000_000_000);

    fn at(millis: u64) -> Time {
        SECOND + Span::from_millis(millis)
    }

    /// A call at 1 Mb/s and 10 frames a second.
    fn call() -> (VideoCall, Sessions) {
        let rate = Rate::new(1_000_000).unwrap();
        let media = Media {
            frame_interval: Span::from_millis(100),
            least: rate,
            most: rate,
            packet_bytes: 1180,
            header_bytes: 58,
        };
        (VideoCall::new(media, Stream::new(1, "frames")), Sessions::default())
    }

    fn capture(call: &mut VideoCall, sessions: &mut Sessions, now: Time) {
        let bytes = call.on_capture(now);
        sessions.start(now, Some(bytes));
    }

    /// Sends all that can be sent before `until`.
    fn send(call: &mut VideoCall, sessions: &mut Sessions, until: Time) -> Vec<(MediaPacket, u32)> {
        let mut packets = Vec::new();
        while call.sender_deadline() < until {
            let now = call.sender_deadline();
            let Some((Body::Media(packet), bytes)) = call.poll_media(now, sessions) else {
                panic!("a packet")
            };
            packets.push((packet, bytes));
        }
        packets
    }

    /// Two frames whose packets have been sent, with these packets.
    fn two_frames() -> (VideoCall, Sessions, Vec<(MediaPacket, u32)>) {
        let (mut call, mut sessions) = call();
        capture(&mut call, &mut sessions, SECOND);
        let mut packets = send(&mut call, &mut sessions, at(100));
        capture(&mut call, &mut sessions, at(100));
        packets.extend(send(&mut call, &mut sessions, at(250)));
        (call, sessions, packets)
    }

    #[test]
    fn a_frame_is_paced() {
        let (mut call, mut sessions) = call();
        capture(&mut call, &mut sessions, SECOND);
        let packets = send(&mut call, &mut sessions, at(500));
        let session = sessions.all()[0];
        let total: u32 = packets.iter().map(|(packet, _)| packet.payload).sum();
        assert_eq!(u64::from(total), session.bytes.unwrap());
        assert!(packets.len() > 5, "{packets:?}");
        for pair in packets.windows(2) {
            let gap = pair[1].0.sent - pair[0].0.sent;
            assert!((gap.as_secs() - f64::from(pair[0].1) * 8.0 / 1.1e6).abs() < 2e-9);
            assert!(pair[0].0.payload.abs_diff(pair[1].0.payload) <= 1 && pair[0].1 <= 1238);
        }
        assert_eq!(session.sent, packets.last().unwrap().0.sent);
    }

    #[test]
    fn frames_have_their_mean_size() {
        let (mut call, mut sessions) = call();
        for frame in 0..3000 {
            capture(&mut call, &mut sessions, at(100 * frame));
            send(&mut call, &mut sessions, at(100 * frame + 100));
        }
        let bytes: Vec<f64> = sessions.all().iter().map(|frame| frame.bytes.unwrap() as f64).collect();
        let mean = bytes.iter().sum::<f64>() / 3000.0;
        // 12.5 kB with 11 headers.
        assert!((mean / (12_500.0 - 10.6 * 58.0) - 1.0).abs() < 0.02, "{mean}");
        let variance =
            bytes.iter().map(|bytes| (bytes / mean - 1.0) * (bytes / mean - 1.0)).sum::<f64>() / 3000.0;
        // Twice the square of a Laplacian's scale.
        assert!((variance / (2.0 * SPREAD * SPREAD) - 1.0).abs() < 0.15, "{variance}");
    }

    #[test]
    fn a_lost_packet_is_asked_for_and_holds_up_the_picture() {
        let (mut call, mut sessions, packets) = two_frames();
        for (packet, _) in packets.iter().filter(|(packet, _)| packet.media != Some(1)) {
            call.on_media(packet.sent + Span::from_millis(10), packet, &mut sessions);
        }
        assert_eq!(call.receiver.outgoing.len(), 1, "it asks as soon as the next packet is there");
        assert!(sessions.all().iter().all(|frame| frame.delivered == Time::NEVER));
        let Some((Body::Report { report, payload }, bytes)) = call.poll_report() else { panic!("a report") };
        assert_eq!((payload, bytes), (16, 16 + 42));
        call.on_report(at(260), report);
        let again = send(&mut call, &mut sessions, at(300));
        assert_eq!((again.len(), again[0].0.media), (1, Some(1)));
        call.on_media(at(280), &again[0].0, &mut sessions);
        assert!(sessions.all().iter().all(|frame| frame.delivered == at(280)));
        call.on_media(at(290), &again[0].0, &mut sessions);
        let payload: u64 = sessions.all().iter().map(|frame| frame.bytes.unwrap()).sum();
        assert_eq!(call.counts().delivered_bytes, payload, "once");
        assert_eq!(call.counts().sender.retransmissions, 1);
    }

    #[test]
    fn a_frame_is_given_up_after_ten_requests() {
        let (mut call, mut sessions, packets) = two_frames();
        for (packet, _) in packets.iter().filter(|(packet, _)| packet.media != Some(1)) {
            call.on_media(packet.sent, packet, &mut sessions);
        }
        let mut asked = 0;
        while call.receiver.ask_at < Time::NEVER {
            asked += std::iter::from_fn(|| call.poll_report()).filter(|(_, bytes)| *bytes == 16 + 42).count();
            let now = call.receiver_deadline();
            call.on_receiver_deadline(now, &mut sessions);
        }
        assert_eq!(asked, 10);
        let [first, second] = sessions.all() else { panic!("two frames") };
        assert_eq!(first.delivered, Time::NEVER);
        // The packet was missed after 18 ms: the second request is at the look after 118 ms, and the others follow every 100 ms.
        assert_eq!(second.delivered, at(1020), "then the picture goes on");
    }

    #[test]
    fn a_packet_is_asked_for_again_after_a_round_trip() {
        for (rtt, first, between) in [(5, 40, 20), (50, 80, 60), (400, 420, 400)] {
            let (mut call, mut sessions, mut packets) = two_frames();
            packets.remove(1);
            for (packet, _) in &mut packets {
                packet.rtt = Some(Span::from_millis(rtt));
                call.on_media(packet.sent, packet, &mut sessions);
            }
            // It was missed after 18 ms.
            assert_eq!(call.receiver.ask_at, at(first), "{rtt}");
            while call.receiver.ask_at < Time::NEVER {
                call.on_receiver_deadline(call.receiver_deadline(), &mut sessions);
            }
            assert_eq!(
                sessions.all()[1].delivered,
                at(first + 9 * between).max(packets.last().unwrap().0.sent),
                "{rtt}"
            );
        }
    }

    #[test]
    fn a_picture_that_stands_still_for_long_waits_for_nothing() {
        let after = |seconds: u64| {
            let (mut call, mut sessions, packets) = two_frames();
            let (first, last) = (&packets[0].0, &packets.last().unwrap().0);
            call.on_media(SECOND, first, &mut sessions);
            call.on_media(SECOND + Span::from_secs(seconds), last, &mut sessions);
            call.receiver.missing.is_empty()
        };
        assert!(!after(2) && after(3));
    }

    #[test]
    fn a_packet_that_may_be_on_its_way_is_not_sent_again() {
        let (mut call, mut sessions, packets) = two_frames();
        let last = packets.last().unwrap().0;
        let feedback =
            Report::Feedback { from: 0, until: 1, received: vec![(0, last.sent)], kept: Span::ZERO };
        let rtt = at(300).since(packets[0].0.sent);
        call.sender.on_report(at(300), &feedback);
        let mut asks = |now| {
            call.sender.on_report(now, &Report::Missing(vec![1]));
            send(&mut call, &mut sessions, now + Span::from_millis(50)).len()
        };
        assert_eq!([at(300), at(304) + rtt, at(310) + rtt].map(&mut asks), [1, 0, 1]);
    }

    #[test]
    fn a_long_gap_is_given_up_at_once() {
        let (mut call, mut sessions) = call();
        let mut packets = Vec::new();
        for frame in 0..150 {
            capture(&mut call, &mut sessions, at(100 * frame));
            packets.extend(send(&mut call, &mut sessions, at(100 * frame + 100)));
        }
        packets.extend(send(&mut call, &mut sessions, at(16_000)));
        let come = |from: usize, until: usize| {
            let (mut call, mut sessions) = (call.clone(), sessions.clone());
            let (before, after) = (&packets[..from], &packets[until..]);
            // They come one each millisecond.
            for (millis, (packet, _)) in before.iter().chain(after).enumerate() {
                call.on_media(at(20_000 + millis as u64), packet, &mut sessions);
            }
            (call.receiver.missing.len(), sessions.all().last().unwrap().delivered < Time::NEVER)
        };
        assert_eq!(come(10, 1010), (1000, false));
        assert_eq!(come(10, 1011), (0, true));
    }

    #[test]
    fn packets_are_kept_as_long_as_they_may_be_asked_for() {
        // Frames of about 1250 packets, or 10.
        let kept = |millis: u64, packet_bytes: u32, rtt: Option<u64>| {
            let (mut call, mut sessions) = call();
            (call.sender.media.packet_bytes, call.sender.media.header_bytes) = (packet_bytes, 0);
            capture(&mut call, &mut sessions, SECOND);
            let all = send(&mut call, &mut sessions, at(200)).len();
            if let Some(rtt) = rtt {
                let kept = Span::from_millis(100);
                let feedback = Report::Feedback { from: 0, until: 1, received: vec![(0, SECOND)], kept };
                call.sender.on_report(at(rtt + 100), &feedback);
            }
            call.sender.forget(at(millis));
            (call.sender.packets.len(), all)
        };
        let is_whole = |(kept, all)| kept == all;
        assert!(is_whole(kept(2900, 1250, None)));
        assert_eq!(kept(3200, 1250, None).0, 0);
        assert!(is_whole(kept(900, 10, None)));
        assert_eq!(kept(1200, 10, None).0, 599);
        assert!(is_whole(kept(2900, 10, Some(1000))), "three round trips");
        assert_eq!(kept(3200, 10, Some(1000)).0, 599);
    }

    #[test]
    fn feedback_tells_what_has_come_and_what_is_lost() {
        let (mut call, mut sessions) = call();
        capture(&mut call, &mut sessions, SECOND);
        let packets = send(&mut call, &mut sessions, at(100));
        for (packet, _) in packets.iter().filter(|(packet, _)| packet.number != 2) {
            call.on_media(packet.sent + Span::from_millis(10), packet, &mut sessions);
        }
        assert_eq!(call.receiver.feedback_at, packets[0].0.sent + Span::from_millis(110));
        call.poll_report();
        call.on_receiver_deadline(call.receiver.feedback_at, &mut sessions);
        let (_, Report::Feedback { from, until, received, kept }) = call.reports.back().unwrap() else {
            panic!("feedback")
        };
        assert_eq!((*from, *until, received.len()), (0, packets.len() as u64, packets.len() - 1));
        assert!(received.iter().all(|(_, arrived)| arrived.0 % 250_000 == 0));
        assert_eq!(*kept, packets[0].0.sent + Span::from_millis(110) - received.last().unwrap().1);
        call.on_report(at(300), 2);
        assert_eq!((call.reports.len(), call.sender.sent.len()), (0, 0));
        // It stops when nothing comes any more.
        call.on_receiver_deadline(call.receiver.feedback_at, &mut sessions);
        assert_eq!(call.receiver.feedback_at, Time::NEVER);
    }

    #[test]
    fn what_waits_long_goes_out_faster() {
        let mut waiting = Waiting::default();
        assert_eq!(waiting.least_rate(SECOND), 0.0);
        waiting.enter(SECOND, 500);
        waiting.enter(at(1000), 500);
        // 1000 bytes that have waited for 500 ms on average.
        assert!((waiting.least_rate(at(1000)) - 8000.0 / 1.5).abs() < 1e-6);
        waiting.leave(SECOND, 500);
        assert_eq!(waiting.least_rate(at(9000)), 4000.0 / 0.001);
    }

    #[test]
    fn the_encoder_leaves_room_for_what_is_sent_again() {
        let (mut call, _) = call();
        call.sender.repaired(SECOND);
        call.sender.sent_bytes = [100, 1000];
        assert_eq!(call.sender.repaired(at(500)), 0.1);
        assert_eq!(call.sender.repaired(at(1600)), 0.0);
        call.sender.sent_bytes = [900, 1900];
        assert_eq!(call.sender.repaired(at(1700)), MOST_REPAIRS);
    }
}
