//! Packets that cross the air in one aggregate, for one end of a connection: a row.
//!
//! The packets of a row leave the receiver's host at one instant, over the same links, and so do the answers to them. All that they share is
//! looked up once: the flow, the links on both ways, the interface queue of the answers. As soon as anything is out of the ordinary, the packet
//! at hand is handled like a single packet from there on.

use crate::channel::Channel;
use crate::flow::{Flow, RowAcks, Side, TcpEnd};
use crate::network::Network;
use crate::packet::{Course, Packet};
use crate::route::{Leg, Stop, WlanHop};
use crate::wires::Wires;
use airfair_core::{Moment, Span, Time};
use airfair_net::Link;
use airfair_wifi::{Arrivals, QueuedFrame};

/// A link that packets of one length cross, or none.
#[derive(Clone, Copy, Debug)]
struct Crossing {
    link: u32,
    /// Transmission time of each packet.
    span: Span,
}

impl Crossing {
    /// Returns the crossing of a leg's link by packets of `bytes` bytes. `None` if the link decides on their fate by more than their time.
    fn new(leg: Leg, bytes: u32, links: &[Link]) -> Option<Crossing> {
        let span = links.get(leg.link as usize).map_or(Some(Span::ZERO), |link| link.time_of(bytes))?;
        Some(Crossing { link: leg.link, span })
    }

    /// Lets a packet cross the link. Returns its arrival at the other end; `None` if the link drops it.
    #[inline(always)]
    fn cross(self, now: Moment, links: &mut [Link]) -> Option<Moment> {
        if self.link == Leg::NO_LINK {
            Some(now)
        } else {
            links[self.link as usize].carry_alike(now, self.span)
        }
    }

    /// Returns the index of the step behind the link for a packet whose next step is `at`.
    fn behind(self, at: u32) -> u32 {
        at + u32::from(self.link != Leg::NO_LINK)
    }
}

/// The work that remains for the last packet of a row that was passed on.
#[derive(Clone, Copy, Debug)]
enum Left {
    /// The packet comes to its endpoint on this course, and the endpoint cannot take it yet.
    Arrives(Course),
    /// The endpoint has taken the packet at `at`, and may have answers that go other ways. `first` is the first of these, as far as it has come.
    Answers { at: Time, ends_session: bool, first: Option<(Stop, Course)> },
}

impl Left {
    /// Returns what remains if the endpoint may have answers that are not ordinary.
    fn others(at: Time) -> Left {
        Left::Answers { at, ends_session: false, first: None }
    }
}

impl Network {
    /// Passes on as many ordinary packets as possible, from the first on, and returns their number. All have one length, go to one end of a
    /// flow, have crossed the air, which is their step at hand, and passed the host's stack together at `due`.
    pub fn pass_in_a_row(&mut self, flow: &mut Flow, due: Time, packets: &[QueuedFrame<Packet>]) -> usize {
        let mut passed = 0;
        while let Some(next) = packets.get(passed) {
            let side = next.frame.payload.to.side();
            let (number, left) = match side {
                Side::Sender => self.pass_acks(flow, due, &packets[passed..]),
                Side::Receiver => self.pass_segments(flow, due, &packets[passed..]),
            };
            passed += number;
            let Some(left) = left else { break };
            self.pass_last(flow, side, &packets[passed - 1].frame.payload, left);
        }
        passed
    }

    // Compiled for each side separately: see [`Network::deliver`].
    #[inline(never)]
    fn pass_acks(
        &mut self,
        flow: &mut Flow,
        due: Time,
        acks: &[QueuedFrame<Packet>],
    ) -> (usize, Option<Left>) {
        self.pass(flow, Side::Sender, due, acks)
    }

    #[inline(never)]
    fn pass_segments(
        &mut self,
        flow: &mut Flow,
        due: Time,
        segments: &[QueuedFrame<Packet>],
    ) -> (usize, Option<Left>) {
        self.pass(flow, Side::Receiver, due, segments)
    }

    /// Passes packets on until something is left to do for one that has been passed on. Returns their number, and what is left to do. Passes
    /// none on if their way or that of the answers is not an ordinary one.
    #[inline(always)]
    fn pass(
        &mut self,
        flow: &mut Flow,
        side: Side,
        leaves: Time,
        packets: &[QueuedFrame<Packet>],
    ) -> (usize, Option<Left>) {
        let is_watched = side == Side::Sender && self.watches_senders;
        let Some(mut end) = flow.tcp_end(side).filter(|_| !is_watched) else { return (0, None) };
        let Some(first) = packets.first().map(|held| &held.frame.payload) else { return (0, None) };
        let Network { wires, channels, .. } = self;
        let Some((hop, mut way)) = Way::new(wires, channels, &end, leaves, first) else { return (0, None) };
        let passed = way.pass(&mut end, side, packets);
        if way.calls {
            self.schedule_next_arrival(hop.channel as usize, hop.from);
        }
        passed
    }

