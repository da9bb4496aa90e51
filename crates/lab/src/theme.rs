//! The colours and the font of all figures on white paper. `python/airfair/theme.py` adapts them to
//! dark pages.

/// Okabe and Ito's colours without yellow and black, and nine of Paul Tol's "muted" scheme: distinguishable with any
/// colour vision. Their shades of grey repeat, so shapes and dashes say the same.
pub const PALETTE: [&str; 16] = [
    "#D55E00", "#0072B2", "#009E73", "#E69F00", "#CC79A7", "#56B4E9", "#8C6D31", "#555555", "#882255",
    "#332288", "#999933", "#AA4499", "#CC6677", "#117733", "#44AA99", "#6699CC",
];
/// The background.
pub const PAPER: &str = "#ffffff";
/// Words and lines.
pub const INK: &str = "#1c2126";
/// Words and lines beside them.
pub const QUIET: &str = "#5b6570";
/// Lines of a grid.
pub const GRID: &str = "#e3e6ea";
/// Time in which a medium is idle.
pub const EMPTY: &str = "#e8ebee";
/// The area under a curve.
pub const AREA: &str = "#dfe4e9";
/// Users that transfer all the time beside others that do not.
pub const GREYS: [&str; 4] = ["#929ba4", "#bcc3c9", "#a8b0b8", "#d2d7db"];
/// Many users: a hue for each direction, in several shades.
pub const SHADES: [(&str, [&str; 5]); 3] = [
    ("up", ["#1a66a0", "#3a8ac2", "#63a8d5", "#8fc2e3", "#b9daee"]),
    ("down", ["#b85410", "#d9752b", "#e9964f", "#f3b680", "#f8d5b3"]),
    ("other", ["#3a7d6b", "#5a9c8a", "#82b8a9", "#abd2c7", "#cfe6df"]),
];
/// Of all texts.
pub const FONT: &str = "Liberation Sans, Arial, Helvetica, sans-serif";

/// The shades of a direction.
pub fn shades(direction: &str) -> &'static [&'static str; 5] {
    let found = SHADES.iter().find(|(name, _)| *name == direction);
    &found.unwrap_or(&SHADES[2]).1
}
