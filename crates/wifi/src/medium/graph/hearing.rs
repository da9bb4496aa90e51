//! Who hears whom: the power of each frame at each station, and whether a station senses and decodes it.

use super::audience::ALIKE;
use crate::config::{BssConfig, Radio, Reception, StationConfig};
use crate::phy::propagation::milliwatts;
use airfair_core::Time;

/// The air between all stations of a channel.
pub(super) struct Hearing {
    /// For each station, those that its frames reach, and the power at which, in mW; `None`: all hear each other alike.
    pub listeners: Option<Vec<Vec<(u32, f64)>>>,
    /// Of the stations of each network.
    pub sensitivities: Vec<Sensitivity>,
}

/// Weaker frames are left out: 20 dB below the noise of 20 MHz they decide nothing.
const NEGLIGIBLE_DBM: f64 = -115.0;

impl Hearing {
    /// Where stations have no places, each hears those that it says, or all.
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

/// The power of a sender's frames at a listener, in mW; `None`: nothing arrives.
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
    /// A frame whose beginning it has heard.
    pub carrier: f64,
    /// The same of another network.
    pub foreign: f64,
    /// All that is on the air, whatever it is.
    pub energy: f64,
    pub reception: Reception,
}

impl Sensitivity {
    /// Where all hear each other.
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

/// The frames that a station receives.
#[derive(Debug)]
pub(super) struct Ears {
    sensitivity: Sensitivity,
    /// Power of all frames on the air, in mW.
    power: f64,
    /// Frames whose beginning it has heard and which are on the air.
    receiving: Vec<Receiving>,
}

#[derive(Clone, Copy, Debug)]
struct Receiving {
    number: u64,
    began: Time,
    level: f64,
    /// Whether it can be decoded so far.
    intact: bool,
    /// The most power of other frames so far.
    disturbance: f64,
}

/// A receiver leaves a frame for one that is this many times stronger (message-in-message capture), and a frame for others is overheard if it is
/// this many times stronger than the rest: 10 dB, as in ns-2 (`CPThresh_`).
pub(super) const CAPTURE: f64 = 10.0;

/// Powers whose ratio is less are equal: mirrored places give the same one but for rounding.
const EQUAL: f64 = 1.0 + 1e-9;

/// A frame that has ended, for a station that it reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Heard {
    /// As a whole; others had at most this part of its power, which counts with `reception = "sinr"` alone.
    Intact(f64),
    /// Its beginning, but something disturbed it.
    Broken,
    /// It is too weak for the station to hear its beginning.
    Weak,
    /// The station transmitted as it began, or its standard is older, or it followed another frame: it does not notice this one's end.
    Unheard,
}

impl Ears {
    pub fn new(sensitivity: Sensitivity) -> Ears {
        Ears { sensitivity, power: 0.0, receiving: Vec::new() }
    }

    /// Whether the air is busy (IEEE 802.11-2020, 17.3.10.6): it receives a frame, or there is much energy.
    pub fn sense(&self) -> bool {
        !self.receiving.is_empty() || self.power >= self.sensitivity.energy
    }

