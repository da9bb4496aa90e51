//! Turns on the air: those of a station follow one another; where all stations hear each other those of all do, unless they start
//! together and collide.

use super::holds;
use airfair_scenario::resolved::Scenario;
use airfair_sim::{Record, Turn};

pub fn hold(scenario: &Scenario, record: &Record) -> Result<(), String> {
    let networks = scenario.wlans.iter().zip(&record.air).zip(&record.counts.stations);
    for ((wlan, turns), counts) in networks {
        holds(turns.iter().all(|turn| turn.start < turn.end), "a turn takes no time")?;
        let stations = &wlan.bss.stations;
        if wlan.bss.radio.is_none() && stations.iter().all(|station| station.hears.is_none()) {
            holds(turns.is_sorted_by_key(|turn| turn.start), "turns out of order")?;
            follow(turns.iter(), |one, other| one.start == other.start)?;
        }
        for (station, counts) in counts.iter().enumerate() {
            let of_it = turns.iter().filter(|turn| turn.from as usize == station);
            holds(
                of_it.clone().filter(|turn| !turn.is_announcement()).count() as u64 <= counts.frames.attempts,
                "a station has more turns than attempts",
            )?;
            follow(of_it, |_, _| false)?;
        }
    }
    Ok(())
}

/// Each turn begins after the one before, unless the two may overlap.
fn follow<'a>(
    turns: impl Iterator<Item = &'a Turn> + Clone,
    may_overlap: impl Fn(&Turn, &Turn) -> bool,
) -> Result<(), String> {
    for (one, other) in turns.clone().zip(turns.skip(1)) {
        let apart = may_overlap(one, other) || one.end <= other.start;
        holds(apart, &format!("two turns at once: {one:?}, {other:?}"))?;
    }
    Ok(())
}
