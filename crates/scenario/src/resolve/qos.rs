//! EDCA and aggregation of a WLAN and of its stations.

use airfair_core::schema::{Settings, Value};
use airfair_core::{Rate, Span};
use airfair_wifi::phy::edca::{AccessCategory, EdcaParameters, EdcaSet};
use airfair_wifi::phy::mode::{Band, Mode, Standard, Timing, Width};
use airfair_wifi::phy::propagation::Path;
use airfair_wifi::phy::{Countdown, Dsss, Preamble, Retry};
use airfair_wifi::{
    Aggregation, Announcement, AnnouncementKind, ChannelSettings, DriverQueue, EdcaSettings,
    GenerationSettings, Phy, PhySettings, Protection, QOS_STANDARDS, QosConfig, QosSettings, RateControl,
    StationConfig,
};

use crate::file::{Edca, Given, StationGroup, Wlan};
use crate::problem::{Located, Problem, Result};
use crate::resolve::changes::not_too_often;
use crate::resolve::{declared, radio, trace};
use crate::scope::Scope;
use crate::units::{self, Dimension};

/// Default of the lower airtime budget of a station, as in mac80211 (`IEEE80211_DEFAULT_AQL_TXQ_LIMIT_L`). It holds while the total is
/// above [`AQL_TOTAL`] (`IEEE80211_AQL_THRESHOLD`).
const AQL_LOW: Span = Span::from_millis(5);
const AQL_TOTAL: Span = Span::from_millis(24);

/// Default of the longest aggregate in a driver's queue, as in ath9k.
const AGGREGATE: Span = Span::from_millis(4);

/// Default length of a beacon or of a broadcast packet, in bytes.
const ANNOUNCEMENT_BYTES: u32 = 300;

/// Default of the highest basic rate of DSSS, as hostapd has it with 802.11g.
const DSSS_BASIC_RATE: Rate = Rate::from_hundred_kbps(110);

/// The one QoS setting that PHYs with DCF have as well.
const WITH_DCF: &str = "mcs";

/// Settings that came with 802.11n. Networks of 802.11a and g refuse them, with EDCA, too.
const NEWER: [&str; 7] =
    ["width", "nss", "guard_interval", "ampdu", "ampdu_duration", "amsdu", "block_ack_window"];

/// Where stations of 802.11b are, seen from a network.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum DsssStations {
    Nowhere,
    /// In another network on the channel.
    Beside,
    /// In the network.
    Here,
}

/// The settings of a network that decide how its stations send.
pub struct Network<'a> {
    pub phy: Phy,
    /// The settings that a station may set for itself.
    pub usual: QosSettings,
    changes: PhySettings,
    channel: ChannelSettings,
    pub given: &'a Given,
    /// The stations' access parameters, and the access point's.
    edca: Categories,
    ap_edca: Categories,
}

/// Checks that the time under `key` is not less than `least`, which messages call `named`.
fn at_least(time: Option<Span>, least: Span, named: &str, key: &'static str) -> Result<Option<Span>> {
    if time.is_some_and(|time| time < least) {
        let least = units::display(least.as_secs(), Dimension::Time);
        return Err(Problem::new(format!("it is below {named} {least} here")).at(key));
    }
    Ok(time)
}

/// The access parameters that a table gives, in the order of [`AccessCategory`].
type Categories = [EdcaSettings; 4];

