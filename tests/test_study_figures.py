"""Captions of a study's figures mention values that the figures leave out."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from airfair.catalogue.left_out import told
from airfair.catalogue.units import Scale
from airfair.runs.estimate import CUT, HOLLOW, NOT_FROM_ZERO, leaves_out_zero
from airfair.studies.draw import _tip, draw
from airfair.studies.figures import points, remarks
from airfair.studies.file import load
from airfair.studies.measurements import Measurements, Row
from airfair.studies.report import _point
from airfair.studies.summary import _cell
from airfair.theme import PAPER


def made(values, left_out=0, sessions=10, name="fig2a"):
    """The figure of a study in which every point has these values, one for each seed."""
    study = load("jung")
    [figure] = [one for one in study.figures if one.name == name]
    measured = Measurements()
    for cell in study.experiments[figure.experiment].cells():
        row = Row(cell, {})
        for seed, value in enumerate(values):
            entry = {"value": value, "unit": "1", "sessions": sessions, "left_out": left_out}
            row.metrics[seed] = dict.fromkeys(figure.y, entry)
        measured.add(row)
    return study, figure, measured


def drawn_ends(study, figure, measured):
    """The lowest and the highest end of the drawn intervals, over all axes."""
    spec = draw(study, figure, points(study, figure, measured)).spec
    rows = [row for one in spec.get("concat", [spec]) for row in one["data"]["values"]]
    return min(row["low"] for row in rows), max(row["high"] for row in rows)


@pytest.mark.parametrize(("values", "cut"), [((0.1, 0.9), True), ((0.5, 0.51), False), ((0.4,), False)])
def test_intervals_beyond_a_metrics_range_are_cut_and_the_caption_says_so(values, cut):
    study, figure, measured = made(values)
    assert remarks(study, figure, measured) == ([CUT] if cut else [])
    low, high = drawn_ends(study, figure, measured)
    assert (low == 0) == cut and high >= max(values)


def test_a_ratio_has_no_range_of_its_metric():
    study, figure, measured = made((0.1, 0.9))
    [over] = [axis for axis in [figure.series] if axis]
    values = study.experiments[figure.experiment].axes[over]
    for row in measured.rows(figure.experiment, {over: values[0]}):
        row.metrics = dict(zip(row.metrics, reversed(row.metrics.values()), strict=True))
    quotients = replace(figure, over={over: values[0]})
    assert remarks(study, quotients, measured) == []
    assert drawn_ends(study, quotients, measured)[0] < 0


@pytest.mark.parametrize(("left_out", "name"), [(0, "fig2a"), (3, "fig2a"), (3, "response")])
def test_a_caption_says_how_many_sessions_the_means_leave_out(left_out, name):
    study, figure, measured = made((0.5, 0.51), left_out, name=name)
    cells = len(measured.rows(figure.experiment, figure.where))
    words = f"{left_out * 2 * cells} of {10 * 2 * cells} sessions unfinished: left out."
    if not left_out:
        assert remarks(study, figure, measured) == []
    elif name == "fig2a":
        assert remarks(study, figure, measured) == [words, HOLLOW]
    else:
        said = [f"{study.label(metric)}: {words}" for metric in figure.y]
        assert remarks(study, figure, measured) == [*said, HOLLOW]


@pytest.mark.parametrize("name", ["fig2a", "choices"])
def test_each_mean_that_leaves_sessions_out_is_marked(name):
    study, figure, measured = made((0.5, 0.51), 3, name=name)
    rows = measured.rows(figure.experiment, figure.where)
    for row in rows[1:]:
        row.metrics = {seed: {m: {**e, "left_out": 0} for m, e in found.items()} for seed, found in row.metrics.items()}
    found = points(study, figure, measured)
    [flagged] = [point for point in found if point.left_out == (6, 20)]
    assert [point.document()["left_out"] for point in found].count(0) == len(found) - 1
    assert draw(study, figure, found).svg.count(f'fill="{PAPER}"') == 1
    assert flagged.row is rows[0] and told(6, 20) in _tip(study, figure, flagged)
    assert "(6 left out)" in _cell(flagged, Scale(1.0, ""))
    plan = SimpleNamespace(seeds=range(1, 3))
    assert _point(study, figure, flagged, [], plan)["mean"] == "0.505 (6 left out)"


def test_quotients_and_means_over_an_axis_count_the_sessions_of_all_their_points():
    study, figure, measured = made((0.5, 0.51), 3)
    [axis] = [axis for axis in [figure.series] if axis]
    values = list({row.cell.at[axis] for row in measured.rows(figure.experiment, figure.where)})
    for changed, count in (
        (replace(figure, over={axis: values[0]}), 2),
        (replace(figure, mean_over=axis), len(values)),
    ):
        assert {point.left_out for point in points(study, changed, measured)} == {(2 * 3 * count, 2 * 10 * count)}


@pytest.mark.parametrize(
    ("values", "elsewhere"),
    [((0.5, 0.52), True), ((0.01, 0.9), False), ((-1.0, 1.0), False), ((3.0,), True), ((), False)],
)
def test_axes_that_do_not_start_at_zero(values, elsewhere):
    assert leaves_out_zero(values) == elsewhere


@pytest.mark.parametrize(("zero", "values"), [(False, (0.5, 0.51)), (True, (0.5, 0.51)), (False, (0.01, 0.9))])
def test_a_caption_says_that_the_axis_does_not_start_at_zero(zero, values):
    study, figure, measured = made(values)
    said = NOT_FROM_ZERO in remarks(study, replace(figure, zero=zero), measured)
    assert said == (not zero and min(values) > 0.4)
    assert all(NOT_FROM_ZERO not in one.caption for one in study.figures)  # it is written in one place
