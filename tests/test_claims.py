"""The tests of claims, on numbers with an obvious verdict."""

import pytest

from airfair.runs.estimate import Estimate
from airfair.studies.claims import Judgement, asked, cells_under, judge_setups, judgement
from airfair.studies.evidence import Evidence, overall, verdict
from airfair.studies.file import parse
from airfair.studies.measurements import Measurements, Row
from airfair.studies.survival import in_words, survival_rows

STUDY = """
title = "t"
source = "s"
summary = "s"
setup = []
readings = []
seeds = 3
quick_seeds = 3
figures = []

[labels]

[experiments.e]
scenario = "jung/mixed"
axes = {{ tcp = ["reno", "vegas"], stations = [2, 4, 8] }}
published = [{{ metric = "m", value = 2.0, where = {{ tcp = "vegas" }} }}]
predicted = [{{ metric = "m", formula = "stations / 2" }}]

[[claims]]
id = "c"
source = "1"
sentence = "s"
note = "because"
tests = [{{ experiment = "e", metric = "m", {test} }}]
"""

NOISE = (-0.1, 0.0, 0.1)


def judged(test, value, noise=NOISE, skip=()):
    """Judge the claim with `value(tcp, stations)` plus the noise of the seeds in each cell (tcp, stations)."""
    [claim] = verdicts(test, value, noise, skip)
    return claim


def verdicts(test, value, noise=NOISE, skip=()):
    """The verdicts; none if there is nothing to judge."""
    return judgement_of(test, value, noise, skip).claims


def judgement_of(test, value, noise=NOISE, skip=(), study=STUDY, counts=lambda tcp, stations: {}):
    """The judgement. Cells with `skip` stations are not measured; `counts` has more of each metric's entry."""
    study = parse(study.format(test=test), "t")
    measured = Measurements()
    for cell in study.experiments["e"].cells():
        stations = int(cell.at["stations"])
        if stations in skip:
            continue
        row = Row(cell, {"stations": {"value": stations, "unit": "1"}})
        mean = value(cell.at["tcp"], stations)
        for seed, difference in enumerate(noise):
            row.metrics[seed] = {
                "m": {
                    "value": None if mean is None else mean + difference,
                    "unit": "s",
                    "reason": "no sessions",
                    **counts(cell.at["tcp"], stations),
                }
            }
        measured.add(row)
    return judgement(study, measured, setups=False)


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        # A seed of `reno` leaves out as many sessions as there are stations, one of `vegas` one more. All have ten.
        ('test = "within", left = { tcp = "vegas" }, low = 0, high = 9', [(9, 30), (15, 30), (27, 30)]),
        ('test = "greater", left = { tcp = "vegas" }, right = [{ tcp = "reno" }]', [(15, 60), (27, 60), (51, 60)]),
        ('test = "ratio", left = { tcp = "vegas" }, right = { tcp = "vegas" }, low = 1', [(9, 30), (15, 30), (27, 30)]),
        ('test = "monotone", left = { tcp = "reno" }, along = "stations", direction = "rising"', [(18, 60), (36, 60)]),
        ('test = "steady", left = { tcp = "reno" }, along = "stations", high = 2', [(42, 90)]),
        ('test = "within", left = { tcp = "reno" }, mean_over = "stations", low = 0', [(42, 90)]),
        (
            'test = "within", left = { tcp = "reno" }, best_over = { axis = "stations", metric = "m" }, low = 0',
            [(6, 30)],
        ),
    ],
)
def test_evidence_counts_the_sessions_that_its_means_leave_out(test, expected):
    def counts(tcp, stations):
        return {"left_out": stations + (tcp == "vegas"), "sessions": 10}

    found = judgement_of(test, lambda tcp, n: 1.0 / n, counts=counts).claims[0].evidence
    assert [item.left_out for item in found] == expected
    assert [(item.document()["left_out"], item.document()["sessions"]) for item in found] == expected
    without = judgement_of(test, lambda tcp, n: 1.0 / n).claims[0].evidence
    assert all(item.left_out is None and "left_out" not in item.document() for item in without)


GREATER = 'test = "greater", left = { tcp = "vegas" }, right = [{ tcp = "reno" }]'


def test_greater_at_every_point():
    assert judged(GREATER, lambda tcp, n: 2.0 if tcp == "vegas" else 1.0).verdict == "holds"
    claim = judged(GREATER, lambda tcp, n: n if tcp == "vegas" else 3.0)
    assert [item.verdict for item in claim.evidence] == ["fails", "holds", "holds"]
    assert [item.at for item in claim.evidence] == [{"stations": "2"}, {"stations": "4"}, {"stations": "8"}]
    assert claim.verdict == "fails" and claim.note == "because"
    assert claim.deciding.at == {"stations": "2"}


