//! Warnings of links that lose everything or are too slow for the run, and of outages that never end.

use airfair_core::{LossModel, LossProbability, Rate, Span, Time};
use airfair_net::{LinkConfig, LossPosition, Outage, OutagePackets, Repeat};
use airfair_queue::QueueConfig;

use super::{of_queue, shown, shown_rate};

/// If a smaller share of packets than this passes, practically none gets through: timeouts have backed off to minutes by then.
const PRACTICALLY_NEVER: f64 = 1e-3;

/// A link is too slow for a run in which a packet could cross it fewer times than this.
const FEW: f64 = 10.0;

/// Returns the warnings of one direction of a link that is given packets of up to `longest` bytes in a run until `end`.
pub fn of(link: &LinkConfig, longest: Option<u32>, end: Time) -> Vec<String> {
    let mut texts = Vec::new();
    if let Some(outage) = &link.outage {
        texts.extend(of_outage(outage, end));
    }
    let Some(bytes) = longest else { return texts };
    let discipline = link.discipline.as_deref().cloned().unwrap_or_default();
    let shaper = discipline.shaper();
    texts.extend(shaper.and_then(|(key, rate)| of_shaper(key, rate, link.rate)));
    let rate = shaper.map_or(link.rate, |(_, rate)| rate.min(link.rate));
    texts.extend(of_time(rate, link.delay, bytes, end.since(Time::ZERO)));
    texts.extend(of_queue(
        &QueueConfig { limit: link.queue, discipline, rate: link.rate, weights: Vec::new() },
        bytes,
    ));
    if let Some(loss) = &link.loss {
        texts.extend(of_loss(&loss.model, bytes));
    }
    if let Some(outage) = &link.outage {
        texts.extend(of_gaps(outage, link, bytes));
    }
    texts
}

/// Warns of a link that is too slow for the run, mostly because its delay or its rate has the wrong unit.
fn of_time(rate: Rate, delay: Span, bytes: u32, run: Span) -> Option<String> {
    let sending = rate.span_of_bytes(u64::from(bytes));
    let is_long = |time: Span| time.as_secs() * FEW > run.as_secs();
    let told = if is_long(delay) {
        format!("its delay is {}", shown(delay))
    } else if is_long(sending) {
        format!("it takes {} to send a packet of {bytes} B", shown(sending))
    } else {
        return None;
    };
    Some(format!("{told}, and the run ends at {}: hardly anything gets an answer", shown(run)))
}

fn of_shaper(key: &str, shaper: Rate, line: Rate) -> Option<String> {
    (shaper >= line).then(|| {
        let [shaper, line] = [shaper, line].map(|rate| shown_rate(rate.bits_per_second() as f64));
        format!("its shaper has no effect: `{key}` is {shaper}, and the line's rate {line}")
    })
}

fn of_loss(model: &LossModel, bytes: u32) -> Option<String> {
    let loss = |probability| model.of.packet_loss(probability, bytes);
    let (loss, told) = match model.probability {
        LossProbability::Constant(probability) => (loss(probability), format!("{probability}")),
        LossProbability::GilbertElliott { good, bad, mean_good, mean_bad } => {
            let (in_good, in_bad) = (mean_good.as_secs(), mean_bad.as_secs());
            let mean = (in_good * loss(good) + in_bad * loss(bad)) / (in_good + in_bad);
            (mean, format!("{good} in the good state and {bad} in the bad one"))
        }
    };
    let unit = model.of.word();
    (1.0 - loss < PRACTICALLY_NEVER).then(|| {
        let loss = (loss * 1e6).round() / 1e6;
        format!(
            "its probability of error, {told} of a {unit}, loses a packet of {bytes} B with a probability of \
             {loss}: practically none of these gets through"
        )
    })
}

fn of_outage(outage: &Outage, end: Time) -> Option<String> {
    let first = Time::ZERO + outage.start;
    let latest_end = first + outage.duration + outage.spread;
    let (run, duration) = (shown(end.since(Time::ZERO)), shown(outage.duration));
    if first >= end {
        let start = shown(outage.start);
        Some(format!("its outage at {start} has no effect: the run ends at {run}"))
    } else if first + outage.duration > end {
        Some(format!("its outage of {duration} is not over when the run ends, at {run}"))
    } else if outage.repeat == Repeat::Once && latest_end > end {
        Some(format!("its outage of {duration} may start too late to be over when the run ends, at {run}"))
    } else {
        None
    }
}

/// Warns of periodic outages with too little time between them for a packet.
fn of_gaps(outage: &Outage, link: &LinkConfig, bytes: u32) -> Option<String> {
    let Repeat::Periodic(period) = outage.repeat else { return None };
    let transmission = link.rate.span_of_bytes(u64::from(bytes));
    let needed = match outage.packets {
        OutagePackets::Held => transmission,
        OutagePackets::Lost(LossPosition::AfterQueue) => transmission + link.delay,
        OutagePackets::Lost(LossPosition::BeforeQueue) => return None,
    };
    let up = period - outage.duration;
    (needed > up).then(|| {
        format!(
            "between outages it is up for {}, and a packet of {bytes} B needs {}: none of these gets through",
            shown(up),
            shown(needed)
        )
    })
}
