//! Stations of several standards in one network.

use super::*;

const LONG: Aggregation = Aggregation { ampdu: 65_535, amsdu: 0, duration: None, window: 64 };

/// An access point and two stations of 802.11n, and then one of 802.11a.
fn mixed() -> BssConfig {
    let mut config = config(3, HT7, BEST_EFFORT, LONG);
    let old = config.stations[3].qos.as_mut().expect("it has EDCA");
    (old.mode, old.ap_mode, old.aggregation) = (A54, A54, ALONE);
    config
}

/// The frames on the air after `from` has got these packets of 1500 bytes, sorted by their start.
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

/// 802.11n data to the access point that the others hear, and what they make of it.
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
    let [new, old] = [&medium.nodes[2], &medium.nodes[3]];
    let ack = config.phy.ack(Rate::from_hundred_kbps(240));
    assert_eq!((new.nav_until, new.eifs_until), (data_end + config.phy.sifs + ack, Time::ZERO));
    assert_eq!((old.nav_until, old.eifs_until), (Time::ZERO, data_end + config.phy.eifs - config.phy.difs));
    // It decodes the ACK, as all do.
    while medium.next_deadline() < Time::NEVER {
        medium.on_deadline(medium.next_deadline());
        while medium.poll_delivery().is_some() {}
    }
    assert_eq!(medium.nodes[3].eifs_until, Time::ZERO);
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

/// Both sides of a CTS-to-self collide unheard, and their data, too: the sender learns of it from the missing answer alone.
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
