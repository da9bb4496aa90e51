//! Beacons and broadcasts of an access point: to all stations, by default at the lowest basic rate, without an answer (IEEE 802.11-2020, 10.6.5
//! and 11.1.3).

use airfair_core::{Rate, Span, Stream, Time};

use super::{Backoff, Idle, QosRules};
use crate::config::{Announcement, AnnouncementKind, BssConfig, StationConfig};
use crate::phy::edca::{AccessCategory, EdcaParameters};
use crate::phy::is_dsss;
use crate::phy::mode::{OLDEST, Standard};

/// Beacons wait for no slot of a backoff: they go as soon as the air has been idle for PIFS, as access points do it.
const BEACON: EdcaParameters = EdcaParameters { aifsn: 1, cw_min: 0, cw_max: 0, txop: Span::ZERO };

/// An access point's frames of one kind.
#[derive(Debug)]
pub(crate) struct Announcer {
    pub announcement: Announcement,
    /// Of a frame.
    pub duration: Span,
    /// Header and check sequence included.
    pub bytes: u32,
    pub rate: Rate,
    /// Stations of older standards do not decode it.
    pub standard: Standard,
    access: Access,
    /// That from its next backoff on.
    next_access: Access,
    /// When the next frame is due.
    pub next: Time,
    waiting: u32,
    backoff: Backoff,
    stream: Stream,
}

/// How it gets at the air.
#[derive(Clone, Copy, Debug)]
struct Access {
    aifs: Span,
    cw: u32,
}

impl Access {
    /// Broadcasts have the parameters of the access point's best effort.
    fn of(kind: AnnouncementKind, access_point: &StationConfig, rules: &QosRules) -> Access {
        let best_effort = access_point.qos.as_ref().map(|qos| qos.edca[AccessCategory::BestEffort as usize]);
        let parameters = if kind.is_beacon() { BEACON } else { best_effort.unwrap_or(BEACON) };
        Access { aifs: rules.sifs + rules.slot * u64::from(parameters.aifsn), cw: parameters.cw_min }
    }
}

impl Announcer {
    /// Those of a network's access point, the most urgent first. The first frame of each is due at a random part of its interval.
    pub fn all(config: &BssConfig, rules: &QosRules, seed: u64) -> Vec<Announcer> {
        let BssConfig { phy, stations, announcements, .. } = config;
        let access_point = &stations[0];
        let of = |announcement: &Announcement| {
            let Announcement { kind, interval, bytes, rate } = *announcement;
            let bytes = if kind.is_beacon() { bytes } else { phy.framing.data(bytes) };
            let access = Access::of(kind, access_point, rules);
            let rate = rate.unwrap_or(phy.lowest_rate());
            let name = format!("wlan {} {}", kind.word(), access_point.name);
            let mut stream = Stream::new(seed, &name);
            Announcer {
                announcement: *announcement,
                duration: phy.control(bytes, rate),
                bytes,
                rate,
                standard: if phy.dsss.is_some() && is_dsss(rate) { Standard::B } else { OLDEST },
                access,
                next_access: access,
                next: Time::ZERO + Span(stream.below(interval.0)),
                waiting: 0,
                backoff: Backoff::none(rules),
                stream,
            }
        };
        announcements.iter().map(of).collect()
    }

    /// Its access point's parameters change, from its next backoff on.
    pub fn change(&mut self, access_point: &StationConfig, rules: &QosRules) {
        self.next_access = Access::of(self.announcement.kind, access_point, rules);
        if !self.counts_down() && !self.contends() {
            self.access = self.next_access;
        }
    }

    /// A frame is due at `now`; the air is `idle`, or busy.
    pub fn add(&mut self, now: Time, idle: Option<Idle>) {
        self.next += self.announcement.interval;
        self.waiting += 1;
        let origin = idle.map(|idle| idle.origin(self.access.aifs));
        if self.waiting == 1 && self.backoff.admit(now, origin) {
            self.draw_backoff();
        }
    }

    pub fn contends(&self) -> bool {
        self.waiting > 0
    }

    /// Whether a backoff runs while the air is idle.
    pub fn counts_down(&self) -> bool {
        !self.backoff.is_none()
    }

    /// When it transmits, if the air stays idle; [`Time::NEVER`] if nothing waits.
    pub fn access_at(&self, idle: Idle) -> Time {
        if self.contends() { self.backoff.end(idle.origin(self.access.aifs)) } else { Time::NEVER }
    }

    /// The air, idle until now, falls busy at `now`.
    pub fn freeze(&mut self, now: Time, idle: Idle) {
        if self.backoff.freeze(now, idle.origin(self.access.aifs), self.contends()) {
            self.draw_backoff();
        }
    }

    /// A frame goes out. A backoff follows, whether another waits or not.
    pub fn take(&mut self) {
        self.waiting -= 1;
        self.draw_backoff();
    }

    fn draw_backoff(&mut self) {
        self.access = self.next_access;
        self.backoff.begin(self.stream.below(u64::from(self.access.cw) + 1) as u32);
    }
}
