"""Packaged studies are consistent: all names in their figures and claims exist."""

import json
import re

import pytest

import airfair
from airfair import _engine
from airfair.studies import file as study_file
from airfair.studies import formula
from airfair.studies.claims import Judged, Judgement, asked, cells_under, judgement
from airfair.studies.figures import points
from airfair.studies.measurements import Measurements, Row, best_over, ratio
from airfair.studies.study import CASE, FLOWS, SETUP, TRACE, Best, Cell
from airfair.studies.survival import paper_rows, papers_points

NAMES = study_file.packaged_names()
TESTS = {"within", "greater", "ratio", "product", "monotone", "trend", "steady"}
KEYS = {
    "test",
    "experiment",
    "metric",
    "where",
    "left",
    "right",
    "low",
    "high",
    "of",
    "along",
    "direction",
    "combine",
    "mean_over",
    "best_over",
    "given",
}


def sides(test):
    right = test.get("right", [])
    for side in [test.get("left", {}), *(right if isinstance(right, list) else [right])]:
        yield from side.get("mean_of", [side])


@pytest.mark.parametrize("name", NAMES)
def test_the_engine_accepts_every_cell(name):
    whole = study_file.load(name)
    for study in (whole, whole.quickened()):
        for experiment in study.experiments.values():
            for cell in [*experiment.cells(), *cells_under(study, experiment)]:
                scenario = airfair.Scenario.load(cell.scenario, list(cell.overrides))
                resolved = scenario.parameters
                assert all(axis in resolved for axis in cell.at if axis not in (CASE, SETUP))


@pytest.mark.parametrize("name", NAMES)
def test_setups_change_only_parameters_that_no_claim_varies(name):
    study = study_file.load(name)
    names = [setup.name for setup in study.sensitivity.setups]
    assert len(set(names)) == len(names)
    for setup in study.sensitivity.setups:
        assert set(setup.experiments) <= set(study.experiments)
        for experiment in study.experiments.values():
            if any(cell.setup == setup.name for cell in cells_under(study, experiment)):
                assert not set(setup.set) & set(experiment.axis_names)


@pytest.mark.parametrize("name", NAMES)
def test_quick_values_are_values_of_their_axes(name):
    for experiment in study_file.load(name).experiments.values():
        for axis, values in experiment.quick.items():
            if isinstance(values, list):
                assert set(values) <= set(experiment.axes[axis]), axis
            else:
                assert axis not in experiment.axis_names


@pytest.mark.parametrize("name", NAMES)
def test_claims_name_existing_parts(name):
    study = study_file.load(name)
    assert len({claim.id for claim in study.claims}) == len(study.claims)
    for claim in study.claims:
        assert claim.sentence.endswith(".") and claim.source and bool(claim.tests) != bool(claim.left_out)
        for test in claim.tests:
            assert set(test) <= KEYS and test["test"] in TESTS, claim.id
            experiment = study.experiments[test["experiment"]]
            for side in [test.get("where", {}), *sides(test)]:
                for axis, values in side.items():
                    if axis != "metric":
                        wanted = values if isinstance(values, list) else [values]
                        named, run = {str(value) for value in wanted}, set(experiment.axis(axis))
                        # A study that judges another one's claims again may run fewer points.
                        assert named & run if claim.paper else named <= run, claim.id


@pytest.mark.parametrize("name", NAMES)
def test_figures_name_existing_parts(name):
    study = study_file.load(name)
    metrics = {entry["name"] for entry in json.loads(_engine.metrics_json(unlisted=True))}
    traced = {"cwnd", "ssthresh", "rtt", "acked"}
    counted = {"segments", "retransmissions", "timeouts", "throughput"}
    for figure in study.figures:
        experiment = study.experiments[figure.experiment]
        best = figure.best_over
        if figure.kind == TRACE:
            assert set(figure.y) <= traced
        elif figure.kind == FLOWS:
            assert set(figure.y) <= counted
        else:
            assert set(figure.y) <= metrics | ({best.value, best.near} if best else set())
            assert figure.x
        assert best is None or best.metric in metrics
        shown = (figure.x, figure.series, figure.panel, figure.mean_over, best.axis if best else None, *figure.over)
        named = [axis for axis in shown if axis]
        assert set(named) | set(figure.where) <= set(experiment.axis_names)
        # Every axis is shown, or held fixed.
        for axis in set(experiment.axis_names) - set(named):
            assert isinstance(figure.where[axis], str), f"{figure.name}: {axis}"
        assert any(cell.matches(figure.where) for cell in experiment.cells())