    /// Does the work that remains for a packet that was passed on.
    #[inline(never)]
    fn pass_last(&mut self, flow: &mut Flow, side: Side, packet: &Packet, left: Left) {
        match left {
            Left::Arrives(course) => {
                self.arrive(flow, course.due.at, &packet.moved(&course));
            }
            Left::Answers { at, ends_session, first } => {
                if let (Some((stop, course)), Some(mut end)) = (first, flow.tcp_end(side)) {
                    let answer = end.take(at, side, &course);
                    self.stop_at(stop, course.due.at, &answer);
                }
                if ends_session {
                    flow.on_session_end(at);
                }
                self.send_all(flow, at, side);
            }
        }
    }
}

/// The way of a row to its endpoint, and the way of the answers to an interface queue. Each crosses one link at most.
struct Way<'a> {
    links: &'a mut [Link],
    there: Crossing,
    back: Crossing,
    /// When the row leaves the host's stack.
    leaves: Time,
    /// Until this instant nothing unusual happens on wires.
    clear_until: Time,
    /// Index of the step into the interface queue. The next two fields are the stop before that step, and the delay of the host's stack on the
    /// way there.
    interface: u32,
    stop: Stop,
    stack: Span,
    queue: Arrivals<'a, Packet>,
    /// Whether answers have come to the queue. The next field: whether one of them is the first at the queue, which then needs an event.
    has_answers: bool,
    calls: bool,
}

impl<'a> Way<'a> {
    /// Returns the way of packets like `first`, and the hop that the answers take over the air. `None` if the way is not an ordinary one.
    #[inline(always)]
    fn new(
        wires: &'a mut Wires,
        channels: &'a mut [Channel],
        end: &TcpEnd<'_>,
        leaves: Time,
        first: &Packet,
    ) -> Option<(WlanHop, Way<'a>)> {
        let (clear_until, leg) = (wires.clear_until(), wires.routes.leg(first.at + 1));
        let (answers_at, answers_leg) = end.start();
        let hop = answers_leg.then.hop()?;
        if leg.then != Stop::ENDPOINT || leaves >= clear_until {
            return None;
        }
        let hop = wires.routes.wlan_hop(hop);
        let links = wires.links.drop_tail.as_mut_slice();
        let there = Crossing::new(leg, first.bytes, links)?;
        let back = Crossing::new(answers_leg, end.ordinary_bytes(), links)?;
        let queue = channels[hop.channel as usize].arrivals(&hop)?;
        let way = Way {
            links,
            there,
            back,
            leaves,
            clear_until,
            interface: back.behind(answers_at),
            stop: answers_leg.then,
            stack: hop.delay,
            queue,
            has_answers: false,
            calls: false,
        };
        Some((hop, way))
    }

    /// Does the work of [`Network::pass`] once the way is known.
    #[inline(always)]
    fn pass(
        &mut self,
        end: &mut TcpEnd<'_>,
        side: Side,
        packets: &[QueuedFrame<Packet>],
    ) -> (usize, Option<Left>) {
        let mut passed = if side == Side::Receiver { self.pass_series(end, packets) } else { 0 };
        while let Some(held) = packets.get(passed) {
            passed += 1;
            match self.pass_one(end, side, &held.frame.payload) {
                Ok(Some(at)) if side == Side::Sender => {
                    let (others, has_more) = self.follow_acks(end, at, &packets[passed..]);
                    passed += others;
                    if has_more {
                        return (passed, Some(Left::others(at)));
                    }
                }
                Ok(_) => {}
                Err(left) => return (passed, Some(left)),
            }
        }
        (passed, None)
    }

    /// Passes on one packet and the answers to it. Returns when it came to its endpoint; `None` if a link has dropped it. The error is the work
    /// that remains.
    #[inline(always)]
    fn pass_one(&mut self, end: &mut TcpEnd<'_>, side: Side, packet: &Packet) -> Result<Option<Time>, Left> {
        let Some(due) = self.there.cross(Moment::new(self.leaves, packet.phase), self.links) else {
            return Ok(None);
        };
        if due.at >= self.clear_until || !end.is_idle_until(due.at) {
            let at = self.there.behind(packet.at + 1);
            return Err(Left::Arrives(Course { at, bytes: packet.bytes, due }));
        }
        let at = due.at;
        if end.on_arrival(due, side, packet) {
            return Err(Left::Answers { at, ends_session: true, first: None });
        }
        self.answer(end, at, side)?;
        if end.may_have_more(side) {
            return Err(Left::others(at));
        }
        end.advance_wake(side);
        Ok(Some(at))
    }

