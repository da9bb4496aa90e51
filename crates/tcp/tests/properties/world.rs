//! Both ends of a connection over an arbitrary network, with checks of all that they send at every step.

use airfair_core::{Span, Stream, Time};
use airfair_tcp::{Ack, Ecn, Receiver, Segment, Sender, Settings};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The fate of a packet.
#[derive(Clone, Copy, Debug)]
pub enum Fate {
    Lost,
    /// Delivered after this many microseconds (later ones may overtake it).
    Late(u64),
    Twice(u64),
}

/// The network's interference, packet by packet. Later packets are delivered unchanged.
#[derive(Clone, Debug)]
pub struct Meddling {
    pub fates: Vec<Fate>,
    /// Upper bounds for the windows that ACKs advertise.
    pub windows: Vec<u32>,
    pub marks: Vec<bool>,
}

#[derive(Clone, Copy)]
enum Packet {
    Data(Segment),
    Ack(Ack),
}

/// A sender and a receiver with an interfering network in between.
pub struct World<'a> {
    settings: &'a Settings,
    pub sender: Sender,
    pub receiver: Receiver,
    pub now: Time,
    flying: BinaryHeap<Reverse<(Time, u64)>>,
    /// The data of the segments that arrived.
    arrived: Vec<(u64, u64)>,
    packets: Vec<Packet>,
    meddling: &'a Meddling,
    /// The window that the sender last heard of, in segments.
    heard: u32,
    pub written: u64,
    /// The furthest byte that a segment carried, and that the sender said it sent, got acknowledged or
    /// delivered.
    carried: u64,
    progress: [u64; 3],
}

impl<'a> World<'a> {
    pub fn new(settings: &'a Settings, meddling: &'a Meddling) -> World<'a> {
        World {
            settings,
            sender: Sender::new(settings).with_jitter(Stream::new(1, "jitter")),
            receiver: Receiver::new(settings),
            now: Time::ZERO,
            flying: BinaryHeap::new(),
            arrived: Vec::new(),
            packets: Vec::new(),
            meddling,
            heard: settings.receive_window,
            written: 0,
            carried: 0,
            progress: [0; 3],
        }
    }

    fn launch(&mut self, mut packet: Packet) {
        let number = self.packets.len();
        match &mut packet {
            Packet::Data(segment) => {
                if self.meddling.marks.get(number) == Some(&true) {
                    segment.mark();
                }
            }
            Packet::Ack(ack) => {
                ack.window = ack.window.min(self.meddling.windows.get(number).copied().unwrap_or(u32::MAX));
            }
        }
        let fate = self.meddling.fates.get(number).copied().unwrap_or(Fate::Late(10_000));
        self.packets.push(packet);
        let mut fly = |micros| {
            let at = self.now + Span::from_micros(micros);
            self.flying.push(Reverse((at, number as u64)));
        };
        match fate {
            Fate::Lost => {}
            Fate::Late(micros) => fly(micros),
            Fate::Twice(micros) => {
                fly(10_000);
                fly(micros);
            }
        }
    }

    fn drain(&mut self) {
        let mut burst = 0;
        while let Some(segment) = self.sender.poll_transmit(self.now) {
            self.check_segment(&segment);
            self.launch(Packet::Data(segment));
            burst += 1;
            assert!(burst < 1000, "an endless burst");
        }
        while let Some(ack) = self.receiver.poll_transmit() {
            assert!(ack.ack <= self.carried && ack.ack == self.receiver.delivered_to());
            let duplicate = ack.sack.duplicate(ack.ack);
            if let Some((start, end)) = duplicate {
                let holds = |other: &&(u64, u64)| other.0 <= start && start < other.1;
                assert!(self.settings.dsack && start < end, "{ack:?}");
                assert!(self.arrived.iter().filter(holds).count() > 1, "it arrived once: {ack:?}");
            }
            for (start, end) in ack.sack.iter(ack.ack).skip(duplicate.iter().len()) {
                // Only data that waits for the SYN may begin at the ACK itself.
                let beyond = start > ack.ack || !ack.syn;
                assert!(beyond && start < end && end <= self.carried, "{ack:?}");
            }
            self.launch(Packet::Ack(ack));
        }
        self.check_progress();
    }

    fn check_segment(&mut self, segment: &Segment) {
        let end = segment.seq + u64::from(segment.len);
        assert!(segment.syn == (segment.len == 0), "{segment:?}");
        assert!(segment.len <= self.settings.segment_bytes && end <= self.written, "{segment:?}");
        if !segment.syn {
            assert_eq!(segment.retransmission, segment.seq < self.carried, "{segment:?}");
            assert!(segment.seq <= self.carried, "a gap in the sent data: {segment:?}");
        }
        if self.settings.window_edge && end > self.carried {
            let (acked, length) = (self.sender.acked_to(), u64::from(self.settings.segment_bytes));
            // A window kept in segments may begin one within its edge. With a closed window, only a probe is outstanding.
            let edge = acked + u64::from(self.heard) * length + length - 1;
            let probes = self.heard == 0 && segment.seq == acked && segment.ecn == Ecn::NotCapable;
            assert!(end <= edge || probes, "beyond {edge}, window {}: {segment:?}", self.heard);
        }
        self.carried = self.carried.max(end);
        let eligible = !segment.retransmission || self.settings.ecn_retransmissions || self.settings.ect1;
        let may_be_marked = self.settings.ecn && !segment.syn && eligible;
        assert!(may_be_marked || segment.ecn == Ecn::NotCapable && !segment.flags.cwr(), "{segment:?}");
    }

    /// The window counts from the acknowledged data; overtaken ACKs do not change it.
    fn hear(&mut self, ack: &Ack) {
        if ack.syn && ack.ack >= self.sender.acked_to() {
            self.heard = ack.window;
        }
        self.sender.on_ack(self.now, ack);
    }

    fn check_progress(&mut self) {
        let now = [self.sender.sent_to(), self.sender.acked_to(), self.receiver.delivered_to()];
        for (before, after) in self.progress.iter().zip(now) {
            assert!(*before <= after, "progress was undone");
        }
        let [sent, acked, delivered] = now;
        assert!(acked <= delivered && delivered <= sent && sent == self.carried, "{now:?}");
        self.progress = now;
    }

    /// Processes one input. Returns false if no event is left.
    pub fn step(&mut self) -> bool {
        let timer = self.sender.next_deadline().min(self.receiver.next_deadline());
        let flight = self.flying.peek().map_or(Time::NEVER, |Reverse((at, _))| *at);
        if timer == Time::NEVER && flight == Time::NEVER {
            return false;
        }
        self.now = self.now.max(timer.min(flight));
        if flight <= timer {
            let Some(Reverse((_, number))) = self.flying.pop() else { return false };
            match self.packets[number as usize] {
                Packet::Data(segment) => {
                    self.arrived.push((segment.seq, segment.seq + u64::from(segment.len)));
                    self.receiver.on_segment(self.now, &segment);
                }
                Packet::Ack(ack) => self.hear(&ack),
            }
        } else {
            self.sender.on_timer(self.now);
            self.receiver.on_timer(self.now);
        }
        self.drain();
        true
    }

    pub fn write(&mut self, bytes: u64) {
        self.written += bytes;
        self.sender.write(self.now, bytes);
        self.drain();
    }

    pub fn run_until_idle(&mut self) {
        for _ in 0..200_000 {
            if self.sender.is_idle() {
                return;
            }
            assert!(self.step(), "stuck without a timer at {:?}", self.progress);
        }
        panic!("no end: {:?} of {}", self.progress, self.written);
    }
}
