//! The panel of congestion windows.

use super::scene::{Column, People, Scaled, kind_of, spread};
use super::svg::{self, attributes};
use crate::readable::general;
use crate::theme::{GREYS, INK, QUIET, shades};
use crate::timeline::{Crowd, FlowWindow, Timeline};
use airfair_scenario::resolved::TrafficKind;

/// Windows that exceed the receiver's by more than this factor are cut off: they have no effect there.
const BEYOND: f64 = 1.25;
const PERSISTENT: &str = TrafficKind::Persistent.word();
/// Suffix of the name of a line that is cut off.
const BEYOND_TOP: &str = " ↑";

/// A name at the end of a line.
struct Name<'a> {
    /// The y of the end of the line.
    end: f64,
    words: String,
    colour: &'a str,
    /// The largest value of the line: names of the most visible lines are drawn first.
    most: f64,
}

/// Distance of the baselines of names.
const APART: f64 = 12.0;
/// Distances between a line's end and its name.
const LEAD: (f64, f64) = (1.0, 7.0);

/// The panel of windows of flows. Those of flows that are awake stand out, and many persistent ones are a band. Flows whose users
/// sleep all the time shown are left out.
pub struct Windows {
    /// The scale on the left of the panel.
    pub scale: Scaled,
    /// The receivers' window, if it is drawn: when all receivers have the same, and it is not far above the rest.
    pub limit: Option<f64>,
}

