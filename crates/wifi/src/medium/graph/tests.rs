//! Tests of the medium against closed forms, and of what must hold in any run.

use airfair_core::schema::Settings;
use airfair_core::{LossModel, Phase, Rate, Span, SpanSum, Time};
use airfair_queue::{Discipline, QueueConfig, QueueLimit};

use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::*;
use crate::bianchi::of_exchanges;
use crate::config::{
    Aggregation, DriverQueue, LinkSnr, MacSettings, Protection, QosConfig, RateControl, SnrPoint,
};

mod announcements;
mod arrivals;
mod generations;
mod hearing;
mod openings;
mod outage;
use crate::medium::log::{BlockAck, LoggedBody, LoggedFrame, owed};
use crate::medium::{Delivery, SharedMedium, Turn, TurnOutcome};
use crate::phy::edca::EdcaParameters;
use crate::phy::error_rate::ErrorRate;
use crate::phy::errors::FrameLoss;
use crate::phy::mode::{Band, Mode, Standard, Timing, Width};
use crate::phy::signal::SnrVariation;
use crate::phy::{Countdown, Phy, Preamble, Retry};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Numbered(u64);

impl Payload for Numbered {
    fn phase(&self) -> Phase {
        Phase::FIRST
    }

    fn flow(&self) -> u64 {
        0
    }

    fn mark(&mut self) -> bool {
        false
    }
}

const HT7: Mode = Mode {
    standard: Standard::N,
    band: Band::Ghz5,
    width: Width::Mhz20,
    nss: 1,
    mcs: 7,
    guard_interval: Span(800),
    timing: Timing::Standard,
    dsss_preamble: Preamble::Long,
};
const A54: Mode = Mode { standard: Standard::A, mcs: 7, ..HT7 };
const BEST_EFFORT: EdcaParameters = EdcaParameters { aifsn: 3, cw_min: 15, cw_max: 1023, txop: Span::ZERO };
const VIDEO: EdcaParameters = EdcaParameters { aifsn: 2, cw_min: 7, cw_max: 15, txop: Span::ZERO };
const LONG_TXOP: EdcaParameters = EdcaParameters { txop: Span::from_micros(3520), ..BEST_EFFORT };
const ALONE: Aggregation = Aggregation { ampdu: 0, amsdu: 0, duration: None, window: 64 };

fn config(stations: usize, mode: Mode, edca: EdcaParameters, aggregation: Aggregation) -> BssConfig {
    let rate = mode.rate();
    let qos = QosConfig {
        mode,
        ap_mode: mode,
        edca: [edca; 4],
        category: AccessCategory::BestEffort,
        driver: DriverQueue::Frames(500),
        aggregation,
        rate_control: RateControl::Fixed,
        snr: None,
        snr_trace: [].into(),
    };
    let station = |index: usize| StationConfig {
        name: format!("s{index}"),
        data_rate: rate,
        ap_data_rate: rate,
        queue: QueueConfig {
            limit: QueueLimit::Packets(500),
            discipline: Default::default(),
            rate,
            weights: Vec::new(),
        },
        loss: None,
        place: None,
        hears: None,
        qos: Some(Box::new(qos.clone())),
    };
    let mut phy = Phy::ieee80211a(Rate::from_hundred_kbps(240));
    phy.access.countdown = Countdown::Edca;
    BssConfig {
        phy,
        mac: MacSettings::column(0),
        protection: Protection::None,
        announcements: Vec::new(),
        radio: None,
        stations: (0..=stations).map(station).collect(),
    }
}

/// Hides the stations from each other: they hear the access point alone, and it hears all.
fn hide_from_each_other(config: &mut BssConfig) {
    config.stations[1..].iter_mut().for_each(|station| station.hears = Some(Vec::new()));
}

/// Returns the UDP payload that arrives at station 0 per second, in Mb/s, where all others always have packets of `payload` bytes and 28 more.
fn saturation(config: &BssConfig, payload: u32, seconds: u64) -> f64 {
    let mut medium = GraphMedium::new(&[config], 1);
    let mut number = 0;
    let mut delivered = 0u64;
    let senders = 1..config.stations.len() as u32;
    let QueueLimit::Packets(limit) = config.stations[1].queue.limit else { panic!("it counts packets") };
    let mut now = Time::ZERO;
    while now < Time::ZERO + Span::from_secs(seconds) {
        for from in senders.clone() {
            while medium.queue_frames(from) < limit * 3 / 5 {
                number += 1;
                medium.enqueue(
                    now,
                    from,
                    None,
                    Frame { to: 0, bytes: payload + 28, payload: Numbered(number) },
                );
            }
        }
        now = medium.next_deadline();
        medium.on_deadline(now);
        while medium.poll_delivery().is_some() {
            delivered += u64::from(payload);
        }
    }
    delivered as f64 * 8.0 / now.as_secs() / 1e6
}

/// Returns the HE mode that a row of ns-3's table names: `HeMcs4_80MHz` and the like.
fn he(name: &str) -> Mode {
    let (mcs, width) =
        name.strip_prefix("HeMcs").and_then(|rest| rest.split_once('_')).expect("a mode's name");
    let width = Width::ALL.into_iter().find(|it| it.word().replace(' ', "") == width).expect("a width");
    Mode { standard: Standard::Ax, mcs: mcs.parse().expect("an index"), width, ..HT7 }
}

