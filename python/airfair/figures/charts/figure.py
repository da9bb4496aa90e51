"""A figure of a table, from data to picture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from airfair import _engine
from airfair.catalogue import left_out
from airfair.catalogue.wording import counted, title
from airfair.figures.charts.choice import Asked, Choice, choose
from airfair.figures.charts.data import Data
from airfair.figures.charts.kinds import BOX, CDF, HEATMAP
from airfair.figures.charts.points import Distribution, Numbers, Point, counts_below, keys, numbers
from airfair.figures.saved import Saved

if TYPE_CHECKING:
    from airfair.figures.drawing import Drawing

AXES = ("x", "y", "xy", "none")


@dataclass(frozen=True)
class Figure(Saved):
    """A drawn figure of a table. Notebooks show it."""

    choice: Choice
    numbers: Numbers
    drawing: Drawing
    #: Notes on values that are cut or left out.
    remarks: Sequence[str] = ()

    @property
    def svg(self) -> str:
        """The figure as SVG."""
        return self.drawing.svg

    @property
    def png(self) -> bytes:
        """The figure as PNG."""
        return self.drawing.png

    @property
    def pdf(self) -> bytes:
        """The figure as PDF."""
        return self.drawing.pdf

    @property
    def chart(self) -> Any:
        """The figure as a chart of Altair, to be changed: `figure.chart.properties(title="Mine").save("mine.html")`."""
        return self.drawing.chart

    @property
    def html(self) -> str:
        """The figure as a self-contained page that shows values at the pointer, by touch and by keyboard."""
        from airfair.figures.charts.page import render

        return render(self.choice, self.numbers, self.drawing, name=self.name, caption=self.caption)

    @property
    def points(self) -> list[dict[str, Any]]:
        """The values drawn, in SI units."""
        return [item.document() for item in self.numbers]

    @property
    def name(self) -> str:
        """A name for the figure's file, without a suffix."""
        choice = self.choice
        parts = [*choice.y, *choice.shown, *([] if choice.kind == "line" else [choice.kind])]
        return "-".join([*parts, *(["sessions"] if choice.data.of_sessions else [])])

    @property
    def caption(self) -> str:
        """The meaning of the marks, in a sentence or two."""
        return " ".join([_marks(self), *_asides(self), *self.remarks])

    def __repr__(self) -> str:
        return f"<airfair figure {self.name}: {len(self.numbers)} {'curves' if self.choice.kind == CDF else 'points'}>"


def figure(data: Data, asked: Asked, log: str | None = None, height: int = 230, width: str | None = None) -> Figure:
    """Draw a figure: choose the roles of axes, compute the numbers, and draw them; with a `width`, for paper.

    Raises:
        InputError: See `choose`; or `log` is not in `AXES`, or `width` is no width or too narrow.
    """
    if log is not None and log not in AXES:
        raise _engine.InputError(f"--log {log}: expected {', '.join(AXES)}")
    choice = choose(data, asked)
    found = numbers(choice)
    from airfair.figures.charts import paper  # Altair takes most of a second to import
    from airfair.figures.charts.draw import draw, remarks
    from airfair.figures.charts.picture import Picture

    picture = Picture(choice, found, None if log is None else frozenset(log if log != "none" else ""), height)
    drawn = draw(picture) if width is None else paper.fitted(picture, paper.pixels(width))
    return Figure(choice, found, drawn, remarks(picture))


def _marks(drawn: Figure) -> str:
    choice = drawn.choice
    of = _population(choice)
    if choice.kind in (BOX, CDF) and not of:
        return f"One seed: each {'box' if choice.kind == BOX else 'curve'} is a single value."
    if choice.kind == CDF:
        curves = [item for item in drawn.numbers if isinstance(item, Distribution)]
        late = ""
        for below, where in ((False, "at or beyond the end"), (True, "at or below the start")):
            if missing := sum(item.missing for item in curves if counts_below(item.metric) == below):
                late += f", {missing} of them unfinished ({where} of the curves)"
        return f"Cumulative distribution over the {of}{late}."
    if choice.kind == BOX:
        return f"Boxes: quartiles and median over the {of}; whiskers from the 5th to the 95th percentile."
    seeds = Counter(item.estimate.n for item in drawn.numbers if isinstance(item, Point) and item.estimate)
    low, high = min(seeds), max(seeds)
    count = counted(high, "seed") if low == high else f"{low} to {high} seeds"
    means = "Means of the runs' means" if choice.data.of_sessions else "Means"
    if choice.kind == HEATMAP or high == 1:
        return f"{means} over {count}." if high > 1 else "One seed: no intervals."
    return f"{means} over {count} with 95 % confidence intervals (Student's t)."


def _population(choice: Choice) -> str:
    """What the values of a box or a curve vary over, in words; empty if there is a single value."""
    several = choice.data.frame["seed"].n_unique() > 1
    if choice.data.of_sessions:
        return "sessions of all seeds" if several else "sessions of one seed"
    if choice.data.sampled:
        return "points and seeds" if several else "points"
    return "seeds" if several else ""


def _asides(drawn: Figure) -> list[str]:
    choice, found = drawn.choice, []
    if choice.along:
        verb = "varies" if len(choice.along) == 1 else "vary"
        found.append(f"{', '.join(choice.along)} {verb} as well, {'sampled' if choice.data.sampled else 'with these'}.")
    shown = sum(not isinstance(item, Point) or item.estimate is not None for item in drawn.numbers)
    axes = choice.shown if choice.kind in (BOX, CDF) else keys(choice)
    empty = len(choice.y) * (choice.data.frame.select(axes).n_unique() if axes else 1) - shown
    if empty:
        why = "; ".join(filter(None, (choice.data.reason(metric) for metric in choice.y)))
        found.append(f"{empty} {'point has' if empty == 1 else 'points have'} no value{f': {why}' if why else ''}.")
    for metric in choice.y:
        if told := _left_out(choice, metric):
            found.append(f"{title(metric)}: {told}.")
    return found


def _left_out(choice: Choice, metric: str) -> str:
    """The note on sessions that means leave out; a distribution counts unfinished sessions as the slowest."""
    data = choice.data
    if not data.of_sessions:
        return left_out.note(metric, data.frame)
    return "" if choice.kind == CDF else left_out.told(data.frame[metric].null_count(), data.frame.height)
