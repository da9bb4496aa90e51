//! The configuration of a BSS. Station 0 is the access point.

pub use crate::phy::Phy;
use crate::phy::edca::{AccessCategory, EdcaParameters, EdcaSet};
use crate::phy::errors::FrameLoss;
use crate::phy::mode::{Band, Mode, Standard, Timing, Width};
use crate::phy::propagation::{Path, PathLoss, PathLossModel};
pub use crate::phy::signal::SnrPoint;
use crate::phy::signal::SnrVariation;
use crate::phy::{Countdown, Preamble};
use airfair_core::schema::{Kind, Range};
use airfair_core::{Rate, Span, settings, words};
use airfair_queue::AIRTIME_WEIGHT;
pub use airfair_queue::{Discipline, QueueConfig, QueueLimit};
use std::sync::Arc;

impl AnnouncementKind {
    /// Whether announcements of this kind are beacons.
    pub fn is_beacon(self) -> bool {
        self == AnnouncementKind::Beacon
    }
}

/// A basic service set: an access point (station 0) and its stations. Other networks may share its channel, and not all of them need hear each other.
#[derive(Clone, Debug, PartialEq)]
pub struct BssConfig {
    /// Timings, contention window, control-frame rates and access rules.
    pub phy: Phy,
    /// Settings of medium access.
    pub mac: MacSettings,
    /// What goes before PPDUs that older stations of the network cannot decode.
    pub protection: Protection,
    /// What the access point sends to all stations now and then.
    pub announcements: Vec<Announcement>,
    /// The radios of stations that have places; `None`: all stations of all networks on the channel hear each other.
    pub radio: Option<Radio>,
    /// The stations; the first one is the access point.
    pub stations: Vec<StationConfig>,
}

impl BssConfig {
    /// Returns the oldest standard among those of the stations; `None` with DCF.
    pub fn oldest_standard(&self) -> Option<Standard> {
        let standards = self.stations.iter().filter_map(|station| Some(station.qos.as_ref()?.mode.standard));
        standards.reduce(Standard::older)
    }

    /// Whether the stations use EDCA; otherwise they use DCF.
    pub fn uses_edca(&self) -> bool {
        self.stations.first().is_some_and(|station| station.qos.is_some())
    }
}

/// Kind of a setting that counts the attempts of a frame.
const ATTEMPTS: Kind = Kind::Count(Range::between(1.0, 255.0), "attempts");

settings! {
    /// Settings of medium access, the same for all stations.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct MacSettings[usual] {
        /// MSDUs of at least this size follow an RTS/CTS exchange: with zero all of them, by default none. With EDCA the size is that of the PPDU, so
        /// of a whole aggregate.
        "rts_threshold" rts_threshold: Option<u32>, Kind::Bytes(Range::between(0.0, u32::MAX as f64)), [None];
        /// Attempts of an RTS, or of a data frame without RTS, before the frame is dropped (IEEE 802.11-2012,
        /// dot11ShortRetryLimit).
        "short_retry_limit" short_retry_limit: u32, ATTEMPTS, [7];
        /// With DCF, attempts of a data frame that follows an RTS/CTS exchange before it is dropped (IEEE 802.11-2012, dot11LongRetryLimit). With
        /// EDCA `short_retry_limit` counts all attempts of a frame.
        "long_retry_limit" long_retry_limit: u32, ATTEMPTS, [4];
        /// With DCF, the chance that a receiver decodes one of several colliding frames.
        "capture" capture: f64, Kind::Fraction, [0.0];
    }
}

/// The configuration of a station.
#[derive(Clone, Debug, PartialEq)]
pub struct StationConfig {
    /// Name of the station, unique in the BSS. Its random streams are named after it.
    pub name: String,
    /// Rate of the data frames that the station sends.
    pub data_rate: Rate,
    /// Rate of the data frames that the access point sends to the station; of no effect at the access point.
    pub ap_data_rate: Rate,
    /// Interface queue of the station; its limit counts the frame in service.
    pub queue: QueueConfig,
    /// Random loss, without a collision, of frames to the station and from it. A frame is lost if its sender's loss or its receiver's hits it.
    pub loss: Option<FrameLoss>,
    /// Where the station is, in networks with a radio.
    pub place: Option<Place>,
    /// Names of the stations on the channel whose frames reach this one, in networks with EDCA and without a radio; `None`: all. A station and its
    /// access point always reach each other.
    pub hears: Option<Vec<String>>,
    /// EDCA and aggregation of the station; `None`, at all stations or at none: the network uses DCF.
    pub qos: Option<Box<QosConfig>>,
}