/// Returns the payload in Mb/s by Bianchi's model, of stations that send aggregates of `frames` MPDUs of 1538 bytes with a payload of 1500 bytes.
/// After a collision slots count DIFS after its end, or `eifs`; an exchange is followed by `slots` of its own.
fn modelled(phy: &Phy, mode: Mode, frames: u32, eifs: bool, stations: u32, slots: u64) -> f64 {
    const MPDU: u32 = 1538;
    let (psdu, answer) = match frames {
        1 => (MPDU, phy.framing.ack),
        _ => (frames * (4 + MPDU).next_multiple_of(4), 32),
    };
    let psdu = if frames == 1 && mode.standard.always_aggregates() { psdu + 4 } else { psdu };
    let data = mode.ppdu(psdu);
    let answer = phy.plcp.duration(answer, phy.response_rate(mode.reference_rate()));
    let success = data + phy.sifs + answer + phy.difs;
    let collision = if eifs { success } else { data + phy.difs };
    let model = of_exchanges(phy, success + phy.slot * slots, collision, stations);
    model.frames_per_second * f64::from(frames) * 1500.0 * 8.0 / 1e6
}

/// Returns a network on the model's assumptions: AIFS is DIFS, nothing is given up, and all wait equally long after a collision.
fn idealised(stations: u32, mode: Mode, frames: u32, eifs: bool) -> BssConfig {
    let bytes = if frames == 1 { 0 } else { frames * 1544 };
    let edca = EdcaParameters { aifsn: 2, ..BEST_EFFORT };
    let aggregation = Aggregation { ampdu: bytes, amsdu: 0, duration: None, window: 256 };
    let mut config = config(stations as usize, mode, edca, aggregation);
    config.mac.short_retry_limit = 1_000_000;
    let phy = &mut config.phy;
    let answer = if frames == 1 { phy.framing.ack } else { 32 };
    let longer = phy.sifs + phy.plcp.duration(answer, phy.response_rate(mode.reference_rate()));
    phy.eifs = phy.difs + if eifs { longer } else { Span::ZERO };
    phy.ack_retry = Retry::always(phy.eifs - phy.difs);
    config
}

/// ns-3's table has Bianchi's closed form with a slot at the end of each success.
#[test]
fn the_closed_form_gives_the_published_table() {
    let table = include_str!("../../../tests/data/ns3_bianchi_he.csv");
    for row in table.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let fields: Vec<&str> = row.split(',').collect();
        let (eifs, mode) = (fields[0] == "eifs", he(fields[1]));
        for (stations, published) in [5, 20, 50].into_iter().zip(&fields[2..]) {
            let phy = idealised(1, mode, 1, eifs).phy;
            let found = modelled(&phy, mode, 1, eifs, stations, 1);
            let published: f64 = published.parse().expect("a rate");
            // ns-3's table has no delimiter before a single MPDU: 4 bytes are a symbol more here and there (13.6 us of some 300).
            assert!((found / published - 1.0).abs() < 0.01, "{row}, {stations} stations: {found}");
        }
    }
}

/// Every slot of EDCA counts when it begins, those that turn busy too: Bianchi's assumption that all slots are alike.
#[test]
fn saturated_stations_carry_what_bianchi_says() {
    let single = [("HeMcs0_20MHz", 1), ("HeMcs5_20MHz", 1), ("HeMcs11_20MHz", 1), ("HeMcs7_160MHz", 1)];
    let aggregates = [("HeMcs4_20MHz", 4), ("HeMcs11_20MHz", 32), ("HeMcs7_80MHz", 64)];
    for (name, frames) in single.into_iter().chain(aggregates) {
        for (stations, eifs) in [(2, false), (5, true), (10, false), (20, true), (50, false), (50, true)] {
            let mode = he(name);
            let config = idealised(stations, mode, frames, eifs);
            let found = saturation(&config, 1472, 60) * 1500.0 / 1472.0;
            let model = modelled(&config.phy, mode, frames, eifs, stations, 0);
            let named = format!("{name}, {stations} stations, {frames} MPDUs: {found} Mb/s");
            assert!((found / model - 1.0).abs() < 0.02, "{named}, closed form {model}");
        }
    }
}

/// The closed form of IEEE 802.11-2020 for one station: PPDU, SIFS, answer, AIFS and the mean backoff. Expected values are as calculated for
/// ns-3's examples of aggregation and TXOPs (`examples/wireless`), whose allowed ranges they lie in.
#[test]
fn one_station_carries_what_the_closed_form_says() {
    let whole = Aggregation { ampdu: 65_535, amsdu: 0, duration: None, window: 64 };
    let msdus = Aggregation { ampdu: 0, amsdu: 7935, duration: None, window: 64 };
    for (mode, edca, aggregation, expected) in [
        (HT7, BEST_EFFORT, ALONE, 30.79),
        (HT7, BEST_EFFORT, whole, 59.75),
        (HT7, BEST_EFFORT, msdus, 51.90),
        (A54, BEST_EFFORT, ALONE, 28.97),
        (A54, EdcaParameters { txop: Span::from_micros(4096), ..BEST_EFFORT }, ALONE, 36.88),
        (A54, VIDEO, ALONE, 32.58),
        // A TXOP of 3520 us has room for 12 exchanges of 272 us with SIFS between them; for 18 MPDUs in 3460 us; or for three A-MSDUs of five
        // frames, and then one frame alone, which is all that fits.
        (HT7, LONG_TXOP, ALONE, 39.81),
        (HT7, LONG_TXOP, whole, 58.58),
        (HT7, LONG_TXOP, msdus, 53.79),
    ] {
        let found = saturation(&config(1, mode, edca, aggregation), 1472, 10);
        assert!((found / expected - 1.0).abs() < 1e-3, "{found} Mb/s instead of {expected}");
    }
}

