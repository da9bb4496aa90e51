//! The panel of a queue: its length by station, its limit, its drops.

use super::scene::{BANDS, Column, Layer, People, Scaled, stacked};
use super::svg::{self, HALO, attributes};
use crate::readable::{general, quantity};
use crate::theme::{AREA, INK, QUIET};
use crate::timeline::{Bar, QueuePanel};
use airfair_scenario::resolved::Direction;

/// Factor by which a limit may exceed the longest queue to be drawn; a higher limit is written.
const OFF_SCALE: f64 = 2.5;
/// Drops closer than this, in pixels, are drawn as ticks instead of crosses.
const APART: f64 = 6.0;
/// Height of a line of remarks.
const LINE: f64 = 13.0;

/// The panel of one queue in all columns.
pub struct Queue {
    number: usize,
    /// Name of the panel.
    pub title: String,
    /// What the numbers of the panel count.
    pub unit: &'static str,
    /// The scale on the left of the panel.
    pub scale: Scaled,
    /// Whether the columns show different queues, which are then named in each.
    differ: bool,
}

impl Queue {
    /// Makes the panel of the queue with this index, with one scale for all columns; `None` if no column has that queue.
    pub fn new(columns: &[Column<'_>], number: usize) -> Option<Queue> {
        let queues: Vec<_> = columns.iter().filter_map(|column| column.shown.queues.get(number)).collect();
        let first = queues.first()?;
        let access_points =
            |column: &Column<'_>| column.shown.queues.iter().filter(|queue| queue.access_point).count();
        let several = columns.iter().any(|column| access_points(column) > 1);
        let differ = queues.iter().any(|queue| queue.subject != first.subject);
        let title = match (differ, first.access_point) {
            (true, _) => "Queue".to_owned(),
            (_, true) if several => format!("Queue at access point {}", first.subject),
            (_, true) => "Queue at the access point".to_owned(),
            _ => format!("Queue of the link {}", first.subject),
        };
        let unit =
            if first.backlog.is_empty() { "packets" } else { "packets, by the station that they are for" };
        let values = queues.iter().flat_map(|queue| &queue.held.value).copied();
        let mut most = values.max_by(f64::total_cmp).unwrap_or(0.0);
        let limit = queues.iter().filter_map(|queue| queue.limit_packets).max().map(f64::from);
        if let Some(limit) = limit.filter(|&limit| limit <= OFF_SCALE * most.max(1.0)) {
            most = most.max(limit);
        }
        Some(Queue {
            number,
            title,
            unit,
            scale: Scaled { height: 132.0, top: most.max(1.0) * 1.12 },
            differ,
        })
    }

    fn of<'a>(&self, column: &Column<'a>) -> Option<&'a QueuePanel> {
        column.shown.queues.get(self.number)
    }

    /// Draws the queue's length, stacked by station; stations that wake up are on top.
    pub fn draw(&self, column: &Column<'_>, people: &People<'_>, y: f64) -> String {
        let Some(queue) = self.of(column) else { return String::new() };
        let mut parts = self.scale.grid(column, y);
        parts += &self.stack(column, people, queue, y);
        let xs: Vec<f64> = queue.held.time.iter().map(|&time| column.x(time)).collect();
        let ys: Vec<f64> = queue.held.value.iter().map(|&value| self.scale.y(value, y)).collect();
        if queue.backlog.is_empty() && !xs.is_empty() {
            let ends: Vec<f64> = xs.iter().copied().chain([column.right]).collect();
            let ground = vec![self.scale.y(0.0, y); xs.len()];
            parts += &svg::area(&ends, &ground, &ys, AREA, "", &[]);
        }
        // A line that moves up and down within each pixel would form an area of its own, which would look like another station's.
        let sparse = (xs.len() as f64) < column.wide() / 2.0;
        if sparse {
            parts += &svg::steps(&xs, &ys, column.right, INK, 0.9, "");
        } else if queue.backlog.is_empty() {
            parts += &svg::steps(&xs, &ys, column.right, QUIET, 0.6, "");
        }
        parts += &self.limit(column, queue, y);
        if self.differ {
            let kind = if queue.access_point { "access point" } else { "link" };
            let words = format!("{kind} {}", queue.subject);
            parts += &svg::text(column.left + 6.0, y + 12.0, &words, 11.5, INK, &[HALO]);
        }
        parts
    }

    /// Draws the length of the queue at the start of each session, if these are few.
    pub fn remarks(&self, column: &Column<'_>, people: &People<'_>, y: f64) -> String {
        let queue = self.of(column).filter(|_| column.sessions.len() <= BANDS);
        let Some(queue) = queue else { return String::new() };
        let mut remarks: Vec<Remark> = Vec::new();
        for bar in column.sessions {
            if let Some(mut remark) = self.remark(column, people, queue, bar, y) {
                // Sessions that start together find the same queue.
                if remarks.iter().any(|other| other.dot == remark.dot) {
                    continue;
                }
                remark.avoid(&remarks, y + LINE);
                remarks.push(remark);
            }
        }
        remarks.iter().map(Remark::draw).collect()
    }

    fn stack(&self, column: &Column<'_>, people: &People<'_>, queue: &QueuePanel, y: f64) -> String {
        let mut order: Vec<_> = queue.backlog.iter().collect();
        order.sort_by_key(|backlog| (!people.is_quiet(&backlog.user), people.place(&backlog.user)));
        let layers = order.into_iter().map(|backlog| Layer {
            values: &backlog.frames,
            fill: people.colour(&backlog.user),
            tip: format!("held for {}", backlog.user),
        });
        let xs: Vec<f64> = queue.sampled.iter().map(|&time| column.x(time)).collect();
        stacked(&xs, layers, |value| self.scale.y(value, y))
    }

    /// Places the words on the queue ahead of a session's data, if these pass this queue. They stay within the column: the limit
    /// stands on the right.
    fn remark(
        &self,
        column: &Column<'_>,
        people: &People<'_>,
        queue: &QueuePanel,
        bar: &Bar,
        y: f64,
    ) -> Option<Remark> {
        let ahead = found(queue, bar, people)?;
        let (x, at) = (column.x(bar.session.start), self.scale.y(ahead, y));
        let words = format!("{} ahead", packets(ahead));
        let wide = svg::width(&words, 11.5) + 1.0;
        let from = (x + 7.0).min(column.right - wide).max(column.left);
        let beside = queue.held.time.iter().zip(&queue.held.value);
        let covered = from.min(x - 4.0)..=from + wide;
        let beside = beside.filter(|&(&time, _)| covered.contains(&column.x(time)));
        let base = self.scale.y(beside.map(|(_, &value)| value).fold(ahead, f64::max), y) - 7.0;
        Some(Remark { dot: (x, at), words, from, wide, base })
    }

    fn limit(&self, column: &Column<'_>, queue: &QueuePanel, y: f64) -> String {
        let dropped: f64 = queue.drops.value.iter().sum();
        let words =
            if dropped > 0.0 { format!("{} dropped", general(dropped, 6)) } else { "no drops".to_owned() };
        let (x, fill) = (column.right + 6.0, if dropped > 0.0 { INK } else { QUIET });
        let limit = queue.limit_packets.map(f64::from);
        let mut parts = String::new();
        let at = if let Some(limit) = limit.filter(|&limit| limit <= self.scale.top) {
            let at = self.scale.y(limit, y);
            let dashed = attributes!["stroke-width": 1.0, "stroke-dasharray": "5 3"];
            parts += &svg::line((column.left, at), (column.right, at), INK, dashed);
            parts += &svg::text(x, at + 4.0, &format!("limit {}", general(limit, 6)), 11.0, INK, &[]);
            parts += &svg::text(x, at + 17.0, &words, 11.0, fill, &[]);
            at
        } else {
            let bytes = || quantity(queue.limit_bytes.unwrap_or(0) as f64, "byte", 4);
            let bound = limit.map_or_else(bytes, |limit| general(limit, 6));
            let at = y + 6.0;
            parts += &svg::text(x, at, &format!("limit {bound},"), 11.0, QUIET, &[]);
            parts += &svg::text(x, at + 13.0, "off the scale", 11.0, QUIET, &[]);
            parts += &svg::text(x, at + 26.0, &words, 11.0, fill, &[]);
            at
        };
        let xs: Vec<f64> = queue.drops.time.iter().map(|&time| column.x(time)).collect();
        let crowded = xs.windows(2).any(|pair| pair[1] - pair[0] < APART);
        for (x, &count) in xs.iter().zip(&queue.drops.value) {
            let tip = format!("{} dropped", general(count, 6));
            if crowded {
                let tick = format!("M{x:.1} {:.1}v7", at - 8.0);
                let look = attributes!["d": &tick, "stroke": INK, "stroke-width": 0.9];
                parts += &svg::element("path", &[look], &tip);
            } else {
                let cross = format!("M{:.1} {:.1}l6.4 6.4m0 -6.4l-6.4 6.4", x - 3.2, at - 3.2);
                let look = attributes!["d": &cross, "stroke": INK, "stroke-width": 1.7, "fill": "none"];
                parts += &svg::element("path", &[look], &tip);
            }
        }
        parts
    }
}

