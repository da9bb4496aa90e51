//! Telephone calls as their listeners hear them.
//!
//! A call is a flow of voice, and the flow of voice in the opposite direction between the same two nodes, if there is one. Of
//! several flows between two nodes, the first ones are paired, then the second ones, and so on.

use super::run::mean_of;
use super::*;
use airfair_core::{Span, Time};
use airfair_metrics::{
    Equipment, Heard, VoiceFrame, adaptive_playout, fixed_playout, mean, mos, mos_wideband, r_factor,
    r_factor_wideband,
};
use airfair_scenario::resolved::{Flow, Traffic, VoiceCodec};

const G107: &str = "ITU-T Recommendation G.107 (06/2015), the E-model, with the default values of its Table 2 for all that a network does not \
                    decide; equipment impairment and packet-loss robustness of G.113, Appendix I. Of Opus: G.107.1 (06/2019), the wideband \
                    E-model, with the values of Alahmadi, Pocta & Melvin, ACM TOMM 17(4), 2021.";
const PLAYED: &str = "AirFair's. Delay variation relative to the least delay: ITU-T Recommendation Y.1541. A buffer that adapts: NetEQ, as \
                      docs/models.md says.";

pub const FAMILIES: &[&[Metric]] = &[
    &[
        SCORE.metric(
            "voice_mos_mean",
            "Opinion score, calls",
            "Mean over calls of the mean opinion score that the E-model estimates from R (Annex B): 4.5 best, 1 bad; 4.41 without delay and \
             loss. The score of a call is that of its worse direction. Of Opus it is on the scale of those who hear wideband (G.107.1, Annex A), on which \
             G.711 has 3.70 and Opus 4.23 without delay and loss: compare voice_r between codecs.",
            G107,
            Compute::Run(|run| mean(&per_call(run, |rating| rating.mos)?)),
        ),
        SCORE.metric(
            "voice_mos_min",
            "Least opinion score, calls",
            "The least of the scores whose mean is voice_mos_mean.",
            G107,
            Compute::Run(|run| least(&per_call(run, |rating| rating.mos)?)),
        ),
    ],
    &[
        RATING.metric(
            "voice_r_mean",
            "Mean rating factor, calls",
            "Mean over calls of the transmission rating factor R. It takes the delay from mouth to ear (a frame, and the time from its sending until it is \
             played, of the direction, and in the echo path of the other one, too), the share of lost frames (voice_loss of the direction), and how bursty they are. \
             93.2 without delay and loss. Of Opus, whose coder hears another 6.5 ms before it codes a frame, the echo is taken to be cancelled, bursts \
             do not count, and R is 110.9 without delay and loss. R of a call is that of its worse direction; a call of which a direction has no frame to be played by the end of the run does not count. Beyond 500 ms and 20 % the recommendation \
             gives no values, and its equations are carried on.",
            G107,
            Compute::Run(|run| mean(&per_call(run, |rating| rating.r)?)),
        ),
        RATING.metric(
            "voice_r_min",
            "Least rating factor, calls",
            "The least of the factors whose mean is voice_r_mean.",
            G107,
            Compute::Run(|run| least(&per_call(run, |rating| rating.r)?)),
        ),
    ],
    &[
        LOSS.metric(
            "voice_loss_mean",
            "Lost voice frames",
            "Share of the voice frames sent in the measured window that are not there when they are to be played: at the flow's least delay in \
             the window and its `playout_delay` after they were sent, or when a buffer that adapts plays them. Frames to be played after the end of the \
             run do not count, nor do flows without others. Where no frame of a flow arrives, those sent 400 ms before the end or earlier are lost. Mean \
             over the flows of voice.",
            PLAYED,
            Compute::Run(|run| mean(&per_flow(run, |heard| heard.loss)?)),
        ),
        LOSS.metric(
            "voice_loss_max",
            "Lost voice frames, worst flow",
            "The greatest of the shares whose mean is voice_loss_mean.",
            PLAYED,
            Compute::Run(|run| Ok(per_flow(run, |heard| heard.loss)?.into_iter().fold(0.0, f64::max))),
        ),
    ],
    &[TIME.metric(
        "voice_delay_mean",
        "Mean delay of voice frames",
        "Time from the sending of a voice frame until it arrives, over all frames of all flows of voice that are sent in the measured window and \
         arrive by the end of the run.",
        "Usage of the field: RFC 7679 (one-way delay).",
        Compute::Run(|run| mean_of(&delays(run)?.finished, "voice frames that arrive")),
    )],
];

