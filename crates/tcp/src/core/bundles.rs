//! Bursts of new segments, as segmentation offload makes them: a burst that would be short may wait for the next ACK
//! ([`Settings::tso`](crate::settings::Settings::tso); Linux's `tcp_tso_should_defer`).
//!
//! Nothing waits while something is lost, and the end of what the application wrote does not wait for more of it.

use super::{Core, Marked};
use crate::pacing::{OFFLOADED, offload, usual_rate};
use crate::settings::Pacing;
use airfair_core::{Rate, Span, Time};

/// A burst waits only if a segment went out within this time, and if the next ACK is due within it.
const SOON: Span = Span::from_millis(1);
/// A burst of at least this part of the window does not wait: one third (`tcp_tso_win_divisor`).
const PART: u64 = 3;

/// The state of bursts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bundle {
    /// The time in s whose data make a burst.
    pub offloaded: f64,
    /// The shortest round trip.
    least_rtt: Option<Span>,
    /// Segments that may still go out at the instant `at`.
    left: u64,
    at: Time,
    /// Where the burst of whole new segments under way ends, if it has several; and the segments of the longest burst.
    ends: u64,
    longest: u64,
    /// Segments of a burst that went out one by one, and when.
    count: u64,
    counted_at: Time,
}

impl Default for Bundle {
    fn default() -> Bundle {
        Bundle {
            offloaded: OFFLOADED,
            least_rtt: None,
            left: 0,
            at: Time::ZERO,
            ends: 0,
            longest: 0,
            count: 0,
            counted_at: Time::ZERO,
        }
    }
}

impl Bundle {
    pub fn on_round_trip(&mut self, rtt: Span) {
        self.least_rtt = Some(self.least_rtt.map_or(rtt, |least| least.min(rtt)));
    }
}

impl Core {
    /// Segments of the longest burst at this pacing rate.
    pub fn longest_burst(&self, rate: Option<Rate>) -> u64 {
        if !self.settings.tso {
            return 1;
        }
        offload(rate, self.bundle.offloaded, self.bundle.least_rtt, self.segment())
    }

    /// The pacing rate; of a connection that does not pace, the rate at which Linux would.
    pub fn rate(&self) -> Option<Rate> {
        self.control.pacing_rate().or_else(|| self.usual_rate(Pacing::Linux))
    }

    /// The rate of a control without a rate of its own, with this kind of pacing.
    pub fn usual_rate(&self, pacing: Pacing) -> Option<Rate> {
        usual_rate(pacing, self.srtt(), &self.window, self.flight())
    }

    /// Holds back those whole new segments that would be a short burst; to be called after [`Core::settle`].
    #[inline(always)]
    pub fn bundle(&mut self, now: Time) {
        if self.marked.is(Marked::BUNDLES) {
            self.bundle_whole(now);
        }
    }

    #[inline(never)]
    fn bundle_whole(&mut self, now: Time) {
        let segment = self.segment();
        // Without a budget, the segment is limited transmit's, which the window does not hold back either.
        if !self.marked.is(Marked::IRREGULAR) && self.has_whole() && self.budget > 0 {
            let room = (self.whole_to - self.nxt) / segment;
            self.whole_to = self.nxt + self.in_bursts(now, self.idle.last_sent(), room) * segment;
            self.begin_burst();
        } else {
            self.end_bundle();
        }
    }

    /// No burst of whole new segments is under way.
    #[inline]
    pub fn end_bundle(&mut self) {
        if self.marked.is(Marked::BUNDLES) {
            self.bundle.ends = 0;
        }
    }

    /// A burst of whole new segments begins.
    fn begin_burst(&mut self) {
        let segments = ((self.whole_to - self.nxt) / self.segment()).min(self.bundle.longest);
        self.bundle.ends = if segments > 1 { self.nxt + segments * self.segment() } else { 0 };
    }

    /// Whether the whole new segment that has just gone out has PSH.
    pub(super) fn pushes_whole(&mut self) -> bool {
        let ends_burst = self.nxt == self.bundle.ends;
        if ends_burst {
            self.begin_burst();
        }
        ends_burst || self.nxt == self.end
    }

    /// Whether another new segment, which has just gone out, has PSH as the end of a burst; `ends`: no more goes out now.
    pub fn pushes(&mut self, now: Time, ends: bool) -> bool {
        let bundle = &mut self.bundle;
        if bundle.counted_at != now {
            (bundle.counted_at, bundle.count) = (now, 0);
        }
        bundle.count += 1;
        let last = ends || bundle.count >= bundle.longest;
        last && std::mem::take(&mut bundle.count) > 1
    }

