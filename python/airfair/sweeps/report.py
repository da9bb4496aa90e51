"""`airfair report`: one page on a sweep that needs nothing else, not even a network."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars
from markupsafe import Markup

from airfair import _engine, console
from airfair.api import metrics as all_metrics
from airfair.commands import Common, answer, probe
from airfair.files import write_text
from airfair.measurements import Estimate
from airfair.plots.command import figure
from airfair.plots.data import Data, of_ran, read
from airfair.plots.draw import Along
from airfair.report import inline, templates
from airfair.sweeps.directory import MANIFEST, Directory
from airfair.sweeps.headlines import headlines, view
from airfair.sweeps.query import opened
from airfair.sweeps.sensitivity import Effect, Sensitivity, sensitivities
from airfair.units import number, quantity, scale_for
from airfair.wording import title

if TYPE_CHECKING:
    from airfair.sweeps.runner import Ran
    from airfair.sweeps.spec import Sweep

NAME = "report.html"
#: Points in the page's table; all of them are in results.parquet.
_ROWS = 2000
#: A longer table is folded up.
_OPEN = 40
#: Figures are shown so much larger than they are drawn, at most.
_LARGER = 1.15
#: Values of an axis that are told one by one.
_VALUES = 8
#: Commands that are told, the last ones.
_COMMANDS = 10
#: Points of a failure that are told.
_EXAMPLES = 5


@dataclass(frozen=True)
class Subject:
    """A sweep as the page tells it."""

    sweep: Sweep
    data: Data
    failures: polars.DataFrame
    #: What the manifest says of the commands; none where there is no manifest.
    commands: Sequence[Mapping[str, Any]]
    #: How many points the sweep comes to; None where there is no manifest.
    wanted: int | None

    @cached_property
    def along(self) -> dict[str, Along]:
        """The axes."""
        return {name: Along.of(self.data, name) for name in self.data.axes}

    @cached_property
    def sensitivities(self) -> list[Sensitivity]:
        """How the axes move each metric."""
        data = self.data
        return sensitivities(data.frame, data.axes, data.metrics, sampled=data.sampled)

    @cached_property
    def known(self) -> dict[str, dict[str, Any]]:
        """What the engine says of each metric."""
        return {entry["name"]: entry for entry in all_metrics()}


def report(directory: Path, common: Common) -> int:
    """Write the page, and say where it is."""
    with console.status(f"reading {directory}"):
        subject = of_directory(directory)
        text = render(subject)
    file = probe(common.out or directory) / NAME
    write_text(file, text)
    if subject.data.note:
        console.err.print(subject.data.note, soft_wrap=True)
    shown = [item.metric for item in headlines(subject.sensitivities)]
    document = {
        "scenario": subject.sweep.name,
        "points": subject.data.frame.select(subject.data.axes).n_unique() if subject.data.axes else 1,
        "runs": subject.data.frame.height,
        "failures": subject.failures.height,
        "figures": shown,
        "file": str(file),
        "bytes": len(text.encode()),
    }
    answer(Common(common.json), "report.json", document, lambda: console.out.print(str(file), soft_wrap=True))
    return 0


def of_directory(directory: Path) -> Subject:
    """The sweep in a directory.

    Raises:
        InputError: There is none, or none of its runs has ended well yet.
    """
    sweep = Directory(directory).sweep()
    try:
        manifest = json.loads((directory / MANIFEST).read_text(encoding="utf-8"))
        commands, wanted = manifest["commands"], manifest["combinations"]
    except (OSError, ValueError, KeyError, TypeError):
        commands, wanted = [], None
    failures = opened(directory, "failures")
    frame = failures.frame if failures.frame is not None else polars.read_parquet(failures.file or "")
    return _checked(Subject(sweep, read(directory, "results", ""), frame, commands, wanted))


def of_result(ran: Ran) -> Subject:
    """A sweep in memory."""
    return _checked(
        Subject(
            ran.plan.sweep,
            of_ran(ran, "results", ""),
            ran.tables["failures"],
            [],
            len(ran.plan.combinations) + len(ran.plan.refused),
        )
    )


def _checked(subject: Subject) -> Subject:
    if subject.data.frame.is_empty() and subject.failures.is_empty():
        raise _engine.InputError("there is nothing to report: no run has ended yet")
    return subject


def render(subject: Subject) -> str:
    """The page."""
    sweep, data = subject.sweep, subject.data
    shown = [] if data.frame.is_empty() else headlines(subject.sensitivities)
    described = _described(sweep)
    page = templates().get_template("sweep.html")
    return page.render(
        version=_engine.__version__,
        model=_engine.MODEL_VERSION,
        sweep=sweep,
        heading=described.get("title") or sweep.name,
        description=(described.get("description") or "").split("\n\n"),
        note=data.note,
        counts=_counts(subject),
        axes=[_axis(subject, name) for name in data.axes],
        sampled=data.sampled,
        seeds=_seeds(subject),
        figures=[_figure(subject, item) for item in shown],
        shown=[item.metric for item in shown],
        sensitivity=[_sensitivity(subject, item) for item in subject.sensitivities],
        overlap=_overlap(subject),
        alone=_alone(subject),
        constant=_constant(subject),
        table=_table(subject, [item.metric for item in shown]),
        failures=_failures(subject),
        settings=_settings(subject, described),
        commands=[_command(entry) for entry in subject.commands[-_COMMANDS:]],
        again=again(sweep),
        one=_one(subject),
        definitions=[subject.known[name] for name in data.metrics],
        title=title,
    )


def _described(sweep: Sweep) -> dict[str, Any]:
    """The packaged scenario's description; of a file there is none but its name."""
    try:
        if _engine.scenario_text(sweep.name) == sweep.text:
            found: dict[str, Any] = json.loads(_engine.describe_json(sweep.name))
            return found
    except _engine.InputError:
        pass
    return {}


