//! Which stations hear which: the power of each frame at each station, and whether a station senses and decodes it.

use super::audience::ALIKE;
use crate::config::{BssConfig, Radio, Reception, StationConfig};
use crate::phy::propagation::milliwatts;
use airfair_core::{Span, Time};

/// The air between all stations of a channel.
pub(super) struct Hearing {
    /// For each station, the stations that its frames reach, and the power in mW at which they arrive; `None`: all hear each other alike.
    pub listeners: Option<Vec<Vec<(u32, f64)>>>,
    /// Sensitivity of the stations of each network.
    pub sensitivities: Vec<Sensitivity>,
}

/// Frames below this power are left out: 20 dB below the noise of 20 MHz they decide nothing.
const NEGLIGIBLE_DBM: f64 = -115.0;

impl Hearing {
    /// Returns the air between the stations of these networks. Where stations have no places, each hears those that it names, or all.
    pub fn new(networks: &[&BssConfig]) -> Hearing {
        let all: Vec<(&BssConfig, &StationConfig)> = networks
            .iter()
            .flat_map(|network| network.stations.iter().map(|station| (*network, station)))
            .collect();
        let are_alike =
            all.iter().all(|(network, station)| network.radio.is_none() && station.hears.is_none());
        let listeners = all.iter().enumerate().map(|(sender, &from)| {
            let others = all.iter().enumerate().filter(|&(listener, _)| listener != sender);
            others.filter_map(|(listener, &to)| Some((listener as u32, level(from, to)?))).collect()
        });
        Hearing {
            listeners: (!are_alike).then(|| listeners.collect()),
            sensitivities: networks.iter().map(|network| Sensitivity::new(network.radio.as_ref())).collect(),
        }
    }
}

/// Returns the power of a sender's frames at a listener, in mW; `None`: nothing arrives.
fn level(
    (network, sender): (&BssConfig, &StationConfig),
    other @ (_, listener): (&BssConfig, &StationConfig),
) -> Option<f64> {
    let (Some(radio), Some(from), Some(to)) = (&network.radio, sender.place, listener.place) else {
        return reaches((network, sender), other).then_some(ALIKE);
    };
    let level = radio.level(from, to);
    (level > NEGLIGIBLE_DBM).then(|| milliwatts(level))
}

/// Whether a sender's frames reach a listener, where neither has a place.
fn reaches(
    (network, sender): (&BssConfig, &StationConfig),
    (other, listener): (&BssConfig, &StationConfig),
) -> bool {
    let Some(heard) = &listener.hears else { return true };
    let access_point = &network.stations[0];
    let is_link = std::ptr::eq(network, other)
        && (std::ptr::eq(sender, access_point) || std::ptr::eq(listener, access_point));
    is_link || heard.contains(&sender.name)
}

/// Powers from which on a station senses a frame, in mW.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sensitivity {
    /// Power of a frame of its own network whose beginning the station has heard.
    pub carrier: f64,
    /// Power of a frame of another network whose beginning the station has heard.
    pub foreign: f64,
    /// Power of all that is on the air, whatever it is.
    pub energy: f64,
    pub reception: Reception,
}

impl Sensitivity {
    /// Sensitivity where stations have no places: they sense each frame that reaches them.
    pub const ALL: Sensitivity =
        Sensitivity { carrier: 0.5, foreign: 0.5, energy: 0.5, reception: Reception::Alone };

    fn new(radio: Option<&Radio>) -> Sensitivity {
        let Some(Radio { sense, .. }) = radio else { return Sensitivity::ALL };
        Sensitivity {
            carrier: milliwatts(sense.carrier_sense),
            foreign: milliwatts(sense.obss_pd.unwrap_or(sense.carrier_sense)),
            energy: milliwatts(sense.energy_detect),
            reception: sense.reception,
        }
    }
}

