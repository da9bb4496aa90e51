//! Statistics over seeds: computed in Rust, so that they are the same everywhere.

use crate::errors::input_error;
use airfair_metrics::Estimate;
use pyo3::prelude::*;

type MeanAndInterval = (f64, Option<f64>, Option<f64>);

/// Return the mean of `values` and the ends of its 95 % confidence interval by Student's t, in the unit of the values.
///
/// Both ends are `None` for a single value. Raises `InputError` if there are no values, or one is not finite.
#[pyfunction]
pub fn mean_ci95(values: Vec<f64>) -> PyResult<MeanAndInterval> {
    airfair_metrics::estimate(&values).map(unpacked).map_err(input_error)
}

/// Return the mean of `values_a[i] - values_b[i]` and the ends of its 95 % confidence interval, in the unit of the values.
///
/// Entry i of both lists must come from the same seed. Both ends are `None` for a single pair. Raises `InputError` for lists
/// of different lengths, empty ones, or a value that is not finite.
#[pyfunction]
pub fn paired_difference(values_a: Vec<f64>, values_b: Vec<f64>) -> PyResult<MeanAndInterval> {
    airfair_metrics::paired_difference(&values_a, &values_b).map(unpacked).map_err(input_error)
}

fn unpacked(estimate: Estimate) -> MeanAndInterval {
    (estimate.mean, estimate.ci95.map(|(low, _)| low), estimate.ci95.map(|(_, high)| high))
}
