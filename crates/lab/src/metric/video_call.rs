//! Video calls as their viewers see them.

use super::run::mean_of;
use super::voice::paired;
use super::*;
use crate::grade::{VIDEO_CALL, VIDEOPHONE};
use airfair_core::{Span, Time};
use airfair_metrics::{Unfinished, freeze_ratio, quantile_with_unfinished};
use airfair_scenario::resolved::{Flow, Traffic};
use airfair_sim::Session;

const SHOWN: &str = "AirFair's. A frame can be shown once it and those before it are complete, as all codecs of calls code differences.";
const FREEZES: &str =
    "W3C, \"Identifiers for WebRTC's Statistics API\", freezeCount and totalFreezesDuration.";

pub const FAMILIES: &[&[Metric]] = &[
    &[TIME.metric(
        "video_call_delay_mean",
        "Mean frame delay, video calls",
        "Time from the capture of a frame until it is shown: until all packets of it and of the frames before it have come, as far as those are not \
         given up. Over all frames of all flows of `video_call` that are captured in the measured window and shown by the end of the run. Encoder, \
         decoder and screen take no time.",
        SHOWN,
        Compute::Run(|run| mean_of(&delays(run)?.finished, "frames that are shown")),
    )],
    &[LOSS.metric(
        "video_call_loss_mean",
        "Lost and late frames, video calls",
        "Share of the frames captured in the measured window that are not shown within 400 ms. A frame that is not shown and captured no longer before \
         the end of the run than the slowest one took, or than 0.8 s if none was shown, does not count. Mean over the flows of `video_call` with others.",
        "400 ms: ITU-T G.1010, Table I.1 (videophone: limit of the one-way delay), after G.114.",
        Compute::Run(|run| {
            let losses: Vec<f64> = ways(run)?.iter().filter_map(|way| way.lost_or_late()).collect();
            mean_of(&losses, "frames that are shown or lost")
        }),
    )],
    &[
        LOSS.metric(
            "video_call_freeze_ratio_mean",
            "Freeze ratio, video calls",
            "Mean over the flows of `video_call` of the share of the measured time, from the first picture on, in which the picture is frozen: the next \
             frame is shown no sooner than three times the average duration of the last 30 frames, it among them, and 150 ms longer than that. 1 if no frame is shown; a \
             flow that captures its first frame in the last 0.8 s of the run, and shows none, does not count.",
            FREEZES,
            Compute::Run(|run| mean_of(&freezes(run)?, "video calls with a picture")),
        ),
        LOSS.metric(
            "video_call_freeze_ratio_max",
            "Largest freeze ratio, video calls",
            "The greatest of the shares whose mean is video_call_freeze_ratio_mean.",
            FREEZES,
            Compute::Run(|run| {
                let freezes = freezes(run)?;
                let greatest = freezes.into_iter().reduce(f64::max);
                greatest.ok_or(Undefined::Nothing("video calls with a picture"))
            }),
        ),
    ],
    &[RATE.metric(
        "video_call_bitrate_mean",
        "Bitrate, video calls",
        "Mean over the flows of `video_call` of the payload of the frames shown in the measured window over its length.",
        "Usage of the field.",
        Compute::Run(|run| {
            let seconds = run.record.end.since(run.record.warmup).as_secs();
            let bitrates: Vec<f64> = ways(run)?.iter().map(|way| way.shown_bits(run) / seconds).collect();
            mean_of(&bitrates, "flows of video calls")
        }),
    )],
];

/// Distributions with one value for each frame.
pub const DISTRIBUTIONS: &[Distribution] = &[Distribution {
    name: "video_call_delay",
    title: "frame delay, video calls",
    mean: "video_call_delay_mean",
    values: Values::Run("frames that are captured", delays),
}];

/// One direction of a call.
struct Way<'a> {
    /// Index of the flow.
    number: usize,
    flow: &'a Flow,
    frames: &'a [Session],
    /// Delays and losses of the frames captured in the measured window.
    fates: Fates,
}

