"""The tables of a report: means of all points, constant metrics, failures, parameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars

from airfair.catalogue.left_out import all_columns, columns, flag_in, note
from airfair.catalogue.units import number, plus_minus, quantity, scale_for, scale_of
from airfair.catalogue.wording import title
from airfair.pages import MOST_ROWS
from airfair.runs.estimate import Estimate
from airfair.sweeps.page.subject import Subject

#: Maximum number of rows of a table that is shown open; a longer table is collapsed.
_OPEN = 40
#: Maximum number of points listed for one reason of failures.
_EXAMPLES = 5


def alone(subject: Subject) -> list[dict[str, Any]]:
    """The metrics of the only point of a sweep; empty if it has several points."""
    data = subject.data
    if data.frame.is_empty() or any(data.frame[name].n_unique() > 1 for name in data.axes):
        return []
    found = []
    for name in data.metrics:
        estimate = Estimate.of([float(value) for value in data.frame.sort("seed")[name].drop_nulls()])
        scale = scale_for(estimate.mean if estimate else 0.0, data.units.get(name, ""))
        why = "" if estimate else data.reason(name)
        text = _cell(estimate, scale.factor) + (f" {scale.many}" if estimate else why)
        text += f" ({told})" if (told := note(name, data.frame)) else ""
        found.append({"metric": name, "title": title(name), "what": text.strip()})
    return found


def constant(subject: Subject) -> list[dict[str, str]]:
    """Metrics that do not vary between the points, each with its value."""
    found = []
    for name in _steady(subject):
        values = subject.data.frame[name].drop_nulls()
        if values.len():
            unit = subject.data.units.get(name, "")
            what = quantity(float(values[0]), unit) if values.n_unique() == 1 else "differs by seed alone"
            what += f"; {told}" if (told := note(name, subject.data.frame)) else ""
            found.append({"metric": name, "what": what})
    return found


def undefined(subject: Subject) -> list[dict[str, str]]:
    """Metrics that have no value at any point, each with the reason."""
    names = (name for name in _steady(subject) if not subject.data.frame[name].drop_nulls().len())
    return [{"metric": name, "what": subject.data.reason(name) or ""} for name in names]


def _steady(subject: Subject) -> list[str]:
    """Names of the metrics that do not vary between points."""
    if subject.data.frame.is_empty() or alone(subject):
        return []
    varying = {item.metric for item in subject.sensitivities}
    return [name for name in subject.data.metrics if name not in varying]


def means(subject: Subject, metrics: Sequence[str]) -> dict[str, Any]:
    """Means with half the widths of their intervals, one row for each point."""
    data, axes = subject.data, list(subject.data.axes)
    if data.frame.is_empty() or not metrics:
        return {"rows": [], "heads": [], "left": 0, "open": True, "left_out": []}
    counts = [name for name in columns(metrics) if name in data.frame.columns]
    groups = (
        data.frame.sort(*axes, "seed")
        .group_by(axes, maintain_order=True)
        .agg(
            polars.len().alias("n of seeds"),
            *(polars.col(name).cast(polars.Float64) for name in metrics),
            polars.col(counts).sum(),
        )
    )
    estimates = {
        name: [Estimate.of([value for value in values if value is not None]) for values in groups[name]]
        for name in metrics
    }
    scales = {
        name: scale_of((e.mean for e in found if e), data.units.get(name, "")) for name, found in estimates.items()
    }
    heads = [{"text": subject.along[name].label, "number": subject.along[name].numeric} for name in axes]
    heads += [{"text": "Seeds", "number": True}]
    heads += [{"text": scales[name].label(title(name)), "number": True} for name in metrics]

    def rows() -> Iterator[list[Any]]:
        for place, point in enumerate(groups.head(MOST_ROWS).iter_rows(named=True)):
            at = [subject.along[name].text(point[name]) for name in axes]
            cells = [_cell(estimates[name][place], scales[name].factor) + flag_in(point, name) for name in metrics]
            yield [*at, str(point["n of seeds"]), *cells]

    return {
        "heads": heads,
        "rows": list(rows()),
        "left": max(0, groups.height - MOST_ROWS),
        "open": groups.height <= _OPEN,
        "height": groups.height,
        "left_out": [f"{title(name)}: {told}" for name in metrics if (told := note(name, data.frame))],
    }


def _cell(estimate: Estimate | None, factor: float) -> str:
    if estimate is None:
        return ""
    if estimate.ci95 is None:
        return number(estimate.mean / factor)
    return plus_minus(estimate.mean / factor, (estimate.ci95[1] - estimate.mean) / factor)


def failures(subject: Subject) -> list[dict[str, Any]]:
    """The reasons of failures, the most frequent first, each with some of the points that failed for it."""
    frame, axes = subject.failures, list(subject.data.axes)
    reasons = Counter(frame["reason"].to_list())
    found = []
    for reason, count in reasons.most_common():
        rows = frame.filter(polars.col("reason") == reason).head(_EXAMPLES)
        points = [
            ", ".join(f"{name} = {subject.text(name, row[name])}" for name in axes)
            + ("" if row["seed"] is None else f", seed {row['seed']}")
            for row in rows.iter_rows(named=True)
        ]
        found.append({"reason": reason, "count": count, "points": points, "more": count - len(points)})
    return found


def settings(subject: Subject, described: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The parameters with one value at all points; those that the sweep sets come first."""
    data, sweep = subject.data, subject.sweep
    if data.frame.is_empty():
        return [{"name": name, "value": value, "set": True, "help": ""} for name, value in sweep.set.items()]
    helps = {entry["name"]: entry["help"] for entry in described.get("parameters", [])}
    others = [name for name in data.frame.columns if name not in (*data.axes, "seed", *data.metrics, *all_columns())]
    found = [
        {
            "name": name,
            "value": subject.text(name, data.frame[name][0]),
            "set": name.removeprefix("parameter_") in sweep.set,
            "help": helps.get(name.removeprefix("parameter_"), ""),
        }
        for name in others
        if data.frame[name].n_unique() == 1
    ]
    return sorted(found, key=lambda entry: not entry["set"])
