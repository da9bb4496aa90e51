//! Latin-hypercube samples: few points that cover every axis evenly.

use airfair_core::Stream;

/// `samples` points in the unit cube of so many `dimensions`: along each dimension one point lies in each of `samples`
/// equal parts, at a random place in it (McKay, Beckman & Conover, "A comparison of three methods for selecting values of
/// input variables", 1979). Each dimension has a random stream of its own, so that a new one changes no other.
pub fn latin_hypercube(samples: usize, dimensions: usize, seed: u64) -> Vec<Vec<f64>> {
    (0..dimensions).map(|dimension| column(samples, &mut Stream::new(seed, &name(dimension)))).collect()
}

fn name(dimension: usize) -> String {
    format!("latin hypercube {dimension}")
}

/// The coordinates of all points along one dimension.
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
            for column in latin_hypercube(17, 3, seed) {
                let mut parts: Vec<usize> = column.iter().map(|at| (at * 17.0) as usize).collect();
                parts.sort_unstable();
                assert_eq!(parts, (0..17).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn the_seed_decides_and_dimensions_are_independent() {
        let first = latin_hypercube(8, 2, 1);
        assert_eq!(first, latin_hypercube(8, 3, 1)[..2]);
        assert_ne!(first, latin_hypercube(8, 2, 2));
        assert_ne!(first[0], first[1]);
        assert!(latin_hypercube(0, 1, 1)[0].is_empty());
    }
}