impl<'a> Network<'a> {
    /// Makes a network from the settings of its table. `phy` is the PHY by its name with `changes` in it; `stations` says where there are
    /// stations of 802.11b.
    pub fn new(
        phy: Phy,
        changes: PhySettings,
        raw: &'a Wlan,
        stations: DsssStations,
        scope: &Scope,
    ) -> Result<Network<'a>> {
        let given = &raw.given;
        let channel: ChannelSettings = declared::settings(given, scope)?;
        let standard = with_modes(&phy);
        let phy = match (standard, channel.band) {
            (Some(standard), Some(band)) if standard.bands().contains(&band) => phy.in_band(standard, band),
            _ => phy,
        };
        let is_at_2_4 = standard.is_some_and(|own| channel.band.unwrap_or(own.bands()[0]) == Band::Ghz2_4);
        let phy = if stations != DsssStations::Nowhere && is_at_2_4 {
            let highest = channel.dsss_basic_rate.unwrap_or(DSSS_BASIC_RATE);
            let preamble = channel.dsss_preamble.unwrap_or(Preamble::Long);
            let phy = phy
                .beside_dsss(highest, preamble)
                .map_err(|error| Problem::new(format!("it is {error}")).at("dsss_basic_rate"))?;
            if stations == DsssStations::Here { phy.with_long_slots() } else { phy }
        } else {
            phy
        };
        let eifs = at_least(channel.eifs, phy.difs, "DIFS, which is", "eifs")?.unwrap_or(phy.eifs);
        let least = phy.sifs + phy.slot;
        let ack_timeout = at_least(channel.ack_timeout, least, "SIFS and a slot, which are", "ack_timeout")?;
        let ack_timeout = ack_timeout.map(Retry::always);
        let ack_retry = ack_timeout.unwrap_or(phy.ack_retry);
        let dsss = phy.dsss.map(|dsss| Dsss { ack_retry: ack_timeout.unwrap_or(dsss.ack_retry), ..dsss });
        let phy = Phy { eifs, ack_retry, dsss, ..phy };
        let usual = declared::settings(given, scope)?;
        let edca = categories(raw.edca.as_ref(), scope).at("edca")?;
        let ap_edca = categories(raw.ap_edca.as_ref(), scope).at("ap_edca")?;
        let mut network = Network { phy, usual, changes, channel, given, edca, ap_edca };
        if network.uses_edca() {
            network.phy.access.countdown = channel.countdown.unwrap_or(Countdown::Edca);
            let useless = [
                ("dsss_basic_rate", channel.dsss_basic_rate.is_some()),
                ("dsss_preamble", channel.dsss_preamble.is_some()),
            ];
            if let Some((key, _)) = useless.iter().find(|(_, given)| *given)
                && network.phy.dsss.is_none()
            {
                return Err(
                    Problem::new("it has no effect without a station of 802.11b on its channel").at(key)
                );
            }
        } else {
            // To name the band that the PHY has anyway is no error: it changes nothing.
            let band = channel.band.filter(|band| *band != band_without_edca(network.phy.name));
            let channel = ChannelSettings { band, ..network.channel };
            declared::alone(&channel, &keys::<ChannelSettings>(), radio::EDCA)?;
            without_edca(&raw.edca, "edca")?;
            without_edca(&raw.ap_edca, "ap_edca")?;
        }
        Ok(network)
    }

    /// Returns which frames protect PPDUs that some stations cannot decode.
    pub fn protection(&self) -> Protection {
        let usual = if self.phy.dsss.is_some() { Protection::CtsToSelf } else { Protection::None };
        self.channel.protection.unwrap_or(usual)
    }

    /// Returns the broadcasts of the access point in a run of length `run`.
    pub fn announcements(&self, run: Span) -> Result<Vec<Announcement>> {
        let ChannelSettings {
            beacon_interval,
            beacon_bytes,
            broadcast_interval,
            broadcast_bytes,
            broadcast_rate,
            ..
        } = self.channel;
        let of = |kind: AnnouncementKind, interval: Option<Span>, bytes: Option<u32>, rate: Option<Rate>| {
            let key = |what| format!("{}_{what}", kind.word());
            let useless = [("bytes", bytes.is_some()), ("rate", rate.is_some())];
            match interval {
                None => match useless.iter().find(|(_, given)| *given) {
                    Some((what, _)) => {
                        let message = format!("it has no effect without `{}`", key("interval"));
                        Err(Problem::new(message).at(&key(what)))
                    }
                    None => Ok(None),
                },
                Some(interval) => {
                    not_too_often(run, interval, &key("interval"))?;
                    let bytes = bytes.unwrap_or(ANNOUNCEMENT_BYTES);
                    Ok(Some(Announcement { kind, interval, bytes, rate }))
                }
            }
        };
        let beacons = of(AnnouncementKind::Beacon, beacon_interval, beacon_bytes, None)?;
        let phys: &[&str] = if self.phy.dsss.is_some() { &["802.11b", "802.11g"] } else { &["802.11a"] };
        let mut rates =
            phys.iter().filter_map(|name| Phy::by_name(name, None).ok()).flat_map(|phy| phy.data_rates);
        if let Some(rate) = broadcast_rate
            && !rates.any(|allowed| *allowed == rate)
        {
            return Err(Problem::new("it is not a rate of 802.11a, nor of 802.11b beside its stations")
                .at("broadcast_rate"));
        }
        let broadcasts =
            of(AnnouncementKind::Broadcast, broadcast_interval, broadcast_bytes, broadcast_rate)?;
        Ok(beacons.into_iter().chain(broadcasts).collect())
    }

    /// Refuses settings of an airtime limit if no station has such a limit.
    pub fn without_airtime_limit(&self, stations: &[StationConfig]) -> Result<()> {
        let mut drivers = stations.iter().filter_map(|station| Some(station.qos.as_ref()?.driver));
        let has_limit = drivers.any(|driver| matches!(driver, DriverQueue::Airtime { .. }));
        if has_limit { Ok(()) } else { without_aql(&self.usual) }
    }

    /// Whether the network's stations use EDCA: always with 802.11n and later, with 802.11a and g if an access category is set.
    pub fn uses_edca(&self) -> bool {
        self.aggregates() || (with_modes(&self.phy).is_some() && self.usual.access_category.is_some())
    }

    /// Whether the network's stations may put several frames into a PPDU: with 802.11n and later.
    pub fn aggregates(&self) -> bool {
        with_modes(&self.phy).is_some_and(|standard| !standard.has_rates())
    }

    /// Returns the EDCA settings of a station, or of the access point if `own` is `None`; returns `None` in networks with DCF. `between` is
    /// the path between station and access point if both have places.
    pub fn station(
        &self,
        own: Option<&StationGroup>,
        between: Option<Path>,
        scope: &Scope,
        run: Span,
    ) -> Result<Option<Box<QosConfig>>> {
        let given = own.into_iter().flat_map(|own| &own.given);
        let both: Given = self.given.iter().chain(given).cloned().collect();
        let settings: QosSettings = declared::settings(&both, scope)?;
        let tables = match own {
            Some(own) => vec![self.edca, categories(own.edca.as_ref(), scope).at("edca")?],
            None => vec![self.ap_edca],
        };
        let nothing = Given::new();
        let given = own.map_or(&nothing, |own| &own.given);
        let generation: GenerationSettings = declared::settings(given, scope)?;
        match with_modes(&self.phy) {
            Some(standard) if self.uses_edca() => {
                let standard = self.generation(standard, &generation)?;
                if let (Some(own), false) = (own, standard.has_qos()) {
                    without_qos(own, scope)?;
                }
                if settings.aql.is_none() {
                    without_aql(&declared::settings(given, scope)?)?;
                }
                let rate_control = radio::rate_control(self.given, given, scope)?;
                let config = self.config(standard, &settings, rate_control, own.is_none(), &tables)?;
                let snr = radio::link(self.given, given, &config.mode, between, scope, run)?;
                if own.is_none() {
                    return Ok(Some(Box::new(config)));
                }
                let trace = own.and_then(|own| own.snr_trace.as_deref());
                let snr_trace = trace.map(|text| trace::read(text, snr.as_ref(), given, scope)).transpose();
                let snr_trace = snr_trace.at("snr_trace")?.unwrap_or_default();
                if rate_control == RateControl::Ideal && snr.is_none() && snr_trace.is_empty() {
                    let message = "`ideal` needs `snr`, `snr_trace`, `distance` or places";
                    return Err(Problem::new(message).at("rate_control"));
                }
                Ok(Some(Box::new(QosConfig { rate_control, snr, snr_trace: snr_trace.into(), ..config })))
            }
            _ => {
                declared::alone(&generation, &keys::<GenerationSettings>(), radio::EDCA)?;
                without_edca(&own.and_then(|own| own.edca.as_ref()), "edca")?;
                without_edca(&own.and_then(|own| own.snr_trace.as_ref()), "snr_trace")?;
                radio::without_edca(&both, scope)?;
                // A TXOP limit of 0 means one frame at a time. That is what DCF does anyway, so it is allowed.
                let txop = settings.txop.filter(|txop| *txop > Span::ZERO);
                let settings = QosSettings { txop, ..settings };
                declared::alone(&settings, &NEWER, QOS_STANDARDS)?;
                declared::alone(&settings, &keys::<QosSettings>(), radio::EDCA).map(|()| None)
            }
        }
    }

    /// Returns the standard of a station with the settings `own` in a network of the standard `network`.
    fn generation(&self, network: Standard, own: &GenerationSettings) -> Result<Standard> {
        let Some(standard) = own.standard else { return Ok(network) };
        let band = self.band(network);
        let message = if !network.decodes(standard) {
            format!("it is newer than the network's `phy`, {}", network.word())
        } else if !standard.bands().contains(&band) {
            format!("{} is not for {}", standard.word(), band.word())
        } else {
            return Ok(standard);
        };
        Err(Problem::new(message).at("standard"))
    }

    /// Returns the band of a network of this standard.
    fn band(&self, network: Standard) -> Band {
        self.channel.band.unwrap_or(network.bands()[0])
    }

    /// Returns the EDCA settings of a station or an access point. Later `tables` override earlier ones.
    fn config(
        &self,
        standard: Standard,
        settings: &QosSettings,
        rate_control: RateControl,
        access_point: bool,
        tables: &[Categories],
    ) -> Result<QosConfig> {
        let mode = self.mode(standard, settings, rate_control)?;
        let category = match settings.access_category {
            Some(category) if standard.has_qos() => category,
            _ => AccessCategory::BestEffort,
        };
        let set = match self.channel.ap_edca_defaults {
            _ if !access_point => EdcaSet::Station,
            given => given.unwrap_or(EdcaSet::AccessPoint),
        };
        let mut edca = EdcaParameters::defaults(set);
        let PhySettings { cw_min, cw_max, .. } = self.changes;
        let usual = EdcaSettings { aifsn: settings.aifsn, cw_min, cw_max, txop: settings.txop };
        apply(&mut edca[category as usize], &usual);
        for table in tables {
            edca.iter_mut().zip(table).for_each(|(parameters, given)| apply(parameters, given));
        }
        if !standard.has_qos() {
            edca = [EdcaParameters::DSSS; 4];
        }
        let is_older = with_modes(&self.phy).is_some_and(|network| network != standard);
        // Aggregates came with 802.11n. The network's settings of them are meant for its newer stations.
        let aggregates = [("amsdu", settings.amsdu), ("ampdu", settings.ampdu)];
        let given = aggregates.iter().find(|(_, bytes)| bytes.is_some_and(|bytes| bytes > 0));
        if let (Some((key, _)), true, false) = (given, standard.has_rates(), is_older) {
            return Err(Problem::new(format!("it belongs to {QOS_STANDARDS} alone")).at(key));
        }
        let most = standard.most_ampdu_bytes();
        let ampdu = settings.ampdu.map_or(most, |bytes| bytes.min(most));
        let amsdu = settings.amsdu.unwrap_or(0).min(standard.most_amsdu_bytes(ampdu > 0));
        Ok(QosConfig {
            mode,
            ap_mode: mode,
            edca,
            category,
            driver: driver(settings)?,
            aggregation: Aggregation {
                ampdu,
                duration: settings.ampdu_duration,
                amsdu,
                window: settings.block_ack_window.unwrap_or(u32::MAX).min(standard.most_window()),
            },
            rate_control: RateControl::Fixed,
            snr: None,
            snr_trace: [].into(),
        })
    }

    /// Returns the mode of a station, or the fastest one if rate control chooses modes.
    fn mode(&self, standard: Standard, settings: &QosSettings, rate_control: RateControl) -> Result<Mode> {
        let network = with_modes(&self.phy).unwrap_or(standard);
        let usual = if rate_control == RateControl::Fixed { 7 } else { standard.most_mcs() };
        let mut mode = Mode {
            standard,
            band: self.band(network),
            width: settings.width.unwrap_or(Width::Mhz20),
            nss: settings.nss.unwrap_or(1) as u8,
            mcs: settings.mcs.map_or(usual, |mcs| mcs as u8),
            guard_interval: settings.guard_interval.unwrap_or(Span(800)),
            timing: self.channel.ppdu_timing.unwrap_or(Timing::Standard),
            dsss_preamble: self.phy.dsss.as_ref().map_or(Preamble::Long, |dsss| dsss.preamble),
        };
        if standard != network {
            mode = mode.within_standard();
        }
        // 802.11ac does not have its highest schemes with every width and number of streams.
        while settings.mcs.is_none() && mode.mcs > 7 && mode.check().is_err() {
            mode.mcs -= 1;
        }
        mode.check().map_err(|refused| Problem::new(refused.reason).at(refused.setting))?;
        Ok(mode)
    }
}

