"""The engine of AirFair, compiled. Values are in SI units: bit/s, s, byte."""

from typing import TYPE_CHECKING, Any, BinaryIO, Final, TypeAlias, final

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas
    import polars

__version__: Final[str]
COUNTED_THINGS: Final[list[str]]
"""Units of counts whose label already names them: "Starved connections", "Timeouts"."""
WRITTEN_UNITS: Final[list[tuple[str, str]]]
"""The units behind numbers in scenario files and commands: the name in results, and the spelling there."""
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
MOST_VALUES: Final[int]
"""The most values that an axis may have."""
ENGINES: Final[list[str]]
"""Names of the engines, the default first."""
MODEL_VERSION: Final[int]
"""Raised whenever the same scenario and seed give other results than before."""
TRACES: Final[list[str]]
"""The quantities that a run can record over time."""
TIMELINE_TRACES: Final[list[str]]
"""The quantities that a run must trace for `Picture`."""

class InputError(ValueError):
    """Bad input. The message is complete: where, what, and what is allowed. Nothing has been computed."""

class EngineError(RuntimeError):
    """The engine failed while it ran. Unless it is a `LimitError`, that is a defect of AirFair, not of the input."""

class ControlError(RuntimeError):
    """A congestion control of the user's own raised an exception, which is the cause of this one, or answered
    nonsense. The run has ended.
    """

class LimitError(EngineError):
    """A run would fill the memory. The message says with what, and what takes less."""

@final
class Window:
    """The congestion window and its threshold, in segments, as a control sees them during a call."""

    cwnd: float
    """The congestion window. Setting it raises `ValueError` for what is not a number of segments; `ssthresh` too."""
    ssthresh: float
    """The slow-start threshold."""

    @property
    def maximum(self) -> float:
        """The largest size of the congestion window in segments: it never opens beyond this."""

    @property
    def in_slow_start(self) -> bool:
        """Whether the window is below the threshold."""

    def open(self, bytes: int) -> None:
        """Open the window by Reno's slow start or congestion avoidance, for an ACK of `bytes` (RFC 5681, section
        3.1).
        """

    def open_adding(self, increase: float, bytes: int) -> None:
        """Open the window like `open`, but by `increase` segments a round trip in congestion avoidance, where Reno
        has one. Raises `ValueError`.
        """

    def hold(self) -> None:
        """From now on only the control changes the window, by its answers and in `on_ack`."""

