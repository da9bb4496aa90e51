//! A link of `airfair-net` in real time, between two TUN devices: packets of the running kernel meet the queue, the rate, the delay and the
//! random loss that a simulation's packets meet.
//!
//! The devices are on standard input (the data's side) and standard output. The one argument is a JSON object, [`Setup`]; what happened is
//! one JSON object on standard error, [`Report`]. Times are nanoseconds of `CLOCK_MONOTONIC`. The link's time begins with the first packet,
//! the SYN, as a simulation's does: so outages meet a flow at the same moments.

mod direction;
mod lateness;

use airfair_core::{LossModel, Rate, Span, Time};
use airfair_net::{Link, LinkConfig, LinkLoss, LossPosition, Outage, OutagePackets, QueueLimit, Repeat};
use direction::Direction;
use lateness::Lateness;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, read, write};
use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::os::fd::{AsFd, BorrowedFd};

/// The link and the time for which it runs.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Setup {
    rate_bps: u64,
    /// Each way.
    delay_ns: u64,
    /// The packet in transmission included; each way.
    queue_packets: u32,
    /// Probability that a packet of the data's direction is lost before the queue.
    loss: f64,
    /// Each direction holds its packets for so long, first after half of the period and then once in each; zero: never.
    outage_ns: u64,
    period_ns: u64,
    seed: u64,
    /// From the first packet on, for which it waits as long at most.
    duration_ns: u64,
    /// Time between two readings of the queue.
    interval_ns: u64,
    /// Before the first packet and for so long after it, it does not sleep, so that a handshake does not wait for the program to wake: BBR
    /// takes its round trip for the path's shortest, for 10 s. Zero: it sleeps before the first packet, too.
    awake_ns: u64,
}

/// What happened.
#[derive(Serialize)]
struct Report {
    /// The time of the first packet.
    start_ns: u64,
    /// Of the data's direction, at each interval: the time since the start, packets held, and packets held integrated over that time.
    queue: Vec<(u64, usize, u64)>,
    offered: u64,
    dropped: u64,
    lost: u64,
    /// How much later than the link says packets were handed over.
    lateness: Lateness,
}

/// The directions' names in scenarios/kernel.toml: what is drawn for them there and here is the same, so a simulation with the same seed
/// loses the packets with the same numbers.
const DATA: &str = "sender-receiver";
const ACKS: &str = "receiver-sender";
/// More than a TUN device's packet.
const LONGEST: usize = 65_536;
/// Bytes of a full packet.
const FULL: u64 = 1500;
/// Packets taken from a device before those that are due are looked at again.
const AT_ONCE: u32 = 16;

fn main() -> Result<(), Box<dyn Error>> {
    let argument = std::env::args().nth(1).ok_or("usage: airfair-bottleneck '{...}' <&LEFT >&RIGHT")?;
    let report = run(&serde_json::from_str(&argument)?)?;
    serde_json::to_writer(std::io::stderr(), &report)?;
    Ok(())
}

fn now() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

fn rate(setup: &Setup) -> Result<Rate, &'static str> {
    Rate::new(setup.rate_bps).ok_or("the rate is zero")
}

fn links(setup: &Setup) -> Result<[Link; 2], Box<dyn Error>> {
    let loss = LinkLoss { model: LossModel::bernoulli(setup.loss), position: LossPosition::BeforeQueue };
    let outage = (setup.outage_ns > 0).then_some(Outage {
        start: Span(setup.period_ns / 2),
        spread: Span::ZERO,
        duration: Span(setup.outage_ns),
        repeat: Repeat::Periodic(Span(setup.period_ns)),
        packets: OutagePackets::Held,
    });
    let forward = LinkConfig {
        name: DATA.to_owned(),
        rate: rate(setup)?,
        delay: Span(setup.delay_ns),
        queue: QueueLimit::Packets(setup.queue_packets.max(1)),
        discipline: None,
        loss: (setup.loss > 0.0).then(|| Box::new(loss)),
        outage: outage.map(Box::new),
        tx_ring: None,
    };
    let backward = LinkConfig { name: ACKS.to_owned(), loss: None, ..forward.clone() };
    Ok(Link::pair(&forward, &backward, setup.seed, Time::NEVER))
}

