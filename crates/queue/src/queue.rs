//! A queue of any discipline.

use crate::account::{Account, QueueStats};
use crate::config::QueueConfig;
use crate::discipline::{AnyDiscipline, Setup};
use crate::occupancy::Occupancy;
use crate::queued::Queued;
use airfair_core::{Rate, Span, Time};

/// Packets that have left a queue and still count against its limit: none; the packet in transmission; at a wireless interface also the packet
/// before it, whose ACK is on the air, or packets that the driver holds.
#[derive(Clone, Copy, Debug)]
pub enum InService {
    /// This number of packets, each as long as the one dequeued last.
    Packets(u32),
    /// These packets and bytes. The bytes matter only if the limit is in bytes.
    These(Occupancy),
}

impl From<u32> for InService {
    fn from(packets: u32) -> InService {
        InService::Packets(packets)
    }
}

impl From<Occupancy> for InService {
    fn from(these: Occupancy) -> InService {
        InService::These(these)
    }
}

/// Waiting packets, and the discipline that orders and drops them. Calls come in the order of time.
#[derive(Clone, Debug)]
pub struct Queue<P> {
    discipline: AnyDiscipline<P>,
    account: Account<P>,
    /// Bytes of the packet dequeued last (the one in service, if any).
    last_dequeued_bytes: u32,
}

impl<P: Queued> Queue<P> {
    /// Returns an empty queue of the component `name` in the run with this `seed`.
    pub fn new(config: &QueueConfig, seed: u64, name: &str) -> Queue<P> {
        let discipline = AnyDiscipline::new(&Setup { config, seed, name, at: Time::ZERO });
        Queue { discipline, account: Account::default(), last_dequeued_bytes: 0 }
    }

    /// Enqueues `packet`, or drops it, or drops others to make room for it.
    #[inline]
    pub fn enqueue(&mut self, now: Time, packet: P, in_service: impl Into<InService>) {
        self.account.clear();
        self.account.offer(1);
        self.discipline.enqueue(now, packet, self.occupancy_of(in_service), &mut self.account);
    }

    /// Returns the next packet to serve. Call it whenever the server is free. `None` if no packet waits, before [`ready_at`](Queue::ready_at), or if only
    /// packets for stations [on hold](Queue::hold) wait.
    #[inline]
    pub fn dequeue(&mut self, now: Time) -> Option<P> {
        self.account.clear();
        let packet = self.discipline.dequeue(now, &mut self.account)?;
        self.last_dequeued_bytes = packet.bytes();
        Some(packet)
    }

    /// Returns when the next packet may be [dequeued](Queue::dequeue): a discipline that shapes holds packets back until then. A server that is free
    /// then has to ask again.
    #[inline]
    pub fn ready_at(&self) -> Time {
        self.discipline.ready_at()
    }

    /// Lets `packet` pass if [`enqueue`](Queue::enqueue) would accept it and [`dequeue`](Queue::dequeue) hand it out at once, and nothing else
    /// would happen. Returns `false` if the packet has to be enqueued.
    #[inline]
    pub fn passes(&mut self, packet: &P, in_service: impl Into<InService>) -> bool {
        let passes = self.discipline.passes(self.occupancy_of(in_service) + Occupancy::of(packet));
        if passes {
            self.account.clear();
            self.account.offer(1);
            self.last_dequeued_bytes = packet.bytes();
        }
        passes
    }

    /// Returns a number of packets that surely [pass](Queue::passes) one after the other, where each is in service when the next one comes. More
    /// may pass, but each of those must be asked for.
    #[inline]
    pub fn may_pass(&self, in_service: u32) -> u32 {
        self.discipline.most_to_pass().saturating_sub(in_service)
    }

    /// Lets these packets pass: at most as many as [may pass](Queue::may_pass).
    #[inline]
    pub fn pass(&mut self, packets: &[P]) {
        if let Some(last) = packets.last() {
            self.account.clear();
            self.account.offer(packets.len() as u64);
            self.last_dequeued_bytes = last.bytes();
        }
    }

