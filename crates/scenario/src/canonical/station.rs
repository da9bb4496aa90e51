//! A wireless station.

use airfair_wifi::phy::edca::EdcaParameters;
use airfair_wifi::phy::mode::Mode;
use airfair_wifi::phy::signal::SnrVariation;
use airfair_wifi::{
    Aggregation, DriverQueue, LinkSnr, Place, QosConfig, RateControl, SnrPoint, StationConfig,
};

use super::text::{Canonical, list, object, objects, sorted, variants};

impl Canonical for QosConfig {
    fn text(&self) -> String {
        let QosConfig { mode, ap_mode, edca, category, driver, aggregation, rate_control, snr, snr_trace } =
            self;
        let mut entries = vec![
            ("access_category", category.text()),
            ("aggregation", aggregation.text()),
            ("ap_mode", ap_mode.text()),
            ("driver", driver.text()),
            ("edca", edca.text()),
            ("mode", mode.text()),
        ];
        let is_fixed = *rate_control == RateControl::Fixed;
        entries.extend((!is_fixed).then(|| ("rate_control", rate_control.word().text())));
        entries.extend(snr.map(|snr| ("snr", snr.text())));
        let is_traced = !snr_trace.is_empty();
        entries.extend(is_traced.then(|| ("snr_trace", list(snr_trace.iter().map(Canonical::text)))));
        sorted(entries)
    }
}

impl Canonical for LinkSnr {
    fn text(&self) -> String {
        let LinkSnr { up, down, variation } = self;
        let mut entries = vec![("down_db", down.text()), ("up_db", up.text())];
        entries.extend(variation.map(|variation| ("variation", variation.text())));
        sorted(entries)
    }
}

impl Canonical for Mode {
    fn text(&self) -> String {
        // The PHY of the network has the preamble already.
        let &Mode { standard, band, width, nss, mcs, guard_interval, timing, dsss_preamble: _ } = self;
        object([
            ("band", band.word().text()),
            ("guard_interval_ns", guard_interval.text()),
            ("mcs", u32::from(mcs).text()),
            ("nss", u32::from(nss).text()),
            ("standard", standard.word().text()),
            ("timing", timing.word().text()),
            ("width_mhz", width.mhz().text()),
        ])
    }
}

impl Canonical for EdcaParameters {
    fn text(&self) -> String {
        let &EdcaParameters { aifsn, cw_min, cw_max, txop } = self;
        object([
            ("aifsn", u32::from(aifsn).text()),
            ("cw_max", cw_max.text()),
            ("cw_min", cw_min.text()),
            ("txop_ns", txop.text()),
        ])
    }
}

objects! {
    StationConfig {
        ap_data_rate "ap_data_rate_bps", data_rate "data_rate_bps", loss "loss", name "name", queue "queue";
        hears "hears", place "place", qos "qos"
    }
    Place { tx_power "tx_power_dbm", x "x_m", y "y_m"
    }
    SnrPoint { from "from_ns", snr "snr_db" }
    Aggregation { ampdu "ampdu_bytes", amsdu "amsdu_bytes", window "block_ack_window"; duration "ampdu_duration_ns" }
}

variants! {
    SnrVariation {
        TwoState { depth "fade_db", mean_bad "mean_bad_ns", mean_good "mean_good_ns" },
        RandomWalk { depth "depth_db", interval "interval_ns", step "step_db" } }
    DriverQueue {
        Frames(frames "frames"),
        Aggregates { airtime "aggregate_ns", most "aggregates" },
        Airtime { high "high_ns", low "low_ns", total "total_ns" } }
}
