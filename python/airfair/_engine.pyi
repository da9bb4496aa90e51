"""The engine of AirFair, compiled. Values are in SI units: bit/s, s, byte."""

from typing import TYPE_CHECKING, Any, BinaryIO, Final, TypeAlias, final

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas
    import polars

__all__ = [
    "ALONE_DURATION",
    "ALONE_SEEDS",
    "ALONE_WARMUP",
    "AREA",
    "COUNTED_THINGS",
    "EMPTY",
    "ENGINES",
    "FONT",
    "GREYS",
    "GRID",
    "INK",
    "MODEL_VERSION",
    "PALETTE",
    "PAPER",
    "QUIET",
    "SEGMENT_MARK",
    "SHADES",
    "TIMELINE_TRACES",
    "TRACES",
    "Ack",
    "Axis",
    "Checks",
    "Computed",
    "ControlError",
    "EngineError",
    "InputError",
    "Kept",
    "Keys",
    "LimitError",
    "Loss",
    "Outcome",
    "ParquetWriter",
    "Picture",
    "Places",
    "Ready",
    "Results",
    "Rows",
    "Scenario",
    "StopFlag",
    "Table",
    "Template",
    "Window",
    "World",
    "Worlds",
    "__version__",
    "agi",
    "axis_values_json",
    "check",
    "check_all",
    "compute",
    "congestion_epoch",
    "counters_json",
    "describe_json",
    "describe_metric_json",
    "eee",
    "framed",
    "friendly_alpha",
    "gaimd_throughput",
    "grades_json",
    "indented",
    "jain",
    "key",
    "keys",
    "latin_hypercube",
    "mean_ci95",
    "methods_json",
    "metrics_json",
    "nagi",
    "nearest",
    "number",
    "overhead",
    "packaged_json",
    "packetdrill",
    "paired_difference",
    "paths",
    "plural",
    "predicted_time_to_fairness",
    "quantity",
    "readable_quantity",
    "scale",
    "scenario_text",
    "schema_json",
    "share",
    "shared_rates",
    "table_of",
    "table_of_ipc",
    "uar",
    "window_share",
    "within_range",
]

__version__: Final[str]
COUNTED_THINGS: Final[list[str]]
"""Units of counts whose label already names them: "Starved connections", "Timeouts"."""
PALETTE: Final[tuple[str, ...]]
"""Okabe and Ito's colours without yellow and black, and nine of Paul Tol's "muted" scheme."""
GREYS: Final[tuple[str, ...]]
"""Users that transfer all the time beside others that do not."""
SHADES: Final[tuple[list[str], ...]]
"""Many users: the shades of each direction."""
PAPER: Final[str]
INK: Final[str]
QUIET: Final[str]
GRID: Final[str]
EMPTY: Final[str]
AREA: Final[str]
FONT: Final[str]
SEGMENT_MARK: Final[bytes]
"""The beginning of each header in a segment of a store."""
ALONE_WARMUP: Final[float]
"""Seconds that a user has the network alone before it is measured, for its fair share."""
ALONE_DURATION: Final[float]
"""Seconds for which it is measured."""
ALONE_SEEDS: Final[list[int]]
"""The seeds of these runs where a scenario's fair share is `measured`."""
ENGINES: Final[list[str]]
"""Names of the engines, the default first."""
MODEL_VERSION: Final[int]
"""Raised whenever the same scenario and seed give other results than before."""
TRACES: Final[list[str]]
"""The quantities that a run can record over time."""
TIMELINE_TRACES: Final[list[str]]
"""The quantities that a run must trace for `Picture`."""

class InputError(ValueError):
    """Bad input. The message names the place, the mistake and the allowed values. Nothing has been computed."""

class EngineError(RuntimeError):
    """The engine failed while it ran. That is a defect of AirFair, not of the input."""

class ControlError(RuntimeError):
    """A congestion control of the user's own raised an exception, which is the cause of this one, or answered nonsense.
    The run has ended."""

class LimitError(EngineError):
    """A run would fill the memory. The message says which recording is too large, and how to record less."""

