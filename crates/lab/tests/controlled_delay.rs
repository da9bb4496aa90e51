//! Disciplines that hold a delay, with long flows: the controller's equilibrium is known beforehand.

use airfair_lab::{Experiment, Outcome};

/// So many Reno flows at 100 Mb/s with a round trip of 50 ms, for a minute after half a minute.
fn run(flows: u32, discipline: &str) -> Outcome {
    let text = format!(
        r#"
[run]
warmup = "30 s"
duration = "60 s"
metrics = ["throughput_total", "drop_rate"]
[[node]]
name = "a"
[[node]]
name = "b"
[[link]]
from = "a"
to = "b"
rate = "100 Mb/s"
delay = "25 ms"
queue = 10000
[link.discipline]
direction = "forward"
{discipline}
[tcp]
profile = "rfc"
variant = "sack"
segment_bytes = "1448 B"
window = 10000
[[flow]]
name = "f{{i}}"
from = "a"
to = "b"
count = {flows}
spread = "5 s"
"#
    );
    Experiment::parse(&text, "delay.toml", &[]).unwrap_or_else(|error| panic!("{error}")).run(1, &[])
}

/// The mean time in the queue by Little's law, and the loss.
fn delay_and_loss(outcome: &Outcome) -> (f64, f64) {
    let link = &outcome.links[0];
    let sent = (link.counts.offered - link.counts.dropped) as f64;
    // One more packet is in transmission.
    let waiting = link.queue_mean - link.utilisation;
    (waiting * 60.0 / sent, link.counts.dropped as f64 / link.counts.offered as f64)
}

/// The integral term leaves no lasting error: whatever the number of flows, the mean delay is the target's within 10 %. Each window is a
/// share of the link's, and Reno's law, a window of sqrt(3 / 2p), gives the loss (Mathis, Semke, Mahdavi & Ott 1997) within a factor of two:
/// it knows neither timeouts nor windows of different sizes.
#[test]
fn pie_holds_its_target_whatever_the_number_of_flows() {
    for flows in [5, 20, 80] {
        for target in [5.0, 15.0, 30.0] {
            let outcome = run(flows, &format!("kind = \"pie\"\ntarget = \"{target} ms\""));
            let (delay, loss) = delay_and_loss(&outcome);
            assert!((delay * 1e3 / target - 1.0).abs() < 0.1, "{flows} flows, {target} ms: {delay} s");
            let window = 100e6 / 12e3 * (0.05 + target / 1e3) / f64::from(flows);
            let law = 1.5 / (window * window);
            assert!((0.5..2.0).contains(&(loss / law)), "{flows} flows, {target} ms: {loss}, not {law}");
        }
    }
}
