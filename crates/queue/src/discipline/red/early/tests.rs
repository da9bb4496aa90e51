use super::*;
use airfair_core::Span;

/// Settings with thresholds at 2 and 6 packets, where the probability is a hundredth of the average's way between them.
const SETTINGS: Settings = Settings {
    min_threshold: Some(2.0),
    max_threshold: Some(6.0),
    max_p: 0.1,
    weight: Some(0.25),
    mean_packet: 500,
    gentle: true,
    wait: false,
    byte_mode: false,
    spares_short_queues: false,
};

/// Returns an estimator on a link of 8 Mb/s: a packet of 500 bytes takes half a millisecond, so 2000 fit in a second.
fn early(settings: Settings) -> EarlyDetection {
    let rate = Rate::new(8_000_000).expect("above zero");
    EarlyDetection::new(settings, QueueLimit::Packets(100), rate, Stream::new(1, "early"))
}

fn packets(packets: u32) -> Occupancy {
    Occupancy { packets, bytes: 500 * u64::from(packets) }
}

fn micros(micros: u64) -> Time {
    Time::ZERO + Span::from_micros(micros)
}

#[track_caller]
fn assert_near(value: f64, wanted: f64) {
    assert!((value - wanted).abs() < 1e-12 * wanted.abs().max(1.0), "{value}, not {wanted}");
}

#[test]
fn the_average_moves_by_a_quarter_of_the_way_at_each_arrival() {
    let mut early = early(SETTINGS);
    let mut averages = Vec::new();
    for waiting in [0, 4, 4, 8, 0] {
        early.measure(micros(10), packets(waiting));
        averages.push(early.average());
    }
    // The first arrival ends the idle time; then 0 + 4/4, 1 + 3/4, 1.75 + 6.25/4, and three quarters of that.
    assert_eq!(averages, [0.0, 1.0, 1.75, 3.3125, 2.484375]);
}

#[test]
fn idle_time_counts_as_arrivals_at_an_empty_queue() {
    let mut early = early(SETTINGS);
    early.measure(micros(0), packets(0));
    early.measure(micros(0), packets(16));
    assert_eq!(early.average(), 4.0);
    // Idle for a millisecond and a half: three packets' time, (3/4)^3; told twice that it idles.
    early.idle(micros(1000));
    early.idle(micros(1500));
    early.measure(micros(2500), packets(0));
    assert_near(early.average(), 4.0 * 27.0 / 64.0);
    // Nothing waits, but the server is busy.
    early.measure(micros(2600), packets(0));
    assert_near(early.average(), 4.0 * 81.0 / 256.0);
}

/// p_b is 0 at the minimum, 0.1 at the maximum, and then rises to 1 at twice the maximum: 0.9 / 6 for each packet.
#[test]
fn the_base_probability_has_two_slopes() {
    let mut early = early(SETTINGS);
    for (average, wanted) in [(2.0, 0.0), (3.0, 0.025), (4.0, 0.05), (6.0, 0.1), (8.0, 0.4), (11.0, 0.85)] {
        early.average = average;
        assert_near(early.base_probability(), wanted);
    }
}

/// At p_b = 0.05: p_a = 0.05 / (1 - 0.05 count), certain from the 20th; with `wait` none of the first 20, and then
/// 0.05 / (2 - 0.05 count).
#[test]
fn packets_picked_are_spread_evenly() {
    let mut early = early(SETTINGS);
    early.average = 4.0;
    let probability = |early: &EarlyDetection, count| early.spread_probability(packets(count), 500);
    for (count, wanted) in [(0, 0.05), (1, 0.05 / 0.95), (10, 0.1), (19, 1.0), (20, 1.0)] {
        assert!((probability(&early, count) - wanted).abs() < 1e-12, "{count}");
    }
    early.settings.wait = true;
    for (count, wanted) in [(0, 0.0), (19, 0.0), (21, 0.05 / 0.95), (30, 0.1), (40, 1.0)] {
        assert!((probability(&early, count) - wanted).abs() < 1e-12, "{count}");
    }
}

/// Ten packets of 500 bytes' worth since the last: 0.1, and for one of 40 bytes 0.08 times that.
#[test]
fn in_byte_mode_the_probability_is_in_proportion_to_the_length() {
    let mut early = early(Settings { byte_mode: true, ..SETTINGS });
    early.average = 4.0;
    let since = Occupancy { packets: 125, bytes: 5000 };
    assert_near(early.spread_probability(since, 500), 0.1);
    assert_near(early.spread_probability(since, 40), 0.008);
    assert_near(early.spread_probability(since, 1500), 0.3);
}