    /// Whether the queue surely drops the next packet for want of room, and does nothing else. The same holds for those behind it until a packet is
    /// dequeued or is no longer in service.
    #[inline]
    pub fn refuses(&self, in_service: Occupancy) -> bool {
        self.discipline.refuses(in_service)
    }

    /// Drops this many packets, which the queue [refuses](Queue::refuses), and counts them.
    #[inline]
    pub fn refuse(&mut self, packets: u64) {
        self.account.clear();
        self.account.offer(packets);
        self.account.refuse(packets);
    }

    /// Returns the next packet that the last [`enqueue`](Queue::enqueue) or [`dequeue`](Queue::dequeue) dropped, in the order of the drops.
    #[inline]
    pub fn poll_drop(&mut self) -> Option<P> {
        self.account.poll_drop()
    }

    /// Charges `station` for the `airtime` of packets to or from it. Disciplines that do not share the air ignore it.
    #[inline]
    pub fn charge(&mut self, now: Time, station: u32, airtime: Span) {
        self.discipline.charge(now, station, airtime);
    }

    /// Sets the `airtime`, by the driver's estimate, of the packets of `station` that the driver holds; to be called whenever it changes. This is
    /// a part of the station's turn that is not [charged](Queue::charge) yet. Disciplines that do not share the air ignore it.
    #[inline]
    pub fn set_pending(&mut self, station: u32, airtime: Span) {
        self.discipline.set_pending(station, airtime);
    }

    /// Holds `station` back, or releases it: [`dequeue`](Queue::dequeue) hands out none of its packets while it is held. A driver with queues of
    /// its own holds a station back while it has enough airtime queued for it. Disciplines that do not share the air ignore the call.
    pub fn hold(&mut self, station: u32, held: bool) {
        self.discipline.hold(station, held);
    }

    /// Sets the rate that `station` can expect; to be called whenever it changes. Most disciplines ignore it.
    pub fn set_station_rate(&mut self, station: u32, rate: Rate) {
        self.discipline.set_station_rate(station, rate);
    }

    /// Continues with another configuration. Limit, rate and parameters change under the packets held, which stay. Another discipline, and one
    /// that cannot change so, starts anew: it gets the packets held one after the other, as if each came now while `in_service` are in service,
    /// and may drop some. These packets are not counted as offered again. The driver must then report stations on hold, pending airtime and rates
    /// again.
    pub fn change(
        &mut self,
        now: Time,
        config: &QueueConfig,
        in_service: impl Into<InService>,
        seed: u64,
        name: &str,
    ) {
        self.account.clear();
        let setup = Setup { config, seed, name, at: now };
        if self.discipline.adopt(&setup) {
            return;
        }
        let held = self.discipline.drain();
        self.discipline = AnyDiscipline::new(&setup);
        let in_service = self.occupancy_of(in_service);
        for packet in held {
            self.discipline.enqueue(now, packet, in_service, &mut self.account);
        }
    }

    #[inline]
    fn occupancy_of(&self, in_service: impl Into<InService>) -> Occupancy {
        match in_service.into() {
            InService::Packets(packets) => {
                Occupancy { packets, bytes: u64::from(packets) * u64::from(self.last_dequeued_bytes) }
            }
            InService::These(these) => these,
        }
    }

    /// Returns the number of waiting packets.
    #[inline]
    pub fn packets(&self) -> u32 {
        self.discipline.occupancy().packets
    }

