//! Runs one scenario and prints counts or costs as one line of JSON.
//!
//! `airfair-bench [--set-up | --limit] SCENARIO [NAME=VALUE ...]`: without an option, one run. With `--set-up`, many short runs, each
//! of which reads the file. With `--limit`, the cost of the bare operations of one run.

mod limit;
mod set_up;

use airfair_lab::{Experiment, Outcome};
use airfair_scenario::{Error, Override};
use cap::Cap;
use mimalloc::MiMalloc;
use serde_json::Value;
use std::process::ExitCode;

/// The allocator of the Python module, with a count of bytes.
#[global_allocator]
static ALLOCATOR: Cap<MiMalloc> = Cap::new(MiMalloc, usize::MAX);

/// Share of a run after which its buffers have reached their final size.
const WARM: f64 = 0.5;
const EVENTS_PER_STEP: u64 = 1_000;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).peekable();
    let measure: fn(&str, &[Override]) -> Result<Value, Error> = match arguments.peek().map(String::as_str) {
        Some("--set-up") => set_up::measure,
        Some("--limit") => limit::measure,
        _ => run,
    };
    arguments.next_if(|argument| argument.starts_with("--"));
    let Some(source) = arguments.next() else {
        eprintln!("usage: airfair-bench [--set-up | --limit] SCENARIO [NAME=VALUE ...]");
        return ExitCode::from(2);
    };
    let overrides: Option<Vec<Override>> = arguments
        .map(|argument| {
            let (name, value) = argument.split_once('=')?;
            Some(Override { name: name.to_owned(), value: value.to_owned() })
        })
        .collect();
    let Some(overrides) = overrides else {
        eprintln!("parameters are given as NAME=VALUE");
        return ExitCode::from(2);
    };
    match measure(&source, &overrides) {
        Ok(measured) => {
            println!("{measured}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

/// Counts of one run. The parent process reads CPU time and memory from the operating system.
fn run(source: &str, overrides: &[Override]) -> Result<Value, Error> {
    let (loaded, scenario_bytes) = allocated(|| Experiment::load(source, overrides));
    let experiment = loaded?;
    let (mut running, world_bytes) = allocated(|| experiment.start(1, &[]));

    while running.progress() < WARM && !running.step(EVENTS_PER_STEP) {}
    let warm_events = running.events();
    let warm_bytes = ALLOCATOR.total_allocated();
    while !running.step(EVENTS_PER_STEP) {}
    let bytes = ALLOCATOR.total_allocated() - warm_bytes;

    let events = running.events();
    let outcome = running.finish();
    let delivered_bytes: u64 = outcome.flows.iter().map(|flow| flow.counts.delivered_bytes).sum();
    let (acknowledged, delivered) = segments(&experiment, &outcome);
    Ok(serde_json::json!({
        "events": events,
        "segments": acknowledged,
        "segments_delivered": delivered,
        "segments_sent": outcome.flows.iter().map(|flow| flow.counts.sender.segments).sum::<u64>(),
        "scenario_bytes": scenario_bytes,
        "world_bytes": world_bytes,
        "delivered_bps": delivered_bytes as f64 * 8.0 / experiment.loaded.scenario.duration.as_secs(),
        "goodput_bps": outcome.flows.iter().map(|flow| flow.throughput).sum::<f64>(),
        "bytes_once_warm": bytes,
        "events_once_warm": events - warm_events,
    }))
}

/// The result of `build`, and the bytes that remain allocated for it.
fn allocated<T>(build: impl FnOnce() -> T) -> (T, usize) {
    let before = ALLOCATOR.allocated();
    let made = build();
    (made, ALLOCATOR.allocated() - before)
}

/// Data segments acknowledged in the measured window, and data segments that reached their application in it.
fn segments(experiment: &Experiment, outcome: &Outcome) -> (f64, f64) {
    let scenario = &experiment.loaded.scenario;
    let flows = scenario.flows.iter().zip(&outcome.flows);
    flows.fold((0.0, 0.0), |(acknowledged, delivered), (flow, record)| {
        let bytes = f64::from(match &flow.transport {
            airfair_scenario::resolved::Transport::Tcp { settings, .. } => settings.segment_bytes,
            airfair_scenario::resolved::Transport::Udp { datagram_bytes, .. } => *datagram_bytes,
        });
        (
            acknowledged + record.throughput * scenario.duration.as_secs() / 8.0 / bytes,
            delivered + record.counts.delivered_bytes as f64 / bytes,
        )
    })
}
