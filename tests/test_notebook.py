"""What notebooks show, and figures to change and to print."""

import re

import pytest

import airfair as af

SHORT = {"duration": "20 s"}


@pytest.fixture(scope="module")
def swept():
    return af.sweep("jung/mixed", {"stations": [2, 4], "tcp": ["reno", "vegas"]}, seeds=2, **SHORT)


@pytest.fixture(scope="module")
def best():
    return af.optimize("jung/mixed", over={"max_window": "4..12:4"}, maximize="throughput_total", seeds=2, **SHORT)


def cells(shown: str) -> list[str]:
    return re.findall(r"<td>(.*?)</td>", shown)


def test_a_run_and_its_metrics():
    run = af.run("jung/mixed", seeds=2, **SHORT)
    for shown in (run, run.metrics):
        rows = cells(shown._repr_html_())
        assert rows[rows.index("throughput_total") + 1].endswith("Mb/s")
    assert cells(run.metrics["jain_persistent"]._repr_html_())[0] == "jain_persistent"
    assert "<p>jung/mixed, seeds 1 to 2</p>" in run._repr_html_() and repr(run).startswith(
        "<airfair.Result jung/mixed,"
    )
    none = cells(af.run("jung/mixed", **SHORT).metrics["throughput_up"]._repr_html_())
    assert none[1].startswith("none: ")


def test_the_grades_of_devices():
    shown = af.run("wifi/home", duration="2 s")._repr_html_()
    assert "<p>wifi/home, seed 1</p>" in shown
    device, grades, judged_by = cells(shown)[:3]
    assert (device, judged_by) == ("caller", "rating factor") and "voice_mos_mean" in shown
    assert re.fullmatch("2 x [A-F]|[A-F], [A-F]", grades)


def test_a_sweep_and_a_search_and_a_world(swept, best):
    shown = cells(swept._repr_html_())
    assert shown[:3] == ["2", "reno", "1"]
    assert cells(best._repr_html_())[0] == "max_window" and "<svg" in best._repr_html_()
    assert "at 0 of" in af.World("jung/mixed")._repr_html_()


def test_tables_and_scenarios():
    run = af.run("jung/mixed", **SHORT)
    assert "throughput" in run.flows._repr_html_() and "<table" in run.sessions._repr_html_()
    shown = cells(run.scenario._repr_html_())
    assert shown[shown.index("wired_delay") + 1] == "10 ms"


def test_long_sweeps_are_cut():
    shown = af.sweep("jung/mixed", {"stations": "2..8:2"}, seeds=6, duration="5 s", warmup="10 s")._repr_html_()
    assert "4 more rows" in shown


def test_names_are_escaped():
    given = af.Scenario.load("jung/mixed")
    from airfair.catalogue import notebook

    assert notebook.table(["<b>"], [["\x1b<i>"]]).count("<i>") == 0
    assert "\\x1b&lt;i&gt;" in notebook.table(["a"], [["\x1b<i>"]])
    assert given.name in af.run(given)._repr_html_()


@pytest.mark.parametrize("how", [{"kind": "heatmap"}, {"facet": "tcp"}, {}])
def test_figures_are_charts_that_can_be_changed(swept, tmp_path, how):
    chart = swept.plot("throughput_total", x="stations", color="tcp" if not how.get("facet") else None, **how).chart
    changed = chart.properties(title="Mine")
    assert changed.to_dict()["title"] == "Mine"
    changed.save(tmp_path / "mine.html")
    assert "Mine" in (tmp_path / "mine.html").read_text()


def test_pdf(swept, best, tmp_path):
    for figure in (swept.plot("throughput_total"), af.timeline("jung/mixed", **SHORT), best):
        figure.save(tmp_path / "a.pdf")
        contents = (tmp_path / "a.pdf").read_bytes()
        assert contents.startswith(b"%PDF-") and b"/MediaBox" in contents


def test_a_search_is_saved_as_a_page(best, tmp_path):
    best.save(tmp_path / "a.html")
    text = (tmp_path / "a.html").read_text()
    assert text.count('role="graphics-symbol"') >= 3 and "max_window = 4 segments" in text
    with pytest.raises(af.InputError, match="ends in"):
        best.save(tmp_path / "a.txt")