def _counts(subject: Subject) -> dict[str, Any]:
    """How complete it is, by points."""
    data, sweep = subject.data, subject.sweep
    axes = list(data.axes)
    found = data.frame.group_by(axes).len()["len"].to_list() if axes else [data.frame.height]
    seeds = found if data.frame.height else []
    failures = subject.failures.select(axes).unique() if axes else subject.failures.head(1).select("reason")
    # Of a point that failed with some of its seeds there are results as well.
    alone = failures.join(data.frame, on=axes, how="anti", nulls_equal=True).height if axes else 0
    whole = sum(count >= sweep.seeds for count in seeds) if sweep.until is None else len(seeds)
    missing = 0 if subject.wanted is None else max(0, subject.wanted - len(seeds) - alone)
    return {
        "runs": data.frame.height,
        "points": subject.wanted or len(seeds),
        "whole": whole,
        "failed": failures.height,
        "part": max(0, len(seeds) - whole - (failures.height - alone)),
        "missing": missing,
        "most": max(seeds, default=0),
    }


def _axis(subject: Subject, name: str) -> dict[str, Any]:
    along = subject.along[name]
    texts = [along.text(value) for value in along.values]
    few = ", ".join(texts) if len(texts) <= _VALUES else f"{texts[0]} to {texts[-1]}, {len(texts)} values"
    return {"name": name, "label": title(name), "unit": along.scale.symbol, "shown": few}


def _seeds(subject: Subject) -> str:
    sweep = subject.sweep
    if sweep.until:
        share = f"{sweep.until.share * 100:g} %"
        return f"seeds from {sweep.seed} on until the interval of {sweep.until.metric} is within {share}"
    last = sweep.seed + sweep.seeds - 1
    return f"seed {sweep.seed}" if sweep.seeds == 1 else f"seeds {sweep.seed} to {last}"


def _figure(subject: Subject, item: Sensitivity) -> dict[str, Any]:
    chosen = view(subject.data, item)
    data = subject.data
    for name, values in chosen.only.items():
        data = replace(data, frame=data.frame.filter(polars.col(name).is_in(values)))
    drawn = figure(data, chosen.asked, height=200)
    held = "; ".join(_held(subject.along[name], values) for name, values in chosen.only.items())
    return {
        "metric": item.metric,
        "title": title(item.metric),
        "svg": Markup(inline(drawn.svg, item.metric)),
        "width": round(_LARGER * float(drawn.svg.split('width="', 1)[1].split('"', 1)[0])),
        "caption": drawn.caption + (f" Shown: {held}." if held else ""),
        "definition": subject.known[item.metric]["definition"],
        "command": _plot_command(subject, item.metric, chosen.asked, chosen.only),
    }


def _plot_command(subject: Subject, metric: str, asked: Any, only: Mapping[str, Any]) -> str:
    words = ["airfair", "plot", "DIR", "--y", metric]
    places = (("--x", asked.x), ("--color", asked.color), ("--facet", asked.facet), ("--kind", asked.kind))
    words += [word for option, value in places if value and value != "line" for word in (option, value)]
    if only:
        chosen = (f"{name} IN ({', '.join(map(_sql, values))})" for name, values in only.items())
        words += ["--where", " AND ".join(chosen)]
    return shlex.join(words)


def _held(along: Along, values: Sequence[Any]) -> str:
    if len(values) == 1:
        return along.whole(values[0])
    return f"{len(values)} of {len(along.values)} values of {along.name}"