def test_effects_that_seeds_share_cancel():
    """The test detects a difference far smaller than the spread over seeds, as both sides have the same seeds."""
    claim = judged(GREATER, lambda tcp, n: 10.01 if tcp == "vegas" else 10.0, noise=(-5.0, 0.0, 5.0))
    assert claim.verdict == "holds"
    assert claim.evidence[0].estimate.mean == pytest.approx(0.01)


def test_equal_sides_are_not_greater():
    assert judged(GREATER, lambda tcp, n: 1.0).verdict == "fails"


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ("low = 1.5, high = 2.5", "holds"),
        ("low = 2.1", "fails"),
        ("high = 1.5", "fails"),
        ("low = 2.0", "undecided"),
    ],
)
def test_within(bounds, expected):
    test = f'test = "within", where = {{ tcp = "vegas", stations = 4 }}, {bounds}'
    noise = (-0.01, 0.0, 0.01)
    assert judged(test, lambda tcp, n: 2.0, noise=noise).verdict == expected


def test_within_of_the_papers_number():
    test = 'test = "within", of = "published", where = { tcp = "vegas" }, low = 0.95, high = 1.05'
    claim = judged(test, lambda tcp, n: 2.0, noise=(-0.01, 0.0, 0.01))
    assert claim.verdict == "holds" and claim.evidence[0].estimate.mean == pytest.approx(1.0)
    assert judged(test, lambda tcp, n: 2.4).verdict == "fails"


def test_ratio_product_and_mean_of():
    ratio = 'test = "ratio", left = { tcp = "vegas" }, right = { tcp = "reno" }, low = 1.5, high = 2.5'
    assert judged(ratio, lambda tcp, n: 20.0 if tcp == "vegas" else 10.0).verdict == "holds"
    product = 'test = "product", left = { tcp = "vegas" }, right = { tcp = "reno" }, high = 10.0'
    assert judged(product, lambda tcp, n: 4.0).verdict == "fails"
    mean_of = (
        'test = "ratio", left = { stations = 4 }, right = { mean_of = [{ stations = 2 }, { stations = 8 }] }'
        ", low = 0.7, high = 0.9"
    )
    claim = judged(mean_of, lambda tcp, n: 100.0 * n)
    assert claim.evidence[0].estimate.mean == pytest.approx(0.8, rel=1e-3)
    assert claim.verdict == "holds"


def test_a_ratio_leaves_out_the_seeds_with_nothing_to_divide_by():
    ratio = 'test = "ratio", left = { tcp = "vegas" }, right = { tcp = "reno" }, low = 1.5'
    over = [
        judged(ratio, lambda tcp, n, of=of: 2.0 if tcp == "vegas" else of, noise=(-1.0, 0.0, 1.0)).evidence[0].estimate
        for of in (1.0, -1.0, 5.0)
    ]
    assert [estimate.n for estimate in over] == [2, 2, 3]


def test_a_product_multiplies_seed_by_seed():
    test = 'test = "product", left = { tcp = "vegas" }, right = { tcp = "reno" }, high = 13.0'
    claim = judged(test, lambda tcp, n: 4.0 if tcp == "vegas" else 3.0, noise=(0.0, 0.0))
    assert claim.evidence[0].estimate.mean == 12.0


TREND = 'test = "trend", along = "stations", where = { tcp = "vegas" }, low = 0.0'


@pytest.mark.parametrize(
    ("test", "unit"),
    [
        (GREATER, "s"),
        (GREATER.replace("greater", "ratio") + ", low = 1.0", "1"),
        ('test = "within", low = 0.0', "s"),
        ('test = "within", of = "predicted", low = 0.0', "1"),
        ('test = "steady", along = "stations", high = 9.0', "1"),
        ('test = "monotone", along = "stations", direction = "rising"', "s"),
        (TREND, "1"),
        (GREATER.replace("greater", "trend") + ', combine = "difference", along = "stations", low = 0.0', "s"),
    ],
)
def test_quotients_have_no_unit(test, unit):
    claim = judged(test, lambda tcp, n: n + (1.0 if tcp == "vegas" else 0.0))
    assert {item.unit for item in claim.evidence} == {unit}