/// The time unit, in seconds. A beacon carries its interval as a number of time units in 16 bits (IEEE 802.11-2020, 9.4.1.3).
const TIME_UNIT: f64 = 1024e-6;

/// The standards to which EDCA and aggregation settings apply, as messages name them.
pub const QOS_STANDARDS: &str = "802.11n and later";

settings! {
    /// Settings of 802.11n and later that all stations of a network share.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct ChannelSettings[usual] {
        /// Frequency band (5 GHz, with 802.11g 2.4 GHz).
        "band" band: Option<Band>, Kind::Word(Band::WORDS), [None];
        /// Whose default EDCA parameters the access point uses: its own, or those of the stations (access-point).
        "ap_edca_defaults" ap_edca_defaults: Option<EdcaSet>, Kind::Word(EdcaSet::WORDS), [None];
        /// EIFS, at least DIFS (the standard's). With DIFS, slots count AIFS after a frame that could not be decoded, as after any other frame. That
        /// is the case where no station detects preambles that collide.
        "eifs" eifs: Option<Span>, Kind::Time(Range::POSITIVE), [None];
        /// How long after its frame a sender gives up waiting for a CTS, an ACK or a block ack; at least SIFS and a slot (those and
        /// aRxPHYStartDelay).
        "ack_timeout" ack_timeout: Option<Span>, Kind::Time(Range::between(0.0, 0.01)), [None];
        /// When a slot of a backoff counts: when it begins, the first one as AIFS ends (edca), or when it is over, as with DCF (dcf). With DCF's rule
        /// the slot in which the air falls busy does not count, and a frame that finds the air idle need not wait for the next slot (edca).
        "countdown" countdown: Option<Countdown>, Kind::Word(Countdown::WORDS), [None];
        /// What goes before PPDUs that some stations of the network are too old to decode: nothing, a CTS-to-self, or an RTS/CTS exchange (none;
        /// cts-to-self if the channel has stations of 802.11b).
        "protection" protection: Option<Protection>, Kind::Word(Protection::WORDS), [None];
        /// On a channel with stations of 802.11b, the highest basic rate of DSSS: of RTS, CTS and answers to them; 1, 2, 5.5 or 11 Mb/s (11 Mb/s).
        "dsss_basic_rate" dsss_basic_rate: Option<Rate>, Kind::Rate, [None];
        /// On a channel with stations of 802.11b, the preamble of DSSS frames above 1 Mb/s; short where all of these stations have it (long, as
        /// hostapd has it).
        "dsss_preamble" dsss_preamble: Option<Preamble>, Kind::Word(Preamble::WORDS), [None];
        /// Time from one beacon of the access point to the next. Beacons are sent at the lowest basic rate, PIFS after the air falls idle. 102.4 ms
        /// is usual (none: there are no beacons).
        "beacon_interval" beacon_interval: Option<Span>, Kind::Time(Range::between(TIME_UNIT, 65_535.0 * TIME_UNIT)), [None];
        /// Bytes of a beacon, header and check sequence included (300 B).
        "beacon_bytes" beacon_bytes: Option<u32>, Kind::Bytes(Range::between(50.0, 2346.0)), [None];
        /// Time from one broadcast or multicast packet of the access point to the next. All stations of the network are to receive these packets;
        /// they are sent in best effort, and nobody answers (none: there are no such packets).
        "broadcast_interval" broadcast_interval: Option<Span>, Kind::Time(Range::POSITIVE), [None];
        /// Bytes of a broadcast or multicast packet (300 B).
        "broadcast_bytes" broadcast_bytes: Option<u32>, Kind::Bytes(Range::between(1.0, 2296.0)), [None];
        /// Rate of broadcast and multicast packets: one of 802.11a's rates, or on a channel with stations of 802.11b one of theirs (the lowest basic
        /// rate).
        "broadcast_rate" broadcast_rate: Option<Rate>, Kind::Rate, [None];
        /// Whose rules determine the durations of PPDUs: the standard's, or ns-3's, which leave some terms out (standard).
        "ppdu_timing" ppdu_timing: Option<Timing>, Kind::Word(Timing::WORDS), [None];
    }
}