@final
class Ack:
    """An ACK as a control sees it. Times are in s since the start of the run."""

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
    """A loss as a control sees it."""

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
    """A scenario with every parameter set, ready to run, as `airfair.load` gives it. It never changes, so threads
    may share it.
    """

    @staticmethod
    def load(source: str, overrides: list[tuple[str, str]] = ..., metrics: list[str] | None = None) -> Scenario:
        """Load a packaged scenario by name, or a scenario file by path, with parameters set as text (`("delay", "20
        ms")`).

        `metrics` replaces the metrics that the file asks for: names, or `all` for all listed metrics.

        Raises `InputError`.
        """

    @staticmethod
    def parse(
        text: str, file: str, overrides: list[tuple[str, str]] = ..., metrics: list[str] | None = None
    ) -> Scenario:
        """Read a scenario from the text of a scenario file; `file` names it in messages, `metrics` as in `load`.

        Raises `InputError`.
        """

    @property
    def name(self) -> str:
        """Name of the packaged scenario, or of the file."""

    @property
    def toml(self) -> str:
        """The text of the scenario's file."""

    @property
    def warnings(self) -> list[str]:
        """Warnings of legal but hopeless settings, a sentence each: a link that loses everything, an outage after
        the run's end.
        """

    @property
    def useless(self) -> list[str]:
        """Warnings of settings from outside that reach no flow, a sentence each. Among several scenarios with the
        same settings, a setting is useless only if it is useless in all of them.
        """

    @property
    def parameters(self) -> dict[str, dict[str, Any]]:
        """The parameters: `{name: {"value": ..., "unit": ...}}`, in the order of their names and in SI units."""

    @property
    def metrics(self) -> list[str]:
        """Names of the metrics that the scenario reports, in order."""

    @property
    def measures_share(self) -> bool:
        """Whether the users' fair share must be measured before the scenario runs."""

    @property
    def users(self) -> int:
        """Number of users that share, as the scenario states it; otherwise the number of flows."""

    def users_alone(self) -> list[Scenario]:
        """Return a scenario for each TCP flow, in which it is alone and always has data to send, for `ALONE_WARMUP`
        and then `ALONE_DURATION`.
        """

    def sharing(self, down: float | None, up: float | None) -> Scenario:
        """Return the scenario with what its users get alone in bit/s, where that must be measured, shared as in
        `shared_rates`. Keys stay as they were.
        """

    def key(self, seed: int) -> str:
        """Return the key of the result of this scenario with this seed, which is equal for all that gives equal
        results. Raises `InputError` if a control of the user's own decides the results.
        """

    @property
    def digest(self) -> bytes:
        """A digest of all that decides the results of this scenario, 32 bytes, from which `key` is made for each
        seed. Raises `InputError` as `key` does.
        """

    def changed(self, settings: list[tuple[str, str]], metrics: list[str] | None = None) -> Scenario:
        """Return the scenario with `settings` over those that it has, without reading its file again; `metrics` as
        in `load`. Its engine and its controls stay.

        Raises `InputError`.
        """

    @property
    def engine(self) -> str:
        """Name of the engine that runs the scenario; see `by_engine`."""

    def by_engine(self, engine: str) -> Scenario:
        """Return the scenario for this engine: `fast`, the default, or `plain`, in which each step of each packet is
        an event. Both give the same results.

        Raises `InputError` for another name.
        """

    def controlled(self, controls: list[tuple[str | None, object, list[str]]]) -> Scenario:
        """Return the scenario with congestion controls that are Python objects, each as (the flow's name, or `None`
        for all TCP flows; the control; the names of its optional methods).

        Raises `InputError` for a flow that does not exist or is not TCP.
        """

    @property
    def wlans(self) -> list[str]:
        """Names of the wireless networks."""

    def run(self, seed: int, traces: list[str] = ..., stop: StopFlag | None = None) -> Outcome:
        """Run with one seed. `traces` are the time series to record: `cwnd`, `ssthresh`, `rtt`, `queue`, `acked`,
        `drops`, `backlog`, `air`.

        Other threads continue meanwhile. Ctrl-C in the main thread, and `stop` in any thread, end the run within a
        second by `KeyboardInterrupt`. Raises `InputError` for an unknown trace, `LimitError` if what the run records
        would fill the memory, `EngineError` if the engine fails, and `ControlError` if a control of the user's own
        does.
        """

    def capture(self, seed: int, traces: list[str], file: BinaryIO) -> Outcome:
        """Like `run`, and write every frame on the air as pcapng into the open binary `file`.

        Raises whatever `file` raises.
        """

    def flent_test(self) -> str:
        """Return the name of the test of Flent whose flows have the names of this scenario's flows. Raises
        `InputError` if there is none.
        """

    def flent(self, seed: int, traces: list[str], title: str) -> tuple[Outcome, str]:
        """Like `run`, and also return the run as a data file of Flent in JSON, which labels it with `title`.

        Raises `InputError` as `flent_test` does.
        """

    def summary_json(self, outcomes: list[Outcome]) -> str:
        """Return the document of `airfair run --json` over these outcomes of this scenario."""

    def window(
        self, start: str | None = None, end: str | None = None, outcomes: list[Outcome] = ...
    ) -> tuple[float, float]:
        """Return the part of the run that a timeline shows, in seconds since its start: from `start` to `end`, each
        a time as text (`"21.5 s"`), or around the first session of these outcomes.

        Raises `InputError` for a text that is not a time, or a time that is not recorded.
        """

