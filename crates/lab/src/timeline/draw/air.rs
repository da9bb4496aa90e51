//! The panel of a medium: the transmissions of its users.

use super::exchanges;
use super::scene::{ACCENTS, Column, Layer, People, stacked};
use super::svg::{self, attributes};
use crate::theme::{EMPTY, GREYS, GRID, INK, QUIET, shades};
use crate::timeline::{AirPanel, Lane};

/// Most users with lanes of their own; the others share one.
const LANES: usize = 9;
/// Lanes that are kept for users that transfer all the time while others wake up: they hold the air.
const QUIET_LANES: usize = 3;
/// Most users that are named one by one beside stacked shares.
const NAMED: usize = 7;
/// Height of lanes, and the gap between them.
const LANE: (f64, f64) = (13.0, 4.0);
/// Height of lanes and the gap between them when exchanges are drawn one by one, with their facts in two lines on the right.
const HIGH_LANE: (f64, f64) = (18.0, 13.0);
/// Distance of the baselines of a lane's words from its end.
const LIFT: f64 = 2.5;
/// Half the distance between the two lines of a lane's facts. The next lane's facts are further away, so that the two lines stay
/// together.
const HALF_LINE: f64 = 6.0;
/// The least width of an exchange or a collision; [`RARE`] is the share of a lane that such widths may fill. So rare exchanges
/// can be seen, and many do not look like more than they are.
const LEAST: f64 = 1.2;
const RARE: f64 = 0.05;
/// Exchanges that are not rare and on average narrower than this cannot be told apart. Then the height of each lane is the share
/// of the time, which is at least [`TRACE`] where there are any exchanges.
const NARROWEST: f64 = 0.6;
const TRACE: f64 = 1.0;
/// The largest share of an interval that is only a rounding error.
const NOTHING: f64 = 1e-9;
/// Most users whose aggregates and rates have room beside stacked shares.
const DETAILED: usize = 4;
/// The outline of idle time, whose colour alone is hardly visible on any page.
const OUTLINE: &svg::Attributes<'static> =
    &[("stroke", svg::Value::Word(QUIET)), ("stroke-width", svg::Value::Number(0.75))];
const OTHERS: &str = "others";
const COLLISIONS: &str = "collisions";
const IDLE: &str = "idle";

/// The panel of one medium in all columns: a lane for each user, or stacked shares if single frames are too many to see.
pub struct Air<'a> {
    number: usize,
    /// Name of the panel.
    pub title: String,
    /// The words behind the title: the meaning of bars or shares.
    pub unit: String,
    /// Height of the panel.
    pub height: f64,
    /// Whether each user has a lane.
    lanes: bool,
    users: Vec<&'a str>,
    /// Users without a lane of their own.
    left_out: Vec<&'a str>,
    rows: Vec<&'a str>,
    /// Whether exchanges are drawn one by one.
    each: bool,
    /// Whether the height of lanes is the share of the time, because exchanges are too narrow.
    pub summed: bool,
    lane: f64,
    gap: f64,
    detailed: bool,
}