/// The network has ns-3's settings: its durations, and A-MPDUs of 65,535 bytes. ns-3's examples allow 135 and 630 Mb/s, which are widened by 0.5
/// % here.
#[test]
fn wide_channels_carry_no_more_than_ns3_allows() {
    let whole = Aggregation { ampdu: 65_535, amsdu: 0, duration: None, window: 64 };
    let short = Mode { guard_interval: Span(400), timing: Timing::Ns3, ..HT7 };
    let ht = Mode { width: Width::Mhz40, ..short };
    let vht = Mode { standard: Standard::Ac, width: Width::Mhz160, mcs: 9, ..short };
    for (mode, most) in [(ht, 135.0), (vht, 630.0)] {
        let found = saturation(&config(1, mode, BEST_EFFORT, whole), 1472, 10);
        assert!(found > 0.95 * most && found < 1.005 * most, "{found} Mb/s, of {most}");
    }
}

/// 802.11be fills a block ack of 1024 MPDUs: over 320 MHz with two streams a symbol of 13.6 us has 78,400 bits. So 1024 MPDUs of 1538 bytes, 1544 in
/// the aggregate, take 162 symbols behind a preamble of 58.4 us. The block ack has 152 bytes, for which 24 Mb/s need 72 us.
#[test]
fn a_block_ack_covers_as_many_mpdus_as_the_standard_has() {
    let (eht, width, band) = (Standard::Be, Width::Mhz320, Band::Ghz6);
    let mode = Mode { standard: eht, band, width, nss: 2, mcs: 13, ..HT7 };
    let aggregation =
        Aggregation { ampdu: eht.most_ampdu_bytes(), amsdu: 0, duration: None, window: eht.most_window() };
    let mut config = config(1, mode, BEST_EFFORT, aggregation);
    let station = &mut config.stations[1];
    station.queue.limit = QueueLimit::Packets(4000);
    station.qos.as_mut().expect("it has EDCA").driver = DriverQueue::Frames(2048);
    let found = saturation(&config, 1472, 10);
    let cycle = 58.4 + 162.0 * 13.6 + 16.0 + 72.0 + 43.0 + 67.5;
    let expected = 1024.0 * 1472.0 * 8.0 / cycle;
    assert!((found / expected - 1.0).abs() < 1e-3, "{found} Mb/s instead of {expected}");
}

/// The PPDU of an aggregate lasts no longer than its limit, unless it is a single MPDU.
#[test]
fn aggregates_last_no_longer_than_their_limit() {
    let slow = Mode { mcs: 0, ..HT7 };
    for (micros, mpdus) in [(5484, 2), (4000, 2), (3000, 1), (1000, 1)] {
        let duration = Some(Span::from_micros(micros));
        let aggregation = Aggregation { ampdu: 65_535, amsdu: 0, duration, window: 64 };
        let found = saturation(&config(1, slow, BEST_EFFORT, aggregation), 1472, 10);
        // The answer is an ACK or a block ack at 6 Mb/s.
        let (bytes, answer) = if mpdus == 1 { (1538, 44.0) } else { (2 * 1544 - 2, 68.0) };
        let cycle = slow.ppdu(bytes).as_secs() + (16.0 + answer + 43.0 + 67.5) * 1e-6;
        let expected = 11.776e-3 * f64::from(mpdus) / cycle;
        assert!((found / expected - 1.0).abs() < 1e-3, "{micros} us: {found} Mb/s instead of {expected}");
    }
}

/// Two fast stations and a slow one, to which the access point always has frames, under the airtime queue limit: each has a third of the
/// air, although the aggregates of the slow one last longer.
#[test]
fn the_airtime_queue_limit_leaves_shares_to_the_scheduler() {
    let whole = Aggregation { ampdu: 65_535, amsdu: 0, duration: None, window: 64 };
    let fast = Mode { nss: 2, guard_interval: Span(400), ..HT7 };
    let mut config = config(3, fast, BEST_EFFORT, whole);
    let ms = Span::from_millis;
    for station in &mut config.stations {
        let qos = station.qos.as_mut().expect("it has EDCA");
        qos.driver = DriverQueue::Airtime { low: ms(5), high: ms(12), total: ms(24) };
        station.queue.limit = QueueLimit::Packets(1000);
        station.queue.discipline = Discipline::named("airtime_drr").expect("a discipline");
    }
    let slow = config.stations[3].qos.as_mut().expect("it has EDCA");
    slow.ap_mode = Mode { nss: 1, mcs: 0, ..fast };
    let mut medium = GraphMedium::new(&[&config], 1);
    medium.log_turns();
    let (mut now, mut number, mut held) = (Time::ZERO, 0, [0u32; 4]);
    while now < Time::ZERO + Span::from_secs(10) {
        for to in 1..=3 {
            while held[to as usize] < 300 {
                number += 1;
                held[to as usize] += 1;
                medium.enqueue(now, 0, None, Frame { to, bytes: 1500, payload: Numbered(number) });
            }
        }
        now = medium.next_deadline();
        medium.on_deadline(now);
        while let Some(delivery) = medium.poll_delivery() {
            held[delivery.to as usize] -= 1;
        }
    }
    let airtime = |to: Option<u32>| {
        let turns = medium.turns().iter().filter(|turn| to.is_none_or(|to| turn.to == to));
        turns.fold(Span::ZERO, |sum, turn| sum + turn.end.since(turn.start)).as_secs()
    };
    for to in 1..=3 {
        let share = airtime(Some(to)) / airtime(None);
        assert!((share * 3.0 - 1.0).abs() < 0.01, "station {to} has {share} of the air");
    }
}

