//! Wireless networks.

use std::collections::BTreeSet;
use std::collections::btree_map::{BTreeMap, Entry};

use airfair_core::schema::Settings;
use airfair_core::{Rate, Span};
use airfair_queue::{
    AIRTIME_WEIGHT, Discipline, PolicerConfig, QueueConfig, QueueLimit, WindowControlConfig,
};
use airfair_wifi::phy::mode::Standard;
use airfair_wifi::{
    BssConfig, FrameLoss, GenerationSettings, MacSettings, Place, PlaceSettings, Radio, SenseSettings,
    ShareSettings, StationConfig,
};

use crate::file::{Discipline as RawDiscipline, FrameLoss as RawFrameLoss, Given, StationGroup, Wlan as Raw};
use crate::problem::{Located, Problem, Result, unknown};
use crate::queue::QueueLength;
use crate::resolve::node::Nodes;
use crate::resolve::qos::{DsssStations, Network};
use crate::resolve::radio::EDCA;
use crate::resolve::{declared, discipline, group, loss, middlebox, phy, radio};
use crate::resolved::Wlan;
use crate::scope::Scope;
use crate::value::{NameValue, QueueValue, RateValue};

/// Most stations of an access point: it gives out association identifiers 1 to 2007 (IEEE 802.11-2012, 8.4.1.8).
const MOST_STATIONS: usize = 2007;
/// Default limit of a queue with DCF, as in ns-2's scripts.
const DEFAULT_QUEUE: QueueLimit = QueueLimit::Packets(50);
/// Default limit of a queue with 802.11n and later, as Linux's interfaces have it (`txqueuelen`): an aggregate of 802.11ax takes up to 256 frames.
const DEFAULT_QUEUE_FOR_AGGREGATES: QueueLimit = QueueLimit::Packets(1000);

/// Resolves all WLANs for a run of length `run`, in the order of declaration and without those for which `when` is false. Returns them with the
/// index of the entry that each came from. Their access points and stations become nodes.
pub fn resolve(list: &[Raw], scope: &Scope, nodes: &mut Nodes, run: Span) -> Result<(Vec<Wlan>, Vec<usize>)> {
    let mut wlans: Vec<Wlan> = Vec::new();
    let mut entries = Vec::new();
    let mut groups = Vec::new();
    let mut names = BTreeSet::new();
    let shared_with_dsss = shared_with_dsss(list, scope)?;
    for (number, raw) in list.iter().enumerate() {
        group::for_each(scope, &raw.count, &raw.when, |scope| {
            let (wlan, groups_of) = one(raw, &scope.in_wlan(), nodes, run, &shared_with_dsss)?;
            if !names.insert(wlan.name.clone()) {
                return Err(Problem::new(format!("there is a WLAN `{}` already", wlan.name)).at("name"));
            }
            wlans.push(wlan);
            entries.push(number);
            groups.push(groups_of);
            Ok(())
        })
        .at_entry("wlan", number)?;
    }
    let mut first_on = BTreeMap::new();
    let hear = |wlan: &Wlan| wlan.bss.stations.iter().any(|station| station.hears.is_some());
    let network_of = if wlans.iter().any(hear) { networks(&wlans) } else { BTreeMap::new() };
    for (number, wlan) in wlans.iter().enumerate() {
        if let Some(channel) = &wlan.channel {
            match first_on.entry(channel) {
                Entry::Vacant(first) => _ = first.insert(wlan),
                Entry::Occupied(first) => check_shared(first.get(), wlan)
                    .map_err(|problem| problem.at("channel"))
                    .at_entry("wlan", entries[number])?,
            }
        }
        check_hearing(&wlans, &network_of, wlan, &groups[number]).at_entry("wlan", entries[number])?;
    }
    Ok((wlans, entries))
}

/// Maps the name of each station and access point to its network.
fn networks(wlans: &[Wlan]) -> BTreeMap<&str, &Wlan> {
    let mut network_of = BTreeMap::new();
    for wlan in wlans {
        network_of.extend(wlan.bss.stations.iter().map(|station| (station.name.as_str(), wlan)));
    }
    network_of
}