def test_cells_are_the_product_of_axes_and_cases():
    text = """
    title = "t"
    source = "s"
    summary = "s"
    setup = []
    readings = []
    seeds = 1
    quick_seeds = 1
    figures = []
    claims = []
    [experiments.e]
    scenario = "jung/mixed"
    set = { stations = 4, window = 10 }
    axes = { tcp = ["reno", "vegas"] }
    quick = { duration = "1 s" }
    [experiments.e.cases]
    "plain" = {}
    "window 64" = { window = 64 }
    """
    experiment = study_file.parse(text, "t").experiments["e"]
    cells = list(experiment.cells())
    assert [dict(cell.at) for cell in cells] == [
        {"tcp": "reno", "case": "plain"},
        {"tcp": "reno", "case": "window 64"},
        {"tcp": "vegas", "case": "plain"},
        {"tcp": "vegas", "case": "window 64"},
    ]
    assert dict(cells[1].overrides) == {"stations": "4", "window": "64", "tcp": "reno"}
    assert dict(next(experiment.quickened().cells()).overrides)["duration"] == "1 s"
    assert cells[0].matches({"tcp": ["reno", "sack"]}) and not cells[0].matches({"tcp": "vegas"})


MEANS = """
title = "t"
source = "s"
summary = "s"
setup = []
readings = []
seeds = 2
quick_seeds = 2
claims = []
[[figures]]
name = "f"
title = "t"
caption = "c"
experiment = "e"
kind = "dots"
x = "tcp"
y = "m"
y_label = "Mean"
mean_over = "stations"
[experiments.e]
scenario = "jung/mixed"
axes = { tcp = ["reno", "vegas"], stations = [2, 4] }
quick = { stations = [4], tcp = ["reno"] }
"""


def test_a_figure_of_means_takes_them_seed_by_seed():
    study = study_file.parse(MEANS, "t")
    measured = Measurements()
    for cell in study.experiments["e"].cells():
        row = Row(
            cell, {"tcp": {"value": cell.at["tcp"]}, "stations": {"value": int(cell.at["stations"]), "unit": "1"}}
        )
        for seed in (1, 2):
            row.metrics[seed] = {"m": {"value": float(cell.at["stations"]) + seed, "unit": "s"}}
        measured.add(row)
    [reno, vegas] = points(study, study.figures[0], measured)
    assert reno.row.values("m") == {1: 4.0, 2: 5.0} and reno.row.averaged == 2
    assert (reno.text_on("tcp"), vegas.text_on("tcp")) == ("reno", "vegas") and "stations" not in reno.document()


def rows_of(values):
    """One row of metric `m` for each TCP and number of stations; each seed gives one of a cell's values."""
    rows = []
    study = study_file.parse(MEANS, "t")
    for cell in study.experiments["e"].cells():
        row = Row(cell, {"stations": {"value": int(cell.at["stations"]), "unit": "1"}})
        for seed, value in enumerate(values[cell.at["tcp"], cell.at["stations"]]):
            row.metrics[seed] = {"m": {"value": value, "unit": "s"}}
        rows.append(row)
    return rows


def test_the_best_value_of_an_axis_is_that_of_the_largest_mean():
    values = {
        ("reno", "2"): (1.0, 5.0),
        ("reno", "4"): (4.0, 4.8),
        ("vegas", "2"): (3.0, 3.0),
        ("vegas", "4"): (1.0, 1.0),
    }
    [reno, vegas] = best_over(rows_of(values), Best("stations", "m"))
    assert reno.values("m") == {0: 4.0, 1: 4.8} and reno.cell.at == {"tcp": "reno"}
    assert dict(reno.cell.overrides)["stations"] == "4"
    # The second seed alone is best with two stations, and four stations come within 5 %.
    assert reno.values("best_stations") == {0: 4.0, 1: 2.0} and reno.values("near_best_stations") == {0: 1.0, 1: 2.0}
    assert vegas.values("m") == {0: 3.0, 1: 3.0}