impl<'a> Air<'a> {
    /// Makes the panel of the medium with this index, with the same lanes in all columns; `None` if no column has that medium.
    pub fn new(columns: &[Column<'a>], people: &People<'a>, number: usize) -> Option<Air<'a>> {
        let media: Vec<&AirPanel> =
            columns.iter().filter_map(|column| column.shown.air.get(number)).collect();
        let first = media.first()?;
        let alone = columns.first().is_some_and(|column| column.shown.air.len() == 1);
        let title = if alone { "On the air".to_owned() } else { format!("On the air, {}", first.wlan) };
        let lanes = media.iter().all(|medium| medium.every_turn);
        let mut present: Vec<(&str, f64)> = Vec::new();
        for lane in media.iter().flat_map(|medium| &medium.lanes) {
            match present.iter_mut().find(|(user, _)| *user == lane.user) {
                Some((_, share)) => *share = lane.share,
                None => present.push((&lane.user, lane.share)),
            }
        }
        let mut users: Vec<&str> = present.iter().map(|(user, _)| *user).collect();
        users.sort_by_key(|user| people.place(user));
        let mut single = users.clone();
        // A single one beyond them has the row of the others to itself.
        if lanes && users.len() > LANES + 1 {
            let share =
                |user: &str| present.iter().find(|(name, _)| *name == user).map_or(0.0, |found| found.1);
            let mut by_share = users.clone();
            by_share.sort_by(|a, b| share(b).total_cmp(&share(a)));
            let (mut loud, mut quiet): (Vec<&str>, Vec<&str>) =
                by_share.into_iter().partition(|user| people.waking.contains(user));
            loud.truncate(LANES - quiet.len().min(QUIET_LANES));
            quiet.truncate(LANES - loud.len());
            single.retain(|user| loud.contains(user) || quiet.contains(user));
        }
        let left_out: Vec<&str> = users.iter().copied().filter(|user| !single.contains(user)).collect();
        let others = if left_out.is_empty() { None } else { Some(OTHERS) };
        let rows: Vec<&str> = single.into_iter().chain(others).chain([COLLISIONS, IDLE]).collect();
        let each = lanes && media.iter().all(|medium| exchanges::are_few(medium));
        let (lane, gap) = if each { HIGH_LANE } else { LANE };
        let detailed =
            users.len() <= DETAILED && media.iter().any(|medium| exchanges::has_categories(medium));
        let shares = 120.0 + if detailed && users.len() == DETAILED { 27.0 } else { 0.0 };
        let height = if lanes { (lane + gap) * rows.len() as f64 - gap } else { shares };
        let announces = media.iter().flat_map(|medium| &medium.lanes).any(|lane| lane.announces);
        let unit = if lanes && announces {
            "frame exchanges of each station with the access point, and its beacons and broadcasts"
        } else if lanes {
            "frame exchanges of each station with the access point"
        } else {
            "share of the time, by station"
        };
        let unit = unit.to_owned();
        let mut air = Air {
            number,
            title,
            unit,
            height,
            lanes,
            users,
            left_out,
            rows,
            each,
            summed: false,
            lane,
            gap,
            detailed,
        };
        air.summed = lanes && !each && columns.iter().any(|column| air.is_dense(column));
        Some(air)
    }

    /// Whether a lane of this column has exchanges that are too many and too narrow to be told apart.
    fn is_dense(&self, column: &Column<'_>) -> bool {
        let Some(medium) = column.shown.air.get(self.number) else { return false };
        let mut rows = self.rows.iter().filter(|row| **row != IDLE);
        rows.any(|row| {
            let own = self.own(row, medium);
            let count = own.iter().map(|lane| lane.turns.len()).sum::<usize>() as f64;
            let share = own.iter().map(|lane| lane.share).sum::<f64>();
            !is_rare(count, column) && share * column.wide() < NARROWEST * count
        })
    }

