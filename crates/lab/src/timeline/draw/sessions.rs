//! The panel of sessions: from the request to the last byte, with the finish at the fair share marked.

use super::scene::{Column, People};
use super::svg::{self, HALO, attributes};
use crate::readable::{general, quantity};
use crate::theme::{INK, QUIET};
use crate::timeline::Bar;

/// Rows that have room for the words below and above their bars, and those that have room beside them.
const SPACIOUS: usize = 3;
const WORDY: usize = 10;
/// Maximum number of rows; a note below the picture counts the sessions left out.
const MOST: usize = 40;

/// A row: a flow, and the place of a session among those of the flow that overlap.
type Row<'a> = (&'a str, usize);

/// A row for each flow with sessions, and more for one whose sessions wait for each other.
pub struct Sessions<'a> {
    rows: Vec<Row<'a>>,
    /// Sessions that are not drawn.
    pub left_out: usize,
    spacious: bool,
    wordy: bool,
    row: f64,
    thick: f64,
}

impl<'a> Sessions<'a> {
    /// The rows that all columns share.
    pub fn new(columns: &[Column<'a>]) -> Sessions<'a> {
        let placed: Vec<_> = columns.iter().map(rows_of).collect();
        let mut starts: Vec<(&str, f64)> = Vec::new();
        for bar in columns.iter().flat_map(|column| column.sessions) {
            match starts.iter_mut().find(|(flow, _)| *flow == bar.session.flow) {
                Some((_, start)) => *start = start.min(bar.session.start),
                None => starts.push((&bar.session.flow, bar.session.start)),
            }
        }
        starts.sort_by(|a, b| a.1.total_cmp(&b.1));
        starts.truncate(MOST);
        let each = (MOST / starts.len().max(1)).max(1);
        let lanes = |flow: &str| {
            let of_column = |rows: &Vec<(Row<'_>, _)>| rows.iter().filter(|((of, _), _)| *of == flow).count();
            placed.iter().map(of_column).max().unwrap_or(0).min(each)
        };
        let rows: Vec<Row<'_>> =
            starts.iter().flat_map(|&(flow, _)| (0..lanes(flow)).map(move |lane| (flow, lane))).collect();
        let all = || placed.iter().flatten();
        let left_out = all().filter(|(row, _)| !rows.contains(row)).map(|(_, bars)| bars.len()).sum();
        let spacious = rows.len() <= SPACIOUS && all().all(|(_, bars)| bars.len() == 1);
        let wordy = rows.len() <= WORDY;
        let (row, thick) = match (spacious, wordy) {
            (true, _) => (56.0, 15.0),
            (_, true) => (26.0, 12.0),
            _ => (12.0, 6.0),
        };
        Sessions { rows, left_out, spacious, wordy, row, thick }
    }

    /// Its height.
    pub fn height(&self) -> f64 {
        self.row * self.rows.len() as f64
    }

    /// The flows' names.
    pub fn labels(&self, x: f64, y: f64) -> String {
        let (size, fill) = if self.wordy { (12.0, INK) } else { (11.0, QUIET) };
        let end = attributes!["text-anchor": "end"];
        let first = self.rows.iter().enumerate().filter(|(_, (_, lane))| *lane == 0);
        first
            .map(|(place, (flow, _))| {
                let at = y + (place as f64 + 0.5) * self.row + 0.34 * size;
                svg::text(x, at, flow, size, fill, &[end])
            })
            .collect()
    }

    /// The bars.
    pub fn draw(&self, column: &Column<'_>, people: &People<'_>, y: f64) -> String {
        let mut parts = String::new();
        for (row, bars) in rows_of(column) {
            let Some(place) = self.rows.iter().position(|known| *known == row) else { continue };
            let middle = y + (place as f64 + 0.5) * self.row;
            for bar in &bars {
                parts += &self.bar(column, people, bar, middle);
            }
            if self.wordy {
                parts += &self.words(column, &bars, middle);
            }
        }
        parts
    }

    fn bar(&self, column: &Column<'_>, people: &People<'_>, bar: &Bar, middle: f64) -> String {
        let (colour, tip, thick) = (people.colour(&bar.user), told(bar), self.thick);
        let (top, end) = (middle - thick / 2.0, column.shown.to);
        let start = bar.session.start;
        let [sent, acked, ideal] = [bar.session.sent, bar.session.acked, bar.session.ideal]
            .map(|after| after.map(|seconds| start + seconds));
        let (x1, x2) = (column.x(start), column.x(sent.unwrap_or(end)));
        let fair = ideal.map_or(x2, |at| column.x(at));
        let tail = column.x(acked.unwrap_or(end));
        let thick_line = attributes!["stroke-width": 2.0];
        let mut parts = svg::rect([x1, top, x2.min(fair) - x1, thick], colour, &tip, &[]);
        if x2 > fair {
            parts +=
                &svg::rect([fair, top, x2 - fair, thick], colour, &tip, attributes!["fill-opacity": 0.42]);
        }
        if tail > x2 {
            parts += &svg::line((x2, middle), (tail, middle), colour, thick_line);
        }
        if acked.is_none_or(|at| at > end) {
            let arrow = format!("M{:.1} {:.1}l7 4.5l-7 4.5z", column.right, middle - 4.5);
            parts += &svg::element("path", &[attributes!["d": &arrow, "fill": colour]], "");
        } else if tail > x2 {
            parts += &svg::line((tail, middle - 4.0), (tail, middle + 4.0), colour, thick_line);
        }
        let in_the_middle = attributes!["text-anchor": "middle"];
        if ideal.is_some_and(|at| column.shown.from <= at && at <= end) {
            let reach = thick * 0.4;
            parts += &svg::line((fair, top - reach), (fair, top + thick + reach), INK, thick_line);
            if let Some(ideal) = bar.session.ideal.filter(|_| self.spacious) {
                let words = format!("fair share {}", quantity(ideal, "s", 3));
                parts += &svg::text(fair, top - reach - 5.0, &words, 11.0, INK, &[in_the_middle, HALO]);
            }
        }
        if let Some(after) = bar.session.sent.filter(|_| self.spacious && sent.is_some_and(|at| at <= end)) {
            let words = format!("sent {}", quantity(after, "s", 3));
            parts += &svg::text(x2, top + thick + 17.0, &words, 11.0, INK, &[in_the_middle, HALO]);
        }
        parts
    }

    /// The result of each session in a row, after its bar or before it; left out if there is no room.
    fn words(&self, column: &Column<'_>, bars: &[&Bar], middle: f64) -> String {
        let size = if self.spacious { 13.0 } else { 12.0 };
        let mut parts = String::new();
        let mut free = column.left;
        for (place, bar) in bars.iter().enumerate() {
            let (start, mut end, goes_on) = extent(column, bar);
            let following = bars.get(place + 1).map(|next| column.x(next.session.start) - 4.0);
            let limit = following.unwrap_or(column.right + 60.0);
            for (loud, quiet) in verdicts(bar) {
                let room = svg::width(&format!("{loud}{quiet}"), size) + 10.0;
                let (x, anchor) = if !goes_on && end + room < limit {
                    (end + 9.0, "start")
                } else if start - room > free {
                    (start - 9.0, "end")
                } else {
                    continue;
                };
                let words: [svg::Span<'_>; 2] =
                    [(&loud, attributes!["font-weight": "bold"]), (&quiet, attributes!["fill": QUIET])];
                parts +=
                    &svg::spans(x, middle + 4.5, &words, size, &[attributes!["text-anchor": anchor], HALO]);
                end += if anchor == "start" { room } else { 0.0 };
                break;
            }
            free = end;
        }
        parts
    }
}

/// A column's sessions by flow and place; sessions in one row do not overlap.
fn rows_of<'a>(column: &Column<'a>) -> Vec<(Row<'a>, Vec<&'a Bar>)> {
    let mut bars: Vec<&Bar> = column.sessions.iter().collect();
    bars.sort_by(|a, b| a.session.start.total_cmp(&b.session.start));
    let mut rows: Vec<(Row<'_>, Vec<&Bar>, f64)> = Vec::new();
    for bar in bars {
        let (start, end, _) = extent(column, bar);
        let flow = bar.session.flow.as_str();
        let mut lane = 0;
        while rows.iter().any(|(row, _, until)| *row == (flow, lane) && *until > start + 0.01) {
            lane += 1;
        }
        match rows.iter_mut().find(|(row, ..)| *row == (flow, lane)) {
            Some((_, bars, until)) => {
                bars.push(bar);
                *until = end;
            }
            None => rows.push(((flow, lane), vec![bar], end)),
        }
    }
    rows.into_iter().map(|(row, bars, _)| (row, bars)).collect()
}

/// The ends of a bar with its mark, and whether it continues beyond the time shown.
fn extent(column: &Column<'_>, bar: &Bar) -> (f64, f64, bool) {
    let (start, acked) = (bar.session.start, bar.session.acked.unwrap_or(f64::INFINITY));
    let last = acked.max(bar.session.ideal.unwrap_or(0.0));
    (column.x(start), column.x(start + last), start + acked > column.shown.to)
}

/// A session's result, each version shorter than the one before.
fn verdicts(bar: &Bar) -> Vec<(String, String)> {
    let one = |loud: &str, quiet: &str| vec![(loud.to_owned(), quiet.to_owned())];
    if bar.session.sent.is_none() {
        return one("unfinished", "");
    }
    let Some(fairness) = bar.fairness_sent else {
        let acked = bar.session.acked.map(|seconds| quantity(seconds, "s", 3));
        return one("", acked.as_deref().unwrap_or("unfinished"));
    };
    let times = multiple(1.0 / fairness);
    vec![
        (format!("{times}× the fair time"), format!("   IF {fairness:.2}")),
        (format!("{times}×"), String::new()),
    ]
}

/// A multiple of the time that a fair share takes, as text.
pub fn multiple(times: f64) -> String {
    match times {
        _ if times < 0.1 => general(times, 2),
        _ if times < 10.0 => format!("{times:.1}"),
        _ => format!("{times:.0}"),
    }
}

/// A session in words.
fn told(bar: &Bar) -> String {
    let session = &bar.session;
    let bytes = quantity(session.bytes as f64, "byte", 4);
    let mut words = format!("{} asks for {bytes} at {:.3} s", session.flow, session.start);
    let Some(sent) = session.sent else {
        return words + "; its last byte is not sent by the end of the run";
    };
    words += &format!("; its last byte is sent {} later", quantity(sent, "s", 3));
    if let (Some(fairness), Some(ideal)) = (bar.fairness_sent, session.ideal) {
        let times = multiple(1.0 / fairness);
        words += &format!(", {times} times the {} of its fair share", quantity(ideal, "s", 3));
    }
    match session.acked {
        None => words + ", and not acknowledged by the end of the run",
        Some(acked) => format!("{words}, and acknowledged {} after the request", quantity(acked, "s", 3)),
    }
}