@final
class Picture:
    """A picture of one run over time, or of several side by side."""

    def __new__(cls, runs: list[tuple[str, Scenario, Outcome]], start: float, end: float) -> Picture:
        """Runs from `start` to `end` (s): their titles, scenarios and outcomes with `TIMELINE_TRACES`."""

    @property
    def runs_json(self) -> str:
        """Return all that is drawn of each run, as JSON."""

    @property
    def tables_json(self) -> str:
        """Return each run's sessions and shares of the air in words, as JSON."""

    def svg(self, title: str, facts: str, plot: float | None = None) -> str:
        """Return the picture as SVG, with the runs side by side; `plot` is the length of each time axis in pixels."""

    def narrow_svg(self, title: str, facts: str, plot: float = ...) -> str:
        """Return the picture as SVG for narrow screens, with the runs one above the other."""

@final
class World:
    """A run that is paused at some time, and goes on when it is told to. One thread at a time drives it."""

    def __new__(cls, scenario: Scenario, seed: int, traces: list[str] = ..., external: list[str] = ...) -> World:
        """A run at time zero; the endpoints of the flows `external` are outside the engine. Raises `InputError`."""

    @property
    def now(self) -> float:
        """The time of the pause in seconds."""

    @property
    def end(self) -> float:
        """The end of the run in seconds."""

    def run_until(self, seconds: float) -> None:
        """Run until `seconds`. Ctrl-C ends the call within a second; the next call must then go on to at least the
        same time.

        Raises `InputError` for a time that is over, `LimitError` if what the run records would fill the memory.
        """

    def set(self, settings: list[tuple[str, str]]) -> None:
        """Set parameters, or settings by their paths, from now on. Raises `InputError` for what cannot change; then
        nothing is changed.
        """

    def counts_json(self) -> str:
        """Return the counters of all components since the start of the run: `{"flows": {name: {counter: number}},
        "links", "stations"}`.
        """

    def outcome(self) -> Outcome:
        """Return the outcome up to now. Raises `InputError` before the end of the warm-up."""

    def inject(self, flow: str, bytes: int, id: int, to_source: bool) -> None:
        """Send a packet from an endpoint outside the engine, to the sink of the flow or to its source. Raises
        `InputError`.
        """

    def poll_egress(self) -> list[tuple[float, str, bool, int, int]]:
        """Remove and return the packets that have arrived at endpoints outside the engine, in the order of time:
        time (s), flow, whether to the flow's source, bytes, id.
        """

@final
class Worlds:
    """Runs of one scenario, each with a seed of its own. One thread at a time drives them; steps that take long use
    all cores.
    """

    def __new__(
        cls, scenario: Scenario, count: int, counters: list[tuple[str, str, str]], metrics: list[str]
    ) -> Worlds:
        """`count` runs, none of which has begun.

        `counters` and `metrics` are watched. A counter is (`flows`, `links` or `stations`; the component's name; its
        own). Raises `InputError` for an unknown counter, and for a metric that the scenario does not report.
        """

    @property
    def warmup(self) -> float:
        """The end of the warm-up in seconds: metrics are measured from then on."""

    def reset(self, number: int, seed: int) -> None:
        """Start a run again, at time zero."""

    def advance(
        self, steps: list[tuple[int, float, list[tuple[str, str]]]]
    ) -> list[tuple[list[float], list[float | None]]]:
        """Take a step in each of these runs, side by side: set what the step names, and go on to its time. Returns
        the result of each.

        Raises `InputError` for a run that has not started or is named twice, a time that is over, or a setting that
        cannot change; no run goes on then. Raises `LimitError` if what a run records would fill the memory. Ctrl-C
        ends the call within a second; the runs must be reset then.
        """

@final
class Template:
    """A scenario's file, read once for many combinations of its parameters."""

    def __new__(cls, text: str, file: str) -> Template:
        """Read the text of a scenario file; `file` names it in messages. Raises `InputError`."""

    def load(self, overrides: list[tuple[str, str]], metrics: list[str] | None = None) -> Scenario:
        """Like `Scenario.parse`, with the text of this file. Raises `InputError`."""

    def parameters_json(self, overrides: list[tuple[str, str]]) -> str:
        """Like `Scenario.parameters` as JSON, with each value checked by itself. Whether a scenario can be made of
        the values together is not checked. Raises `InputError`.
        """

    def written_at(self, name: str) -> list[str]:
        """Return where in the file the values stand that a parameter is another name for, or the value of the
        setting at a path: `["link[0].rate"]`. Any other name has no such places.
        """

    def is_flag(self, name: str) -> bool:
        """Whether the values of the parameter of this name, or of the setting at this path, are true and false."""