    /// Lets the ordinary packets that an end has to send at `at` come to the interface queue.
    #[inline(always)]
    fn answer(&mut self, end: &mut TcpEnd<'_>, at: Time, side: Side) -> Result<(), Left> {
        while let Some((start, _)) = end.next(at, side) {
            let crosses = self.back.cross(start.due, self.links);
            let course = Course { at: self.interface, due: crosses.unwrap_or(start.due), ..start };
            let comes = Moment::new(course.due.at + self.stack, course.due.phase);
            let room = crosses.and_then(|_| self.queue.room(comes, course.bytes));
            let Some((room, begins)) = room else {
                let stop = if crosses.is_none() { Stop::LOST } else { self.stop };
                return Err(Left::Answers { at, ends_session: false, first: Some((stop, course)) });
            };
            *room = end.take(at, side, &course);
            self.calls |= begins;
            self.has_answers = true;
            if side == Side::Receiver {
                break;
            }
        }
        Ok(())
    }

    /// Passes on ACKs that come at the same instant as an ordinary one and are like it, with the segments that they release. Returns their
    /// number, and whether the last of them releases other segments.
    #[inline(always)]
    fn follow_acks(&mut self, end: &mut TcpEnd<'_>, at: Time, acks: &[QueuedFrame<Packet>]) -> (usize, bool) {
        let is_direct = (self.there.link, self.back.link) == (Leg::NO_LINK, Leg::NO_LINK);
        // The segments must come behind others that have come at this instant.
        if !is_direct || !self.has_answers || !end.may_take_others(at) {
            return (0, false);
        }
        let Some(mut queue) = self.queue.in_rows() else { return (0, false) };
        for (number, ack) in acks.iter().map(|held| &held.frame.payload).enumerate() {
            if !end.on_next_ack(Moment::new(at, ack.phase), ack) {
                return (number, false);
            }
            while let Some((start, _)) = end.next(at, Side::Sender) {
                *queue.room_behind(at + self.stack, start.bytes) =
                    end.take(at, Side::Sender, &Course { at: self.interface, ..start });
            }
            if end.may_have_more(Side::Sender) {
                return (number + 1, true);
            }
        }
        (acks.len(), false)
    }

    /// Passes on segments from the front of the row in one step, and returns their number. They are in order, and nothing else uses their links,
    /// so the first arrival gives the times of all segments and answers.
    #[inline(always)]
    fn pass_series(&mut self, end: &mut TcpEnd<'_>, packets: &[QueuedFrame<Packet>]) -> usize {
        let &mut Way { there, back, interface, stack, .. } = self;
        let [first, _, ..] = packets else { return 0 };
        let Some(mut queue) = self.queue.in_rows() else { return 0 };
        let first = &first.frame.payload;
        let (all, step, bytes) = (packets.len() as u32, there.span, end.ordinary_bytes());
        let leaves = Moment::new(self.leaves, first.phase);
        let Some(link) = self.links.get(there.link as usize) else { return 0 };
        // An answer leaves its link before the next one comes.
        let are_apart = Span::ZERO < step && back.span <= step;
        let Some(comes) = link.carries_row(leaves, step, all).filter(|_| are_apart) else { return 0 };
        let last = comes.at + step * u64::from(all - 1);
        if last >= self.clear_until || !end.is_idle_until(last) {
            return 0;
        }
        let answers = match self.links.get(back.link as usize) {
            Some(link) => link.carries_row(comes, back.span, 1),
            None => Some(comes),
        };
        let Some(Moment { at, phase }) = answers else { return 0 };
        let Some(mut row) = end.begin_row(u64::from(all) * u64::from(first.bytes)) else { return 0 };
        let first = Moment::new(at + stack, phase);
        let course = Course { at: interface, bytes, due: first };
        let answers = Answers { row: &mut row, segments: packets.iter(), course };
        let (passed, calls) = queue.schedule(first, step, bytes, packets.len(), answers);
        self.calls |= calls;
        let number = passed as u32;
        if let Some(behind) = number.checked_sub(1) {
            self.links[there.link as usize].carry_row(leaves, step, number);
            if let Some(link) = self.links.get_mut(back.link as usize) {
                let last = Moment::new(comes.at + step * u64::from(behind), phase);
                link.carry_apart(last, back.span, number);
            }
            end.end_row(&row, comes, step, u64::from(number));
        }
        passed
    }
}

/// The answers to the segments of a row, each on the course of the first one and in the phase of its own segment.
struct Answers<'a> {
    row: &'a mut RowAcks,
    segments: std::slice::Iter<'a, QueuedFrame<Packet>>,
    course: Course,
}

impl Iterator for Answers<'_> {
    type Item = Packet;

    #[inline(always)]
    fn next(&mut self) -> Option<Packet> {
        self.row.next(&self.segments.next()?.frame.payload, &self.course)
    }
}