/// Waits until a packet can be read from a device, but no longer than `wait` ns; returns from which.
fn readable(devices: [BorrowedFd<'_>; 2], wait: u64) -> Result<[bool; 2], Errno> {
    let mut polled = devices.map(|device| PollFd::from_borrowed_fd(device, PollFlags::IN));
    let timeout = Timespec { tv_sec: (wait / 1_000_000_000) as i64, tv_nsec: (wait % 1_000_000_000) as _ };
    match poll(&mut polled, Some(&timeout)) {
        Ok(_) => Ok([0, 1].map(|i| polled[i].revents().contains(PollFlags::IN))),
        Err(Errno::INTR) => Ok([false; 2]),
        Err(error) => Err(error),
    }
}

/// Waits for the first packet, and returns the time at which it can be read.
fn first_packet(devices: [BorrowedFd<'_>; 2], setup: &Setup) -> Result<u64, Box<dyn Error>> {
    let end = now() + setup.duration_ns;
    loop {
        let left = end.saturating_sub(now());
        if readable(devices, if setup.awake_ns > 0 { 0 } else { left })? != [false; 2] {
            return Ok(now());
        }
        if left == 0 {
            return Err("no packet has come".into());
        }
    }
}

fn run(setup: &Setup) -> Result<Report, Box<dyn Error>> {
    let (stdin, stdout) = (std::io::stdin(), std::io::stdout());
    let devices: [BorrowedFd<'_>; 2] = [stdin.as_fd(), stdout.as_fd()];
    let mut directions = links(setup)?.map(Direction::new);
    let mut buffer = vec![0; LONGEST];
    let start = first_packet(devices, setup)?;
    // To wake takes 0.02 to 0.1 ms. So it sleeps half of the time from one full packet to the next, and is awake for the rest: always awake,
    // it would be stopped for the other tasks of its core (Linux's fair server: for 50 ms in each second).
    let before = rate(setup)?.span_of_bytes(FULL).0 / 2;
    let since = |at: u64| Time(at.saturating_sub(start));
    let (mut queue, mut next_reading) = (Vec::new(), 0);
    loop {
        let at = since(now());
        if at.0 >= next_reading {
            let (held, integral) = directions[0].queue(at);
            queue.push((at.0, held, integral));
            next_reading = at.0 + setup.interval_ns;
        }
        if at.0 >= setup.duration_ns {
            break;
        }
        for (direction, to) in directions.iter_mut().zip([devices[1], devices[0]]) {
            while let Some(packet) = direction.leave(at) {
                write(to, &packet)?;
                direction.recycle(packet);
            }
        }
        let next = directions.iter().filter_map(Direction::next).map(|arrives| arrives.0);
        let next = next.fold(next_reading, u64::min);
        let at = since(now());
        let wait = if at.0 < setup.awake_ns { 0 } else { next.saturating_sub(at.0 + before) };
        let ready = readable(devices, wait)?;
        let at = since(now());
        for ((direction, from), ready) in directions.iter_mut().zip(devices).zip(ready) {
            for _ in 0..if ready { AT_ONCE } else { 0 } {
                match read(from, &mut buffer[..]) {
                    Ok(length) => direction.enter(at, &buffer[..length]),
                    Err(Errno::AGAIN) => break,
                    Err(error) => return Err(error.into()),
                }
            }
        }
    }
    let [forward, backward] = directions;
    let stats = forward.stats();
    Ok(Report {
        start_ns: start,
        queue,
        offered: stats.offered,
        dropped: stats.dropped,
        lost: stats.lost_errors,
        lateness: forward.lateness.and(backward.lateness),
    })
}