@final
class Window:
    """The congestion window and its threshold, in segments, as a control sees them during a call."""

    cwnd: float
    """The congestion window. Setting it raises `ValueError` for what is not a number of segments; `ssthresh` too."""
    ssthresh: float
    """The slow-start threshold."""

    @property
    def maximum(self) -> float:
        """The congestion window never opens beyond this."""

    @property
    def in_slow_start(self) -> bool:
        """Whether the window is below the threshold."""

    def open(self, bytes: int) -> None:
        """Slow start or congestion avoidance as Reno's, for an ACK of `bytes` bytes (RFC 5681, section 3.1)."""

    def open_adding(self, increase: float, bytes: int) -> None:
        """The same with an increase of `increase` segments a round trip in congestion avoidance, where Reno's is one.

        Raises `ValueError`.
        """

    def hold(self) -> None:
        """From now on the control alone moves the window, by its answers and in `on_ack`."""

@final
class Ack:
    """An ACK, as a control sees it; times are in s since the start of the run."""

    @property
    def now(self) -> float:
        """When it came."""

    @property
    def una(self) -> int:
        """Everything before this offset in byte is acknowledged, this ACK included; a SYN counts as a segment."""

    @property
    def nxt(self) -> int:
        """The offset of the next segment to send."""

    @property
    def acked(self) -> int:
        """Bytes that this ACK acknowledged."""

    @property
    def segment_bytes(self) -> int:
        """Payload bytes of a full segment."""

    @property
    def rtt(self) -> float | None:
        """The exact round trip of the segment that this ACK completes, in s, if it was sent once."""

    @property
    def srtt(self) -> float | None:
        """The retransmission timer's smoothed round trip in s."""

    @property
    def may_grow(self) -> bool:
        """Loss recovery does not forbid the window to grow."""

    @property
    def found_limited(self) -> bool:
        """The sender has been found to be limited by its window (`grow_to_twice_used`), whatever is outstanding now."""

@final
class Loss:
    """A loss, as a control sees it."""

    @property
    def now(self) -> float:
        """When it was found, in s since the start of the run."""

    @property
    def base(self) -> float:
        """The quantity to halve, in segments: the window in use, or the data outstanding, as the scenario says."""

    @property
    def timeout(self) -> bool:
        """Found by the retransmission timer."""

    @property
    def segment_bytes(self) -> int:
        """Payload bytes of a full segment."""

@final
class Scenario:
    """A scenario with every parameter set, ready to run. It never changes, so threads may share it."""

    @staticmethod
    def load(source: str, overrides: list[tuple[str, str]] = ..., metrics: list[str] | None = None) -> Scenario:
        """A packaged scenario by name, or a scenario file by path, with parameters set as text.

        `metrics` are reported instead of those that the file names: some by their names, or `all` that there are.

        Raises `InputError`.
        """

    @staticmethod
    def parse(
        text: str, file: str, overrides: list[tuple[str, str]] = ..., metrics: list[str] | None = None
    ) -> Scenario:
        """A scenario from the text of a scenario file; `file` names it in messages, `metrics` as in `load`.

        Raises `InputError`.
        """

    @property
    def name(self) -> str:
        """The packaged name, or the one that the file gives."""

    @property
    def toml(self) -> str:
        """The scenario's file."""

    @property
    def warnings(self) -> list[str]:
        """A sentence on each legal but hopeless setting: a link that loses everything, an outage after the end."""

    @property
    def useless(self) -> list[str]:
        """A sentence on each setting from outside that reaches no flow."""

    @property
    def parameters_json(self) -> str:
        """The parameters in the file's order: `{name: {"value": ..., "unit": ...}}`."""

    @property
    def metrics(self) -> list[str]:
        """Names of the metrics that the scenario reports, in order."""

    @property
    def measures_share(self) -> bool:
        """Whether its users' fair share is to be measured before it runs."""

    @property
    def users(self) -> int:
        """The number of users that share, if the scenario says; else the number of flows."""

    def users_alone(self) -> list[Scenario]:
        """Each TCP flow alone in the network, with data to send all the time: `ALONE_WARMUP`, then `ALONE_DURATION`."""

    def sharing(self, down: float | None, up: float | None) -> Scenario:
        """The same scenario with what its users get alone in bit/s, where that is to be measured.

        A direction without users has the rate of the other one. Keys stay as they were.
        """

    def key(self, seed: int) -> str:
        """Names the result of this scenario with this seed: equal if the results are equal."""

    @property
    def digest(self) -> bytes:
        """32 bytes that stand for everything that decides the results; `key` makes the name of each from them."""

    def by_engine(self, engine: str) -> Scenario:
        """The same scenario, to be run by this engine: `fast`, the default, or `plain`, in which each step of each
        packet is an event. Both give the same results.

        Raises `InputError` for another name.
        """

    def controlled(self, controls: list[tuple[str | None, object, list[str]]]) -> Scenario:
        """The same scenario with congestion controls in Python: (a flow, or `None` for all TCP flows; the control; the
        names of its optional methods). It has no key.

        Raises `InputError` for a flow that is not there or not one of TCP.
        """

    @property
    def wlans(self) -> list[str]:
        """Names of the wireless networks."""

    def run(self, seed: int, traces: list[str] = ..., stop: StopFlag | None = None) -> Outcome:
        """Run with one seed. `traces` are the time series to record: `cwnd`, `ssthresh`, `rtt`, `queue`,
        `acked`, `drops`, `backlog`, `air`.

        Other threads go on meanwhile. Ctrl-C in the main thread, and `stop` in any, end it within a second by
        `KeyboardInterrupt`. Raises `InputError` for an unknown trace, `EngineError` when the engine fails.
        """

    def capture(self, seed: int, traces: list[str], file: BinaryIO) -> Outcome:
        """`run`, and write every frame on the air as pcapng into the open file.

        Raises whatever `file` raises.
        """

    def flent_test(self) -> str:
        """The name of the test of Flent's whose flows have the names of this scenario's.

        Raises `InputError` if there is none.
        """

    def flent(self, seed: int, traces: list[str], title: str) -> tuple[Outcome, str]:
        """`run`, and the run as a data file of Flent, in JSON; Flent labels it with `title`.

        Raises `InputError` as `flent_test`.
        """

    def summary_json(self, outcomes: list[Outcome]) -> str:
        """The document of `airfair run --json` over these outcomes of this scenario."""

    def window(
        self, start: str | None = None, end: str | None = None, outcomes: list[Outcome] = ...
    ) -> tuple[float, float]:
        """The part of the run that a timeline shows, in seconds since its start: from `start` to `end`, each a time
        as text (`"21.5 s"`), or around the first session of these outcomes.

        Raises `InputError` for a text that is not a time, and for a time outside the recording.
        """

