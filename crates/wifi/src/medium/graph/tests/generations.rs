//! Tests of stations of several standards in one network.

use super::*;
use crate::config::{Announcement, AnnouncementKind};

const LONG: Aggregation = Aggregation { ampdu: 65_535, amsdu: 0, duration: None, window: 64 };

/// Returns a network of an access point and two stations of 802.11n, and then one of 802.11a.
fn mixed() -> BssConfig {
    let mut config = config(3, HT7, BEST_EFFORT, LONG);
    let old = config.stations[3].qos.as_mut().expect("it has EDCA");
    (old.mode, old.ap_mode, old.aggregation) = (A54, A54, ALONE);
    config
}

/// Returns the frames on the air, sorted by their start, where for each (`from`, `to`) of `packets` the station `from` has a packet of 1500 bytes
/// for `to`.
fn frames(config: &BssConfig, packets: &[(u32, u32)]) -> Vec<LoggedFrame<Numbered>> {
    let mut medium = GraphMedium::new(&[config], 1);
    medium.log_frames();
    for (number, &(from, to)) in (0..).zip(packets) {
        medium.enqueue(Time::ZERO, from, None, Frame { to, bytes: 1500, payload: Numbered(number) });
    }
    let mut found = Vec::new();
    while medium.next_deadline() < Time::NEVER {
        medium.on_deadline(medium.next_deadline());
        while medium.poll_delivery().is_some() {}
        medium.take_frames(|frame| found.push(frame));
    }
    found
}

fn kind(frame: &LoggedFrame<Numbered>) -> &'static str {
    match frame.body {
        LoggedBody::Rts => "RTS",
        LoggedBody::Cts => "CTS",
        LoggedBody::Ack => "ACK",
        LoggedBody::BlockAck(_) => "block ack",
        LoggedBody::BlockAckRequest(..) => "request",
        LoggedBody::Data { .. } => "data",
        LoggedBody::Announcement(_) => "announcement",
    }
}

#[test]
fn the_access_point_sends_to_each_station_as_that_can_receive() {
    let to = |station| frames(&mixed(), &[(0, station), (0, station)]);
    assert_eq!(to(1).iter().map(kind).collect::<Vec<_>>(), ["data", "ACK", "data", "ACK"]);
    let aggregates = frames(&mixed(), &[(0, 1), (0, 1), (0, 1)]);
    assert_eq!(aggregates.iter().map(kind).collect::<Vec<_>>(), ["data", "ACK", "data", "block ack"]);
    let alone = frames(&mixed(), &[(0, 3), (0, 3), (0, 3)]);
    assert_eq!(alone.iter().map(kind).collect::<Vec<_>>(), ["data", "ACK", "data", "ACK", "data", "ACK"]);
    assert_eq!(alone[0].sent, crate::medium::Sent::Mode(A54));
}

/// A station sends 802.11n data to the access point, and the others hear it.
#[test]
fn an_older_station_waits_for_eifs_after_a_ppdu_that_it_cannot_decode_and_learns_no_nav_from_it() {
    let config = mixed();
    let mut medium = GraphMedium::new(&[&config], 1);
    medium.enqueue(Time::ZERO, 1, None, Frame { to: 0, bytes: 1500, payload: Numbered(0) });
    let data_end = loop {
        medium.on_deadline(medium.next_deadline());
        if let Some(frame) = medium.air.first() {
            break frame.end;
        }
    };
    medium.on_deadline(data_end);
    let [new, old] = [medium.view(2), medium.view(3)];
    let ack = config.phy.ack(Rate::from_hundred_kbps(240));
    assert_eq!((new.nav_until, new.eifs_until), (data_end + config.phy.sifs + ack, Time::ZERO));
    assert_eq!((old.nav_until, old.eifs_until), (Time::ZERO, data_end + config.phy.eifs - config.phy.difs));
    // The older station decodes the ACK, as all do.
    while medium.next_deadline() < Time::NEVER {
        medium.on_deadline(medium.next_deadline());
        while medium.poll_delivery().is_some() {}
    }
    assert_eq!(medium.view(3).eifs_until, Time::ZERO);
}