/// The count starts anew below the minimum, with the first packet between the thresholds counting as none.
#[test]
fn the_count_begins_at_the_minimum_threshold() {
    let mut early = early(Settings { max_p: 1e-9, ..SETTINGS });
    let mut counts = Vec::new();
    for average in [1.9, 2.0, 5.9, 6.1, 11.9, 1.0, 3.0] {
        early.average = average;
        early.judge(packets(1), packets(9));
        counts.push(early.since_last.map(|since| since.packets));
    }
    // Beyond 6 the probability is 0.017 at 6.1 and 0.98 at 11.9: the latter is picked.
    assert_eq!(counts, [None, Some(0), Some(1), Some(2), Some(0), None, Some(0)]);
}

#[test]
fn beyond_the_ceiling_every_packet_is_dropped() {
    for (gentle, ceiling) in [(true, 12.0), (false, 6.0)] {
        let mut early = early(Settings { gentle, max_p: 1e-9, ..SETTINGS });
        early.average = ceiling;
        assert_eq!(early.judge(packets(1), packets(9)), Verdict::Drop);
        early.average = 5.999;
        assert_eq!(early.judge(packets(1), packets(9)), Verdict::Pass);
    }
}

/// At 8 Mb/s 5 ms are 10 packets of 500 bytes: half of them are 5. At 100 Mb/s 125, and half of those 62.5.
#[test]
fn what_is_unset_follows_the_rate() {
    let unset = Settings { min_threshold: None, max_threshold: None, weight: None, ..SETTINGS };
    let thresholds = |settings, rate, limit| {
        let early = EarlyDetection::new(
            settings,
            limit,
            Rate::new(rate).expect("above zero"),
            Stream::new(1, "early"),
        );
        (early.min, early.max)
    };
    let limit = QueueLimit::Packets(100);
    assert_eq!(thresholds(unset, 8_000_000, limit), (5.0, 15.0));
    assert_eq!(thresholds(unset, 100_000_000, limit), (62.5, 187.5));
    assert_eq!(thresholds(unset, 8_000_000, QueueLimit::Bytes(50_000)), (2500.0, 7500.0));
    let maximum = Settings { max_threshold: Some(6.0), ..unset };
    assert_eq!(thresholds(maximum, 100_000_000, limit), (2.0, 6.0));
    let minimum = Settings { min_threshold: Some(8.0), ..unset };
    assert_eq!(thresholds(minimum, 100_000_000, limit), (8.0, 24.0));
    // 1 - exp(-1/2000).
    assert_near(early(unset).weight, 4.998_750_208_307_3e-4);
}

/// ns-2's red.cc: a queue of one packet, the first packet after it, then 1, 2, ... packets since.
#[test]
fn as_in_ns2_short_queues_and_the_first_packet_are_spared() {
    let mut early = early(Settings { spares_short_queues: true, ..SETTINGS });
    early.average = 11.99;
    let mut found = Vec::new();
    for waiting in [0, 1, 2, 2, 2, 1, 2] {
        let verdict = early.judge(packets(1), packets(waiting));
        found.push((verdict, early.since_last.map(|since| since.packets)));
    }
    let (pass, notify) = (Verdict::Pass, Verdict::Notify);
    let expected = [
        (pass, None),
        (pass, None),
        (pass, Some(1)),
        // A probability of 0.998 / (1 - 0.998 x count), or 1 where the count leaves none.
        (notify, Some(0)),
        (notify, Some(0)),
        (pass, None),
        (pass, Some(1)),
    ];
    assert_eq!(found, expected);
}

/// A drop above the ceiling does not end the wait for the first packet that is spared.
#[test]
fn as_in_ns2_the_ceiling_comes_before_the_first_packet() {
    let mut early = early(Settings { max_p: 1e-9, spares_short_queues: true, ..SETTINGS });
    let mut found = Vec::new();
    for average in [12.0, 3.0, 12.0, 3.0] {
        early.average = average;
        let verdict = early.judge(packets(1), packets(9));
        found.push((verdict, early.since_last.map(|since| since.packets)));
    }
    let (pass, drop) = (Verdict::Pass, Verdict::Drop);
    assert_eq!(found, [(drop, None), (pass, Some(1)), (drop, Some(0)), (pass, Some(1))]);
}

#[test]
fn as_in_ns2_a_packet_without_room_starts_the_count_anew() {
    for (spares_short_queues, counted) in [(true, 0), (false, 5)] {
        let mut early = early(Settings { max_p: 1e-9, spares_short_queues, ..SETTINGS });
        early.average = 3.0;
        early.since_last = Some(packets(4));
        assert_eq!(early.judge(packets(1), packets(9)), Verdict::Pass);
        early.overflow();
        // Packets alone: five of them have come since.
        assert_eq!(early.since_last.map(|since| since.packets), Some(counted));
    }
}
