//! The panel of a medium: its users' transmissions.

use super::exchanges;
use super::scene::{ACCENTS, Column, Layer, People, stacked};
use super::svg::{self, attributes};
use crate::theme::{EMPTY, GREYS, GRID, INK, QUIET, shades};
use crate::timeline::{AirPanel, Lane};

/// Maximum number of separate lanes; the other users share one.
const LANES: usize = 9;
/// Lanes kept for users that transfer all the time while others wake up: they hold the air.
const QUIET_LANES: usize = 3;
/// Maximum number of users named one by one beside stacked shares.
const NAMED: usize = 7;
/// The height of lanes and the gap between them.
const LANE: (f64, f64) = (13.0, 4.0);
/// The same where exchanges are drawn one by one, with their facts in two lines on the right.
const HIGH_LANE: (f64, f64) = (18.0, 13.0);
/// Distance of the baselines of a lane's words from its end.
const LIFT: f64 = 2.5;
/// Half the distance of the two lines of a lane's facts. The next lane's are further away, so that these stay together.
const HALF_LINE: f64 = 6.0;
/// Maximum number of users whose aggregates and rates have room beside stacked shares.
const DETAILED: usize = 4;
const OTHERS: &str = "others";
const COLLISIONS: &str = "collisions";
const IDLE: &str = "idle";

/// One medium of each column: a lane for each user, or stacked shares if single frames are too many to see.
pub struct Air<'a> {
    number: usize,
    /// The panel's name.
    pub title: String,
    /// The words behind the title: the meaning of bars or shares.
    pub unit: String,
    /// Its height.
    pub height: f64,
    /// Whether each user has a lane.
    lanes: bool,
    users: Vec<&'a str>,
    /// Users without a lane of their own.
    left_out: Vec<&'a str>,
    rows: Vec<&'a str>,
    /// Whether exchanges are drawn one by one.
    each: bool,
    lane: f64,
    gap: f64,
    detailed: bool,
}

impl<'a> Air<'a> {
    /// The medium of this number, with the same lanes in all columns; `None` where no column has it.
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
        if lanes && users.len() > LANES {
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
        let unit = if lanes {
            "frame exchanges of each station with the access point"
        } else {
            "share of the time, by station"
        };
        let unit = unit.to_owned();
        Some(Air { number, title, unit, height, lanes, users, left_out, rows, each, lane, gap, detailed })
    }

    /// The lanes' names, or the scale.
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

    /// The lanes, or the stacked shares.
    pub fn draw(&self, column: &Column<'_>, people: &People<'_>, y: f64) -> String {
        match column.shown.air.get(self.number) {
            None => String::new(),
            Some(medium) if self.lanes => self.lanes(column, people, medium, y),
            Some(medium) => self.shares(column, people, medium, y),
        }
    }

    fn lanes(&self, column: &Column<'_>, people: &People<'_>, medium: &AirPanel, y: f64) -> String {
        let idle = Lane { share: medium.idle, turns: gaps(column, medium), ..Lane::default() };
        let lanes = || medium.lanes.iter();
        let mut parts = String::new();
        for (place, &row) in self.rows.iter().enumerate() {
            let (top, high) = (y + place as f64 * (self.lane + self.gap), self.lane);
            let own: Vec<&Lane> = match row {
                COLLISIONS => vec![&medium.collisions],
                IDLE => vec![&idle],
                OTHERS => lanes().filter(|lane| self.left_out.contains(&lane.user.as_str())).collect(),
                user => lanes().filter(|lane| lane.user == user).collect(),
            };
            let colour = match row {
                COLLISIONS => INK,
                IDLE => EMPTY,
                user => people.colour(user),
            };
            // Collisions are rare and short: keep them wide enough to see.
            let least = if row == COLLISIONS { 1.2 } else { 0.0 };
            let share = own.iter().map(|lane| lane.share).sum::<f64>();
            parts += &svg::line((column.left, top + high), (column.right, top + high), GRID, &[]);
            let mut beside = percent(share);
            let single = own.first().filter(|_| self.each && ![COLLISIONS, IDLE, OTHERS].contains(&row));
            if let Some(lane) = single {
                parts += &exchanges::draw(column, lane, top, high, colour);
                let (mpdus, rate) = exchanges::in_short(lane);
                beside += &format!(", {mpdus}");
                let below = top + high - LIFT + HALF_LINE;
                parts += &svg::text(column.right + 6.0, below, &rate, 11.0, QUIET, &[]);
            } else {
                let turns = own.iter().flat_map(|lane| &lane.turns);
                let spans = turns.map(|&[from, to]| (column.x(from), column.x(to)));
                let spans = spans.map(|(x1, x2)| (x1, x2.max(x1 + least)));
                let tip = format!("{row}: {} of the time shown", percent(share));
                parts += &svg::blocks(spans, top, high, colour, &tip);
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
        let xs: Vec<f64> =
            (0..=count).map(|bin| column.left + bin as f64 * column.wide() / count as f64).collect();
        svg::rect([column.left, y, column.wide(), self.height], EMPTY, "", &[])
            + &stacked(&xs, layers, |share| y + self.height * (1.0 - share))
            + &self.names(column, people, medium, y)
    }

    /// The share of each kind of user, from top to bottom as stacked.
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
            parts += &svg::rect([column.right + 6.0, at - 3.0, 8.0, 8.0], colour, "", &[]);
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

/// The times in which nothing is on the air.
fn gaps(column: &Column<'_>, medium: &AirPanel) -> Vec<[f64; 2]> {
    let turns = medium.lanes.iter().chain([&medium.collisions]).flat_map(|lane| &lane.turns);
    let mut busy: Vec<[f64; 2]> = turns.copied().collect();
    busy.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let starts = busy.iter().map(|turn| turn[0]).chain([column.shown.to]);
    let ends = [column.shown.from].into_iter().chain(busy.iter().map(|turn| turn[1]));
    ends.zip(starts).filter(|(end, start)| start > end).map(|(end, start)| [end, start]).collect()
}

/// A user's colour, or the colour of its kind.
fn swatch(people: &People<'_>, user: &str, kind: &str) -> &'static str {
    if kind == user {
        return people.colour(user);
    }
    match (people.mixed, people.is_quiet(user)) {
        (true, true) => GREYS[0],
        (true, false) => ACCENTS[0],
        _ => shades(people.direction(user))[1],
    }
}

/// A share as a percentage.
pub fn percent(share: f64) -> String {
    // The sum of no shares is -0.
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