@final
class Kept:
    """Loaded scenarios by number. A scenario for which there is no room is loaded again."""

    def __new__(cls) -> Kept:
        """Nothing yet."""

    def __len__(self) -> int:
        """Number of scenarios that are kept now."""

Alone: TypeAlias = tuple[float | None, float | None]
"""What users get alone in bit/s, downloads and uploads; `None` without users."""

def alone(outcomes: list[Outcome]) -> Alone:
    """Return what users get alone in bit/s, for downloads and uploads: the means over these outcomes of
    `Scenario.users_alone`. A rate is `None` if there are no such users.
    """

def shared_rates(alone: Alone) -> tuple[int, int] | None:
    """Return the rates in bit/s that users share who get this much alone, for downloads and uploads; a direction
    without users has the rate of the other one. `None` if there are no users, or some get nothing alone.
    """

Source: TypeAlias = tuple[
    Template, list[tuple[str, str]], list[str] | None, str | None, tuple[Kept, int] | None, Alone | None
]
"""How to load a scenario: a template, overrides, metrics to report and an engine.

Then where `check_all` keeps it, and a fair share that was measured.
"""

@final
class Checks:
    """The engine's answers about a batch of sources: values in columns, in the order of the sources."""

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
    """Lay out a JSON text without spaces as Python's `json.dumps(..., indent=2)` does; `depth` is the depth of the
    text in a document. Python's own layout is written in Python, which is slow.
    """

