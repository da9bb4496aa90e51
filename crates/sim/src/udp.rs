//! A UDP source of constant rate and its sink, which may answer.

use crate::record::FlowCounts;
use crate::timing::Kept;
use airfair_core::{Rate, Span, Time};
use airfair_tcp::{Ecn, SenderStats};

/// A constant-rate source: one datagram every `interval` while there is data to send. Its sink may answer each one at once.
#[derive(Clone, Debug)]
pub struct UdpFlow {
    datagram_bytes: u32,
    header_bytes: u32,
    ecn: Ecn,
    interval: Span,
    next: Time,
    /// Payload bytes that the application has written. The last datagram of a session may be short.
    written: u64,
    sent: u64,
    delivered: u64,
    datagrams: u64,
    /// Payload bytes of an answer; `None` if the sink answers nothing.
    answer_bytes: Option<u32>,
    /// Stream offset of the end of a datagram that has just come and is still to be answered.
    unanswered: Option<u64>,
    delays: Option<Box<Delays>>,
}

/// One-way delays of a flow's datagrams.
#[derive(Clone, Debug)]
struct Delays {
    /// For each datagram, the stream offset of its end, and when it was sent.
    sent: Vec<(u64, Time)>,
    kept: Kept,
}

/// Returns the time from one datagram to the next, at least a nanosecond: a source faster than the clock would never get past an instant.
fn interval(datagram_bytes: u32, rate: Rate) -> Span {
    rate.span_of_bytes(u64::from(datagram_bytes)).max(Span(1))
}

impl UdpFlow {
    /// Returns a source without data to send. `rate` counts payload. The sink answers each datagram with this number of payload bytes, if
    /// any.
    pub fn new(
        datagram_bytes: u32,
        header_bytes: u32,
        ecn: Ecn,
        rate: Rate,
        answer_bytes: Option<u32>,
    ) -> UdpFlow {
        UdpFlow {
            datagram_bytes,
            header_bytes,
            ecn,
            interval: interval(datagram_bytes, rate),
            next: Time::NEVER,
            written: 0,
            sent: 0,
            delivered: 0,
            datagrams: 0,
            answer_bytes,
            unanswered: None,
            delays: None,
        }
    }

    /// Keeps the one-way delay of each datagram that arrives at `from` or later.
    pub fn keep_delays(&mut self, from: Time) {
        self.delays = Some(Box::new(Delays { sent: Vec::new(), kept: Kept::new(from) }));
    }

    /// Returns the one-way delays that were kept.
    pub fn delays(&self) -> &[Span] {
        self.delays.as_ref().map_or(&[], |delays| delays.kept.times())
    }

    /// Returns the number of times kept so far: of sending, and of delay.
    pub fn samples(&self) -> usize {
        self.delays.as_ref().map_or(0, |delays| delays.sent.len() + delays.kept.times().len())
    }

    /// Changes the rate after the next datagram.
    pub fn set_rate(&mut self, rate: Rate) {
        self.interval = interval(self.datagram_bytes, rate);
    }

    /// Writes this number of bytes; `None` stands for an endless stream.
    pub fn write(&mut self, now: Time, bytes: Option<u64>) {
        self.written = bytes.map_or(u64::MAX, |bytes| self.written.saturating_add(bytes));
        if self.next == Time::NEVER {
            self.next = now;
        }
    }

    /// Stops the source: what has been written and not sent is discarded.
    pub fn stop(&mut self) {
        self.written = self.sent;
        self.next = Time::NEVER;
    }

    /// Returns when the next datagram is sent.
    pub fn next_deadline(&self) -> Time {
        self.next
    }

    /// Sends the datagram that is due, if any. Returns its payload bytes and its bytes on the wire.
    pub fn poll(&mut self, now: Time) -> Option<(u32, u32)> {
        if self.next > now {
            return None;
        }
        let payload = u64::from(self.datagram_bytes).min(self.written - self.sent) as u32;
        self.sent += u64::from(payload);
        self.datagrams += 1;
        if let Some(delays) = &mut self.delays {
            delays.sent.push((self.sent, now));
        }
        self.next = if self.sent < self.written { self.next + self.interval } else { Time::NEVER };
        Some((payload, payload + self.header_bytes))
    }

