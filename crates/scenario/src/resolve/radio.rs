//! From a station's distance, or its signal-to-noise ratio as the file gives it, to what it and its access point hear of each other.

use airfair_core::schema::{Settings, Value};
use airfair_wifi::phy::mode::Mode;
use airfair_wifi::phy::propagation::{Path, PathLoss, PathLossModel};
use airfair_wifi::{LinkSnr, RadioSettings, RateControl};

use crate::file::Given;
use crate::problem::{Problem, Result};
use crate::resolve::declared;
use crate::scope::Scope;

/// A usual transmitter of a home.
const TX_POWER: f64 = 20.0;
/// As ns-3 has it.
const NOISE_FIGURE: f64 = 7.0;
/// Between free space (2) and the far end of the TGax models (3.5).
const EXPONENT: f64 = 3.0;

/// Networks in which noise destroys frames.
const EDCA: &str = "802.11n, 802.11ac and 802.11ax, and to 802.11a and 802.11g with an `access_category`,";

/// Refuses these settings, those of a network and of a station of it, where there is DCF.
pub fn without_edca(given: &Given, scope: &Scope) -> Result<()> {
    let keys: Vec<&str> = RadioSettings::TABLE.iter().map(|row| row.key).collect();
    declared::alone(&declared::settings::<RadioSettings>(given, scope)?, &keys, EDCA)
}

/// The settings that say how a signal fades.
const FADING: [&str; 6] = ["path_loss", "path_loss_exponent", "walls", "floors", "tx_power", "noise_figure"];

/// Who chooses the modes of a station with these settings of its `own`.
pub fn rate_control(usual: &Given, own: &Given, scope: &Scope) -> Result<RateControl> {
    let both: Given = usual.iter().chain(own).cloned().collect();
    let settings: RadioSettings = declared::settings(&both, scope)?;
    Ok(settings.rate_control.unwrap_or(RateControl::Fixed))
}

/// What a station with these settings of its `own` and its access point hear of each other; `usual` are those of the network, and the access
/// point's. `None`: noise destroys nothing.
pub fn link(usual: &Given, own: &Given, mode: &Mode, scope: &Scope) -> Result<Option<LinkSnr>> {
    let ap = one_of(declared::settings(usual, scope)?)?;
    let station = one_of(declared::settings(own, scope)?)?;
    let both: Given = usual.iter().chain(own).cloned().collect();
    let mut settings: RadioSettings = declared::settings(&both, scope)?;
    if station.snr.is_some() || station.distance.is_some() {
        (settings.snr, settings.distance) = (station.snr, station.distance);
    }
    let Some(distance) = settings.distance else {
        without_effect(&station)?;
        return Ok(settings.snr.map(|snr| LinkSnr { up: snr, down: snr }));
    };
    let loss = path_loss(&settings, mode)?.over(&Path {
        distance,
        walls: settings.walls.unwrap_or(0.0),
        floors: settings.floors.unwrap_or(0.0),
    });
    let power = |sender: &RadioSettings| sender.tx_power.unwrap_or(TX_POWER) - loss;
    let snr = |sender, receiver: &RadioSettings| {
        mode.snr(power(sender), receiver.noise_figure.unwrap_or(NOISE_FIGURE))
    };
    Ok(Some(LinkSnr { up: snr(&settings, &ap), down: snr(&ap, &settings) }))
}

/// An error if both the signal-to-noise ratio and the distance are given.
fn one_of(settings: RadioSettings) -> Result<RadioSettings> {
    if settings.snr.is_some() && settings.distance.is_some() {
        return Err(Problem::new("it follows from `distance`: give one of the two").at("snr"));
    }
    Ok(settings)
}

/// An error if a station without a distance says how its signal fades.
fn without_effect(station: &RadioSettings) -> Result<()> {
    match FADING.iter().find(|key| station.get(key) != Some(Value::None)) {
        Some(key) => Err(Problem::new("it has no effect without `distance`").at(key)),
        None => Ok(()),
    }
}

/// The network's law of path loss, whose settings fit it.
fn path_loss(settings: &RadioSettings, mode: &Mode) -> Result<PathLoss> {
    let model = settings.path_loss.unwrap_or(PathLossModel::Residential);
    let foreign: &[&str] = match model {
        PathLossModel::LogDistance => &["walls", "floors"],
        PathLossModel::Residential => &["path_loss_exponent"],
        PathLossModel::Enterprise => &["path_loss_exponent", "floors"],
    };
    match foreign.iter().find(|key| settings.get(key) != Some(Value::None)) {
        Some(key) => {
            let message = format!("it has no effect with `path_loss = \"{}\"`", model.word());
            Err(Problem::new(message).at(key))
        }
        None => {
            let exponent = settings.path_loss_exponent.unwrap_or(EXPONENT);
            Ok(PathLoss { model, exponent, frequency: mode.band.frequency() })
        }
    }
}
