//! Tests of stations that hear only the stations that their configuration names.

use super::*;
use crate::config::{Announcement, AnnouncementKind};

/// Sets which stations hear which, by their names in the configuration: `hears[station][other]` says whether `station` hears `other`.
fn let_hear(config: &mut BssConfig, hears: &[Vec<bool>]) {
    let names: Vec<_> = config.stations.iter().map(|station| station.name.clone()).collect();
    for (station, hears) in config.stations.iter_mut().zip(hears) {
        let heard = names.iter().zip(hears).filter(|(_, hears)| **hears);
        station.hears = Some(heard.map(|(name, _)| name.clone()).collect());
    }
}

/// A frame as a station hears it.
struct Heard<'a> {
    frame: &'a LoggedFrame<Numbered>,
    decoded: bool,
}

/// Returns until when the frames that `station` heard before `now` keep it from the air: until they end, or as long as they reserve it.
fn must_wait_until(frames: &[LoggedFrame<Numbered>], hears: &[Vec<bool>], station: u32, now: Time) -> Time {
    let reaches =
        |from: u32| from == station || from == 0 || station == 0 || hears[station as usize][from as usize];
    let audible = || frames.iter().filter(|frame| reaches(frame.from));
    let heard = audible().filter(|frame| frame.start < now).map(|frame| {
        let overlaps = |other: &LoggedFrame<_>| other.start < frame.end && frame.start < other.end;
        Heard { frame, decoded: audible().filter(|other| overlaps(other)).count() == 1 }
    });
    let until = heard.map(|Heard { frame, decoded }| {
        let is_for_others = frame.from != station && frame.to != station && frame.end <= now;
        frame.end + if decoded && is_for_others { frame.nav } else { Span::ZERO }
    });
    until.max().unwrap_or(Time::ZERO)
}

proptest! {
    /// Whichever stations hear each other, an exchange begins AIFS after all that its sender hears, sends and has decoded the NAV of (IEEE
    /// 802.11-2020, 10.23.2.4), and no RTS is answered while a NAV runs (10.3.2.9).
    #[test]
    fn no_station_transmits_while_it_should_defer(
        (stations, frames, hears) in (1u32..6).prop_flat_map(|stations| {
            let all = stations as usize + 1;
            let hears = prop::collection::vec(prop::collection::vec(prop::bool::ANY, all), all);
            (Just(stations), offered(stations), hears)
        }),
        rts in prop::bool::ANY,
        ampdu in prop::sample::select(vec![0u32, 65_535]),
    ) {
        let aggregation = Aggregation { ampdu, amsdu: 0, duration: None, window: 64 };
        let mut config = config(stations as usize, HT7, BEST_EFFORT, aggregation);
        config.mac.rts_threshold = rts.then_some(0);
        let_hear(&mut config, &hears);
        let aifs = config.phy.sifs + config.phy.slot * u64::from(BEST_EFFORT.aifsn);
        let mut medium = GraphMedium::new(&[&config], 5);
        medium.log_frames();
        let enqueue = |medium: &mut GraphMedium<_>, now, from, frame| {
            medium.enqueue(now, from, None, frame);
        };
        arrivals_in(&mut medium, &frames, enqueue, GraphMedium::next_deadline, act_graph);
        let mut on_air = Vec::new();
        medium.take_frames(|frame| on_air.push(frame));
        for frame in &on_air {
            let begins = match &frame.body {
                LoggedBody::Rts => true,
                LoggedBody::Data { .. } | LoggedBody::BlockAckRequest(..) => !rts,
                _ => false,
            };
            if begins {
                let until = must_wait_until(&on_air, &hears, frame.from, frame.start);
                prop_assert!(until == Time::ZERO || frame.start >= until + aifs, "{frame:?} before {until:?}");
            } else if frame.body == LoggedBody::Cts {
                let requested = frame.start.since(Time::ZERO + config.phy.sifs);
                let until = must_wait_until(&on_air, &hears, frame.from, Time::ZERO + requested);
                prop_assert!(until <= Time::ZERO + requested, "{frame:?} before {until:?}");
            }
        }
    }
}