/// The words on the queue that a session finds, and a dot at its start.
struct Remark {
    dot: (f64, f64),
    words: String,
    /// Left end, width and base line of the words.
    from: f64,
    wide: f64,
    base: f64,
}

impl Remark {
    /// Moves the words by as few lines as possible, so that they cover none of `others`: up if that is no further, but not beyond `highest`.
    fn avoid(&mut self, others: &[Remark], highest: f64) {
        let beside =
            |other: &&Remark| self.from < other.from + other.wide && other.from < self.from + self.wide;
        let others: Vec<&Remark> = others.iter().filter(beside).collect();
        let free = |base: &f64| others.iter().all(|other| (other.base - base).abs() >= LINE);
        let moved = [0.0, -1.0, 1.0, -2.0, 2.0, -3.0, 3.0].map(|lines| self.base + lines * LINE);
        let moved = moved.into_iter().filter(|&base| base == self.base || base >= highest).find(free);
        self.base = moved.unwrap_or(self.base);
    }

    fn draw(&self) -> String {
        let (x, at) = self.dot;
        let dot = attributes!["cx": x, "cy": at, "r": 3.4, "fill": INK];
        let bold = attributes!["font-weight": "bold"];
        svg::element("circle", &[dot], "")
            + &svg::text(self.from, self.base, &self.words, 11.5, INK, &[bold, HALO])
    }
}