def check_all(sources: list[Source]) -> Checks:
    """Check sources. Other threads continue meanwhile."""

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
    """Results of runs, in the order of the jobs. Each method works on all of them in one call."""

    def __len__(self) -> int:
        """Their number."""

    def __getitem__(self, number: int) -> Computed:
        """One of them."""

    @property
    def errors(self) -> dict[int, BaseException]:
        """Errors of runs without an outcome, by their indices here."""

    def larger(self, most: int) -> dict[int, int]:
        """Return the sizes before compression of packed outcomes that are larger than `most`, by their indices here."""

    def segment(self, but: set[int]) -> tuple[bytes, list[int], bytes]:
        """Return the packed outcomes, except those with these indices, as a segment holds them: their keys one after
        the other, the length of each with its header, and the bytes.
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
    """Do runs one after the other, and return the results of those that were done, which is at least one.

    A job is the number of its scenario, its seed and the key of its result; `keys` has all keys one after the other.
    Jobs of one scenario follow each other, and `sources` has their scenarios in the same order. After `patience`
    seconds, and once `stop` is set, no further job is started. With `pack`, outcomes are packed for a store; `host`
    is the name of this computer. Signals are not handled: call it in a thread.
    """

@final
class StopFlag:
    """A flag that, once it is set, ends the runs that were given it within a fraction of a second."""

    def __new__(cls) -> StopFlag: ...
    def set(self) -> None:
        """Ask the runs to end. They raise `KeyboardInterrupt`."""

    def is_set(self) -> bool:
        """Whether the flag has been set."""

@final
class Outcome:
    """The outcome of one scenario and seed. Values are in SI units."""

    @property
    def seed(self) -> int:
        """Seed of the run."""

    @property
    def metrics_json(self) -> str:
        """The metrics asked for, in their order: `{name: {"value": number or null, "unit": text, "reason": why
        null}}`. Means over finite sessions also have `sessions`, the number of sessions, and `left_out`, the number
        of those that do not count.
        """

    def lacks(self, metrics: list[str]) -> list[str]:
        """Return those of `metrics` that the run did not record and that do not follow from its sessions."""

    def answering(self, metrics: list[str]) -> Outcome:
        """Return the outcome with these metrics as the ones asked for. It must lack none of them."""

    def with_metrics_of(self, other: Outcome) -> Outcome:
        """Return the outcome with the metrics added that only `other`, of the same scenario and seed, has."""

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
        """One row for each finite session that started in the measured window: its start, then the times in seconds
        from that start until it should have finished and until its last byte was sent, acknowledged, delivered.
        """

    @property
    def series(self) -> Table:
        """The time series asked for, with one row for each change: quantity, unit, subject, time_s, value."""

    @property
    def air(self) -> Table:
        """One row for each turn on the air, if `air` was asked for: wlan, from, to, start, end, bytes, acknowledged,
        collided, category, mpdus, arrived, rate, answered, block_ack.
        """

    def to_json(self) -> str:
        """Return the whole outcome as JSON; `from_json` reads it back to the last bit."""

    def packed(self, key: str, seconds: float, host: str, finished: str) -> tuple[bytes, int]:
        """Return the outcome as a store keeps it under this key, and its size before compression: `(bytes, size)`.
        `seconds`, `host` and `finished` say when and where it was computed.
        """

    @staticmethod
    def rows(outcomes: list[Outcome], metrics: list[str], counts: list[tuple[str, str, bool]]) -> Table:
        """Return values of these metrics and counts of sessions: one row for each outcome, null where it does not
        have a metric.

        A count is `(column, metric, left_out)`: the number of all sessions, or of those that the metric leaves out.
        """

    @staticmethod
    def from_json(text: str) -> Outcome:
        """Read the text of `to_json`. Raises `InputError` for anything else."""

@final
class Table:
    """A table of results. Any library that reads the Arrow PyCapsule interface takes it without a copy:
    `polars.DataFrame(table)`, `pyarrow.table(table)` and DuckDB's `from table` work; AirFair needs none of them.
    `Table(source)` takes whatever exports that interface, a Polars data frame for example.

    Each column's unit is in its field's metadata under `unit`, a counter's description under `description`.
    """

    def __new__(cls, source: Any) -> Table:
        """Wrap an object with the Arrow PyCapsule interface, such as a Polars data frame."""

    @staticmethod
    def of_seeds(tables: list[tuple[int, Table]]) -> Table:
        """Join tables with the same columns, one for each seed, into one whose first column is `seed`.

        Raises `ValueError` if there are no tables, or their columns differ.
        """

    @staticmethod
    def joined(tables: list[Table]) -> Table:
        """Join the rows of tables with the same columns. Raises `ValueError` if there are no tables, or their
        columns differ.
        """

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Export as an Arrow C stream that shares the table's memory, any number of times."""

    def __arrow_c_schema__(self) -> object:
        """Export the schema alone, as an Arrow C schema."""

    def to_polars(self) -> polars.DataFrame:
        """Return the table as a Polars data frame. Needs the package `polars`."""

    def to_arrow(self) -> Any:
        """Return the table as a PyArrow table. Needs the package `pyarrow`."""

    def to_pandas(self) -> pandas.DataFrame:
        """Return the table as a pandas data frame. This is a copy by way of Python lists, which needs the package
        `pandas` alone: pandas reads Arrow through PyArrow.
        """

    def to_pydict(self) -> dict[str, list[Any]]:
        """Return the columns as lists of Python values, by name. This is a copy, for use without an Arrow library."""

    def __len__(self) -> int:
        """Number of rows."""

def packaged_json() -> str:
    """Return the packaged scenarios: `[{"name": ..., "title": ..., "summary": ...}]`."""

def packetdrill(script: bytes) -> tuple[str, int, str]:
    """Play a packetdrill script against the engine's TCP. Returns "passed", "failed" or "skipped", with the line and
    the reason of the latter two. Raises `InputError` for what is not a script.
    """

def table_of_ipc(bytes: bytes) -> Table:
    """Read a table from bytes in Arrow's IPC format, for `pickle`. Raises `ValueError` for other bytes."""

def nearest(name: str, known: list[str]) -> str | None:
    """Return the name among `known` that is nearest to `name`; `None` if none is near enough to be meant."""

def not_modelled(name: str) -> str | None:
    """Return what to say of a well-known name that is not modelled; `None` for all other names."""

def describe_json(source: str, paths: list[str] = ...) -> str:
    """Describe a scenario, by packaged name or path: title, description, and its parameters with unit, default and
    allowed values; after them the settings at `paths`, described like parameters.

    Raises `InputError`.
    """

def paths(source: str) -> list[str]:
    """Return the paths of a scenario's settings, which can be set beside its parameters. Raises `InputError`."""