def test_two_values_are_enough_for_a_step():
    test = 'test = "monotone", direction = "rising", along = "stations", where = { tcp = "vegas", stations = [2, 4] }'
    claim = judged(test, lambda tcp, n: n)
    assert claim.verdict == "holds" and len(claim.evidence) == 1


def test_one_value_is_no_change():
    assert verdicts('test = "steady", along = "stations", where = { stations = 4 }, high = 9.0', lambda tcp, n: n) == []


def not_judged(test, value, **options):
    """The reasons why the claim is not judged, and the JSON."""
    found = judgement_of(test, value, **options)
    return found.not_judged(), [item.document() for item in found.unjudged], found


def test_a_claim_without_evidence_is_said_to_be_not_judged_and_why():
    rising = 'test = "monotone", direction = "rising", along = "stations", where = { tcp = "vegas", stations = 4 }'
    reason = "fewer than two values of stations were run"
    reasons, [item], _ = not_judged(rising, lambda tcp, n: n)
    assert reasons == {reason: ["c"]}
    assert item == {"id": "c", "source": "1", "sentence": "s", "test": 1, "reason": reason}
    reasons, _, _ = not_judged('test = "within", where = { stations = 8 }, low = 0.0', lambda tcp, n: n, skip=(8,))
    assert reasons == {"its points were not run": ["c"]}


def test_a_claim_whose_metric_was_not_measured_is_said_to_be_not_judged():
    best = 'test = "within", best_over = { axis = "stations", metric = "other" }, low = 0.0'
    reasons, _, _ = not_judged(best, lambda tcp, n: n)
    assert reasons == {"jung/mixed does not measure other": ["c"]}
    of = 'test = "within", of = "predicted", low = 0.9, high = 1.1'
    study = STUDY.replace('formula = "stations / 2"', 'formula = "stations / cwnd_mean"')
    reasons, _, _ = not_judged(of, lambda tcp, n: n / 2, study=study)
    assert reasons == {"the closed form of m has no value": ["c"]}


def test_a_part_of_a_claim_that_is_not_judged_is_told():
    other = 'test = "within", where = { stations = 8 }, low = 0.0 }, { experiment = "e", metric = "m", ' + GREATER
    reasons, _, found = not_judged(other, lambda tcp, n: 2.0 if tcp == "vegas" else 1.0, skip=(8,))
    assert found.claims[0].verdict == "holds"
    assert reasons == {"its points were not run": ["c (test 1 of 2)"]}


def test_a_mean_of_points_needs_each_of_them():
    mean_of = 'test = "within", left = { mean_of = [{ stations = 2 }, { stations = 8 }] }, low = 0.0'
    assert len(verdicts(mean_of, lambda tcp, n: n)) == 1
    assert verdicts(mean_of, lambda tcp, n: n, skip=(8,)) == []


def test_evidence_names_both_sides():
    assert [item.what for item in judged(GREATER, lambda tcp, n: n).evidence] == ["vegas - reno"] * 3


def test_a_trend_takes_the_seeds_that_every_value_has():
    claim = judged(TREND, lambda tcp, n: None if n == 4 else n)
    assert claim.verdict == "undecided" and claim.evidence[0].estimate is None


def test_within_of_a_closed_form():
    test = 'test = "within", of = "predicted", where = { tcp = "vegas" }, low = 0.9, high = 1.1'
    assert judged(test, lambda tcp, n: n / 2, noise=(-0.001, 0.0, 0.001)).verdict == "holds"
    assert judged(test, lambda tcp, n: n).verdict == "fails"


def test_mean_over_takes_the_mean_of_each_seed():
    test = 'test = "within", mean_over = "stations", where = { tcp = "vegas" }, low = 4.0'
    claim = judged(test, lambda tcp, n: n, noise=(-0.1, 0.0, 0.1))
    assert len(claim.evidence) == 1 and claim.evidence[0].at == {"tcp": "vegas"}
    assert claim.evidence[0].estimate.mean == pytest.approx(14 / 3)
    assert claim.evidence[0].estimate.n == 3
    some = test.replace('tcp = "vegas"', 'tcp = "vegas", stations = [2, 4]')
    assert judged(some, lambda tcp, n: n).evidence[0].estimate.mean == pytest.approx(3.0)


def test_mean_over_needs_every_point():
    test = 'test = "within", mean_over = "stations", where = { tcp = "vegas" }, low = 4.0'
    claim = judged(test, lambda tcp, n: None if n == 4 else n)
    assert claim.verdict == "undecided" and claim.evidence[0].reason == "no sessions"


