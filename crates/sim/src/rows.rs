//! Packets that cross the air in one aggregate, for one end of a connection: a row.
//!
//! They leave the receiver's host at the same instant, over the same links, and so do the answers to them. All that is the same for a row
//! is looked up once: the flow, the links on both ways, the interface queue of the answers. As soon as anything is out of the ordinary, the
//! packet at hand takes the way of a single packet from there on.

use crate::flow::{Flow, Side, TcpEnd};
use crate::network::Network;
use crate::packet::{Course, Packet};
use crate::route::{Leg, Stop};
use airfair_core::{Moment, Span, Time};
use airfair_net::Link;
use airfair_wifi::{QueuedFrame, RowArrivals};

/// A link that packets of one length cross, or none.
#[derive(Clone, Copy, Debug)]
struct Crossing {
    link: u32,
    /// The transmission time of each.
    span: Span,
}

impl Crossing {
    /// The link of a leg, for packets of these bytes. `None`: more than their time decides on their fate.
    fn new(leg: Leg, bytes: u32, links: &[Link]) -> Option<Crossing> {
        let span = links.get(leg.link as usize).map_or(Some(Span::ZERO), |link| link.time_of(bytes))?;
        Some(Crossing { link: leg.link, span })
    }

    /// A packet comes to the link: its arrival at the other end, unless the link drops it.
    #[inline(always)]
    fn cross(self, now: Moment, links: &mut [Link]) -> Option<Moment> {
        if self.link == Leg::NO_LINK {
            Some(now)
        } else {
            links[self.link as usize].carry_alike(now, self.span)
        }
    }

    /// The step behind the link, for a packet at this one.
    fn behind(self, at: u32) -> u32 {
        at + u32::from(self.link != Leg::NO_LINK)
    }
}

/// The work that remains with the last packet of a row that was passed on.
#[derive(Clone, Copy, Debug)]
enum Left {
    /// It comes to its endpoint on this course, which cannot take it yet.
    Arrives(Course),
    /// Its endpoint has taken it, and may have answers that take other ways; the first of them has come as far as this.
    Answers { at: Time, ends_session: bool, first: Option<(Stop, Course)> },
}

impl Network {
    /// Packets of one length for one end of a flow have crossed the air, their step at hand, and passed the host's stack together at `due`. As
    /// many as are ordinary go on from there; returns their number.
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

    // Compiled for each side alone: see [`Network::deliver`].
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