proptest! {
    /// Stations that share a view of the air act like those that each listen for themselves, to all others. This also holds with beacons,
    /// losses and stations that do not decode the others' frames, so that no NAV holds them back.
    #[test]
    fn a_crowd_does_as_its_stations(
        (stations, frames) in (1u32..8).prop_flat_map(|stations| (Just(stations), offered(stations))),
        rts in prop::bool::ANY,
        loss in prop::sample::select(vec![0.0, 0.2]),
        txop in prop::sample::select(vec![0u64, 3_000]),
        older in prop::bool::ANY,
    ) {
        let aggregation = Aggregation { ampdu: 65_535, amsdu: 0, duration: None, window: 64 };
        let mut config = lossy(stations as usize, loss, aggregation, txop);
        config.stations.iter_mut().filter(|_| loss == 0.0).for_each(|station| station.loss = None);
        config.mac.rts_threshold = rts.then_some(0);
        let beacons = Announcement { kind: AnnouncementKind::Beacon, interval: Span::from_millis(3), bytes: 100, rate: None };
        config.announcements.push(beacons);
        if older && stations > 2 {
            let qos = config.stations[2].qos.as_mut().expect("it has EDCA");
            qos.mode = Mode { standard: Standard::A, ..qos.mode };
            qos.ap_mode = qos.mode;
            config.protection = Protection::None;
        }
        let outcome = |config: &BssConfig| {
            let mut medium = GraphMedium::new(&[config], 5);
            medium.log_frames();
            let enqueue = |medium: &mut GraphMedium<_>, now, from, frame| {
                medium.enqueue(now, from, None, frame);
            };
            let mut arrivals = Vec::new();
            let until = Time(70_000_000);
            let deadline = |medium: &GraphMedium<_>| Some(medium.next_deadline()).filter(|due| *due < until).unwrap_or(Time::NEVER);
            arrivals.extend(arrivals_in(&mut medium, &frames, enqueue, deadline, act_graph));
            let mut on_air = Vec::new();
            medium.take_frames(|frame| on_air.push(frame));
            let stats: Vec<_> = (0..=stations).map(|station| medium.station_stats(station)).collect();
            (arrivals, on_air, stats)
        };
        let crowd = outcome(&config);
        let all = stations as usize + 1;
        let_hear(&mut config, &vec![vec![true; all]; all]);
        prop_assert_eq!(crowd, outcome(&config));
    }
}

/// The second station hears the first one, which hears the access point alone; all hear the other network's access point, which hears nobody.
#[test]
fn a_station_hears_those_that_it_says_and_its_access_point() {
    let mut first = config(2, HT7, BEST_EFFORT, ALONE);
    let mut second = config(1, HT7, BEST_EFFORT, ALONE);
    second.stations.iter_mut().for_each(|station| station.name = format!("other {}", station.name));
    first.stations[1].hears = Some(vec!["s0".to_owned(), "other s0".to_owned()]);
    first.stations[2].hears = Some(vec!["s1".to_owned(), "other s0".to_owned()]);
    first.stations[0].hears = Some(vec!["other s0".to_owned()]);
    second.stations[0].hears = Some(Vec::new());
    let listeners = Hearing::new(&[&first, &second]).listeners.expect("not all hear all");
    let listeners: Vec<Vec<u32>> =
        listeners.iter().map(|listeners| listeners.iter().map(|(listener, _)| *listener).collect()).collect();
    assert_eq!(listeners, [vec![1, 2, 4], vec![0, 2, 4], vec![0, 4], vec![0, 1, 2, 4], vec![3]]);
}

proptest! {
    /// Stations that look on together perceive what each would perceive for itself: here each says that it hears all others.
    #[test]
    fn a_crowd_hears_what_each_of_it_would_hear(
        (stations, frames) in (2u32..7).prop_flat_map(|stations| (Just(stations), offered(stations))),
        rts in prop::bool::ANY,
        (old, lossy) in (0usize..7, 0usize..14),
        announces in prop::bool::ANY,
        ampdu in prop::sample::select(vec![0u32, 65_535]),
    ) {
        let aggregation = Aggregation { ampdu, amsdu: 0, duration: None, window: 64 };
        let mut config = config(stations as usize, HT7, BEST_EFFORT, aggregation);
        config.mac.rts_threshold = rts.then_some(0);
        if let Some(qos) = config.stations.get_mut(old).filter(|_| old > 0).and_then(|old| old.qos.as_mut()) {
            (qos.mode, qos.ap_mode, qos.aggregation) = (A54, A54, ALONE);
        }
        if let Some(lossy) = config.stations.get_mut(lossy) {
            lossy.loss = Some(FrameLoss::of(LossModel::bernoulli(0.2)));
        }
        if announces {
            let interval = Span::from_micros(5_120);
            let kinds = [AnnouncementKind::Beacon, AnnouncementKind::Broadcast];
            config.announcements =
                kinds.map(|kind| Announcement { kind, interval, bytes: 200, rate: None }).to_vec();
        }
        let together = all_on_air(&config, &frames);
        let everybody = vec![vec![true; config.stations.len()]; config.stations.len()];
        let_hear(&mut config, &everybody);
        prop_assert_eq!(together, all_on_air(&config, &frames));
    }
}

/// Returns what is on the air until two seconds have passed, and the counts of all stations.
fn all_on_air(
    config: &BssConfig,
    frames: &[(Time, u32, u32, u32)],
) -> (Vec<LoggedFrame<Numbered>>, Vec<StationStats>) {
    let mut medium = GraphMedium::new(&[config], 5);
    medium.log_frames();
    let end = Time::ZERO + Span::from_secs(2);
    let deadline = |medium: &GraphMedium<_>| {
        Some(medium.next_deadline()).filter(|due| *due < end).unwrap_or(Time::NEVER)
    };
    let enqueue = |medium: &mut GraphMedium<_>, now, from, frame| {
        medium.enqueue(now, from, None, frame);
    };
    arrivals_in(&mut medium, frames, enqueue, deadline, act_graph);
    let mut on_air = Vec::new();
    medium.take_frames(|frame| on_air.push(frame));
    (on_air, (0..config.stations.len() as u32).map(|station| medium.station_stats(station)).collect())
}