#[test]
fn protection_goes_before_what_the_oldest_station_cannot_decode() {
    for (protection, expected) in [
        (Protection::None, &["data", "ACK"][..]),
        (Protection::CtsToSelf, &["CTS", "data", "ACK"]),
        (Protection::RtsCts, &["RTS", "CTS", "data", "ACK"]),
    ] {
        let config = BssConfig { protection, ..mixed() };
        let new = frames(&config, &[(1, 0)]);
        assert_eq!(new.iter().map(kind).collect::<Vec<_>>(), expected);
        let end = new.last().expect("there are some").end;
        assert!(new.iter().all(|frame| frame.end + frame.nav == end && !frame.lost), "{new:?}");
        let old = frames(&config, &[(3, 0)]);
        assert_eq!(old.iter().map(kind).collect::<Vec<_>>(), ["data", "ACK"]);
        let mut all_new = config.clone();
        all_new.stations.pop();
        assert_eq!(frames(&all_new, &[(1, 0)]).len(), 2);
    }
}

/// Stations that begin a CTS-to-self together do not hear each other's, and their data collide, too: a sender learns of it from the missing
/// answer alone.
#[test]
fn every_frame_arrives_with_any_protection() {
    for protection in Protection::ALL {
        let config = BssConfig { protection, ..mixed() };
        let mut medium = GraphMedium::new(&[&config], 1);
        let packets: Vec<_> = (0..600).map(|n| (Time(n * 10_000), 1 + n as u32 % 3, 0, 1500)).collect();
        let enqueue = |medium: &mut GraphMedium<_>, now, from, frame| {
            medium.enqueue(now, from, None, frame);
        };
        arrivals_in(&mut medium, &packets, enqueue, GraphMedium::next_deadline, act_graph);
        let delivered: u64 = (1..4).map(|station| medium.station_stats(station).delivered).sum();
        let collisions: u64 = (1..4).map(|station| medium.station_stats(station).collisions).sum();
        assert_eq!(delivered, 600, "{protection:?}");
        assert!(collisions > 0, "{protection:?}: {collisions}");
    }
}

const AX_2_4: Mode = Mode { standard: Standard::Ax, band: Band::Ghz2_4, ..HT7 };
const B11: Mode = Mode { standard: Standard::B, mcs: 3, ..AX_2_4 };

/// Returns a network of an access point and two stations of 802.11ax, and then one of 802.11b.
fn beside_dsss(protection: Protection) -> BssConfig {
    let mut config = config(3, AX_2_4, BEST_EFFORT, LONG);
    let old = config.stations[3].qos.as_mut().expect("it has EDCA");
    (old.mode, old.ap_mode, old.aggregation, old.edca) = (B11, B11, ALONE, [EdcaParameters::DSSS; 4]);
    let phy = Phy::with_modes(Standard::Ax, Band::Ghz2_4, Rate::from_hundred_kbps(240));
    config.phy = phy
        .beside_dsss(Rate::from_hundred_kbps(110), Preamble::Long)
        .expect("it is a rate of 802.11b")
        .with_long_slots();
    config.phy.access.countdown = Countdown::Edca;
    BssConfig { protection, ..config }
}

/// A sender waits for SIFS, a slot and the preamble of the answer (IEEE 802.11-2020, 10.3.2.11 and table 16-4), which is long at 1 Mb/s. Every
/// frame is lost.
#[test]
fn a_sender_waits_for_the_preamble_of_the_answer() {
    for (preamble, mcs, waits) in [
        (Preamble::Long, 3, 10 + 20 + 192),
        (Preamble::Short, 3, 10 + 20 + 96),
        (Preamble::Short, 0, 10 + 20 + 192),
    ] {
        let mut config = beside_dsss(Protection::None);
        let phy = Phy::with_modes(Standard::Ax, Band::Ghz2_4, Rate::from_hundred_kbps(240));
        let phy = phy.beside_dsss(Rate::from_hundred_kbps(110), preamble).expect("it is a rate of 802.11b");
        config.phy = phy.with_long_slots();
        let old = &mut config.stations[3];
        let qos = old.qos.as_mut().expect("it has EDCA");
        qos.mode = Mode { mcs, dsss_preamble: preamble, ..B11 };
        old.loss = Some(FrameLoss::of(LossModel::bernoulli(1.0)));
        let mut medium = GraphMedium::<Numbered>::new(&[&config], 1);
        medium.enqueue(Time::ZERO, 3, None, Frame { to: 0, bytes: 1500, payload: Numbered(0) });
        while medium.air.is_empty() {
            medium.on_deadline(medium.next_deadline());
        }
        let end = medium.air[0].end;
        medium.on_deadline(end);
        assert_eq!(medium.timeouts, [(end + Span::from_micros(waits), 3)], "{preamble:?}, MCS {mcs}");
    }
}

