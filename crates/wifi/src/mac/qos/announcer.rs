//! Beacons and broadcasts of an access point. They go to all stations, by default at the lowest basic rate, and are not answered (IEEE
//! 802.11-2020, 10.6.5 and 11.1.3).

use airfair_core::{Rate, Span, Stream, Time};

use super::{Backoff, Idle, QosRules};
use crate::config::{Announcement, AnnouncementKind, BssConfig};
use crate::phy::is_dsss;
use crate::phy::mode::{OLDEST, Standard};

/// Source of an access point's beacons, or of its broadcasts. Beacons that are due wait here; broadcasts wait with the frames of best effort.
#[derive(Debug)]
pub(crate) struct Announcer {
    pub announcement: Announcement,
    /// Duration of a frame.
    pub duration: Span,
    /// Bytes of a frame, header and check sequence included.
    pub bytes: u32,
    pub rate: Rate,
    /// Standard of the frames: stations of older standards do not decode them.
    pub standard: Standard,
    /// Duration and rate of the CTS-to-self before each frame, where a station is too old to decode the frame (IEEE 802.11-2020, 10.27.2).
    pub cts: Option<(Span, Rate)>,
    /// When the next frame is due.
    pub next: Time,
    /// Whether a beacon waits. The next beacon takes the place of one that waits.
    waits: bool,
    /// PIFS. Beacons need no slots of a backoff: they are sent as soon as the air has been idle for PIFS, as access points do it.
    pifs: Span,
    backoff: Backoff,
}

impl Announcer {
    /// Returns the announcers of a network's access point. The first frame of each is due at a random part of its interval.
    pub fn all(config: &BssConfig, rules: &QosRules, seed: u64) -> Vec<Announcer> {
        let BssConfig { phy, stations, announcements, .. } = config;
        let of = |announcement: &Announcement| {
            let Announcement { kind, interval, bytes, rate } = *announcement;
            let bytes = if kind.is_beacon() { bytes } else { phy.framing.data(bytes) };
            let rate = rate.unwrap_or(phy.lowest_rate());
            let standard = if phy.dsss.is_some() && is_dsss(rate) { Standard::B } else { OLDEST };
            let cts_rate = phy.response_rate(phy.opening_rate(rate));
            let mut stream = Stream::new(seed, &format!("wlan {} {}", kind.word(), stations[0].name));
            Announcer {
                announcement: *announcement,
                duration: phy.control(bytes, rate),
                bytes,
                rate,
                standard,
                cts: rules.protects(standard).then(|| (phy.control(phy.framing.cts, cts_rate), cts_rate)),
                next: Time::ZERO + Span(stream.below(interval.0)),
                waits: false,
                pifs: rules.sifs + rules.slot,
                backoff: Backoff::none(rules),
            }
        };
        announcements.iter().map(of).collect()
    }

    pub fn kind(&self) -> AnnouncementKind {
        self.announcement.kind
    }

    /// The time from the beginning of the CTS, or of the frame if there is none, to the end of the frame.
    pub fn airtime(&self, sifs: Span) -> Span {
        self.duration + self.cts.map_or(Span::ZERO, |(cts, _)| cts + sifs)
    }

    /// Moves on to the next frame, an interval after the one that was due.
    pub fn advance(&mut self) {
        self.next += self.announcement.interval;
    }

    /// Adds a beacon that comes at `now`. `idle` is `None` if the air is busy.
    pub fn add_beacon(&mut self, now: Time, idle: Option<Idle>) {
        if !self.waits && self.backoff.admit(now, idle.map(|idle| idle.origin(self.pifs))) {
            self.backoff.begin(0);
        }
        self.waits = true;
    }

    /// Whether a beacon waits.
    pub fn contends(&self) -> bool {
        self.waits
    }

    /// Returns when the waiting beacon is sent if the air stays idle; [`Time::NEVER`] if none waits.
    pub fn access_at(&self, idle: Idle) -> Time {
        if self.waits { self.backoff.end(idle.origin(self.pifs)) } else { Time::NEVER }
    }

    /// Stops the countdown: the air, idle until now, falls busy at `now`.
    pub fn freeze(&mut self, now: Time, idle: Idle) {
        if self.backoff.freeze(now, idle.origin(self.pifs), self.waits) {
            self.backoff.begin(0);
        }
    }

    /// Takes the waiting beacon, which is sent now.
    pub fn take(&mut self) {
        self.waits = false;
        self.backoff.take();
    }
}