/// Returns the standard of a PHY whose stations may use EDCA.
fn with_modes(phy: &Phy) -> Option<Standard> {
    Standard::from_word(phy.name).filter(|standard| standard.has_qos())
}

/// Refuses settings of access categories for a station that has none.
fn without_qos(own: &StationGroup, scope: &Scope) -> Result<()> {
    const MESSAGE: &str = "802.11b has no access categories here: its stations contend as with DCF";
    let settings: QosSettings = declared::settings(&own.given, scope)?;
    let mut keys = ["access_category", "aifsn", "txop"].into_iter();
    let given = keys.find(|key| settings.get(key) != Some(Value::None));
    match given.or(own.edca.as_ref().map(|_| "edca")) {
        Some(key) => Err(Problem::new(MESSAGE).at(key)),
        None => Ok(()),
    }
}

/// Returns the access parameters of a table, by access category.
fn categories(raw: Option<&Edca>, scope: &Scope) -> Result<Categories> {
    let mut found = [EdcaSettings::column(0); 4];
    let Some(Edca { bk, be, vi, vo }) = raw else { return Ok(found) };
    for (settings, (raw, key)) in found.iter_mut().zip([(bk, "bk"), (be, "be"), (vi, "vi"), (vo, "vo")]) {
        let Some(raw) = raw else { continue };
        *settings = declared::settings(&raw.given, scope).at(key)?;
        if let (Some(least), Some(most)) = (settings.cw_min, settings.cw_max)
            && most < least
        {
            return Err(Problem::new("it is below `cw_min`").at("cw_max")).at(key);
        }
    }
    Ok(found)
}