    /// Whether the next segment, new and in order, waits for others. `last`: when a segment last went out, or when the pacing rate allows the
    /// next one; `left_network`: bytes outstanding that have left the network.
    pub fn waits_for_burst(&mut self, now: Time, last: Time, left_network: u64) -> bool {
        let edge = self.una + self.receive_window() + self.segment() - 1;
        let end = (self.window_end() + left_network).min(edge);
        if self.nxt != self.max_sent || end >= self.end {
            return false;
        }
        if self.bundle.left == 0 || self.bundle.at != now {
            let room = end.saturating_sub(self.nxt) / self.segment();
            if room == 0 {
                return false;
            }
            (self.bundle.left, self.bundle.at) = (self.in_bursts(now, last, room), now);
        }
        match self.bundle.left.checked_sub(1) {
            Some(left) => {
                self.bundle.left = left;
                false
            }
            None => true,
        }
    }

    /// The number of segments that go out now, of those that there is `room` for.
    fn in_bursts(&mut self, now: Time, last: Time, room: u64) -> u64 {
        self.bundle.longest = self.longest_burst(self.rate());
        let rest = room % self.bundle.longest;
        if rest == 0 || !self.defers(now, last, rest, rest < room) {
            return room;
        }
        if self.window.cwnd * self.segment() as f64 <= self.receive_window() as f64 {
            self.note_deferral();
        }
        room - rest
    }

