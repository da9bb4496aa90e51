"""Metrics that are closed forms: indices and predictions of published papers, for any numbers.

    from airfair import definitions

    definitions.friendly_alpha(0.875)                                          # 0.3125
    definitions.eee(throughput=9.9e6, goodput=9.4e6, throughput_max=10e6)      # 0.053

Sources and ranges are in `docs/metrics.md`. Raises `InputError` where a definition is undefined.
"""

from airfair._engine import (
    agi,
    congestion_epoch,
    eee,
    friendly_alpha,
    gaimd_throughput,
    jain,
    nagi,
    overhead,
    predicted_time_to_fairness,
    uar,
    window_share,
)

__all__ = [
    "agi",
    "congestion_epoch",
    "eee",
    "friendly_alpha",
    "gaimd_throughput",
    "jain",
    "nagi",
    "overhead",
    "predicted_time_to_fairness",
    "uar",
    "window_share",
]