/// The access point always has frames for both stations. Half of the frames to station 1 and from it are lost, and it sends 1000 a second. It owes
/// airtime for all attempts of the access point, and for those of its frames that arrive: both stations get the same.
#[test]
fn an_access_point_charges_nobody_for_frames_that_it_does_not_get() {
    let mut config = config(2, HT7, BEST_EFFORT, ALONE);
    config.stations[1].loss = Some(FrameLoss::of(LossModel::bernoulli(0.5)));
    let access_point = &mut config.stations[0];
    access_point.qos.as_mut().expect("it has EDCA").driver = DriverQueue::Frames(1);
    access_point.queue.discipline = Discipline::named("airtime_drr").expect("a discipline");
    let mut medium = GraphMedium::new(&[&config], 1);
    medium.log_turns();
    let frame = |to| Frame { to, bytes: 1500, payload: Numbered(0) };
    for tick in 0..40_000u64 {
        let now = Time::ZERO + Span::from_micros(250 * tick);
        while medium.next_deadline() < now {
            let due = medium.next_deadline();
            act_graph(&mut medium, due);
        }
        medium.enqueue(now, 0, None, frame(1));
        medium.enqueue(now, 0, None, frame(2));
        if tick % 4 == 0 {
            medium.enqueue(now, 1, None, frame(0));
        }
    }
    let ratio = owed(medium.turns(), 1) / owed(medium.turns(), 2);
    assert!((ratio - 1.0).abs() < 0.01, "{ratio}");
}

/// A frame's arrival: its time, its sender, its number.
type Arrival = (Time, u32, u64);

/// Enqueues the `offered` frames at their times, and returns those that arrive.
fn arrivals_in<M>(
    medium: &mut M,
    offered: &[(Time, u32, u32, u32)],
    enqueue: impl Fn(&mut M, Time, u32, Frame<Numbered>),
    deadline: impl Fn(&M) -> Time,
    act: impl Fn(&mut M, Time) -> Vec<Delivery<Numbered>>,
) -> Vec<Arrival> {
    let mut arrivals = Vec::new();
    let mut offered = (0..).zip(offered).peekable();
    loop {
        let next = offered.peek().map_or(Time::NEVER, |(_, (at, ..))| *at);
        let due = deadline(medium);
        if next == Time::NEVER && due == Time::NEVER {
            return arrivals;
        }
        if next <= due {
            let Some((number, &(at, from, to, bytes))) = offered.next() else { continue };
            enqueue(medium, at, from, Frame { to, bytes, payload: Numbered(number) });
        } else {
            let delivered = act(medium, due);
            arrivals.extend(delivered.into_iter().map(|it| (due, it.from, it.payload.0)));
        }
    }
}

fn act_graph(medium: &mut GraphMedium<Numbered>, now: Time) -> Vec<Delivery<Numbered>> {
    medium.on_deadline(now);
    std::iter::from_fn(|| medium.poll_delivery().map(Delivery::copied)).collect()
}

/// Returns random arrivals at `stations` stations, in the order of time: frames to the access point, or from it.
fn offered(stations: u32) -> impl Strategy<Value = Vec<(Time, u32, u32, u32)>> {
    let frame = (0u64..60_000_000, 0..=stations, 1..=stations, 40u32..1500);
    prop::collection::vec(frame, 1..200).prop_map(|mut frames| {
        frames.sort();
        let route = |(at, from, to, bytes)| (Time(at), from, if from == 0 { to } else { 0 }, bytes);
        frames.into_iter().map(route).collect()
    })
}

/// Returns a frame on the air without its rate and its addresses above the MAC: its times, its NAV, its ends, its fate, its type, the number of
/// its packet and whether it is a retry.
fn outline(frame: &LoggedFrame<Numbered>) -> impl Ord + std::fmt::Debug + use<> {
    let LoggedFrame { from, to, start, end, nav, lost, .. } = *frame;
    let (kind, packet) = match &frame.body {
        LoggedBody::Rts => (0, None),
        LoggedBody::Cts => (1, None),
        LoggedBody::Data { mpdus, .. } => (2, Some((mpdus[0].msdus[0].payload.0, mpdus[0].retry))),
        LoggedBody::Ack => (3, None),
        LoggedBody::BlockAck(_) | LoggedBody::BlockAckRequest(..) | LoggedBody::Announcement(_) => (4, None),
    };
    (start, end, nav, from, to, lost, kind, packet)
}

/// Slots go on while the air is idle (IEEE 802.11-2020, 10.23.2.4, f): a frame that comes during a slot is sent as the next one begins, and may
/// then collide.
#[test]
fn a_frame_that_comes_into_a_slot_waits_for_its_end() {
    let config = config(2, A54, BEST_EFFORT, ALONE);
    let phy = &config.phy;
    let mut medium = GraphMedium::new(&[&config], 1);
    medium.log_frames();
    let frame = |number| Frame { to: 0, bytes: 100, payload: Numbered(number) };
    medium.enqueue(Time::ZERO, 1, None, frame(0));
    let run = |medium: &mut GraphMedium<Numbered>| {
        let mut frames = Vec::new();
        while medium.next_deadline() != Time::NEVER {
            let now = medium.next_deadline();
            act_graph(medium, now);
        }
        medium.take_frames(|frame| frames.push((frame.from, frame.start, frame.end)));
        frames
    };
    let end = run(&mut medium)[1].2;
    let slot = |number: u64| end + phy.sifs + phy.slot * (3 + number);
    medium.enqueue(slot(100) + Span(1), 1, None, frame(1));
    medium.enqueue(slot(101) - Span(1), 2, None, frame(2));
    let frames = run(&mut medium);
    assert_eq!([frames[0].1, frames[1].1], [slot(101); 2]);
}