def test_best_over_compares_the_best_of_either_side():
    test = (
        'test = "ratio", left = { tcp = "vegas" }, right = { tcp = "reno" }, low = 1.9, high = 2.1, '
        'best_over = { axis = "stations", metric = "m" }'
    )
    best = {
        ("reno", 2): 5.0,
        ("reno", 4): 1.0,
        ("reno", 8): 1.0,
        ("vegas", 2): 1.0,
        ("vegas", 4): 10.0,
        ("vegas", 8): 9.0,
    }
    claim = judged(test, lambda tcp, n: best[tcp, n], noise=(-0.01, 0.0, 0.01))
    assert claim.verdict == "holds" and len(claim.evidence) == 1


def test_how_many_come_near_the_best_is_a_metric():
    test = (
        'test = "within", left = { tcp = "vegas", metric = "near_best_stations" }, low = 2, high = 2, '
        'best_over = { axis = "stations", metric = "m" }'
    )
    claim = judged(test, lambda tcp, n: {2: 1.0, 4: 10.0, 8: 9.8}[n], noise=(-0.01, 0.0, 0.01))
    assert claim.verdict == "holds" and claim.evidence[0].at == {}
    assert claim.evidence[0].unit == "1"


def test_monotone_looks_at_every_step():
    test = 'test = "monotone", direction = "rising", along = "stations", where = { tcp = "vegas" }'
    assert judged(test, lambda tcp, n: n).verdict == "holds"
    assert judged(test, lambda tcp, n: {2: 1.0, 4: 3.0, 8: 2.0}[n]).verdict == "fails"
    falling = test.replace("rising", "falling")
    assert judged(falling, lambda tcp, n: -n).verdict == "holds"


def test_trend_is_relative_to_the_mean():
    test = 'test = "trend", along = "stations", where = { tcp = "vegas" }, low = -0.25, high = 0.25'
    assert judged(test, lambda tcp, n: 10.0 + 0.1 * n).verdict == "holds"
    claim = judged(test, lambda tcp, n: 10.0 + n)
    assert claim.verdict == "fails"
    assert claim.evidence[0].estimate.mean == pytest.approx(6.0 / (10.0 + 14 / 3), rel=1e-3)


def test_trend_of_a_difference():
    test = GREATER.replace("greater", "trend") + ', combine = "difference", along = "stations", low = 0.0'
    assert judged(test, lambda tcp, n: n if tcp == "vegas" else 1.0).verdict == "holds"
    assert judged(test, lambda tcp, n: -n if tcp == "vegas" else 1.0).verdict == "fails"


def test_steady_compares_largest_and_smallest():
    test = 'test = "steady", along = "stations", where = { tcp = "vegas" }, high = 1.25'
    assert judged(test, lambda tcp, n: 10.0 + 0.1 * n).verdict == "holds"
    assert judged(test, lambda tcp, n: {2: 10.0, 4: 15.0, 8: 10.0}[n]).verdict == "fails"


def test_missing_values_leave_it_undecided_and_say_why():
    claim = judged(GREATER, lambda tcp, n: None)
    assert claim.verdict == "undecided"
    assert claim.evidence[0].reason == "no sessions" and claim.document()["evidence"][0]["value"] is None


def test_one_seed_decides_nothing():
    claim = judged(GREATER, lambda tcp, n: 2.0 if tcp == "vegas" else 1.0, noise=(0.0,))
    assert claim.verdict == "undecided" and claim.evidence[0].reason == "one seed gives no interval"


def test_verdicts_at_the_bounds():
    point = Estimate(1.0, (1.0, 1.0), 2)
    assert verdict(point, 1.0, None) == "holds"
    assert verdict(point, 1.0, None, strict=True) == "fails"
    assert verdict(Estimate(1.0, (0.9, 1.1), 2), 1.0, None) == "undecided"
    assert verdict(None, 1.0, None) == "undecided"


def evidence(result, *, given=False):
    return Evidence("m", {}, "m", "1", None, None, None, False, result, given=given)


@pytest.mark.parametrize(
    ("given", "verdicts", "expected"),
    [
        ([], ["holds", "holds"], "holds"),
        ([], ["holds", "undecided"], "undecided"),
        ([], ["undecided", "fails"], "fails"),
        (["holds"], ["holds"], "holds"),
        (["holds"], ["fails"], "fails"),
        (["fails"], ["holds"], "undecided"),
        (["undecided"], ["fails"], "undecided"),
    ],
)
def test_a_claim_whose_presuppositions_do_not_hold_is_undecided(given, verdicts, expected):
    parts = [*(evidence(each) for each in verdicts), *(evidence(each, given=True) for each in given)]
    assert overall(parts) == expected