    /// Returns the lanes of a medium that share a row.
    fn own<'b>(&self, row: &str, medium: &'b AirPanel) -> Vec<&'b Lane> {
        match row {
            COLLISIONS => vec![&medium.collisions],
            OTHERS => {
                medium.lanes.iter().filter(|lane| self.left_out.contains(&lane.user.as_str())).collect()
            }
            user => medium.lanes.iter().filter(|lane| lane.user == user).collect(),
        }
    }

    /// Draws the names of the lanes, or the scale.
    pub fn labels(&self, people: &People<'_>, x: f64, y: f64) -> String {
        let end = attributes!["text-anchor": "end"];
        if !self.lanes {
            let shares = [(0.0, "0%"), (0.5, "50%"), (1.0, "100%")].into_iter();
            let label = |(share, words)| {
                svg::text(x, y + self.height * (1.0 - share) + 4.0, words, 11.0, QUIET, &[end])
            };
            return shares.map(label).collect();
        }
        let others = format!("{} {OTHERS}", self.left_out.len());
        let label = |(place, &row): (usize, &&str)| {
            let name = if row == OTHERS { &others } else { row };
            let at = y + place as f64 * (self.lane + self.gap) + self.lane - LIFT;
            let quiet = name == COLLISIONS || name == IDLE || people.is_quiet(name);
            svg::text(x, at, name, 11.0, if quiet { QUIET } else { INK }, &[end])
        };
        self.rows.iter().enumerate().map(label).collect()
    }

    /// Draws the lanes, or the stacked shares.
    pub fn draw(&self, column: &Column<'_>, people: &People<'_>, y: f64) -> String {
        match column.shown.air.get(self.number) {
            None => String::new(),
            Some(medium) if self.lanes => self.lanes(column, people, medium, y),
            Some(medium) => self.shares(column, people, medium, y),
        }
    }

    fn lanes(&self, column: &Column<'_>, people: &People<'_>, medium: &AirPanel, y: f64) -> String {
        let idle = idle(column, medium);
        let mut parts = String::new();
        for (place, &row) in self.rows.iter().enumerate() {
            let (top, high) = (y + place as f64 * (self.lane + self.gap), self.lane);
            let own = if row == IDLE { vec![&idle] } else { self.own(row, medium) };
            let colour = match row {
                COLLISIONS => INK,
                IDLE => GREYS[1],
                user => people.colour(user),
            };
            let share = own.iter().map(|lane| lane.share).sum::<f64>();
            parts += &svg::line((column.left, top + high), (column.right, top + high), GRID, &[]);
            let mut beside = percent(share);
            let single = own.first().filter(|_| self.each && ![COLLISIONS, IDLE, OTHERS].contains(&row));
            if let Some(lane) = single {
                parts += &exchanges::draw(column, lane, top, high, colour);
                let (mpdus, rate) = exchanges::in_short(lane);
                beside += &if mpdus.is_empty() { mpdus } else { format!(", {mpdus}") };
                let below = top + high - LIFT + HALF_LINE;
                parts += &svg::text(column.right + 6.0, below, &rate, 11.0, QUIET, &[]);
            } else {
                let tip = format!("{row}: {} of the time shown", percent(share));
                parts += &if self.summed {
                    heights(column, &own, (top, high), colour, &tip)
                } else {
                    let turns: Vec<_> = own.iter().flat_map(|lane| &lane.turns).collect();
                    let least = if is_rare(turns.len() as f64, column) { LEAST } else { 0.0 };
                    let spans = turns.into_iter().map(|&[from, to]| (column.x(from), column.x(to)));
                    svg::blocks(spans.map(|(x1, x2)| (x1, x2.max(x1 + least))), top, high, colour, &tip)
                };
            }
            let lift = LIFT + if single.is_some() { HALF_LINE } else { 0.0 };
            parts += &svg::text(column.right + 6.0, top + high - lift, &beside, 11.0, QUIET, &[]);
        }
        parts
    }

    fn shares(&self, column: &Column<'_>, people: &People<'_>, medium: &AirPanel, y: f64) -> String {
        let mut order: Vec<(&str, &Lane)> = self
            .users
            .iter()
            .filter_map(|user| Some((*user, medium.lanes.iter().find(|lane| lane.user == *user)?)))
            .collect();
        order.sort_by_key(|(user, _)| !people.is_quiet(user));
        let shown = order.into_iter().map(|(user, lane)| (user, lane, people.colour(user)));
        let layers = shown.chain([(COLLISIONS, &medium.collisions, INK)]).map(|(name, lane, fill)| Layer {
            values: &lane.bins,
            fill,
            tip: format!("{name}: {} of the time shown", percent(lane.share)),
        });
        let count = medium.collisions.bins.len();
        let xs = edges(column, count);
        svg::rect([column.left, y, column.wide(), self.height], EMPTY, "", OUTLINE)
            + &stacked(&xs, layers, |share| y + self.height * (1.0 - share))
            + &self.names(column, people, medium, y)
    }

    /// Draws the share of each kind of user, from top to bottom as stacked.
    fn names(&self, column: &Column<'_>, people: &People<'_>, medium: &AirPanel, y: f64) -> String {
        let mut kinds: Vec<(&str, f64, &str)> =
            vec![(IDLE, medium.idle, EMPTY), (COLLISIONS, medium.collisions.share, INK)];
        for lane in medium.lanes.iter().rev() {
            let user = lane.user.as_str();
            let kind = if self.users.len() <= NAMED { user } else { people.kind(user) };
            match kinds.iter_mut().find(|(name, ..)| *name == kind) {
                Some((_, share, _)) => *share += lane.share,
                None => kinds.push((kind, lane.share, swatch(people, user, kind))),
            }
        }
        let mut parts = String::new();
        let mut at = y + 4.0;
        for (kind, share, colour) in kinds {
            let outline = if kind == IDLE { OUTLINE } else { &[] };
            parts += &svg::rect([column.right + 6.0, at - 3.0, 8.0, 8.0], colour, "", outline);
            let (name, share) = (format!("{kind} "), percent(share));
            let words: [svg::Span<'_>; 2] = [(&name, &[]), (&share, attributes!["fill": QUIET])];
            parts += &svg::spans(column.right + 18.0, at + 5.0, &words, 11.0, &[]);
            let own = medium.lanes.iter().find(|lane| self.detailed && lane.user == kind);
            let facts = own.map(exchanges::in_short).map(|(mpdus, rate)| [mpdus, rate]);
            let facts: Vec<_> = facts.into_iter().flatten().filter(|words| !words.is_empty()).collect();
            if !facts.is_empty() {
                at += 12.0;
                parts += &svg::text(column.right + 6.0, at + 5.0, &facts.join(", "), 11.0, QUIET, &[]);
            }
            at += 15.0;
        }
        parts
    }
}