@final
class Picture:
    """One run over time, or several side by side."""

    def __new__(cls, runs: list[tuple[str, Scenario, Outcome]], start: float, end: float) -> Picture:
        """Runs from `start` to `end` (s): their titles, scenarios and outcomes with `TIMELINE_TRACES`."""

    @property
    def runs_json(self) -> str:
        """The data drawn of each run."""

    @property
    def tables_json(self) -> str:
        """Each run's sessions and shares of the air in words."""

    def svg(self, title: str, facts: str, plot: float | None = None) -> str:
        """The picture as SVG, with the runs side by side; `plot` is the length of each time axis in pixels."""

    def narrow_svg(self, title: str, facts: str, plot: float = ...) -> str:
        """The picture as SVG for narrow screens, with the runs one above the other."""

@final
class World:
    """A run under way, paused at an instant. One thread at a time drives it."""

    def __new__(cls, scenario: Scenario, seed: int, traces: list[str] = ..., external: list[str] = ...) -> World:
        """A run at time zero; the endpoints of the flows `external` are outside the engine. Raises `InputError`."""

    @property
    def now(self) -> float:
        """The instant of the pause in s."""

    @property
    def end(self) -> float:
        """The end of the run in s."""

    def run_until(self, seconds: float) -> None:
        """Let all that comes before this instant happen. Raises `InputError` if it is over, `LimitError`."""

    def set(self, settings: list[tuple[str, str]]) -> None:
        """Set parameters, or settings by their paths, from now on. Raises `InputError`, and changes nothing then."""

    def counts_json(self) -> str:
        """The counters of all components since the start of the run: flows, links and stations by name."""

    def outcome(self) -> Outcome:
        """The outcome up to now. Raises `InputError` before the end of the warm-up."""

    def inject(self, flow: str, bytes: int, id: int, to_sender: bool) -> None:
        """Send a packet from an endpoint outside the engine. Raises `InputError`."""

    def poll_egress(self) -> list[tuple[float, str, bool, int, int]]:
        """The packets that have arrived outside the engine: time (s), flow, whether to its source, bytes, id."""

