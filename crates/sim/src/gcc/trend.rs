//! The detector of congestion by delay: groups of packets, the trend of their delays, and a threshold that adapts (sections 5.1 to 5.4).

use airfair_core::{Span, Time};
use std::collections::VecDeque;

/// Packets sent within this time in ms are one group, and those that arrive so fast after each other may be (section 5.2: burst_time).
const BURST: f64 = 5.0;
/// Longest time in ms in which packets of a group arrive.
const LONGEST_BURST: f64 = 100.0;
/// Groups that arrive before their predecessors until all is measured anew.
const REORDERED: u32 = 3;
/// Weight of the past in smoothed delays.
const SMOOTHING: f64 = 0.9;
/// Groups that the line goes through.
const GROUPS: usize = 20;
/// The trend is compared with the threshold times this, and times the number of groups up to [`MOST_GROUPS`].
const GAIN: f64 = 4.0;
const MOST_GROUPS: u32 = 60;
/// Time in ms for which the trend must be above the threshold (section 5.4: overuse_time_th).
const OVER_FOR: f64 = 10.0;
/// The first threshold in ms, and its range (section 5.4).
const THRESHOLD: f64 = 12.5;
const THRESHOLDS: [f64; 2] = [6.0, 600.0];
/// A trend that exceeds the threshold by more, in ms, leaves it alone (section 5.4).
const SPIKE: f64 = 15.0;
/// How fast the threshold follows a trend above and below it, per ms. The draft has 0.01 and 0.00018.
const UP: f64 = 0.0087;
const DOWN: f64 = 0.039;
/// Longest time in ms by which the threshold moves on at once.
const LONGEST_STEP: f64 = 100.0;

/// What the delays tell of the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usage {
    /// They stay.
    Normal,
    /// They grow: a queue does.
    Over,
    /// They fall: a queue empties.
    Under,
}

/// Packets that the detector takes for one.
#[derive(Clone, Copy, Debug)]
struct Group {
    first_sent: Time,
    sent: Time,
    first_arrived: Time,
    arrived: Time,
}

impl Group {
    fn new(sent: Time, arrived: Time) -> Group {
        Group { first_sent: sent, sent, first_arrived: arrived, arrived }
    }

    /// Whether a packet belongs to this group.
    fn takes(&self, sent: Time, arrived: Time) -> bool {
        let (between_sent, between_arrived) = (millis(self.sent, sent), millis(self.arrived, arrived));
        let is_burst = between_arrived < between_sent
            && between_arrived <= BURST
            && millis(self.first_arrived, arrived) < LONGEST_BURST;
        between_sent == 0.0 || is_burst || millis(self.first_sent, sent) <= BURST
    }
}

/// Returns the time from one instant to another in ms; negative if the other is earlier.
fn millis(from: Time, to: Time) -> f64 {
    let forth = to.since(from);
    let back = from.since(to);
    (if forth > Span::ZERO { forth.as_secs() } else { -back.as_secs() }) * 1e3
}

/// The last groups.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    previous: Option<Group>,
    current: Option<Group>,
    /// Groups in a row that came before their predecessors.
    reordered: u32,
}

/// Two groups after each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// When the later one had come.
    pub arrived: Time,
    /// Times in ms from one group to the other, as they were sent and as they came.
    pub between: [f64; 2],
}

impl Groups {
    /// Adds a packet that was received. Returns the two groups before it if it begins a new one.
    pub fn add(&mut self, sent: Time, arrived: Time) -> Option<Pair> {
        let Some(current) = &mut self.current else {
            self.current = Some(Group::new(sent, arrived));
            return None;
        };
        if sent < current.first_sent {
            return None; // overtaken by others
        }
        if current.takes(sent, arrived) {
            current.sent = current.sent.max(sent);
            current.arrived = arrived;
            return None;
        }
        let current = *current;
        let pair = self.previous.map(|previous| Pair {
            arrived: current.arrived,
            between: [millis(previous.sent, current.sent), millis(previous.arrived, current.arrived)],
        });
        if pair.is_some_and(|pair| pair.between[1] < 0.0) {
            self.reordered += 1;
            if self.reordered >= REORDERED {
                *self = Groups::default();
            }
            return None;
        }
        *self = Groups { previous: Some(current), current: Some(Group::new(sent, arrived)), reordered: 0 };
        pair
    }
}

