//! The picture of one run over time, or of several side by side, as commands and pages show it.

mod air;
mod exchanges;
mod queue;
mod scene;
mod sessions;
mod svg;
mod tables;
mod windows;

use super::{AirPanel, Bar, Timeline, timeline};
use crate::outcome::Outcome;
use crate::readable::{general, quantity};
use crate::theme::{INK, QUIET};
use air::{Air, percent};
use airfair_scenario::resolved::Scenario;
use queue::Queue;
use scene::{BANDS, Column, People, ticks};
use serde_json::{Value, json};
use sessions::{LeftOut, Sessions, multiple};
use svg::{HALO, attributes};
use windows::Windows;

pub use exchanges::Told;
pub use tables::{AirRow, SessionRow, Tables};

/// Width of the names and scales on the left; [`RIGHT`] is that of the names on the right of each column.
const LEFT: f64 = 88.0;
const RIGHT: f64 = 126.0;
/// Distance between the names and scales on the left and the time axis.
const BESIDE: f64 = 9.0;
const EDGE: f64 = 22.0;
/// Width of the edge of pictures for narrow screens.
const NARROW: f64 = 8.0;
/// Length of the time axis of a single column, of each of two, of three, and of more. With two and three the picture is as
/// wide as a page in a window of 1280 pixels.
const PLOT: [f64; 4] = [900.0, 430.0, 244.0, 180.0];
/// Most width of the lines of the note below pictures, so that nobody must scroll to read them.
const NOTE: f64 = 1186.0;
/// Most sessions whose starts are drawn as lines through all panels.
const GUIDES: usize = 24;
const TITLE: f64 = 12.0;
const BETWEEN: f64 = 30.0;
/// Distance by which lines through all panels extend above each panel.
const REACH: f64 = 5.0;

/// Runs side by side, ready to be drawn.
#[derive(Clone, Debug)]
pub struct Picture {
    runs: Vec<Shown>,
}

/// A run in a picture.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The parameters that differ between columns, `tcp = vegas`; empty for a single column.
    pub title: String,
    /// The run over the whole time shown.
    pub whole: Timeline,
    /// The part of the time whose exchanges are drawn one by one if those of the whole are too many; the same for all runs.
    pub excerpt: Option<Timeline>,
    /// A summary of the run: its first session, and its fairness index.
    pub finding: String,
    /// The packets ahead of the run's first session at the access point.
    pub ahead: Option<f64>,
}

impl Shown {
    /// Returns all that is drawn of the run, as JSON.
    pub fn document(&self) -> Value {
        let mut document = json!(self.whole);
        // The excerpt shows the air alone, because the whole picture has no room for single exchanges.
        let excerpt = self.excerpt.as_ref();
        document["excerpt"] = json!(excerpt.map(|it| json!({ "from": it.from, "to": it.to, "air": it.air })));
        document
    }
}

/// The words above a picture.
#[derive(Clone, Copy, Debug, Default)]
pub struct Heading<'a> {
    /// The title; if it is empty, nothing is written above the columns.
    pub title: &'a str,
    /// Which runs the picture shows.
    pub facts: &'a str,
}

impl Picture {
    /// Makes a picture of runs from `from` to `to`, in seconds, each with its title. They must have traced
    /// [`TIMELINE_TRACES`](super::TIMELINE_TRACES).
    pub fn new(runs: &[(&str, &Scenario, &Outcome)], from: f64, to: f64) -> Picture {
        let whole: Vec<_> =
            runs.iter().map(|(_, scenario, outcome)| timeline(scenario, outcome, from, to)).collect();
        let part = exchanges::excerpt(whole.iter(), from, to);
        let shown = |(&(title, scenario, outcome), whole): (&(&str, &Scenario, &Outcome), Timeline)| Shown {
            title: title.to_owned(),
            excerpt: part.map(|(from, to)| timeline(scenario, outcome, from, to)),
            finding: String::new(),
            ahead: None,
            whole,
        };
        let mut picture = Picture { runs: runs.iter().zip(whole).map(shown).collect() };
        let columns = picture.columns();
        let people = People::new(&columns);
        let findings: Vec<_> = columns
            .iter()
            .zip(runs)
            .map(|(column, (_, _, outcome))| (finding(column, outcome, &people), ahead(column, &people)))
            .collect();
        for (run, found) in picture.runs.iter_mut().zip(findings) {
            (run.finding, run.ahead) = found;
        }
        picture
    }