/// Frames that an access point sends to all stations now and then, without an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Announcement {
    /// Whether the frames are beacons or broadcasts.
    pub kind: AnnouncementKind,
    /// Time from one frame to the next.
    pub interval: Span,
    /// Bytes of a beacon, header and check sequence included, or of a broadcast packet.
    pub bytes: u32,
    /// Rate of the frames; `None`: the lowest basic rate.
    pub rate: Option<Rate>,
}

words! {
    /// A kind of [`Announcement`].
    pub enum AnnouncementKind {
        /// Beacons.
        Beacon = "beacon",
        /// Broadcast or multicast packets.
        Broadcast = "broadcast",
    }
}

words! {
    /// What goes before PPDUs that some stations of the network are too old to decode (IEEE 802.11-2020, 10.27).
    pub enum Protection {
        /// Nothing: all stations obey the length in the legacy preamble.
        None = "none",
        /// A CTS to the sender itself.
        CtsToSelf = "cts-to-self",
        /// An RTS/CTS exchange.
        RtsCts = "rts-cts",
    }
}

words! {
    /// Which of the frames whose beginning it senses a station decodes.
    pub enum Reception {
        /// Frames during which it senses no other.
        Alone = "alone",
        /// All frames, whatever disturbs them.
        Threshold = "threshold",
        /// One frame at a time, as its power over noise and the other frames lets it. A frame that is 10 dB stronger than the one under way takes its
        /// place.
        Sinr = "sinr",
    }
}

settings! {
    /// What the stations of a network sense and decode, where they have places; and the space between them.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct SenseSettings[usual] {
        /// Distance between walls: a path of d metres passes d over this many walls, where `walls` does not give their number (none).
        "wall_spacing" wall_spacing: Option<f64>, Kind::Length(Range::POSITIVE), [None];
        /// Distance between floors: a path of d metres passes d over this many floors, where `floors` does not give their number (none).
        "floor_spacing" floor_spacing: Option<f64>, Kind::Length(Range::POSITIVE), [None];
        /// Power from which on stations sense a frame whose beginning they hear.
        "carrier_sense" carrier_sense: f64, Kind::Power(Range::between(-120.0, 0.0)), [-82.0];
        /// Power of all frames on the air from which on stations sense it busy.
        "energy_detect" energy_detect: f64, Kind::Power(Range::between(-120.0, 0.0)), [-62.0];
        /// Power from which on stations sense a frame of another network whose beginning they hear (as `carrier_sense`). Stations then send with 21
        /// dBm at most, less the distance of this level from -82 dBm (IEEE 802.11ax-2021, 26.10.2.4).
        "obss_pd" obss_pd: Option<f64>, Kind::Power(Range::between(LOWEST_OBSS_PD, -62.0)), [None];
        /// Which of the frames that they sense stations decode.
        "reception" reception: Reception, Kind::Word(Reception::WORDS), [Reception::Sinr];
    }
}

/// The air between stations that have places.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Radio {
    /// How power falls with distance.
    pub path_loss: PathLoss,
    /// Walls and floors, and what stations sense.
    pub sense: SenseSettings,
}

impl Radio {
    /// Returns the power in dBm with which frames from one place arrive at another.
    pub fn level(&self, from: Place, to: Place) -> f64 {
        from.tx_power - self.path_loss.over(&self.sense.path(from.distance(to)))
    }
}

impl SenseSettings {
    /// Returns the path over a distance in metres, with the mean number of walls and floors on it.
    pub fn path(&self, distance: f64) -> Path {
        let crossed = |spacing: Option<f64>| spacing.map_or(0.0, |spacing| distance / spacing);
        Path { distance, walls: crossed(self.wall_spacing), floors: crossed(self.floor_spacing) }
    }