/// Writes a number of packets in words.
pub fn packets(count: f64) -> String {
    format!("{} packet{}", general(count, 6), if count == 1.0 { "" } else { "s" })
}

/// Returns the number of packets in an access point's queue at the start of a session whose data pass it.
pub fn found(queue: &QueuePanel, bar: &Bar, people: &People<'_>) -> Option<f64> {
    if !queue.access_point || people.direction(&bar.user) != Direction::Down {
        return None;
    }
    let before = queue.held.time.partition_point(|&time| time <= bar.session.start);
    before.checked_sub(1).map(|last| queue.held.value[last])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_on_sessions_that_start_together_do_not_overlap() {
        let remark = |from, base| Remark { dot: (from, base), words: String::new(), from, wide: 100.0, base };
        let placed = |highest: f64| {
            let mut remarks: Vec<Remark> = Vec::new();
            for mut next in [remark(0.0, 50.0), remark(20.0, 52.0), remark(90.0, 45.0), remark(300.0, 50.0)] {
                next.avoid(&remarks, highest);
                remarks.push(next);
            }
            remarks.iter().map(|remark| remark.base).collect::<Vec<_>>()
        };
        assert_eq!(placed(0.0), [50.0, 65.0, 32.0, 50.0]);
        assert_eq!(placed(48.0), [50.0, 65.0, 84.0, 50.0]);
    }
}
