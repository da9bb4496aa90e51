//! Who has a medium, and when.

use crate::outcome::AirRecord;
use serde::Serialize;

/// Intervals of time in which shares of the air are given.
const BINS: usize = 280;
/// Turns on the air that are given one by one; of more only the shares are.
const TURNS: usize = 6000;

/// A medium over time. Of a station is the air of the frame exchanges between it and the access point, whoever sends.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AirPanel {
    /// The wireless network.
    pub wlan: String,
    /// Length of the intervals of `Lane::bins`, in seconds.
    pub bin: f64,
    /// One for each station that had the air, in the scenario's order.
    pub lanes: Vec<Lane>,
    /// When frames of several stations were on the air.
    pub collisions: Lane,
    /// Share of the time in which nothing was on the air.
    pub idle: f64,
    /// Whether `Lane::turns` holds every turn; otherwise it holds none, because there are too many to see.
    pub every_turn: bool,
}

/// One station's share of the air.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Lane {
    /// The station; nobody for collisions.
    pub user: String,
    /// Its share of the time shown.
    pub share: f64,
    /// Its share of each interval.
    pub bins: Vec<f64>,
    /// From when to when, in seconds since the start of the run.
    pub turns: Vec<[f64; 2]>,
}

/// Time on the air, for a station or lost in a collision.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Piece {
    user: Option<u32>,
    start: f64,
    end: f64,
}

impl AirPanel {
    /// The turns between `from` and `to`, summed up.
    pub(super) fn new(air: &AirRecord, from: f64, to: f64) -> AirPanel {
        let pieces: Vec<_> =
            pieces(air).into_iter().filter(|piece| piece.end > from && piece.start < to).collect();
        let every_turn = pieces.len() <= TURNS;
        let bin = (to - from) / BINS as f64;
        let lane = |user: Option<u32>| {
            let mut lane = Lane {
                user: user.map_or_else(String::new, |user| air.stations[user as usize].clone()),
                bins: vec![0.0; BINS],
                ..Lane::default()
            };
            for piece in pieces.iter().filter(|piece| piece.user == user) {
                lane.add(piece.start.max(from), piece.end.min(to), (from, bin), every_turn);
            }
            lane.bins.iter_mut().for_each(|share| *share /= bin);
            lane.share /= to - from;
            lane
        };
        let lanes: Vec<_> = (0..air.stations.len() as u32).map(|user| lane(Some(user))).collect();
        let lanes: Vec<_> = lanes.into_iter().filter(|lane| lane.share > 0.0).collect();
        let collisions = lane(None);
        let busy: f64 = lanes.iter().map(|lane| lane.share).sum::<f64>() + collisions.share;
        AirPanel { wlan: air.wlan.clone(), bin, lanes, collisions, idle: (1.0 - busy).max(0.0), every_turn }
    }
}

impl Lane {
    fn add(&mut self, start: f64, end: f64, (from, bin): (f64, f64), keep: bool) {
        self.share += end - start;
        if keep {
            self.turns.push([start, end]);
        }
        let first = ((start - from) / bin) as usize;
        for (index, share) in self.bins.iter_mut().enumerate().skip(first) {
            let (low, high) = (from + index as f64 * bin, from + (index + 1) as f64 * bin);
            if low >= end {
                break;
            }
            *share += (end.min(high) - start.max(low)).max(0.0);
        }
    }
}

/// The time on the air, each moment once and in order. Frames that collide begin together; where one of them is captured, the
/// rest of its exchange is its station's. Stations that miss each other's frames may overlap otherwise: then the first
/// has the air.
fn pieces(air: &AirRecord) -> Vec<Piece> {
    let mut turns: Vec<usize> = (0..air.start.len()).collect();
    turns.sort_by(|&a, &b| {
        let start = air.start[a].total_cmp(&air.start[b]);
        start.then(air.collided[b].cmp(&air.collided[a])).then(air.end[a].total_cmp(&air.end[b]))
    });
    let mut busy_until = 0.0;
    let mut pieces = Vec::with_capacity(turns.len());
    for turn in turns {
        // The access point is the first station.
        let station = if air.from[turn] == 0 { air.to[turn] } else { air.from[turn] };
        let user = (!air.collided[turn]).then_some(station);
        let (start, end) = (f64::max(air.start[turn], busy_until), air.end[turn]);
        if start < end {
            pieces.push(Piece { user, start, end });
            busy_until = end;
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From, to, start, end, collided.
    fn air(turns: &[(u32, u32, f64, f64, bool)]) -> AirRecord {
        let mut air = AirRecord {
            wlan: "wlan".into(),
            stations: ["ap", "a", "b"].map(String::from).to_vec(),
            ..AirRecord::default()
        };
        for &(from, to, start, end, collided) in turns {
            air.from.push(from);
            air.to.push(to);
            air.start.push(start);
            air.end.push(end);
            air.bytes.push(100);
            air.acknowledged.push(!collided);
            air.collided.push(collided);
        }
        air
    }

    #[test]
    fn each_moment_has_one_owner() {
        let air = air(&[
            (0, 1, 1.0, 2.0, false),
            (2, 0, 3.0, 4.0, true),
            (0, 1, 3.0, 5.0, true),
            (0, 2, 6.0, 7.0, true),
            (1, 0, 6.0, 8.0, false),
        ]);
        let piece = |user, start, end| Piece { user, start, end };
        let wanted = [
            piece(Some(1), 1.0, 2.0),
            piece(None, 3.0, 4.0),
            piece(None, 4.0, 5.0),
            piece(None, 6.0, 7.0),
            piece(Some(1), 7.0, 8.0),
        ];
        assert_eq!(pieces(&air), wanted);
        let panel = AirPanel::new(&air, 0.0, 10.0);
        assert_eq!((panel.lanes.len(), panel.lanes[0].user.as_str()), (1, "a"));
        assert!((panel.lanes[0].share - 0.2).abs() < 1e-12 && (panel.collisions.share - 0.3).abs() < 1e-12);
        assert!((panel.idle - 0.5).abs() < 1e-12);
        assert_eq!(panel.lanes[0].turns, [[1.0, 2.0], [7.0, 8.0]]);
    }

    #[test]
    fn bins_hold_what_falls_into_them_and_ends_are_cut_off() {
        let panel = AirPanel::new(&air(&[(1, 0, 0.0, 2.5, false), (1, 0, 9.0, 12.0, false)]), 1.0, 11.0);
        let lane = &panel.lanes[0];
        assert_eq!(lane.turns, [[1.0, 2.5], [9.0, 11.0]]);
        assert!((lane.share - 0.35).abs() < 1e-12);
        let binned: f64 = lane.bins.iter().sum::<f64>() * panel.bin;
        assert!((binned - 3.5).abs() < 1e-9 && lane.bins.iter().all(|&share| share <= 1.0 + 1e-9));
    }
}
