//! When each outstanding segment was last handed out, and how often: for controls and recoveries that measure it, and for bursts.

use crate::congestion::Measures;
use crate::search::count_up_to;
use crate::settings::{Recovery, SendTimeStore, Settings};
use airfair_core::{Ring, Time};

/// One segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sent {
    /// When it was last handed out; `None`: a ring's slot that was cleared and not used since.
    pub at: Option<Time>,
    /// How often it was handed out.
    pub transmissions: u32,
}

/// A segment that is looked up by one of its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub start: u64,
    /// Where the next one starts, if there is one.
    pub end: Option<u64>,
    pub at: Time,
    pub transmissions: u32,
}

/// The outstanding segments; empty where nobody asks for them.
#[derive(Clone, Debug)]
pub(crate) struct SendTimes {
    store: Store,
    /// When the connection's first segment was handed out.
    started: Option<Time>,
    /// Nobody asks for them but in slow start.
    in_slow_start: bool,
}

#[derive(Clone, Debug)]
enum Store {
    Unwanted,
    /// In ascending order, by first byte.
    Queue(Ring<(u64, Sent)>),
    Window(WindowRing),
}

impl SendTimes {
    pub fn new(settings: &Settings) -> SendTimes {
        let measures = settings.control.measures();
        let all = measures == Measures::Everything || settings.recovery == Recovery::Vegas;
        let others = settings.recovery == Recovery::Rack || settings.tso;
        let store = match settings.send_times {
            SendTimeStore::WindowRing if all && !others => Store::Window(WindowRing::new(settings)),
            _ if all || others || measures == Measures::SlowStart => Store::Queue(Ring::default()),
            _ => Store::Unwanted,
        };
        SendTimes { store, started: None, in_slow_start: !all && !others }
    }

    /// Whether a connection with these settings has a ring, whose length is the receive window at its start.
    pub fn have_ring(settings: &Settings) -> bool {
        matches!(SendTimes::new(settings).store, Store::Window(_))
    }

    /// Whether somebody asks for them; if not, there is nothing to tell them.
    pub fn are_wanted(&self) -> bool {
        !matches!(self.store, Store::Unwanted)
    }

    /// Whether they are wanted in slow start, and not else.
    pub fn are_for_slow_start(&self) -> bool {
        self.in_slow_start && self.are_wanted()
    }

    /// Forgets the outstanding segments: nobody asks for them for a while.
    pub fn pause(&mut self) {
        if let Store::Queue(queue) = &mut self.store {
            queue.pop(queue.len());
        }
    }

    /// The segment at `seq` is handed out, for the first time or `again`.
    #[inline]
    pub fn record(&mut self, seq: u64, at: Time, again: bool) {
        self.started.get_or_insert(at);
        match &mut self.store {
            Store::Unwanted => {}
            Store::Queue(queue) => record_in_order(queue, seq, at, again),
            Store::Window(ring) => ring.record(seq, at),
        }
    }

    /// When the connection's first segment was handed out.
    pub fn started(&self) -> Option<Time> {
        self.started
    }

    /// The cumulative ACK moves from `from` to `to`: returns the record of the last segment that it covers.
    #[inline]
    pub fn acknowledge(&mut self, from: u64, to: u64) -> Option<Sent> {
        match &mut self.store {
            Store::Unwanted => None,
            Store::Queue(queue) => {
                let mut last = None;
                while let Some((_, sent)) = queue.front().filter(|(seq, _)| *seq < to) {
                    last = Some(*sent);
                    queue.pop(1);
                }
                last
            }
            // ns-2 takes a send time of zero, at the connection's start, for none.
            Store::Window(ring) => Some(ring.acknowledge(from, to)).filter(|sent| sent.at != self.started),
        }
    }

    /// The outstanding segment that the byte at `seq` belongs to; a ring does not know.
    pub fn of(&self, seq: u64) -> Option<Found> {
        let Store::Queue(queue) = &self.store else { return None };
        let after = count_up_to(queue, seq, |(start, _)| *start);
        let (start, sent) = queue[after.checked_sub(1)?];
        let end = (after < queue.len()).then(|| queue[after].0);
        Some(Found { start, end, at: sent.at?, transmissions: sent.transmissions })
    }