/// Distributions with one value for each frame.
pub const DISTRIBUTIONS: &[Distribution] = &[Distribution {
    name: "voice_delay",
    title: "delay of voice frames",
    mean: "voice_delay_mean",
    values: Values::Run("voice frames that are sent", delays),
}];

const SCORE: Kind =
    Kind { unit: "1", range: Bounds { low: Some(1.0), high: Some(4.5) }, larger_is_better: Some(true) };
const RATING: Kind =
    Kind { unit: "1", range: Bounds { low: Some(0.0), high: Some(129.0) }, larger_is_better: Some(true) };
const NO_VOICE: Undefined = Undefined::Nothing("flows of voice");

/// Longest one-way delay of a frame in seconds, by ITU-T Recommendation G.114.
const LONGEST_DELAY: f64 = 0.4;

/// A flow of voice, and its frames.
struct Spoken<'a> {
    /// Index of the flow.
    number: usize,
    flow: &'a Flow,
    codec: VoiceCodec,
    /// Length of the de-jitter buffer; `None`: it adapts.
    playout_delay: Option<Span>,
    frames: Vec<VoiceFrame>,
    /// Number of frames that are sent before the measured window.
    warmup: usize,
}

impl Spoken<'_> {
    /// Returns the frames that are sent in the measured window.
    fn measured(&self) -> &[VoiceFrame] {
        &self.frames[self.warmup..]
    }

    /// Returns how the frames of the measured window are played, in a run until `end` (in seconds).
    fn heard(&self, end: f64) -> Result<Heard, Undefined> {
        let measured = self.measured();
        if measured.iter().all(|(_, delay)| delay.is_none()) {
            return self.unheard(end);
        }
        match self.playout_delay {
            Some(length) => fixed_playout(measured, length.as_secs(), end),
            None => adaptive_playout(&self.frames, self.warmup, end),
        }
    }

    /// Returns how frames are played if none arrives: all are lost that would have been played by the `end`.
    fn unheard(&self, end: f64) -> Result<Heard, Undefined> {
        let delay = self.playout_delay.map_or(0.0, Span::as_secs);
        let due = |(sent, _): &VoiceFrame| sent + delay.max(LONGEST_DELAY) <= end;
        if !self.measured().iter().any(due) {
            return Err(Undefined::Nothing("voice frames to be played before the end of the run"));
        }
        Ok(Heard { delay, loss: 1.0, burst_ratio: 1.0 })
    }
}

/// Returns all flows of voice with their frames.
fn spoken<'a>(run: &Run<'a>) -> Result<Vec<Spoken<'a>>, Undefined> {
    let flows = run.scenario.flows.iter().zip(&run.record.sessions).enumerate();
    let spoken = flows.filter_map(|(number, (flow, sessions))| {
        let Traffic::Voice { codec, playout_delay, .. } = flow.traffic else { return None };
        let frames = sessions.iter().map(|session| {
            let delay = (session.delivered < Time::NEVER).then(|| session.delivered - session.start);
            (session.start.as_secs(), delay.map(Span::as_secs))
        });
        let warmup = sessions.partition_point(|session| session.start < run.record.warmup);
        Some(Spoken { number, flow, codec, playout_delay, frames: frames.collect(), warmup })
    });
    let spoken: Vec<_> = spoken.collect();
    if spoken.is_empty() { Err(NO_VOICE) } else { Ok(spoken) }
}

/// One direction of a call, and how its listener hears it.
struct Way<'a> {
    number: usize,
    flow: &'a Flow,
    codec: VoiceCodec,
    heard: Result<Heard, Undefined>,
}

impl Way<'_> {
    /// Returns the delay from mouth to ear in seconds. A frame must have been spoken before it is sent, so its duration and the
    /// coder's look-ahead are included.
    fn delay(&self, heard: &Heard) -> f64 {
        (self.codec.frame() + self.codec.look_ahead()).as_secs() + heard.delay
    }
}

