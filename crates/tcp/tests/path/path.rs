//! A path of two drop-tail links, S - N - D, just large enough to compare one flow with ns-2.

use airfair_core::{Rate, Span, Time};
use airfair_tcp::{Ack, Receiver, Segment, Sender, Settings};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// One direction of a link. As in ns-2, a limit of `limit` packets holds one in transmission and `limit - 1`
/// waiting.
pub struct Link {
    pub rate: Rate,
    pub delay: Span,
    pub limit: usize,
    /// From this number of packets in the queue on, the one in transmission included, a data segment that arrives is marked.
    marks_from: usize,
    waiting: VecDeque<Packet>,
    busy: bool,
    /// The start of the current busy period, and the bits sent since then. A transmission ends
    /// at the exact sum, so that rounding errors do not add up.
    busy_since: Time,
    busy_bits: u64,
}

impl Link {
    pub fn new(rate: Rate, delay: Span, limit: usize) -> Link {
        Link {
            rate,
            delay,
            limit,
            marks_from: usize::MAX,
            waiting: VecDeque::new(),
            busy: false,
            busy_since: Time::ZERO,
            busy_bits: 0,
        }
    }
}

#[derive(Clone, Copy)]
enum Packet {
    Data(Segment),
    Ack(Ack),
}

enum Event {
    /// The link has sent a packet off and is free.
    Free(usize),
    /// A packet reaches the end of the link.
    Arrival(usize, Packet),
    Timer,
}

struct Scheduled(Time, u64, Event);

impl PartialEq for Scheduled {
    fn eq(&self, other: &Scheduled) -> bool {
        (self.0, self.1) == (other.0, other.1)
    }
}
impl Eq for Scheduled {}
impl PartialOrd for Scheduled {
    fn partial_cmp(&self, other: &Scheduled) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Scheduled {
    fn cmp(&self, other: &Scheduled) -> std::cmp::Ordering {
        (self.0, self.1).cmp(&(other.0, other.1))
    }
}

/// The links by number: S to N, N to D, D to N, N to S.
const DATA_IN: usize = 0;
const DATA_OUT: usize = 1;
const ACK_IN: usize = 2;
const ACK_OUT: usize = 3;

/// One flow over S - N - D.
pub struct Path {
    now: Time,
    events: BinaryHeap<Reverse<Scheduled>>,
    order: u64,
    links: [Link; 4],
    settings: Settings,
    pub sender: Sender,
    pub receiver: Receiver,
    /// Whether the packet of this number that reaches N on its way to D is lost there, counted from zero.
    lost: fn(u64, u64) -> bool,
    /// The second argument of `lost`.
    loss: u64,
    seen: u64,
    armed: Time,
    on_sent: Box<dyn FnMut(&Segment)>,
}

/// Rate, delay and queue limit in packets of both links.
pub struct Shape {
    pub access: (Rate, Span, usize),
    pub bottleneck: (Rate, Span, usize),
}

impl Path {
    pub fn new(
        settings: &Settings,
        sender: Sender,
        shape: &Shape,
        loss: u64,
        lost: fn(u64, u64) -> bool,
    ) -> Path {
        let link = |(rate, delay, limit)| Link::new(rate, delay, limit);
        Path {
            now: Time::ZERO,
            events: BinaryHeap::new(),
            order: 0,
            links: [link(shape.access), link(shape.bottleneck), link(shape.bottleneck), link(shape.access)],
            settings: settings.clone(),
            sender,
            receiver: Receiver::new(settings),
            lost,
            loss,
            seen: 0,
            armed: Time::NEVER,
            on_sent: Box::new(|_| ()),
        }
    }

    fn schedule(&mut self, at: Time, event: Event) {
        self.order += 1;
        self.events.push(Reverse(Scheduled(at, self.order, event)));
    }

