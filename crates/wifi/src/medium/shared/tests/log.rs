//! The log adds up to the counts.

use super::*;
use crate::phy::errors::{FrameLossDirection, LossyFrames};
use proptest::prelude::*;

/// Every turn of these frames: pauses in us before each, its sender and its bytes. At each step the access point's frames
/// are counted by receiver.
fn turns(config: &BssConfig, frames: &[(u64, u32, u32)]) -> (SharedMedium<u32>, Vec<Turn>) {
    let mut bss = SharedMedium::new(config, 7);
    bss.log_turns();
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
    (bss, turns)
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
        let (bss, turns) = turns(&config, &frames);
        for station in 0..4 {
            let stats = bss.station_stats(station);
            let own = || turns.iter().filter(|turn| turn.from == station);
            prop_assert_eq!(own().count() as u64, stats.attempts);
            let of = |outcome| own().filter(|turn| turn.outcome == outcome).count() as u64;
            prop_assert_eq!(of(TurnOutcome::Collided), stats.collisions);
            let airtime = own().fold(Span::ZERO, |sum, turn| sum + (turn.end - turn.start));
            prop_assert_eq!(airtime, stats.airtime);
            // Of frames whose ACK was lost, the sender does not know that they have arrived.
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
}