    /// Returns the runs, in order.
    pub fn runs(&self) -> &[Shown] {
        &self.runs
    }

    /// Returns the contents of the picture as tables, one for each run.
    pub fn tables(&self) -> Vec<Tables> {
        self.runs.iter().map(|run| Tables::of(&run.whole)).collect()
    }

    /// Returns for each run the exchanges on the air in words; none if they are too many to be told apart.
    pub fn exchanges(&self) -> Vec<Vec<Told>> {
        self.runs.iter().map(|run| exchanges::all(&run.whole)).collect()
    }

    /// Draws the picture as SVG, with the columns side by side, each with a time axis of the length `plot`.
    pub fn svg(&self, heading: Heading<'_>, plot: Option<f64>) -> String {
        let columns = self.columns();
        let usual = PLOT[columns.len().clamp(1, PLOT.len()) - 1];
        let wide = plot.unwrap_or(usual);
        let mut x = EDGE + LEFT;
        let place = |column| {
            let placed = Column { left: x, right: x + wide, ..column };
            x += wide + RIGHT;
            placed
        };
        let columns: Vec<_> = columns.into_iter().map(place).collect();
        let total = x + 8.0;
        let people = People::new(&columns);
        let panels = panels(&columns, &people);
        let mut parts = Vec::new();
        let mut y = 24.0;
        if !heading.title.is_empty() {
            let bold = attributes!["font-weight": "bold"];
            parts.push(svg::text(EDGE, 36.0, heading.title, 20.0, INK, &[bold]));
            parts.push(svg::text(EDGE, 57.0, heading.facts, 13.0, QUIET, &[]));
            y = 92.0;
        }
        let y = self.heads(&mut parts, &columns, y);
        let bottom = body(&mut parts, &panels, &columns, &people, y);
        let bottom = magnified(&mut parts, &columns, &people, bottom);
        self.closed(parts, &reading(&panels, &people, &columns), (EDGE, total, bottom + 62.0), heading)
    }

    /// Draws the picture as SVG for narrow screens: the columns one above the other, on the same axes, each with a time axis
    /// of the length `plot`.
    pub fn narrow_svg(&self, heading: Heading<'_>, plot: f64) -> String {
        let place = |column| Column { left: NARROW + LEFT, right: NARROW + LEFT + plot, ..column };
        let columns: Vec<_> = self.columns().into_iter().map(place).collect();
        let total = NARROW + LEFT + plot + RIGHT;
        let people = People::new(&columns);
        let panels = panels(&columns, &people);
        let mut parts = Vec::new();
        let mut y = 30.0;
        let bold = attributes!["font-weight": "bold"];
        if !heading.title.is_empty() {
            y = paragraph(&mut parts, heading.title, total, y, (18.0, INK), &[bold]);
            y = paragraph(&mut parts, heading.facts, total, y, (13.0, QUIET), &[]) + 18.0;
        }
        for (column, run) in columns.iter().zip(&self.runs) {
            if !column.title.is_empty() {
                y = paragraph(&mut parts, column.title, total, y, (16.0, INK), &[bold]);
            }
            y = if run.finding.is_empty() {
                y + 8.0
            } else {
                paragraph(&mut parts, &run.finding, total, y, (13.0, INK), &[]) + 14.0
            };
            let alone = std::slice::from_ref(column);
            y = body(&mut parts, &panels, alone, &people, y);
            y = magnified(&mut parts, alone, &people, y) + 80.0;
        }
        self.closed(parts, &reading(&panels, &people, &columns), (NARROW, total, y - 18.0), heading)
    }

