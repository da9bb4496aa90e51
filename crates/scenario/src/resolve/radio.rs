//! How well a station and its access point hear each other: by places, a distance or a signal-to-noise ratio in the file.

use airfair_core::Span;
use airfair_core::schema::{Settings, Value};
use airfair_wifi::phy::mode::Mode;
use airfair_wifi::phy::propagation::{Path, PathLoss, PathLossModel};
use airfair_wifi::phy::signal::SnrVariation;
use airfair_wifi::{
    FADING, LinkSnr, Place, Radio, RadioSettings, RateControl, SenseSettings, SnrVariationKind, StationConfig,
};

use crate::file::Given;
use crate::problem::{Problem, Result};
use crate::resolve::changes::not_too_often;
use crate::resolve::declared;
use crate::scope::Scope;

/// Default transmit power in dBm: that of a usual transmitter in a home.
const TX_POWER: f64 = 20.0;
/// Default noise figure in dB, as in ns-3.
const NOISE_FIGURE: f64 = 7.0;
/// Default exponent of path loss: between free space (2) and the far end of the TGax models (3.5).
const EXPONENT: f64 = 3.0;

/// Default depth of fades in dB. This and the next defaults are those of a ratio that varies because people walk through the room.
const FADE_DEPTH: f64 = 10.0;
const FADE_STEP: f64 = 1.0;
const FADE_INTERVAL: Span = Span::from_millis(100);
const FADE_MEAN_GOOD: Span = Span::from_secs(1);
const FADE_MEAN_BAD: Span = Span::from_millis(100);

/// What messages call networks with EDCA.
pub const EDCA: &str = "networks with EDCA (802.11n and later, 802.11a and g with an `access_category`)";

/// Refuses these settings of a network and of a station of it where there is DCF.
pub fn without_edca(given: &Given, scope: &Scope) -> Result<()> {
    let keys: Vec<&str> = RadioSettings::TABLE.iter().map(|row| row.key).collect();
    declared::alone(&declared::settings::<RadioSettings>(given, scope)?, &keys, EDCA)
}

/// Returns the rate control of a station; its settings `own` override the network's, `usual`.
pub fn rate_control(usual: &Given, own: &Given, scope: &Scope) -> Result<RateControl> {
    let both: Given = usual.iter().chain(own).cloned().collect();
    let settings: RadioSettings = declared::settings(&both, scope)?;
    Ok(settings.rate_control.unwrap_or(RateControl::Fixed))
}

/// Returns the signal-to-noise ratios of a station and its access point at each other; `None` if noise destroys nothing. `own` are the
/// settings of the station, `usual` those of the network and the access point. `between` is the path between the two if both have places.
pub fn link(
    usual: &Given,
    own: &Given,
    mode: &Mode,
    between: Option<Path>,
    scope: &Scope,
    run: Span,
) -> Result<Option<LinkSnr>> {
    let ap = one_of(declared::settings(usual, scope)?)?;
    let station = one_of(declared::settings(own, scope)?)?;
    let both: Given = usual.iter().chain(own).cloned().collect();
    let mut settings: RadioSettings = declared::settings(&both, scope)?;
    if between.is_some() {
        refuse(
            &settings,
            &["snr", "distance", "walls", "floors"],
            "it follows from the places of the stations",
        )?;
    }
    if station.snr.is_some() || station.distance.is_some() {
        (settings.snr, settings.distance) = (station.snr, station.distance);
    }
    let distance = settings.distance.or(between.map(|path| path.distance));
    let variation = variation(&settings, run)?;
    if settings.snr.is_none() && distance.is_none() {
        constant(&station)?;
    }
    let Some(distance) = distance else {
        without_effect(&station)?;
        return Ok(settings.snr.map(|snr| LinkSnr { up: snr, down: snr, variation }));
    };
    let (walls, floors) = (settings.walls.unwrap_or(0.0), settings.floors.unwrap_or(0.0));
    let path = between.unwrap_or(Path { distance, walls, floors });
    let loss = path_loss(&settings, mode)?.over(&path);
    let sense: SenseSettings = declared::settings(usual, scope)?;
    let snr = |sender: &RadioSettings, receiver: &RadioSettings| {
        let power = sense.allowed_power(sender.tx_power.unwrap_or(TX_POWER)) - loss;
        mode.snr(power, receiver.noise_figure.unwrap_or(NOISE_FIGURE))
    };
    Ok(Some(LinkSnr { up: snr(&settings, &ap), down: snr(&ap, &settings), variation }))
}

/// Returns the place that the values under these keys give the access point, or a station with the settings `own`.
pub fn place(
    usual: &Given,
    own: &Given,
    (x, y): (Option<f64>, Option<f64>),
    [x_key, y_key]: [&str; 2],
    scope: &Scope,
) -> Result<Option<Place>> {
    let Some(x) = x else {
        return match y {
            Some(_) => Err(Problem::new(format!("a place needs `{x_key}`, too")).at(y_key)),
            None => Ok(None),
        };
    };
    let both: Given = usual.iter().chain(own).cloned().collect();
    let settings: RadioSettings = declared::settings(&both, scope)?;
    let sense: SenseSettings = declared::settings(usual, scope)?;
    let tx_power = sense.allowed_power(settings.tx_power.unwrap_or(TX_POWER));
    Ok(Some(Place { x, y: y.unwrap_or(0.0), tx_power }))
}

