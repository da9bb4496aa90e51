//! A run's sessions and shares of the air as tables: for those who cannot see the picture, and for exact values.

use super::air::percent;
use super::exchanges;
use crate::readable::{number, quantity};
use crate::timeline::{AirPanel, Bar, Timeline, Way};
use serde::Serialize;

/// The tables of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tables {
    /// The sessions of the run.
    pub sessions: Vec<SessionRow>,
    /// Whether the sessions have a fair share, so that its columns are not empty.
    pub fair: bool,
    /// The shares of the air.
    pub air: Vec<AirRow>,
    /// Whether there is EDCA, so that the rows of the air have all their facts.
    pub edca: bool,
}

/// A session in words; a text is empty if there is no value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SessionRow {
    /// Name of the flow.
    pub flow: String,
    /// The time of the request in seconds.
    pub start: String,
    /// Length of the session.
    pub bytes: String,
    /// Duration at the fair share.
    pub ideal: String,
    /// Duration until the last byte was sent.
    pub sent: String,
    /// Duration until the last byte was acknowledged.
    pub acked: String,
    /// Fairness index of the session.
    pub fairness: String,
}

/// A share of the air in words; a text is empty if there is no value.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AirRow {
    /// Name of the station.
    pub name: String,
    /// Share of the time shown.
    pub share: String,
    /// Name of the station that began the exchanges.
    pub by: String,
    /// Number of exchanges.
    pub exchanges: String,
    /// Number of exchanges that a block ack answered.
    pub block_acks: String,
    /// Mean number of MPDUs in an exchange.
    pub mpdus: String,
    /// Data rates of the exchanges.
    pub rate: String,
    /// Access categories of the exchanges.
    pub categories: String,
}

impl Tables {
    /// Returns the tables of a run.
    pub fn of(shown: &Timeline) -> Tables {
        Tables {
            sessions: shown.sessions.iter().map(session).collect(),
            fair: shown.sessions.iter().any(|bar| bar.session.ideal.is_some()),
            air: shown.air.iter().flat_map(rows).collect(),
            edca: shown.air.iter().any(exchanges::has_categories),
        }
    }
}

fn session(bar: &Bar) -> SessionRow {
    let time = |seconds: Option<f64>| seconds.map(|seconds| quantity(seconds, "s", 3));
    SessionRow {
        flow: bar.session.flow.clone(),
        start: format!("{:.4}", bar.session.start),
        bytes: quantity(bar.session.bytes as f64, "byte", 4),
        ideal: time(bar.session.ideal).unwrap_or_default(),
        sent: time(bar.session.sent).unwrap_or_else(|| "not ended".to_owned()),
        acked: time(bar.session.acked).unwrap_or_else(|| "not ended".to_owned()),
        fairness: bar.fairness_sent.map(|index| number(index, 3)).unwrap_or_default(),
    }
}

/// Returns the shares of a medium; with EDCA, a row for each direction.
fn rows(medium: &AirPanel) -> Vec<AirRow> {
    let row =
        |name: &str, share: f64| AirRow { name: name.to_owned(), share: percent(share), ..AirRow::default() };
    let edca = exchanges::has_categories(medium);
    let mut all = Vec::new();
    for lane in &medium.lanes {
        let ways = [("access point", &lane.down), ("station", &lane.up)];
        let ways = ways.into_iter().filter_map(|(by, way)| Some((by, way.as_ref()?)));
        let before = all.len();
        all.extend(ways.filter(|_| edca).map(|(by, way)| summed(row(&lane.user, way.share), by, way)));
        if all.len() == before {
            all.push(row(&lane.user, lane.share));
        }
    }
    all.push(row("collisions", medium.collisions.share));
    all.push(row("idle", medium.idle));
    all
}

/// Returns `row` with the exchanges of one direction in words.
fn summed(row: AirRow, by: &str, way: &Way) -> AirRow {
    let category = |(name, share): &(String, f64)| format!("{} {}", exchanges::called(name), percent(*share));
    AirRow {
        by: by.to_owned(),
        exchanges: way.exchanges.to_string(),
        block_acks: way.block_acks.to_string(),
        mpdus: number(way.mpdus, 3),
        rate: exchanges::rates(way),
        categories: way.categories.iter().map(category).collect::<Vec<_>>().join(", "),
        ..row
    }
}