impl Way<'_> {
    fn lost_or_late(&self) -> Option<f64> {
        let Fates { times, lost } = &self.fates;
        let late = times.iter().filter(|time| **time > VIDEOPHONE).count() + lost;
        let all = times.len() + lost;
        (all > 0).then(|| late as f64 / all as f64)
    }

    /// Returns the share of the time in which the picture is frozen; `None` if there was no time for one.
    fn freeze_ratio(&self, run: &Run<'_>) -> Option<f64> {
        let (warmup, end) = (run.record.warmup, run.record.end);
        let shown = self.frames.iter().map(|frame| frame.delivered).filter(|shown| *shown < Time::NEVER);
        let shown: Vec<f64> = shown.map(Time::as_secs).collect();
        if shown.is_empty() {
            let first = self.frames.first()?;
            return (end.since(first.start).as_secs() > VIDEO_CALL.last_limit()).then_some(1.0);
        }
        freeze_ratio(&shown, warmup.as_secs(), end.as_secs()).ok()
    }

    fn shown_bits(&self, run: &Run<'_>) -> f64 {
        let shown = |frame: &&Session| (run.record.warmup..run.record.end).contains(&frame.delivered);
        self.frames.iter().filter(shown).map(|frame| frame.bytes.unwrap_or(0) as f64 * 8.0).sum()
    }

    /// Returns the 95th percentile of the delays in seconds, with lost frames as slower than all others, or why there is none.
    fn slow(&self) -> Slow {
        let Fates { times, lost } = &self.fates;
        match (quantile_with_unfinished(times, Unfinished::Above(*lost), 0.95), self.fates.share()) {
            (Ok(slow), _) => Slow::Delay(slow),
            (Err(_), Some(lost)) => Slow::Lost(lost),
            (Err(_), None) => Slow::Unknown,
        }
    }
}

/// How slow a call is: the 95th percentile of the delays of its frames.
#[derive(Clone, Copy, Debug)]
pub enum Slow {
    /// No frame shows it.
    Unknown,
    /// The delay in seconds.
    Delay(f64),
    /// There is no such delay, since this share of the frames is lost.
    Lost(f64),
}

/// A video call, and how slow its worse direction is.
pub struct VideoCall {
    /// Index of the flow that is the call's first direction.
    pub flow: usize,
    /// How slow it is.
    pub slow: Slow,
}

/// Returns all video calls. As a call of voice, one is a flow and the flow in the opposite direction.
pub fn video_calls(run: &Run<'_>) -> Vec<VideoCall> {
    let worse = |one: Slow, other: Slow| match (one, other) {
        (Slow::Lost(one), Slow::Lost(other)) => Slow::Lost(one.max(other)),
        (lost @ Slow::Lost(_), _) | (_, lost @ Slow::Lost(_)) => lost,
        (Slow::Delay(one), Slow::Delay(other)) => Slow::Delay(one.max(other)),
        (delay @ Slow::Delay(_), _) | (_, delay) => delay,
    };
    let call = |ways: Vec<Way<'_>>| VideoCall {
        flow: ways[0].number,
        slow: ways.iter().map(Way::slow).reduce(worse).unwrap_or(Slow::Unknown),
    };
    paired(ways(run).unwrap_or_default(), |way| way.flow).into_iter().map(call).collect()
}

/// Returns all directions of all calls.
fn ways<'a>(run: &Run<'a>) -> Result<Vec<Way<'a>>, Undefined> {
    let (warmup, end) = (run.record.warmup, run.record.end);
    let flows = run.scenario.flows.iter().zip(&run.record.sessions).enumerate();
    let ways = flows.filter(|(_, (flow, _))| matches!(flow.traffic, Traffic::VideoCall { .. }));
    let ways = ways.map(|(number, (flow, frames))| {
        let measured = frames.iter().filter(|frame| frame.start >= warmup);
        Way { number, flow, frames, fates: Fates::of(measured, end, &VIDEO_CALL, |frame| frame.delivered) }
    });
    let ways: Vec<_> = ways.collect();
    if ways.is_empty() { Err(Undefined::Nothing("flows of video calls")) } else { Ok(ways) }
}

fn freezes(run: &Run<'_>) -> Result<Vec<f64>, Undefined> {
    Ok(ways(run)?.iter().filter_map(|way| way.freeze_ratio(run)).collect())
}

/// Returns the delays of frames, and the number of frames that have not been shown.
fn delays(run: &Run<'_>) -> Result<Sample, Undefined> {
    let ways = ways(run)?;
    let measured = |frame: &&Session| frame.start >= run.record.warmup;
    let frames: Vec<_> = ways.iter().flat_map(|way| way.frames.iter().filter(measured)).collect();
    let shown = frames.iter().filter(|frame| frame.delivered < Time::NEVER);
    let finished: Vec<f64> = shown.map(|frame| frame.delivered - frame.start).map(Span::as_secs).collect();
    Ok(Sample { unfinished: frames.len() - finished.len(), finished })
}