/// The detector.
#[derive(Clone, Debug)]
pub struct Trend {
    groups: Groups,
    /// Number of delay variations so far, up to [`MOST_GROUPS`].
    variations: u32,
    /// When the first group that counts came.
    first_arrived: Option<Time>,
    /// Delay in ms relative to the first group, and a smoothed one.
    delay: f64,
    smoothed: f64,
    /// Arrival in ms since the first group, and smoothed delay, of the last groups.
    points: VecDeque<(f64, f64)>,
    trend: f64,
    threshold: f64,
    moved: Option<Time>,
    /// How long the trend has been above the threshold, in ms, and for how many groups.
    over: Option<(f64, u32)>,
    usage: Usage,
}

impl Default for Trend {
    fn default() -> Trend {
        Trend {
            groups: Groups::default(),
            variations: 0,
            first_arrived: None,
            delay: 0.0,
            smoothed: 0.0,
            points: VecDeque::new(),
            trend: 0.0,
            threshold: THRESHOLD,
            moved: None,
            over: None,
            usage: Usage::Normal,
        }
    }
}

impl Trend {
    /// Returns what the delays so far tell.
    pub fn usage(&self) -> Usage {
        self.usage
    }

    /// Adds a packet that was received.
    pub fn add(&mut self, sent: Time, arrived: Time) {
        if let Some(Pair { arrived, between: [sent, come] }) = self.groups.add(sent, arrived) {
            self.vary(arrived, sent, come);
        }
    }

    /// Takes the times between two groups, in ms: libwebrtc, `TrendlineEstimator::UpdateTrendline`.
    fn vary(&mut self, arrived: Time, between_sent: f64, between_arrived: f64) {
        self.variations = (self.variations + 1).min(MOST_GROUPS);
        let first = *self.first_arrived.get_or_insert(arrived);
        self.delay += between_arrived - between_sent;
        self.smoothed = SMOOTHING * self.smoothed + (1.0 - SMOOTHING) * self.delay;
        self.points.push_back((millis(first, arrived), self.smoothed));
        if self.points.len() > GROUPS {
            self.points.pop_front();
        }
        let trend = if self.points.len() == GROUPS { slope(&self.points) } else { None };
        self.detect(arrived, trend.unwrap_or(self.trend), between_sent);
    }

    /// Compares the trend with the threshold (section 5.4).
    fn detect(&mut self, arrived: Time, trend: f64, between_sent: f64) {
        if self.variations < 2 {
            return;
        }
        let scaled = f64::from(self.variations) * trend * GAIN;
        if scaled > self.threshold {
            let (time, groups) = match self.over {
                // Half of the time since the group before, in which it began.
                None => (between_sent / 2.0, 1),
                Some((time, groups)) => (time + between_sent, groups + 1),
            };
            self.over = Some((time, groups));
            if time > OVER_FOR && groups > 1 && trend >= self.trend {
                self.over = Some((0.0, 0));
                self.usage = Usage::Over;
            }
        } else {
            self.over = None;
            self.usage = if scaled < -self.threshold { Usage::Under } else { Usage::Normal };
        }
        self.trend = trend;
        self.move_threshold(arrived, scaled.abs());
    }

    fn move_threshold(&mut self, arrived: Time, scaled: f64) {
        let step = millis(self.moved.unwrap_or(arrived), arrived).clamp(0.0, LONGEST_STEP);
        self.moved = Some(arrived);
        if scaled > self.threshold + SPIKE {
            return;
        }
        let pace = if scaled < self.threshold { DOWN } else { UP };
        let [least, most] = THRESHOLDS;
        self.threshold = (self.threshold + pace * (scaled - self.threshold) * step).clamp(least, most);
    }
}