@final
class Worlds:
    """Runs of one scenario, each with a seed of its own. One thread at a time drives them; long steps use all cores."""

    def __new__(
        cls, scenario: Scenario, count: int, counters: list[tuple[str, str, str]], metrics: list[str]
    ) -> Worlds:
        """`count` runs, none of which has begun.

        `counters` and `metrics` are watched. A counter is (`flows`, `links` or `stations`; the component's name; its
        own). Raises `InputError` for an unknown counter, and for a metric that the scenario does not report.
        """

    @property
    def warmup(self) -> float:
        """The end of the warm-up in s: metrics are measured from here on."""

    def reset(self, number: int, seed: int) -> None:
        """Begin a run anew, at time zero."""

    def advance(
        self, steps: list[tuple[int, float, list[tuple[str, str]]]]
    ) -> list[tuple[list[float], list[float | None]]]:
        """Take a step in each of these runs, side by side: (which run, its end in s, what to set before).

        Returns the watched counters since time zero, and the watched metrics up to now as far as they have a value.
        Raises `InputError` for a run that has not begun or is named twice, an instant that is over, or a setting that
        cannot change; no run goes on then. After Ctrl-C, which ends it within a second, the runs have to begin anew.
        """

@final
class Template:
    """A scenario's file, read once for many combinations of its parameters."""

    def __new__(cls, text: str, file: str) -> Template:
        """Read the text of a scenario file; `file` names it in messages. Raises `InputError`."""

    def load(self, overrides: list[tuple[str, str]], metrics: list[str] | None = None) -> Scenario:
        """`Scenario.parse` of this file. Raises `InputError`."""

    def parameters_json(self, overrides: list[tuple[str, str]]) -> str:
        """`Scenario.parameters_json` of this file, each value checked by itself.

        Whether a scenario can be made of them together is not looked at. Raises `InputError`.
        """

    def is_flag(self, name: str) -> bool:
        """Whether the values of the parameter of this name, or of the setting at this path, are true and false."""

@final
class Kept:
    """Scenarios that `check_all` has loaded, by number, until `compute` runs them. There is room for some thousands of
    small ones; others are loaded again.
    """

    def __new__(cls) -> Kept:
        """Nothing yet."""

    def __len__(self) -> int:
        """Number of scenarios that are kept now."""

Alone: TypeAlias = tuple[float | None, float | None]
"""What users get alone in bit/s, downloads and uploads; `None` without users."""

def alone(outcomes: list[Outcome]) -> Alone:
    """What users get alone: the means over these outcomes of `Scenario.users_alone`."""

def shared_rates(alone: Alone) -> tuple[int, int] | None:
    """The rates in bit/s that users share who get this much alone, downloads and uploads; a direction without users has
    the rate of the other one. `None`: there are no users, or some get nothing alone."""

Source: TypeAlias = tuple[
    Template, list[tuple[str, str]], list[str] | None, str | None, tuple[Kept, int] | None, Alone | None
]
"""How to load a scenario: a template, overrides, metrics to report and an engine.

Then where `check_all` keeps it, and a fair share that was measured.
"""

@final
class Checks:
    """The engine's answers on a batch of sources: values in columns, in the order of the sources."""

    refused: Final[dict[int, str]]
    """The reason for each source that is not accepted, by its place."""
    digests: Final[bytes]
    """`Scenario.digest` of each accepted source, one after the other."""
    metrics: Final[list[list[str]]]
    """The metrics of each accepted source, or of all if they have the same."""
    measure_share: Final[list[bool]]
    """Whether the fair share of each accepted source is to be measured, or of all if they have the same."""
    loads: Final[list[float]]
    """About how long each accepted source runs, relative to others, or all if they have the same.

    Simulated seconds of all flows.
    """
    parameters_json: Final[str]
    """The parameters of the accepted sources: `{name: {"unit": ..., "values": [...]}}`, in SI units.

    A list has the value of each, or of all if they have the same.
    """
    warnings: Final[list[str]]
    """The warnings, each once."""
    useless: Final[list[str]]
    """The warnings of settings that reach no flow of any accepted source."""

def indented(text: str, depth: int = 0) -> str:
    """A JSON text without spaces, laid out as `json.dumps(..., indent=2)` does; `depth` is that of the text."""

def check_all(sources: list[Source]) -> Checks:
    """Check sources. Other threads go on meanwhile."""

@final
class Computed:
    """The result of a run: an outcome, or the error that prevented it."""

    outcome: Final[Outcome | None]
    error: Final[BaseException | None]
    seconds: Final[float]
    """Wall time of the run."""
    finished: Final[str]
    """The time at which it ended, in ISO 8601 (UTC)."""
    packed: Final[tuple[bytes, int] | None]
    """See `Outcome.packed`."""