    /// Returns the power in dBm with which a station that could send with `tx_power` sends.
    pub fn allowed_power(&self, tx_power: f64) -> f64 {
        self.obss_pd.map_or(tx_power, |level| tx_power.min(HIGHEST_POWER - (level - LOWEST_OBSS_PD)))
    }
}

/// TX_PWR_ref of stations with up to two streams, in dBm (IEEE 802.11ax-2021, 26.10.2.4).
const HIGHEST_POWER: f64 = 21.0;
/// OBSS_PD_min in dBm (IEEE 802.11ax-2021, 26.10.2.4).
const LOWEST_OBSS_PD: f64 = -82.0;

settings! {
    /// Where a station is.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct PlaceSettings[usual] {
        /// Place from west to east. Where all stations and access points on a channel have places, those that are far apart do not hear each other
        /// (all hear each other).
        "x" x: Option<f64>, Kind::Length(Range::between(-1e5, 1e5)), [None];
        /// Place from south to north (0 m).
        "y" y: Option<f64>, Kind::Length(Range::between(-1e5, 1e5)), [None];
    }
}

settings! {
    /// A station's generation.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct GenerationSettings[usual] {
        /// Standard of the station, if it is older than the network's. Frames from the station and to it are of that standard, with as much of the
        /// width, streams and scheme as it has (the network's). With a station of `802.11b`, at 2.4 GHz, the network has long slots.
        "standard" standard: Option<Standard>, Kind::Word(Standard::WORDS), [None];
    }
}

settings! {
    /// A station's share of the air.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct ShareSettings[usual] {
        /// Airtime of frames to the station in proportion to other stations', where the access point's discipline shares the air: `airtime_drr` and
        /// `mac80211`, with EDCA above a driver with a limit. Beside `aql`, whose limits know no weights, it has hardly any effect.
        "airtime_weight" airtime_weight: u32, Kind::Count(Range::between(1.0, u16::MAX as f64), "shares"), [AIRTIME_WEIGHT as u32];
    }
}

/// Where a station is, and the power that it sends with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Place from west to east, in metres.
    pub x: f64,
    /// Place from south to north, in metres.
    pub y: f64,
    /// Power that the station sends with, in dBm.
    pub tx_power: f64,
}

impl Place {
    /// Returns the distance between two places, in metres.
    pub fn distance(self, other: Place) -> f64 {
        libm::hypot(self.x - other.x, self.y - other.y)
    }
}

settings! {
    /// The channel access parameters of one access category.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct EdcaSettings[usual] {
        /// Slots between SIFS and the first slot that counts (the standard's).
        "aifsn" aifsn: Option<u32>, Kind::Count(Range::between(1.0, 15.0), "slots"), [None];
        /// First contention window (the standard's).
        "cw_min" cw_min: Option<u32>, Kind::Count(Range::between(0.0, 32767.0), "slots"), [None];
        /// Largest contention window (the standard's, at least `cw_min`).
        "cw_max" cw_max: Option<u32>, Kind::Count(Range::between(0.0, 32767.0), "slots"), [None];
        /// Longest time that a station keeps the air; zero: one PPDU (the standard's).
        "txop" txop: Option<Span>, Kind::Time(Range::between(0.0, 0.008_16)), [None];
    }
}