proptest! {
    /// With DCF's parameters and one frame an exchange, where all stations hear each other, every frame arrives when it does in the shared
    /// medium, and the frames on the air are the same. The data are longer by a QoS header.
    ///
    /// With EIFS and timeouts, some slots count sooner than others. A frame that came in between and would be sent without a backoff needs one if
    /// another station is faster (IEEE 802.11-2020, 10.23.2.2); the shared medium gives it none. So all frames come at the beginning then.
    #[test]
    fn equals_the_shared_medium_where_all_hear_all(
        (stations, mut frames) in (1u32..6).prop_flat_map(|stations| (Just(stations), offered(stations))),
        rts in prop::bool::ANY,
        eifs in prop::bool::ANY,
        told in prop::bool::ANY,
        loses in prop::bool::ANY,
    ) {
        let dcf = EdcaParameters { aifsn: 2, ..BEST_EFFORT };
        let mut graph = config(stations as usize, A54, dcf, ALONE);
        graph.mac.rts_threshold = rts.then_some(0);
        graph.mac.long_retry_limit = graph.mac.short_retry_limit;
        graph.phy.access.countdown = Countdown::Dcf;
        if eifs {
            frames.iter_mut().for_each(|frame| frame.0 = Time::ZERO);
        } else {
            let phy = &mut graph.phy;
            (phy.eifs, phy.ack_retry) = (phy.difs, Retry::always(Span::ZERO));
        }
        for qos in graph.stations.iter_mut().filter_map(|station| station.qos.as_mut()) {
            // With one frame at a time in the driver, frames leave in the order in which they came, whoever their receiver is.
            qos.driver = DriverQueue::Frames(1);
        }
        // Behind an RTS the shared medium counts lost data and lost RTS apart.
        if eifs && !rts && loses {
            // Only data frames are lost, after which their receiver waits for EIFS.
            for station in &mut graph.stations[1..] {
                station.loss = Some(FrameLoss::of(LossModel::bernoulli(0.3)));
            }
        }
        let mut shared = graph.clone();
        // With EDCA a space follows the timeout; with DCF it runs meanwhile.
        let resumes = shared.phy.ack_retry.usual + shared.phy.difs;
        (shared.phy.ack_retry, shared.phy.cts_retry) = (Retry::always(resumes), resumes);
        shared.stations.iter_mut().for_each(|station| station.qos = None);
        if told {
            let all: Vec<_> = graph.stations.iter().map(|station| station.name.clone()).collect();
            graph.stations.iter_mut().for_each(|station| station.hears = Some(all.clone()));
        }
        let (mut shared, mut graph) = (SharedMedium::new(&shared, 7), GraphMedium::new(&[&graph], 7));
        shared.log_frames();
        graph.log_frames();
        let in_shared = arrivals_in(
            &mut shared,
            &frames,
            |medium, now, from, frame| { medium.enqueue(now, from, Frame { bytes: frame.bytes + 2, ..frame }); },
            SharedMedium::next_deadline,
            |medium, now| { medium.on_deadline(now); medium.poll_delivery().map(Delivery::copied).into_iter().collect() },
        );
        let in_graph = arrivals_in(
            &mut graph,
            &frames,
            |medium, now, from, frame| { medium.enqueue(now, from, None, frame); },
            GraphMedium::next_deadline,
            act_graph,
        );
        prop_assert_eq!(in_graph, in_shared);
        let (mut on_air_in_shared, mut on_air_in_graph) = (Vec::new(), Vec::new());
        shared.take_frames(|frame| on_air_in_shared.push(outline(&frame)));
        graph.take_frames(|frame| on_air_in_graph.push(outline(&frame)));
        // Frames that begin together have no order.
        on_air_in_shared.sort();
        on_air_in_graph.sort();
        prop_assert_eq!(on_air_in_graph, on_air_in_shared);
    }
}

/// Returns a network of stations with up to MCS 7, and with this loss, aggregation and TXOP limit.
fn lossy(stations: usize, loss: f64, aggregation: Aggregation, txop: u64) -> BssConfig {
    let edca = EdcaParameters { txop: Span::from_micros(txop), ..BEST_EFFORT };
    let mut config = config(stations, HT7, edca, aggregation);
    for station in &mut config.stations[1..] {
        station.loss = Some(FrameLoss::of(LossModel::bernoulli(loss)));
    }
    config
}

/// Checks that what arrives was in an MPDU that was not lost, and that block acks say which MPDUs were lost.
fn check_frames(on_air: &[LoggedFrame<Numbered>], arrivals: &[(Time, u32, u64)]) {
    assert!(on_air.is_sorted_by_key(|frame| frame.start));
    let mut decoded = BTreeMap::new();
    let mut arrived = BTreeSet::new();
    for frame in on_air {
        match &frame.body {
            LoggedBody::Data { mpdus, .. } => {
                for mpdu in mpdus {
                    let link = (frame.from, frame.to, mpdu.number);
                    let is_known = decoded.insert(link, !mpdu.lost || decoded.get(&link) == Some(&true));
                    assert_eq!(is_known.is_some(), mpdu.retry, "{frame:?}");
                    if !mpdu.lost {
                        assert!(!frame.lost);
                        arrived.extend(mpdu.msdus.iter().map(|msdu| (frame.from, msdu.payload.0)));
                    }
                }
            }
            LoggedBody::BlockAck(BlockAck { first, arrived, .. }) => {
                for (number, &arrived) in (*first..).zip(arrived) {
                    let is_decoded = decoded.get(&(frame.to, frame.from, number)).copied();
                    assert_eq!(arrived, is_decoded.unwrap_or(false), "{number} of {frame:?}");
                }
            }
            LoggedBody::Rts | LoggedBody::Cts | LoggedBody::Ack => {}
            LoggedBody::BlockAckRequest(..) | LoggedBody::Announcement(_) => {}
        }
    }
    assert!(arrivals.iter().all(|&(_, from, number)| arrived.contains(&(from, number))));
}

