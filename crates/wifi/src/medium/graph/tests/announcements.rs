//! Tests of beacons and broadcasts.

use super::*;
use crate::config::{Announcement, AnnouncementKind};
use crate::mac::qos::{BROADCAST_BUFFER, Idle};

const INTERVAL: Span = Span::from_micros(102_400);

fn announcing(stations: usize, kind: AnnouncementKind, interval: Span) -> BssConfig {
    let config = config(stations, HT7, BEST_EFFORT, ALONE);
    BssConfig { announcements: vec![Announcement { kind, interval, bytes: 300, rate: None }], ..config }
}

/// Returns the frames on the air until `end`, where each of `senders` has this number of packets at the beginning.
fn frames(config: &BssConfig, senders: &[u32], packets: u64, end: Time) -> Vec<LoggedFrame<Numbered>> {
    let mut medium = GraphMedium::new(&[config], 1);
    medium.log_frames();
    for number in 0..packets {
        for &from in senders {
            let frame = Frame { to: u32::from(from == 0), bytes: 1500, payload: Numbered(number) };
            medium.enqueue(Time::ZERO, from, None, frame);
        }
    }
    let mut found = Vec::new();
    while medium.next_deadline() < end {
        medium.on_deadline(medium.next_deadline());
        while medium.poll_delivery().is_some() {}
        medium.take_frames(|frame| found.push(frame));
    }
    found
}

fn announced(frames: &[LoggedFrame<Numbered>]) -> Vec<&LoggedFrame<Numbered>> {
    frames.iter().filter(|frame| matches!(frame.body, LoggedBody::Announcement(_))).collect()
}

/// Duration of a beacon of 300 bytes at 6 Mb/s: 2,422 bits with SERVICE and tail are 101 symbols of 4 us, behind 20 us.
const BEACON: Span = Span::from_micros(20 + 101 * 4);

#[test]
fn beacons_come_once_an_interval_and_last_as_long_as_their_bytes_at_the_lowest_rate() {
    let config = announcing(1, AnnouncementKind::Beacon, INTERVAL);
    let frames = frames(&config, &[], 0, Time::ZERO + Span::from_secs(2));
    let starts: Vec<Time> = frames.iter().map(|frame| frame.start).collect();
    assert!(frames.iter().all(|frame| frame.end.since(frame.start) == BEACON && !frame.lost));
    assert!((19..=20).contains(&starts.len()), "{}", starts.len());
    assert!(starts[0] < Time::ZERO + INTERVAL);
    // On idle air each beacon begins with the slot that is next when it is due.
    let late = |pair: &[Time]| pair[1].since(pair[0]).0.abs_diff(INTERVAL.0);
    assert!(starts.windows(2).all(|pair| late(pair) <= config.phy.slot.0), "{starts:?}");
}

/// A busy network does not keep a beacon waiting for longer than the exchange on the air and PIFS.
#[test]
fn beacons_go_before_all_data() {
    let config = announcing(3, AnnouncementKind::Beacon, INTERVAL);
    let first = GraphMedium::<Numbered>::new(&[&config], 1).nodes[0].announcers[0].next;
    let frames = frames(&config, &[0, 1, 2, 3], 500, Time::ZERO + Span::from_millis(400));
    let beacons = announced(&frames);
    assert!(beacons.len() >= 3);
    for (number, beacon) in (0..).zip(beacons) {
        let due = first + INTERVAL * number;
        let meanwhile = |frame: &&LoggedFrame<Numbered>| due < frame.start && frame.start < beacon.start;
        let data =
            frames.iter().filter(meanwhile).filter(|frame| matches!(frame.body, LoggedBody::Data { .. }));
        assert_eq!(data.count(), 0);
        let last = frames.iter().filter(|frame| frame.end <= beacon.start).map(|frame| frame.end).max();
        assert!(beacon.start >= last.expect("the air is busy") + config.phy.sifs + config.phy.slot);
    }
}

#[test]
fn broadcasts_take_turns_with_data_and_nobody_answers_them() {
    let config = announcing(2, AnnouncementKind::Broadcast, Span::from_millis(1));
    let frames = frames(&config, &[1, 2], 300, Time::ZERO + Span::from_millis(100));
    let broadcasts = announced(&frames).len();
    let data = frames.iter().filter(|frame| matches!(frame.body, LoggedBody::Data { .. })).count();
    // Three stations take turns, and each transmits once a turn.
    assert!((0.8..1.3).contains(&(2.0 * broadcasts as f64 / data as f64)), "{broadcasts} and {data}");
    let answers = frames.iter().filter(|frame| matches!(frame.body, LoggedBody::Ack)).count();
    assert!(answers <= data);
}