impl Windows {
    /// Chooses the scale that all columns share; `None` if none has a window to show.
    pub fn new(columns: &[Column<'_>], people: &People<'_>) -> Option<Windows> {
        let shown = || columns.iter().map(|column| column.shown);
        let values = shown().flat_map(|run| awake(run, people)).flat_map(|window| &window.steps.value);
        let highs = shown().flat_map(|run| &run.crowds).flat_map(|crowd| &crowd.high);
        let mut top = values.chain(highs).copied().max_by(f64::total_cmp)? * 1.1;
        let mut limits: Vec<_> =
            shown().flat_map(|run| &run.flows).filter_map(|flow| flow.receive_window).collect();
        limits.sort_unstable();
        limits.dedup();
        let largest = limits.last().map(|&limit| f64::from(limit));
        if let Some(largest) = largest.filter(|largest| top > BEYOND * largest) {
            top = BEYOND * largest;
        }
        let limit = largest.filter(|&largest| limits.len() == 1 && largest <= top);
        Some(Windows { scale: Scaled { height: 118.0, top }, limit })
    }

    /// Draws the lines, with the flows' names at their ends.
    pub fn draw(&self, column: &Column<'_>, people: &People<'_>, y: f64) -> String {
        let mut parts = self.scale.grid(column, y);
        let mut names: Vec<Name<'_>> = Vec::new();
        if let Some(limit) = self.limit {
            let at = self.scale.y(limit, y);
            let dashed = attributes!["stroke-width": 1.0, "stroke-dasharray": "5 3"];
            parts += &svg::line((column.left, at), (column.right, at), INK, dashed);
            let words = format!("receiver's {}", general(limit, 6));
            names.push(Name { end: at, words, colour: INK, most: f64::INFINITY });
        }
        for crowd in &column.shown.crowds {
            parts += &self.crowd(column, people, crowd, y, &mut names);
        }
        let mut windows: Vec<_> = awake(column.shown, people).collect();
        windows.sort_by_key(|window| !people.is_quiet(people.of_flow(&window.flow)));
        for window in windows {
            parts += &self.line(column, people, window, y, &mut names);
        }
        parts + &self.names(column, names, y)
    }

    /// Draws the names of as many lines as there is room for, those with the largest values first.
    fn names(&self, column: &Column<'_>, mut names: Vec<Name<'_>>, y: f64) -> String {
        let room = (self.scale.height / APART) as usize;
        names.sort_by(|a, b| b.most.total_cmp(&a.most));
        let more = if names.len() > room { names.split_off(room - 1).len() } else { 0 };
        names.sort_by(|a, b| a.end.total_cmp(&b.end));
        let bottom = y + self.scale.height;
        let mut ends: Vec<f64> = names.iter().map(|name| name.end).collect();
        ends.extend((more > 0).then_some(bottom));
        let places = spread(&ends, APART, y - 2.0, bottom);
        let [from, to] = [LEAD.0, LEAD.1].map(|after| column.right + after);
        let mut parts = String::new();
        for (at, Name { end, words, colour, .. }) in places.iter().zip(&names) {
            parts += &svg::line((from, *end), (to, *at), colour, attributes!["stroke-width": 1.5]);
            parts += &svg::text(to + 3.0, at + 4.0, words, 11.0, INK, &[]);
        }
        if let Some(at) = places.last().filter(|_| more > 0) {
            parts += &svg::text(to + 3.0, at + 4.0, &format!("and {more} more"), 11.0, QUIET, &[]);
        }
        parts
    }

    fn line(
        &self,
        column: &Column<'_>,
        people: &People<'_>,
        window: &FlowWindow,
        y: f64,
        names: &mut Vec<Name<'_>>,
    ) -> String {
        let user = people.of_flow(&window.flow);
        let xs: Vec<f64> = window.steps.time.iter().map(|&time| column.x(time)).collect();
        let ys: Vec<f64> = window.steps.value.iter().map(|&value| self.scale.y(value, y)).collect();
        let (Some(&last), Some(&value)) = (ys.last(), window.steps.value.last()) else {
            return String::new();
        };
        let muted = people.is_quiet(user);
        let colour = if muted { GREYS[0] } else { people.colour(user) };
        let most = window.steps.value.iter().copied().fold(value, f64::max);
        let beyond = if value > self.scale.top { BEYOND_TOP } else { "" };
        if !muted {
            names.push(Name { end: last, words: people.called(&window.flow) + beyond, colour, most });
        } else if !names.iter().any(|name| name.words.starts_with(PERSISTENT)) {
            names.push(Name { end: last, words: format!("{PERSISTENT}{beyond}"), colour, most });
        }
        let thick = match (muted, people.mixed) {
            (true, _) => 1.0,
            (_, true) => 2.0,
            _ => 1.4,
        };
        svg::steps(&xs, &ys, column.right, colour, thick, &window.flow)
    }

    fn crowd(
        &self,
        column: &Column<'_>,
        people: &People<'_>,
        crowd: &Crowd,
        y: f64,
        names: &mut Vec<Name<'_>>,
    ) -> String {
        let shades = shades(crowd.direction);
        let (fill, stroke) = if people.mixed { (GREYS[3], QUIET) } else { (shades[3], shades[0]) };
        let xs: Vec<f64> = crowd.time.iter().map(|&time| column.x(time)).collect();
        let [low, median, high] = [&crowd.low, &crowd.median, &crowd.high]
            .map(|values| values.iter().map(|&value| self.scale.y(value, y)).collect::<Vec<_>>());
        let kind = if people.mixed { PERSISTENT } else { kind_of(crowd.direction) };
        let words = format!("{} {kind}", crowd.flows);
        let tip = format!("{words}: the median, and the band that eight in ten are in");
        if let (Some(&end), Some(&value)) = (median.last(), crowd.median.last()) {
            let beyond = if value > self.scale.top { BEYOND_TOP } else { "" };
            let most = crowd.median.iter().copied().fold(value, f64::max);
            names.push(Name { end, words: words + beyond, colour: stroke, most });
        }
        let steps = xs.len().saturating_sub(1);
        svg::area(&xs, &low[..steps], &high[..steps], fill, &tip, attributes!["fill-opacity": 0.6])
            + &svg::steps(&xs, &median, column.right, stroke, 1.3, &tip)
    }
}

/// Returns the windows of flows whose users do not sleep all the time shown.
fn awake<'a>(shown: &'a Timeline, people: &People<'_>) -> impl Iterator<Item = &'a FlowWindow> {
    shown.windows.iter().filter(|window| !people.is_asleep(people.of_flow(&window.flow)))
}