/// The queue has room for two frames and the driver for one.
#[test]
fn frames_that_find_no_room_leave_at_once() {
    let mut config = config(1, HT7, BEST_EFFORT, ALONE);
    for station in &mut config.stations {
        station.queue.limit = QueueLimit::Packets(3);
        let qos = station.qos.as_mut().expect("a station has EDCA");
        qos.driver = DriverQueue::Frames(1);
    }
    let mut medium = GraphMedium::new(&[&config], 3);
    medium.watch_departures(1);
    let left = |medium: &mut GraphMedium<Numbered>| {
        let mut left: Vec<_> = std::iter::from_fn(|| medium.poll_departure()).map(|frame| frame.0).collect();
        left.sort_unstable();
        left
    };
    for number in 0..5 {
        medium.enqueue(Time::ZERO, 1, None, Frame { to: 0, bytes: 1500, payload: Numbered(number) });
    }
    assert_eq!(left(&mut medium), [3, 4]);
    while medium.next_deadline() < Time::NEVER {
        let due = medium.next_deadline();
        act_graph(&mut medium, due);
    }
    assert_eq!(left(&mut medium), [0, 1, 2]);
}

/// 30,000 bytes hold many short frames and long ones, wherever each of them waits: as they fill the queue, when all have left, and under a limit
/// that was in frames before.
#[test]
fn a_limit_in_bytes_counts_each_frame_that_the_driver_holds_by_its_own() {
    let whole = Aggregation { ampdu: 65_535, amsdu: 0, duration: None, window: 64 };
    for driver in
        [DriverQueue::Frames(u32::MAX), DriverQueue::Aggregates { most: 1, airtime: Span::from_millis(4) }]
    {
        let mut config = config(1, HT7, BEST_EFFORT, whole);
        config.stations[0].qos.as_mut().expect("it has EDCA").driver = driver;
        let mut medium = GraphMedium::new(&[&config], 3);
        config.stations[0].queue.limit = QueueLimit::Bytes(30_000);
        let accepted = |medium: &mut GraphMedium<Numbered>, now: Time, bytes: &[u32]| {
            let enqueue =
                |&&bytes: &&u32| medium.enqueue(now, 0, None, Frame { to: 1, bytes, payload: Numbered(0) });
            bytes.iter().filter(enqueue).count()
        };
        let mut now = Time::ZERO;
        // These frames come under the limit in frames.
        assert_eq!(accepted(&mut medium, now, &[40; 250]), 250);
        medium.change(now, 0, &config);
        assert_eq!(
            accepted(&mut medium, now, &[1500, 18_000, 501, 500, 1]),
            3,
            "10,000 are there, and 20,000 fit"
        );
        while medium.next_deadline() < Time::NEVER {
            now = medium.next_deadline();
            act_graph(&mut medium, now);
        }
        assert_eq!(accepted(&mut medium, now, &[1500; 21]), 20, "nothing of those that have left counts");
    }
}

proptest! {
    /// Whatever is lost on the air, frames of a station to another arrive at most once and in order. Those that do not arrive were given up or
    /// found no room. The stations' airtime is the time that the medium was busy and the overlap.
    #[test]
    fn frames_arrive_once_and_in_order_or_are_given_up(
        (stations, frames) in (1u32..6).prop_flat_map(|stations| (Just(stations), offered(stations))),
        loss in 0.0f64..0.6,
        ampdu in prop::sample::select(vec![0u32, 4000, 65_535]),
        amsdu in prop::sample::select(vec![0u32, 3900]),
        window in prop::sample::select(vec![2u32, 8, 64]),
        duration in prop::sample::select(vec![None, Some(Span::from_millis(1))]),
        rate_control in prop::sample::select(vec![RateControl::Fixed, RateControl::Minstrel]),
        driver in prop::sample::select(vec![
            None,
            Some(DriverQueue::Airtime {
                low: Span::from_millis(1),
                high: Span::from_millis(3),
                total: Span::from_millis(4),
            }),
            Some(DriverQueue::Aggregates { most: 2, airtime: Span::from_millis(1) }),
        ]),
        txop in prop::sample::select(vec![0u64, 3000]),
        hidden in prop::bool::ANY,
    ) {
        let mut config = lossy(stations as usize, loss, Aggregation { ampdu, amsdu, duration, window }, txop);
        for qos in config.stations.iter_mut().filter_map(|station| station.qos.as_mut()) {
            qos.rate_control = rate_control;
            qos.driver = driver.unwrap_or(qos.driver);
        }
        if hidden {
            hide_from_each_other(&mut config);
        }
        let mut medium = GraphMedium::new(&[&config], 3);
        medium.log_frames();
        (0..=stations).for_each(|station| medium.watch_departures(station));
        if rate_control == RateControl::Minstrel {
            // Minstrel starts with MCS 0: a receiver would not wait long enough, and then drop what comes too late.
            medium.nodes.iter_mut().for_each(|node| node.rules.reorder_timeout = Span::from_secs(10));
        }
        let arrivals = arrivals_in(
            &mut medium,
            &frames,
            |medium, now, from, frame| { medium.enqueue(now, from, None, frame); },
            GraphMedium::next_deadline,
            act_graph,
        );
        let mut on_air = Vec::new();
        medium.take_frames(|frame| on_air.push(frame));
        check_frames(&on_air, &arrivals);
        let mut last = BTreeMap::new();
        for &(_, from, number) in &arrivals {
            let (_, _, to, _) = frames[number as usize];
            let before = last.insert((from, if from == 0 { to } else { 0 }), number);
            prop_assert!(before.is_none_or(|before| before < number), "{number} comes after {before:?}");
        }
        let end = arrivals.last().map_or(Time::ZERO, |&(at, ..)| at) + Span::from_secs(1);
        let stats: Vec<_> = (0..=stations).map(|station| medium.station_stats(station)).collect();
        let given_up: u64 = stats.iter().map(|stats| stats.dropped_retries).sum();
        let delivered: u64 = stats.iter().map(|stats| stats.delivered).sum();
        prop_assert_eq!(delivered, arrivals.len() as u64);
        prop_assert_eq!(delivered + given_up, frames.len() as u64);
        prop_assert!((0..=stations).all(|station| medium.queue_frames(station) == 0));
        let departed: Vec<_> = std::iter::from_fn(|| medium.poll_departure()).map(|frame| frame.0).collect();
        prop_assert_eq!(departed.len(), frames.len());
        prop_assert_eq!(departed.iter().collect::<BTreeSet<_>>().len(), frames.len(), "each leaves once");
        let airtime: Span = stats.iter().fold(Span::ZERO, |sum, stats| sum + stats.airtime);
        let MediumStats { busy, overlap, .. } = *medium.medium_stats();
        let mut in_all = SpanSum::from(busy);
        in_all += overlap;
        prop_assert_eq!(SpanSum::from(airtime), in_all);
        prop_assert!(busy <= end.since(Time::ZERO));
    }
}

