"""Tables of results in each data library. Each test needs only that library."""

from __future__ import annotations

import json
import math

import pytest

from airfair import _engine

FLOW = {
    "name": "up[0]",
    "from": "station[0]",
    "to": "server",
    "transport": "tcp",
    "direction": "up",
    "traffic": "persistent",
    "throughput": 5.5e6,
    "delivered_bytes": 2**64 - 1,
    "segments": 100,
    "retransmissions": 3,
    "timeouts": 1,
    "fast_retransmits": 2,
    "window_cuts": 3,
    "sent_bytes": 100_000,
    "arrivals": 96,
    "arrivals_in_time": 90,
    "rtt_mean": 0.1,
    "timeout_first": None,
}
SESSIONS = [
    {
        "flow": "up[0]",
        "start": 21.5,
        "bytes": 10_000,
        "ideal": 0.1,
        "sent": 0.0,
        "acked": 0.3,
        "delivered": 0.2,
    },
    {
        "flow": "up[0]",
        "start": 31.5,
        "bytes": 10_000,
        "ideal": 0.1,
        "sent": 0.25,
        "acked": None,
        "delivered": None,
    },
]
SERIES = [
    {"quantity": "cwnd", "unit": "segment", "subject": "up[0]", "time": [20.0, 20.1], "value": [2.0, 2.5]},
    {"quantity": "rtt", "unit": "s", "subject": "up[0]", "time": [20.0], "value": [0.1 + 0.2]},
]


@pytest.fixture
def outcome() -> _engine.Outcome:
    document = {
        "seed": 7,
        "metrics": [
            {"name": "throughput_total", "value": 5.5e6},
            {"name": "jain_persistent", "value": None, "reason": "there are no flows"},
        ],
        "flows": [FLOW],
        "links": [],
        "stations": [],
        "sessions": SESSIONS,
        "series": SERIES,
    }
    return _engine.Outcome.from_json(json.dumps(document))


def column(records: list[dict[str, object]], name: str) -> list[object]:
    return [record[name] for record in records]


def test_without_any_library(outcome: _engine.Outcome) -> None:
    sessions = outcome.sessions.to_pydict()
    assert list(sessions) == ["flow", "start", "bytes", "ideal", "sent", "acked", "delivered"]
    for name, values in sessions.items():
        assert values == column(SESSIONS, name)
    assert outcome.flows.to_pydict()["delivered_bytes"] == [2**64 - 1]
    assert outcome.series.to_pydict() == {
        "quantity": ["cwnd", "cwnd", "rtt"],
        "unit": ["segment", "segment", "s"],
        "subject": ["up[0]"] * 3,
        "time_s": [20.0, 20.1, 20.0],
        "value": [2.0, 2.5, 0.1 + 0.2],
    }
    assert len(outcome.sessions) == 2
    assert len(outcome.stations) == 0
    assert repr(outcome.sessions) == "<2 rows: flow, start, bytes, ideal, sent, acked, delivered>"


def test_an_outcome_survives_json_to_the_last_bit(outcome: _engine.Outcome) -> None:
    document = json.loads(outcome.to_json())
    awkward = [math.sqrt(i) * 10.0 ** (i % 40 - 20) for i in range(1, 2001)]
    document["series"] = [{**SERIES[0], "time": awkward, "value": awkward}]
    again = _engine.Outcome.from_json(json.dumps(document))
    assert again.series.to_pydict()["value"] == awkward
    assert json.loads(again.to_json()) == document
    assert again.seed == 7


def test_metrics_keep_their_order_and_say_why_they_have_no_value(outcome: _engine.Outcome) -> None:
    metrics = json.loads(outcome.metrics_json)
    assert list(metrics) == ["throughput_total", "jain_persistent"]
    assert metrics["throughput_total"] == {"value": 5.5e6, "unit": "bit/s"}
    assert metrics["jain_persistent"] == {"value": None, "unit": "1", "reason": "there are no flows"}


def test_other_json_than_an_outcome_is_bad_input() -> None:
    for text in ["", "{}", "[1]", '{"seed": -1}']:
        with pytest.raises(_engine.InputError, match="not an outcome"):
            _engine.Outcome.from_json(text)