/// What a station, or a crowd, hears of the frames on the air.
#[derive(Debug)]
pub(super) struct Ears {
    sensitivity: Sensitivity,
    /// Power of all frames on the air, in mW.
    power: f64,
    /// Frames whose beginning the station has heard and which are on the air.
    receiving: Vec<Receiving>,
    /// With `reception = "sinr"`, power of other frames during the frame that the station follows, or followed last.
    disturbance: Disturbance,
}

#[derive(Clone, Copy, Debug)]
struct Receiving {
    number: u64,
    began: Time,
    level: f64,
    /// Whether the frame can be decoded so far.
    intact: bool,
}

impl Receiving {
    /// Whether the receiver has not yet found the preamble of the frame.
    fn is_new(&self, now: Time) -> bool {
        now < self.began + PREAMBLE_DETECTION
    }
}

/// Power of other frames during a frame.
#[derive(Clone, Debug, Default)]
pub(super) struct Disturbance {
    /// Times from which on other frames have this power, in mW, in order; empty: there never were any.
    changes: Vec<(Time, f64)>,
    /// Power of the frame itself, in mW.
    level: f64,
}

impl Disturbance {
    /// Begins anew for a frame of power `level` that begins beside other frames of power `others`.
    fn restart(&mut self, now: Time, level: f64, others: f64) {
        self.changes.clear();
        self.level = level;
        self.note(now, others);
    }

    /// Notes that other frames have this power from now on.
    fn note(&mut self, now: Time, others: f64) {
        if others > 0.0 || !self.changes.is_empty() {
            self.changes.push((now, others));
        }
    }

    /// Whether there were no other frames.
    pub fn is_none(&self) -> bool {
        self.changes.is_empty()
    }

    /// Returns the greatest power of other frames, over the power of the frame.
    pub fn most(&self) -> f64 {
        self.most_during(Time::ZERO, Time::NEVER)
    }

    /// Returns the greatest power of other frames during a part of the frame, over the power of the frame.
    pub fn most_during(&self, from: Time, to: Time) -> f64 {
        let ends = self.changes.iter().skip(1).map(|&(at, _)| at).chain([Time::NEVER]);
        let spans = self.changes.iter().zip(ends);
        let overlaps = spans.filter(|&(&(at, _), end)| at.max(from) < end.min(to));
        overlaps.map(|(&(_, power), _)| power / self.level).fold(0.0, f64::max)
    }
}

/// A receiver leaves a frame for one that is this many times stronger (message-in-message capture), and a frame for others is overheard if it is
/// this many times stronger than the rest: 10 dB, as in ns-2 (`CPThresh_`).
pub(super) const CAPTURE: f64 = 10.0;

/// A receiver finds a frame whose preamble is this many times stronger than all other frames: 4 dB, as ns-3's `ThresholdPreambleDetectionModel`
/// has it.
const PREAMBLE: f64 = 2.511_886_431_509_58;
/// Time that a receiver takes to find a preamble, as ns-3's `ThresholdPreambleDetectionModel` has it.
const PREAMBLE_DETECTION: Span = Span::from_micros(4);

/// A frame that has ended, for a station that it reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Heard {
    /// The station has heard the whole frame. Others had at most this part of its power, which counts with `reception = "sinr"` alone.
    Intact(f64),
    /// The station has heard the beginning of the frame, but something disturbed it.
    Broken,
    /// The frame is too weak for the station to hear its beginning.
    Weak,
    /// The station transmitted as the frame began, or its standard does not detect the frame, or it followed another frame: it does not notice
    /// this one's end.
    Unheard,
}

impl Ears {
    pub fn new(sensitivity: Sensitivity) -> Ears {
        Ears { sensitivity, power: 0.0, receiving: Vec::new(), disturbance: Disturbance::default() }
    }

    /// Whether the air is busy (IEEE 802.11-2020, 17.3.10.6): the station receives a frame, or there is much energy.
    pub fn sense(&self) -> bool {
        !self.receiving.is_empty() || self.power >= self.sensitivity.energy
    }