/// Returns a network of an access point and a station with these signal-to-noise ratios, in this mode.
fn noisy(snr: LinkSnr, mode: Mode, aggregation: Aggregation) -> BssConfig {
    let mut config = config(1, mode, BEST_EFFORT, aggregation);
    config.stations[1].qos.as_mut().expect("it has EDCA").snr = Some(snr);
    config
}

/// Sends `frames` frames of `bytes` bytes, `gap` microseconds apart. Returns the medium behind the last one.
fn send(config: &BssConfig, from: u32, bytes: u32, gap: u64, frames: u64) -> GraphMedium<Numbered> {
    let mut medium = GraphMedium::new(&[config], 1);
    medium.log_turns();
    let frames: Vec<_> = (0..frames).map(|n| (Time(n * gap * 1000), from, 1 - from, bytes)).collect();
    let enqueue = |medium: &mut GraphMedium<_>, now, from, frame| {
        medium.enqueue(now, from, None, frame);
    };
    arrivals_in(&mut medium, &frames, enqueue, GraphMedium::next_deadline, act_graph);
    medium
}

/// With one frame an exchange, an attempt fails if noise destroys its data at the receiver or its ACK at the sender.
#[test]
fn noise_destroys_as_many_exchanges_as_the_error_rates_of_data_and_ack_say() {
    let mode = Mode { mcs: 0, ..HT7 };
    let snr = LinkSnr { up: 2.5, down: 3.0, variation: None };
    let error = |snr, bytes| ErrorRate::of_data(&mode, snr).frame(bytes);
    let config = noisy(snr, mode, ALONE);
    for (from, data, ack) in [(1, snr.up, snr.down), (0, snr.down, snr.up)] {
        let stats = send(&config, from, 4, 1000, 20_000).station_stats(from);
        let found = stats.lossy_attempts as f64 / stats.attempts as f64;
        // There are 38 bytes around the packet. Data and ACK have BPSK 1/2.
        let expected = 1.0 - (1.0 - error(data, 42)) * (1.0 - error(ack, 14));
        assert!((found - expected).abs() < 0.01, "{found} instead of {expected}");
        assert!((0.15..0.6).contains(&expected));
    }
}

#[test]
fn a_trace_decides_at_both_ends_from_its_times_on() {
    let mut config = noisy(LinkSnr { up: -20.0, down: -20.0, variation: None }, HT7, ALONE);
    let points = [(0, 40.0), (1, -20.0), (2, 40.0)];
    let points = points.map(|(seconds, snr)| SnrPoint { from: Span::from_secs(seconds), snr });
    config.stations[1].qos.as_mut().expect("it has EDCA").snr_trace = Arc::from(points);
    for from in [0, 1] {
        let medium = send(&config, from, 100, 10_000, 300);
        // The frame whose attempts go on at 2 s gets through then.
        let arrived = |from: f64, to: f64| {
            let during = |turn: &&Turn| (from..to).contains(&(turn.start.0 as f64 / 1e9));
            let turns = medium.turns().iter().filter(during);
            turns.filter(|turn| turn.outcome == TurnOutcome::Acknowledged).count()
        };
        assert_eq!((arrived(0.0, 1.0), arrived(1.0, 1.9)), (100, 0), "{from}");
        assert!(arrived(1.9, 3.0) >= 100, "{from}");
    }
}

#[test]
fn noise_destroys_as_many_mpdus_of_an_aggregate_as_their_error_rate_says() {
    let aggregation = Aggregation { ampdu: 65_535, amsdu: 0, duration: None, window: 64 };
    for snr in [22.9, 23.5, 24.5] {
        let medium = send(
            &noisy(LinkSnr { up: snr, down: 30.0, variation: None }, HT7, aggregation),
            1,
            1500,
            100,
            20_000,
        );
        // Subframes of 1538 and 4 bytes begin at multiples of 4.
        let sent: u32 = medium.turns().iter().map(|turn| (turn.bytes + 2) / 1544).sum();
        let found = 1.0 - medium.station_stats(1).delivered as f64 / f64::from(sent);
        let expected = ErrorRate::of_data(&HT7, snr).frame(1538);
        assert!((found - expected).abs() < 0.02, "{found} instead of {expected} at {snr} dB");
    }
}

/// Returns the counts of a station that always has packets of 1500 bytes after `seconds`, and its throughput in Mb/s.
fn saturated(config: &BssConfig, seconds: u64) -> (StationStats, f64) {
    let mut medium = GraphMedium::new(&[config], 1);
    let mut now = Time::ZERO;
    while now < Time::ZERO + Span::from_secs(seconds) {
        while medium.queue_frames(1) < 300 {
            medium.enqueue(now, 1, None, Frame { to: 0, bytes: 1500, payload: Numbered(0) });
        }
        now = medium.next_deadline();
        act_graph(&mut medium, now);
    }
    let stats = medium.station_stats(1);
    (stats, stats.delivered as f64 * 12_000.0 / now.as_secs() / 1e6)
}