/// Returns the slope of the line through these points with the least squares; `None` if they lie above each other.
fn slope(points: &VecDeque<(f64, f64)>) -> Option<f64> {
    let number = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0, y + point.1));
    let (x, y) = (x / number, y / number);
    let (above, below) = points.iter().fold((0.0, 0.0), |(above, below), point| {
        (above + (point.0 - x) * (point.1 - y), below + (point.0 - x) * (point.0 - x))
    });
    (below > 0.0).then(|| above / below)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of Knuth's generator from which aiortc's results were recorded.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, bound: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % bound
        }
    }

    fn at(millis: u64) -> Time {
        Time::ZERO + Span::from_millis(millis)
    }

    /// What `InterArrival` of aiortc 1.16.0 (`rate.py`) finds: between two groups, 1/512 s as they were sent and ms as they came.
    #[rustfmt::skip]
    const PAIRS: [(u32, u32); 50] = [
        (4, 9), (8, 13), (4, 4), (2, 4), (5, 6), (6, 19), (2, 6), (4, 8), (5, 6), (9, 16), (7, 19), (13, 18), (4, 14), (7, 11), (7, 14), (4, 10), (1, 3),
        (10, 13), (3, 9), (5, 12), (5, 8), (1, 2), (6, 12), (5, 6), (5, 13), (11, 19), (5, 7), (11, 25), (3, 3), (3, 13), (5, 7), (7, 12), (7, 18), (7, 10),
        (4, 8), (6, 9), (6, 17), (8, 12), (8, 20), (4, 7), (10, 13), (3, 14), (12, 17), (4, 12), (5, 6), (7, 15), (6, 10), (4, 7), (9, 21), (4, 10),
    ];

    #[test]
    fn groups_are_those_of_aiortc() {
        let (mut numbers, mut groups) = (Numbers(1), Groups::default());
        let (mut sent, mut arrived) = (0, 0);
        let mut pairs = Vec::new();
        for _ in 0..120 {
            sent += numbers.below(6);
            arrived = (arrived + numbers.below(3)).max(sent * 1000 / 512 + 20 + numbers.below(12));
            pairs.extend(groups.add(Time(sent * 1_953_125), at(arrived)).map(|pair| pair.between));
        }
        assert_eq!(pairs.len(), PAIRS.len());
        for ([sent, come], (steps, millis)) in pairs.into_iter().zip(PAIRS) {
            assert!(
                (sent - f64::from(steps) * 1.953_125).abs() < 1e-6 && (come - f64::from(millis)).abs() < 1e-6
            );
        }
    }

    /// What `OveruseDetector` of aiortc 1.16.0 says of 400 groups: normal, over-use, under-use; and its threshold after each 100.
    const USAGES: &str = "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnonnonnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnonnnnnnnnnnnnnnnnnnn\
                          unnnnnonnnnnnnuunnnnnnuunuunnnnnoonnnnnnnnnnunnnnnnnnnonnonnonnnnnnnnnonnnuunnoonnnnnnnnnuunnnnnnnnn\
                          nnuuunnuunnnnnnnonunnnnnuuuuonnnnoounnuunnnuuunnnunuuonnnnnonnnnnnuuuunnnuuunnnuunuuuuuuunnnnonnoooo\
                          onnnuuununuuonuununnoonnuuuununnuuuonnnununnonnnuunnnnnnnnunnunnnuuunnuuunnnoouununuuunnnnuuuoounuuu";
    const THRESHOLDS_AFTER: [f64; 4] = [6.0, 6.0, 16.768_298_167_779_573, 6.296_496];

    #[test]
    fn over_use_is_what_aiortc_says() {
        let mut numbers = Numbers(2);
        let mut trend = Trend { variations: MOST_GROUPS, ..Trend::default() };
        let (mut now, mut usages) = (0, String::new());
        for group in 0..400 {
            let between = 5 + numbers.below(60);
            now += between;
            let scaled = (numbers.below(3200) as f64 - 1200.0) / 100.0 * f64::from(1 + group / 100) / 2.0;
            trend.detect(at(now), scaled / (f64::from(MOST_GROUPS) * GAIN), between as f64);
            usages.push(match trend.usage() {
                Usage::Normal => 'n',
                Usage::Over => 'o',
                Usage::Under => 'u',
            });
            if group % 100 == 99 {
                assert!(
                    (trend.threshold - THRESHOLDS_AFTER[group as usize / 100]).abs() < 1e-6,
                    "{}",
                    trend.threshold
                );
            }
        }
        assert_eq!(usages, USAGES);
    }

    #[test]
    fn the_slope_is_that_of_the_line() {
        let line = (0..20).map(|point| (f64::from(point), 3.0 - 0.5 * f64::from(point)));
        assert!((slope(&line.collect()).unwrap() + 0.5).abs() < 1e-12);
        assert_eq!(slope(&VecDeque::from([(1.0, 2.0), (1.0, 3.0)])), None);
    }

    #[test]
    fn a_growing_queue_is_noticed_and_an_emptying_one() {
        // Packets every 10 ms that each wait 1 ms more than the one before, and then 2 ms less.
        let mut trend = Trend::default();
        let mut wait = 0;
        let mut found = Vec::new();
        for packet in 0..150 {
            wait = if packet < 30 {
                0
            } else if packet < 90 {
                wait + 1000
            } else {
                wait - 1000_u64.min(wait)
            };
            let sent = at(10 * packet);
            trend.add(sent, sent + Span::from_micros(20_000 + wait));
            if found.last() != Some(&trend.usage()) {
                found.push(trend.usage());
            }
        }
        assert_eq!(found[..3], [Usage::Normal, Usage::Over, Usage::Normal]);
        assert!(found.contains(&Usage::Under), "{found:?}");
    }
}