@final
class Results:
    """Results of runs, in the order of these. What is made of all of them is made in one call."""

    def __len__(self) -> int:
        """Their number."""

    def __getitem__(self, number: int) -> Computed:
        """One of them."""

    @property
    def errors(self) -> dict[int, BaseException]:
        """The errors of runs without an outcome, by their numbers here."""

    def larger(self, most: int) -> dict[int, int]:
        """The sizes of packed outcomes before compression that are larger than `most`, by their numbers here."""

    def segment(self, but: set[int]) -> tuple[bytes, list[int], bytes]:
        """The packed outcomes, except those with these numbers, as they stand in a segment.

        Their keys, one after the other; the length of each with its header; the bytes.
        """

def compute(
    sources: list[Source],
    places: list[int],
    seeds: list[int],
    keys: bytes,
    stop: StopFlag,
    patience: float,
    host: str,
    *,
    pack: bool,
) -> Results:
    """Run jobs one after the other; returns the results of the first ones, of at least one.

    A job is the number of its scenario, its seed and the key of its result; all `keys` lie one after the other. Jobs of
    one number follow each other, and `sources` has their scenarios in the same order. After `patience` seconds, and
    once `stop` is set, no further job is begun. With `pack`, outcomes are packed for a store; `host` is this computer's
    name. Signals are not heard: call it in a thread.
    """

@final
class StopFlag:
    """Ends the runs that were given it, within a fraction of a second, once it is set."""

    def __new__(cls) -> StopFlag: ...
    def set(self) -> None:
        """Ask the runs to end. They raise `KeyboardInterrupt`."""

    def is_set(self) -> bool:
        """Whether it has been set."""

@final
class Outcome:
    """The results of one scenario and seed."""

    @property
    def seed(self) -> int:
        """The run's seed."""

    @property
    def metrics_json(self) -> str:
        """The metrics asked for, in their order.

        `{name: {"value": number or null, "unit": text, "reason": why null}}`. Means over finite sessions have
        besides: `sessions`, how many there are, and `left_out`, how many of them do not count.
        """

    def lacks(self, metrics: list[str]) -> list[str]:
        """Those of these metrics that it cannot give, because the run did not record their source."""

    def answering(self, metrics: list[str]) -> Outcome:
        """The same outcome as an answer to these metrics, all of which it must have."""

    def with_metrics_of(self, other: Outcome) -> Outcome:
        """The same outcome with the metrics that `other`, of the same scenario and seed, has besides."""

    @property
    def flows(self) -> Table:
        """One row for each flow, over the measured window."""

    @property
    def links(self) -> Table:
        """One row for each direction of each wired link, over the measured window."""

    @property
    def stations(self) -> Table:
        """One row for each wireless station, over the measured window."""

    @property
    def sessions(self) -> Table:
        """One row for each finite session that started in the measured window.

        Its start, then the times (s) from that start until it should have finished (`ideal`) and until its
        last byte was sent, acknowledged, delivered; null if that has not happened by the end of the run.
        """

    @property
    def series(self) -> Table:
        """The time series asked for, one row for each change: quantity, unit, subject, time_s, value."""

    @property
    def air(self) -> Table:
        """One row for each turn on the air, if `air` was asked for: wlan, from, to, start, end (s), bytes,
        acknowledged, collided, category (null with DCF), mpdus, arrived (how many of them), rate (bit/s), answered (s,
        the start of the ACK or block ack, null without), block_ack (whether it was one).
        """

    def to_json(self) -> str:
        """All of it as JSON; `from_json` reads it back to the last bit."""

    def packed(self, key: str, seconds: float, host: str, finished: str) -> tuple[bytes, int]:
        """The outcome with this key as a store keeps it, and the size of that before compression.

        `seconds`, `host` and `finished` tell when and where it was computed.
        """

    @staticmethod
    def rows(outcomes: list[Outcome], metrics: list[str], counts: list[tuple[str, str, bool]]) -> Table:
        """Values of these metrics and counts of sessions, a row for each outcome; null where it does not answer them.

        A count is `(column, metric, left_out)`: of all sessions, or of those that the metric leaves out.
        """

    @staticmethod
    def from_json(text: str) -> Outcome:
        """Read the text of `to_json`. Raises `InputError` for any other text."""

