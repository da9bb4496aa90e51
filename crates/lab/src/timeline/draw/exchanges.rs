//! Frame exchanges drawn one by one: aggregates, answers, access categories and rates, in networks with EDCA.

use super::scene::Column;
use super::svg::{self, HALO, attributes};
use crate::readable::{Scale, number, quantity};
use crate::theme::INK;
use crate::timeline::{AirPanel, Lane, Timeline, Way};
use serde::Serialize;

/// Access categories by the names that people use.
const CATEGORIES: [(&str, &str); 4] =
    [("bk", "background"), ("be", "best effort"), ("vi", "video"), ("vo", "voice")];
/// The usual category, which pictures do not name.
const USUAL: &str = "be";
/// Approximate number of exchanges of a run that are shown one by one. If the whole picture has no more than twice as many, all
/// of them are.
const MOST: usize = 50;
/// Exchanges narrower than this, in pixels, show neither their answer nor the station that began them.
const VISIBLE: f64 = 3.0;
const SIZE: f64 = 11.0;

/// Returns the sums over exchanges, for each station and direction.
fn ways(medium: &AirPanel) -> impl Iterator<Item = &Way> {
    medium.lanes.iter().flat_map(|lane| [&lane.down, &lane.up]).flatten()
}

/// Whether a medium has EDCA.
pub fn has_categories(medium: &AirPanel) -> bool {
    ways(medium).any(|way| !way.categories.is_empty())
}

/// Whether exchanges are so few that all are shown one by one, without an excerpt.
pub fn are_few(medium: &AirPanel) -> bool {
    has_categories(medium) && medium.every_turn && count(medium) <= 2 * MOST
}

fn count(medium: &AirPanel) -> usize {
    ways(medium).map(|way| way.exchanges).sum::<usize>() + medium.collisions.turns.len()
}

/// Returns the part of the time whose exchanges a picture of all runs shows one by one; `None` without EDCA, or if the picture
/// shows all exchanges.
pub fn excerpt<'a>(runs: impl Iterator<Item = &'a Timeline>, from: f64, to: f64) -> Option<(f64, f64)> {
    let media: Vec<_> = runs.flat_map(|run| &run.air).filter(|medium| has_categories(medium)).collect();
    if media.iter().all(|medium| are_few(medium)) {
        return None;
    }
    let most = media.iter().map(|medium| count(medium)).max()?;
    let longest = (to - from) * MOST as f64 / most as f64;
    let mut length = libm::pow(10.0, libm::log10(longest).floor());
    length *= [5.0, 2.0].into_iter().find(|factor| length * factor <= longest).unwrap_or(1.0);
    let begin = (f64::midpoint(from, to) / length).floor() * length;
    (from <= begin && begin + length <= to).then_some((begin, begin + length))
}

/// Draws the exchanges of a station: those that the access point began in full colour, those that the station began in a pale
/// one, and block acks as bars at the ends.
pub fn draw(column: &Column<'_>, lane: &Lane, top: f64, high: f64, colour: &str) -> String {
    let mut parts = String::new();
    let rows = &lane.exchanges;
    for (place, &[start, end]) in lane.turns.iter().enumerate() {
        let x1 = column.x(start);
        let x2 = column.x(end).max(x1 + 1.0);
        let pale = !rows.down[place] && x2 - x1 >= VISIBLE;
        let look = attributes!["fill-opacity": 0.4, "stroke": colour, "stroke-width": 0.75];
        let tip = told(lane, start, place);
        parts += &svg::rect([x1, top, x2 - x1, high], colour, &tip, if pale { look } else { &[] });
        let words = label(lane, place);
        let mut room = x2 - x1;
        // The end of the time shown may cut off an exchange before its answer.
        let answered = rows.answered[place].filter(|&at| rows.block_ack[place] && at < end);
        if let Some(answered) = answered.filter(|_| room >= VISIBLE) {
            let answer = column.x(answered).min(x2 - 1.5);
            parts += &svg::rect([answer, top, x2 - answer, high], INK, "", &[]);
            room = answer - x1;
        }
        if !words.is_empty() && svg::width(&words, SIZE) + 3.0 <= room {
            let look = attributes!["text-anchor": "middle"];
            parts += &svg::text(x1 + room / 2.0, top + high - 5.0, &words, SIZE, INK, &[look, HALO]);
        }
    }
    parts
}

/// An exchange on the air, in words.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Told {
    /// When the exchange began, in seconds since the start of the run.
    pub from: f64,
    /// When the exchange ended, in seconds since the start of the run.
    pub to: f64,
    /// The facts about the exchange.
    pub words: String,
}

/// Returns all exchanges of a run, in the order of time; none if they are too many to be told apart.
pub fn all(run: &Timeline) -> Vec<Told> {
    let mut all = Vec::new();
    for medium in &run.air {
        for lane in &medium.lanes {
            all.extend(lane.turns.iter().enumerate().map(|(place, &[from, to])| Told {
                from,
                to,
                words: told(lane, from, place),
            }));
        }
        let collided = |&[from, to]: &[f64; 2]| Told { from, to, words: format!("{from:.6} s: a collision") };
        all.extend(medium.collisions.turns.iter().map(collided));
    }
    all.sort_by(|a, b| a.from.total_cmp(&b.from));
    all
}