def _sql(value: Any) -> str:
    return f"'{value}'" if isinstance(value, str) else json.dumps(value)


def _sensitivity(subject: Subject, item: Sensitivity) -> dict[str, Any]:
    unit = subject.data.units.get(item.metric, "")
    order = {name: place for place, name in enumerate(subject.data.axes)}
    effects = sorted(item.effects, key=lambda effect: order[effect.axis])
    largest = max(effect.share for effect in effects)
    return {
        "metric": item.metric,
        "title": title(item.metric),
        "range": f"{quantity(item.low, unit, 3)} to {quantity(item.high, unit, 3)}",
        "effects": [_effect(subject, effect, unit, largest) for effect in effects],
        "chance": None if item.chance is None else _percent(item.chance),
    }


def _effect(subject: Subject, effect: Effect, unit: str, largest: float) -> dict[str, Any]:
    along = subject.along[effect.axis]
    ends = ((effect.low, effect.lowest_at), (effect.high, effect.highest_at))
    low, high = (f"{quantity(value, unit, 3)} at {_at(along, at)}" for value, at in ends)
    return {
        "share": round(effect.share * 100, 1),
        "percent": _percent(effect.share),
        "why": f"means from {low} to {high}",
        "most": effect.share == largest,
    }


def _percent(share: float) -> str:
    return "< 1 %" if 0 < share < 0.01 else f"{share * 100:.0f} %"


def _at(along: Along, value: Any) -> str:
    return f"{along.text(value)} {along.scale.symbol}".strip()


def _overlap(subject: Subject) -> bool:
    """Whether points of the grid are missing: what axes explain by themselves can then not be told apart."""
    data = subject.data
    if data.sampled or data.frame.is_empty() or not data.axes:
        return False
    whole = prod(data.frame[name].n_unique() for name in data.axes)
    return data.frame.select(data.axes).n_unique() < whole


def _alone(subject: Subject) -> list[dict[str, Any]]:
    """The metrics of a sweep's only point."""
    data = subject.data
    if data.frame.is_empty() or any(data.frame[name].n_unique() > 1 for name in data.axes):
        return []
    found = []
    for name in data.metrics:
        estimate = Estimate.of([float(value) for value in data.frame.sort("seed")[name].drop_nulls()])
        scale = scale_for(estimate.mean if estimate else 0.0, data.units.get(name, ""))
        why = "" if estimate else data.reason(name)
        text = _cell(estimate, scale.factor) + (f" {scale.many}" if estimate else why)
        found.append({"metric": name, "title": title(name), "what": text.strip()})
    return found


def _constant(subject: Subject) -> list[dict[str, str]]:
    """Metrics that do not vary, with what they are or why they are not."""
    frame, found = subject.data.frame, []
    varying = {item.metric for item in subject.sensitivities}
    if _alone(subject):
        return []
    for name in subject.data.metrics:
        if name in varying or frame.is_empty():
            continue
        values = frame[name].drop_nulls()
        unit = subject.data.units.get(name, "")
        if values.len():
            what = quantity(float(values[0]), unit) if values.n_unique() == 1 else "differs by seed alone"
        else:
            why = subject.data.reason(name)
            what = "no value" + (f": {why}" if why else "")
        found.append({"metric": name, "what": what})
    return found


def _table(subject: Subject, metrics: Sequence[str]) -> dict[str, Any]:
    """Means with half of their intervals, one row for each point."""
    data, axes = subject.data, list(subject.data.axes)
    if data.frame.is_empty() or not metrics:
        return {"rows": [], "heads": [], "left": 0, "open": True}
    groups = (
        data.frame.sort(*axes, "seed")
        .group_by(axes, maintain_order=True)
        .agg(polars.len().alias("n of seeds"), *(polars.col(name).cast(polars.Float64) for name in metrics))
    )
    estimates = {
        name: [Estimate.of([value for value in values if value is not None]) for values in groups[name]]
        for name in metrics
    }
    scales = {
        name: scale_for(max((abs(e.mean) for e in found if e), default=0.0), data.units.get(name, ""))
        for name, found in estimates.items()
    }
    heads = [{"text": subject.along[name].label, "number": subject.along[name].numeric} for name in axes]
    heads += [{"text": "Seeds", "number": True}]
    heads += [{"text": scales[name].label(title(name)), "number": True} for name in metrics]

    def rows() -> Iterator[list[Any]]:
        for place, point in enumerate(groups.head(_ROWS).iter_rows(named=True)):
            at = [subject.along[name].text(point[name]) for name in axes]
            cells = [_cell(estimates[name][place], scales[name].factor) for name in metrics]
            yield [*at, str(point["n of seeds"]), *cells]

    return {
        "heads": heads,
        "rows": list(rows()),
        "left": max(0, groups.height - _ROWS),
        "open": groups.height <= _OPEN,
        "height": groups.height,
    }


