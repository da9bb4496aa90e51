//! The panel of sessions: from the request to the last byte, with the finish at the fair share marked.

use super::scene::{Column, People};
use super::svg::{self, HALO, attributes};
use super::{BESIDE, LEFT};
use crate::readable::{general, quantity};
use crate::theme::{INK, QUIET};
use crate::timeline::Bar;

/// Most rows that leave room for words below and above their bars; [`WORDY`] is the most that leaves room for words beside them.
const SPACIOUS: usize = 3;
const WORDY: usize = 10;
/// Most rows; a note below the picture counts the sessions left out.
const MOST: usize = 40;

/// A row: a flow, and the place of a session among those of the flow that overlap.
type Row<'a> = (&'a str, usize);

/// The panel of sessions: a row for each flow with sessions, and more rows for a flow whose sessions overlap.
pub struct Sessions<'a> {
    rows: Vec<Row<'a>>,
    /// Sessions that are not drawn.
    pub left_out: LeftOut,
    spacious: bool,
    wordy: bool,
    row: f64,
    thick: f64,
}

/// Sessions without a row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LeftOut {
    /// Number of sessions without a row.
    pub sessions: usize,
    /// Number of these sessions that do not end.
    pub unfinished: usize,
    /// Number of all sessions.
    pub of: usize,
}