settings! {
    /// How a network with EDCA sends (802.11n and later): settings of all stations, or of one station and the access point's frames to it.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct QosSettings[usual] {
        /// Width of the channel (20 MHz).
        "width" width: Option<Width>, Kind::Word(Width::WORDS), [None];
        /// Number of spatial streams (1).
        "nss" nss: Option<u32>, Kind::Count(Range::between(1.0, 8.0), "streams"), [None];
        /// Modulation and coding scheme of data frames (7), or with `rate_control` the highest one (the standard's). 802.11n's index, which counts
        /// the streams too, is `mcs` + 8 (`nss` - 1). With 802.11a, b and g it is the place among their rates, the lowest being 0 (the highest).
        "mcs" mcs: Option<u32>, Kind::Count(Range::between(0.0, 13.0), "schemes"), [None];
        /// Guard interval (800 ns).
        "guard_interval" guard_interval: Option<Span>, Kind::Time(Range::POSITIVE), [None];
        /// Most bytes of an A-MPDU; with zero each frame is sent alone and has an ACK of its own (the standard's most).
        "ampdu" ampdu: Option<u32>, Kind::Bytes(Range::between(0.0, u32::MAX as f64)), [None];
        /// Longest duration of the PPDU of an A-MPDU; a single MPDU may take longer (5.484 ms, the standard's). Linux's ath9k has 4 ms.
        "ampdu_duration" ampdu_duration: Option<Span>, Kind::Time(Range::POSITIVE.at_most(0.005_484)), [None];
        /// Most bytes of an A-MSDU; with zero there are none (0 B). 802.11n allows 7,935 B, and 4,065 B in an A-MPDU; a larger value counts as the
        /// limit.
        "amsdu" amsdu: Option<u32>, Kind::Bytes(Range::between(0.0, 11_454.0)), [None];
        /// Most MPDUs of a block ack (64, with 802.11ax 256, with 802.11be 1024; a larger value counts as the limit).
        "block_ack_window" block_ack_window: Option<u32>, Kind::Count(Range::between(1.0, 1024.0), "MPDUs"), [None];
        /// Access category of packets whose flow names neither one nor a `dscp` (be).
        "access_category" access_category: Option<AccessCategory>, Kind::Word(AccessCategory::WORDS), [None];
        /// Slots between SIFS and the first slot that counts, in the category `access_category` (the standard's).
        "aifsn" aifsn: Option<u32>, Kind::Count(Range::between(1.0, 15.0), "slots"), [None];
        /// Longest time that a station keeps the air in the category `access_category`; zero: one PPDU (the standard's).
        "txop" txop: Option<Span>, Kind::Time(Range::between(0.0, 0.008_16)), [None];
        /// Most frames in the driver's queue, for all receivers together (as many as the interface queue holds).
        "driver_queue" driver_queue: Option<u32>, Kind::Count(Range::between(1.0, u32::MAX as f64), "frames"), [None];
        /// Most aggregates in the driver's queue, the one on the air included, each of `ampdu_duration` or of 4 ms; ath9k has two (none).
        "driver_aggregates" driver_aggregates: Option<u32>, Kind::Count(Range::between(1.0, u32::MAX as f64), "aggregates"), [None];
        /// Airtime from which on the driver takes no more frames for a receiver: mac80211's airtime queue limit (AQL), which is 12 ms in Linux
        /// (none). Only `mac80211` and `airtime_drr` can hold a receiver's packets back; from other queues the driver takes all.
        "aql" aql: Option<Span>, Kind::Time(Range::POSITIVE), [None];
        /// Limit that holds instead of `aql` while all receivers together have `aql_total` or more (5 ms, at most `aql`).
        "aql_low" aql_low: Option<Span>, Kind::Time(Range::POSITIVE), [None];
        /// Airtime of all receivers together from which on `aql_low` holds instead of `aql` (24 ms).
        "aql_total" aql_total: Option<Span>, Kind::Time(Range::POSITIVE), [None];
    }
}

