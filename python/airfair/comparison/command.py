"""The body of `airfair diff`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from rich.measure import Measurement
from rich.table import Table

from airfair import console
from airfair.catalogue import warned
from airfair.catalogue.wording import counted, in_all
from airfair.command import Common, answer
from airfair.comparison.difference import ENDS, ONE_PAIR, SAME, Difference, Measured, cells, compare, told
from airfair.comparison.side import Side, read, run
from airfair.runs.executor import Execution


def between(
    a: object,
    b: object,
    own: tuple[Mapping[str, object], Mapping[str, object]],
    *,
    seeds: range,
    metrics: Sequence[str],
    jobs: int | None,
    engine: str | None,
    warn: Callable[[Sequence[str]], None],
) -> tuple[Difference, Execution]:
    """Compare two sides, after reading both, warning of scenarios, and running those.

    Raises:
        InputError: A side cannot be read, or has no such metric.
    """
    sides = [read(source, parameters, metrics, engine) for source, parameters in zip((a, b), own, strict=True)]
    warn(_warnings(sides))
    with console.progress("diff") as progress:
        (one, other), execution = run(sides, seeds, jobs, progress)
    every = "all" in metrics or not (one.points and other.points)
    return compare(one, other, () if every else metrics), execution


def _warnings(sides: Sequence[Side]) -> list[str]:
    """The warnings on scenarios among the sides. What holds for one of two names it, `B: ...`."""
    found = [warned.texts([side.to_run]) if side.to_run else [] for side in sides]
    of_both = in_all(found)
    lone = [f"{mark}: {text}" for mark, texts in zip("AB", found, strict=True) for text in texts if text not in of_both]
    return [*of_both, *lone]


def diff(
    a: str,
    b: str,
    own: tuple[Mapping[str, object], Mapping[str, object]],
    common: Common,
    *,
    seeds: int,
    metrics: Sequence[str],
    jobs: int | None,
    engine: str | None,
    exit_code: bool,
) -> int:
    """Compare two sides, print the result, and return the exit status."""
    ran = range(common.seed, common.seed + seeds)
    found, execution = between(a, b, own, seeds=ran, metrics=metrics, jobs=jobs, engine=engine, warn=console.warn)
    if execution.interrupted:
        console.ended(execution.how)
        return execution.status
    console.failed(list(map(str, execution.failures)), "runs failed")
    answer(common, "diff.json", found.document, lambda: show(found, in_full=bool(metrics)))
    return 1 if execution.failures or (exit_code and found.differs) else 0


#: Maximum number of rows in the table of points.
_MOST = 100


def show(found: Difference, *, in_full: bool) -> None:
    """Print the differences; for sweeps and studies, every point only with `in_full`."""
    for mark, side in (("A", found.a), ("B", found.b)):
        console.out.line((mark, "bold"), f"  {side.label}")
    if found.same_results and not found.measured:
        console.out.print("Both give the same results with any seed.")
        if found.a.label == found.b.label:
            console.out.print("give a second name, or change B with --set-b NAME=VALUE", style="dim")
    elif not found.differs:
        console.out.print("No difference." if found.measured else "They set the same.")
    lone = {one.name: mark for one in found.parameters for mark, has in (("A", one.b), ("B", one.a)) if has is None}
    of_one = lone if found.a.scenario != found.b.scenario else {}
    if rows := [row for row in found.set_otherwise if row[0] not in of_one]:
        console.out.print(console.table(None, "Set", "A", "B", rows=rows))
    for mark in dict.fromkeys(of_one.values()):
        names = ", ".join(name for name, has in of_one.items() if has == mark)
        console.out.print(f"parameters only of {mark}: {names}", style="dim")
    if found.measured:
        by_point = any(one.at for one in found.measured)
        if by_point and not in_full:
            _summary(found)
        else:
            _rows(found.measured, by_point=by_point)
        for note in found.notes:
            console.out.print(note, style="dim")
    elif not found.same_results and not (found.a.points and found.b.points):
        console.out.print("no metrics compared: scenarios are run with --seeds N", style="dim")
    if any(found.alone):
        console.out.print(f"{counted(found.alone[0], 'point')} only in A, {found.alone[1]} only in B", style="dim")


def _rows(measured: Sequence[Measured], *, by_point: bool) -> None:
    differing = [one for one in measured if one.verdict != SAME]
    if shown := differing[:_MOST]:
        point = ["Point"] if by_point else []
        rows = [(one.metric, *([one.place] if by_point else []), *cells(one)) for one in shown]
        _print(console.table(_over(shown), "Metric", *point, "A", "B", *ENDS, right=("A", "B", *ENDS[:2]), rows=rows))
    if len(differing) > _MOST:
        console.out.print(f"{_MOST} of {len(differing)} rows; all of them with --json", style="dim")
    differ = {one.metric for one in differing}
    same = list(dict.fromkeys(one.metric for one in measured if one.verdict == SAME))
    _tell_same([metric for metric in same if metric not in differ], measured)
    if in_part := [metric for metric in same if metric in differ]:
        console.out.print(f"the same at some points: {', '.join(in_part)}", style="dim")


def _tell_same(metrics: Sequence[str], measured: Sequence[Measured]) -> None:
    valued = {one.metric for one in measured if one.a is not None or one.b is not None}
    if same := [metric for metric in metrics if metric in valued]:
        console.out.print(f"the same: {', '.join(same)}", style="dim")
    if empty := [metric for metric in metrics if metric not in valued]:
        console.out.print(f"without a value on either side: {', '.join(empty)}", style="dim")


def _print(table: Table) -> None:
    """Print a table; a pipe gets it as wide as it is. Names of metrics never wrap."""
    if not console.out.is_terminal:
        table.width = _width(table)
    elif _width(table) > console.out.width:
        table = _narrow(table)
    table.columns[0].no_wrap = True
    console.out.print(table, crop=False, soft_wrap=not console.out.is_terminal)


def _narrow(table: Table) -> Table:
    """Narrow a table: drop the column that follows from A and B; half widths of intervals get lines of their own."""
    columns = [column for column in table.columns if column.header != ENDS[1]]
    heads = [str(column.header) for column in columns]
    right = tuple(head for head, column in zip(heads, columns, strict=True) if column.justify == "right")
    cells = ([str(cell).replace(" ± ", "\n± ") for cell in column.cells] for column in columns)
    return console.table(str(table.title), *heads, right=right, rows=zip(*cells, strict=True))


def _width(table: Table) -> int:
    return Measurement.get(console.out.rich, console.out.rich.options.update(max_width=10_000), table).maximum


def _over(measured: Sequence[Measured]) -> str:
    """The number of seeds over which the pairs compare, in words."""
    counts = Counter(one.n for one in measured if one.n)
    if not counts:
        return "Metrics, unpaired"
    low, high = min(counts), max(counts)
    seeds = counted(high, "seed") if low == high else f"{low} to {high} seeds"
    return f"Metrics over {seeds}, in pairs"


def _summary(found: Difference) -> None:
    """Print for each metric the number of points with each verdict, and the largest difference."""
    rows, same = [], []
    for metric, ones in found.metrics.items():
        counts = Counter(told(one) for one in ones)
        if set(counts) == {SAME}:
            same.append(metric)
            continue
        greatest = max(ones, key=lambda one: abs(one.relative or one.difference or 0))
        verdicts = ", ".join(
            f"{count} {'with one pair' if verdict == ONE_PAIR else verdict}" for verdict, count in counts.most_common()
        )
        rows.append(
            (metric, verdicts, f"{' '.join(cells(greatest)[2:4])} at {greatest.place}" if greatest.difference else "")
        )
    if rows:
        _print(console.table(_over(found.measured), "Metric", "B is", "Greatest difference", rows=rows))
        console.out.print("the points of a metric: --metrics NAME", style="dim")
    _tell_same(same, found.measured)