/// Returns the throughput in Mb/s of a station of 802.11ax at this signal-to-noise ratio, in dB.
fn carried(snr: f64, rate_control: RateControl, mcs: u8, aggregation: Aggregation) -> f64 {
    let mode = Mode { standard: Standard::Ax, mcs, ..HT7 };
    let mut config = noisy(LinkSnr { up: snr, down: 40.0, variation: None }, mode, aggregation);
    config.stations[1].qos.as_mut().expect("it has EDCA").rate_control = rate_control;
    saturated(&config, 4).1
}

#[test]
fn the_counts_of_a_station_tell_its_mean_scheme_and_how_many_mpdus_were_lost() {
    let whole = Aggregation { ampdu: 65_535, amsdu: 0, duration: None, window: 64 };
    for (rate_control, mcs, lost) in [
        (RateControl::Fixed, 5.0..=5.0, 0.0..1e-4),
        (RateControl::Ideal, 7.0..=7.0, 0.04..0.06),
        (RateControl::Minstrel, 6.7..=7.3, 0.04..0.12),
    ] {
        let highest = if rate_control == RateControl::Fixed { 5 } else { 11 };
        let mode = Mode { standard: Standard::Ax, mcs: highest, ..HT7 };
        let mut config = noisy(LinkSnr { up: 24.0, down: 40.0, variation: None }, mode, whole);
        config.stations[1].qos.as_mut().expect("it has EDCA").rate_control = rate_control;
        let stats = saturated(&config, 4).0;
        let mean = stats.mpdus_mcs as f64 / stats.mpdus as f64;
        let share = stats.mpdus_lost as f64 / stats.mpdus as f64;
        assert!(mcs.contains(&mean) && lost.contains(&share), "{rate_control:?}: {mean} {share}");
    }
}

#[test]
fn ideal_rates_carry_as_much_as_the_best_fixed_one_and_minstrel_nearly() {
    let whole = Aggregation { ampdu: 65_535, amsdu: 0, duration: None, window: 64 };
    for snr in (6..40).step_by(3).map(f64::from) {
        let fixed: Vec<f64> = (0..12).map(|mcs| carried(snr, RateControl::Fixed, mcs, whole)).collect();
        let best = fixed.iter().copied().fold(0.0, f64::max);
        let ideal = carried(snr, RateControl::Ideal, 11, whole);
        let minstrel = carried(snr, RateControl::Minstrel, 11, whole);
        let shown = format!("{snr} dB: fixed {best:.2}, ideal {ideal:.2}, minstrel {minstrel:.2} Mb/s");
        assert!(ideal > 0.98 * best && ideal < 1.02 * best, "{shown}");
        assert!(minstrel > 0.9 * best && minstrel < best, "{shown}");
    }
}

/// What is left of a TXOP after an aggregate has room for the fastest modes alone: probes there would never try those that work.
#[test]
fn minstrel_climbs_to_the_modes_that_work_in_a_txop_as_well() {
    let whole = Aggregation { ampdu: 65_535, amsdu: 0, duration: None, window: 64 };
    for (snr, txop) in [(12.0, 2528), (18.0, 2528), (18.0, 4096), (24.0, 2528)] {
        let carried = |rate_control, mcs| {
            let mode = Mode { standard: Standard::Ax, mcs, ..HT7 };
            let mut config = noisy(LinkSnr { up: snr, down: 40.0, variation: None }, mode, whole);
            let qos = config.stations[1].qos.as_mut().expect("it has EDCA");
            qos.edca = [EdcaParameters { txop: Span::from_micros(txop), ..BEST_EFFORT }; 4];
            qos.rate_control = rate_control;
            saturated(&config, 4).1
        };
        let best = (0..12).map(|mcs| carried(RateControl::Fixed, mcs)).fold(0.0, f64::max);
        let minstrel = carried(RateControl::Minstrel, 11);
        assert!(minstrel > 0.85 * best, "{snr} dB, {txop} us: best {best:.2}, minstrel {minstrel:.2} Mb/s");
    }
}

/// The signal-to-noise ratio falls from 24 to 12 dB for a second on average, one time in three: MCS 7 and MCS 2.
#[test]
fn rate_control_follows_a_ratio_that_varies() {
    let whole = Aggregation { ampdu: 65_535, amsdu: 0, duration: None, window: 64 };
    let variation =
        SnrVariation::TwoState { depth: 12.0, mean_good: Span::from_secs(2), mean_bad: Span::from_secs(1) };
    let carried = |rate_control, mcs| {
        let mode = Mode { standard: Standard::Ax, mcs, ..HT7 };
        let snr = LinkSnr { up: 24.0, down: 40.0, variation: Some(variation) };
        let mut config = noisy(snr, mode, whole);
        config.stations[1].qos.as_mut().expect("it has EDCA").rate_control = rate_control;
        saturated(&config, 60).1
    };
    let (fast, slow) = (carried(RateControl::Fixed, 7), carried(RateControl::Fixed, 2));
    let (ideal, minstrel) = (carried(RateControl::Ideal, 11), carried(RateControl::Minstrel, 11));
    let shown = format!("MCS 7 {fast:.1}, MCS 2 {slow:.1}, ideal {ideal:.1}, minstrel {minstrel:.1} Mb/s");
    assert!(ideal > 1.1 * fast.max(slow), "{shown}");
    assert!((0.85 * ideal..ideal).contains(&minstrel) && minstrel > fast.max(slow), "{shown}");
}
