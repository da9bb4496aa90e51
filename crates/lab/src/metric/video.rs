//! Streams of video as their viewers see them.

use super::*;
use airfair_core::{Span, Time};
use airfair_metrics::mean;
use airfair_scenario::resolved::Traffic;
use airfair_sim::session::Session;
use airfair_sim::video::Playback;

const DOBRIAN: &str = "Dobrian et al., \"Understanding the impact of video quality on user engagement\", SIGCOMM 2011, Section 2.2.";

pub const FAMILIES: &[&[Metric]] = &[
    &[
        Metric {
            larger_is_better: Some(false),
            ..fraction(
                "rebuffer_ratio_mean",
                "Rebuffer ratio, streams",
                "Mean over the flows of `video` of the share of the measured time, from the first picture on, in which the picture has stopped: all \
                 segments that have arrived have been shown. 1 where no segment arrives; a flow that asks for its first one less than its length \
                 before the end of the run, and does not get it, does not count.",
                DOBRIAN,
                |run| mean(&stops(run)?),
            )
        },
        fraction(
            "rebuffer_ratio_max",
            "Largest rebuffer ratio, streams",
            "The greatest of the shares whose mean is rebuffer_ratio_mean.",
            DOBRIAN,
            |run| Ok(stops(run)?.into_iter().fold(0.0, f64::max)),
        ),
    ],
    &[Metric {
        name: "join_time_mean",
        title: "Join time, streams",
        unit: "s",
        range: FROM_ZERO,
        larger_is_better: Some(false),
        definition: "Mean over the flows of `video` of the time from the start of the stream until its first segment is delivered, with which the \
                     picture starts. A stream starts once, so those that start in the warm-up count as well. One without a picture counts with its \
                     time until the end of the run, which makes this a lower bound. The server opens the connection, so the way of the player's \
                     first packet is not in it.",
        source: DOBRIAN,
        note: None,
        compute: Compute::Run(|run| mean(&join_times(run)?)),
    }],
    &[Metric {
        name: "video_bitrate_mean",
        title: "Bitrate, streams",
        unit: "bit/s",
        range: FROM_ZERO,
        larger_is_better: Some(true),
        definition: "Mean over the flows of `video` of the mean bitrate of the segments that are asked for in the measured window, whether they have \
                     arrived or not.",
        source: DOBRIAN,
        note: None,
        compute: Compute::Run(|run| {
            let streams = streams(run)?;
            let bitrates: Vec<f64> = streams.iter().filter_map(|stream| stream.bitrate).collect();
            if bitrates.is_empty() { Err(Undefined::Nothing("segments asked for")) } else { mean(&bitrates) }
        }),
    }],
];

/// Returns for each stream the time in seconds until its first picture, or until the end of the run if there is none.
fn join_times(run: &Run<'_>) -> Result<Vec<f64>, Undefined> {
    let flows = || run.scenario.flows.iter().zip(&run.record.sessions);
    let of_video = || flows().filter(|(flow, _)| matches!(flow.traffic, Traffic::Video { .. }));
    let first = of_video().filter_map(|(_, sessions)| sessions.first());
    let times: Vec<f64> =
        first.map(|it| it.delivered.min(run.record.end).since(it.start).as_secs()).collect();
    match (of_video().next().is_some(), times.is_empty()) {
        (false, _) => Err(Undefined::Nothing("flows of video")),
        (true, true) => Err(Undefined::Nothing("streams that start before the end of the run")),
        (true, false) => Ok(times),
    }
}

/// The reason why a stream has no share of time in which the picture stands still.
pub const NO_TIME: Undefined =
    Undefined::Nothing("streams whose first segment was due before the end of the run");

/// A stream in the measured window, as its viewer sees it.
pub struct Stream {
    /// Index of the flow.
    pub flow: usize,
    /// Share of the time in which the picture stood still; `None` if the stream had no time to begin.
    pub stopped: Option<f64>,
    /// Mean bitrate in bit/s of the segments that were asked for.
    pub bitrate: Option<f64>,
}