    /// Begins a frame of its own network or another one. The station `listens` unless it transmits or does not detect the frame's standard;
    /// otherwise it does not hear the beginning of the frame.
    pub fn begin(&mut self, now: Time, number: u64, level: f64, own_network: bool, listens: bool) {
        let Sensitivity { carrier, foreign, reception, .. } = self.sensitivity;
        let was_busy = self.sense();
        let others = self.power;
        self.power += level;
        if reception == Reception::Sinr {
            self.note_power(now);
            self.drown_preambles(now);
        }
        if level < if own_network { carrier } else { foreign } {
            return;
        }
        if reception == Reception::Alone {
            self.receiving.iter_mut().for_each(|other| other.intact = false);
        }
        if listens {
            let intact = match reception {
                Reception::Alone => !was_busy,
                Reception::Threshold => true,
                Reception::Sinr => self.captures(now, level, others),
            };
            self.receiving.push(Receiving { number, began: now, level, intact });
        }
    }

    /// Loses a frame whose preamble the receiver was still to find, and which stands out no longer.
    fn drown_preambles(&mut self, now: Time) {
        let power = self.power;
        let new = self.receiving.iter_mut().filter(|frame| frame.is_new(now));
        let drowned = new.filter(|frame| frame.level < PREAMBLE * (power - frame.level));
        drowned.for_each(|frame| frame.intact = false);
    }

    /// Whether a frame that begins beside others stands out, and finds the receiver free or takes it from a weaker one.
    fn captures(&mut self, now: Time, level: f64, others: f64) -> bool {
        if level < PREAMBLE * others {
            return false;
        }
        if let Some(first) = self.receiving.iter_mut().find(|frame| frame.intact) {
            if !first.is_new(now) && level < CAPTURE * first.level {
                return false;
            }
            first.intact = false;
        }
        self.disturbance.restart(now, level, others);
        true
    }

    /// Copies what `other`, which is as sensitive, hears.
    pub fn follow(&mut self, other: &Ears) {
        self.power = other.power;
        self.receiving.clone_from(&other.receiving);
        self.disturbance.clone_from(&other.disturbance);
    }

    /// Loses all frames that are being received, because the station transmits.
    pub fn deafen(&mut self) {
        self.receiving.iter_mut().for_each(|frame| frame.intact = false);
    }

    /// Notes the power of other frames after a change of the power of all frames.
    fn note_power(&mut self, now: Time) {
        if self.receiving.iter().any(|frame| frame.intact) {
            self.disturbance.note(now, self.power - self.disturbance.level);
        }
    }

    /// Returns the power of other frames during the frame that the station follows, or followed last.
    pub fn disturbance(&self) -> &Disturbance {
        &self.disturbance
    }