    fn offer(&mut self, link: usize, mut packet: Packet) {
        let Link { waiting, busy, marks_from, .. } = &self.links[link];
        if let Packet::Data(segment) = &mut packet
            && waiting.len() + usize::from(*busy) >= *marks_from
        {
            segment.mark();
        }
        if self.links[link].busy {
            let link = &mut self.links[link];
            if link.waiting.len() + 1 < link.limit {
                link.waiting.push_back(packet);
            }
        } else {
            self.transmit(link, packet);
        }
    }

    fn transmit(&mut self, link: usize, packet: Packet) {
        let bytes = match packet {
            Packet::Data(segment) => self.settings.segment_wire_bytes(&segment),
            Packet::Ack(ack) => self.settings.ack_wire_bytes(&ack),
        };
        let (now, number) = (self.now, link);
        let link = &mut self.links[link];
        if !link.busy {
            (link.busy_since, link.busy_bits) = (now, 0);
        }
        link.busy = true;
        link.busy_bits += 8 * u64::from(bytes);
        let free = link.busy_since + link.rate.span_of_bits(link.busy_bits);
        let arrival = free + link.delay;
        self.schedule(arrival, Event::Arrival(number, packet));
        self.schedule(free, Event::Free(number));
    }

    fn drain(&mut self) {
        while let Some(segment) = self.sender.poll_transmit(self.now) {
            (self.on_sent)(&segment);
            self.offer(DATA_IN, Packet::Data(segment));
        }
        while let Some(ack) = self.receiver.poll_transmit() {
            self.offer(ACK_IN, Packet::Ack(ack));
        }
        let deadline = self.sender.next_deadline().min(self.receiver.next_deadline());
        if deadline < self.armed {
            self.armed = deadline;
            self.schedule(deadline, Event::Timer);
        }
    }

    /// The application has endless data from the start.
    pub fn start(&mut self) {
        self.sender.write_unbounded(self.now);
        self.drain();
    }

    /// The bottleneck on the way to D marks from this number of packets on.
    pub fn mark_from(&mut self, packets: usize) {
        self.links[DATA_OUT].marks_from = packets;
    }

    /// Packets at the bottleneck on the way to D, the one in transmission included.
    pub fn queued(&self) -> usize {
        let Link { waiting, busy, .. } = &self.links[DATA_OUT];
        waiting.len() + usize::from(*busy)
    }

    /// The application writes.
    pub fn write(&mut self, bytes: u64) {
        self.sender.write(self.now, bytes);
        self.drain();
    }

    /// `on_sent` is called with every segment that the sender hands out.
    pub fn on_sent(&mut self, on_sent: impl FnMut(&Segment) + 'static) {
        self.on_sent = Box::new(on_sent);
    }

    /// Runs until `end`, or until no event is left.
    pub fn run(&mut self, end: Time) {
        while let Some(Reverse(Scheduled(at, _, _))) = self.events.peek() {
            if *at > end {
                break;
            }
            let Some(Reverse(Scheduled(at, _, event))) = self.events.pop() else { break };
            self.now = at;
            self.handle(event);
        }
        self.now = end;
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Free(link) => {
                match self.links[link].waiting.pop_front() {
                    Some(packet) => self.transmit(link, packet),
                    None => self.links[link].busy = false,
                }
                return;
            }
            Event::Arrival(DATA_IN, packet) => {
                if !(self.lost)(self.seen, self.loss) {
                    self.offer(DATA_OUT, packet);
                }
                self.seen += 1;
                return;
            }
            Event::Arrival(ACK_IN, packet) => return self.offer(ACK_OUT, packet),
            Event::Arrival(_, Packet::Data(segment)) => {
                self.receiver.on_segment(self.now, &segment);
            }
            Event::Arrival(_, Packet::Ack(ack)) => {
                self.sender.on_ack(self.now, &ack);
            }
            // An earlier deadline came in between.
            Event::Timer if self.now != self.armed => return,
            Event::Timer => {
                self.armed = Time::NEVER;
                if self.sender.next_deadline() <= self.now {
                    self.sender.on_timer(self.now);
                }
                if self.receiver.next_deadline() <= self.now {
                    self.receiver.on_timer(self.now);
                }
            }
        }
        self.drain();
    }
}