@final
class Table:
    """A table of results. Any library that reads the Arrow PyCapsule interface takes it without a copy.

    ``polars.DataFrame(table)``, ``pyarrow.table(table)`` and DuckDB's ``from table`` work; AirFair needs none of them
    installed. Each column's unit is in its field's metadata under `unit`.
    """

    def __new__(cls, source: Any) -> Table:
        """Wrap an object with the Arrow PyCapsule interface, such as a Polars data frame."""

    @staticmethod
    def of_seeds(tables: list[tuple[int, Table]]) -> Table:
        """The rows of tables with the same columns, one table for each seed; the first column is `seed`.

        Raises `ValueError` for none, or for tables that differ in their columns.
        """

    @staticmethod
    def joined(tables: list[Table]) -> Table:
        """The rows of tables with the same columns, in one piece.

        Raises `ValueError` for none, or for tables that differ in their columns.
        """

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Export as an Arrow C stream that shares the table's memory, any number of times."""

    def __arrow_c_schema__(self) -> object:
        """Export the schema alone, as an Arrow C schema."""

    def to_polars(self) -> polars.DataFrame:
        """The table as a Polars data frame. Needs the package `polars`."""

    def to_arrow(self) -> Any:
        """The table as a PyArrow table. Needs the package `pyarrow`."""

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a pandas data frame, a copy. Needs the package `pandas` alone."""

    def to_pydict(self) -> dict[str, list[Any]]:
        """The columns as lists of Python values, by name: a copy, for where no Arrow library is installed."""

    def __len__(self) -> int:
        """Number of rows."""

def packaged_json() -> str:
    """The packaged scenarios: `[{"name": ..., "title": ..., "summary": ...}]`."""

def packetdrill(script: bytes) -> tuple[str, int, str]:
    """Play a packetdrill script against the engine's TCP: "passed", "failed" or "skipped", with line and reason.

    Raises `InputError` for what is no script.
    """

def table_of_ipc(bytes: bytes) -> Table:
    """The table that these bytes in Arrow's IPC format hold: what `pickle` calls. Raises `ValueError` for others."""

def nearest(name: str, known: list[str]) -> str | None:
    """The name among `known` that is nearest to `name`; `None` if none is near enough to be meant."""

def not_modelled(name: str) -> str | None:
    """That a well-known PHY, queue discipline, TCP, recovery or setting is not modelled: `None` for all other names."""

def describe_json(source: str, paths: list[str] = ...) -> str:
    """A scenario, by packaged name or path: title, description, and its parameters.

    Each parameter with unit, default and allowed values; after them the settings at `paths`. Raises `InputError`.
    """

def paths(source: str) -> list[str]:
    """The paths of a scenario's settings: whatever can be set beside its parameters. Raises `InputError`."""

def schema_json() -> str:
    """The JSON Schema of scenario files."""

def counters_json() -> str:
    """The counters of results: `[{"table": ..., "name": ..., "unit": ..., "description": ...}]`."""

def methods_json() -> str:
    """The descriptions of congestion controls and queue disciplines, by name: `{name: description}`."""

def grades_json() -> str:
    """The rule for grades of devices, from A to F.

    `[{"application": ..., "measure": ..., "unit": ..., "larger_is_better": ..., "limits": [...], "source": ...}]`, with
    the values at which A, B, C, D and E end; what is worse is F.
    """

def metrics_json(*, unlisted: bool = False) -> str:
    """All metrics, as `airfair.metrics()` describes them; with `unlisted` also those that are not listed."""

def within_range(metric: str, ends: tuple[float, float], mean: float) -> tuple[float, float]:
    """The ends of an interval around a mean of this metric, cut where the metric's range ends, but not within the mean.

    They are as given for a metric that is unknown.
    """

def describe_metric_json(name: str) -> str:
    """One metric, as in `metrics_json`. Raises `InputError` with the nearest name, if one is near."""

def check(path: str, overrides: list[tuple[str, str]] = ...) -> Scenario:
    """The scenario in the file at `path`, checked and not run: `Scenario.load` without the packaged names.

    Raises `InputError`.
    """

def quantity(text: str, unit: str) -> float:
    """`text` in the SI unit `unit`: `quantity("5 Mb/s", "bit/s")` is 5e6.

    Every unit but `bit/s`, `s` and `byte` is a count or a ratio, written bare or in per cent. Raises `InputError`.
    """

def scenario_text(source: str) -> str:
    """The text of a packaged scenario by name, or of the scenario file at a path. Raises `InputError`."""

def axis_values_json(text: str, file: str, name: str, written: list[str], divisions: int | None = None) -> str:
    """The values that lists and ranges (`2,4,8`, `10..200 Mb/s:10 Mb/s`, `1..64:x2`) give a parameter or setting.

    `[{"text": as overrides take it, "value": in SI}]`. `text` is the scenario, `file` its name in messages. A range of
    reals without a step is refused, or divided into `divisions`. Raises `InputError`.
    """