def schema_json() -> str:
    """Return the JSON Schema of scenario files."""

def counters_json() -> str:
    """Describe the counters of results: `[{"table": ..., "name": ..., "unit": ..., "description": ...}]`."""

def methods_json() -> str:
    """Return the descriptions of congestion controls and queue disciplines, by name: `{name: description}`."""

def grades_json() -> str:
    """Return the rules for grades of devices: `[{"application": ..., "measure": ..., "unit": ...,
    "larger_is_better": ..., "limits": [...], "source": ...}]`. The limits are the worst values that still get A, B,
    C, D and E.
    """

def metrics_json(*, unlisted: bool = False) -> str:
    """Describe all metrics: name, title, unit, range, whether larger is better, definition, source; with `unlisted`
    also those that are not listed.
    """

def within_range(metric: str, ends: tuple[float, float], mean: float) -> tuple[float, float]:
    """Cut the ends of an interval around a mean of this metric where the metric's range ends, but not within the
    mean. For an unknown metric, return the ends unchanged.
    """

def describe_metric_json(name: str) -> str:
    """Describe one metric as `metrics_json` does. Raises `InputError`, with the nearest name if one is near."""

def description_json(scenario: Scenario) -> str:
    """Like `describe_json` of the file that the scenario was read from. Raises `InputError`."""

def check(path: str, overrides: list[tuple[str, str]] = ...) -> Scenario:
    """Load and check the scenario in the file at `path` without running it: like `Scenario.load`, but without the
    packaged names.

    Raises `InputError`.
    """

def quantity(text: str, unit: str) -> float:
    """Read `text` as a number in the SI unit `unit`: `quantity("5 Mb/s", "bit/s")` is 5e6. Raises `InputError`."""

def scenario_text(source: str) -> str:
    """Return the text of a packaged scenario by name, or of the scenario file at a path. Raises `InputError`."""

def axis_values_json(text: str, file: str, name: str, written: list[str], divisions: int | None = None) -> str:
    """Return the values of lists and ranges (`2,4,8`, `10..200 Mb/s:10 Mb/s`, `1..64:x2`) for the parameter or
    setting `name` of the scenario in `text`: `[{"text": as overrides take it, "value": in SI}]`. `file` names the
    scenario in messages. A range of reals without a step is divided into `divisions` steps; without them it is
    refused. Raises `InputError`.
    """

@final
class Axis:
    """The distinct values on an axis of a sweep: numbers by size, then words alphabetically, then unset."""

    @staticmethod
    def of_values(text: str, file: str, name: str, written: list[str]) -> tuple[Axis, bytes]:
        """Return the axis with the values of lists and ranges, and the index on the axis of each value as written,
        as bytes one after the other. If texts differ and their value does not, the first text is kept. Raises
        `InputError`.
        """

    @staticmethod
    def of_samples(text: str, file: str, name: str, written: list[str], places: list[float]) -> tuple[Axis, bytes]:
        """Return the axis with the values at these places, from 0 up to but not including 1, along lists and ranges,
        and the index of each as in `of_values`. Raises `InputError`.
        """

    def __len__(self) -> int:
        """The number of values."""

    def text(self, number: int) -> str:
        """Return the value with this index as text for the engine."""

    def values(self, numbers: list[int]) -> list[str | float | bool | None]:
        """Return the values with these indices, in SI."""

def points_json(axes: list[tuple[str, Axis, list[int]]], seeds: list[tuple[int, int, bool | None]]) -> str:
    """Return the points of a sweep as a JSON list without spaces, with the names that `sweep.json` gives to their
    parts. Each axis has its name and, for each point, the index of its value; each point has its first seed, the
    number of its seeds, and whether they were enough for its interval. Raises `IndexError` for an index that the
    axis does not have.
    """

def share(text: str) -> float:
    """Read a share such as `1 %` or `0.01`, above 0 and below 1. Raises `InputError`."""

def key(digest: bytes, seed: int) -> str:
    """Return `Scenario.key` of the scenario with this `Scenario.digest`. Raises `InputError` for bytes that are not
    a digest.
    """