    /// A frame of its own network or another one begins. It cannot hear its beginning while it transmits.
    pub fn begin(&mut self, now: Time, number: u64, level: f64, own_network: bool, listens: bool) {
        let Sensitivity { carrier, foreign, reception, .. } = self.sensitivity;
        let was_busy = self.sense();
        let disturbance = self.power;
        self.power += level;
        for frame in &mut self.receiving {
            frame.disturbance = frame.disturbance.max(self.power - frame.level);
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
                Reception::Sinr => self.captures(now, level),
            };
            self.receiving.push(Receiving { number, began: now, level, intact, disturbance });
        }
    }

    /// Whether a frame that begins finds the receiver free, or takes it from weaker ones. Of those that begin together it is the strongest
    /// that the receiver finds, and none if two are equally strong: neither preamble stands out.
    fn captures(&mut self, now: Time, level: f64) -> bool {
        let together = self.receiving.iter().filter(|frame| frame.began == now);
        let strongest = together.map(|frame| frame.level).fold(0.0, f64::max);
        if level <= strongest * EQUAL {
            let equal = |frame: &&mut Receiving| frame.began == now && level * EQUAL >= frame.level;
            self.receiving.iter_mut().filter(equal).for_each(|frame| frame.intact = false);
            return false;
        }
        let mut under_way = self.receiving.iter_mut().filter(|frame| frame.intact);
        let Some(first) = under_way.next() else { return true };
        let captures = first.began == now || level >= CAPTURE * first.level;
        first.intact = !captures;
        captures
    }

    /// They hear the same as `other` from now on, where both are as sensitive.
    pub fn follow(&mut self, other: &Ears) {
        self.power = other.power;
        self.receiving.clone_from(&other.receiving);
    }

    /// It transmits: all that it receives is lost to it.
    pub fn deafen(&mut self) {
        self.receiving.iter_mut().for_each(|frame| frame.intact = false);
    }

    /// A frame ends; `quiet`: it was the last one on the air.
    pub fn end(&mut self, number: u64, level: f64, quiet: bool) -> Heard {
        // Set to zero where it must be, so that rounding errors do not add up.
        self.power = if quiet { 0.0 } else { self.power - level };
        let Some(index) = self.receiving.iter().position(|frame| frame.number == number) else {
            return if level < self.sensitivity.carrier { Heard::Weak } else { Heard::Unheard };
        };
        let Receiving { level, intact, disturbance, .. } = self.receiving.swap_remove(index);
        match (intact, self.sensitivity.reception) {
            (false, Reception::Sinr) => Heard::Unheard,
            (false, _) => Heard::Broken,
            (true, Reception::Sinr) => Heard::Intact(disturbance / level),
            (true, _) => Heard::Intact(0.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NETWORK: Sensitivity = Sensitivity { reception: Reception::Sinr, ..Sensitivity::ALL };

    /// Which of two frames arrive, the second of which begins at `later` and has this many times the power.
    fn arrive(later: Time, times: f64) -> [bool; 2] {
        let mut ears = Ears::new(NETWORK);
        ears.begin(Time::ZERO, 1, 1.0, true, true);
        ears.begin(later, 2, times, true, true);
        let first = matches!(ears.end(1, 1.0, false), Heard::Intact(_));
        [first, matches!(ears.end(2, times, true), Heard::Intact(_))]
    }

    #[test]
    fn a_receiver_leaves_a_frame_for_one_ten_times_as_strong() {
        assert_eq!(arrive(Time(1), 9.9), [true, false]);
        assert_eq!(arrive(Time(1), CAPTURE), [false, true]);
    }

    #[test]
    fn of_frames_that_begin_together_a_receiver_follows_the_strongest() {
        assert_eq!(arrive(Time::ZERO, 1.1), [false, true]);
        assert_eq!(arrive(Time::ZERO, 0.9), [true, false]);
    }

    /// So that it waits for no EIFS after a frame beside the one that it has decoded, whichever ends first.
    #[test]
    fn a_receiver_does_not_notice_the_end_of_a_frame_that_it_does_not_follow() {
        let mut ears = Ears::new(NETWORK);
        ears.begin(Time::ZERO, 1, 1.0, true, true);
        ears.begin(Time(1), 2, 1.0, true, true);
        assert_eq!(ears.end(2, 1.0, false), Heard::Unheard);
        assert!(matches!(ears.end(1, 1.0, true), Heard::Intact(_)));
    }

    #[test]
    fn of_equally_strong_frames_that_begin_together_it_follows_none() {
        assert_eq!(arrive(Time::ZERO, 1.0), [false, false]);
        assert_eq!(arrive(Time::ZERO, 1.0 + 1e-15), [false, false]);
        let mut ears = Ears::new(NETWORK);
        (1..=3).for_each(|number| ears.begin(Time::ZERO, number, 1.0, true, true));
        ears.begin(Time::ZERO, 4, 1.1, true, true);
        let heard = [1, 2, 3, 4].map(|number| matches!(ears.end(number, 1.0, number == 4), Heard::Intact(_)));
        assert_eq!(heard, [false, false, false, true]);
    }
}
