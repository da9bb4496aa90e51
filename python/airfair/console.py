"""Text for people: tables on stdout, progress and errors on stderr."""

from __future__ import annotations

import json
import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from airfair._engine import within_range
from airfair.catalogue import graded
from airfair.catalogue.left_out import told
from airfair.catalogue.parameters import EXACT, shown
from airfair.catalogue.units import interval, number, pace, quantity
from airfair.catalogue.wording import INVISIBLE, paragraphs, visible

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console, RenderableType
    from rich.table import Table


#: Number of entries of a long range that are written at a time.
LONG = 10_000


def one_line(text: str) -> str:
    """Untrusted text in one line, for messages."""
    return visible(text).replace("\n", "\\n").replace("\t", "\\t")


def json_text(document: Any, depth: int = 0) -> str:
    """A document as JSON, with control characters in JSON's own escapes; `depth` is its depth inside another document.

    Numbers that JSON lacks (infinite ones and NaN) are null.
    """
    try:
        text = _dumped(document)
    except ValueError:
        text = _dumped(_finite(document))
    return _laid_out(text, depth)


def _dumped(document: Any) -> str:
    return json.dumps(document, ensure_ascii=False, default=_plain, separators=(",", ":"), allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _laid_out(text: str, depth: int) -> str:
    """Lay compact JSON out for people, indented from this depth."""
    from airfair._engine import indented

    if not (text.isascii() and text.isprintable()):
        text = INVISIBLE.sub(lambda found: _in_json(found[0]), text)
    return indented(text, depth)


def json_pieces(document: Any, depth: int = 0) -> Iterator[str]:
    """Yield the text of `json_text` in pieces. Iterators and ranges in the document may be long; they become lists.

    A text in an iterator stands for several entries: it is a compact JSON list of them.
    """
    if isinstance(document, dict):
        entries = ((f"{json_text(name)}: ", json_pieces(entry, depth + 1)) for name, entry in document.items())
        yield from _block("{", entries, "}", depth)
    elif isinstance(document, Iterator):
        entries = (("", _entries(some, depth)) for some in document)
        yield from _block("[", entries, "]", depth)
    elif isinstance(document, range) and len(document) > LONG:
        starts = range(0, len(document), LONG)
        numbers = (json_text(list(document[start : start + LONG]), depth) for start in starts)
        yield from _block("[", (("", iter([_inside(text)])) for text in numbers), "]", depth)
    else:
        yield json_text(document, depth)


def _entries(some: Any, depth: int) -> Iterator[str]:
    """Yield one entry of a list at this depth, or several that a text holds."""
    return iter([_inside(_laid_out(some, depth))]) if isinstance(some, str) else json_pieces(some, depth + 1)


def _inside(text: str) -> str:
    """The entries of a JSON list, without its brackets."""
    return text[1:-1].strip()


def _block(opening: str, entries: Iterable[tuple[str, Iterator[str]]], closing: str, depth: int) -> Iterator[str]:
    separator = opening
    for name, pieces in entries:
        yield f"{separator}\n{'  ' * (depth + 1)}{name}"
        yield from pieces
        separator = ","
    yield opening + closing if separator == opening else f"\n{'  ' * depth}{closing}"


def _plain(value: Any) -> Any:
    """Convert a Python value that JSON lacks: a range to a list, all else to text."""
    return list(value) if isinstance(value, range) else str(value)


def _in_json(char: str) -> str:
    return re.sub("....", r"\\u\g<0>", char.encode("utf-16-be", "surrogatepass").hex())


def write(text: str) -> None:
    """Write data to stdout: unchanged to a file or a pipe, escaped to a terminal."""
    sys.stdout.write(visible(text) if sys.stdout.isatty() else text)


#: A part of a line: text, or a text with its style, such as `bold` or `red`.
Part: TypeAlias = "str | tuple[str, str]"


class Screen:
    """A stream for people.

    Rich draws tables, and lines on a terminal. Other lines do without it: its import takes some 25 ms.
    """

    def __init__(self, stream: str) -> None:
        """Print to `stdout` or `stderr`."""
        self._stream = stream
        #: Whether nothing is printed.
        self.quiet = False

    @cached_property
    def rich(self) -> Console:
        """The console that draws."""
        from airfair.terminal import Terminal

        return Terminal(stderr=self._stream == "stderr")

    @property
    def is_terminal(self) -> bool:
        """Whether lines have colours: on a terminal, and where the environment tells Rich to take a pipe for one."""
        told = "FORCE_COLOR" in os.environ or "TTY_COMPATIBLE" in os.environ
        return self.rich.is_terminal if told or self._file.isatty() else False

    @property
    def width(self) -> int:
        """The width of the screen in characters."""
        return self.rich.width

    def line(self, *parts: Part, style: str = "") -> None:
        """Print a line, however long it is: to a pipe as it is, to a terminal in colours."""
        if self.quiet:
            return
        if self.is_terminal:
            from rich.text import Text

            self.rich.print(Text.assemble(*parts), style=style, soft_wrap=True)
        else:
            text = "".join(part if isinstance(part, str) else part[0] for part in parts)
            print(visible(text), file=self._file, flush=True)

    def print(self, *what: RenderableType, **how: Any) -> None:
        """Print tables, and texts that wrap between words, as Rich does."""
        if not self.quiet:
            self.rich.print(*what, **how)

    @property
    def _file(self) -> Any:
        return getattr(sys, self._stream)


out = Screen("stdout")
#: For notes, warnings and progress.
err = Screen("stderr")
#: For failures, which are printed even after `quieten`.
errors = Screen("stderr")


def quieten(silent: bool) -> None:
    """With `silent`, print only errors on stderr: neither notes nor warnings nor progress."""
    err.quiet = silent


def _is_watched() -> bool:
    """Whether somebody sees progress: stderr is a terminal, outside CI, and not quiet."""
    return sys.stderr.isatty() and not os.environ.get("CI") and not err.quiet


#: Maximum number of failures printed one by one.
_SHOWN = 10


class Bar(Protocol):
    """A progress bar's update."""

    def __call__(self, done: int, reused: int, total: int, note: str = "") -> None:
        """Show that `done` of `total` runs are done, `reused` of them from a store."""


def table(
    title: str | None, *columns: str, right: tuple[str, ...] = (), rows: Iterable[Iterable[RenderableType]] = ()
) -> Table:
    """A table in the house style. Columns named in `right` hold numbers."""
    from airfair.terminal import HouseTable

    looks: dict[str, Any] = {"title_justify": "left", "title_style": "bold", "box": None, "header_style": "dim"}
    result = HouseTable(title=title, pad_edge=False, **looks)
    for column in columns:
        result.add_column(column, justify="right" if column in right else "left", overflow="fold")
    for row in rows:
        result.add_row(*row)
    return result


def metrics_table(metrics: Mapping[str, Mapping[str, Any]], known: Mapping[str, Mapping[str, Any]]) -> Table:
    """The metrics of a run, in readable units; `known` describes each.

    Where the terminal is too narrow, the ranges are left out, and then the better ends.
    """
    notes = "95 % interval"
    heads = ["Metric", "Value", notes, "Better", "Range"]
    seeds = max((metric["n"] for metric in metrics.values()), default=0)
    rows = [_metric_row(name, metric, known[name], seeds) for name, metric in metrics.items()]
    columns = [[head, *cells] for head, *cells in zip(heads, *rows, strict=True)]
    # Only notes wrap.
    widths = [
        len(notes) if head == notes else max(map(len, column)) for head, column in zip(heads, columns, strict=True)
    ]
    shown = next((count for count in (5, 4) if _together(widths[:count]) <= out.width), 3)
    result = table(None, *heads[:shown], right=("Value",))
    for column in result.columns:
        column.no_wrap = column.header != notes
    for row, metric in zip(rows, metrics.values(), strict=True):
        result.add_row(*row[:shown], style="dim" if metric["value"] is None else None)
    return result


def _metric_row(name: str, metric: Mapping[str, Any], known: Mapping[str, Any], seeds: int) -> list[str]:
    """A row of the table of metrics, for a run with this number of seeds."""
    value, unit = metric["value"], metric["unit"]
    if value is None:
        return [name, "none", metric.get("reason") or "", "", ""]
    notes = [interval(*_ends(name, metric), value, unit)] if metric.get("ci95") else []
    if metric["n"] < seeds:
        notes.append(f"({metric['n']} of {seeds} seeds)")
    if left_out := told(metric.get("left_out", 0), metric.get("sessions", 0)):
        notes.append(f"({left_out})")
    better = {True: "more", False: "less", None: ""}[known["larger_is_better"]]
    bounds = _bounds(known["range"]["low"], known["range"]["high"])
    return [name, quantity(value, unit), " ".join(notes), better, bounds]


def groups_table(metrics: Mapping[str, Mapping[str, Any]], known: Mapping[str, Mapping[str, Any]]) -> Table:
    """The metrics of groups of devices: a row for each group, a column for metrics that differ in the group alone.

    If the terminal is too narrow for that, the table has a row for each group and metric.
    """
    groups: dict[str, dict[str, str]] = {}
    for name, metric in metrics.items():
        group, title = known[name]["group"], known[name]["title"].removesuffix(f", {known[name]['group']}")
        groups.setdefault(group, {})[title[0].upper() + title[1:]] = measured(name, metric)
    columns = list(dict.fromkeys(column for row in groups.values() for column in row))
    rows = [[group, *(row.get(column, "") for column in columns)] for group, row in groups.items()]
    result = table(None, "Devices", *columns, rows=rows)
    cells = [(str(column.header), *values) for column, *values in zip(result.columns, *rows, strict=True)]
    if _together(len(max(column, key=len)) for column in cells) <= out.width:
        return result
    # Headings wrap, values and words do not.
    narrow = [max(map(len, [*heading.split(), *values])) for heading, *values in cells]
    if _together(narrow) <= out.width:
        for column, width in zip(result.columns, narrow, strict=True):
            column.width = width
        return result
    return table(
        None,
        "Devices",
        "Metric",
        "Value",
        rows=((group, title, value) for group, row in groups.items() for title, value in row.items()),
    )


def _together(widths: Iterable[int]) -> int:
    """The width of a table with columns of these widths, and two spaces behind each."""
    return sum(width + 2 for width in widths)


def measured_share(share: Mapping[str, Any]) -> str:
    """A sentence on a measured fair share, from its entry in a JSON document."""
    users, seeds = share["users"], share["seeds"]
    rates = {name: quantity(share[name] / users, share["unit"]) for name in ("download", "upload")}
    each = " and ".join(f"{rate} ({name})" for name, rate in rates.items())
    if len(set(rates.values())) == 1:
        each = rates["download"]
    return (
        f"fair share: {each}, what each of {users} users gets alone over their number; seeds {seeds[0]} to {seeds[-1]}"
    )


def devices_table(devices: Iterable[Mapping[str, Any]]) -> Table:
    """The table of the devices' grades."""
    return table(None, *graded.HEADS, rows=graded.rows(devices))


def measured(name: str, metric: Mapping[str, Any]) -> str:
    """A metric's value with its interval, or why it has none."""
    value, unit = metric["value"], metric["unit"]
    if value is None:
        return f"none: {metric['reason']}"
    return quantity(value, unit) + (f" ({interval(*_ends(name, metric), value, unit)})" if metric.get("ci95") else "")


def _ends(name: str, metric: Mapping[str, Any]) -> tuple[float, float]:
    """The interval of a metric that has one, cut where the metric's range ends."""
    low, high = metric["ci95"]
    return within_range(name, (low, high), metric["value"])


def what_is_counted(metrics: Iterable[str], known: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Notes on the bytes or sessions that metrics count, one line for metrics with the same note."""
    by_note: dict[str, list[str]] = {}
    for name in metrics:
        if note := known[name]["note"]:
            by_note.setdefault(note, []).append(name)
    return [f"{', '.join(names)}: {note}" for note, names in by_note.items()]


#: Part of the definition of every metric that counts unfinished sessions up to the end of the run.
_LOWER_BOUND = "until the end of the run, which makes this a lower bound"
_UNFINISHED = "sessions_unfinished"


def what_is_unfinished(
    metrics: Mapping[str, Mapping[str, Any]],
    known: Mapping[str, Mapping[str, Any]],
    sessions: Mapping[str, int],
    seeds: int,
) -> list[str]:
    """Notes on unfinished sessions: the number of all sessions, and the metrics that are lower bounds because of them.

    `sessions` are those of all seeds. Empty if every session is finished.
    """
    if not sessions["unfinished"]:
        return []
    notes = [f"{_UNFINISHED}: of {number(sessions['count'] / seeds)} sessions"] if _UNFINISHED in metrics else []
    valued = (name for name, metric in metrics.items() if metric["value"] is not None)
    bounds = [name for name in valued if _LOWER_BOUND in known[name]["definition"]]
    if bounds:
        notes.append(f"{', '.join(bounds)}: at least; what is unfinished counts until the end of the run")
    return notes


def running(text: str) -> str:
    """Rewrap text to the width of the terminal; list items keep lines of their own."""
    from textwrap import fill

    lines: list[str] = []
    for part in paragraphs(text):
        item = part.startswith("- ")
        if lines and not item:
            lines.append("")
        lines.append(
            fill(part, out.width, subsequent_indent="  " * item, break_on_hyphens=False, break_long_words=False)
        )
    return "\n".join(lines)


def _bounds(low: float | None, high: float | None) -> str:
    if low is None:
        return "any" if high is None else f"≤ {high:g}"
    return f"≥ {low:g}" if high is None else f"{low:g} to {high:g}"


def _range(low: float | None, high: float | None) -> str:
    if low is None:
        return "any value" if high is None else f"{high:g} or less"
    return f"{low:g} or more" if high is None else f"{low:g} to {high:g}"


def metric_facts(metric: Mapping[str, Any]) -> Table:
    """A metric's unit, range, better end and source."""
    better = {True: "larger values", False: "smaller values", None: "neither end"}
    facts = {
        "Unit": "none" if metric["unit"] == "1" else metric["unit"],
        "Range": _range(metric["range"]["low"], metric["range"]["high"]),
        "Counts": metric["note"],
        "Better": better[metric["larger_is_better"]],
        "Quantiles": ", ".join(metric["quantiles"]),
        "Source": metric["source"],
    }
    result = table(None, "", "", rows=((name, fact) for name, fact in facts.items() if fact))
    result.show_header = False
    return result


def list_of_metrics(metrics: Sequence[Mapping[str, Any]]) -> Table:
    """All metrics, each with its unit and the first sentence of its definition."""
    # The dots of `x_1 + ... + x_n` end no sentence.
    sentences = (re.split(r"(?<!\.)\. ", metric["definition"])[0].rstrip(".") + "." for metric in metrics)
    rows = ((metric["name"], metric["unit"], sentence) for metric, sentence in zip(metrics, sentences, strict=True))
    return table(None, "Metric", "Unit", "Definition", rows=rows)


def settings_table(settings: Sequence[Mapping[str, Any]]) -> Table:
    """Settings of scenario files: path, meaning, other paths."""
    rows = (
        (one["path"], one["description"] + (f" Also as {', '.join(one['also'])}." if one["also"] else ""))
        for one in settings
    )
    return table(None, "Setting", "Meaning", rows=rows)


def rows_table(entries: Iterable[Mapping[str, Any]], heads: Mapping[str, str]) -> Table:
    """A row for each entry, with the fields and heads of `heads`."""
    rows = ((_in_cell(entry[field]) for field in heads) for entry in entries)
    return table(None, *heads.values(), rows=rows)


def _in_cell(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def uses_table(uses: Sequence[Mapping[str, Any]]) -> Table:
    """Parameters of scenarios that have a certain name, or accept it as a value."""
    rows = (
        (use["scenario"], f"--set {use['parameter']}={use['value'] or '...'}", use["help"].partition(" (`")[0])
        for use in uses
    )
    return table(None, "Scenario", "Set it with", "Meaning of the parameter", rows=rows)


def parameters_table(parameters: Sequence[Mapping[str, Any]]) -> Table:
    """A scenario's parameters: defaults and allowed values, in readable units."""
    result = table(None, "Parameter", "Default", "Allowed", "Meaning")
    for entry in parameters:
        default = "" if entry["default"] is None else shown(entry["default"], entry["unit"], EXACT)
        result.add_row(entry["name"], default, _allowed(entry), entry["help"])
    return result


#: By unit, the values that a parameter without bounds accepts.
_ANY = {
    "bit/s": "a rate",
    "s": "a time",
    "byte": "a size",
    "m": "a length",
    "dB": "a level",
    "dBm": "a power",
    "fraction": "0 to 1",
    "number": "a number",
}


def _allowed(parameter: Mapping[str, Any]) -> str:
    unit = parameter["unit"]
    if isinstance(parameter["default"], bool):
        return "true, false"
    if parameter["choices"]:
        return ", ".join(shown(choice, unit) for choice in parameter["choices"])
    low, high = (None if parameter[end] is None else shown(parameter[end], unit, EXACT) for end in ("min", "max"))
    bounds = f"{low} to {high}" if low and high else f"{low} or more" if low else f"up to {high}" if high else ""
    step = parameter["multiple_of"]
    if step:
        bounds += ", whole" if step == 1 else f", multiples of {shown(step, unit, EXACT)}"
    return " or ".join(part for part in (bounds or _ANY.get(unit, ""), *parameter["words"]) if part)


def warn(texts: Iterable[str]) -> None:
    """Print warnings, each once."""
    for text in dict.fromkeys(texts):
        err.line(("warning", "yellow"), f": {text}")


def failed(texts: Sequence[str], what: str) -> None:
    """Print the first few failures, and the number of the rest followed by `what`."""
    for text in texts[:_SHOWN]:
        errors.line(("failed", "red"), f": {text}")
    if len(texts) > _SHOWN:
        errors.print(f"and {len(texts) - _SHOWN} more {what}")


def finishing(running: int) -> None:
    """Print, after Ctrl-C, how many runs are still being finished."""
    runs = "the run" if running == 1 else f"the {running} runs"
    err.line(f"finishing {runs} in progress; Ctrl-C again stops at once")


def ended(how: str, out: Path | None = None) -> None:
    """Print how a signal ended a command and, with `out`, how to continue the runs that this directory keeps."""
    kept = "" if out is None else f"; finished runs are kept, and the same command continues: {out}"
    err.line(f"{how}{kept}")


@contextmanager
def progress(title: str, things: str = "runs") -> Iterator[Bar | None]:
    """A progress bar of things on stderr with rate and time left; none if stderr is not a terminal, or in CI."""
    if not _is_watched():
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}", style="red", markup=False),
    )
    # By default Rich estimates the speed from the last 30 s, in which no long run may have ended.
    with Progress(*columns, console=err.rich, transient=True, speed_estimate_period=math.inf) as bar:

        def update(done: int, reused: int, total: int, note: str = "") -> None:
            if not bar.tasks:
                # The task starts with the reused runs, so that they do not count as speed.
                bar.add_task(title, completed=done, total=total, rate="", note=note)
                if reused:
                    bar.print(f"{reused} of {total} runs found from before", style="dim")
                return
            speed = bar.tasks[0].speed
            rate = pace(speed, things) if speed else ""
            bar.update(bar.tasks[0].id, completed=done, total=total, rate=rate, note=note)

        yield update


#: Shortest run, in seconds, that shows a progress bar.
_WAIT = 3.0


def waits_for(seconds: float | None) -> bool:
    """Whether a run that is expected to take `seconds` shows its progress."""
    return seconds is not None and seconds >= _WAIT and _is_watched()


@contextmanager
def simulated(title: str, end: float) -> Iterator[Callable[[float], None]]:
    """Show on stderr how far a run is, and the time left. The callback takes the simulated time, up to `end` (s)."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.completed:.1f} of {task.total:.1f} s simulated", markup=False),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=err.rich, transient=True) as bar:
        task = bar.add_task(title, total=end)
        yield lambda now: bar.update(task, completed=now)


@contextmanager
def status(what: str) -> Iterator[None]:
    """Show a status line on stderr if it is a terminal."""
    if not _is_watched():
        yield
        return
    from rich.text import Text

    with err.rich.status(Text(what)):
        yield