/// Returns the streams of all flows of video.
pub fn streams(run: &Run<'_>) -> Result<Vec<Stream>, Undefined> {
    let flows = run.scenario.flows.iter().zip(&run.record.sessions).enumerate();
    let streams = flows.filter_map(|(number, (flow, sessions))| match flow.traffic {
        Traffic::Video { segment, .. } => Some(stream(run, number, segment, sessions)),
        _ => None,
    });
    let streams: Vec<_> = streams.collect();
    if streams.is_empty() { Err(Undefined::Nothing("flows of video")) } else { Ok(streams) }
}

/// Returns for each stream the share of time in which the picture stood still.
fn stops(run: &Run<'_>) -> Result<Vec<f64>, Undefined> {
    let stops: Vec<f64> = streams(run)?.iter().filter_map(|stream| stream.stopped).collect();
    if stops.is_empty() { Err(NO_TIME) } else { Ok(stops) }
}

fn stream(run: &Run<'_>, flow: usize, segment: Span, sessions: &[Session]) -> Stream {
    let (warmup, end) = (run.record.warmup, run.record.end);
    let inside = |from: Time, to: Time| to.min(end).since(from.max(warmup)).as_secs();
    let mut playback = Playback::new(segment);
    let (mut first, mut stopped) = (None, 0.0);
    for session in sessions.iter().filter(|session| session.delivered < Time::NEVER) {
        let pause = playback.on_segment(session.delivered);
        stopped += pause.map_or(0.0, |pause| inside(pause.start, pause.end));
        first.get_or_insert(session.delivered);
    }
    let due = |session: &&Session| end.since(session.start) >= segment;
    let stopped = match first {
        None => sessions.first().filter(due).map(|_| 1.0),
        Some(first) => {
            let shown = inside(first, end);
            let stopped = stopped + inside(end - playback.since_empty(end), end);
            (shown > 0.0).then(|| stopped / shown)
        }
    };
    let asked = sessions.iter().filter(|session| session.start >= warmup);
    let bits: Vec<f64> = asked.filter_map(|session| Some(session.bytes? as f64 * 8.0)).collect();
    let bitrate = mean(&bits).ok().map(|bits| bits / segment.as_secs());
    Stream { flow, stopped, bitrate }
}

#[cfg(test)]
mod tests {
    use crate::Experiment;

    /// A stream over a wire that breaks for twenty seconds.
    const STREAM: &str = r#"
[run]
warmup = "10 s"
duration = "60 s"
metrics = ["rebuffer_ratio_mean", "rebuffer_ratio_max", "video_bitrate_mean"]
[tcp]
profile = "linux"
variant = "sack"
window = 500
[[node]]
name = "server"
[[node]]
name = "tv"
[[link]]
from = "server"
to = "tv"
rate = "100 Mb/s"
delay = "10 ms"
queue = 1000
[[flow]]
name = "stream"
from = "server"
to = "tv"
traffic = "video"
"#;

    fn values(text: &str) -> [f64; 3] {
        let outcome = Experiment::parse(text, "stream.toml", &[]).unwrap().run(1, &[]);
        ["rebuffer_ratio_mean", "rebuffer_ratio_max", "video_bitrate_mean"]
            .map(|name| outcome.metric(name).and_then(|metric| metric.value).unwrap_or(f64::NAN))
    }

    #[test]
    fn a_wide_wire_shows_the_best_bitrate_without_a_stop() {
        let [mean, max, bitrate] = values(STREAM);
        assert_eq!((mean, max), (0.0, 0.0));
        assert_eq!(bitrate, 16e6);
    }

    #[test]
    fn the_bitrate_follows_the_wire() {
        let [_, stopped, bitrate] = values(&STREAM.replace("100 Mb/s", "5 Mb/s"));
        assert!((3e6..6e6).contains(&bitrate), "{bitrate}");
        assert_eq!(stopped, 0.0);
        // The wire is too slow for the lowest bitrate: a segment of 4 s takes 4.7 s.
        let [_, stopped, bitrate] = values(&STREAM.replace("100 Mb/s", "200 kb/s"));
        assert_eq!(bitrate, 235e3);
        assert!((0.10..0.35).contains(&stopped), "{stopped}");
    }