    /// Returns the bytes of the waiting packets.
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.discipline.occupancy().bytes
    }

    /// Whether no packet waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.packets() == 0
    }

    /// Returns the counts since the start of the run.
    pub fn stats(&self) -> &QueueStats {
        self.account.stats()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Discipline, QueueLimit};
    use crate::discipline::{DISCIPLINES, Description};
    use crate::testing::{Packet, at, drained, dropped, queue};
    use airfair_core::Rate;
    use airfair_core::schema::{Kind, Value};

    fn config(limit: QueueLimit, name: &str, values: &[(&str, Value)]) -> QueueConfig {
        let mut discipline = Discipline::named(name).expect("one of the disciplines");
        discipline.set(values).expect("allowed");
        QueueConfig {
            limit,
            discipline,
            rate: Rate::new(8_000_000).expect("above zero"),
            weights: Vec::new(),
        }
    }

    const ROOM: QueueLimit = QueueLimit::Packets(9);

    /// Returns a queue with six packets of three flows, numbered as they come: 0 0 1 1 2 2.
    fn filled(name: &str, values: &[(&str, Value)]) -> Queue<Packet> {
        let mut filled = queue(ROOM, name, values);
        for number in 0..6 {
            let of = number / 2;
            let packet = Packet { flow: u64::from(of), station: of, ..Packet::new(number) };
            filled.enqueue(at(1), packet, 0);
        }
        filled
    }

    #[test]
    fn a_limit_changes_under_the_packets_held() {
        let few = QueueLimit::Packets(2);
        for Description { name, .. } in DISCIPLINES {
            let mut queue = filled(name, &[]);
            queue.change(at(2), &config(few, name, &[]), 0, 1, "test");
            assert_eq!((queue.packets(), dropped(&mut queue)), (6, vec![]), "{name}: those held stay");
            queue.enqueue(at(2), Packet { flow: 9, station: 9, ..Packet::new(6) }, 0);
            assert!(!dropped(&mut queue).is_empty(), "{name}: the smaller limit holds");
        }
    }

    /// Returns another allowed value of a parameter of this kind.
    fn other(kind: Kind, value: Value) -> Value {
        match (kind, value) {
            (Kind::Word(words), Value::Word(word)) => {
                Value::Word(words.iter().copied().find(|other| *other != word).unwrap_or(word))
            }
            (_, Value::Flag(flag)) => Value::Flag(!flag),
            (_, Value::Automatic) => Value::Number(0.5),
            (_, Value::Number(number)) => Value::Number(number * 0.9),
            (_, Value::Time(span)) => Value::Time(span * 2),
            (Kind::Time(_), Value::None) => Value::Time(Span::from_millis(1)),
            (Kind::Rate, Value::None) => Value::Rate(Rate::from_hundred_kbps(1)),
            (_, Value::Bytes(bytes)) => Value::Bytes(bytes * 2),
            (_, value) => panic!("no other value than {value}"),
        }
    }

    /// A discipline that adopts a parameter before the first packet is one that is made with it.
    #[test]
    fn every_discipline_adopts_all_its_parameters() {
        for Description { name, parameters, .. } in DISCIPLINES {
            for parameter in *parameters {
                let value = (parameter.name, other(parameter.kind, parameter.default));
                let changed = config(ROOM, name, &[value]);
                let mut queue = queue(ROOM, name, &[]);
                let before = format!("{queue:?}");
                queue.change(Time::ZERO, &changed, 0, 1, "test");
                let after = format!("{queue:?}");
                assert_eq!(
                    after,
                    format!("{:?}", Queue::<Packet>::new(&changed, 1, "test")),
                    "{name}: {value:?}"
                );
                assert_ne!(after, before, "{name}: {value:?} is part of its state");
            }
        }
    }

    /// CoDel drops for a target of 1 ms after an interval of 1 ms, not for the default ones.
    #[test]
    fn a_new_parameter_acts() {
        let mut queue = filled("codel", &[]);
        let one = |name| (name, Value::Time(airfair_core::Span::from_millis(1)));
        queue.change(at(2), &config(ROOM, "codel", &[one("target"), one("interval")]), 0, 1, "test");
        assert_eq!(queue.dequeue(at(8)).map(|packet| packet.number), Some(0));
        assert_eq!(queue.dequeue(at(10)).map(|packet| packet.number), Some(2), "packet 1 is dropped");
    }

    #[test]
    fn another_discipline_gets_the_packets_as_if_they_came_now() {
        let fair = [("flows", Value::Number(1000.0))];
        let mut queue = filled("drop_tail", &[]);
        queue.change(at(2), &config(ROOM, "fq_codel", &fair), 0, 1, "test");
        assert_eq!(queue.stats().offered, 6);
        queue.change(at(3), &config(ROOM, "airtime_drr", &[]), 0, 1, "test");
        // Two more wait than there is room for, and one is in service.
        queue.change(at(3), &config(QueueLimit::Packets(5), "drop_tail", &[]), 1, 1, "test");
        assert_eq!(dropped(&mut queue), [4, 5]);
        assert_eq!(drained(&mut queue, at(4)), [0, 1, 2, 3]);
        assert_eq!((queue.stats().offered, queue.stats().dropped_full), (6, 2));
    }

    /// A turn of 10 ms is over when it becomes one of 1 ms, which has been used.
    #[test]
    fn a_shorter_turn_ends_sooner() {
        let turn = |millis| [("quantum", Value::Time(airfair_core::Span::from_millis(millis)))];
        let mut queue = filled("airtime_drr", &turn(10));
        assert_eq!(queue.dequeue(at(2)).map(|packet| packet.station), Some(0));
        queue.charge(at(3), 0, airfair_core::Span::from_millis(1));
        queue.change(at(3), &config(ROOM, "airtime_drr", &turn(1)), 0, 1, "test");
        assert_eq!(queue.dequeue(at(3)).map(|packet| packet.station), Some(1));
    }

    #[test]
    fn those_that_may_pass_in_a_row_pass_one_by_one() {
        for Description { name, .. } in DISCIPLINES {
            for (limit, in_service) in (0..12).flat_map(|n| [(ROOM, n), (QueueLimit::Bytes(4000), n)]) {
                let mut queue = queue(limit, name, &[]);
                let row = queue.may_pass(in_service);
                let passes = |number: &u32| queue.passes(&Packet::new(*number), in_service + number);
                let one_by_one = (0..).take_while(passes).count() as u32;
                assert!(row <= one_by_one, "{name}: {row} of {one_by_one} pass");
                assert!(row == one_by_one || *name != "drop_tail" || limit != ROOM, "{row} of {one_by_one}");
                queue.enqueue(at(1), Packet::new(0), 0);
                assert_eq!(queue.may_pass(in_service), 0, "{name}: nothing overtakes a packet that waits");
            }
        }
    }

    #[test]
    fn packets_that_are_refused_in_a_row_are_dropped_one_by_one() {
        let in_service = |packets| Occupancy { packets, bytes: 1000 * u64::from(packets) };
        for limit in [QueueLimit::Packets(3), QueueLimit::Bytes(3000), QueueLimit::Bytes(2001)] {
            for held in 0..5 {
                let mut one_by_one = queue(limit, "drop_tail", &[]);
                assert_eq!(one_by_one.refuses(in_service(held)), held >= 3);
                if one_by_one.refuses(in_service(held)) {
                    let mut row = one_by_one.clone();
                    row.refuse(2);
                    (0..2)
                        .for_each(|number| one_by_one.enqueue(at(1), Packet::new(number), in_service(held)));
                    assert_eq!((row.stats(), row.packets()), (one_by_one.stats(), 0));
                }
            }
        }
        let mut others = DISCIPLINES.iter().filter(|it| it.name != "drop_tail");
        assert!(
            others.all(|it| !queue(QueueLimit::Packets(1), it.name, &[]).refuses(in_service(9))),
            "they may do more"
        );
    }

    #[test]
    fn disciplines_hold_stations_as_they_say() {
        for Description { name, holds_stations, .. } in DISCIPLINES {
            let mut queue = filled(name, &[]);
            queue.hold(0, true);
            let left = drained(&mut queue, at(2));
            assert_eq!(!left.contains(&0) && !left.contains(&1), *holds_stations, "{name}: {left:?} leave");
        }
    }

    /// The number of queues, and RED's unit, cannot change under packets.
    #[test]
    fn other_queues_and_another_unit_are_another_discipline() {
        let mut queue = filled("fq_codel", &[]);
        queue.change(at(2), &config(ROOM, "fq_codel", &[("flows", Value::Number(1.0))]), 0, 1, "test");
        assert_eq!(drained(&mut queue, at(2)), [0, 1, 2, 3, 4, 5], "one queue serves them as they come");
        let mut queue = filled("red", &[]);
        let bytes = QueueLimit::Bytes(4000);
        queue.change(at(2), &config(bytes, "red", &[]), 0, 1, "test");
        assert_eq!((queue.packets(), dropped(&mut queue)), (4, vec![4, 5]));
    }
}
