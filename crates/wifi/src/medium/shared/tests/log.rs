//! Tests that the log adds up to the counts.

use super::*;
use crate::medium::log::{LoggedBody, LoggedFrame, Turn, TurnOutcome};
use crate::phy::errors::{FrameLossDirection, LossyFrames};
use proptest::prelude::*;

/// Returns every turn with these frames, and the frames on the air. The frames have pauses in microseconds before each, a sender and
/// their bytes. At each step the access point's frames are counted by receiver.
fn turns(
    config: &BssConfig,
    frames: &[(u64, u32, u32)],
) -> (SharedMedium<u32>, Vec<Turn>, Vec<LoggedFrame<u32>>) {
    let mut bss = SharedMedium::new(config, 7);
    bss.log_turns();
    bss.log_frames();
    bss.watch_receivers(0);
    let mut now = START;
    let run_until = |bss: &mut SharedMedium<u32>, until: Time| {
        while bss.next_deadline() < until {
            bss.on_deadline(bss.next_deadline());
            let mut held = [0; 4];
            bss.frames_for(0, &mut held);
            assert_eq!(held.iter().sum::<u32>(), bss.queue_frames(0));
        }
    };
    for (number, &(pause, from, bytes)) in (0..).zip(frames) {
        now += us(pause);
        run_until(&mut bss, now);
        let to = if from == 0 { 1 + number % 3 } else { 0 };
        bss.enqueue(now, from, Frame { to, bytes, payload: number });
    }
    run_until(&mut bss, Time::NEVER);
    let turns = bss.turns().to_vec();
    let mut on_air = Vec::new();
    bss.take_frames(|frame| on_air.push(frame));
    (bss, turns, on_air)
}

proptest! {
    #[test]
    fn turns_add_up(
        rts in any::<bool>(), capture in prop::sample::select(vec![0.0, 0.5]),
        loss in prop::sample::select(vec![0.0, 0.3]), control in any::<bool>(),
        discipline in prop::sample::select(airfair_queue::discipline::DISCIPLINES.iter().map(|discipline| discipline.name).collect::<Vec<_>>()),
        frames in prop::collection::vec((0u64..3000, 0u32..4, 40u32..1500), 1..120),
    ) {
        let mut config = ieee80211b();
        config.mac.rts_threshold = rts.then_some(500);
        config.mac.capture = capture;
        config.phy.cw_min = 3;
        for station in &mut config.stations {
            station.queue = queue(4);
            station.queue.discipline = Discipline::named(discipline).unwrap();
            station.loss = (loss > 0.0).then(|| FrameLoss {
                frames: if control { LossyFrames::All } else { LossyFrames::Data },
                direction: FrameLossDirection::To,
                ..FrameLoss::of(LossModel::bernoulli(loss))
            });
        }
        let (bss, turns, on_air) = turns(&config, &frames);
        for station in 0..4 {
            let stats = bss.station_stats(station);
            let own = || turns.iter().filter(|turn| turn.from == station);
            prop_assert_eq!(own().count() as u64, stats.attempts);
            let of = |outcome| own().filter(|turn| turn.outcome == outcome).count() as u64;
            prop_assert_eq!(of(TurnOutcome::Collided), stats.collisions);
            let airtime = own().fold(Span::ZERO, |sum, turn| sum + (turn.end - turn.start));
            prop_assert_eq!(airtime, stats.airtime);
            // The sender of a frame whose ACK was lost does not know that the frame has arrived.
            let delivered = of(TurnOutcome::Acknowledged);
            prop_assert!(delivered <= stats.delivered);
            if loss == 0.0 {
                prop_assert_eq!(delivered, stats.delivered);
                let bytes: u64 = own()
                    .filter(|turn| turn.outcome == TurnOutcome::Acknowledged)
                    .map(|turn| u64::from(turn.bytes))
                    .sum();
                prop_assert_eq!(bytes, stats.delivered_bytes);
            }
        }
        // The frames on the air are those of the turns, in order, and their gaps are a SIFS long.
        prop_assert!(on_air.is_sorted_by_key(|frame| frame.start));
        let mut rest: Vec<_> = on_air.iter().collect();
        for turn in &turns {
            let is_part = |frame: &LoggedFrame<u32>| {
                let ends = (frame.from, frame.to);
                let is_answer = matches!(frame.body, LoggedBody::Cts | LoggedBody::Ack);
                let of_turn = if is_answer { (turn.to, turn.from) } else { (turn.from, turn.to) };
                ends == of_turn && turn.start <= frame.start && frame.end <= turn.end
            };
            let (own, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(|frame| is_part(frame));
            rest = others;
            prop_assert_eq!((own[0].start, own[own.len() - 1].end), (turn.start, turn.end));
            prop_assert!(own.windows(2).all(|pair| pair[1].start == pair[0].end + config.phy.sifs));
            let whole = if own[0].body == LoggedBody::Rts { 4 } else { 2 };
            let lost = own.iter().filter(|frame| frame.lost).count();
            if turn.outcome == TurnOutcome::Acknowledged {
                prop_assert_eq!((own.len(), lost), (whole, 0));
            } else {
                // An RTS may also find no answer, where stations miss frames of others.
                prop_assert!(lost == 1 || control && lost == 0 && own.len() == 1);
                prop_assert_eq!(own[own.len() - 1].lost, lost == 1);
            }
        }
        prop_assert!(rest.is_empty(), "{rest:?}");
        // A sequence number belongs to one MSDU, and every attempt but its first is a retry.
        for station in 0..4 {
            let mut last = None;
            for frame in on_air.iter().filter(|frame| frame.from == station) {
                let LoggedBody::Data { mpdus, .. } = &frame.body else { continue };
                let now = (mpdus[0].number, mpdus[0].msdus[0].payload);
                prop_assert_eq!(mpdus[0].retry, last == Some(now));
                prop_assert!(last.is_none_or(|last| last == now || last.0 + 1 == now.0));
                last = Some(now);
            }
        }
        // Nobody else begins while somebody is on the air, but those who collide begin together.
        let mut on_air: Vec<_> = turns.iter().map(|turn| (turn.start, turn.end)).collect();
        on_air.sort_unstable();
        let mut busy = Span::ZERO;
        let mut last = (Time::ZERO, Time::ZERO);
        for (start, end) in on_air {
            prop_assert!(start == last.0 || start > last.1, "{start:?} within {last:?}");
            busy += end.since(start.max(last.1));
            last = (start, end.max(last.1));
        }
        prop_assert_eq!(busy, bss.medium_stats().busy);
    }
}

#[test]
fn nothing_is_kept_that_nobody_asked_for() {
    let mut bss = SharedMedium::new(&ieee80211b(), 1);
    bss.enqueue(START, 1, frame(0, 0));
    next_delivery(&mut bss);
    assert!(bss.turns().is_empty() && bss.queue_delays(1).is_empty());
    bss.take_frames(|frame| panic!("{frame:?}"));
}