/// Returns all directions of all calls.
fn ways<'a>(run: &Run<'a>) -> Result<Vec<Way<'a>>, Undefined> {
    let way = |spoken: Spoken<'a>| {
        let heard = spoken.heard(run.record.end.as_secs());
        let Spoken { number, flow, codec, .. } = spoken;
        Way { number, flow, codec, heard }
    };
    Ok(spoken(run)?.into_iter().map(way).collect())
}

/// Returns a value of each flow that has one.
fn per_flow(run: &Run<'_>, of: fn(&Heard) -> f64) -> Result<Vec<f64>, Undefined> {
    defined(ways(run)?.into_iter().map(|way| way.heard.map(|heard| of(&heard))))
}

/// Returns a value of each call that has a rating.
fn per_call(run: &Run<'_>, of: fn(&Rating) -> f64) -> Result<Vec<f64>, Undefined> {
    defined(calls(run)?.into_iter().map(|call| call.rating.map(|rating| of(&rating))))
}

/// Returns the values that are defined. If none is, the result is undefined for the reason of the first one.
fn defined(values: impl Iterator<Item = Value>) -> Result<Vec<f64>, Undefined> {
    let (found, undefined): (Vec<Value>, Vec<Value>) = values.partition(Result::is_ok);
    if found.is_empty() { undefined.into_iter().collect() } else { found.into_iter().collect() }
}

/// A call and its rating.
pub struct Call {
    /// Index of the flow that is the call's first direction.
    pub flow: usize,
    /// The call's rating; undefined if nothing was to be played in one of its directions.
    pub rating: Result<Rating, Undefined>,
}

/// How good the worse direction of a call is.
pub struct Rating {
    /// The rating factor.
    pub r: f64,
    /// The mean opinion score.
    pub mos: f64,
}

/// Returns all calls.
pub fn calls(run: &Run<'_>) -> Result<Vec<Call>, Undefined> {
    let call = |ways: &Vec<Way<'_>>| Call { flow: ways[0].number, rating: rating(ways) };
    Ok(paired(ways(run)?, |way| way.flow).iter().map(call).collect())
}

/// Pairs each direction with the opposite one, if there is one. `flow` returns a direction's flow.
pub fn paired<'a, W>(ways: Vec<W>, flow: impl Fn(&W) -> &'a Flow) -> Vec<Vec<W>> {
    let mut calls: Vec<Vec<W>> = Vec::new();
    for way in ways {
        let (source, sink) = (flow(&way).source, flow(&way).sink);
        let answers = |call: &&mut Vec<W>| {
            call.len() == 1 && (flow(&call[0]).source, flow(&call[0]).sink) == (sink, source)
        };
        match calls.iter_mut().find(answers) {
            Some(call) => call.push(way),
            None => calls.push(vec![way]),
        }
    }
    calls
}