    fn columns(&self) -> Vec<Column<'_>> {
        let mut columns = Vec::new();
        for run in &self.runs {
            columns.push(Column {
                title: &run.title,
                shown: &run.whole,
                excerpt: run.excerpt.as_ref(),
                sessions: &run.whole.sessions,
                left: 0.0,
                right: 0.0,
            });
        }
        columns
    }

    /// Draws the titles and findings of columns; returns the start of the panels.
    fn heads(&self, parts: &mut Vec<String>, columns: &[Column<'_>], y: f64) -> f64 {
        let findings = self.runs.iter().map(|run| run.finding.as_str());
        let lines: Vec<_> = columns
            .iter()
            .zip(findings)
            .map(|(column, finding)| svg::wrapped(finding, column.wide() + RIGHT - 24.0, 13.0))
            .collect();
        for (column, words) in columns.iter().zip(&lines) {
            let mut at = y;
            let titled = !column.title.is_empty();
            if titled {
                let bold = attributes!["font-weight": "bold"];
                parts.push(svg::text(column.left, at, column.title, 16.0, INK, &[bold]));
                at += 20.0;
            }
            for row in words {
                let x = if titled { column.left } else { EDGE };
                parts.push(svg::text(x, at, row, 13.0, INK, &[]));
                at += 17.0;
            }
        }
        let titled = if columns.first().is_some_and(|column| !column.title.is_empty()) { 20.0 } else { 0.0 };
        if self.runs.iter().any(|run| !run.finding.is_empty()) {
            let most = lines.iter().map(Vec::len).max().unwrap_or(0);
            y + titled + 17.0 * most as f64 + 22.0
        } else {
            y + titled + if titled > 0.0 { 8.0 } else { 0.0 }
        }
    }

    /// Completes a picture of this width, with the legend below from `y` on, within this edge.
    fn closed(
        &self,
        mut parts: Vec<String>,
        note: &str,
        (edge, total, mut y): (f64, f64, f64),
        heading: Heading<'_>,
    ) -> String {
        for words in svg::wrapped(note, (total - 2.0 * edge).min(NOTE), 11.5) {
            parts.push(svg::text(edge, y, &words, 11.5, QUIET, &[]));
            y += 16.0;
        }
        let title = if heading.title.is_empty() { "Timeline" } else { heading.title };
        svg::document(total, y + 4.0, &parts, title, &self.told(note, heading))
    }

    /// Describes the picture in sentences, each finding with its run, for those who cannot see it.
    fn told(&self, note: &str, heading: Heading<'_>) -> String {
        let facts = (!heading.facts.is_empty()).then(|| format!("{}.", heading.facts));
        let found =
            self.runs.iter().filter(|run| !run.finding.is_empty()).map(|run| match run.title.as_str() {
                "" => run.finding.clone(),
                title => format!("{title}: {}", run.finding),
            });
        facts.into_iter().chain(found).chain([note.to_owned()]).collect::<Vec<_>>().join(" ")
    }
}

/// A row of the picture.
enum Panel<'a> {
    Sessions(Sessions<'a>),
    Queue(Queue),
    Air(Air<'a>),
    Windows(Windows),
}

impl Panel<'_> {
    fn head(&self) -> (&str, &str) {
        match self {
            Panel::Sessions(_) => {
                ("Sessions", "from the request to the last byte sent, and on to its acknowledgement")
            }
            Panel::Queue(queue) => (&queue.title, queue.unit),
            Panel::Air(air) => (&air.title, &air.unit),
            Panel::Windows(_) => ("Congestion windows", "segments"),
        }
    }

    fn height(&self) -> f64 {
        match self {
            Panel::Sessions(sessions) => sessions.height(),
            Panel::Queue(queue) => queue.scale.height,
            Panel::Air(air) => air.height,
            Panel::Windows(windows) => windows.scale.height,
        }
    }

    fn labels(&self, people: &People<'_>, x: f64, y: f64) -> String {
        match self {
            Panel::Sessions(sessions) => sessions.labels(people, x, y),
            Panel::Queue(queue) => queue.scale.labels(x, y),
            Panel::Air(air) => air.labels(people, x, y),
            Panel::Windows(windows) => windows.scale.labels(x, y),
        }
    }

    fn draw(&self, column: &Column<'_>, people: &People<'_>, y: f64) -> String {
        match self {
            Panel::Sessions(sessions) => sessions.draw(column, people, y),
            Panel::Queue(queue) => queue.draw(column, people, y),
            Panel::Air(air) => air.draw(column, people, y),
            Panel::Windows(windows) => windows.draw(column, people, y),
        }
    }
}