/// Checks whom the stations of this WLAN hear: only stations on its channel, and only with EDCA and without places, which would decide it. `groups`
/// has the index of the entry of each station, without the access point.
fn check_hearing(
    wlans: &[Wlan],
    network_of: &BTreeMap<&str, &Wlan>,
    wlan: &Wlan,
    groups: &[usize],
) -> Result<()> {
    let shares =
        |other: &&Wlan| other.name == wlan.name || wlan.channel.is_some() && other.channel == wlan.channel;
    for (number, station) in wlan.bss.stations.iter().enumerate() {
        let Some(heard) = &station.hears else { continue };
        let is_on_channel = |name: &&String| network_of.get(name.as_str()).is_some_and(&shares);
        let refused = if !wlan.bss.uses_edca() {
            Problem::new(format!("it belongs to {EDCA} alone"))
        } else if wlan.bss.radio.is_some() {
            Problem::new("the places of the stations say who hears whom")
        } else if let Some(name) = heard.iter().find(|name| !is_on_channel(name)) {
            let on_channel = wlans.iter().filter(shares).flat_map(|other| &other.bss.stations);
            unknown("station on the channel", name, on_channel.map(|other| other.name.as_str()))
        } else {
            continue;
        };
        return Err(match number.checked_sub(1) {
            None => refused.at("ap_hears"),
            Some(station) => refused.at("hears").at_entry("station", groups[station]),
        });
    }
    Ok(())
}

/// Checks that two WLANs may share a channel: both use EDCA, whose medium alone knows more than one network; they are in the same band;
/// and both have places with the same path loss, walls and floors, or neither has places.
fn check_shared(first: &Wlan, second: &Wlan) -> Result<()> {
    let band = |wlan: &Wlan| wlan.bss.stations[0].qos.as_ref().map(|qos| qos.mode.band);
    let space = |wlan: &Wlan| {
        wlan.bss.radio.map(|Radio { path_loss, sense }| (path_loss, sense.wall_spacing, sense.floor_spacing))
    };
    let message = if !(first.bss.uses_edca() && second.bss.uses_edca()) {
        format!("WLANs that share a channel are {EDCA}")
    } else if band(first) != band(second) {
        format!("`{}` is on this channel and in another band", first.name)
    } else if space(first) != space(second) {
        format!(
            "`{}` is on this channel: both have places, or neither; path loss, walls and floors are the same",
            first.name
        )
    } else {
        return Ok(());
    };
    Err(Problem::new(message))
}

/// The defaults for a WLAN's stations, and the length of the run.
struct Usual {
    /// Rate of the stations' data frames; `None`: it follows from each one's mode.
    data_rate: Option<Rate>,
    /// Rate of the access point's data frames; `None`: to each station the station's own rate.
    ap_data_rate: Option<Rate>,
    queue: QueueLimit,
    loss: Option<FrameLoss>,
    run: Span,
}

/// Resolves a WLAN. Returns it with the index of the entry that each of its stations came from.
fn one(
    raw: &Raw,
    scope: &Scope,
    nodes: &mut Nodes,
    run: Span,
    shared_with_dsss: &[String],
) -> Result<(Wlan, Vec<usize>)> {
    let name = scope.required(&raw.name, "name")?;
    let channel = scope.optional(&raw.channel, "channel")?;
    let changes = declared::settings(&raw.given, scope)?;
    let is_shared = || channel.as_ref().is_some_and(|channel| shared_with_dsss.contains(channel));
    let dsss = if has_dsss(raw, scope)? {
        DsssStations::Here
    } else if is_shared() {
        DsssStations::Beside
    } else {
        DsssStations::Nowhere
    };
    let network = Network::new(phy::resolve(raw, &changes, scope)?, changes, raw, dsss, scope)?;
    let usual_queue = if network.aggregates() { DEFAULT_QUEUE_FOR_AGGREGATES } else { DEFAULT_QUEUE };
    let usual = Usual {
        data_rate: phy::data_rate(raw, &network, scope)?,
        ap_data_rate: ap_data_rate(&raw.ap_data_rate, scope, &network)?,
        queue: queue(&raw.queue, scope, "queue")?.unwrap_or(usual_queue),
        loss: frame_loss(&raw.loss, scope, run)?.flatten(),
        run,
    };
    let ap = nodes.add(scope, &raw.ap, "ap")?;
    let mut members = vec![ap];
    let mut stations = vec![access_point(raw, scope, nodes.name(ap), &network, &usual)?];
    let (mut weights, mut groups, mut has_distance) = (Vec::new(), Vec::new(), false);
    for (number, station) in raw.station.iter().enumerate() {
        group::for_each(scope, &station.count, &station.when, |scope| {
            if members.len() > MOST_STATIONS {
                let message =
                    format!("a WLAN has at most {MOST_STATIONS} stations (association identifiers)");
                return Err(Problem::new(message).at("count"));
            }
            let index = nodes.add(scope, &station.name, "name")?;
            let ShareSettings { airtime_weight } = declared::settings(&station.given, scope)?;
            if airtime_weight != u32::from(AIRTIME_WEIGHT) {
                weights.push((members.len() as u32, airtime_weight as u16));
            }
            members.push(index);
            groups.push(number);
            has_distance = has_distance || radio::has_distance(&raw.given, &station.given, scope)?;
            let ap = stations[0].place;
            stations.push(one_station(station, scope, nodes.name(index), (&network, ap), &usual)?);
            Ok(())
        })
        .at_entry("station", number)?;
    }
    if members.len() == 1 {
        return Err(Problem::new("a WLAN needs at least 1 station").at("station"));
    }
    stations[0].queue.weights = weights;
    let radio = radio::air(&raw.given, scope, &stations, has_distance)?;
    network.without_airtime_limit(&stations)?;
    let protection = network.protection();
    let mac = mac(&raw.given, scope, network.uses_edca())?;
    let announcements = network.announcements(run)?;
    let bss = BssConfig { phy: network.phy, mac, protection, announcements, radio, stations };
    let stack = declared::settings(&raw.given, scope)?;
    let (policer, window_control) = middlebox_of(raw, scope, &bss.stations)?;
    Ok((Wlan { name, members, channel, bss, stack, policer, window_control }, groups))
}

