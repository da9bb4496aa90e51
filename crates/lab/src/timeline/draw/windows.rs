//! The panel of congestion windows.

use super::scene::{Column, People, Scaled, kind_of, spread};
use super::svg::{self, attributes};
use crate::readable::general;
use crate::theme::{GREYS, INK, QUIET, shades};
use crate::timeline::{Crowd, FlowWindow};
use airfair_scenario::resolved::TrafficKind;

/// Windows that go further beyond the receiver's than this are cut off: they have no effect there.
const BEYOND: f64 = 1.25;
const PERSISTENT: &str = TrafficKind::Persistent.word();

/// A name at the end of a line: the line's y, itself, the line's colour.
type Name<'a> = (f64, String, &'a str);
/// Between a line's end and its name.
const LEAD: (f64, f64) = (1.0, 7.0);

/// Windows of all flows: those that wake up stand out, many persistent ones are a band.
pub struct Windows {
    /// The numbers on its left.
    pub scale: Scaled,
    /// The receivers' window, where it is drawn: if it is one, and not far above the rest.
    pub limit: Option<f64>,
}

impl Windows {
    /// The scale that all columns share.
    pub fn new(columns: &[Column<'_>]) -> Windows {
        let shown = || columns.iter().map(|column| column.shown);
        let values = shown().flat_map(|run| &run.windows).flat_map(|window| &window.steps.value);
        let highs = shown().flat_map(|run| &run.crowds).flat_map(|crowd| &crowd.high);
        let most = values.chain(highs).copied().max_by(f64::total_cmp);
        let mut top = most.unwrap_or(1.0) * 1.1;
        let mut limits: Vec<_> =
            shown().flat_map(|run| &run.flows).filter_map(|flow| flow.receive_window).collect();
        limits.sort_unstable();
        limits.dedup();
        let largest = limits.last().map(|&limit| f64::from(limit));
        if let Some(largest) = largest.filter(|largest| top > BEYOND * largest) {
            top = BEYOND * largest;
        }
        let limit = largest.filter(|&largest| limits.len() == 1 && largest <= top);
        Windows { scale: Scaled { height: 118.0, top }, limit }
    }

    /// The lines, with the flows' names at their ends.
    pub fn draw(&self, column: &Column<'_>, people: &People<'_>, y: f64) -> String {
        let mut parts = self.scale.grid(column, y);
        let mut names: Vec<Name<'_>> = Vec::new();
        if let Some(limit) = self.limit {
            let at = self.scale.y(limit, y);
            let dashed = attributes!["stroke-width": 1.0, "stroke-dasharray": "5 3"];
            parts += &svg::line((column.left, at), (column.right, at), INK, dashed);
            names.push((at, format!("receiver's {}", general(limit, 6)), INK));
        }
        for crowd in &column.shown.crowds {
            parts += &self.crowd(column, people, crowd, y, &mut names);
        }
        let is_muted = |window: &FlowWindow| {
            let user = people.of_flow(&window.flow);
            people.is_quiet(user) || people.is_asleep(user)
        };
        let mut windows: Vec<_> = column.shown.windows.iter().collect();
        windows.sort_by_key(|window| !is_muted(window));
        for window in windows {
            parts += &self.line(column, people, window, is_muted(window), y, &mut names);
        }
        names.sort_by(|a, b| a.0.total_cmp(&b.0));
        let room = (self.scale.height / 12.0) as usize;
        let shown: Vec<_> = names.iter().step_by(names.len().div_ceil(room).max(1)).collect();
        let places: Vec<f64> = shown.iter().map(|name| name.0).collect();
        let places = spread(&places, 12.0, y - 2.0, y + self.scale.height);
        for (at, (end, name, colour)) in places.into_iter().zip(shown) {
            let [from, to] = [LEAD.0, LEAD.1].map(|after| column.right + after);
            parts += &svg::line((from, *end), (to, at), colour, attributes!["stroke-width": 1.5]);
            parts += &svg::text(to + 3.0, at + 4.0, name, 11.0, INK, &[]);
        }
        parts
    }

    fn line(
        &self,
        column: &Column<'_>,
        people: &People<'_>,
        window: &FlowWindow,
        muted: bool,
        y: f64,
        names: &mut Vec<Name<'_>>,
    ) -> String {
        let user = people.of_flow(&window.flow);
        let xs: Vec<f64> = window.steps.time.iter().map(|&time| column.x(time)).collect();
        let ys: Vec<f64> = window.steps.value.iter().map(|&value| self.scale.y(value, y)).collect();
        let (Some(&last), Some(&value)) = (ys.last(), window.steps.value.last()) else {
            return String::new();
        };
        let colour = if muted { GREYS[0] } else { people.colour(user) };
        let beyond = if value > self.scale.top { " ↑" } else { "" };
        if !muted {
            names.push((last, format!("{}{beyond}", window.flow), colour));
        } else if people.is_quiet(user) && !names.iter().any(|(_, name, _)| name.starts_with(PERSISTENT)) {
            names.push((last, format!("{PERSISTENT}{beyond}"), colour));
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
        if let Some(&last) = median.last() {
            names.push((last, words, stroke));
        }
        let steps = xs.len().saturating_sub(1);
        svg::area(&xs, &low[..steps], &high[..steps], fill, &tip, attributes!["fill-opacity": 0.6])
            + &svg::steps(&xs, &median, column.right, stroke, 1.3, &tip)
    }
}