/// Returns the air between the stations of a network with the settings `usual`; all of them have places, or none has. `has_distance` says
/// whether a station has a distance instead.
pub fn air(
    usual: &Given,
    scope: &Scope,
    stations: &[StationConfig],
    has_distance: bool,
) -> Result<Option<Radio>> {
    let first = &stations[0];
    if let Some(other) = stations.iter().find(|other| other.place.is_some() != first.place.is_some()) {
        let (with, without) = if first.place.is_some() { (first, other) } else { (other, first) };
        let message = format!(
            "`{}` has a place and `{}` has none: give one to the access point (`ap_x`) and to all stations (`x`)",
            with.name, without.name
        );
        return Err(Problem::new(message));
    }
    if stations.iter().all(|station| station.qos.as_ref().is_none_or(|qos| qos.snr.is_none())) {
        constant(&declared::settings(usual, scope)?)?;
    }
    let sense: SenseSettings = declared::settings(usual, scope)?;
    let usual_sense = SenseSettings::column(0);
    let changed = SenseSettings::TABLE.iter().find(|row| sense.get(row.key) != usual_sense.get(row.key));
    match (first.place, &first.qos, changed) {
        (Some(_), None, _) => Err(Problem::new(format!("it belongs to {EDCA} alone")).at("ap_x")),
        (Some(_), Some(qos), _) => {
            let path_loss = path_loss(&declared::settings(usual, scope)?, &qos.mode)?;
            Ok(Some(Radio { path_loss, sense }))
        }
        (None, _, Some(row)) => {
            let message =
                "it has no effect where stations have no places: give them some with `ap_x` and `x`";
            Err(Problem::new(message).at(row.key))
        }
        (None, _, None) if has_distance => Ok(None),
        (None, _, None) => {
            let message = "it has no effect where no station has a `distance` or a place";
            refuse(&declared::settings(usual, scope)?, &FADING, message).map(|()| None)
        }
    }
}

/// Whether a station with the settings `own` has a distance from its access point.
pub fn has_distance(usual: &Given, own: &Given, scope: &Scope) -> Result<bool> {
    let both: Given = usual.iter().chain(own).cloned().collect();
    let settings: RadioSettings = declared::settings(&both, scope)?;
    Ok(settings.distance.is_some())
}

/// Refuses settings with both a signal-to-noise ratio and a distance.
fn one_of(settings: RadioSettings) -> Result<RadioSettings> {
    if settings.snr.is_some() && settings.distance.is_some() {
        return Err(Problem::new("it follows from `distance`: give one of the two").at("snr"));
    }
    Ok(settings)
}

/// Refuses a ratio that varies where there is no ratio.
fn constant(settings: &RadioSettings) -> Result<()> {
    match settings.snr_variation {
        None | Some(SnrVariationKind::Constant) => Ok(()),
        Some(_) => Err(Problem::new("it needs `snr`, `distance` or places").at("snr_variation")),
    }
}

/// Refuses settings of fading for a station without a distance.
fn without_effect(station: &RadioSettings) -> Result<()> {
    refuse(station, &FADING, "it has no effect without `distance`")
}

/// Refuses the first of these keys that is set, with `message`.
fn refuse(settings: &RadioSettings, keys: &[&str], message: &str) -> Result<()> {
    match keys.iter().find(|key| settings.get(key) != Some(Value::None)) {
        Some(key) => Err(Problem::new(message).at(key)),
        None => Ok(()),
    }
}

/// Returns how the ratio varies; refuses settings that do not belong to this kind of variation.
fn variation(settings: &RadioSettings, run: Span) -> Result<Option<SnrVariation>> {
    let kind = settings.snr_variation.unwrap_or(SnrVariationKind::Constant);
    let (walk, states) = (["fade_step", "fade_interval"], ["fade_mean_good", "fade_mean_bad"]);
    let depth = settings.fade_depth.unwrap_or(FADE_DEPTH);
    let (foreign, variation): (&[&str], _) = match kind {
        SnrVariationKind::Constant => (&[walk[0], walk[1], states[0], states[1], "fade_depth"], None),
        SnrVariationKind::TwoState => {
            let mean_good = settings.fade_mean_good.unwrap_or(FADE_MEAN_GOOD);
            let mean_bad = settings.fade_mean_bad.unwrap_or(FADE_MEAN_BAD);
            not_too_often(run, mean_good + mean_bad, "fade_mean_good")?;
            (&walk, Some(SnrVariation::TwoState { depth, mean_good, mean_bad }))
        }
        SnrVariationKind::RandomWalk => {
            let interval = settings.fade_interval.unwrap_or(FADE_INTERVAL);
            let step = settings.fade_step.unwrap_or(FADE_STEP);
            not_too_often(run, interval, "fade_interval")?;
            (&states, Some(SnrVariation::RandomWalk { depth, step, interval }))
        }
    };
    refuse(settings, foreign, &format!("it has no effect with `snr_variation = \"{}\"`", kind.word()))?;
    Ok(variation)
}

/// Returns the network's law of path loss; refuses settings that do not belong to it.
fn path_loss(settings: &RadioSettings, mode: &Mode) -> Result<PathLoss> {
    let model = settings.path_loss.unwrap_or(PathLossModel::Residential);
    let foreign: &[&str] = match model {
        PathLossModel::LogDistance => &["walls", "floors"],
        PathLossModel::Residential => &["path_loss_exponent"],
        PathLossModel::Enterprise => &["path_loss_exponent", "floors"],
    };
    refuse(settings, foreign, &format!("it has no effect with `path_loss = \"{}\"`", model.word()))?;
    let exponent = settings.path_loss_exponent.unwrap_or(EXPONENT);
    Ok(PathLoss { model, exponent, frequency: mode.band.frequency() })
}