def keys(digests: bytes, places: list[int], seeds: list[int]) -> bytes:
    """Return the keys of many results as bytes, one after the other. `digests` has the digests of scenarios, one
    after the other; each result has the index of its scenario there, and a seed.

    Raises `InputError` for an index without a digest.
    """

def latin_hypercube(samples: int, dimensions: int, seed: int) -> list[list[float]]:
    """Return a Latin-hypercube sample of the unit cube: for each dimension the coordinates of all points. Raises
    `InputError` for a sample that would fill the memory.
    """

Column: TypeAlias = tuple[str, str, list[Any]]
"""A column of a sweep's table: its name, its kind, and the value of each scenario, or the one of all.

The kinds are `text`, `flag`, `whole`, `seed` and `real`.
"""

def table_of(columns: list[Column]) -> Table:
    """Return a table with these columns. Raises `ValueError` if there are none, or if their lengths differ."""

@final
class Ready:
    """Rows that are ready, in order."""

    places: Final[tuple[int, int] | None]
    """The numbers of the first and the last scenario with rows here, if there are rows."""

    def tables(
        self, first: int, axes: list[Column], fixed: list[Column], stops: list[int] | None
    ) -> tuple[Table, Table, Table]:
        """Return the tables of results, timings and sessions.

        The columns have values of the scenarios from number `first` on. `stops` has for each of these scenarios the
        seed before which its rows count; without it all rows count.
        """

@final
class Rows:
    """Rows of runs and of their sessions that wait until all rows before them have come."""

    def __new__(cls, metrics: list[str], counts: list[tuple[str, str, bool]]) -> Rows:
        """No rows yet, with these columns: values of metrics, and counts as `Outcome.rows` takes them."""

    def take_all(self, results: Results, but: set[int]) -> None:
        """Take the outcomes of results, except those with these indices."""

    def take(self, outcomes: list[Outcome], origins: list[tuple[int, int, float, str, str]]) -> None:
        """Take outcomes. Each has in `origins` the number of its scenario, its seed, its wall time, its computer,
        and the time at which it ended.
        """

    def ready(self, before: tuple[int, int] | None) -> Ready:
        """Remove and return the rows before this scenario and seed, `(place, seed)`; all rows for `None`."""

@final
class ParquetWriter:
    """Writes a Parquet file piece by piece. The caller puts the pieces together. The file does not depend on how its
    rows are divided into tables.
    """

    def __new__(cls, like: Any, group: int) -> ParquetWriter:
        """A file of tables with the columns of `like`, in row groups of `group` rows."""

    def write(self, rows: Any) -> bytes:
        """Return the next piece: the row groups that these rows complete."""

    def finish(self, facts: list[tuple[str, str]]) -> bytes:
        """Return the last piece, with these facts as the file's metadata."""

@final
class Places:
    """The places of results: for each key a segment and the offset in it. Each key takes 16 bytes.

    Only the last 8 bytes of a key are kept. Keys are hashes: among ten million, two have the same end in one of
    370,000 stores. Then only the later one is found. The entry in the segment has the whole key, so that it is never
    mistaken for another key's.
    """

    def __new__(cls) -> Places:
        """No places."""

    def set(self, key: bytes, segment: int, offset: int) -> None:
        """Set the place of a key, in place of an earlier one. A place out of bounds is ignored."""

    def set_all(self, keys: bytes, segment: int, offset: int, lengths: Sequence[int]) -> None:
        """Set the places of keys, which stand one after the other. Their entries stand in this order from an offset
        on and have these lengths.
        """

    def get(self, key: bytes) -> tuple[int, int] | None:
        """Return the segment and the offset of a key."""

    def among(self, keys: bytes) -> list[int]:
        """Return the indices of those keys, one after the other, that have a place."""

@final
class Keys:
    """A set of keys of results that are being computed. Its methods take keys one after the other."""

    def __new__(cls) -> Keys:
        """No keys."""

    def add(self, keys: bytes) -> list[int]:
        """Add keys, and return the indices of those that were in the set already."""

    def remove(self, keys: bytes) -> None:
        """Remove keys."""

def framed(key: bytes, packed: bytes) -> bytes:
    """Return an outcome packed under a key as a segment holds it, behind its header."""