/// The airtime of all stations is the busy time and the overlap, announcements included.
#[test]
fn airtime_of_announcements_counts() {
    let config = announcing(2, AnnouncementKind::Broadcast, Span::from_millis(3));
    let mut medium = GraphMedium::new(&[&config], 1);
    for number in 0..200 {
        let frame = Frame { to: 0, bytes: 1500, payload: Numbered(number) };
        medium.enqueue(Time::ZERO, 1 + number as u32 % 2, None, frame);
    }
    let end = Time::ZERO + Span::from_millis(500);
    while medium.next_deadline() < end {
        medium.on_deadline(medium.next_deadline());
        while medium.poll_delivery().is_some() {}
    }
    let airtime = (0..3).fold(SpanSum::from(Span::ZERO), |mut sum, station| {
        sum += medium.airtime(end, station);
        sum
    });
    let mut in_all = SpanSum::from(medium.busy(end));
    in_all += medium.medium_stats().overlap;
    assert_eq!(airtime, in_all);
    assert!(medium.airtime(end, 0) > Span::from_millis(60));
}

/// Returns how many of 1,000 broadcasts each station got, and how many it missed.
fn received(config: &BssConfig) -> Vec<(u64, u64)> {
    let mut medium = GraphMedium::<Numbered>::new(&[config], 1);
    let end = Time::ZERO + Span::from_secs(1);
    while medium.next_deadline() < end {
        medium.on_deadline(medium.next_deadline());
    }
    let stats = (0..config.stations.len() as u32).map(|station| medium.station_stats(station));
    stats.map(|stats| (stats.broadcasts, stats.broadcasts_lost)).collect()
}

#[test]
fn all_stations_receive_broadcasts_and_none_counts_beacons() {
    let config = announcing(3, AnnouncementKind::Broadcast, Span::from_millis(1));
    let found = received(&config);
    assert_eq!(found[0], (0, 0));
    assert!((998..=1000).contains(&found[1].0) && found[1].1 == 0, "{found:?}");
    assert!(found[1..].iter().all(|station| *station == found[1]));
    let beacons = announcing(1, AnnouncementKind::Beacon, Span::from_millis(1));
    assert_eq!(received(&beacons), [(0, 0); 2]);
}

/// The frame has 300 bytes and 36 around them, at 24 Mb/s: 16-QAM with a code of a half.
#[test]
fn noise_and_random_loss_take_broadcasts_from_each_station_by_itself() {
    let mut config = announcing(3, AnnouncementKind::Broadcast, Span::from_micros(500));
    let rate = Rate::from_hundred_kbps(240);
    config.announcements[0].rate = Some(rate);
    let snr = 13.0;
    let link = LinkSnr { up: 50.0, down: snr, variation: None };
    config.stations[2].qos.as_mut().expect("it has EDCA").snr = Some(link);
    let chance = 0.25;
    config.stations[3].loss = Some(FrameLoss::of(LossModel::bernoulli(chance)));
    let found = received(&config);
    let share = |station: usize| found[station].1 as f64 / (found[station].0 + found[station].1) as f64;
    let expected = ErrorRate::of(crate::phy::mode::Coding::of_rate(rate), snr).frame(336);
    // The tolerance is four standard deviations with 2,000 frames.
    let near = |found: f64, expected: f64| {
        let width = 4.0 * (expected * (1.0 - expected) / 2000.0).sqrt();
        assert!((found - expected).abs() < width, "{found} instead of {expected}");
    };
    assert!((0.05..0.95).contains(&expected), "{expected}");
    assert_eq!(found[1].1, 0);
    near(share(2), expected);
    near(share(3), chance);
}

/// A station that sends at the same instant hears nothing, and the others hear two frames at once.
#[test]
fn collisions_take_broadcasts_from_all_stations() {
    let config = announcing(2, AnnouncementKind::Broadcast, Span::from_millis(1));
    let mut medium = GraphMedium::new(&[&config], 1);
    for number in 0..500 {
        medium.enqueue(Time::ZERO, 1, None, Frame { to: 0, bytes: 1500, payload: Numbered(number) });
    }
    while medium.next_deadline() < Time::ZERO + Span::from_millis(150) {
        medium.on_deadline(medium.next_deadline());
        while medium.poll_delivery().is_some() {}
    }
    let [sender, other] = [1, 2].map(|station| medium.station_stats(station));
    assert!(sender.broadcasts_lost > 0 && sender.broadcasts > 100, "{sender:?}");
    assert_eq!((sender.broadcasts, sender.broadcasts_lost), (other.broadcasts, other.broadcasts_lost));
    // Each collision takes one broadcast and one frame.
    assert_eq!(sender.broadcasts_lost, sender.collisions);
}

