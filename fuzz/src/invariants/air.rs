//! Turns on the air: they follow one another, unless they start together and collide.

use super::holds;
use airfair_sim::Record;

pub fn hold(record: &Record) -> Result<(), String> {
    for (turns, counts) in record.air.iter().zip(&record.counts.stations) {
        holds(turns.iter().all(|turn| turn.start < turn.end), "a turn takes no time")?;
        holds(turns.is_sorted_by_key(|turn| turn.start), "turns out of order")?;
        for pair in turns.windows(2) {
            let apart = pair[0].start == pair[1].start || pair[0].end <= pair[1].start;
            holds(apart, &format!("two turns at once: {pair:?}"))?;
        }
        for (station, counts) in counts.iter().enumerate() {
            let of_it = turns.iter().filter(|turn| turn.from as usize == station).count() as u64;
            holds(of_it <= counts.frames.attempts, "a station has more turns than attempts")?;
        }
    }
    Ok(())
}
