//! Metrics that are closed forms, for numbers from anywhere: theory beside measurement.

use crate::errors::input_error;
use airfair_core::schema::Settings as _;
use airfair_metrics as metrics;
use airfair_scenario::resolved::Weights;
use pyo3::prelude::*;

/// Return the rate in segments/s at which TCP(alpha, beta) sends in steady state (Yang & Lam 2000).
///
/// `p` is the probability of a loss indication for a segment; `rtt` and `timeout` (the first of a series) are in seconds;
/// alpha is in segments a round trip, beta is the share of the window that is left after a loss. Raises `InputError`.
#[pyfunction]
#[pyo3(signature = (p, rtt, timeout, segments_per_ack=1.0, alpha=1.0, beta=0.5))]
pub fn gaimd_throughput(
    p: f64,
    rtt: f64,
    timeout: f64,
    segments_per_ack: f64,
    alpha: f64,
    beta: f64,
) -> PyResult<f64> {
    metrics::gaimd_throughput(p, rtt, timeout, segments_per_ack, alpha, beta).map_err(input_error)
}

/// Return the alpha in segments with which TCP(alpha, beta) is friendly: `4 (1 - beta^2) / 3`. Raises `InputError`.
#[pyfunction]
pub fn friendly_alpha(beta: f64) -> PyResult<f64> {
    metrics::friendly_alpha(beta).map_err(input_error)
}

/// Return the round trips from one loss to the next, `(1 - beta) window / alpha + 1`; window and alpha in segments. Raises
/// `InputError`.
#[pyfunction]
pub fn congestion_epoch(window: f64, alpha: f64, beta: f64) -> PyResult<f64> {
    metrics::congestion_epoch(window, alpha, beta).map_err(input_error)
}

/// Return a flow's share of a bottleneck's window in segments, `rate rtt / flows`; rate in segments/s. Raises `InputError`.
#[pyfunction]
pub fn window_share(rate: f64, rtt: f64, flows: u32) -> PyResult<f64> {
    metrics::window_share(rate, rtt, flows).map_err(input_error)
}

/// Return the seconds until Jain's index of windows reaches `index` after one flow joins `flows - 1` that fill the
/// bottleneck, by additive increase and multiplicative decrease; `window` is a flow's share in segments. Raises `InputError`.
#[pyfunction]
pub fn predicted_time_to_fairness(
    flows: u32,
    window: f64,
    rtt: f64,
    alpha: f64,
    beta: f64,
    index: f64,
) -> PyResult<f64> {
    metrics::predicted_time_to_fairness(flows, window, rtt, alpha, beta, index).map_err(input_error)
}

/// Return Jain's index of allocations in one unit. Raises `InputError`.
#[pyfunction]
pub fn jain(allocations: Vec<f64>) -> PyResult<f64> {
    metrics::jain(&allocations).map_err(input_error)
}

/// Return the extra energy expenditure. All rates have one unit. `a` weighs data sent in vain, and `b` idle time. The defaults are those of
/// `eee_a` and `eee_b` in scenario files. Raises `InputError`.
#[pyfunction]
#[pyo3(signature = (throughput, goodput, throughput_max, a=usual().eee_a, b=usual().eee_b))]
pub fn eee(throughput: f64, goodput: f64, throughput_max: f64, a: f64, b: f64) -> PyResult<f64> {
    metrics::eee(throughput, goodput, throughput_max, a, b).map_err(input_error)
}

/// Return the unexploited available resources. All rates have one unit. `a` weighs data sent, and `b` data sent to good effect. The defaults
/// are those of `uar_a` and `uar_b` in scenario files. Raises `InputError`.
#[pyfunction]
#[pyo3(signature = (throughput, goodput, throughput_max, a=usual().uar_a, b=usual().uar_b))]
pub fn uar(throughput: f64, goodput: f64, throughput_max: f64, a: f64, b: f64) -> PyResult<f64> {
    metrics::uar(throughput, goodput, throughput_max, a, b).map_err(input_error)
}

/// Returns the weights that a scenario file has unless it sets them.
fn usual() -> Weights {
    Weights::column(0)
}

/// Return the overhead, `1 - goodput / throughput`. Raises `InputError`.
#[pyfunction]
pub fn overhead(throughput: f64, goodput: f64) -> PyResult<f64> {
    metrics::overhead(throughput, goodput).map_err(input_error)
}

/// Return the achieved goodput index, `goodput / bottleneck`. Raises `InputError`.
#[pyfunction]
pub fn agi(goodput: f64, bottleneck: f64) -> PyResult<f64> {
    metrics::agi(goodput, bottleneck).map_err(input_error)
}

/// Return the normalised achieved goodput index: the mean of achieved goodput indices. Raises `InputError`.
#[pyfunction]
pub fn nagi(indices: Vec<f64>) -> PyResult<f64> {
    metrics::nagi(&indices).map_err(input_error)
}