@final
class Axis:
    """The distinct values on an axis of a sweep: numbers by size, then words alphabetically, then unset."""

    @staticmethod
    def of_values(text: str, file: str, name: str, written: list[str]) -> tuple[Axis, bytes]:
        """The axis of such lists and ranges, and the number on it of each value as written: four bytes for each.

        Of one value in different texts the first text is kept. Raises `InputError`.
        """

    @staticmethod
    def of_samples(text: str, file: str, name: str, written: list[str], places: list[float]) -> tuple[Axis, bytes]:
        """The same for the values at these places, from 0 up to but not including 1, along such an axis.

        Equal parts of it belong to each value; a range of reals without a step is continuous. Raises `InputError`.
        """

    def __len__(self) -> int:
        """The number of values."""

    def text(self, number: int) -> str:
        """One of them as text for the engine."""

    def values(self, numbers: list[int]) -> list[str | float | bool | None]:
        """Those with these numbers, in SI."""

def points_json(axes: list[tuple[str, Axis, list[int]]], seeds: list[tuple[int, int, bool | None]]) -> str:
    """Points of a sweep as a JSON list without spaces, with the names that `sweep.json` gives to their parts.

    Each axis has its name and, for each point, the number of its value; each point has its first seed, the number of
    its seeds, and whether they were enough for its interval. Raises `IndexError` for a number that the axis has not.
    """

def share(text: str) -> float:
    """A share such as `1 %` or `0.01`, above 0 and below 1. Raises `InputError`."""

def key(digest: bytes, seed: int) -> str:
    """`Scenario.key` of the scenario with this `Scenario.digest`. Raises `InputError` for other bytes."""

def keys(digests: bytes, places: list[int], seeds: list[int]) -> bytes:
    """`key` for many results, in bytes, one after the other.

    `digests` are those of scenarios, one after the other, of which each result has its place and a seed. Raises
    `InputError` where there is no such digest.
    """

def latin_hypercube(samples: int, dimensions: int, seed: int) -> list[list[float]]:
    """A Latin-hypercube sample of the unit cube: for each dimension the coordinates of all points.

    Raises `InputError` for one that would fill the memory.
    """

Column: TypeAlias = tuple[str, str, list[Any]]
"""A column of a sweep's table: its name, its kind, and the value of each scenario, or the one of all.

The kinds are `text`, `flag`, `whole`, `seed` and `real`.
"""

def table_of(columns: list[Column]) -> Table:
    """A table with these columns. Raises `ValueError` for none, or for columns of different lengths."""

@final
class Ready:
    """Rows that are ready, in order."""

    places: Final[tuple[int, int] | None]
    """The numbers of the first and the last scenario with rows here, if there are rows."""

    def tables(
        self, first: int, axes: list[Column], fixed: list[Column], stops: list[int] | None
    ) -> tuple[Table, Table, Table]:
        """The tables of results, timings and sessions.

        The columns have values of the scenarios from number `first` on. `stops` has for each of these the seed before
        which its rows count; without it all do.
        """

@final
class Rows:
    """Rows of runs and of their sessions that wait until all rows before them are there."""

    def __new__(cls, metrics: list[str], counts: list[tuple[str, str, bool]]) -> Rows:
        """No rows yet, with these columns: values of metrics, and counts as `Outcome.rows` takes them."""

    def take_all(self, results: Results, but: set[int]) -> None:
        """Take the outcomes of results, except those with these numbers."""

    def take(self, outcomes: list[Outcome], origins: list[tuple[int, int, float, str, str]]) -> None:
        """Take outcomes.

        Of each the number of its scenario, its seed, its wall time, its computer, and the time at which it ended.
        """

    def ready(self, before: tuple[int, int] | None) -> Ready:
        """Hand out the rows before this scenario and seed, or all."""

@final
class ParquetWriter:
    """Writes a Parquet file piece by piece, for its caller to put together.

    The same rows give the same bytes, in whichever tables they come.
    """

    def __new__(cls, like: Any, group: int) -> ParquetWriter:
        """A file of tables with the columns of `like`, in row groups of `group` rows."""

    def write(self, rows: Any) -> bytes:
        """The next piece: the row groups that the rows of this table complete."""

    def finish(self, facts: list[tuple[str, str]]) -> bytes:
        """The last piece, with these facts as the file's metadata."""