    /// Whether `rest` segments wait for the next ACK. `others`: others go out now.
    fn defers(&self, now: Time, last: Time, rest: u64, others: bool) -> bool {
        let window = (self.window.cwnd as u64).min(u64::from(self.advertised));
        if !others && now > last + SOON || PART * rest >= window {
            return false;
        }
        let first = if self.una < self.nxt { self.outstanding.first(self.una) } else { None };
        let (Some(sent), Some(srtt)) = (first.and_then(|first| first.at), self.srtt()) else { return false };
        sent + srtt <= now + SOON.min(Span(srtt.0 / 2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Profile, TcpName, settings};
    use crate::segment::{Ack, SackBlocks};
    use crate::sender::Sender;
    use crate::settings::{Handshake, Settings};

    const MS: Span = Span::from_millis(1);

    /// A connection with a window of a hundred segments and a round trip of 20 ms: 60 Mb/s, and bursts of five.
    struct Path {
        sender: Sender,
        now: Time,
        acked: u64,
    }

    impl Path {
        fn settings() -> Settings {
            Settings {
                segment_bytes: 1500,
                handshake: Handshake::None,
                initial_window: 100.0,
                initial_ssthresh: Some(100.0),
                first_window: None,
                ..settings(Profile::Linux, TcpName::named("sack"))
            }
        }

        fn new(changes: impl FnOnce(&mut Settings)) -> Path {
            let mut settings = Path::settings();
            changes(&mut settings);
            let mut path = Path { sender: Sender::new(&settings), now: Time::ZERO, acked: 0 };
            path.sender.write_unbounded(path.now);
            assert!(path.sent() > 0);
            path.now += MS * 20;
            path
        }

        fn sent(&mut self) -> usize {
            std::iter::from_fn(|| self.sender.poll_transmit(self.now)).count()
        }

        /// Segments sent on an ACK of this number of segments, this long after the last ACK.
        fn ack(&mut self, after: Span, segments: u64) -> usize {
            self.hear(after, segments);
            self.sent()
        }

        fn hear(&mut self, after: Span, segments: u64) {
            self.hear_of(after, segments, 0);
        }

        /// The same with this number of segments SACKed behind a gap of one.
        fn hear_of(&mut self, after: Span, segments: u64, sacked: u64) {
            self.now += after;
            self.acked += 1500 * segments;
            let mut sack = SackBlocks::NONE;
            if sacked > 0 {
                sack.push(self.acked, self.acked + 1500, self.acked + 1500 * (1 + sacked));
            }
            let (window, echo) = (2172, Time(self.now.0 - 20_000_000));
            let ack = Ack { ack: self.acked, window, sack, echo, syn: true, ece: false, ace: 0 };
            self.sender.on_ack(self.now, &ack);
        }
    }

    #[test]
    fn short_bursts_wait_for_the_next_ack() {
        let mut path = Path::new(|_| {});
        // Nothing went out for a round trip: this does not wait.
        assert_eq!(path.ack(Span::ZERO, 2), 2);
        assert_eq!(path.ack(MS / 4, 2), 0);
        assert_eq!(path.ack(MS / 4, 2), 0);
        // Five of the six.
        assert_eq!(path.ack(MS / 4, 2), 5);
        assert_eq!(path.ack(MS / 4, 5), 5);
        assert_eq!(path.ack(MS + Span(1), 2), 3);
        let mut without = Path::new(|settings| settings.tso = false);
        assert_eq!([0, 1, 1, 1].map(|quarters| without.ack(MS / 4 * quarters, 2)), [2; 4]);
    }

    /// `tcp_tso_should_defer` holds nothing back in recovery alone.
    #[test]
    fn what_sacked_segments_make_room_for_waits_as_well() {
        for (tso, sent) in [(true, [0, 0, 1]), (false, [1, 1, 1])] {
            let mut path = Path::new(|settings| settings.tso = tso);
            assert_eq!(path.ack(Span::ZERO, 2), 2);
            let found = [1, 2, 3].map(|sacked| {
                path.hear_of(MS / 4, 0, sacked);
                path.sent()
            });
            // The third means a loss, and what goes out is sent again.
            assert_eq!(found, sent);
        }
    }

    #[test]
    fn a_third_of_the_window_does_not_wait() {
        // Bursts of two.
        for (window, sent) in [(9.0, [1, 0, 2]), (3.0, [1; 3])] {
            let bounded = |settings: &mut Settings| {
                (settings.initial_window, settings.max_window) = (window, Some(window));
            };
            let mut path = Path::new(bounded);
            assert_eq!([0, 1, 1].map(|quarters| path.ack(MS / 4 * quarters, 1)), sent);
        }
    }

    #[test]
    fn nothing_waits_for_an_ack_that_is_not_due() {
        let mut path = Path::new(|_| {});
        assert!(path.ack(Span::ZERO, 100) >= 100);
        // The next one is that of a segment that went out just now.
        assert_eq!(path.ack(MS / 4, 2), 2);
    }

    /// Bursts of five: PSH ends each, and a shorter one of two segments or more, but not a single segment (`__tcp_transmit_skb`).
    #[test]
    fn the_last_segment_of_a_burst_has_psh() {
        let pushes = |path: &mut Path, after, segments| {
            path.hear(after, segments);
            let sent = std::iter::from_fn(|| path.sender.poll_transmit(path.now));
            sent.map(|segment| u8::from(segment.flags.push())).collect::<Vec<u8>>()
        };
        for (small_queue, bursts) in
            [(false, [0, 0, 0, 0, 1, 0, 0, 0, 0, 1]), (true, [0, 0, 0, 0, 0, 0, 0, 0, 0, 1])]
        {
            let mut path = Path::new(|_| {});
            if small_queue {
                // mac80211: what 60 Mb/s carry in 1 s >> 7 is a burst of 39.
                path.sender.keep_small_queue();
            }
            assert_eq!(pushes(&mut path, Span::ZERO, 10), bursts, "{small_queue}");
            assert_eq!(pushes(&mut path, MS * 2, 1), [0], "{small_queue}");
            assert_eq!(pushes(&mut path, MS * 2, 3), [0, 0, 1], "{small_queue}");
        }
        let mut without = Path::new(|settings| settings.push_ack = false);
        assert_eq!(pushes(&mut without, Span::ZERO, 2), [0, 0]);
    }

    #[test]
    fn the_end_of_what_was_written_has_psh() {
        let settings = Settings { segment_bytes: 1000, handshake: Handshake::None, ..Path::settings() };
        for (bytes, pushes) in [(2000, [false, true]), (1400, [false, true])] {
            let mut sender = Sender::new(&settings);
            sender.write(Time::ZERO, bytes);
            let sent: Vec<bool> = std::iter::from_fn(|| sender.poll_transmit(Time::ZERO))
                .map(|segment| segment.flags.push())
                .collect();
            assert_eq!(sent, pushes, "{bytes}");
        }
    }

    /// The window counts as full: it grows as if nothing had waited.
    #[test]
    fn a_window_that_waits_is_used() {
        let mut path = Path::new(|settings| settings.initial_ssthresh = Some(1000.0));
        path.ack(Span::ZERO, 2);
        let before = path.sender.cwnd();
        assert_eq!(path.ack(MS / 4, 1), 0);
        path.ack(MS / 4, 1);
        assert_eq!(path.sender.cwnd(), before + 2.0);
    }
}