fn apply(parameters: &mut EdcaParameters, given: &EdcaSettings) {
    parameters.aifsn = given.aifsn.map_or(parameters.aifsn, |aifsn| aifsn as u8);
    parameters.cw_min = given.cw_min.unwrap_or(parameters.cw_min);
    parameters.cw_max = given.cw_max.unwrap_or(parameters.cw_max).max(parameters.cw_min);
    parameters.txop = given.txop.unwrap_or(parameters.txop);
}

/// Returns the band of a PHY with DCF.
fn band_without_edca(name: &str) -> Band {
    Standard::from_word(name).map_or(Band::Ghz2_4, |standard| standard.bands()[0])
}

/// Refuses a table of access parameters where there is DCF.
fn without_edca<T>(table: &Option<T>, key: &str) -> Result<()> {
    match table {
        Some(_) => Err(Problem::new(format!("it belongs to {} alone", radio::EDCA)).at(key)),
        None => Ok(()),
    }
}

/// Returns the keys of the settings `S` that belong to EDCA alone.
fn keys<S: Settings>() -> Vec<&'static str> {
    S::TABLE.iter().map(|row| row.key).filter(|key| *key != WITH_DCF).collect()
}

fn driver(settings: &QosSettings) -> Result<DriverQueue> {
    match (settings.driver_queue, settings.driver_aggregates, settings.aql) {
        (frames, None, None) => Ok(DriverQueue::Frames(frames.unwrap_or(u32::MAX))),
        (None, Some(most), None) => {
            Ok(DriverQueue::Aggregates { most, airtime: settings.ampdu_duration.unwrap_or(AGGREGATE) })
        }
        (None, None, Some(high)) => Ok(DriverQueue::Airtime {
            low: settings.aql_low.unwrap_or(AQL_LOW).min(high),
            high,
            total: settings.aql_total.unwrap_or(AQL_TOTAL),
        }),
        (_, Some(_), Some(_)) => Err(two_limits("driver_aggregates")),
        (Some(_), ..) => Err(two_limits("driver_queue")),
    }
}

/// Refuses settings of an airtime limit where `aql` is not set.
fn without_aql(settings: &QosSettings) -> Result<()> {
    let mut useless = [("aql_low", settings.aql_low), ("aql_total", settings.aql_total)].into_iter();
    match useless.find(|(_, time)| time.is_some()) {
        Some((key, _)) => Err(Problem::new("it has no effect without `aql`").at(key)),
        None => Ok(()),
    }
}

fn two_limits(key: &str) -> Problem {
    Problem::new("a driver's queue has one limit: in frames, in aggregates or in airtime").at(key)
}
