//! Latin-hypercube samples: few points that cover every axis evenly.

use airfair_core::Stream;

/// Most coordinates of a sample, over all dimensions.
pub const MOST_COORDINATES: usize = 20_000_000;

/// Draws `samples` points in the unit cube of `dimensions` dimensions. Along each dimension, one point lies in each of
/// `samples` equal parts, at a random place in it (McKay, Beckman & Conover, "A comparison of three methods for selecting
/// values of input variables", 1979). Each dimension has a random stream of its own, so that another dimension does not
/// change those before it.
///
/// # Errors
/// A message if the points would have more than [`MOST_COORDINATES`] coordinates.
pub fn latin_hypercube(samples: usize, dimensions: usize, seed: u64) -> Result<Vec<Vec<f64>>, String> {
    // A dimension without samples takes memory as well.
    if samples.max(1).checked_mul(dimensions).is_none_or(|coordinates| coordinates > MOST_COORDINATES) {
        return Err(format!(
            "a sample of {samples} points in {dimensions} dimensions: {MOST_COORDINATES} coordinates are possible at most"
        ));
    }
    Ok((0..dimensions).map(|dimension| column(samples, &mut Stream::new(seed, &name(dimension)))).collect())
}

fn name(dimension: usize) -> String {
    format!("latin hypercube {dimension}")
}

/// Draws the coordinates of all points along one dimension.
fn column(samples: usize, stream: &mut Stream) -> Vec<f64> {
    let mut parts: Vec<usize> = (0..samples).collect();
    for last in (1..samples).rev() {
        parts.swap(last, stream.below(last as u64 + 1) as usize);
    }
    parts.into_iter().map(|part| (part as f64 + stream.unit()) / samples as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_every_dimension_has_one_point() {
        for seed in 0..20 {
            for column in latin_hypercube(17, 3, seed).unwrap() {
                let mut parts: Vec<usize> = column.iter().map(|at| (at * 17.0) as usize).collect();
                parts.sort_unstable();
                assert_eq!(parts, (0..17).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn the_seed_decides_and_dimensions_are_independent() {
        let first = latin_hypercube(8, 2, 1).unwrap();
        assert_eq!(first, latin_hypercube(8, 3, 1).unwrap()[..2]);
        assert_ne!(first, latin_hypercube(8, 2, 2).unwrap());
        assert_ne!(first[0], first[1]);
        assert!(latin_hypercube(0, 1, 1).unwrap()[0].is_empty());
    }

    #[test]
    fn a_sample_that_fills_the_memory_is_refused() {
        for (samples, dimensions) in [(1 << 63, 2), (MOST_COORDINATES + 1, 1), (0, usize::MAX)] {
            assert!(latin_hypercube(samples, dimensions, 1).is_err());
        }
    }
}
