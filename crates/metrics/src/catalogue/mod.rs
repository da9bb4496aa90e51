//! The metrics' descriptions: data only.
//!
//! "Up" is from a station towards the wire, "down" towards a station. The measured window is what follows the
//! warm-up. A persistent flow has one unbounded session, an intermittent one has finite sessions.

mod achievement;
mod constant_window;
mod effort;
mod fairness;
mod instantaneous;
mod medium;
mod sender;
mod throughput;

use crate::registry::{Bounds, MetricInfo, Stage};

/// Every metric, group by group.
pub(crate) const GROUPS: &[&[MetricInfo]] = &[
    throughput::METRICS,
    instantaneous::METRICS,
    fairness::METRICS,
    achievement::METRICS,
    effort::METRICS,
    constant_window::METRICS,
    medium::METRICS,
    sender::METRICS,
];

const JUNG: &str = "Jung & Park, \"Instantaneous fairness of TCP in heterogeneous traffic wireless LAN environments\", \
                    Section 3.3, equations (1) to (3).";
const JUNG_OWN: &str = "AirFair's, after Jung & Park, Section 3.3.";
const JAIN: &str = "Jain, Chiu & Hawe, \"A quantitative measure of fairness and discrimination for resource \
                    allocation in shared computer systems\", DEC-TR-301, 1984.";
const LEE: &str = "Lee, Bae, Koo & Chung, \"Measuring achievement of TCP schemes over heterogeneous wireless networks\", \
                   2008, Section 3.";
const MAMATAS: &str =
    "Mamatas & Tsaoussidis, \"Effort/Gains dynamics in heterogeneous networks\", Section 3.";
const BLEFARI: &str = "Blefari-Melazzi, Detti, Ordine & Salsano, \"Controlling TCP Fairness in WLAN access networks using \
                       a Rate Limiter approach\", Fig. 4.";
const BLEFARI_LIMITER: &str =
    "A count of the engine's; the limiter is that of Blefari-Melazzi et al., Section III.";
const GHOSH: &str = "Ghosh, Das, Roy & Mukherjee, \"Constant Congestion Window approach for TCP - effect on Fairness\", \
                     Sections 2.1 and 2.2.";
const STARVED: &str = "AirFair's bounds for what Blefari-Melazzi et al. call starvation.";
const BIANCHI: &str = "After Bianchi, \"Performance analysis of the IEEE 802.11 distributed coordination function\", 2000, \
                       Section IV.";
const COUNT: &str = "A count of the engine's.";
const GOODPUT: &str = "Usage of the field: RFC 2647, Section 3.17 (goodput).";

/// What a metric is unless it says otherwise.
const PLAIN: MetricInfo = MetricInfo {
    name: "",
    unit: "1",
    range: ANY,
    larger_is_better: None,
    definition: "",
    source: "",
    note: None,
    counts_once: None,
};

const FRACTION: Bounds = Bounds { low: Some(0.0), high: Some(1.0) };
const FROM_ZERO: Bounds = Bounds { low: Some(0.0), high: None };
const ANY: Bounds = Bounds { low: None, high: None };

const fn rate(name: &'static str, note: &'static str, definition: &'static str) -> MetricInfo {
    MetricInfo {
        name,
        unit: "bit/s",
        range: FROM_ZERO,
        larger_is_better: Some(true),
        definition,
        source: GOODPUT,
        note: Some(note),
        ..PLAIN
    }
}

const fn index(name: &'static str, definition: &'static str, source: &'static str) -> MetricInfo {
    MetricInfo { name, range: FRACTION, larger_is_better: Some(true), definition, source, ..PLAIN }
}

const fn ratio(name: &'static str, definition: &'static str, source: &'static str) -> MetricInfo {
    MetricInfo { name, range: FROM_ZERO, larger_is_better: Some(true), definition, source, ..PLAIN }
}

const fn count(
    name: &'static str,
    unit: &'static str,
    larger_is_better: Option<bool>,
    definition: &'static str,
    source: &'static str,
) -> MetricInfo {
    MetricInfo { name, unit, range: FROM_ZERO, larger_is_better, definition, source, ..PLAIN }
}