def test_a_best_value_needs_every_point():
    values = {("reno", "2"): (1.0, None), ("reno", "4"): (None, None), ("vegas", "2"): (3.0,), ("vegas", "4"): (1.0,)}
    assert [row.cell.at["tcp"] for row in best_over(rows_of(values), Best("stations", "m"))] == ["vegas"]


def test_a_figure_over_another_is_divided_seed_by_seed():
    values = {
        ("reno", "2"): (2.0, 4.0),
        ("reno", "4"): (1.0, 0.0),
        ("vegas", "2"): (4.0, 2.0),
        ("vegas", "4"): (3.0, 1.0),
    }
    [two, four] = ratio(rows_of(values), {"tcp": "reno"}, ("m",))
    assert two.values("m") == {0: 2.0, 1: 0.5} and two.cell.at == {"tcp": "vegas", "stations": "2"}
    assert four.values("m") == {0: 3.0} and two.unit("m") == "1"


def test_quick_narrows_axes():
    quick = study_file.parse(MEANS, "t").quickened()
    assert [dict(cell.at) for cell in quick.experiments["e"].cells()] == [{"tcp": "reno", "stations": "4"}]


@pytest.mark.parametrize("name", NAMES)
def test_the_panels_of_a_figure_share_a_unit(name):
    """Their axes have one title and one scale."""
    units = {metric["name"]: metric["unit"] for metric in json.loads(_engine.metrics_json(unlisted=True))}
    for figure in study_file.load(name).figures:
        assert len({units[metric] for metric in figure.y if metric in units}) <= 1, figure.name


def test_formulas_may_use_the_means_of_metrics():
    measured = {
        seed: {"a": {"value": value, "unit": "1"}, "b": {"value": None, "unit": "1"}}
        for seed, value in ((1, 2.0), (2, 4.0))
    }
    row = Row(Cell("e", "s", {}, ()), {"rate": {"value": 8e6, "unit": "bit/s"}}, measured)
    assert formula.value("rate * a", row.known) == 24e6
    assert "b" not in row.known


def test_formulas_are_over_numbers_and_words():
    parameters = {"rate": {"value": 8e6, "unit": "bit/s"}, "tcp": {"value": "reno", "unit": None}}
    assert formula.value("rate / 8 * log(1) + sqrt(4) if rate > 0 else 0", parameters) == 2.0
    assert formula.value(None, parameters) is None
    assert formula.value("1 if tcp == 'reno' else 2", parameters) == 1.0
    with pytest.raises(Exception, match="policy"):
        formula.value("policy + 1", parameters)


def test_a_study_judges_the_claims_of_another_one_in_its_own_setups():
    study = study_file.load("today")
    jung = study_file.load("jung")
    claims = [claim for claim in study.claims if claim.paper == "jung"]
    assert [claim.id for claim in claims] == [f"jung.{claim.id}" for claim in jung.claims]
    experiment = study.experiments["jung.by_stations"]
    cells = {
        cell.at["setup"]: dict(cell.overrides)
        for cell in experiment.cells()
        if (cell.at["tcp"], cell.at["stations"], cell.at["direction"]) == ("reno", "4", "upload")
    }
    assert list(cells) == [variant.where["setup"] for variant in study.variants]
    assert (cells["published"]["tcp"], cells["tcp"]["tcp"]) == ("reno", "cubic")
    assert cells["published"]["window"] == "20"  # jung's first variant
    assert "wlan.phy" not in cells["tcp"] and cells["fifo"]["wlan.phy"] == "802.11ax"
    # The paper measures until a session is sent, this study until it is delivered.
    metrics = {test["metric"] for claim in claims for test in claim.tests}
    assert "instantaneous_fairness_delivered" in metrics and "instantaneous_fairness_sent" not in metrics