settings! {
    /// How strong frames arrive, in networks with EDCA: settings of all stations, or of one station. The network's `tx_power` and `noise_figure` are
    /// the access point's, too.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct RadioSettings[usual] {
        /// Signal-to-noise ratio of frames from the station and to it; noise destroys some (none: noise destroys nothing).
        "snr" snr: Option<f64>, Kind::Level(Range::between(-50.0, 100.0)), [None];
        /// Distance from the access point, from which the signal-to-noise ratio follows (none: noise destroys nothing).
        "distance" distance: Option<f64>, Kind::Length(Range::between(0.0, 100_000.0)), [None];
        /// Whether the signal-to-noise ratio is constant, is lower at times (two-state), or goes up and down step by step (random-walk). It varies in
        /// both directions together (constant).
        "snr_variation" snr_variation: Option<SnrVariationKind>, Kind::Word(SnrVariationKind::WORDS), [None];
        /// `two-state`: how much lower the signal-to-noise ratio is at times. `random-walk`: the furthest that its steps lead from where it began (10
        /// dB).
        "fade_depth" fade_depth: Option<f64>, Kind::Level(Range::between(0.0, 100.0)), [None];
        /// `two-state`: mean time at the full ratio, which comes first; exponential (1 s).
        "fade_mean_good" fade_mean_good: Option<Span>, Kind::Time(Range::POSITIVE), [None];
        /// `two-state`: mean time at the lower ratio; exponential (100 ms).
        "fade_mean_bad" fade_mean_bad: Option<Span>, Kind::Time(Range::POSITIVE), [None];
        /// `random-walk`: size of a step, up or down (1 dB).
        "fade_step" fade_step: Option<f64>, Kind::Level(Range::between(0.01, 100.0)), [None];
        /// `random-walk`: time from one step to the next (100 ms).
        "fade_interval" fade_interval: Option<Span>, Kind::Time(Range::POSITIVE), [None];
        /// How a signal fades with the distance (residential).
        "path_loss" path_loss: Option<PathLossModel>, Kind::Word(PathLossModel::WORDS), [None];
        /// The power of the distance with which a signal fades, in the model log-distance (3).
        "path_loss_exponent" path_loss_exponent: Option<f64>, Kind::Number(Range::between(1.0, 10.0)), [None];
        /// Walls between a station and its access point, in the models residential and enterprise; a fraction stands for a mean (0).
        "walls" walls: Option<f64>, Kind::Number(Range::between(0.0, 100.0)), [None];
        /// Floors between a station and its access point, in the model residential; a fraction stands for a mean (0).
        "floors" floors: Option<f64>, Kind::Number(Range::between(0.0, 100.0)), [None];
        /// Who chooses the modulation and coding scheme of each PPDU, up to `mcs` (fixed).
        "rate_control" rate_control: Option<RateControl>, Kind::Word(RateControl::WORDS), [None];
        /// Power of the transmitter (20 dBm).
        "tx_power" tx_power: Option<f64>, Kind::Power(Range::between(-50.0, 50.0)), [None];
        /// Noise that the receiver adds to that of the air (7 dB).
        "noise_figure" noise_figure: Option<f64>, Kind::Level(Range::between(0.0, 50.0)), [None];
    }
}

/// The [`RadioSettings`] that say how a signal fades over a distance.
pub const FADING: [&str; 6] =
    ["path_loss", "path_loss_exponent", "walls", "floors", "tx_power", "noise_figure"];

/// A station's EDCA and aggregation.
#[derive(Clone, Debug, PartialEq)]
pub struct QosConfig {
    /// Mode of the station's data frames.
    pub mode: Mode,
    /// Mode of the access point's data frames to the station; of no effect at the access point.
    pub ap_mode: Mode,
    /// Access parameters, in the order of [`AccessCategory`].
    pub edca: [EdcaParameters; 4],
    /// The access category of frames that do not name one.
    pub category: AccessCategory,
    /// How many frames the station's driver takes from the interface queue.
    pub driver: DriverQueue,
    /// How the station and the access point aggregate frames for each other; of no effect at the access point.
    pub aggregation: Aggregation,
    /// Who chooses the mode of the station's data frames, and of the access point's to it; of no effect at the access point. `mode` and `ap_mode` are
    /// the fastest ones unless rate control is fixed.
    pub rate_control: RateControl,
    /// How well the station and the access point hear each other; `None`: noise destroys nothing. Of no effect at the access point.
    pub snr: Option<LinkSnr>,
    /// Signal-to-noise ratio over time, the same at both ends, in the order of the times; empty: as `snr` has it.
    pub snr_trace: Arc<[SnrPoint]>,
}

words! {
    /// The kinds of [`SnrVariation`], and its absence.
    pub enum SnrVariationKind {
        /// The ratio does not vary.
        Constant = "constant",
        /// At times the ratio is lower by `fade_depth`; both states last exponential times.
        TwoState = "two-state",
        /// The ratio goes up or down by `fade_step` at every `fade_interval`, with the same chance.
        RandomWalk = "random-walk",
    }
}

