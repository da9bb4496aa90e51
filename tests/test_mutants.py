"""The verdict on mutants, and the choice of the sample."""

import pytest

from mutants.python import operators
from mutants.rust import _gather
from mutants.sample import PYTHON, RUST, Mutant, drawn
from mutants.verdict import Tried, complaints, counts, explanations


def tried(caught=0, missed=0, **others):
    number = {"caught": caught, "missed": missed, **others}
    return [
        Tried(Mutant(f"{outcome} {i}", "line"), None if outcome == "untried" else outcome)
        for outcome, count in number.items()
        for i in range(count)
    ]


def reasons(items):
    return {item.mutant: "because" for item in items if item.outcome == "missed"}


def test_enough_killed_and_the_rest_explained_is_right():
    sample = tried(caught=80, timeout=5, missed=15, unviable=9)
    assert complaints(sample, reasons(sample)) == []


def test_too_few_killed_is_wrong_however_well_explained():
    sample = tried(caught=84, missed=16)
    assert complaints(sample, reasons(sample)) == ["84 of 100 mutants were killed, and 85% are wanted"]


def test_each_survivor_needs_an_explanation():
    sample = tried(caught=99, missed=1)
    (line,) = complaints(sample, {})
    assert line.startswith("no explanation: missed 0")


def test_an_explanation_of_a_killed_mutant_is_wrong():
    sample = tried(caught=9)
    assert complaints(sample, {sample[0].mutant: "because"}) == ["explained, but it is killed: caught 0"]


@pytest.mark.parametrize("sample", [[], tried(unviable=3)])
def test_nothing_tried_is_not_enough(sample):
    assert complaints(sample, {}) == ["0 of 0 mutants were killed, and 85% are wanted"]


def test_a_sample_cut_short_is_wrong():
    assert complaints(tried(caught=9, untried=1), {}) == ["1 mutants of the sample were not tried"]


def test_counts_tell_each_outcome():
    assert counts(tried(caught=2, timeout=1, missed=1, unviable=5, untried=1)) == (
        "3 of 4 killed (75.0%), 1 of them by a timeout; 1 survived; 5 do not compile; 1 of 10 not tried"
    )


def test_outcomes_of_runs_cut_short_add_up(tmp_path):
    told = tmp_path / "mutants.out"
    told.mkdir()
    (told / "caught.txt").write_text("a\n")
    (told / "missed.txt").write_text("b\nc\n")
    assert _gather(tmp_path) == {"a": "caught", "b": "missed", "c": "missed"}
    (told / "caught.txt").write_text("b\n")
    (told / "missed.txt").write_text("")
    assert _gather(tmp_path) == {"a": "caught", "b": "caught", "c": "missed"}


def mutants(lines):
    return [Tried(Mutant("replace + with -", line), None) for line in lines]


def test_the_sample_is_the_same_each_time_and_large_enough():
    listed = mutants(range(1000))
    sample = drawn(listed, 10)
    assert len(sample) == 10 and sample == drawn(listed, 10)
    assert [item.mutant.line for item in sample] == sorted(item.mutant.line for item in sample)
    assert drawn(listed[:2], 5) == listed[:2]
    assert sum(part.count for part in (*RUST, *PYTHON)) >= 300


def test_an_edit_changes_only_its_own_mutants_in_the_sample():
    before = drawn(mutants(range(1000)), 100)
    after = drawn(mutants([-1, *range(5, 1000)]), 100)
    assert len(set(before) - set(after)) <= 5


def test_equal_changes_of_equal_lines_are_drawn_separately():
    sample = drawn(mutants(["same"] * 50 + list(range(50))), 50)
    assert 0 < sum(item.mutant.line == "same" for item in sample) < 50


def test_only_operators_that_are_evaluated_are_mutated():
    source = "def f(a: int | None, **rest: int) -> int | None:\n    return a * 2\n"
    assert operators(source) == [((2, 12), (2, 15))]


def test_every_explanation_says_why():
    assert all(why.strip() for why in explanations().values())