/// Durations by hand, in microseconds: 1500 bytes with 24 of header, 8 of LLC and 4 of FCS at 11 Mb/s, and 14 bytes, each behind 192.
#[test]
fn frames_of_802_11b_have_no_qos_and_go_by_dsss_in_both_directions() {
    let config = beside_dsss(Protection::CtsToSelf);
    for (from, to) in [(3, 0), (0, 3)] {
        let found = frames(&config, &[(from, to)]);
        let spans: Vec<_> = found.iter().map(|frame| frame.end.since(frame.start).0 / 1000).collect();
        assert_eq!(found.iter().map(kind).collect::<Vec<_>>(), ["data", "ACK"]);
        assert_eq!(spans, [192 + 1118, 192 + 11]);
        assert!(matches!(found[0].body, LoggedBody::Data { category: None, is_aggregate: false, .. }));
        assert_eq!(found[0].sent, crate::medium::Sent::Mode(B11));
    }
}

/// A CTS at 11 Mb/s lasts 192 + 11 us, an RTS 192 + 15; the answer to OFDM is OFDM.
#[test]
fn what_802_11b_cannot_decode_is_protected_at_a_rate_of_dsss() {
    let spans = |found: &[LoggedFrame<Numbered>]| -> Vec<_> {
        found.iter().map(|frame| (kind(frame), frame.end.since(frame.start).0 / 1000)).collect()
    };
    let data = AX_2_4.ppdu(4 + 26 + 8 + 1500 + 4).0 / 1000;
    let cts = ("CTS", 192 + 11);
    let to_self = frames(&beside_dsss(Protection::CtsToSelf), &[(1, 0)]);
    assert_eq!(spans(&to_self), [cts, ("data", data), ("ACK", 34)]);
    assert_eq!(to_self[0].end + to_self[0].nav, to_self[2].end);
    let exchange = frames(&beside_dsss(Protection::RtsCts), &[(0, 2)]);
    assert_eq!(spans(&exchange), [("RTS", 192 + 15), cts, ("data", data), ("ACK", 34)]);
}

/// A station of 802.11b senses the energy of OFDM, from which it has neither a NAV nor EIFS; from the CTS it has a NAV.
/// IEEE 802.11-2020, 10.27.2: data that a station of 802.11b cannot decode, broadcasts included. Those at 1 Mb/s it decodes.
#[test]
fn broadcasts_by_ofdm_are_protected_from_802_11b() {
    let announced = |protection, rate| {
        let (kind, interval) = (AnnouncementKind::Broadcast, Span::from_millis(5));
        let announcements = vec![Announcement { kind, interval, bytes: 300, rate }];
        let config = BssConfig { announcements, ..beside_dsss(protection) };
        let mut medium = GraphMedium::<Numbered>::new(&[&config], 1);
        medium.log_frames();
        medium.log_turns();
        let mut found = Vec::new();
        while medium.next_deadline() < Time::ZERO + Span::from_millis(50) {
            medium.on_deadline(medium.next_deadline());
            medium.take_frames(|frame| found.push(frame));
        }
        let airtime = medium.turns().iter().map(|turn| {
            assert_eq!((turn.from, turn.to, turn.mpdus), (0, 0, 1));
            turn.end.since(turn.start)
        });
        let airtime = airtime.fold(Span::ZERO, |sum, turn| sum + turn);
        assert_eq!(airtime, medium.busy(Time::ZERO + Span::from_millis(50)));
        (config, found)
    };
    let ofdm = Some(Rate::from_hundred_kbps(240));
    for protection in [Protection::CtsToSelf, Protection::RtsCts] {
        let (config, found) = announced(protection, ofdm);
        assert!(found.len() >= 18);
        for pair in found.chunks_exact(2) {
            assert_eq!([kind(&pair[0]), kind(&pair[1])], ["CTS", "announcement"]);
            assert_eq!(pair[0].sent, crate::medium::Sent::Legacy(Rate::from_hundred_kbps(110)));
            assert_eq!(pair[1].start, pair[0].end + config.phy.sifs);
            assert_eq!(pair[0].end + pair[0].nav, pair[1].end);
        }
    }
    for (protection, rate) in [(Protection::None, ofdm), (Protection::CtsToSelf, None)] {
        let (_, found) = announced(protection, rate);
        assert!(found.len() >= 9 && found.iter().all(|frame| kind(frame) == "announcement"));
    }
}