words! {
    /// Who chooses the mode of a data frame.
    pub enum RateControl {
        /// Nobody: all data frames have one mode.
        Fixed = "fixed",
        /// A sender that knows the signal-to-noise ratio: it takes the mode with the largest product of rate and share of MPDUs that arrive.
        Ideal = "ideal",
        /// A sender that learns from the frames that arrive: minstrel_ht, as in Linux.
        Minstrel = "minstrel",
    }
}

/// The signal-to-noise ratios between a station and its access point at the start, in dB.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkSnr {
    /// Ratio at the access point, in dB.
    pub up: f64,
    /// Ratio at the station, in dB.
    pub down: f64,
    /// How both ratios vary together; `None`: they are constant.
    pub variation: Option<SnrVariation>,
}

/// How a station aggregates frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aggregation {
    /// Most bytes of an A-MPDU; zero: each frame is sent alone and has an ACK of its own.
    pub ampdu: u32,
    /// Longest duration of the PPDU of an A-MPDU, unless a single MPDU takes longer; `None`: the standard's.
    pub duration: Option<Span>,
    /// Most bytes of an A-MSDU; zero: there are none.
    pub amsdu: u32,
    /// Number of MPDUs that a block ack covers.
    pub window: u32,
}

impl Aggregation {
    /// Returns the number of bits of a block ack's bitmap: the fewest that hold the window (IEEE 802.11-2020, 9.3.1.8.2; 802.11be-2024).
    pub(crate) fn bitmap_bits(&self) -> u32 {
        [64, 256, 512].into_iter().find(|&bits| self.window <= bits).unwrap_or(1024)
    }
}

/// How many frames a driver takes from the interface queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriverQueue {
    /// A maximum number of frames for all receivers together.
    Frames(u32),
    /// Frames for a number of aggregates, each of about this airtime.
    Aggregates {
        /// Largest number of aggregates, the one on the air included.
        most: u32,
        /// Airtime of an aggregate.
        airtime: Span,
    },
    /// A maximum airtime for each receiver (mac80211's AQL).
    Airtime {
        /// Airtime of each receiver from which on the driver takes no more, while all receivers together have `total` or more.
        low: Span,
        /// Airtime of each receiver from which on the driver takes no more, while all receivers together have less than `total`.
        high: Span,
        /// Airtime of all receivers together from which on the limit is `low`.
        total: Span,
    },
}

impl DriverQueue {
    /// Whether airtime limits the driver's queue.
    #[inline]
    pub(crate) fn counts_airtime(self) -> bool {
        !matches!(self, DriverQueue::Frames(_))
    }

    /// Whether airtime limits each receiver. Frames then leave the driver's queue in the order in which it took them, as aggregates allow, and count
    /// in the turns of the interface queue.
    #[inline]
    pub(crate) fn limits_airtime(self) -> bool {
        matches!(self, DriverQueue::Airtime { .. })
    }

    /// Returns the number of aggregates that the frames for one receiver make, which have `taken` this airtime; zero where aggregates do not limit
    /// the queue.
    #[inline]
    pub(crate) fn aggregates(self, taken: Span) -> u64 {
        match self {
            DriverQueue::Aggregates { airtime, .. } => taken.0.div_ceil(airtime.0),
            DriverQueue::Frames(_) | DriverQueue::Airtime { .. } => 0,
        }
    }

    /// Whether receivers have less room once the airtime of all has risen from `before` to `after`.
    pub(crate) fn tightens(self, before: Span, after: Span) -> bool {
        matches!(self, DriverQueue::Airtime { total, .. } if before < total && after >= total)
    }

    /// Whether the driver takes more frames for a receiver whose frames have this `airtime`, while those of all receivers have the airtime `all`.
    pub(crate) fn affords(self, airtime: Span, all: Span) -> bool {
        match self {
            DriverQueue::Frames(_) | DriverQueue::Aggregates { .. } => true,
            DriverQueue::Airtime { low, high, total } => airtime < if all < total { high } else { low },
        }
    }
}