    /// Passes packets on until something is left to do with one that has been. None, where their way or that of the answers is not like most.
    #[inline(always)]
    fn pass(
        &mut self,
        flow: &mut Flow,
        side: Side,
        leaves: Time,
        packets: &[QueuedFrame<Packet>],
    ) -> (usize, Option<Left>) {
        let Network { wires, channels, watches_senders, .. } = self;
        let is_watched = side == Side::Sender && *watches_senders;
        let Some(mut end) = flow.tcp_end(side).filter(|_| !is_watched) else { return (0, None) };
        let Some(first) = packets.first().map(|held| &held.frame.payload) else { return (0, None) };
        let (clear_until, leg) = (wires.clear_until(), wires.routes.leg(first.at + 1));
        let (answers_at, answers_leg) = end.start();
        let Some(hop) = answers_leg.then.hop() else { return (0, None) };
        if leg.then != Stop::ENDPOINT || leaves >= clear_until {
            return (0, None);
        }
        let links = wires.links.drop_tail.as_mut_slice();
        let Some(there) = Crossing::new(leg, first.bytes, links) else { return (0, None) };
        let Some(back) = Crossing::new(answers_leg, end.ordinary_bytes(), links) else { return (0, None) };
        let (interface, hop) = (back.behind(answers_at), wires.routes.wlan_hop(hop));
        let Some(mut queue) = channels[hop.channel as usize].arrivals(&hop) else { return (0, None) };
        let (mut passed, mut left, mut is_first) = (0, None, false);
        if side == Side::Receiver
            && let Some(rows) = queue.in_rows()
        {
            let way = Way { links, crossings: [there, back], interface, stack: hop.delay };
            (passed, is_first) = way.pass_segments(&mut end, rows, leaves, clear_until, packets);
        }
        let mut has_room = false;
        'packets: while let Some(held) = packets.get(passed) {
            let packet = &held.frame.payload;
            passed += 1;
            let Some(due) = there.cross(Moment::new(leaves, packet.phase), links) else { continue };
            if due.at >= clear_until || !end.is_idle_until(due.at) {
                left =
                    Some(Left::Arrives(Course { at: there.behind(packet.at + 1), bytes: packet.bytes, due }));
                break;
            }
            let at = due.at;
            if end.on_arrival(due, side, packet) {
                left = Some(Left::Answers { at, ends_session: true, first: None });
                break;
            }
            while let Some((start, _)) = end.next(at, side) {
                let crosses = back.cross(start.due, links);
                let course = Course { at: interface, due: crosses.unwrap_or(start.due), ..start };
                let comes = Moment::new(course.due.at + hop.delay, course.due.phase);
                let room = crosses.and_then(|_| queue.room(comes, course.bytes));
                let Some((room, begins)) = room else {
                    let stop = if crosses.is_none() { Stop::LOST } else { answers_leg.then };
                    left = Some(Left::Answers { at, ends_session: false, first: Some((stop, course)) });
                    break 'packets;
                };
                *room = end.take(at, side, &course);
                is_first |= begins;
                has_room = true;
                if side == Side::Receiver {
                    break;
                }
            }
            if end.may_have_more(side) {
                left = Some(Left::Answers { at, ends_session: false, first: None });
                break;
            }
            end.advance_wake(side);
            let is_direct = (there.link, back.link) == (Leg::NO_LINK, Leg::NO_LINK);
            if side == Side::Sender
                && is_direct
                && has_room
                && end.may_take_others(at)
                && let Some(rows) = queue.in_rows()
            {
                let (others, has_more) =
                    follow_acks(&mut end, rows, at, (interface, hop.delay), &packets[passed..]);
                passed += others;
                if has_more {
                    left = Some(Left::Answers { at, ends_session: false, first: None });
                    break;
                }
            }
        }
        if is_first {
            self.schedule_next_arrival(hop.channel as usize, hop.from);
        }
        (passed, left)
    }

    /// The rest of the way of a packet that was passed on.
    #[inline(never)]
    fn pass_last(&mut self, flow: &mut Flow, side: Side, packet: &Packet, left: Left) {
        match left {
            Left::Arrives(course) => self.arrive(flow, course.due.at, &packet.moved(&course)),
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

/// Acknowledgements that come at the same instant behind one that was like most: those like it, with the segments that they release, which come
/// to an interface queue at this step behind others that have come there at this instant. Returns how many, and whether the last of them
/// releases more.
#[inline(always)]
fn follow_acks(
    end: &mut TcpEnd<'_>,
    mut queue: RowArrivals<'_, Packet>,
    at: Time,
    (interface, stack): (u32, Span),
    acks: &[QueuedFrame<Packet>],
) -> (usize, bool) {
    for (number, ack) in acks.iter().map(|held| &held.frame.payload).enumerate() {
        if !end.on_next_ack(Moment::new(at, ack.phase), ack) {
            return (number, false);
        }
        while let Some((start, _)) = end.next(at, Side::Sender) {
            *queue.room_behind(at + stack, start.bytes) =
                end.take(at, Side::Sender, &Course { at: interface, ..start });
        }
        if end.may_have_more(Side::Sender) {
            return (number + 1, true);
        }
    }
    (acks.len(), false)
}

/// The way of segments to their receiver and of its answers to an interface queue, at this step behind the stack of a host.
struct Way<'a> {
    links: &'a mut [Link],
    crossings: [Crossing; 2],
    interface: u32,
    stack: Span,
}

impl Way<'_> {
    /// Segments that leave together are in order, and come to links that nothing else uses: the times of all follow from that of the first, and
    /// so do those of the answers. Returns how many of the first ones go on so, and whether the queue must be called for the first answer.
    #[inline(always)]
    fn pass_segments(
        self,
        end: &mut TcpEnd<'_>,
        mut queue: RowArrivals<'_, Packet>,
        leaves: Time,
        clear_until: Time,
        packets: &[QueuedFrame<Packet>],
    ) -> (usize, bool) {
        const NONE: (usize, bool) = (0, false);
        let Way { links, crossings: [there, back], interface, stack } = self;
        let [first, _, ..] = packets else { return NONE };
        let first = &first.frame.payload;
        let (all, step, bytes) = (packets.len() as u32, there.span, end.ordinary_bytes());
        let leaves = Moment::new(leaves, first.phase);
        let Some(link) = links.get(there.link as usize) else { return NONE };
        // An answer leaves its link before the next one comes.
        let are_apart = Span::ZERO < step && back.span <= step;
        let Some(comes) = link.carries_row(leaves, step, all).filter(|_| are_apart) else { return NONE };
        let last = comes.at + step * u64::from(all - 1);
        if last >= clear_until || !end.is_idle_until(last) {
            return NONE;
        }
        let answers = match links.get(back.link as usize) {
            Some(link) => link.carries_row(comes, back.span, 1),
            None => Some(comes),
        };
        let Some(Moment { at, phase }) = answers else { return NONE };
        let Some(mut row) = end.begin_row(u64::from(all) * u64::from(first.bytes)) else { return NONE };
        let mut segments = packets.iter().map(|held| &held.frame.payload);
        let (passed, is_first) =
            queue.schedule(Moment::new(at + stack, phase), step, bytes, packets.len(), |room| {
                let Some(segment) = segments.next() else { return false };
                let phase = segment.phase.moved_to(phase);
                let Some(answer) = row.next(segment, interface, bytes, phase) else { return false };
                *room = answer;
                true
            });
        let number = passed as u32;
        if let Some(behind) = number.checked_sub(1) {
            links[there.link as usize].carry_row(leaves, step, number);
            if let Some(link) = links.get_mut(back.link as usize) {
                let last = Moment::new(comes.at + step * u64::from(behind), phase);
                link.carry_apart(last, back.span, number);
            }
            end.end_row(&row, comes, step, u64::from(number));
        }
        (passed, is_first)
    }
}