impl<'a> Sessions<'a> {
    /// Chooses the rows that all columns share.
    pub fn new(columns: &[Column<'a>]) -> Sessions<'a> {
        let mut starts: Vec<(&str, f64)> = Vec::new();
        for bar in columns.iter().flat_map(|column| column.sessions) {
            match starts.iter_mut().find(|(flow, _)| *flow == bar.session.flow) {
                Some((_, start)) => *start = start.min(bar.session.start),
                None => starts.push((&bar.session.flow, bar.session.start)),
            }
        }
        starts.sort_by(|a, b| a.1.total_cmp(&b.1));
        starts.truncate(MOST);
        let unlimited: Vec<_> = columns.iter().map(|column| placed(column, |_| usize::MAX)).collect();
        let lanes = |flow: &str| {
            let of_column = |rows: &Vec<(Row<'_>, _)>| rows.iter().filter(|((of, _), _)| *of == flow).count();
            unlimited.iter().map(of_column).max().unwrap_or(0)
        };
        let wanted: Vec<usize> = starts.iter().map(|(flow, _)| lanes(flow)).collect();
        let shares = shared(&wanted, MOST);
        let rows: Vec<Row<'_>> = starts
            .iter()
            .zip(shares)
            .flat_map(|(&(flow, _), lanes)| (0..lanes).map(move |lane| (flow, lane)))
            .collect();
        let spacious = rows.len() <= SPACIOUS && unlimited.iter().flatten().all(|(_, bars)| bars.len() == 1);
        let wordy = rows.len() <= WORDY;
        let (row, thick) = match (spacious, wordy) {
            (true, _) => (56.0, 15.0),
            (_, true) => (26.0, 12.0),
            _ => (12.0, 6.0),
        };
        let mut sessions = Sessions { rows, left_out: LeftOut::default(), spacious, wordy, row, thick };
        let every = || columns.iter().flat_map(|column| column.sessions);
        let kept: Vec<_> = columns.iter().flat_map(|column| sessions.rows_of(column)).collect();
        let drawn = || kept.iter().flat_map(|(_, bars)| bars.iter().copied());
        let unfinished = |bar: &&Bar| bar.session.sent.is_none();
        sessions.left_out = LeftOut {
            sessions: every().count() - drawn().count(),
            unfinished: every().filter(unfinished).count() - drawn().filter(unfinished).count(),
            of: every().count(),
        };
        sessions
    }

    /// Returns a column's sessions in the rows of the panel.
    fn rows_of<'b>(&self, column: &Column<'b>) -> Vec<(Row<'b>, Vec<&'b Bar>)> {
        placed(column, |flow| self.rows.iter().filter(|(of, _)| *of == flow).count())
    }

    /// Returns the height of the panel.
    pub fn height(&self) -> f64 {
        self.row * self.rows.len() as f64
    }

    /// Draws the names of the flows.
    pub fn labels(&self, people: &People<'_>, x: f64, y: f64) -> String {
        let (size, fill) = if self.wordy { (12.0, INK) } else { (11.0, QUIET) };
        let end = attributes!["text-anchor": "end"];
        let first = self.rows.iter().enumerate().filter(|(_, (_, lane))| *lane == 0);
        first
            .map(|(place, (flow, _))| {
                let at = y + (place as f64 + 0.5) * self.row + 0.34 * size;
                let whole = people.called(flow);
                let fits = svg::width(&whole, size) <= LEFT - BESIDE;
                svg::text(x, at, if fits { &whole } else { flow }, size, fill, &[end])
            })
            .collect()
    }

    /// Draws the bars.
    pub fn draw(&self, column: &Column<'_>, people: &People<'_>, y: f64) -> String {
        let mut parts = String::new();
        for (row, bars) in self.rows_of(column) {
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

    /// Writes the result of each session in a row, after its bar or before it; it is left out if there is no room.
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

/// Places a column's sessions by flow, in at most `rows` rows for each flow; sessions in one row do not overlap. If the rows do
/// not suffice, sessions that do not end and the longest ones get them.
fn placed<'a>(column: &Column<'a>, rows: impl Fn(&str) -> usize) -> Vec<(Row<'a>, Vec<&'a Bar>)> {
    let mut flows: Vec<(&str, Vec<&Bar>)> = Vec::new();
    for bar in column.sessions {
        match flows.iter_mut().find(|(flow, _)| *flow == bar.session.flow) {
            Some((_, bars)) => bars.push(bar),
            None => flows.push((&bar.session.flow, vec![bar])),
        }
    }
    let duration =
        |bar: &Bar| bar.session.sent.map_or(f64::INFINITY, |sent| bar.session.acked.unwrap_or(sent));
    let mut found = Vec::new();
    for (flow, mut bars) in flows {
        bars.sort_by(|a, b| a.session.start.total_cmp(&b.session.start));
        let mut lanes = packed(column, &bars, usize::MAX);
        if lanes.len() > rows(flow) {
            bars.sort_by(|a, b| duration(b).total_cmp(&duration(a)));
            lanes = packed(column, &bars, rows(flow));
        }
        found.extend(lanes.into_iter().enumerate().map(|(lane, bars)| ((flow, lane), bars)));
    }
    found
}

/// Packs bars into rows without overlap, each into the first row that has room; bars that fit into none are left out.
fn packed<'a>(column: &Column<'_>, bars: &[&'a Bar], most: usize) -> Vec<Vec<&'a Bar>> {
    let apart = |before: &Bar, after: &Bar| extent(column, before).1 <= extent(column, after).0 + 0.01;
    // Rows are in the order of starts, so a bar can touch only its neighbours.
    let free = |lane: &[&Bar], bar: &Bar| {
        let place = lane.partition_point(|other| other.session.start <= bar.session.start);
        let after = lane.get(place).is_none_or(|next| apart(bar, next));
        let before = place.checked_sub(1).is_none_or(|last| apart(lane[last], bar));
        (after && before).then_some(place)
    };
    let mut lanes: Vec<Vec<&Bar>> = Vec::new();
    for bar in bars {
        let found = lanes.iter().enumerate().find_map(|(lane, taken)| Some((lane, free(taken, bar)?)));
        match found {
            Some((lane, place)) => lanes[lane].insert(place, bar),
            None if lanes.len() < most => lanes.push(vec![bar]),
            None => {}
        }
    }
    lanes
}

/// Returns the number of rows for each of those who want `wanted` rows: as many as they want, or an equal part of what the others
/// leave.
fn shared(wanted: &[usize], most: usize) -> Vec<usize> {
    let mut shares = vec![0; wanted.len()];
    let mut left = most;
    while left > 0 && shares != wanted {
        for (share, &wants) in shares.iter_mut().zip(wanted) {
            if *share < wants && left > 0 {
                *share += 1;
                left -= 1;
            }
        }
    }
    shares
}

/// Returns the ends of a bar with its mark, and whether it continues beyond the time shown.
fn extent(column: &Column<'_>, bar: &Bar) -> (f64, f64, bool) {
    let (start, acked) = (bar.session.start, bar.session.acked.unwrap_or(f64::INFINITY));
    let last = acked.max(bar.session.ideal.unwrap_or(0.0));
    (column.x(start), column.x(start + last), start + acked > column.shown.to)
}

/// Returns a session's result in several versions, each shorter than the one before.
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

/// Writes a multiple of the time that a fair share takes.
pub fn multiple(times: f64) -> String {
    match times {
        _ if times < 0.1 => general(times, 2),
        _ if times < 10.0 => format!("{times:.1}"),
        _ => format!("{times:.0}"),
    }
}

/// Describes a session in words.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::SessionRecord;
    use crate::timeline::Timeline;

    fn bar(flow: &str, start: f64, sent: Option<f64>) -> Bar {
        let (flow, acked, delivered) = (flow.to_owned(), sent, sent);
        let session = SessionRecord { flow, start, bytes: 1, ideal: None, sent, acked, delivered };
        Bar { session, user: String::new(), fairness_sent: None, fairness_acked: None }
    }

    #[test]
    fn rows_that_nobody_wants_go_to_those_that_want_more() {
        assert_eq!(shared(&[1, 1, 9], 8), [1, 1, 6]);
        assert_eq!(shared(&[5, 1, 9], 8), [4, 1, 3]);
        assert_eq!(shared(&[2, 1], 8), [2, 1]);
    }

    #[test]
    fn sessions_that_do_not_end_have_a_row_before_short_ones() {
        let short = (0..200).map(|number| bar("page", 0.01 * f64::from(number), Some(5.0)));
        let endless = (0..20).map(|number| bar("page", 8.0 + 0.01 * f64::from(number), None));
        let sessions: Vec<Bar> = short.chain(endless).chain([bar("sensor", 1.0, Some(0.1))]).collect();
        let shown = Timeline { from: 0.0, to: 10.0, ..Timeline::default() };
        let column =
            Column { title: "", shown: &shown, excerpt: None, sessions: &sessions, left: 0.0, right: 100.0 };
        let drawn = Sessions::new(std::slice::from_ref(&column));
        assert_eq!(drawn.rows.len(), MOST);
        assert_eq!((drawn.left_out.unfinished, drawn.left_out.of), (0, 221));
        let kept: usize = drawn.rows_of(&column).iter().map(|(_, bars)| bars.len()).sum();
        assert_eq!(kept + drawn.left_out.sessions, 221);
    }
}