/// Returns the settings of medium access; refuses those that EDCA does not have.
fn mac(given: &Given, scope: &Scope, uses_edca: bool) -> Result<MacSettings> {
    let settings: MacSettings = declared::settings(given, scope)?;
    let usual = MacSettings::column(0);
    let mut keys = ["long_retry_limit", "capture"].into_iter();
    match keys.find(|key| uses_edca && settings.get(key) != usual.get(key)) {
        Some(key) => Err(Problem::new("it has no effect with EDCA: it belongs to DCF alone").at(key)),
        None => Ok(settings),
    }
}

/// Returns the channels on which a network has a station of 802.11b.
fn shared_with_dsss(list: &[Raw], scope: &Scope) -> Result<Vec<String>> {
    let mut channels = Vec::new();
    for (number, raw) in list.iter().enumerate() {
        group::for_each(scope, &raw.count, &raw.when, |scope| {
            let scope = scope.in_wlan();
            let channel = scope.optional(&raw.channel, "channel")?;
            if has_dsss(raw, &scope)? {
                channels.extend(channel);
            }
            Ok(())
        })
        .at_entry("wlan", number)?;
    }
    Ok(channels)
}

/// Whether any station of the network is of 802.11b.
fn has_dsss(raw: &Raw, scope: &Scope) -> Result<bool> {
    let mut found = false;
    for (number, station) in raw.station.iter().enumerate() {
        group::for_each(scope, &station.count, &station.when, |scope| {
            let GenerationSettings { standard } = declared::settings(&station.given, scope)?;
            found |= standard == Some(Standard::B);
            Ok(())
        })
        .at_entry("station", number)?;
    }
    Ok(found)
}

fn middlebox_of(
    raw: &Raw,
    scope: &Scope,
    stations: &[StationConfig],
) -> Result<(Option<PolicerConfig>, Option<WindowControlConfig>)> {
    let fastest = stations[1..].iter().map(|station| station.data_rate).max();
    let policer = raw.policer.as_ref().zip(fastest);
    let policer = policer.map(|(raw, fastest)| middlebox::policer(raw, scope, fastest)).transpose();
    let buffer = match stations[0].queue.limit {
        QueueLimit::Packets(packets) => Some(packets),
        QueueLimit::Bytes(_) => None,
    };
    let control = raw.window_control.as_ref();
    let control = control.map(|raw| middlebox::window_control(raw, scope, buffer)).transpose();
    Ok((policer.at("policer")?.flatten(), control.at("window_control")?.flatten()))
}

/// Resolves the access point. It has no loss of its own: each of its frames is to a station or from one, and that station's loss hits the frame.
fn access_point(
    raw: &Raw,
    scope: &Scope,
    name: &str,
    network: &Network,
    usual: &Usual,
) -> Result<StationConfig> {
    let qos = network.station(None, None, scope, usual.run)?;
    let data_rate = match (&qos, usual.ap_data_rate, usual.data_rate) {
        (Some(qos), ..) => qos.mode.rate(),
        (None, Some(rate), _) | (None, None, Some(rate)) => rate,
        (None, None, None) => unreachable!("a PHY has modes or rates"),
    };
    let queue = queue(&raw.ap_queue, scope, "ap_queue")?.unwrap_or(usual.queue);
    let discipline = discipline(&raw.ap_discipline, scope).at("ap_discipline")?;
    let (x, y) = (scope.optional(&raw.ap_x, "ap_x")?, scope.optional(&raw.ap_y, "ap_y")?);
    let place = radio::place(&raw.given, &Given::new(), (x, y), ["ap_x", "ap_y"], scope)?;
    Ok(StationConfig {
        name: name.to_owned(),
        data_rate,
        ap_data_rate: data_rate,
        queue: QueueConfig { limit: queue, discipline, rate: data_rate, weights: Vec::new() },
        loss: None,
        place,
        hears: hears(&raw.ap_hears, scope, "ap_hears")?,
        qos,
    })
}

