"""Packaged studies are consistent: what their figures and claims name exists."""

import json

import pytest

import airfair
from airfair import study as studies

NAMES = studies.packaged_names()
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
}


def sides(test):
    right = test.get("right", [])
    for side in [test.get("left", {}), *(right if isinstance(right, list) else [right])]:
        yield from side.get("mean_of", [side])


@pytest.mark.parametrize("name", NAMES)
def test_the_engine_accepts_every_cell(name):
    for experiment in studies.load(name).experiments.values():
        for quick in (False, True):
            for cell in experiment.cells(quick=quick):
                scenario = airfair.Scenario.load(cell.scenario, list(cell.overrides))
                resolved = json.loads(scenario.parameters_json)
                assert all(axis in resolved for axis in cell.at if axis != studies.CASE)


@pytest.mark.parametrize("name", NAMES)
def test_claims_name_what_exists(name):
    study = studies.load(name)
    assert len({claim.id for claim in study.claims}) == len(study.claims)
    for claim in study.claims:
        assert claim.sentence.endswith(".") and claim.source and claim.tests
        for test in claim.tests:
            assert set(test) <= KEYS and test["test"] in TESTS, claim.id
            experiment = study.experiments[test["experiment"]]
            for side in [test.get("where", {}), *sides(test)]:
                for axis, values in side.items():
                    if axis != "metric":
                        wanted = values if isinstance(values, list) else [values]
                        assert {str(value) for value in wanted} <= set(experiment.axis(axis)), claim.id


@pytest.mark.parametrize("name", NAMES)
def test_figures_name_what_exists(name):
    study = studies.load(name)
    metrics = {entry["name"] for entry in airfair.metrics()}
    for figure in study.figures:
        experiment = study.experiments[figure.experiment]
        assert set(figure.y) <= metrics
        named = [axis for axis in (figure.x, figure.series, figure.panel) if axis]
        assert set(named) | set(figure.where) <= set(experiment.axis_names)
        # Every axis is shown, or held fixed.
        for axis in set(experiment.axis_names) - set(named):
            assert isinstance(figure.where[axis], str), f"{figure.name}: {axis}"
        assert any(cell.matches(figure.where) for cell in experiment.cells(quick=False))


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
    experiment = studies.parse(text, "t").experiments["e"]
    cells = list(experiment.cells(quick=False))
    assert [dict(cell.at) for cell in cells] == [
        {"tcp": "reno", "case": "plain"},
        {"tcp": "reno", "case": "window 64"},
        {"tcp": "vegas", "case": "plain"},
        {"tcp": "vegas", "case": "window 64"},
    ]
    assert dict(cells[1].overrides) == {"stations": "4", "window": "64", "tcp": "reno"}
    assert dict(next(experiment.cells(quick=True)).overrides)["duration"] == "1 s"
    assert cells[0].matches({"tcp": ["reno", "sack"]}) and not cells[0].matches({"tcp": "vegas"})