/// A broadcast comes every 100 us, and takes some 530 us: those that are not sent are dropped, but for a full buffer.
#[test]
fn an_access_point_drops_broadcasts_that_come_faster_than_they_leave() {
    let config = announcing(2, AnnouncementKind::Broadcast, Span::from_micros(100));
    let mut medium = GraphMedium::<Numbered>::new(&[&config], 1);
    let end = Time::ZERO + Span::from_secs(1);
    while medium.next_deadline() < end {
        medium.on_deadline(medium.next_deadline());
    }
    let dropped = medium.station_stats(0).broadcasts_dropped;
    for station in 1..=2 {
        let StationStats { broadcasts, broadcasts_lost, broadcasts_dropped, .. } =
            medium.station_stats(station);
        assert!((1700..2000).contains(&broadcasts), "{broadcasts}");
        assert_eq!((broadcasts_lost, broadcasts_dropped), (dropped, 0));
        let held = 10_000 - broadcasts - broadcasts_lost;
        // The first one is due at a random part of the interval, and one may be on the air.
        assert!((BROADCAST_BUFFER..=BROADCAST_BUFFER + 1).contains(&(held as usize)), "{held}");
    }
}

#[test]
fn a_beacon_gives_way_to_the_next() {
    let config = announcing(1, AnnouncementKind::Beacon, Span::from_micros(100));
    let medium = GraphMedium::<Numbered>::new(&[&config], 1);
    let rules = medium.nodes[0].rules;
    let mut beacons = Announcer::all(&config, &rules, 1);
    let due = |beacon: &Announcer| beacon.access_at(Idle::ALWAYS);
    beacons[0].add_beacon(Time(1000), None);
    let first = due(&beacons[0]);
    beacons[0].add_beacon(Time(100_000), None);
    assert_eq!(due(&beacons[0]), first);
    beacons[0].take();
    assert!(!beacons[0].contends());
}

/// An access point gets a packet every 250 us, each of which takes longer to send, and a broadcast every millisecond. What comes first is sent
/// first.
#[test]
fn broadcasts_go_in_turn_with_best_effort() {
    let interval = Span::from_millis(1);
    let config = announcing(1, AnnouncementKind::Broadcast, interval);
    let mut medium = GraphMedium::new(&[&config], 1);
    let first = medium.nodes[0].announcers[0].next;
    medium.log_frames();
    let arrivals: Vec<_> = (0..400).map(|number| (Time(number * 250_000), 0, 1, 1500)).collect();
    let enqueue = |medium: &mut GraphMedium<_>, now, from, frame| _ = medium.enqueue(now, from, None, frame);
    let deadline = |medium: &GraphMedium<Numbered>| {
        if medium.next_deadline() < Time::ZERO + Span::from_millis(100) {
            medium.next_deadline()
        } else {
            Time::NEVER
        }
    };
    arrivals_in(&mut medium, &arrivals, enqueue, deadline, act_graph);
    let (mut broadcasts, mut came) = (0, Vec::new());
    medium.take_frames(|frame| match frame.body {
        LoggedBody::Announcement(_) => {
            came.push(first + interval * broadcasts);
            broadcasts += 1;
        }
        LoggedBody::Data { mpdus, .. } => came.push(Time(mpdus[0].msdus[0].payload.0 * 250_000)),
        _ => {}
    });
    assert!(broadcasts > 30 && came.len() as u64 > 2 * broadcasts, "{broadcasts} of {}", came.len());
    assert!(came.is_sorted(), "{came:?}");
}

/// Voice and broadcasts always have a frame, and no choice of slots.
#[test]
fn voice_goes_before_broadcasts_with_which_it_wins() {
    let mut config = announcing(1, AnnouncementKind::Broadcast, Span::from_micros(300));
    let tied = EdcaParameters { cw_min: 0, cw_max: 0, ..BEST_EFFORT };
    config.stations[0].qos.as_mut().expect("it has EDCA").edca = [tied; 4];
    let mut medium = GraphMedium::new(&[&config], 1);
    medium.log_frames();
    for number in 0..100 {
        let frame = Frame { to: 1, bytes: 1500, payload: Numbered(number) };
        medium.enqueue(Time::ZERO, 0, Some(AccessCategory::Voice), frame);
    }
    let mut before = Vec::new();
    while medium.next_deadline() < Time::ZERO + Span::from_millis(100) {
        let due = medium.next_deadline();
        act_graph(&mut medium, due);
        medium.take_frames(|frame| before.push(matches!(frame.body, LoggedBody::Announcement(_))));
    }
    let first = before.iter().position(|is_broadcast| *is_broadcast).expect("broadcasts follow");
    // Each frame of voice has an ACK.
    assert_eq!(first, 200);
}