fn panels<'a>(columns: &[Column<'a>], people: &People<'a>) -> Vec<Panel<'a>> {
    let most =
        |count: fn(&Timeline) -> usize| columns.iter().map(|column| count(column.shown)).max().unwrap_or(0);
    let mut panels = Vec::new();
    if columns.iter().any(|column| !column.sessions.is_empty()) {
        panels.push(Panel::Sessions(Sessions::new(columns)));
    }
    let queues = 0..most(|run| run.queues.len());
    panels.extend(queues.filter_map(|number| Queue::new(columns, number)).map(Panel::Queue));
    let media = 0..most(|run| run.air.len());
    panels.extend(media.filter_map(|number| Air::new(columns, people, number)).map(Panel::Air));
    panels.extend(Windows::new(columns, people).map(Panel::Windows));
    panels
}

/// Draws lines of text in a picture for narrow screens, from `y` on, in this size and colour; returns where the next line goes.
fn paragraph(
    parts: &mut Vec<String>,
    words: &str,
    total: f64,
    mut y: f64,
    (size, fill): (f64, &str),
    style: &[&svg::Attributes<'_>],
) -> f64 {
    for line in svg::wrapped(words, total - 2.0 * NARROW, size) {
        parts.push(svg::text(NARROW, y, &line, size, fill, style));
        y += 1.35 * size;
    }
    y
}

/// Draws the excerpts of columns, with a time axis of their own; returns their end, which is `y` if there are none.
fn magnified(parts: &mut Vec<String>, columns: &[Column<'_>], people: &People<'_>, y: f64) -> f64 {
    let mut placed = Vec::new();
    for &Column { excerpt, left, right, .. } in columns {
        let Some(shown) = excerpt else { return y };
        placed.push(Column { title: "", shown, excerpt: None, sessions: &[], left, right });
    }
    let Some(first) = placed.first() else { return y };
    let length = quantity(first.shown.to - first.shown.from, "s", 3);
    let mut panels = Vec::new();
    for mut air in (0..first.shown.air.len()).filter_map(|number| Air::new(&placed, people, number)) {
        air.title = air.title.replace("On the air", "On the air, magnified");
        air.unit = format!("{length} of the time above");
        panels.push(Panel::Air(air));
    }
    let bottom = stack(parts, &panels, &placed, people, y + 66.0);
    parts.extend(placed.iter().map(|column| time_axis(column, bottom)));
    bottom
}

/// Draws the panels and the time axis of columns side by side; returns the end of the panels.
fn body(
    parts: &mut Vec<String>,
    panels: &[Panel<'_>],
    columns: &[Column<'_>],
    people: &People<'_>,
    y: f64,
) -> f64 {
    let top = y + TITLE - REACH;
    let mut stacked = Vec::new();
    let bottom = stack(&mut stacked, panels, columns, people, y);
    if columns.iter().all(|column| column.sessions.len() <= BANDS) {
        parts.extend(columns.iter().map(|column| bands(column, people, top, bottom)));
    }
    parts.append(&mut stacked);
    parts.extend(columns.iter().map(|column| time_axis(column, bottom)));
    // Scripts of pages read the axes from these attributes.
    let ends = attributes!["data-top": top, "data-bottom": bottom, "class": "axis"];
    parts.extend(columns.iter().map(|column| {
        let own = attributes!["data-left": column.left, "data-right": column.right];
        svg::element("g", &[own, ends], "")
    }));
    bottom
}

/// Draws the panels from `y` on; returns their end.
fn stack(
    parts: &mut Vec<String>,
    panels: &[Panel<'_>],
    columns: &[Column<'_>],
    people: &People<'_>,
    mut y: f64,
) -> f64 {
    let (Some(first), Some(last)) = (columns.first(), columns.last()) else { return y };
    for panel in panels {
        let (title, unit) = panel.head();
        let beside = format!("   {unit}");
        let quiet = attributes!["fill": QUIET, "font-size": 11.5];
        let title_alone: svg::Span<'_> = (title, attributes!["font-weight": "bold"]);
        let room = last.right + RIGHT - first.left;
        if svg::width(title, 13.0) + svg::width(unit, 11.5) + 12.0 > room {
            parts.push(svg::spans(first.left, y, &[title_alone], 13.0, &[HALO]));
            let edge = first.left - LEFT;
            for words in svg::wrapped(unit, last.right + RIGHT - edge, 11.5) {
                y += 15.0;
                parts.push(svg::spans(edge, y, &[(&words, quiet)], 13.0, &[HALO]));
            }
        } else {
            parts.push(svg::spans(first.left, y, &[title_alone, (&beside, quiet)], 13.0, &[HALO]));
        }
        y += TITLE;
        parts.push(panel.labels(people, first.left - BESIDE, y));
        let is_sessions = matches!(panel, Panel::Sessions(_));
        let extent = (y - REACH, y + panel.height() + 3.0);
        let lines = columns.iter().map(|column| guides(column, people, extent, !is_sessions));
        let drawn = columns.iter().map(|column| panel.draw(column, people, y));
        // Lines must not cross the texts of sessions, which begin where sessions start.
        if is_sessions {
            parts.extend(lines.chain(drawn));
        } else {
            parts.extend(drawn.chain(lines));
        }
        if let Panel::Queue(queue) = panel {
            parts.extend(columns.iter().map(|column| queue.remarks(column, people, y)));
        }
        y += panel.height() + BETWEEN;
    }
    y - BETWEEN + 3.0
}

/// Draws bands behind all panels: the time of a session at its fair share, and its actual time.
fn bands(column: &Column<'_>, people: &People<'_>, top: f64, bottom: f64) -> String {
    let mut parts = String::new();
    for bar in column.sessions {
        let colour = people.colour(&bar.user);
        let start = bar.session.start;
        let x1 = column.x(start);
        let mut band = |end: f64, opacity: f64| {
            let look = attributes!["fill-opacity": opacity];
            parts += &svg::rect([x1, top, end - x1, bottom - top], colour, "", look);
        };
        band(bar.session.sent.map_or(column.right, |sent| column.x(start + sent)), 0.08);
        if let Some(ideal) = bar.session.ideal {
            band(column.x(start + ideal), 0.1);
        }
    }
    parts
}

/// Draws lines through one panel: the starts of sessions and, if these are few, their `ends` at the fair share.
fn guides(column: &Column<'_>, people: &People<'_>, (high, low): (f64, f64), ends: bool) -> String {
    let few = column.sessions.len() <= BANDS;
    let mut parts = String::new();
    for bar in column.sessions {
        let start = bar.session.start;
        if column.shown.from <= start && column.sessions.len() <= GUIDES {
            let x = column.x(start);
            let pale = attributes!["stroke-width": 1.0, "stroke-opacity": 0.6];
            let look = if few { &pale[..1] } else { pale };
            parts += &svg::line((x, high), (x, low), people.colour(&bar.user), look);
        }
        let fair = bar.session.ideal.map(|ideal| start + ideal);
        if let Some(fair) = fair.filter(|&fair| ends && few && fair <= column.shown.to) {
            let x = column.x(fair);
            let dotted = attributes!["stroke-width": 1.0, "stroke-dasharray": "2 3"];
            parts += &svg::line((x, high), (x, low), INK, dotted);
        }
    }
    parts
}

fn time_axis(column: &Column<'_>, y: f64) -> String {
    let mut parts = svg::line((column.left, y), (column.right, y), QUIET, &[]);
    let middle = attributes!["text-anchor": "middle"];
    for tick in ticks(column.shown.from, column.shown.to, (column.wide() / 110.0).round_ties_even().max(3.0))
    {
        let x = column.x(tick);
        parts += &svg::line((x, y), (x, y + 5.0), QUIET, &[]);
        let rounded = format!("{tick:.9}").parse().unwrap_or(tick);
        parts += &svg::text(x, y + 18.0, &general(rounded, 6), 11.5, INK, &[middle]);
    }
    let x = f64::midpoint(column.left, column.right);
    parts + &svg::text(x, y + 36.0, "Time since the start of the run (s)", 12.0, INK, &[middle])
}

/// Returns a legend of the panels, and notes on elements that are not drawn.
fn reading(panels: &[Panel<'_>], people: &People<'_>, columns: &[Column<'_>]) -> String {
    let mut notes: Vec<String> = Vec::new();
    let mut note = |words: &str| notes.push(words.to_owned());
    for panel in panels {
        match panel {
            Panel::Sessions(sessions) => {
                note("A session's bar ends when its last byte is sent.");
                let mut bars = columns.iter().flat_map(|column| column.sessions);
                if bars.any(|bar| bar.session.ideal.is_some()) {
                    note(
                        "The upright mark is where it ends at the fair share: its length over the user's share of the \
                         bandwidth. Time beyond it is pale. IF: the time to the mark over the time to the last byte sent.",
                    );
                }
                let LeftOut { sessions, unfinished, of } = sessions.left_out;
                if sessions > 0 {
                    let among = if unfinished > 0 {
                        format!(", {unfinished} of these unfinished")
                    } else {
                        String::new()
                    };
                    note(&format!("For lack of room, {sessions} of {of} sessions are not drawn{among}."));
                }
            }
            Panel::Air(Air { summed: true, .. }) => {
                note(
                    "Exchanges are too short to tell apart: the height of a lane shows the share of the time that they take.",
                );
            }
            Panel::Windows(Windows { limit: Some(_), .. }) => {
                note("The part of a congestion window above the receiver's window (dashed) has no effect.");
            }
            _ => {}
        }
    }
    let one_by_one =
        |column: &Column<'_>| column.excerpt.is_some() || column.shown.air.iter().any(exchanges::are_few);
    if columns.iter().any(one_by_one) {
        note(
            "An exchange has its number of MPDUs on it if these are several, its access category unless that is best \
             effort, and its block ack as a bar at its end; those that stations begin are pale.",
        );
    }
    if people.mixed {
        note("Grey are users that transfer all the time.");
    }
    if columns.iter().any(|column| !column.shown.crowds.is_empty()) {
        note("Of many persistent flows' windows there are the median and the band that eight in ten are in.");
    }
    notes.join(" ")
}

/// Returns the first session that begins in a column.
fn first<'a>(column: &Column<'a>) -> Option<&'a Bar> {
    let whole = column.sessions.iter().filter(|bar| bar.session.start >= column.shown.from);
    whole.min_by(|a, b| a.session.start.total_cmp(&b.session.start))
}

/// Returns the packets at an access point ahead of the first session of a column.
fn ahead(column: &Column<'_>, people: &People<'_>) -> Option<f64> {
    let bar = first(column)?;
    column.shown.queues.iter().find_map(|queue| queue::found(queue, bar, people))
}

/// Returns a summary of a column: its first session, and the run's fairness index.
fn finding(column: &Column<'_>, outcome: &Outcome, people: &People<'_>) -> String {
    let mut sentences = Vec::new();
    let value = |name: &str| outcome.metrics.iter().find(|metric| metric.name == name)?.value;
    if let Some(bar) = first(column).filter(|_| column.sessions.len() <= BANDS) {
        let bytes = quantity(bar.session.bytes as f64, "byte", 4);
        let mut words = format!("{} wakes and asks for {bytes}", bar.session.flow);
        if let Some(ahead) = ahead(column, people) {
            words += &format!(", with {} ahead of it at the access point", queue::packets(ahead));
        }
        if let Some(sent) = bar.session.sent {
            words += ". Its last byte is sent ";
            words +=
                &if sent > 0.0 { format!("after {}", quantity(sent, "s", 3)) } else { "at once".to_owned() };
            if let Some(fairness) = bar.fairness_sent {
                words += &format!(": {} times as long as at its fair share", multiple(1.0 / fairness));
            }
        }
        sentences.push(words + ".");
    }
    if let Some(index) = value("instantaneous_fairness_sent") {
        sentences.push(format!("IF of the whole run: {index:.2} (sessions: {}).", outcome.sessions.len()));
    }
    if sentences.is_empty() {
        let throughput = value("throughput_total");
        sentences = found_on_air(column, throughput);
    }
    sentences.join(" ")
}

/// Describes the throughput of the whole run, and who has most of the air in the time shown, if there is EDCA and several stations.
fn found_on_air(column: &Column<'_>, throughput: Option<f64>) -> Vec<String> {
    let media = column.shown.air.iter();
    let stations = |medium: &&AirPanel| medium.lanes.iter().filter(|lane| !lane.announces).count();
    let media = media.filter(|medium| exchanges::has_categories(medium) && stations(medium) > 1);
    let lanes = media.flat_map(|medium| &medium.lanes).filter(|lane| !lane.announces);
    let Some(lane) = lanes.reduce(|most, lane| if lane.share > most.share { lane } else { most }) else {
        return Vec::new();
    };
    let (mpdus, rate) = exchanges::in_short(lane);
    let whole = throughput.map(|rate| format!("Whole run: {}.", quantity(rate, "bit/s", 3)));
    let share = percent(lane.share);
    let most = format!("Time shown: {} has {share} of the air ({rate}, {mpdus} at a time).", lane.user);
    whole.into_iter().chain([most]).collect()
}