/// Returns the rating of the worse direction. The echo of a voice travels over both directions, or twice over the same one if
/// there is only one.
fn rating(call: &[Way<'_>]) -> Result<Rating, Undefined> {
    let heard = call.iter().map(|way| Ok((way, way.heard?))).collect::<Result<Vec<_>, Undefined>>()?;
    let echo_delay = mean(&heard.iter().map(|(way, heard)| way.delay(heard)).collect::<Vec<_>>())?;
    let of = |(way, heard): &(&Way<'_>, Heard)| {
        let (delay, Heard { loss, burst_ratio, .. }) = (way.delay(heard), *heard);
        let (impairment, robustness) = way.codec.impairment_and_robustness();
        let equipment = Equipment { impairment, robustness };
        if way.codec.is_wideband() {
            let r = r_factor_wideband(delay, loss, equipment)?;
            return Ok(Rating { r, mos: mos_wideband(r)? });
        }
        let r = r_factor(delay, echo_delay, loss, burst_ratio, equipment)?;
        Ok(Rating { r, mos: mos(r)? })
    };
    let rated = heard.iter().map(of).collect::<Result<Vec<_>, Undefined>>()?;
    rated.into_iter().min_by(|a, b| a.r.total_cmp(&b.r)).ok_or(NO_VOICE)
}

fn least(values: &[f64]) -> Value {
    values.iter().copied().reduce(f64::min).ok_or(NO_VOICE)
}

/// Returns the delays of frames, and the number of frames that have not arrived.
fn delays(run: &Run<'_>) -> Result<Sample, Undefined> {
    let spoken = spoken(run)?;
    let frames: Vec<_> = spoken.iter().flat_map(Spoken::measured).collect();
    let finished: Vec<f64> = frames.iter().filter_map(|(_, delay)| *delay).collect();
    Ok(Sample { unfinished: frames.len() - finished.len(), finished })
}

#[cfg(test)]
mod tests {
    use crate::metric::value;

    /// Two calls over a wire of 30 ms one way and 10 ms back; one of the directions loses nothing.
    const CALLS: &str = r#"
[run]
duration = "20 s"
metrics = ["voice_mos_mean", "voice_mos_min", "voice_r_mean", "voice_r_min", "voice_loss_mean", "voice_loss_max", "voice_delay_mean", "voice_delay_p50"]
[[node]]
name = "a"
[[node]]
name = "b"
[[link]]
from = "a"
to = "b"
rate = "1 Gb/s"
delay = "30 ms"
reverse.delay = "10 ms"
[[flow]]
name = "there"
from = "a"
to = "b"
traffic = "voice"
playout_delay = "60 ms"
[[flow]]
name = "back"
from = "b"
to = "a"
traffic = "voice"
playout_delay = "40 ms"
"#;

    /// Returns [`CALLS`] with de-jitter buffers that adapt.
    fn adaptive() -> String {
        CALLS.replace("playout_delay = \"60 ms\"\n", "").replace("playout_delay = \"40 ms\"\n", "")
    }

    #[test]
    fn a_call_is_as_good_as_its_worse_direction() {
        // At 1 Gb/s, 200 B take 1.6 us. There: 20 ms of frame, 30 ms of wire, 60 ms of buffer; back: 20 + 10 + 40 ms.
        let (there, back) = (0.1100016, 0.0700016);
        let g711 = airfair_metrics::Equipment { impairment: 0.0, robustness: 25.1 };
        let r = airfair_metrics::r_factor(there, (there + back) / 2.0, 0.0, 1.0, g711).unwrap();
        for name in ["voice_r_mean", "voice_r_min"] {
            assert!((value(CALLS, name).unwrap() - r).abs() < 1e-6, "{name}");
        }
        let mos = airfair_metrics::mos(r).unwrap();
        assert!((value(CALLS, "voice_mos_min").unwrap() - mos).abs() < 1e-8);
        assert_eq!(value(CALLS, "voice_loss_max"), Ok(0.0));
        // When the run ends, two frames more are in flight there than back.
        assert!((value(CALLS, "voice_delay_mean").unwrap() - 0.0200016).abs() < 2e-5);
        assert!((value(CALLS, "voice_delay_p99").unwrap() - 0.0300016).abs() < 1e-9);
    }

    #[test]
    fn losses_on_the_way_are_not_heard() {
        let lossy = CALLS.replace("rate =", "loss = { model = \"bernoulli\", probability = 0.1 }\nrate =");
        let (mean, max) =
            (value(&lossy, "voice_loss_mean").unwrap(), value(&lossy, "voice_loss_max").unwrap());
        assert!((0.07..0.13).contains(&mean) && max > mean, "{mean} {max}");
        assert!(value(&lossy, "voice_mos_mean").unwrap() < 3.6);
        let plain = lossy.replace("\"voice\"", "\"voice\"\ncodec = \"g711-plain\"");
        assert!(value(&plain, "voice_mos_mean").unwrap() < value(&lossy, "voice_mos_mean").unwrap() - 0.5);
        assert!(value(&lossy, "voice_delay_p99").is_err(), "among those that are lost");
    }

    #[test]
    fn an_adapting_buffer_is_short_where_frames_come_evenly() {
        let adaptive = adaptive();
        assert_eq!(value(&adaptive, "voice_loss_max"), Ok(0.0));
        // 20 ms each way, after 80 ms in the first half second.
        let (fixed, adapted) =
            (value(CALLS, "voice_r_mean").unwrap(), value(&adaptive, "voice_r_mean").unwrap());
        let (there, back) = (0.02 + 0.0300016 + 0.0215, 0.02 + 0.0100016 + 0.0215);
        let g711 = airfair_metrics::Equipment { impairment: 0.0, robustness: 25.1 };
        let expected = airfair_metrics::r_factor(there, (there + back) / 2.0, 0.0, 1.0, g711).unwrap();
        assert!((adapted - expected).abs() < 0.02 && adapted > fixed, "{adapted} {expected}");
        // The buffers have adapted before the measured window begins.
        let warm = adaptive.replace("[run]", "[run]\nwarmup = \"5 s\"");
        assert!(value(&warm, "voice_r_mean").unwrap() > adapted);
    }

    #[test]
    fn opus_is_rated_on_the_scale_of_wideband() {
        let opus = CALLS.replace("\"voice\"", "\"voice\"\ncodec = \"opus\"");
        // The frame, the look-ahead, and 80 B at 1 Gb/s: 20 + 6.5 + 30 + 60 ms in the worse direction.
        let codec = airfair_metrics::Equipment { impairment: 18.1, robustness: 18.7 };
        let r = airfair_metrics::r_factor_wideband(0.116_500_64, 0.0, codec).unwrap();
        assert!((value(&opus, "voice_r_mean").unwrap() - r).abs() < 1e-6, "{r}");
        let mos = airfair_metrics::mos_wideband(r).unwrap();
        assert!((value(&opus, "voice_mos_mean").unwrap() - mos).abs() < 1e-8, "{mos}");
        assert!((value(&opus, "voice_delay_p99").unwrap() - 0.030_000_64).abs() < 1e-9);
        // The direction with the worse factor decides, whatever codec the other one has.
        let mixed = CALLS.replacen("\"voice\"", "\"voice\"\ncodec = \"opus\"", 1);
        assert!(value(&mixed, "voice_r_mean").unwrap() < 94.0);
        assert!(value(&mixed, "voice_mos_mean").unwrap() > 4.3);
    }

    /// Returns [`CALLS`] with a third flow from a to b, which is like `there` except for these settings.
    fn with_another(settings: &str) -> String {
        format!(
            "{CALLS}[[flow]]\nname = \"late\"\nfrom = \"a\"\nto = \"b\"\ntraffic = \"voice\"\n{settings}\n"
        )
    }

    const OF_FLOWS: [&str; 6] = [
        "voice_mos_mean",
        "voice_mos_min",
        "voice_r_mean",
        "voice_r_min",
        "voice_loss_mean",
        "voice_loss_max",
    ];

    #[test]
    fn flows_without_a_frame_to_be_played_do_not_count() {
        for settings in [
            "start = \"20 s\"",
            // The frames are in flight, or in the buffer, when the run ends.
            "start = \"19.985 s\"",
            "start = \"19.94 s\"",
            "playout_delay = \"30 s\"",
        ] {
            for name in OF_FLOWS {
                assert_eq!(value(&with_another(settings), name), value(CALLS, name), "{settings} {name}");
            }
        }
    }

    #[test]
    fn a_call_with_a_direction_that_is_not_heard_has_no_rating() {
        let half = CALLS.replace("playout_delay = \"40 ms\"", "playout_delay = \"30 s\"");
        let nothing = "there are no voice frames to be played before the end of the run";
        assert_eq!(value(&half, "voice_r_mean"), Err(nothing.to_owned()));
        assert_eq!(value(&half, "voice_loss_max"), Ok(0.0));
    }

    #[test]
    fn where_no_frame_arrives_those_that_are_overdue_are_lost() {
        let dead = CALLS.replace("rate =", "loss = { model = \"bernoulli\", probability = 1.0 }\nrate =");
        assert_eq!(value(&dead, "voice_loss_mean"), Ok(1.0));
        assert!(value(&dead, "voice_r_min").unwrap() < 30.0);
        assert_eq!(value(&dead.replace("20 s", "0.5 s"), "voice_loss_mean"), Ok(1.0));
        // The frames may still arrive.
        let short = dead.replace("20 s", "0.3 s");
        assert!(value(&short, "voice_loss_mean").is_err() && value(&short, "voice_r_min").is_err());
    }

    #[test]
    fn without_voice_there_is_nothing_to_hear() {
        let quiet = adaptive().replace("traffic = \"voice\"", "");
        for name in
            ["voice_mos_mean", "voice_r_min", "voice_loss_mean", "voice_delay_mean", "voice_delay_p95"]
        {
            assert_eq!(value(&quiet, name), Err("there are no flows of voice".to_owned()), "{name}");
        }
    }
}
