//! Who has a medium, and when.

use crate::outcome::AirRecord;
use serde::Serialize;

/// Number of intervals of time for which shares of the air are given.
const BINS: usize = 280;
/// Index of the access point among the stations.
const ACCESS_POINT: u32 = 0;
/// Most turns on the air that are given one by one; if there are more, only the shares are given.
const TURNS: usize = 6000;

/// A medium over time. A station has the air of the frame exchanges between it and the access point, whoever sends; the access point that of
/// its beacons and broadcasts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AirPanel {
    /// Name of the wireless network.
    pub wlan: String,
    /// Length of the intervals of `Lane::bins` in seconds.
    pub bin: f64,
    /// A lane for each station that had the air, in the scenario's order.
    pub lanes: Vec<Lane>,
    /// Time in which frames of several stations were on the air.
    pub collisions: Lane,
    /// Share of the time in which nothing was on the air.
    pub idle: f64,
    /// Whether `Lane::turns` holds every turn; otherwise it holds none, because there are too many to see.
    pub every_turn: bool,
}

/// One station's share of the air.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Lane {
    /// Name of the station; empty for collisions.
    pub user: String,
    /// Whether it is the access point's, which has beacons and broadcasts.
    pub announces: bool,
    /// Share of the time shown.
    pub share: f64,
    /// Share of each interval.
    pub bins: Vec<f64>,
    /// Starts and ends of turns, in seconds since the start of the run.
    pub turns: Vec<[f64; 2]>,
    /// Facts about each entry of `turns`.
    pub exchanges: Exchanges,
    /// The exchanges in the time shown that the access point began; `None` without any, and for collisions.
    pub down: Option<Way>,
    /// The exchanges in the time shown that the station began; `None` without any, and for collisions.
    pub up: Option<Way>,
}

/// Frame exchanges: the columns of a table.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Exchanges {
    /// Whether the access point began the exchange.
    pub down: Vec<bool>,
    /// MPDUs with data: several in an A-MPDU, none in a block ack request or a beacon.
    pub mpdus: Vec<u16>,
    /// MPDUs with data that arrived; none of a broadcast.
    pub arrived: Vec<u16>,
    /// Bytes above the MAC; with EDCA the bytes of the PSDU.
    pub bytes: Vec<u32>,
    /// Rate of the data in bit/s.
    pub rate: Vec<f64>,
    /// The access category; `None` where there is DCF, and of a beacon.
    pub category: Vec<Option<String>>,
    /// When the answer began, an ACK or a block ack; `None` if there was none.
    pub answered: Vec<Option<f64>>,
    /// Whether the answer was a block ack.
    pub block_ack: Vec<bool>,
}

/// Sums over the exchanges of a station and the access point that one of the two began.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Way {
    /// Share of the time shown.
    pub share: f64,
    /// Number of exchanges.
    pub exchanges: usize,
    /// Number of exchanges that a block ack answered.
    pub block_acks: usize,
    /// Mean number of MPDUs with data.
    pub mpdus: f64,
    /// The data rates in bit/s, lowest first, each with its share of the time shown.
    pub rates: Vec<(f64, f64)>,
    /// The access categories, each with its share of the time shown; none where there is DCF.
    pub categories: Vec<(String, f64)>,
}

/// Time on the air, for a station or lost in a collision.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Piece {
    user: Option<u32>,
    start: f64,
    end: f64,
    /// Index of the turn that the piece is part of.
    turn: usize,
}

