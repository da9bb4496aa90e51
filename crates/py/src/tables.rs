//! An outcome's records as tables: a column for each quantity, with its unit.

use crate::table::Table;
use airfair_core::counters::{self, Counter, declared};
use airfair_lab::{
    AirRecord, Counted, FlowRecord, LinkRecord, MetricValue, Outcome, SeriesRecord, SessionRecord,
    StationRecord,
};
use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, StringArray, UInt32Array, UInt64Array};
use arrow_schema::{DataType, Field};
use std::sync::Arc;

/// A column of a table.
pub type Column = (Field, ArrayRef);

/// Returns one row for each flow.
pub fn flows(records: &[FlowRecord]) -> Table {
    let mut columns = vec![
        text("flow", records, |r| &r.name),
        text("from", records, |r| &r.from),
        text("to", records, |r| &r.to),
        text("transport", records, |r| &r.transport),
        text("direction", records, |r| &r.direction),
        text("traffic", records, |r| &r.traffic),
        real("throughput", "bit/s", records, |r| r.throughput),
    ];
    columns.extend(counters(records, |r| &r.counts));
    columns.extend([
        optional("rtt_mean", "s", records, |r| r.rtt_mean),
        optional("timeout_first", "s", records, |r| r.timeout_first),
    ]);
    Table::of_columns(columns)
}

/// Returns one row for each direction of each wired link.
pub fn links(records: &[LinkRecord]) -> Table {
    let mut columns = vec![text("link", records, |r| &r.name)];
    columns.extend(counters(records, |r| &r.counts));
    columns.extend([
        real("utilisation", "1", records, |r| r.utilisation),
        real("queue_mean", "packet", records, |r| r.queue_mean),
    ]);
    Table::of_columns(columns)
}

/// Returns one row for each station.
pub fn stations(records: &[StationRecord]) -> Table {
    let access_point = BooleanArray::from_iter(records.iter().map(|r| Some(r.access_point)));
    let mut columns = vec![
        text("station", records, |r| &r.name),
        text("wlan", records, |r| &r.wlan),
        (Field::new("access_point", DataType::Boolean, false), Arc::new(access_point)),
        real("airtime", "1", records, |r| r.airtime),
        optional("airtime_share", "1", records, |r| r.airtime_share),
    ];
    columns.extend(counters(records, |r| &r.counts));
    columns.extend([
        real("queue_mean", "frame", records, |r| r.queue_mean),
        real("waiting_mean", "frame", records, |r| r.waiting_mean),
        optional("wait_mean", "s", records, |r| r.wait_mean),
    ]);
    Table::of_columns(columns)
}

/// Returns one row for each finite session. Stages that it did not reach by the end of the run are null.
pub fn sessions(records: &[SessionRecord]) -> Table {
    Table::of_columns(session_columns(records, |record| record))
}

fn session_columns<R>(rows: &[R], of: fn(&R) -> &SessionRecord) -> Vec<Column> {
    vec![
        text("flow", rows, |r| &of(r).flow),
        real("start", "s", rows, |r| of(r).start),
        count("bytes", "byte", rows, |r| of(r).bytes),
        optional("ideal", "s", rows, |r| of(r).ideal),
        optional("sent", "s", rows, |r| of(r).sent),
        optional("acked", "s", rows, |r| of(r).acked),
        optional("delivered", "s", rows, |r| of(r).delivered),
    ]
}

/// A run of a scenario with a number.
pub struct Ran<'a> {
    pub place: u32,
    pub seed: u64,
    pub outcome: &'a Outcome,
    /// Wall time of the run in seconds.
    pub seconds: f64,
    /// Name of the computer on which it ran.
    pub host: &'a str,
    /// Time at which the run ended.
    pub finished: &'a str,
}