    /// Notes that a datagram with the stream up to `end` reaches the sink. Returns whether the sink answers.
    pub fn on_datagram(&mut self, now: Time, payload: u32, end: u64) -> bool {
        self.delivered += u64::from(payload);
        if let Some(Delays { sent, kept }) = self.delays.as_deref_mut()
            && let Ok(found) = sent.binary_search_by_key(&end, |&(end, _)| end)
        {
            kept.note(now, now - sent[found].1);
        }
        self.unanswered = self.answer_bytes.map(|_| end);
        self.unanswered.is_some()
    }

    /// Returns the sink's answer to the datagram that has just come: its payload bytes, the stream offset of that datagram's end, and its
    /// bytes on the wire.
    pub fn poll_answer(&mut self) -> Option<(u32, u64, u32)> {
        let (end, payload) = (self.unanswered.take()?, self.answer_bytes?);
        Some((payload, end, payload + self.header_bytes))
    }

    /// Returns the ECN field of the flow's datagrams.
    pub fn ecn(&self) -> Ecn {
        self.ecn
    }

    /// Returns the payload bytes sent so far.
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// Returns the counts so far, without arrivals, which the flow counts.
    pub fn counts(&self) -> FlowCounts {
        let sender =
            SenderStats { segments: self.datagrams, sent_bytes: self.sent, ..SenderStats::default() };
        FlowCounts { delivered_bytes: self.delivered, sender, ..FlowCounts::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One 100-byte datagram every 1 us.
    fn flow() -> UdpFlow {
        UdpFlow::new(100, 28, Ecn::NotCapable, Rate::new(800_000_000).unwrap(), None)
    }

    #[test]
    fn datagrams_keep_their_interval() {
        let mut udp = flow();
        udp.write(Time(500), None);
        assert_eq!(udp.poll(Time(499)), None);
        assert_eq!(udp.poll(Time(500)), Some((100, 128)));
        assert_eq!(udp.next_deadline(), Time(1500));
        udp.stop();
        assert_eq!(udp.next_deadline(), Time::NEVER);
    }

    #[test]
    fn delays_are_of_datagrams_that_arrive_in_the_measured_window() {
        let mut udp = flow();
        udp.keep_delays(Time(2000));
        udp.write(Time(500), None);
        for sent in [500, 1500, 2500] {
            assert!(udp.poll(Time(sent)).is_some());
        }
        // The second overtakes the first.
        udp.on_datagram(Time(1999), 100, 200);
        udp.on_datagram(Time(2000), 100, 100);
        udp.on_datagram(Time(2600), 100, 300);
        assert_eq!(udp.delays(), [Span(1500), Span(100)]);
        assert_eq!(udp.samples(), 3 + 2);
        assert!(flow().delays().is_empty());
    }

    #[test]
    fn time_goes_on_at_any_rate() {
        let mut udp = UdpFlow::new(1, 28, Ecn::NotCapable, Rate::new(1_000_000_000_000).unwrap(), None);
        udp.write(Time(500), None);
        assert_eq!(udp.poll(Time(500)), Some((1, 29)));
        assert_eq!(udp.poll(Time(500)), None);
    }

    #[test]
    fn a_sink_answers_once_where_it_answers_at_all() {
        let rate = Rate::new(800_000_000).unwrap();
        let mut udp = UdpFlow::new(100, 28, Ecn::NotCapable, rate, Some(40));
        assert_eq!(udp.poll_answer(), None);
        assert!(udp.on_datagram(Time(9), 100, 300));
        assert_eq!(udp.poll_answer(), Some((40, 300, 68)));
        assert_eq!(udp.poll_answer(), None);
        let mut silent = flow();
        assert!(!silent.on_datagram(Time(9), 100, 100));
        assert_eq!(silent.poll_answer(), None);
    }

    #[test]
    fn a_session_ends_with_a_short_datagram() {
        let mut udp = flow();
        udp.write(Time(0), Some(150));
        assert_eq!(udp.poll(Time(0)), Some((100, 128)));
        assert_eq!(udp.poll(Time(1000)), Some((50, 78)));
        assert_eq!(udp.next_deadline(), Time::NEVER);
        assert_eq!(udp.sent(), 150);
    }
}
