//! Frames that noise destroys.

use airfair_core::{Stream, Time};

use super::GraphMedium;
use super::air::{Part, Transmission};
use crate::config::{LinkSnr, StationConfig};
use crate::mac::Payload;
use crate::mac::qos::signal;
use crate::phy::error_rate::ErrorRate;
use crate::phy::mode::Coding;
use crate::phy::propagation::milliwatts;
use crate::phy::signal::Signal;

/// Noise between a station and its access point, in both directions.
#[derive(Debug)]
pub(super) struct Noise {
    up: Receiver,
    down: Receiver,
    stream: Stream,
}

impl Noise {
    /// Returns the noise between this station and its access point; `None` if noise destroys nothing there.
    pub fn of(station: &StationConfig, seed: u64) -> Option<Box<Noise>> {
        let up = Receiver::new(signal(station, false, seed)?);
        let down = Receiver::new(signal(station, true, seed)?);
        let stream = Stream::new(seed, &format!("wlan noise {}", station.name));
        Some(Box::new(Noise { up, down, stream }))
    }

    /// Sets the signal-to-noise ratios of frames that end from now on.
    pub(super) fn change(&mut self, snr: LinkSnr) {
        self.up.signal.set(snr.up);
        self.down.signal.set(snr.down);
    }

    /// Whether noise destroys a frame of this coding and number of bytes from the station, or one to it. Other frames have `disturbance` times the
    /// power that the frame has without a fade; they count as noise.
    pub(super) fn destroys(
        &mut self,
        now: Time,
        from_station: bool,
        frame: (Coding, u32),
        disturbance: f64,
    ) -> bool {
        let (coding, bytes) = frame;
        let receiver = if from_station { &mut self.up } else { &mut self.down };
        let chance = receiver.error_rate(now, coding, disturbance).frame(bytes);
        self.stream.chance(chance)
    }
}

/// The receiver at one end of the link.
#[derive(Debug)]
struct Receiver {
    signal: Signal,
    /// Signal-to-noise ratio in dB for which `error_rates` hold.
    snr: f64,
    /// Error rates, at `snr`, of the codings of frames received so far.
    error_rates: Vec<(Coding, ErrorRate)>,
}

impl Receiver {
    fn new(signal: Signal) -> Receiver {
        Receiver { signal, snr: f64::NAN, error_rates: Vec::new() }
    }

    fn error_rate(&mut self, now: Time, coding: Coding, disturbance: f64) -> ErrorRate {
        let snr = self.signal.at(now);
        if snr != self.snr {
            self.snr = snr;
            self.error_rates.clear();
        }
        if disturbance > 0.0 {
            // The frame fades; noise and other frames do not.
            let noise = milliwatts(-snr) + disturbance * milliwatts(self.signal.usual() - snr);
            return ErrorRate::of(coding, -10.0 * libm::log10(noise));
        }
        if let Some((_, known)) = self.error_rates.iter().find(|(known, _)| *known == coding) {
            return *known;
        }
        let found = ErrorRate::of(coding, self.snr);
        self.error_rates.push((coding, found));
        found
    }
}

/// The noise of the two stations of an exchange.
pub(super) struct Noises<'a> {
    pub sender: Option<&'a mut Noise>,
    pub receiver: Option<&'a mut Noise>,
    pub now: Time,
}

impl Noises<'_> {
    #[inline]
    pub fn are_none(&self) -> bool {
        self.sender.is_none() && self.receiver.is_none()
    }

    /// Whether the noise of either station destroys a frame of the sender, of this coding and number of bytes, beside others that have `disturbance`
    /// times its power.
    #[inline]
    pub fn destroy(&mut self, frame: (Coding, u32), disturbance: f64) -> bool {
        !self.are_none() && self.hit(frame, disturbance)
    }

    fn hit(&mut self, frame: (Coding, u32), disturbance: f64) -> bool {
        let now = self.now;
        let sender = self.sender.as_mut().is_some_and(|noise| noise.destroys(now, true, frame, disturbance));
        let receiver =
            self.receiver.as_mut().is_some_and(|noise| noise.destroys(now, false, frame, disturbance));
        sender || receiver
    }
}

impl<P: Payload> GraphMedium<P> {
    /// Whether noise destroys an RTS, a CTS, an ACK or a block ack at its receiver. Other stations hear the frame without noise: how far they are
    /// from its sender is not known.
    pub(super) fn noise_destroys(
        &mut self,
        now: Time,
        transmission: &Transmission,
        disturbance: f64,
    ) -> bool {
        let &Transmission { sender, receiver, part, .. } = transmission;
        let owner = if part == Part::Rts { sender } else { receiver };
        let Some(exchange) = &self.nodes[owner as usize].exchange else { return false };
        let codings = exchange.plan.codings;
        let frame = match part {
            Part::Rts => codings.rts,
            Part::Cts => codings.cts,
            Part::Data | Part::CtsToSelf | Part::CtsToAnnounce(_) | Part::Announcement(_) => return false,
            Part::Answer => codings.answer,
        };
        let nodes = self.nodes.get_disjoint_mut([sender as usize, receiver as usize]);
        let [sender, receiver] = nodes.expect("two stations");
        let (sender, receiver) = (sender.noise.as_deref_mut(), receiver.noise.as_deref_mut());
        Noises { sender, receiver, now }.destroy(frame, disturbance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::signal::SnrVariation;
    use airfair_core::{Rate, Span};

    #[test]
    fn a_fade_weakens_a_frame_against_noise_and_against_other_frames() {
        let fade =
            SnrVariation::TwoState { depth: 25.0, mean_good: Span(1), mean_bad: Span::from_secs(1_000_000) };
        let mut receiver = Receiver::new(Signal::new(60.0, Some(fade), Stream::new(1, "test")));
        let coding = Coding::of_rate(Rate::from_hundred_kbps(120));
        // The frame is 35 dB above the others, and 25 dB less in the fade: 10 dB, of which the noise at 35 dB takes 0.014.
        let found = receiver.error_rate(Time::ZERO + Span::from_secs(1), coding, milliwatts(-35.0));
        let expected = ErrorRate::of(coding, -10.0 * libm::log10(milliwatts(-35.0) + milliwatts(-10.0)));
        let frames = [found, expected].map(|rate| rate.frame(1500));
        assert!((frames[0] / frames[1] - 1.0).abs() < 1e-9 && frames[1] > 1e-9, "{frames:?}");
    }
}