/// Returns one row for each run: its scenario's number, its seed, the columns of [`outcomes`], and where and when it ran.
pub fn runs(runs: &[Ran<'_>], metrics: &[String], counts: &[Count]) -> Vec<Column> {
    let found: Vec<_> = runs.iter().map(|run| run.outcome).collect();
    let mut columns = vec![whole("place", runs, |run| run.place), seeds(runs, |run| run.seed)];
    columns.extend(outcome_columns(&found, metrics, counts));
    columns.push(real("wall_time", "s", runs, |run| run.seconds));
    let hosts = StringArray::from_iter_values(runs.iter().map(|run| run.host));
    let finished = StringArray::from_iter_values(runs.iter().map(|run| run.finished));
    columns.push((Field::new("host", DataType::Utf8, false), Arc::new(hosts)));
    columns.push((Field::new("finished", DataType::Utf8, false), Arc::new(finished)));
    columns
}

/// Returns one row for each session of many runs, behind the scenario's number and the seed.
pub fn sessions_of_runs(runs: &[Ran<'_>]) -> Vec<Column> {
    let rows: Vec<_> =
        runs.iter().flat_map(|run| run.outcome.sessions.iter().map(move |session| (run, session))).collect();
    let mut columns = vec![whole("place", &rows, |(run, _)| run.place), seeds(&rows, |(run, _)| run.seed)];
    columns.extend(session_columns(&rows, |(_, session)| session));
    columns
}

fn seeds<R>(rows: &[R], of: impl Fn(&R) -> u64) -> Column {
    (
        Field::new("seed", DataType::UInt64, false),
        Arc::new(UInt64Array::from_iter_values(rows.iter().map(of))),
    )
}

/// Returns a column of numbers of scenarios.
fn whole<R>(name: &str, rows: &[R], of: impl Fn(&R) -> u32) -> Column {
    (Field::new(name, DataType::UInt32, false), Arc::new(UInt32Array::from_iter_values(rows.iter().map(of))))
}

/// A column of the numbers of sessions: its name, a metric, and whether to count only the sessions that it leaves out.
pub type Count = (String, String, bool);

/// Returns one row for each outcome: its values of these metrics, and these counts; null where an outcome does not have a metric.
pub fn outcomes(outcomes: &[&Outcome], metrics: &[String], counts: &[Count]) -> Table {
    Table::of_columns(outcome_columns(outcomes, metrics, counts))
}

fn outcome_columns(outcomes: &[&Outcome], metrics: &[String], counts: &[Count]) -> Vec<Column> {
    fn answer<'a>(outcome: &'a Outcome, name: &str) -> Option<&'a MetricValue> {
        outcome.metrics.iter().find(|metric| metric.name == name)
    }
    let values = metrics.iter().map(|name| -> Column {
        let values = outcomes.iter().map(|outcome| answer(outcome, name)?.value);
        (Field::new(name, DataType::Float64, true), Arc::new(Float64Array::from_iter(values)))
    });
    let counts = counts.iter().map(|(column, name, left_out)| -> Column {
        let stage = airfair_lab::metric(name).and_then(|metric| metric.counts_once()).filter(|_| *left_out);
        let count = |outcome: &&Outcome| {
            answer(outcome, name)?;
            Some(stage.map_or(outcome.sessions.len(), |stage| outcome.sessions_without(stage)) as i64)
        };
        let values = Int64Array::from_iter(outcomes.iter().map(count));
        (Field::new(column, DataType::Int64, true), Arc::new(values))
    });
    values.chain(counts).collect()
}

/// Returns one row for each point of each series.
pub fn series(records: &[SeriesRecord]) -> Table {
    let repeated = |name: &str, of: fn(&SeriesRecord) -> &str| -> Column {
        let values: Vec<&str> =
            records.iter().flat_map(|r| std::iter::repeat_n(of(r), r.time.len())).collect();
        (Field::new(name, DataType::Utf8, false), Arc::new(StringArray::from_iter_values(values)))
    };
    let joined = |of: fn(&SeriesRecord) -> &[f64]| -> ArrayRef {
        let values: Vec<f64> = records.iter().flat_map(of).copied().collect();
        Arc::new(Float64Array::from(values))
    };
    Table::of_columns(vec![
        repeated("quantity", |r| &r.quantity),
        repeated("unit", |r| &r.unit),
        repeated("subject", |r| &r.subject),
        (with_unit(Field::new("time_s", DataType::Float64, false), "s"), joined(|r| &r.time)),
        (Field::new("value", DataType::Float64, false), joined(|r| &r.value)),
    ])
}