def test_a_study_runs_the_points_that_the_sentences_of_its_claims_name():
    study = study_file.load("today")
    named = 0
    for claim in study.claims:
        for test in claim.tests:
            experiment = study.experiments[test["experiment"]]
            for part in [test.get("where", {}), *sides(test)]:
                for axis, values in part.items():
                    for value in values if isinstance(values, list) else [values]:
                        number = str(value).split()[0]
                        if axis != "metric" and re.search(rf"(?<![\d.]){re.escape(number)}(?![\d.])", claim.sentence):
                            named += 1
                            assert str(value) in experiment.axis(axis), f"{claim.id}: {axis} {value}"
    assert named > 100


def test_a_claim_is_left_out_in_a_setup_with_its_cells():
    study = study_file.load("today")
    claims = {claim.id: claim for claim in study.claims}
    limiter = claims["blefari.limiter-no-starvation"]
    assert limiter.left_out_in.keys() == {"mac80211"} and not limiter.left_out
    asked_for = {
        (cell.at["setup"], cell.at["policy"])
        for cell in study.experiments["blefari.by_stations"].cells()
        if asked(study, cell)
    }
    setups = [variant.where["setup"] for variant in study.variants]
    both = {(setup, policy) for setup in setups for policy in ("none", "rate_limiter", "lossless")}
    assert asked_for == both - {("mac80211", "rate_limiter"), ("mac80211", "lossless")}
    judged = judgement(study, Measurements(), setups=False)
    reason = limiter.left_out_in["mac80211"]
    left_out = [f"{claim.id}/mac80211" for claim in study.claims if claim.left_out_in]
    assert judged.not_judged()[reason] == left_out and f"{limiter.id}/mac80211" in left_out


def test_a_claim_survives_if_it_holds_wherever_it_is_judged():
    study = study_file.load("today")
    verdicts_by_claim = {
        "ghosh.wireless-flat": ["holds", "holds", "holds", "holds"],
        "ghosh.wireless-par": ["holds", "fails", "holds", "undecided"],
        "blefari.rtt-200": ["holds", "holds", "holds", ""],
        "blefari.lossless-knee": ["holds", "fails", "holds", ""],
    }
    claims = {claim.id: claim for claim in study.claims}
    judged = [
        Judged(name, claims[name], variant, verdict, ())
        for name, row in verdicts_by_claim.items()
        for variant, verdict in zip(study.variants, row, strict=True)
        if verdict
    ]
    rows = {row.paper.name: row for row in paper_rows(study, Judgement(judged, [], []))}
    assert rows["ghosh"].holds == ["2 of 2", "1 of 2", "2 of 2", "1 of 2"] and rows["ghosh"].survive == "1 of 2"
    assert rows["blefari"].holds == ["2 of 2", "1 of 2", "2 of 2", "0 of 0"] and rows["blefari"].survive == "1 of 2"
    assert rows["lee"].holds == ["0 of 0"] * 4 and rows["lee"].survive == "0 of 0"
    assert "lee at all points of its study" in papers_points(study)


def test_fair_queues_are_where_the_bottlenecks_are():
    study = study_file.load("today")
    found = {
        name: {key for key, value in cell.overrides if value == "fq_codel"}
        for name, experiment in study.experiments.items()
        if name.startswith("mamatas.")
        for cell in experiment.cells()
        if cell.at["setup"] == "mac80211"
    }
    assert found.pop("mamatas.complex") == {"link.R1-R2.discipline.kind", "link.R3-R4.discipline.kind"}
    assert set(map(frozenset, found.values())) == {frozenset({"link.R1-R2.discipline.kind"})}


def test_sessions_are_as_much_longer_as_the_air_is_faster():
    study = study_file.load("today")
    for name in ("jung.by_stations", "jung.by_length", "jung.restart"):
        for cell in study.experiments[name].cells():
            set_there = dict(cell.overrides)
            short = cell.at.get("session_bytes", "10 kB")
            factor = 27 if cell.at["setup"] in ("fifo", "mac80211") else 1
            assert set_there["session_bytes"] == f"{int(short.split()[0]) * factor} kB"


def test_a_change_sets_no_parameter_that_the_experiment_varies():
    experiment = study_file.load("today").experiments["blefari.limiter"]
    rates = {(cell.at["setup"], dict(cell.overrides)["limiter_rate"]) for cell in experiment.cells()}
    assert ("published", "4 Mb/s") in rates and ("fifo", "112 Mb/s") in rates and ("fifo", "65 Mb/s") in rates