    /// The segment at `una`, the first one outstanding.
    pub fn first(&self, una: u64) -> Option<Sent> {
        match &self.store {
            Store::Unwanted => None,
            Store::Queue(queue) => queue.front().map(|(_, sent)| *sent),
            Store::Window(ring) => Some(ring.slots[ring.index(una)]),
        }
    }
}

fn record_in_order(queue: &mut Ring<(u64, Sent)>, seq: u64, at: Time, again: bool) {
    if queue.back().is_none_or(|last| last.0 < seq) {
        // Its first transmission may have come in a pause.
        queue.push((seq, Sent { at: Some(at), transmissions: 1 + u32::from(again) }));
    } else if let Some(index) = count_up_to(queue, seq, |(first, _)| *first).checked_sub(1)
        && let (first, sent) = &mut queue[index]
        && *first == seq
    {
        sent.at = Some(at);
        sent.transmissions += 1;
    }
}

/// [`SendTimeStore::WindowRing`].
#[derive(Clone, Debug)]
struct WindowRing {
    slots: Vec<Sent>,
    segment: u64,
}

impl WindowRing {
    fn new(settings: &Settings) -> WindowRing {
        let slots = vec![Sent::default(); settings.receive_window.max(1) as usize];
        WindowRing { slots, segment: u64::from(settings.segment_bytes.max(1)) }
    }

    fn index(&self, seq: u64) -> usize {
        (seq / self.segment % self.slots.len() as u64) as usize
    }

    fn record(&mut self, seq: u64, at: Time) {
        let index = self.index(seq);
        let sent = &mut self.slots[index];
        sent.at = Some(at);
        sent.transmissions += 1;
    }

    fn acknowledge(&mut self, from: u64, to: u64) -> Sent {
        let (first, last) = (self.index(from), self.index(to - 1));
        let sent = self.slots[last];
        if first <= last {
            self.slots[first..=last].fill(Sent::default());
        }
        sent
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Profile, TcpName, settings};

    fn times(send_times: SendTimeStore) -> SendTimes {
        let vegas = settings(Profile::Ns2, TcpName::named("vegas"));
        SendTimes::new(&Settings { send_times, receive_window: 4, ..vegas })
    }

    #[test]
    fn an_ack_gives_the_last_segment_it_covers() {
        for store in [SendTimeStore::PerSegment, SendTimeStore::WindowRing] {
            let mut times = times(store);
            for i in 0..4 {
                times.record(i * 1000, Time(i), false);
            }
            times.record(1000, Time(9), false);
            assert_eq!(times.acknowledge(0, 2000), Some(Sent { at: Some(Time(9)), transmissions: 2 }));
            assert_eq!(times.first(2000), Some(Sent { at: Some(Time(2)), transmissions: 1 }));
            assert_eq!(times.started(), Some(Time(0)));
        }
    }

    #[test]
    fn an_ack_across_the_rings_end_leaves_its_slots_as_they_were() {
        let second_use = |store| {
            let mut times = times(store);
            for i in 0..4 {
                times.record(i * 1000, Time(i + 1), false);
            }
            times.acknowledge(0, 3000);
            times.record(4000, Time(10), false);
            times.acknowledge(3000, 5000);
            times.record(7000, Time(20), false);
            times.acknowledge(5000, 8000).map(|sent| sent.transmissions)
        };
        assert_eq!(second_use(SendTimeStore::PerSegment), Some(1));
        assert_eq!(second_use(SendTimeStore::WindowRing), Some(2));
    }

    #[test]
    fn nothing_is_kept_for_nobody() {
        let mut times = SendTimes::new(&settings(Profile::Ns2, TcpName::named("reno")));
        assert!(!times.are_wanted());
        times.record(0, Time(1), false);
        assert_eq!(times.first(0), None);
    }
}
