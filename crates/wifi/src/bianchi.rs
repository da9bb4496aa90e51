//! Bianchi's model of saturated DCF, to check the engine against ("Performance Analysis of the IEEE 802.11 Distributed
//! Coordination Function", IEEE JSAC 18(3), 2000, section IV).

use airfair_core::{Rate, Span};

use crate::config::BssConfig;
use crate::phy::{Phy, Retry};

/// The model's predictions for n saturated stations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// Frames received per second, all stations together.
    pub frames_per_second: f64,
    /// Chance that an attempt collides.
    pub collision_rate: f64,
}

/// Returns `config` on the model's assumptions: no retry limit, and DIFS after a collision as after a success.
pub fn idealised(config: &BssConfig) -> BssConfig {
    let mut config = config.clone();
    (config.mac.short_retry_limit, config.mac.long_retry_limit) = (u32::MAX, u32::MAX);
    let difs = config.phy.difs;
    (config.phy.eifs, config.phy.cts_retry, config.phy.ack_retry) = (difs, difs, Retry::always(difs));
    config
}

/// Returns the model's numbers for `stations` stations (at least 1) that all send MSDUs of `bytes` bytes at `rate`, with or without RTS/CTS.
///
/// The terms of the model follow from `phy`: W = CWmin + 1 slots in the first window, which doubles m = log2((CWmax + 1) / W) times; Ts = \[RTS +
/// SIFS + CTS + SIFS\] + data + SIFS + ACK + DIFS; Tc = data + DIFS, or RTS + DIFS. There is no retry limit, and after a collision everybody
/// counts again after DIFS.
pub fn predict(phy: &Phy, rate: Rate, bytes: u32, rts: bool, stations: u32) -> Prediction {
    let data = phy.data(bytes, rate);
    let exchange = data + phy.sifs + phy.ack(rate) + phy.difs;
    let (success, collision): (Span, Span) = if rts {
        (phy.rts() + phy.sifs + phy.cts() + phy.sifs + exchange, phy.rts() + phy.difs)
    } else {
        (exchange, data + phy.difs)
    };
    of_exchanges(phy, success, collision, stations)
}

/// Like [`predict`], for exchanges that last for these times with success and with a collision, the space after them included. Each exchange
/// carries one frame.
pub(crate) fn of_exchanges(phy: &Phy, success: Span, collision: Span, stations: u32) -> Prediction {
    let (window, doublings) = windows(phy);
    let transmits = |collides: f64| {
        // This is (1 - (2p)^m) / (1 - 2p) as a sum, which p = 1/2 does not upset.
        let mut power = 1.0;
        let mut sum = 0.0;
        for _ in 0..doublings {
            sum += power;
            power *= 2.0 * collides;
        }
        2.0 / (1.0 + window + collides * window * sum)
    };
    throughput(phy.slot, success.as_secs(), collision.as_secs(), stations, transmits)
}

/// Returns the number of slots of the first window, and how often it doubles.
fn windows(phy: &Phy) -> (f64, u32) {
    let window = f64::from(phy.cw_min) + 1.0;
    (window, libm::log2((f64::from(phy.cw_max) + 1.0) / window).round() as u32)
}

/// Returns the prediction for stations that transmit in a slot with the chance that `transmits` gives for a chance to collide. Times are in
/// seconds.
fn throughput(
    slot: Span,
    success: f64,
    collision: f64,
    stations: u32,
    transmits: impl Fn(f64) -> f64,
) -> Prediction {
    let (transmits, collides) = fixed_point(stations, transmits);
    let silent = libm::pow(1.0 - transmits, f64::from(stations));
    let alone = f64::from(stations) * transmits * libm::pow(1.0 - transmits, f64::from(stations) - 1.0);
    let mean_slot = silent * slot.as_secs() + alone * success + (1.0 - silent - alone) * collision;
    Prediction { frames_per_second: alone / mean_slot, collision_rate: collides }
}

/// Returns tau, the chance that a station transmits in a slot, and p, the chance that it then collides: the solution of equation (9) and the
/// given one for tau.
fn fixed_point(stations: u32, transmits: impl Fn(f64) -> f64) -> (f64, f64) {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        let implied = 1.0 - libm::pow(1.0 - transmits(middle), f64::from(stations) - 1.0);
        if implied > middle { low = middle } else { high = middle }
    }
    (transmits(low), low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_stations_collide_as_often_as_the_other_transmits() {
        let (transmits, collides) = fixed_point(2, |_| 2.0 / 33.0);
        assert!((transmits - 2.0 / 33.0).abs() < 1e-12);
        assert!((collides - transmits).abs() < 1e-12);
    }

    #[test]
    fn one_station_waits_half_a_window() {
        let rate = Rate::from_hundred_kbps(110);
        let phy = Phy::ieee80211b(crate::Preamble::Long, Rate::from_hundred_kbps(20));
        let prediction = predict(&phy, rate, 1500, false, 1);
        // The terms are DIFS 50, 15.5 slots of 20, data 1310, SIFS 10, and ACK 248 us.
        assert!((prediction.frames_per_second - 1e6 / 1928.0).abs() < 1e-6);
        let prediction = predict(&phy, rate, 1500, true, 1);
        // Before the data come RTS 272, SIFS 10, CTS 248, and SIFS 10 us.
        assert!((prediction.frames_per_second - 1e6 / 2468.0).abs() < 1e-6);
    }
}
