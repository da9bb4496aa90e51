//! A player of video: its buffer, and the segments that it fetches.

use airfair_core::{Rate, Span, Time};
use airfair_scenario::resolved::LADDER;
use std::ops::Range;

/// Weight of avoiding stalls against bitrate: gamma p of Spiteri et al., section VI.
const CAUTION: f64 = 5.0;

/// Playback of the segments that have arrived: the first one starts the picture, and it stops where none is left.
#[derive(Clone, Copy, Debug)]
pub struct Playback {
    segment: Span,
    /// When everything that has arrived will have been shown; [`Time::NEVER`] before the first segment.
    empty_at: Time,
}

impl Playback {
    /// Returns a playback before the first segment. Each segment is `segment` of video.
    pub fn new(segment: Span) -> Playback {
        Playback { segment, empty_at: Time::NEVER }
    }

    /// Notes that a segment has arrived. Returns from when to when the picture had stopped, if it had.
    pub fn on_segment(&mut self, now: Time) -> Option<Range<Time>> {
        let dry = self.empty_at;
        if dry == Time::NEVER || dry < now {
            self.empty_at = now + self.segment;
            return (dry < now).then_some(dry..now);
        }
        self.empty_at += self.segment;
        None
    }

    /// Returns for how long the picture has stopped.
    pub fn since_empty(&self, now: Time) -> Span {
        if self.empty_at == Time::NEVER { Span::ZERO } else { now.since(self.empty_at) }
    }

    /// Returns the length of video that is left to be shown.
    pub fn left(&self, now: Time) -> Span {
        if self.empty_at == Time::NEVER { Span::ZERO } else { self.empty_at.since(now) }
    }
}

/// A player that fetches one segment after the other, at bitrates that its buffer decides: BOLA-BASIC of Spiteri, Urgaonkar & Sitaraman, "BOLA:
/// near-optimal bitrate adaptation for online videos", INFOCOM 2016, section IV.
#[derive(Clone, Debug)]
pub struct Player {
    playback: Playback,
    segment: Span,
    /// Bytes of a segment at each bitrate, the lowest first.
    sizes: Vec<u64>,
    /// The control parameter V.
    v: f64,
}

impl Player {
    /// Returns a player whose buffer holds `buffer` of video, at least two segments, and that fetches no segment at a bitrate above `most`. The
    /// lowest bitrate must not be above `most`.
    pub fn new(segment: Span, buffer: Span, most: Rate) -> Player {
        let bytes = |kilobits: u64| {
            let bytes = u128::from(kilobits) * 125 * u128::from(segment.0) / 1_000_000_000;
            u64::try_from(bytes).unwrap_or(u64::MAX)
        };
        let possible = LADDER.into_iter().filter(|kilobits| kilobits * 1000 <= most.bits_per_second());
        let sizes: Vec<u64> = possible.map(|kilobits| bytes(kilobits).max(1)).collect();
        let mut player = Player { playback: Playback::new(segment), segment, sizes, v: 1.0 };
        player.v =
            (buffer.as_secs() / segment.as_secs() - 1.0) / (player.utility(player.sizes.len() - 1) + CAUTION);
        player
    }

    /// Returns the bytes of the first segment.
    pub fn first(&self) -> u64 {
        self.size_at(0.0)
    }

    /// Notes that a segment has arrived at `now`. Returns how long the player waits until it asks for the next one, and the bytes of that.
    pub fn on_segment(&mut self, now: Time) -> (Span, u64) {
        self.playback.on_segment(now);
        let held = self.playback.left(now).as_secs() / self.segment.as_secs();
        // Above this level no bitrate is worth a fetch.
        let full = self.v * (self.utility(self.sizes.len() - 1) + CAUTION);
        let wait = Span::from_secs_f64((held - full).max(0.0) * self.segment.as_secs());
        (wait, self.size_at(held.min(full)))
    }

    /// Returns the bytes of a segment that is asked for with `held` segments in the buffer: equation (8) of the paper.
    fn size_at(&self, held: f64) -> u64 {
        let value = |rung: usize| (self.v * (self.utility(rung) + CAUTION) - held) / self.sizes[rung] as f64;
        let best =
            (1..self.sizes.len()).fold(0, |best, rung| if value(rung) >= value(best) { rung } else { best });
        self.sizes[best]
    }

    /// Returns the logarithm of the ratio of a segment's size to the smallest size.
    fn utility(&self, rung: usize) -> f64 {
        libm::log(self.sizes[rung] as f64 / self.sizes[0] as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEGMENT: Span = Span::from_secs(4);

    fn at(seconds: u64) -> Time {
        Time::ZERO + Span::from_secs(seconds)
    }

    fn player() -> Player {
        Player::new(SEGMENT, Span::from_secs(24), Rate::new(16_000_000).unwrap())
    }

    #[test]
    fn the_picture_stops_where_nothing_is_left() {
        let mut playback = Playback::new(SEGMENT);
        assert_eq!(playback.on_segment(at(2)), None, "it starts");
        assert_eq!((playback.left(at(3)), playback.on_segment(at(3))), (Span::from_secs(3), None));
        assert_eq!(playback.on_segment(at(12)), Some(at(10)..at(12)));
        assert_eq!((playback.left(at(12)), playback.left(at(17))), (SEGMENT, Span::ZERO));
    }

    #[test]
    fn an_empty_buffer_asks_for_the_least_and_a_full_one_waits() {
        let mut player = player();
        assert_eq!(player.first(), 235 * 125 * 4);
        let mut sizes = vec![player.first()];
        // All at once: the buffer fills, and sizes grow with it.
        let wait = loop {
            let (wait, bytes) = player.on_segment(at(1));
            sizes.push(bytes);
            if wait > Span::ZERO {
                break wait;
            }
        };
        assert!(sizes.is_sorted(), "{sizes:?}");
        assert_eq!(sizes.last(), Some(&(16_000 * 125 * 4)));
        // Six segments fit; with the sixth it has one more than five.
        assert_eq!((sizes.len() - 1, wait), (6, SEGMENT));
    }

    #[test]
    fn the_levels_of_the_paper() {
        // Between two neighbours the larger is better from the level on at which equation (8) gives both the same.
        let player = player();
        let [low, high] =
            [8, 9].map(|rung| (player.sizes[rung] as f64, player.v * (player.utility(rung) + CAUTION)));
        let level = (high.1 * low.0 - low.1 * high.0) / (low.0 - high.0);
        assert_eq!(player.size_at(level - 1e-6), player.sizes[8]);
        assert_eq!(player.size_at(level + 1e-6), player.sizes[9]);
    }

    #[test]
    fn a_limit_may_leave_the_first_rung_alone() {
        let player = Player::new(SEGMENT, Span::from_secs(24), Rate::new(235_000).unwrap());
        assert_eq!(player.sizes, [235 * 125 * 4]);
    }
}
