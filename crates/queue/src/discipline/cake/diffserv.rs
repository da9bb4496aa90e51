//! Tins by code point (tc-cake(8)).

/// A tin of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Class {
    /// Divisor of the rate: up to the rate divided by this, the tin goes before those of lower priority.
    pub divisor: u64,
    /// Code points of the tin. Code points of no tin belong to best effort.
    code_points: &'static [u8],
}

const BEST_EFFORT: Class = Class { divisor: 1, code_points: &[] };

const BULK: Class = Class { divisor: 16, code_points: &[1, 8] };

/// Best effort, bulk (LE, CS1) and voice (VA, EF, CS6, CS7, and 4, the low delay of RFC 1349), the highest priority last.
const DIFFSERV3: [Class; 3] = [BEST_EFFORT, BULK, Class { divisor: 4, code_points: &[4, 44, 46, 48, 56] }];

/// Best effort, bulk, video (CS2, AF2x, CS3, AF3x, AF4x, and 4) and voice (CS4, CS5, VA, EF, CS6, CS7), the highest priority last:
/// bulk is sure of its sixteenth, and best effort has what the others leave.
const DIFFSERV4: [Class; 4] = [
    BEST_EFFORT,
    BULK,
    Class { divisor: 2, code_points: &[4, 16, 18, 20, 22, 24, 26, 28, 30, 34, 36, 38] },
    Class { divisor: 4, code_points: &[32, 40, 44, 46, 48, 56] },
];

/// Returns the set of tins of this name.
pub(super) fn classes(name: &str) -> &'static [Class] {
    match name {
        "diffserv3" => &DIFFSERV3,
        "diffserv4" => &DIFFSERV4,
        _ => &[BEST_EFFORT],
    }
}

/// Returns the place of the tin for this code point.
pub(super) fn place(classes: &[Class], dscp: u8) -> usize {
    classes.iter().position(|class| class.code_points.contains(&dscp)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_points_have_their_tins() {
        let tins = |name, points: &[u8]| -> Vec<usize> {
            points.iter().map(|&dscp| place(classes(name), dscp)).collect()
        };
        // LE, CS1; DF, AF11, AF13; CS2, AF21, CS3, AF43, low delay; CS4, CS5, VA, EF, CS6, CS7.
        let points = [1, 8, 0, 10, 14, 16, 18, 24, 38, 4, 32, 40, 44, 46, 48, 56];
        assert_eq!(tins("diffserv4", &points), [1, 1, 0, 0, 0, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3]);
        assert_eq!(tins("diffserv3", &points), [1, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 2, 2, 2, 2]);
        assert_eq!(tins("besteffort", &points), [0; 16]);
    }
}
