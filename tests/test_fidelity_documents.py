"""docs/fidelity.md and the pages behind it: which section lies where, and the overview."""

from __future__ import annotations

import re

import pytest

from fidelity import bbr3, document, overview, random_loss
from fidelity.report import Table
from fidelity.sets import SETS

OTHERS = {
    *("overview", "background", "kernels-apart", "ware", "l4s-coupled", "l4s-dctcp", "l4s-dctcp-delay"),
    *("packetdrill-own", "packetdrill-first", "cubic-ranges", "cubic-peaks"),
    *(f"padhye-{window}" for window in random_loss.MAX_WINDOWS),
    *(f"gaimd-{cuts}" for cuts in random_loss.CUTS),
    *(f"bbr3-{test.__name__.replace('_', '-')}" for test in bbr3.TESTS),
}


def of_sets():
    """The sections of all sets."""
    for point_set in SETS.values():
        if point_set.metrics:
            yield from (f"{point_set.name}-{what}" for what in ("passed", "bias", "bias-all"))
            yield from (
                f"{point_set.name}-{what}-{one.name}" for what in ("outside", "all") for one in point_set.sources
            )
        if point_set.counts:
            yield from (f"{point_set.name}-{what}" for what in ("counts", "counts-differ"))


def test_every_section_has_its_page_and_every_mark_its_section():
    assert set(document.sections()) == {*of_sets(), *OTHERS}


def test_every_section_has_a_table_or_says_that_there_is_nothing():
    for section in document.sections():
        assert document.table(section).rows or document.text(section).endswith("None."), section


def test_the_overview_is_that_of_the_pages():
    """If not: `python -c 'from fidelity import overview; overview.write({})'`."""
    assert document.text(overview.SECTION) == overview.table().markdown()


def test_the_overview_has_every_set_and_says_what_holds(fakes):
    made = overview.table()
    assert made.rows[0] == ["[`jung`](fidelity/jung.md)", "ns-2, matched", "80", "80", "248 of 248", "holds"]
    row = next(row for row in made.rows if row[0].startswith("[`wifi-tcp`]"))
    assert row[2:] == ["3", "2", "8 of 10", "**missed** in 1 of 2; 1 biases without a known cause"]
    assert all(any(row[0].startswith(f"[`{name}`") for row in made.rows) for name in SETS)


@pytest.fixture
def fakes(monkeypatch):
    """Other tables of `wifi-tcp`."""
    outside = ["", "", "", "", "", ""]
    tables = {
        "wifi-tcp-passed": [
            ["throughput_total", "95 %", "8 of 10", "**missed**"],
            ["throughput_total, up", "95 %", "9 of 9", "holds"],
        ],
        "wifi-tcp-all-ns-3": [["a"], ["b"], ["c"]],
        "wifi-tcp-outside-ns-3": [["b", *outside], ["b", *outside]],
        "wifi-tcp-bias": [["known", "a cause"], ["unknown", ""]],
    }
    real = document.table
    monkeypatch.setattr(document, "table", lambda name: Table(name, [], tables[name]) if name in tables else real(name))


def test_pages_begin_with_a_verdict_and_are_found_from_the_entrance():
    entrance = document.ENTRANCE.read_text()
    for page in document.pages()[1:]:
        assert re.match(r"# [^\n]+\n\n\*\*Verdict\.\*\* ", page.read_text()), page.name
        assert f"](fidelity/{page.name})" in entrance, page.name


def test_points_outside_come_before_all_points():
    order = list(document.sections())
    for point_set in SETS.values():
        for source in point_set.sources if point_set.metrics else ():
            name = point_set.name
            assert order.index(f"{name}-outside-{source.name}") < order.index(f"{name}-all-{source.name}")
            assert order.index(f"{name}-outside-{source.name}") < order.index(f"{name}-bias-all")


@pytest.fixture
def two_pages(tmp_path, monkeypatch):
    """An entrance with an overview, and a page."""
    (tmp_path / "fidelity").mkdir()
    monkeypatch.setattr(document, "DOCS", tmp_path)
    monkeypatch.setattr(document, "ENTRANCE", tmp_path / "fidelity.md")
    (tmp_path / "fidelity.md").write_text("<!-- overview -->\n<!-- /overview -->\n")
    page = tmp_path / "fidelity" / "a.md"
    page.write_text("# a\n\n<!-- cubic-ranges -->\n<!-- /cubic-ranges -->\n")
    return page


def test_what_is_written_lies_on_its_page_and_in_the_overview(two_pages, monkeypatch):
    one = next(entry for entry in overview.entries() if entry.section == "cubic-ranges")
    monkeypatch.setattr(overview, "entries", lambda: [one])
    rows = [["5 ms", "yes"], ["20 ms", "no"], ["not judged", ""]]
    overview.write({"cubic-ranges": Table("", ["run", "within"], rows).markdown()})
    assert document.table("cubic-ranges").rows == rows
    assert document.table("overview").rows == [
        ["[CUBIC's window](fidelity/a.md)", "tests of ns-3", "2", "1", "", "**missed**"]
    ]


def test_a_section_without_a_page_or_on_two_is_refused(two_pages):
    with pytest.raises(ValueError, match=r"no page below .* has a section cubic-peaks"):
        document.put("cubic-peaks", "text")
    two_pages.with_name("b.md").write_text(two_pages.read_text())
    with pytest.raises(ValueError, match=r"two sections are called cubic-ranges: in a\.md and in b\.md"):
        document.put("cubic-ranges", "text")


def test_a_cell_may_hold_an_escaped_bar(two_pages):
    document.put("cubic-ranges", Table("", ["a", "b"], [["x \\| y", ""]]).markdown())
    assert document.table("cubic-ranges").rows == [["x \\| y", ""]]