/// Returns the words on an exchange: the number of MPDUs of an A-MPDU, and the category if it is not the usual one.
fn label(lane: &Lane, place: usize) -> String {
    let rows = &lane.exchanges;
    let category = rows.category[place].as_deref().filter(|name| *name != USUAL).unwrap_or("");
    let mpdus = match rows.mpdus[place] {
        0 if !lane.announces => "BAR".to_owned(),
        0 | 1 => String::new(),
        several => several.to_string(),
    };
    format!("{category} {mpdus}").trim().to_owned()
}

/// Describes an exchange in words.
fn told(lane: &Lane, start: f64, place: usize) -> String {
    let Lane { user, exchanges: rows, .. } = lane;
    let bytes = || quantity(f64::from(rows.bytes[place]), "byte", 3);
    if lane.announces {
        let kind = if rows.mpdus[place] == 0 { "beacon" } else { "broadcast" };
        return format!("{start:.6} s from {user}: {kind}, {} at {}", bytes(), rate(rows.rate[place]));
    }
    let way = if rows.down[place] { "to" } else { "from" };
    let category =
        rows.category[place].as_deref().map_or(String::new(), |name| format!(", {}", called(name)));
    let (mpdus, arrived) = (rows.mpdus[place], rows.arrived[place]);
    let carried = if mpdus == 0 {
        "block ack request".to_owned()
    } else {
        let plural = if mpdus == 1 { "MPDU" } else { "MPDUs" };
        let lost = match arrived {
            _ if arrived == mpdus => String::new(),
            0 => ", lost".to_owned(),
            _ => format!(", {arrived} of which arrive"),
        };
        format!("{mpdus} {plural}{lost}, {} at {}", bytes(), rate(rows.rate[place]))
    };
    let answer = match rows.answered[place] {
        None => "",
        Some(_) if rows.block_ack[place] => ", block ack",
        Some(_) => ", ACK",
    };
    format!("{start:.6} s {way} {user}: {carried}{category}{answer}")
}

/// Returns the name that people use for an access category.
pub fn called(category: &str) -> &str {
    CATEGORIES.iter().find(|(name, _)| *name == category).map_or(category, |(_, called)| called)
}

fn rate(bits: f64) -> String {
    quantity(bits, "bit/s", 3)
}

/// Writes the data rates of exchanges: one, or the lowest and the highest, with one unit behind both if they have the same.
pub fn rates(way: &Way) -> String {
    let (Some(&(lowest, _)), Some(&(highest, _))) = (way.rates.first(), way.rates.last()) else {
        return String::new();
    };
    let [low, high] = [lowest, highest].map(|bits| Scale::of(bits, "bit/s"));
    if lowest == highest {
        rate(highest)
    } else if low == high {
        format!("{} to {}", number(lowest / low.factor, 3), rate(highest))
    } else {
        format!("{} to {}", rate(lowest), rate(highest))
    }
}

/// Writes a station's aggregates and rates in its main direction: `3 MPDUs`, `7.2 Mb/s`.
pub fn in_short(lane: &Lane) -> (String, String) {
    let ways = [&lane.down, &lane.up].into_iter().flatten();
    let main = ways.reduce(|main, other| if other.share > main.share { other } else { main });
    let Some(way) = main.filter(|way| !way.categories.is_empty()) else { return Default::default() };
    let mpdus = if way.mpdus >= 9.95 {
        way.mpdus.round_ties_even()
    } else {
        format!("{:.1}", way.mpdus).parse().unwrap_or(way.mpdus)
    };
    let mpdus = number(mpdus, 4);
    (format!("{mpdus} MPDU{}", if mpdus == "1" { "" } else { "s" }), rates(way))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::Exchanges;

    #[test]
    fn a_beacon_and_a_broadcast_are_called_so() {
        let exchanges = Exchanges {
            down: vec![true; 2],
            mpdus: vec![0, 1],
            arrived: vec![0; 2],
            bytes: vec![300, 1536],
            rate: vec![1e6, 24e6],
            category: vec![None, Some("be".to_owned())],
            answered: vec![None; 2],
            block_ack: vec![false; 2],
        };
        let lane = Lane { user: "ap".to_owned(), announces: true, exchanges, ..Lane::default() };
        assert_eq!([label(&lane, 0), label(&lane, 1)], ["", ""]);
        assert_eq!(told(&lane, 0.5, 0), "0.500000 s from ap: beacon, 300 B at 1 Mb/s");
        assert_eq!(told(&lane, 0.5, 1), "0.500000 s from ap: broadcast, 1.54 kB at 24 Mb/s");
    }

    #[test]
    fn each_of_two_rates_has_its_own_unit_unless_both_have_one() {
        for (rates_of, shown) in [
            (vec![], ""),
            (vec![54e6], "54 Mb/s"),
            (vec![6.5e6, 13e6, 54e6], "6.5 to 54 Mb/s"),
            (vec![1.081e9, 1.201e9], "1.08 to 1.2 Gb/s"),
            (vec![144.1e6, 1.201e9], "144 Mb/s to 1.2 Gb/s"),
        ] {
            let rates_of = rates_of.into_iter().map(|rate| (rate, 0.1)).collect();
            assert_eq!(rates(&Way { rates: rates_of, ..Default::default() }), shown);
        }
    }
}