/// Returns the names under this key, sorted and each once.
fn hears(raw: &Option<Vec<NameValue>>, scope: &Scope, key: &str) -> Result<Option<Vec<String>>> {
    let Some(raw) = raw else { return Ok(None) };
    let mut names: Vec<String> = raw.iter().map(|name| scope.required(name, key)).collect::<Result<_>>()?;
    names.sort();
    names.dedup();
    Ok(Some(names))
}

fn one_station(
    raw: &StationGroup,
    scope: &Scope,
    name: &str,
    (network, ap): (&Network, Option<Place>),
    usual: &Usual,
) -> Result<StationConfig> {
    let PlaceSettings { x, y } = declared::settings(&raw.given, scope)?;
    let place = radio::place(network.given, &raw.given, (x, y), ["x", "y"], scope)?;
    let sense: SenseSettings = declared::settings(network.given, scope)?;
    let between = ap.zip(place).map(|(ap, place)| sense.path(ap.distance(place)));
    let qos = network.station(Some(raw), between, scope, usual.run)?;
    let own = scope.optional(&raw.data_rate, "data_rate")?;
    let own_down = ap_data_rate(&raw.ap_data_rate, scope, network)?;
    let (data_rate, ap_data_rate) = match (&qos, own.or(usual.data_rate)) {
        (Some(qos), _) => {
            phy::no_rate(own.is_some(), &network.phy, "data_rate")?;
            (qos.mode.rate(), Some(qos.ap_mode.rate()))
        }
        (None, Some(rate)) => {
            (phy::allowed(rate, &network.phy, "data_rate")?, own_down.or(usual.ap_data_rate))
        }
        (None, None) => unreachable!("a PHY has modes or rates"),
    };
    let limit = queue(&raw.queue, scope, "queue")?.unwrap_or(usual.queue);
    let discipline = discipline(&raw.discipline, scope).at("discipline")?;
    let loss = frame_loss(&raw.loss, scope, usual.run)?.unwrap_or(usual.loss);
    Ok(StationConfig {
        name: name.to_owned(),
        data_rate,
        ap_data_rate: ap_data_rate.unwrap_or(data_rate),
        queue: QueueConfig { limit, discipline, rate: data_rate, weights: Vec::new() },
        loss,
        place,
        hears: hears(&raw.hears, scope, "hears")?,
        qos,
    })
}

fn discipline(raw: &Option<RawDiscipline>, scope: &Scope) -> Result<Discipline> {
    match raw {
        Some(raw) if raw.direction.is_some() => {
            let message =
                "it belongs to links alone: the queue of an access point or a station has one direction";
            Err(Problem::new(message).at("direction"))
        }
        Some(raw) => {
            let discipline = discipline::resolve(raw, scope)?;
            if let Some((key, _)) = discipline.shaper() {
                let message = "a shaper belongs to links alone: an access point or a station takes frames from its queue when it has the \
                               air";
                return Err(Problem::new(message).at(key));
            }
            Ok(discipline)
        }
        None => Ok(Discipline::default()),
    }
}

fn ap_data_rate(raw: &Option<RateValue>, scope: &Scope, network: &Network) -> Result<Option<Rate>> {
    let Some(rate) = scope.optional(raw, "ap_data_rate")? else { return Ok(None) };
    if network.uses_edca() {
        phy::no_rate(true, &network.phy, "ap_data_rate")?;
    }
    phy::allowed(rate, &network.phy, "ap_data_rate").map(Some)
}

/// Returns the loss of frames; `None` if the file says nothing about it, `Some(None)` if it says that nothing is lost.
fn frame_loss(raw: &Option<RawFrameLoss>, scope: &Scope, run: Span) -> Result<Option<Option<FrameLoss>>> {
    raw.as_ref().map(|raw| loss::on_air(raw, scope, run)).transpose().at("loss")
}

fn queue(raw: &Option<QueueValue>, scope: &Scope, key: &str) -> Result<Option<QueueLimit>> {
    match scope.optional(raw, key)? {
        None => Ok(None),
        Some(QueueLength::Limit(limit)) => Ok(Some(limit)),
        Some(QueueLength::Time(_)) => {
            let message =
                "the air has no rate that would make a time a length: give frames (`50`) or bytes (`64 kB`)";
            Err(Problem::new(message).at(key))
        }
    }
}
