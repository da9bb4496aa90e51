//! The cost of the operations that every packet-level simulator needs: finding the next event and rescheduling it, putting a
//! packet into a queue and taking it out, drawing a random number. Each is measured alone, in a loop that keeps everything in the
//! nearest cache. The number of operations comes from the counts of a run.

use airfair_core::{Span, Stream, Time};
use airfair_lab::Experiment;
use airfair_scenario::{Error, Override};
use airfair_sim::schedule::Schedule;
use cpu_time::ProcessTime;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::hint::black_box;

const OPERATIONS: u64 = 10_000_000;
/// Packets in the measured queue.
const HELD: usize = 50;

/// Eight words, about the size of a packet.
type Packet = [u64; 8];

/// The number of each operation per segment of this scenario, and the cost of one.
pub fn measure(source: &str, overrides: &[Override]) -> Result<Value, Error> {
    let experiment = Experiment::load(source, overrides)?;
    let mut running = experiment.start(1, &[]);
    let begin = ProcessTime::now();
    while !running.step(u64::MAX) {}
    let run = begin.elapsed().as_secs_f64() * 1e9;
    let events = running.events() as f64;
    let outcome = running.finish();
    let (segments, _) = crate::segments(&experiment, &outcome);
    let links = outcome.links.iter().map(|link| link.counts.offered).sum::<u64>();
    let frames = outcome.stations.iter().map(|station| station.counts.queue.offered).sum::<u64>();
    // A station draws one backoff for each attempt to use the medium.
    let draws = outcome.stations.iter().map(|station| station.counts.attempts).sum::<u64>();
    Ok(json!({
        "ns_per_segment": run / segments,
        "events": events / segments,
        "event_ns": schedule(outcome.flows.len()),
        "queue_passages": (links + frames) as f64 / segments,
        "queue_passage_ns": queue(),
        "draws": draws as f64 / segments,
        "draw_ns": random(),
    }))
}

/// Finds the earliest deadline, among one per flow, and moves it.
fn schedule(flows: usize) -> f64 {
    let mut schedule = Schedule::new(flows);
    let mut random = Stream::new(1, "schedule");
    for slot in 0..flows {
        schedule.set(slot, Time(random.below(1_000_000)));
    }
    let spans: Vec<Span> = (0..1024).map(|_| Span(random.below(1_000_000))).collect();
    each(|count| {
        let (at, slot) = schedule.first();
        schedule.set(slot, at + spans[count as usize % spans.len()]);
    })
}

/// Puts a packet into a queue and takes another one out.
fn queue() -> f64 {
    let mut queue: VecDeque<Packet> = (0..HELD as u64).map(|number| [number; 8]).collect();
    each(|count| {
        queue.push_back(black_box([count; 8]));
        black_box(queue.pop_front());
    })
}

/// Draws a backoff.
fn random() -> f64 {
    let mut random = Stream::new(1, "random");
    each(|_| {
        black_box(random.below(black_box(32)));
    })
}

/// CPU time of one operation, in nanoseconds.
fn each(mut operation: impl FnMut(u64)) -> f64 {
    let begin = ProcessTime::now();
    (0..OPERATIONS).for_each(&mut operation);
    begin.elapsed().as_secs_f64() * 1e9 / OPERATIONS as f64
}