def test_polars(outcome: _engine.Outcome) -> None:
    pl = pytest.importorskip("polars")
    sessions = pl.DataFrame(outcome.sessions)
    assert sessions.to_dicts() == SESSIONS
    assert sessions.schema["bytes"] == pl.UInt64
    assert sessions.schema["acked"] == pl.Float64
    assert pl.DataFrame(outcome.flows)["delivered_bytes"].to_list() == [2**64 - 1]
    empty = pl.DataFrame(outcome.stations)
    assert empty.height == 0
    assert empty.schema["access_point"] == pl.Boolean
    assert pl.DataFrame(outcome.sessions).equals(sessions), "a second export differs"


def test_pandas(outcome: _engine.Outcome) -> None:
    pd = pytest.importorskip("pandas")
    # pandas reads Arrow only through PyArrow, so without PyArrow it gets a copy.
    sessions = pd.DataFrame(outcome.sessions.to_pydict())
    assert sessions["start"].tolist() == [21.5, 31.5]
    assert sessions["acked"].isna().tolist() == [False, True]
    assert sessions["bytes"].sum() == 20_000
    assert pd.DataFrame(outcome.flows.to_pydict())["delivered_bytes"].tolist() == [2**64 - 1]


def test_pandas_through_arrow(outcome: _engine.Outcome) -> None:
    pd = pytest.importorskip("pandas", minversion="3")
    pytest.importorskip("pyarrow")
    sessions = pd.DataFrame.from_arrow(outcome.sessions)
    assert sessions["flow"].tolist() == ["up[0]"] * 2
    assert sessions["acked"].isna().tolist() == [False, True]
    assert pd.DataFrame.from_arrow(outcome.flows)["delivered_bytes"].tolist() == [2**64 - 1]
    assert len(pd.DataFrame.from_arrow(outcome.stations)) == 0


def test_duckdb(outcome: _engine.Outcome) -> None:
    duckdb = pytest.importorskip("duckdb")
    sessions, flows, stations = outcome.sessions, outcome.flows, outcome.stations
    assert {len(t) for t in (sessions, flows, stations)} == {0, 1, 2}
    with duckdb.connect() as connection:
        query = "select count(*), count(acked), sum(bytes), max(start) from sessions where flow = 'up[0]'"
        for _ in range(2):
            assert connection.execute(query).fetchall() == [(2, 1, 20_000, 31.5)]
        assert connection.execute("select delivered_bytes from flows").fetchall() == [(2**64 - 1,)]
        assert connection.execute("select count(*) from stations").fetchall() == [(0,)]


def test_pyarrow(outcome: _engine.Outcome) -> None:
    pa = pytest.importorskip("pyarrow")
    sessions = pa.table(outcome.sessions)
    sessions.validate(full=True)
    assert sessions.to_pylist() == SESSIONS
    assert sessions.schema == pa.schema(
        [
            pa.field("flow", pa.string(), nullable=False),
            pa.field("start", pa.float64(), nullable=False),
            pa.field("bytes", pa.uint64(), nullable=False),
            pa.field("ideal", pa.float64()),
            pa.field("sent", pa.float64()),
            pa.field("acked", pa.float64()),
            pa.field("delivered", pa.float64()),
        ]
    )
    assert pa.schema(outcome.sessions).equals(sessions.schema, check_metadata=True)
    assert sessions.field("start").metadata == {b"unit": b"s"}
    assert pa.table(outcome.flows).field("throughput").metadata == {b"unit": b"bit/s"}
    assert pa.table(outcome.stations).num_rows == 0
    assert pa.table(outcome.links).num_rows == 0
    assert pa.table(outcome.series).num_rows == 3


def test_exports_share_memory_and_outlive_the_outcome(outcome: _engine.Outcome) -> None:
    pa = pytest.importorskip("pyarrow")
    table = outcome.sessions
    assert outcome.sessions is table

    def address(exported: object) -> int:
        (chunk,) = exported["start"].chunks
        return chunk.buffers()[1].address

    first, second = pa.table(table), pa.table(table)
    assert address(first) == address(second)
    del outcome, table, second
    assert first["start"].to_pylist() == [21.5, 31.5]


def test_a_requested_schema_is_honoured(outcome: _engine.Outcome) -> None:
    pa = pytest.importorskip("pyarrow")
    schema = pa.schema(outcome.sessions)
    wanted = schema.set(0, schema.field("flow").with_type(pa.large_string()))
    assert pa.table(outcome.sessions, schema=wanted).schema.field("flow").type == pa.large_string()
