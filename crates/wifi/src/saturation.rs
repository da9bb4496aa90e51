//! Saturated stations, for comparisons of throughput with models and other simulators.

use airfair_core::schema::Settings;
use airfair_core::{Phase, Rate, Span, Time};

use crate::config::{BssConfig, Discipline, MacSettings, Protection, QueueConfig, QueueLimit, StationConfig};
use crate::mac::{Frame, Payload};
use crate::medium::{Delivery, SharedMedium};
use crate::phy::Phy;

/// The results of a saturated run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Frames received per second, all stations together.
    pub frames_per_second: f64,
    /// Share of attempts that ended in a collision.
    pub collision_rate: f64,
    /// Share of the received frames that the access point sent.
    pub downlink_share: f64,
}

/// Index of the sender of a frame, so that a frame that is given up can be replaced.
#[derive(Clone, Copy, Debug, Default)]
struct Origin(u32);

impl Payload for Origin {
    fn phase(&self) -> Phase {
        Phase::FIRST
    }

    fn flow(&self) -> u64 {
        u64::from(self.0)
    }

    fn mark(&mut self) -> bool {
        false
    }
}

/// Returns a BSS of an access point and `stations` stations without frame errors, with RTS/CTS before all data
/// frames or none, and with retry limits of 7 and 4.
pub fn bss(phy: Phy, stations: u32, rate: Rate, rts: bool) -> BssConfig {
    let station = |index| StationConfig {
        name: format!("station {index}"),
        data_rate: rate,
        ap_data_rate: rate,
        queue: QueueConfig {
            limit: QueueLimit::Packets(4),
            discipline: Discipline::default(),
            rate,
            weights: Vec::new(),
        },
        loss: None,
        place: None,
        hears: None,
        qos: None,
    };
    BssConfig {
        phy,
        mac: MacSettings { rts_threshold: rts.then_some(0), ..MacSettings::column(0) },
        protection: Protection::None,
        announcements: Vec::new(),
        radio: None,
        stations: (0..=stations).map(station).collect(),
    }
}

/// Returns the pairs of sender and receiver where every station of 1..=`stations` sends to the access point.
pub fn uplinks(stations: u32) -> Vec<(u32, u32)> {
    (1..=stations).map(|station| (station, 0)).collect()
}

/// Runs for `duration` after half a second of warm-up, with MSDUs of `bytes` bytes always waiting for each
/// (sender, receiver) of `pairs`. A sender may occur only once.
pub fn saturate(config: &BssConfig, pairs: &[(u32, u32)], bytes: u32, duration: Span, seed: u64) -> Outcome {
    let mut bss = SharedMedium::new(config, seed);
    let frame = |from, to| Frame { to, bytes, payload: Origin(from) };
    for &(from, to) in pairs {
        bss.enqueue(Time::ZERO, from, frame(from, to));
        bss.enqueue(Time::ZERO, from, frame(from, to));
    }
    let warm = Time::ZERO + Span::from_millis(500);
    let counts = |bss: &SharedMedium<Origin>| (*bss.medium_stats(), bss.station_stats(0).delivered);
    let run = |bss: &mut SharedMedium<Origin>, until: Time| {
        while bss.next_deadline() < until {
            let now = bss.next_deadline();
            bss.on_deadline(now);
            if let Some(Delivery { from, to, .. }) = bss.poll_delivery() {
                bss.enqueue(now, from, frame(from, to));
            }
            while let Some(Frame { to, payload: Origin(from), .. }) = bss.poll_failure() {
                bss.enqueue(now, from, frame(from, to));
            }
        }
        counts(bss)
    };
    let (before, downlink_before) = run(&mut bss, warm);
    let (after, downlink_after) = run(&mut bss, warm + duration);
    let delivered = (after.delivered - before.delivered) as f64;
    let attempts = (after.attempts - before.attempts) as f64;
    Outcome {
        frames_per_second: delivered / duration.as_secs(),
        collision_rate: 1.0 - (after.exchanges - before.exchanges) as f64 / attempts,
        downlink_share: (downlink_after - downlink_before) as f64 / delivered,
    }
}