#[cfg(test)]
mod tests {
    use crate::Experiment;

    /// A call over a wire of 50 ms, one way.
    const CALL: &str = r#"
[run]
warmup = "20 s"
duration = "60 s"
metrics = ["throughput_total"]
[[node]]
name = "a"
[[node]]
name = "b"
[[link]]
from = "a"
to = "b"
rate = "10 Mb/s"
delay = "50 ms"
queue = "300 ms"
[[flow]]
name = "call"
from = "a"
to = "b"
traffic = "video_call"
"#;

    fn values<const N: usize>(text: &str, names: [&str; N]) -> [f64; N] {
        let asked = names.map(str::to_owned);
        let experiment = Experiment::parse(text, "call.toml", &[]).unwrap().measuring(Some(&asked)).unwrap();
        let outcome = experiment.run(1, &[]);
        names.map(|name| outcome.metric(name).and_then(|metric| metric.value).unwrap_or(f64::NAN))
    }

    const ALL: [&str; 5] = [
        "video_call_bitrate_mean",
        "video_call_delay_mean",
        "video_call_delay_p95",
        "video_call_loss_mean",
        "video_call_freeze_ratio_mean",
    ];

    #[test]
    fn a_wide_wire_carries_the_highest_rate() {
        let [bitrate, mean, slow, lost, frozen] = values(CALL, ALL);
        // Of 1238 bytes 1180 are payload.
        assert!((bitrate / (2.5e6 * 1180.0 / 1238.0) - 1.0).abs() < 0.02, "{bitrate}");
        // The pacer takes up to a frame's time, and longer for large ones.
        assert!((0.05..0.1).contains(&mean) && slow < 0.13, "{mean} {slow}");
        assert_eq!((lost, frozen), (0.0, 0.0));
    }

    #[test]
    fn the_rate_follows_a_narrow_wire_without_a_long_queue() {
        for rate in ["1 Mb/s", "600 kb/s"] {
            let capacity = if rate == "1 Mb/s" { 1e6 } else { 6e5 };
            let [bitrate, _, slow, lost, frozen] = values(&CALL.replace("10 Mb/s", rate), ALL);
            assert!((0.7..1.0).contains(&(bitrate / capacity)), "{bitrate} of {rate}");
            assert!(slow < 0.25, "{slow} at {rate}");
            assert!(lost < 0.01 && frozen < 0.01, "{lost} {frozen}");
        }
    }

    #[test]
    fn two_calls_share_a_wire() {
        let two = CALL.replace("10 Mb/s", "2 Mb/s").replace("60 s", "180 s")
            + "[[flow]]\nname = \"other\"\nfrom = \"a\"\nto = \"b\"\ntraffic = \"video_call\"\nstart = \"10 s\"\n";
        let [jain, bitrate] = values(&two, ["jain", "video_call_bitrate_mean"]);
        assert!(jain > 0.9, "{jain}");
        assert!((0.7e6..1e6).contains(&bitrate), "{bitrate}");
    }

    #[test]
    fn an_outage_freezes_the_picture() {
        let outage = |start: u32, duration: u32| {
            format!(
                "outage = {{ start = \"{start} s\", duration = \"{duration} s\", packets = \"lost\" }}\nrate ="
            )
        };
        let broken = CALL.replace("rate =", &outage(40, 3));
        let [.., lost, frozen] = values(&broken, ALL);
        assert!((3.0 / 60.0..4.5 / 60.0).contains(&frozen), "{frozen}");
        assert!((3.0 / 60.0..5.0 / 60.0).contains(&lost), "{lost}");
        let dead = CALL.replace("rate =", &outage(0, 80));
        let [bitrate, _, _, lost, frozen] = values(&dead, ALL);
        assert_eq!((bitrate, lost, frozen), (0.0, 1.0, 1.0));
    }

    #[test]
    fn losses_are_repaired() {
        let lossy = CALL.replace("rate =", "loss = { model = \"bernoulli\", probability = 0.01 }\nrate =");
        let [bitrate, _, slow, lost, frozen] = values(&lossy, ALL);
        // A round trip later.
        assert!(bitrate > 2e6 && (0.15..0.25).contains(&slow), "{bitrate} {slow}");
        assert!(lost < 0.01 && frozen < 0.01, "{lost} {frozen}");
    }
}