@final
class Places:
    """Where results lie: for each key of 32 bytes a segment and the offset in it. It takes 16 bytes a key."""

    def __new__(cls) -> Places:
        """No places."""

    def set(self, key: bytes, segment: int, offset: int) -> None:
        """Note the place of a key, in place of an earlier one."""

    def set_all(self, keys: bytes, segment: int, offset: int, lengths: Sequence[int]) -> None:
        """The same of keys, one after the other, whose entries stand in this order from an offset on."""

    def get(self, key: bytes) -> tuple[int, int] | None:
        """The segment and the offset of a key."""

    def among(self, keys: bytes) -> list[int]:
        """Which of these keys, one after the other, have a place."""

@final
class Keys:
    """Keys of results that are under way. Here keys lie one after the other."""

    def __new__(cls) -> Keys:
        """No keys."""

    def add(self, keys: bytes) -> list[int]:
        """Add keys. Returns which of them were there already."""

    def remove(self, keys: bytes) -> None:
        """Remove keys."""

def framed(key: bytes, packed: bytes) -> bytes:
    """An outcome packed under a key as it stands in a segment, behind its header."""

def mean_ci95(values: list[float]) -> tuple[float, float | None, float | None]:
    """Mean of `values` and the ends of its 95 % confidence interval by Student's t, in their unit.

    Both ends are `None` for a single value. Raises `InputError` for none, or one that is not finite.
    """

def paired_difference(values_a: list[float], values_b: list[float]) -> tuple[float, float | None, float | None]:
    """Mean of `values_a[i] - values_b[i]` and the ends of its 95 % confidence interval, in their unit.

    Entry i of both must come from the same seed. Both ends are `None` for a single pair. Raises `InputError`
    for lists of different lengths, empty ones, or a value that is not finite.
    """

def gaimd_throughput(
    p: float,
    rtt: float,
    timeout: float,
    segments_per_ack: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
) -> float:
    """Rate in segments/s that TCP(alpha, beta) sends at in steady state (Yang & Lam 2000).

    `p` is the probability of a loss indication for a segment; `rtt` and `timeout` (the first of a series) are in
    seconds; alpha is in segments a round trip, beta the share of the window that a loss leaves. Raises `InputError`.
    """

def friendly_alpha(beta: float) -> float:
    """The alpha in segments with which TCP(alpha, beta) is friendly: `4 (1 - beta^2) / 3`. Raises `InputError`."""

def congestion_epoch(window: float, alpha: float, beta: float) -> float:
    """Round trips from one loss to the next, `(1 - beta) window / alpha + 1`; window and alpha in segments.

    Raises `InputError`.
    """

def window_share(rate: float, rtt: float, flows: int) -> float:
    """A flow's share of a bottleneck's window in segments, `rate rtt / flows`; rate in segments/s.

    Raises `InputError`.
    """

def predicted_time_to_fairness(flows: int, window: float, rtt: float, alpha: float, beta: float, index: float) -> float:
    """Seconds until Jain's index of windows reaches `index` after one flow joins `flows - 1` that fill the bottleneck.

    By additive increase and multiplicative decrease; `window` is a flow's share in segments. Raises `InputError`.
    """

def eee(throughput: float, goodput: float, throughput_max: float, a: float = 1.0, b: float = 0.3) -> float:
    """Extra energy expenditure; rates in one unit. Raises `InputError`."""

def uar(throughput: float, goodput: float, throughput_max: float, a: float = 0.5, b: float = 0.5) -> float:
    """Unexploited available resources; rates in one unit. Raises `InputError`."""

def overhead(throughput: float, goodput: float) -> float:
    """Overhead, `1 - goodput / throughput`. Raises `InputError`."""

def jain(allocations: list[float]) -> float:
    """Jain's index of allocations in one unit. Raises `InputError`."""

def agi(goodput: float, bottleneck: float) -> float:
    """Achieved goodput index, `goodput / bottleneck`. Raises `InputError`."""

def nagi(indices: list[float]) -> float:
    """Normalised achieved goodput index: the mean of achieved goodput indices. Raises `InputError`."""

def number(value: float, digits: int = 4) -> str:
    """A number to `digits` significant digits, at most 255, with an exponent only where people would write one."""

def readable_quantity(value: float, unit: str, digits: int = 4) -> str:
    """A value in SI as people write it: `readable_quantity(5.2e6, "bit/s")` is `5.2 Mb/s`."""

def scale(largest: float, unit: str) -> tuple[float, str]:
    """The most readable unit for values whose largest, in SI, is given: what to divide them by, and its symbol."""

def plural(symbol: str) -> str:
    """A unit's symbol behind a number other than one."""