def _cell(estimate: Estimate | None, factor: float) -> str:
    if estimate is None:
        return ""
    mean = number(estimate.mean / factor)
    if estimate.ci95 is None:
        return mean
    return f"{mean} ± {number((estimate.ci95[1] - estimate.mean) / factor, 2)}"


def _failures(subject: Subject) -> list[dict[str, Any]]:
    """Reasons, the most frequent first, each with some of its points."""
    frame, axes = subject.failures, list(subject.data.axes)
    reasons = Counter(frame["reason"].to_list())
    found = []
    for reason, count in reasons.most_common():
        rows = frame.filter(polars.col("reason") == reason).head(_EXAMPLES)
        points = [
            ", ".join(f"{name} = {_plain(subject, name, row[name])}" for name in axes)
            + ("" if row["seed"] is None else f", seed {row['seed']}")
            for row in rows.iter_rows(named=True)
        ]
        found.append({"reason": reason, "count": count, "points": points, "more": count - len(points)})
    return found


def _plain(subject: Subject, name: str, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "unset" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    return quantity(value, subject.data.units.get(name, ""))


def _settings(subject: Subject, described: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The parameters that are the same at all points, those that the sweep sets first."""
    data, sweep = subject.data, subject.sweep
    if data.frame.is_empty():
        return [{"name": name, "value": value, "set": True, "help": ""} for name, value in sweep.set.items()]
    helps = {entry["name"]: entry["help"] for entry in described.get("parameters", [])}
    others = [name for name in data.frame.columns if name not in (*data.axes, "seed", *data.metrics)]
    found = [
        {
            "name": name,
            "value": _plain(subject, name, data.frame[name][0]),
            "set": name.removeprefix("parameter_") in sweep.set,
            "help": helps.get(name.removeprefix("parameter_"), ""),
        }
        for name in others
        if data.frame[name].n_unique() == 1
    ]
    return sorted(found, key=lambda entry: not entry["set"])


def _command(entry: Mapping[str, Any]) -> dict[str, str]:
    finished = entry.get("finished")
    how = "killed or still running" if finished is None else "complete" if entry.get("complete") else "interrupted"
    if finished is not None:
        how += f", {entry.get('computed', 0)} computed, {entry.get('reused', 0)} found"
    where = ", ".join(str(entry[key]) for key in ("system", "machine") if key in entry)
    versions = f"AirFair {entry.get('airfair', '?')}, model {entry.get('model_version', '?')}"
    return {
        "command": shlex.join(entry.get("command", [])),
        "started": str(entry.get("started", "")),
        "how": how,
        "where": f"{versions}; {where}",
    }


def again(sweep: Sweep) -> str:
    """The command that computes the same anew."""
    words = ["airfair", "sweep", sweep.name]
    for name, values in sweep.over.items():
        words += ["--over", f"{name}={','.join(values)}"]
    for group in sweep.zip:
        words += ["--zip", ",".join(group)]
    words += ["--sample", str(sweep.sample)] if sweep.sample is not None else []
    words += ["--until-ci", f"{sweep.until.metric}={sweep.until.share * 100:g}%"] if sweep.until else []
    words += ["--seeds", str(sweep.seeds)] if sweep.seeds != 1 else []
    words += ["--seed", str(sweep.seed)] if sweep.seed != 1 else []
    for name, value in sweep.set.items():
        words += ["--set", f"{name}={value}"]
    return shlex.join(words)


def _one(subject: Subject) -> str:
    """The command that runs the first point."""
    data, sweep = subject.data, subject.sweep
    if data.frame.is_empty():
        return ""
    words = ["airfair", "run", sweep.name]
    for name in data.axes:
        if (value := data.frame[name][0]) is not None:
            words += ["--set", f"{name.removeprefix('parameter_')}={_exact(value, data.units.get(name, ''))}"]
    for name, text in sweep.set.items():
        words += ["--set", f"{name}={text}"]
    words += ["--seeds", str(sweep.seeds)] if sweep.seeds != 1 and not sweep.until else []
    words += ["--seed", str(sweep.seed)] if sweep.seed != 1 else []
    return shlex.join(words)


def _exact(value: Any, unit: str) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value).lower() if isinstance(value, bool) else str(value)
    symbol = {"bit/s": " b/s", "s": " s", "byte": " B"}.get(unit, "")
    return f"{value:.15g}{symbol}"