impl AirPanel {
    /// Sums up the turns between `from` and `to`.
    pub(super) fn new(air: &AirRecord, from: f64, to: f64) -> AirPanel {
        let pieces: Vec<_> =
            pieces(air).into_iter().filter(|piece| piece.end > from && piece.start < to).collect();
        let every_turn = pieces.len() <= TURNS;
        let bin = (to - from) / BINS as f64;
        let lane = |user: Option<u32>| {
            let mut lane = Lane {
                user: user.map_or_else(String::new, |user| air.stations[user as usize].clone()),
                announces: user == Some(ACCESS_POINT),
                bins: vec![0.0; BINS],
                ..Lane::default()
            };
            for piece in pieces.iter().filter(|piece| piece.user == user) {
                let (start, end) = (piece.start.max(from), piece.end.min(to));
                lane.add(start, end, (from, bin), every_turn);
                if every_turn {
                    lane.exchanges.add(air, piece.turn);
                }
                if user.is_some() {
                    let is_down = air.from[piece.turn] == ACCESS_POINT;
                    let way = if is_down { &mut lane.down } else { &mut lane.up };
                    way.get_or_insert_default().add(air, piece.turn, (end - start) / (to - from));
                }
            }
            [&mut lane.down, &mut lane.up].into_iter().flatten().for_each(Way::average);
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

impl Exchanges {
    fn add(&mut self, air: &AirRecord, turn: usize) {
        self.down.push(air.from[turn] == ACCESS_POINT);
        self.mpdus.push(air.mpdus[turn]);
        self.arrived.push(air.arrived[turn]);
        self.bytes.push(air.bytes[turn]);
        self.rate.push(air.rate[turn]);
        self.category.push(air.category[turn].clone());
        self.answered.push(air.answered[turn]);
        self.block_ack.push(air.block_ack[turn]);
    }
}

impl Way {
    fn add(&mut self, air: &AirRecord, turn: usize, share: f64) {
        self.share += share;
        self.exchanges += 1;
        self.block_acks += usize::from(air.block_ack[turn]);
        self.mpdus += f64::from(air.mpdus[turn]);
        let rate = air.rate[turn];
        let place = self.rates.partition_point(|&(other, _)| other < rate);
        if self.rates.get(place).is_none_or(|&(other, _)| other != rate) {
            self.rates.insert(place, (rate, 0.0));
        }
        self.rates[place].1 += share;
        if let Some(category) = &air.category[turn] {
            match self.categories.iter_mut().find(|(other, _)| other == category) {
                Some((_, sum)) => *sum += share,
                None => self.categories.push((category.clone(), share)),
            }
        }
    }

    /// Turns sums into means.
    fn average(&mut self) {
        self.mpdus /= self.exchanges as f64;
    }
}

/// Splits the time on the air into pieces that do not overlap, in order. Frames that collide begin together; if one of them
/// is captured, the rest of its exchange is its station's. Stations that miss each other's frames may overlap in other ways:
/// then the first one has the air.
fn pieces(air: &AirRecord) -> Vec<Piece> {
    let mut turns: Vec<usize> = (0..air.start.len()).collect();
    turns.sort_by(|&a, &b| {
        let start = air.start[a].total_cmp(&air.start[b]);
        start.then(air.collided[b].cmp(&air.collided[a])).then(air.end[a].total_cmp(&air.end[b]))
    });
    let mut busy_until = 0.0;
    let mut pieces = Vec::with_capacity(turns.len());
    for turn in turns {
        let station = if air.from[turn] == ACCESS_POINT { air.to[turn] } else { air.from[turn] };
        let user = (!air.collided[turn]).then_some(station);
        let (start, end) = (f64::max(air.start[turn], busy_until), air.end[turn]);
        if start < end {
            pieces.push(Piece { user, start, end, turn });
            busy_until = end;
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes turns from their `from`, `to`, `start`, `end` and `collided`.
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
            let aggregate = if from == 0 { 3 } else { 1 };
            air.category.push((from == 0).then(|| "be".to_owned()));
            air.mpdus.push(aggregate);
            air.arrived.push(if collided { 0 } else { aggregate });
            air.rate.push(if to == 0 { 1e6 } else { 2e6 });
            air.answered.push((!collided).then_some(end - 0.1));
            air.block_ack.push(from == 0 && !collided);
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
        let piece = |turn, user, start, end| Piece { user, start, end, turn };
        let wanted = [
            piece(0, Some(1), 1.0, 2.0),
            piece(1, None, 3.0, 4.0),
            piece(2, None, 4.0, 5.0),
            piece(3, None, 6.0, 7.0),
            piece(4, Some(1), 7.0, 8.0),
        ];
        assert_eq!(pieces(&air), wanted);
        let panel = AirPanel::new(&air, 0.0, 10.0);
        assert_eq!((panel.lanes.len(), panel.lanes[0].user.as_str()), (1, "a"));
        assert!((panel.lanes[0].share - 0.2).abs() < 1e-12 && (panel.collisions.share - 0.3).abs() < 1e-12);
        assert!((panel.idle - 0.5).abs() < 1e-12);
        assert_eq!(panel.lanes[0].turns, [[1.0, 2.0], [7.0, 8.0]]);
        let Exchanges { down, mpdus, block_ack, answered, .. } = &panel.lanes[0].exchanges;
        assert_eq!((&down[..], &mpdus[..]), (&[true, false][..], &[3, 1][..]));
        assert_eq!((&block_ack[..], &answered[..]), (&[true, false][..], &[Some(1.9), Some(7.9)][..]));
    }

    #[test]
    fn beacons_and_broadcasts_are_the_access_points() {
        let panel = AirPanel::new(&air(&[(0, 0, 1.0, 2.0, false), (0, 1, 3.0, 4.0, false)]), 0.0, 10.0);
        let lanes: Vec<_> = panel.lanes.iter().map(|lane| (lane.user.as_str(), lane.announces)).collect();
        assert_eq!(lanes, [("ap", true), ("a", false)]);
        assert!((panel.idle - 0.8).abs() < 1e-12, "{}", panel.idle);
    }

    #[test]
    fn each_direction_is_summed_up() {
        let panel = AirPanel::new(
            &air(&[(0, 1, 0.0, 1.0, false), (0, 1, 2.0, 3.0, false), (1, 0, 4.0, 8.0, false)]),
            0.0,
            10.0,
        );
        let lane = &panel.lanes[0];
        let (Some(down), Some(up)) = (&lane.down, &lane.up) else { panic!("{lane:?}") };
        assert_eq!((down.exchanges, down.block_acks, down.mpdus), (2, 2, 3.0));
        assert_eq!((&down.rates[..], &up.rates[..]), (&[(2e6, 0.2)][..], &[(1e6, 0.4)][..]));
        assert_eq!(down.categories, [("be".to_owned(), 0.2)]);
        assert_eq!((up.exchanges, up.block_acks, up.categories.len()), (1, 0, 0));
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