#[test]
fn a_station_of_802_11b_learns_from_dsss_alone() {
    for (protection, has_nav) in [(Protection::None, false), (Protection::CtsToSelf, true)] {
        let config = beside_dsss(protection);
        let mut medium = GraphMedium::<Numbered>::new(&[&config], 1);
        medium.enqueue(Time::ZERO, 1, None, Frame { to: 0, bytes: 1500, payload: Numbered(0) });
        let is_data = |frame: &Transmission| frame.part == air::Part::Data;
        while !medium.air.iter().any(is_data) {
            medium.on_deadline(medium.next_deadline());
        }
        assert!(medium.view(3).is_busy());
        let data_end = medium.air[0].end;
        medium.on_deadline(data_end);
        let old = medium.view(3);
        assert_eq!((old.nav_until > data_end, old.eifs_until), (has_nav, Time::ZERO), "{protection:?}");
        assert!(!old.is_busy());
    }
}

/// A network without stations of 802.11b is beside one with them: its slots are short, and its CTS holds for the other's stations, too.
#[test]
fn a_neighbours_cts_reaches_stations_of_802_11b() {
    let mut neighbour = config(1, AX_2_4, BEST_EFFORT, LONG);
    let phy = Phy::with_modes(Standard::Ax, Band::Ghz2_4, Rate::from_hundred_kbps(240));
    let phy = phy.beside_dsss(Rate::from_hundred_kbps(110), Preamble::Long).expect("it is a rate of 802.11b");
    neighbour.phy = phy;
    neighbour.protection = Protection::CtsToSelf;
    let mut medium = GraphMedium::<Numbered>::new(&[&beside_dsss(Protection::CtsToSelf), &neighbour], 1);
    let slots = [0, 5].map(|station: usize| medium.nodes[station].rules.slot.0 / 1000);
    assert_eq!(slots, [20, 9]);
    medium.enqueue(Time::ZERO, 5, None, Frame { to: 0, bytes: 1500, payload: Numbered(0) });
    let is_data = |frame: &Transmission| frame.part == air::Part::Data;
    while !medium.air.iter().any(is_data) {
        medium.on_deadline(medium.next_deadline());
    }
    let data_end = medium.air[0].end;
    assert!(medium.view(3).nav_until > data_end);
}

/// Without places all stations sense each other. A station of 802.11b too far away to sense the energy of OFDM sends into it, unless a CTS keeps
/// it quiet.
#[test]
fn protection_keeps_a_distant_station_of_802_11b_from_colliding() {
    let collisions = |protection| {
        let mut config = beside_dsss(protection);
        let place = |x| Some(crate::config::Place { x, y: 0.0, tx_power: 20.0 });
        for (station, x) in config.stations.iter_mut().zip([0.0, 20.0, 0.5, -20.0]) {
            station.place = place(x);
            station.qos.as_mut().expect("it has EDCA").aggregation = ALONE;
        }
        let path_loss = crate::phy::propagation::PathLoss {
            model: crate::phy::propagation::PathLossModel::LogDistance,
            exponent: 3.0,
            frequency: 2.4,
        };
        config.radio =
            Some(crate::config::Radio { path_loss, sense: crate::config::SenseSettings::column(0) });
        let mut medium = GraphMedium::new(&[&config], 1);
        for number in 0..400 {
            for from in [1, 3] {
                medium.enqueue(
                    Time::ZERO,
                    from,
                    None,
                    Frame { to: 0, bytes: 1500, payload: Numbered(number) },
                );
            }
        }
        while medium.next_deadline() < Time::ZERO + Span::from_millis(400) {
            medium.on_deadline(medium.next_deadline());
            while medium.poll_delivery().is_some() {}
        }
        medium.station_stats(1).collisions + medium.station_stats(3).collisions
    };
    let [bare, protected] = [Protection::None, Protection::CtsToSelf].map(collisions);
    assert!(bare > 2 * protected.max(10), "{bare} and {protected}");
}

/// There is one saturated station of 802.11b, its access point and nobody else: DIFS and a mean of 15.5 slots of 20 us, 1310 us of data, SIFS,
/// and an ACK.
#[test]
fn a_station_of_802_11b_alone_carries_what_dcf_carries() {
    let mut config = beside_dsss(Protection::CtsToSelf);
    config.stations.swap_remove(1);
    config.stations.remove(2);
    let expected = 1472.0 * 8.0 / (50.0 + 310.0 + 192.0 + 1118.0 + 10.0 + 192.0 + 11.0);
    let found = saturation(&config, 1472, 20);
    assert!((found / expected - 1.0).abs() < 0.005, "{found} instead of {expected}");
}
