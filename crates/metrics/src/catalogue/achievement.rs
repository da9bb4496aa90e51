//! Achievement (Lee, Bae, Koo & Chung).

use super::*;

pub(super) const METRICS: &[MetricInfo] = &[
    MetricInfo {
        name: "achieved_goodput",
        unit: "bit/s",
        range: FROM_ZERO,
        larger_is_better: Some(true),
        definition: "g: payload acknowledged in the measured window (of UDP: delivered) over its length, summed over all \
                     flows; the paper has one.",
        source: LEE,
        ..PLAIN
    },
    MetricInfo {
        name: "bottleneck_rate",
        unit: "bit/s",
        range: FROM_ZERO,
        larger_is_better: None,
        definition: "b: rate of the slowest link on the way from source to sink. With several flows that link must be on \
                     the way of all. None where a way leads over the air, which has no rate of its own.",
        source: LEE,
        ..PLAIN
    },
    ratio(
        "agi",
        "Achieved goodput index a = g / b, achieved_goodput over bottleneck_rate. At most 1 where the measured window \
         starts with the run; data that arrived during a warm-up and is acknowledged after it can lift it a little above.",
        LEE,
    ),
    ratio(
        "nagi",
        "Normalised achieved goodput index: the mean (a_1 + ... + a_n) / n of agi over a set of networks. A run is a \
         set of one, for which it is agi; a figure or airfair.definitions.nagi takes the mean over more.",
        LEE,
    ),
];