def test_a_presupposition_that_does_not_hold_decides():
    given = ' }, { experiment = "e", metric = "m", given = true, test = "within", where = { tcp = "reno" }, high = 1.5'
    claim = judged(GREATER + given, lambda tcp, n: 3.0 if tcp == "vegas" else 2.0)
    assert claim.verdict == "undecided"
    assert claim.deciding.given and claim.deciding.verdict == "fails" and claim.deciding.document()["given"]
    assert judged(GREATER + given, lambda tcp, n: 3.0 if tcp == "vegas" else 1.0).verdict == "holds"


SETUPS = (
    STUDY.format(
        test='test = "greater", where = { stations = [2, 4] }, left = { tcp = "vegas" }, right = { tcp = "reno" }'
    )
    + """
[sensitivity]
where = { stations = [2, 8] }

[[sensitivity.setups]]
name = "assumed"
title = "as assumed"

[[sensitivity.setups]]
name = "longer"
title = "longer"
set = { window = 64 }

[[sensitivity.setups]]
name = "elsewhere"
title = "elsewhere"
experiments = ["other"]
"""
)


def test_setups_run_the_points_that_claims_need():
    study = parse(SETUPS, "t")
    cells = list(cells_under(study, study.experiments["e"]))
    assert [(cell.setup, cell.at["tcp"], cell.at["stations"]) for cell in cells] == [
        (setup, tcp, "2") for setup in ("assumed", "longer") for tcp in ("reno", "vegas")
    ]
    assert [dict(cell.overrides).get("window") for cell in cells] == [None, None, "64", "64"]


def test_only_the_points_that_a_claim_compares_are_asked_for():
    def asked_for(test):
        study = parse(STUDY.format(test=test), "t")
        return [tuple(cell.at.values()) for cell in study.experiments["e"].cells() if asked(study, cell)]

    between = 'test = "greater", where = { tcp = "vegas" }, left = { stations = 8 }, right = [{ stations = 2 }]'
    assert asked_for(between) == [("vegas", "2"), ("vegas", "8")]
    of = "left = { stations = 4 }, right = { mean_of = [{ stations = 2 }, { stations = 8 }] }"
    assert len(asked_for(f'test = "greater", {of}')) == 6
    assert asked_for('test = "ratio", where = { tcp = "reno" }, right = { metric = "n" }, low = 1.0') == [
        ("reno", "2"),
        ("reno", "4"),
        ("reno", "8"),
    ]


OTHER_EXPERIMENT = """
[experiments.d]
scenario = "jung/mixed"
axes = { tcp = ["reno", "vegas"], stations = [2, 4, 8] }

[[claims]]
id = "d"
source = "1"
sentence = "s"
note = "because"
tests = [{ experiment = "d", metric = "m", test = "within", low = 0.0 }]
"""


def test_setups_leave_out_points_for_claims_on_other_experiments():
    study = parse(SETUPS + OTHER_EXPERIMENT, "t")
    stations = {name: {cell.at["stations"] for cell in cells_under(study, study.experiments[name])} for name in "de"}
    assert stations == {"d": {"2", "8"}, "e": {"2"}}


def test_claims_are_judged_in_every_setup_that_concerns_them():
    study = parse(SETUPS, "t")
    measured = Measurements()
    for cell in [*study.experiments["e"].cells(), *cells_under(study, study.experiments["e"])]:
        row = Row(cell, {"stations": {"value": int(cell.at["stations"]), "unit": "1"}})
        better = "reno" if cell.setup == "longer" else "vegas"
        for seed in range(3):
            row.metrics[seed] = {"m": {"value": 2.0 if cell.at["tcp"] == better else 1.0, "unit": "s"}}
        measured.add(row)
    [claim] = judgement(study, measured, setups=False).claims
    assert claim.verdict == "holds" and len(claim.evidence) == 2
    setups = judge_setups(study, measured)
    assert [(item.setup.name, item.verdict, len(item.evidence)) for item in setups] == [
        ("assumed", "holds", 1),
        ("longer", "fails", 1),
    ]
    assert setups[1].note == "" and setups[1].document()["setup"] == "longer"
    judged = Judgement([claim], setups, [])
    [row] = survival_rows(study, judged)
    assert row.held == "1 of 2"
    assert row.cells[2] is None and row.everywhere is None
    assert in_words([row]).endswith("0 (hold) and 0 (fail). Dependent on the set-up: 1.")