    /// Ends a frame; `quiet`: it was the last one on the air. Returns what the station has heard of it.
    pub fn end(&mut self, now: Time, number: u64, level: f64, quiet: bool) -> Heard {
        // The power is set to zero where it must be zero, so that rounding errors do not add up.
        self.power = if quiet { 0.0 } else { self.power - level };
        let ended = self.receiving.iter().position(|frame| frame.number == number);
        let ended = ended.map(|index| self.receiving.swap_remove(index));
        let is_sinr = self.sensitivity.reception == Reception::Sinr;
        if is_sinr {
            self.note_power(now);
        }
        match ended {
            None if level < self.sensitivity.carrier => Heard::Weak,
            None => Heard::Unheard,
            Some(Receiving { intact: false, .. }) if is_sinr => Heard::Unheard,
            Some(Receiving { intact: false, .. }) => Heard::Broken,
            Some(_) if is_sinr => Heard::Intact(self.disturbance.most()),
            Some(_) => Heard::Intact(0.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NETWORK: Sensitivity = Sensitivity { reception: Reception::Sinr, ..Sensitivity::ALL };
    /// A time after the receiver has found a preamble.
    const LATER: Time = Time(4_000);
    const END: Time = Time(100_000);

    /// Returns which of two frames arrive. The second begins at `later` and has `times` times the power of the first.
    fn arrive(later: Time, times: f64) -> [bool; 2] {
        let mut ears = Ears::new(NETWORK);
        ears.begin(Time::ZERO, 1, 1.0, true, true);
        ears.begin(later, 2, times, true, true);
        let first = matches!(ears.end(END, 1, 1.0, false), Heard::Intact(_));
        [first, matches!(ears.end(END, 2, times, true), Heard::Intact(_))]
    }

    #[test]
    fn a_receiver_leaves_a_frame_for_one_ten_times_as_strong() {
        assert_eq!(arrive(LATER, 9.9), [true, false]);
        assert_eq!(arrive(LATER, CAPTURE), [false, true]);
    }

    /// This holds for mirrored places, too: of two frames that are equally strong but for rounding none stands out.
    #[test]
    fn of_frames_that_begin_together_a_receiver_follows_the_one_that_stands_out() {
        for later in [Time::ZERO, Time(3_999)] {
            for (times, arrives) in [
                (2.6, [false, true]),
                (2.5, [false, false]),
                (1.0, [false, false]),
                (1.0 + 1e-15, [false, false]),
                (0.4, [false, false]),
                (0.39, [true, false]),
            ] {
                assert_eq!(arrive(later, times), arrives, "{later:?}, {times}");
            }
        }
        let mut ears = Ears::new(NETWORK);
        [1.0, 6.0, 1.0, 1.0]
            .iter()
            .zip(1..)
            .for_each(|(&level, number)| ears.begin(Time::ZERO, number, level, true, true));
        let heard = [(1, 1.0), (2, 6.0), (3, 1.0), (4, 1.0)]
            .map(|(number, level)| matches!(ears.end(END, number, level, number == 4), Heard::Intact(_)));
        assert_eq!(heard, [false; 4]);
    }

    /// A receiver may be free again when another frame is still on the air, and finds no preamble beside that.
    #[test]
    fn a_preamble_must_stand_out_from_a_frame_that_it_does_not_follow() {
        for (level, follows) in [(2.6, true), (2.5, false)] {
            let mut ears = Ears::new(NETWORK);
            ears.begin(Time::ZERO, 1, 1.0, true, true);
            ears.begin(LATER, 2, 1.0, true, true);
            ears.end(END, 1, 1.0, false);
            ears.begin(END, 3, level, true, true);
            assert_eq!(
                matches!(ears.end(Time(200_000), 3, level, false), Heard::Intact(_)),
                follows,
                "{level}"
            );
        }
    }

    /// A receiver waits for no EIFS after a frame beside the one that it has decoded, whichever ends first.
    #[test]
    fn a_receiver_does_not_notice_the_end_of_a_frame_that_it_does_not_follow() {
        let mut ears = Ears::new(NETWORK);
        ears.begin(Time::ZERO, 1, 1.0, true, true);
        ears.begin(LATER, 2, 1.0, true, true);
        assert_eq!(ears.end(END, 2, 1.0, false), Heard::Unheard);
        assert!(matches!(ears.end(END, 1, 1.0, true), Heard::Intact(_)));
    }

    /// The second half of a frame lies under another one, and from 80 us on under a third one.
    #[test]
    fn a_part_of_a_frame_is_disturbed_by_what_is_on_the_air_with_it() {
        let mut ears = Ears::new(NETWORK);
        let at = |us: u64| Time(1_000 * us);
        ears.begin(at(0), 1, 2.0, true, true);
        ears.begin(at(50), 2, 1.0, true, true);
        ears.begin(at(80), 3, 3.0, true, true);
        ears.end(at(90), 2, 1.0, false);
        assert_eq!(ears.end(at(100), 1, 2.0, false), Heard::Intact(2.0));
        let most = |(from, to)| ears.disturbance().most_during(at(from), at(to));
        let found = [(0, 50), (0, 51), (79, 80), (80, 81), (90, 100)].map(most);
        assert_eq!(found, [0.0, 0.5, 0.5, 2.0, 1.5]);
    }
}