def mean_ci95(values: list[float]) -> tuple[float, float | None, float | None]:
    """Return the mean of `values` and the ends of its 95 % confidence interval by Student's t, in the unit of the
    values.

    Both ends are `None` for a single value. Raises `InputError` if there are no values, or one is not finite.
    """

def paired_difference(values_a: list[float], values_b: list[float]) -> tuple[float, float | None, float | None]:
    """Return the mean of `values_a[i] - values_b[i]` and the ends of its 95 % confidence interval, in the unit of
    the values.

    Entry i of both lists must come from the same seed. Both ends are `None` for a single pair. Raises `InputError`
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
    """Return the rate in segments/s at which TCP(alpha, beta) sends in steady state (Yang & Lam 2000).

    `p` is the probability of a loss indication for a segment; `rtt` and `timeout` (the first of a series) are in
    seconds; alpha is in segments a round trip, beta is the share of the window that is left after a loss. Raises
    `InputError`.
    """

def friendly_alpha(beta: float) -> float:
    """Return the alpha in segments with which TCP(alpha, beta) is friendly: `4 (1 - beta^2) / 3`. Raises
    `InputError`.
    """

def congestion_epoch(window: float, alpha: float, beta: float) -> float:
    """Return the round trips from one loss to the next, `(1 - beta) window / alpha + 1`; window and alpha in
    segments. Raises `InputError`.
    """

def window_share(rate: float, rtt: float, flows: int) -> float:
    """Return a flow's share of a bottleneck's window in segments, `rate rtt / flows`; rate in segments/s. Raises
    `InputError`.
    """

def predicted_time_to_fairness(flows: int, window: float, rtt: float, alpha: float, beta: float, index: float) -> float:
    """Return the seconds until Jain's index of windows reaches `index` after one flow joins `flows - 1` that fill
    the bottleneck, by additive increase and multiplicative decrease; `window` is a flow's share in segments. Raises
    `InputError`.
    """

def eee(throughput: float, goodput: float, throughput_max: float, a: float = ..., b: float = ...) -> float:
    """Return the extra energy expenditure. All rates have one unit. `a` weighs data sent in vain, and `b` idle time.
    The defaults are those of `eee_a` and `eee_b` in scenario files. Raises `InputError`.
    """

def uar(throughput: float, goodput: float, throughput_max: float, a: float = ..., b: float = ...) -> float:
    """Return the unexploited available resources. All rates have one unit. `a` weighs data sent, and `b` data sent
    to good effect. The defaults are those of `uar_a` and `uar_b` in scenario files. Raises `InputError`.
    """

def overhead(throughput: float, goodput: float) -> float:
    """Return the overhead, `1 - goodput / throughput`. Raises `InputError`."""

def jain(allocations: list[float]) -> float:
    """Return Jain's index of allocations in one unit. Raises `InputError`."""

def agi(goodput: float, bottleneck: float) -> float:
    """Return the achieved goodput index, `goodput / bottleneck`. Raises `InputError`."""

def nagi(indices: list[float]) -> float:
    """Return the normalised achieved goodput index: the mean of achieved goodput indices. Raises `InputError`."""

def number(value: float, digits: int = 4) -> str:
    """Write a number to `digits` significant digits, with an exponent only where people would write one."""

def readable_quantity(value: float, unit: str, digits: int = 4) -> str:
    """Write a value in SI as people do: `readable_quantity(5.2e6, "bit/s")` is `5.2 Mb/s`."""

def interval(low: float, high: float, around: float, unit: str, digits: int = 4) -> str:
    """Write an interval in the most readable unit of `around`: `5.19 to 5.25`."""

def left_out(left_out: int, sessions: int) -> str:
    """Say how many sessions a mean leaves out: `77 of 400 sessions unfinished: left out`; nothing if it leaves out
    none.
    """

def scale(largest: float, unit: str) -> tuple[float, str]:
    """Return the most readable unit for values whose largest one, in SI, is `largest`: the number to divide them by,
    and its symbol.
    """

def plural(symbol: str) -> str:
    """Return a unit's symbol behind a number other than one."""