/// Whether this number of exchanges fills little of a lane at their least width.
fn is_rare(count: f64, column: &Column<'_>) -> bool {
    count * LEAST <= RARE * column.wide()
}

/// Draws the share of the time in each interval as the height within a lane.
fn heights(column: &Column<'_>, own: &[&Lane], (top, high): (f64, f64), colour: &str, tip: &str) -> String {
    let Some(count) = own.iter().map(|lane| lane.bins.len()).max() else { return String::new() };
    let share = |bin: usize| own.iter().filter_map(|lane| lane.bins.get(bin)).sum::<f64>();
    let height = |share: f64| if share > NOTHING { (share * high).clamp(TRACE, high) } else { 0.0 };
    let ends = edges(column, count);
    let ceiling: Vec<f64> = (0..count).map(|bin| top + high - height(share(bin))).collect();
    svg::area(&ends, &vec![top + high; count], &ceiling, colour, tip, &[])
}

/// Returns the ends of intervals along a time axis.
fn edges(column: &Column<'_>, count: usize) -> Vec<f64> {
    (0..=count).map(|bin| column.left + bin as f64 * column.wide() / count as f64).collect()
}

/// Returns the time in which nothing is on the air, as a lane.
fn idle(column: &Column<'_>, medium: &AirPanel) -> Lane {
    let busy = medium.lanes.iter().chain([&medium.collisions]);
    let sum = |bin| busy.clone().filter_map(|lane| lane.bins.get(bin)).sum::<f64>();
    let bins = (0..medium.collisions.bins.len()).map(|bin| (1.0 - sum(bin)).max(0.0)).collect();
    Lane { share: medium.idle, turns: gaps(column, medium), bins, ..Lane::default() }
}

/// Returns the times in which nothing is on the air.
fn gaps(column: &Column<'_>, medium: &AirPanel) -> Vec<[f64; 2]> {
    let turns = medium.lanes.iter().chain([&medium.collisions]).flat_map(|lane| &lane.turns);
    let mut busy: Vec<[f64; 2]> = turns.copied().collect();
    busy.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let starts = busy.iter().map(|turn| turn[0]).chain([column.shown.to]);
    let ends = [column.shown.from].into_iter().chain(busy.iter().map(|turn| turn[1]));
    ends.zip(starts).filter(|(end, start)| start > end).map(|(end, start)| [end, start]).collect()
}

/// Returns a user's colour, or the colour of its kind.
fn swatch(people: &People<'_>, user: &str, kind: &str) -> &'static str {
    if kind == user || people.by_device && !people.is_quiet(user) {
        return people.colour(user);
    }
    match (people.mixed, people.is_quiet(user)) {
        (true, true) => GREYS[0],
        (true, false) => ACCENTS[0],
        _ => shades(people.direction(user))[1],
    }
}

/// Writes a share as a percentage.
pub fn percent(share: f64) -> String {
    // The sum of no shares is -0; this makes it 0.
    let share = share + 0.0;
    if share > 0.0 && share < 0.001 {
        "< 0.1 %".to_owned()
    } else if share == 0.0 || share >= 0.0995 {
        format!("{:.0} %", 100.0 * share)
    } else {
        format!("{:.1} %", 100.0 * share)
    }
}

#[cfg(test)]
mod tests {
    use super::percent;

    #[test]
    fn no_shares_are_nothing() {
        assert_eq!(percent(std::iter::empty::<f64>().sum()), "0 %");
        assert_eq!([0.0004, 0.042, 0.5].map(percent), ["< 0.1 %", "4.2 %", "50 %"]);
    }
}
