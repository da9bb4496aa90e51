//! Tests of what goes before data: RTS, CTS, CTS-to-self.

use super::*;
use crate::medium::log::Sent;
use crate::phy::errors::LossyFrames;

const WHOLE: Aggregation = Aggregation { ampdu: 65_535, amsdu: 0, duration: None, window: 64 };

/// Returns the frames on the air in 200 ms, where station 1 always has packets of 1500 bytes.
fn frames(config: &BssConfig) -> Vec<LoggedFrame<Numbered>> {
    let mut medium = GraphMedium::new(&[config], 1);
    medium.log_frames();
    let mut found = Vec::new();
    let mut now = Time::ZERO;
    while now < Time::ZERO + Span::from_millis(200) {
        while medium.queue_frames(1) < 300 {
            medium.enqueue(now, 1, None, Frame { to: 0, bytes: 1500, payload: Numbered(0) });
        }
        now = medium.next_deadline();
        act_graph(&mut medium, now);
        medium.take_frames(|frame| found.push(frame));
    }
    found
}

/// The reference rates of table 10-10: 6 Mb/s stand for MCS 0, 12 for 1, 18 for 2, 24 for 3, 48 for 5.
#[test]
fn an_rts_goes_at_the_highest_basic_rate_that_is_not_above_the_rate_of_its_data() {
    for (mcs, rate) in [(0, 60), (1, 120), (2, 120), (3, 240), (5, 240)] {
        let mut config = config(1, Mode { mcs, ..HT7 }, BEST_EFFORT, WHOLE);
        config.mac.rts_threshold = Some(0);
        let frames = frames(&config);
        let mut openings =
            frames.iter().filter(|frame| matches!(frame.body, LoggedBody::Rts | LoggedBody::Cts)).peekable();
        assert!(openings.peek().is_some());
        assert!(openings.all(|frame| frame.sent == Sent::Legacy(Rate::from_hundred_kbps(rate))), "MCS {mcs}");
    }
}

/// At 8 dB nothing destroys data of MCS 0, but most frames at 24 Mb/s.
#[test]
fn an_rts_reaches_where_its_data_do() {
    let mode = Mode { mcs: 0, ..HT7 };
    let mut config = noisy(LinkSnr { up: 8.0, down: 8.0, variation: None }, mode, WHOLE);
    let without = saturated(&config, 1).1;
    config.mac.rts_threshold = Some(0);
    let with = saturated(&config, 1).1;
    assert!(with > 0.9 * without, "{with} and {without} Mb/s");
}

/// Rate control learns of RTS frames that nobody answers: at 10 dB those at 24 Mb/s get lost.
#[test]
fn minstrel_leaves_modes_whose_rts_is_lost() {
    let mut config = noisy(LinkSnr { up: 10.0, down: 40.0, variation: None }, HT7, WHOLE);
    config.stations[1].qos.as_mut().expect("it has EDCA").rate_control = RateControl::Minstrel;
    let without = saturated(&config, 4).1;
    config.mac.rts_threshold = Some(0);
    let with = saturated(&config, 4).1;
    assert!(with > 0.85 * without, "{with} and {without} Mb/s");
}

/// A TXOP lasts from its first frame to the end of its last answer; a new one begins after AIFS.
#[test]
fn a_txop_has_room_for_what_goes_before_its_data() {
    for protection in [Protection::None, Protection::CtsToSelf, Protection::RtsCts] {
        let limit = Span::from_micros(2528);
        let mut config = config(1, HT7, EdcaParameters { txop: limit, ..BEST_EFFORT }, WHOLE);
        // A station of 802.11a, which does not decode the data.
        let older = config.stations[1].clone();
        config.stations.push(StationConfig { name: "older".to_owned(), ..older });
        config.stations[2].qos.as_mut().expect("it has EDCA").mode = A54;
        config.protection = protection;
        let mut longest = Span::ZERO;
        let (mut start, mut last) = (Time::ZERO, Time::ZERO);
        for LoggedFrame { start: begins, end, .. } in frames(&config) {
            if begins.since(last) > config.phy.sifs || last == Time::ZERO {
                start = begins;
            }
            last = end;
            longest = longest.max(end.since(start));
        }
        assert!(longest <= limit, "{protection:?}: {longest}");
        assert!(longest > limit - Span::from_micros(400), "{protection:?}: {longest}");
    }
}

/// 30 % of all frames of the station are lost, control frames too. A turn counts as acknowledged only if its answer has arrived, and what only its
/// RTS tried is no MPDU on the air.
#[test]
fn turns_tell_what_their_senders_know() {
    for rts in [None, Some(0)] {
        let mut config = config(1, HT7, BEST_EFFORT, WHOLE);
        config.mac.rts_threshold = rts;
        let all = FrameLoss { frames: LossyFrames::All, ..FrameLoss::of(LossModel::bernoulli(0.3)) };
        config.stations[1].loss = Some(all);
        let mut medium = GraphMedium::new(&[&config], 1);
        medium.log_turns();
        medium.log_frames();
        let mut now = Time::ZERO;
        let mut frames = Vec::new();
        while now < Time::ZERO + Span::from_secs(1) {
            while medium.queue_frames(1) < 300 {
                medium.enqueue(now, 1, None, Frame { to: 0, bytes: 1500, payload: Numbered(0) });
            }
            now = medium.next_deadline();
            act_graph(&mut medium, now);
            medium.take_frames(|frame| frames.push(frame));
        }
        let stats = medium.station_stats(1);
        let turns = medium.turns();
        let acknowledged =
            turns.iter().filter(|turn| turn.outcome == TurnOutcome::Acknowledged).count() as u64;
        let under_way = stats.attempts - turns.len() as u64;
        assert!(stats.retries > 50 && under_way <= 1, "{stats:?}");
        let gone = acknowledged + stats.lossy_attempts;
        assert!((turns.len() as u64 - 1..=turns.len() as u64).contains(&gone), "{gone} of {}", turns.len());
        let mpdus: u64 = turns.iter().map(|turn| u64::from(turn.mpdus)).sum();
        assert!(mpdus.abs_diff(stats.mpdus) <= 64, "{mpdus} and {}", stats.mpdus);
        assert!(turns.iter().all(|turn| turn.answered().is_none_or(|answered| answered > turn.start)));
        let requests = frames.iter().filter(|frame| matches!(frame.body, LoggedBody::BlockAckRequest(..)));
        let (lost, all): (Vec<_>, Vec<_>) = requests.map(|frame| (frame.lost, ())).unzip();
        let lost = lost.iter().filter(|lost| **lost).count();
        assert!(all.len() < 20 || lost > 0, "{lost} of {}", all.len());
    }
}
