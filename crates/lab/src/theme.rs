//! The colours and the font of all figures on white paper. `python/airfair/theme.py` adapts them to
//! dark pages.

use airfair_scenario::resolved::Direction;

/// Colours of marks in figures: Okabe and Ito's colours without yellow and black, and nine of Paul Tol's "muted" scheme,
/// darkened until each has a contrast of 3 on light pages (WCAG 2, 1.4.11). `tests/test_theme.py` tests that colours that
/// share a figure can be told apart with any colour vision. Shapes and dashes convey the same as colours.
pub const PALETTE: [&str; 16] = [
    "#b53900", "#006eb8", "#0ca35c", "#c96a00", "#c774a3", "#2a95db", "#947433", "#666d78", "#861e51",
    "#332288", "#93932e", "#a33e8e", "#cc6677", "#037538", "#519983", "#6a91c3",
];
/// Colour of the background.
pub const PAPER: &str = "#ffffff";
/// Colour of words and lines.
pub const INK: &str = "#1c2126";
/// Colour of words and lines that should not stand out.
pub const QUIET: &str = "#5b6570";
/// Colour of the lines of a grid.
pub const GRID: &str = "#e3e6ea";
/// Colour of time in which a medium is idle.
pub const EMPTY: &str = "#e8ebee";
/// Colour of the area under a curve.
pub const AREA: &str = "#dfe4e9";
/// Colours of users that transfer all the time beside others that do not.
pub const GREYS: [&str; 4] = ["#838c95", "#bcc3c9", "#a8b0b8", "#d2d7db"];
/// Fonts of all texts.
pub const FONT: &str = "Liberation Sans, Arial, Helvetica, sans-serif";

/// Returns colours for many users: a hue for each direction, in several shades.
pub const fn shades(direction: Direction) -> [&'static str; 5] {
    match direction {
        Direction::Up => ["#1a66a0", "#3a8ac2", "#63a8d5", "#8fc2e3", "#b9daee"],
        Direction::Down => ["#b85410", "#d9752b", "#e9964f", "#f3b680", "#f8d5b3"],
        Direction::Other => ["#3a7d6b", "#5a9c8a", "#82b8a9", "#abd2c7", "#cfe6df"],
    }
}