/// Returns one row for each turn on each medium.
pub fn air(records: &[AirRecord]) -> Table {
    let names = |name: &str, of: fn(&AirRecord, usize) -> &str| -> Column {
        let rows = records.iter().flat_map(|r| (0..r.start.len()).map(move |turn| of(r, turn)));
        let rows: Vec<_> = rows.collect();
        (Field::new(name, DataType::Utf8, false), Arc::new(StringArray::from(rows)))
    };
    let times = |name: &str, of: fn(&AirRecord) -> &[f64]| -> Column {
        let rows = Float64Array::from(records.iter().flat_map(of).copied().collect::<Vec<_>>());
        (with_unit(Field::new(name, DataType::Float64, false), "s"), Arc::new(rows))
    };
    let flags = |name: &str, of: fn(&AirRecord) -> &[bool]| -> Column {
        let rows = BooleanArray::from(records.iter().flat_map(of).copied().collect::<Vec<_>>());
        (Field::new(name, DataType::Boolean, false), Arc::new(rows))
    };
    let counts = |name: &str, of: fn(&AirRecord) -> &[u16]| -> Column {
        let rows = records.iter().flat_map(of).map(|&count| u64::from(count));
        (
            with_unit(Field::new(name, DataType::UInt64, false), "MPDU"),
            Arc::new(UInt64Array::from_iter_values(rows)),
        )
    };
    let categories: Vec<_> = records.iter().flat_map(|r| &r.category).map(Option::as_deref).collect();
    let rates: Float64Array = records.iter().flat_map(|r| &r.rate).map(|&rate| Some(rate)).collect();
    let answered: Float64Array = records.iter().flat_map(|r| &r.answered).copied().collect();
    let bytes: Vec<_> = records.iter().flat_map(|r| &r.bytes).map(|&bytes| u64::from(bytes)).collect();
    let bytes: ArrayRef = Arc::new(UInt64Array::from(bytes));
    Table::of_columns(vec![
        names("wlan", |r, _| &r.wlan),
        names("from", |r, turn| &r.stations[r.from[turn] as usize]),
        names("to", |r, turn| &r.stations[r.to[turn] as usize]),
        times("start", |r| &r.start),
        times("end", |r| &r.end),
        (with_unit(Field::new("bytes", DataType::UInt64, false), "byte"), bytes),
        flags("acknowledged", |r| &r.acknowledged),
        flags("collided", |r| &r.collided),
        (Field::new("category", DataType::Utf8, true), Arc::new(StringArray::from(categories))),
        counts("mpdus", |r| &r.mpdus),
        counts("arrived", |r| &r.arrived),
        (with_unit(Field::new("rate", DataType::Float64, false), "bit/s"), Arc::new(rates)),
        (with_unit(Field::new("answered", DataType::Float64, true), "s"), Arc::new(answered)),
        flags("block_ack", |r| &r.block_ack),
    ])
}

fn text<R>(name: &str, records: &[R], of: impl Fn(&R) -> &str) -> Column {
    let values = StringArray::from_iter_values(records.iter().map(of));
    (Field::new(name, DataType::Utf8, false), Arc::new(values))
}

fn count<R>(name: &str, unit: &str, records: &[R], of: impl Fn(&R) -> u64) -> Column {
    let values = UInt64Array::from_iter_values(records.iter().map(of));
    (with_unit(Field::new(name, DataType::UInt64, false), unit), Arc::new(values))
}

/// Returns a column for each declared counter; null where a stored record is older than the counter.
fn counters<R, C: counters::Count>(records: &[R], of: impl Fn(&R) -> &Counted<C>) -> Vec<Column> {
    let column = |(index, counter): (usize, &Counter)| -> Column {
        let values = UInt64Array::from_iter(records.iter().map(|record| of(record).values()[index]));
        let facts = [("unit", counter.unit), ("description", counter.description)];
        let facts = facts.map(|(name, fact)| (name.to_owned(), fact.to_owned()));
        (Field::new(counter.name, DataType::UInt64, true).with_metadata(facts.into()), Arc::new(values))
    };
    declared::<C>().iter().enumerate().map(column).collect()
}

fn real<R>(name: &str, unit: &str, records: &[R], of: impl Fn(&R) -> f64) -> Column {
    let values = Float64Array::from_iter_values(records.iter().map(of));
    (with_unit(Field::new(name, DataType::Float64, false), unit), Arc::new(values))
}

fn optional<R>(name: &str, unit: &str, records: &[R], of: impl Fn(&R) -> Option<f64>) -> Column {
    let values = Float64Array::from_iter(records.iter().map(of));
    (with_unit(Field::new(name, DataType::Float64, true), unit), Arc::new(values))
}

fn with_unit(field: Field, unit: &str) -> Field {
    field.with_metadata([("unit".to_owned(), unit.to_owned())].into())
}