    #[test]
    fn a_picture_starts_with_the_first_segment() {
        let join_time = |text: &str| {
            let text =
                text.replace("\"rebuffer_ratio_mean\",", "\"join_time_mean\", \"rebuffer_ratio_mean\",");
            let outcome = Experiment::parse(&text, "stream.toml", &[]).unwrap().run(1, &[]);
            outcome.metric("join_time_mean").map(|metric| metric.value)
        };
        // The handshake's round trip and its two packets, 117.5 kB at 1 Mb/s in 82 segments with 52 bytes of headers, and 10 ms.
        let found = join_time(&STREAM.replace("100 Mb/s", "1 Mb/s")).flatten().expect("a value");
        let least = 0.03 + (117_500.0 + 84.0 * 52.0) * 8.0 / 1e6;
        assert!((found - least).abs() < 1e-4, "{found} {least}");
        // Of two streams one has no picture by the end, at 70 s, and the other starts after it.
        let dead = "outage = { start = \"0 s\", duration = \"70 s\", packets = \"lost\" }\nrate =";
        let late = STREAM.replace("rate =", dead) + "start = \"69 s\"\n";
        let stream = |name: &str, start: &str| {
            format!(
                "[[flow]]\nname = \"{name}\"\nfrom = \"server\"\nto = \"tv\"\ntraffic = \"video\"\nstart = \"{start}\"\n"
            )
        };
        let found = join_time(&(late + &stream("second", "30 s") + &stream("third", "71 s"))).flatten();
        assert!((found.expect("a value") - (1.0 + 40.0) / 2.0).abs() < 1e-9, "{found:?}");
        assert_eq!(join_time(&(STREAM.to_owned() + "start = \"71 s\"\n")), Some(None));
    }

    #[test]
    fn a_request_does_not_wait_for_a_delayed_ack() {
        let text = STREAM.replace("100 Mb/s", "1 Mb/s").replace("\"linux\"", "\"rfc\"");
        let outcome = Experiment::parse(&text, "stream.toml", &[]).unwrap().run(1, &[]);
        // The buffer does not fill, so each request leaves at once: 10 ms, and 0.32 ms for 40 bytes.
        let ways_up: Vec<f64> = outcome
            .sessions
            .windows(2)
            .map(|pair| pair[1].start - pair[0].start - pair[0].delivered.expect("delivered"))
            .collect();
        assert!(ways_up.len() > 10, "{ways_up:?}");
        assert!(ways_up.iter().all(|way_up| (way_up - 0.010_32).abs() < 1e-9), "{ways_up:?}");
    }

    #[test]
    fn a_picture_stops_when_the_buffer_is_empty() {
        let broken = "outage = { start = \"25 s\", duration = \"45 s\", packets = \"lost\" }\nrate =";
        let [_, stopped, _] = values(&STREAM.replace("rate =", broken));
        // When the wire breaks for the rest of the run, which is 45 s, the player holds between 22 s and 30 s of video.
        assert!((15.0 / 60.0..=23.0 / 60.0).contains(&stopped), "{stopped}");
        let never = "outage = { start = \"0 s\", duration = \"70 s\", packets = \"lost\" }\nrate =";
        assert_eq!(values(&STREAM.replace("rate =", never))[1], 1.0);
    }

    #[test]
    fn a_stream_that_had_no_time_to_begin_does_not_count() {
        let with_another = |stream: &str, start: &str| {
            let another = "[[flow]]\nname = \"late\"\nfrom = \"server\"\nto = \"tv\"\ntraffic = \"video\"\n";
            values(&format!("{stream}{another}start = \"{start}\"\n"))
        };
        // The run ends at 70 s; the first segment takes more than the last 5 ms.
        for start in ["70 s", "69.995 s", "80 s"] {
            assert_eq!(with_another(STREAM, start)[0], 0.0, "{start}");
        }
        let dead = "outage = { start = \"65 s\", duration = \"5 s\", packets = \"lost\" }\nrate =";
        let [_, max, _] = with_another(&STREAM.replace("rate =", dead), "65.5 s");
        assert_eq!(max, 1.0, "it waited for longer than its first segment lasts");
    }
}
