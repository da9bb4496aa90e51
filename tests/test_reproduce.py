"""`airfair reproduce`, end to end on one small figure."""

import html
import json
import re
import shlex
from html.parser import HTMLParser
from pathlib import Path

import polars
import pytest
from conftest import AIRFAIR, call

from airfair.command import Common
from airfair.runs.executor import execute
from airfair.studies import reproduce
from airfair.studies.evidence import RULE
from airfair.studies.plan import Request

pytestmark = pytest.mark.slow

SHORT = ["--set", "duration=30 s", "--seeds", "2"]


@pytest.fixture(scope="module")
def reproduced(tmp_path_factory):
    """The output of a run of two figures: files and text."""
    out = tmp_path_factory.mktemp("study")
    arguments = ["reproduce", "jung", "--figure", "fig2a", "--figure", "vegas_fair", *SHORT]
    finished = call(*arguments, "--out", str(out), "--json")
    assert finished.returncode == 0, finished.stderr
    return out, json.loads(finished.stdout)


def test_document(reproduced):
    _, document = reproduced
    assert document["study"] == "jung" and set(document["figures"]) == {"fig2a", "vegas_fair"}
    assert document["set"] == {"duration": "30 s"}
    points = document["figures"]["fig2a"]
    assert len(points) == 3 * 5 * 2
    for point in points:
        assert point["metric"] == "instantaneous_fairness_sent" and point["unit"] == "1" and point["n"] == 2
        assert point["ci95"][0] <= point["mean"] <= point["ci95"][1]
    assert {point["stations"] for point in points} == {2, 4, 6, 8, 10}
    claims = {claim["id"]: claim for claim in document["claims"]}
    assert {"download-vegas-best", "download-vegas-best/window-64"} <= set(claims)
    assert "upload-vegas-best" not in claims
    [left_out] = [item for item in document["not_judged"] if item["id"] == "upload-vegas-best"]
    assert left_out["reason"] == "its points were not run" and left_out["sentence"]
    for claim in claims.values():
        assert claim["verdict"] in {"holds", "fails", "undecided"} and claim["evidence"]
        assert claim["source"] and claim["sentence"]


def test_files(reproduced):
    out, document = reproduced
    assert json.loads((out / "reproduce.json").read_text()) == document
    for name in document["figures"]:
        assert (out / "figures" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert (out / "figures" / f"{name}.svg").read_text().startswith("<svg")
    frame = polars.read_parquet(out / "results.parquet")
    chosen = frame.filter(
        experiment="by_stations", tcp="vegas", stations="4", window="20", metric="instantaneous_fairness_sent"
    )
    [point] = [
        point
        for point in document["figures"]["fig2a"]
        if (point["tcp"], point["stations"], point["window"]) == ("vegas", 4, 20)
    ]
    assert chosen.height == 2 and chosen["value"].mean() == pytest.approx(point["mean"], rel=1e-12)


def test_rows_are_in_the_order_of_the_seeds_whichever_run_ends_first(tmp_path, monkeypatch):
    def backwards(points, *, take, **options):
        done = []
        execution = execute(points, take=lambda *each: done.append(each), **options)
        for each in sorted(done, key=lambda each: -each[0].seed):
            take(*each)
        return execution

    monkeypatch.setattr(reproduce, "execute", backwards)
    common = Common(out=tmp_path, set=("duration=30 s",), json=True)
    assert reproduce.reproduce(Request("jung", ("vegas_fair",), False, 2, None), common) == 0
    rows = polars.read_parquet(tmp_path / "results.parquet")
    cells = rows.drop("metric", "value", "unit", "left_out", "sessions").unique(maintain_order=True)
    assert cells["seed"].to_list() == [1, 2] * (cells.height // 2)


class Links(HTMLParser):
    """Collects the addresses that a page would load."""

    def __init__(self):
        super().__init__()
        self.loaded = []

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("src", "srcset", "href", "xlink:href", "action") and not (value or "").startswith("#"):
                self.loaded.append((tag, value))


def test_the_report_is_self_contained(reproduced):
    out, _ = reproduced
    page = (out / "report.html").read_text()
    links = Links()
    links.feed(page)
    assert links.loaded == []
    assert "@import" not in page and not re.search(r"url\((?!#)", page)
    assert page.count("<svg") == 2
    assert str(Path.home()) not in page and str(out) not in page


def test_readers_are_told_when_a_claim_holds(reproduced):
    out, _ = reproduced
    assert all(RULE in (out / name).read_text() for name in ("report.html", "summary.md"))


def test_readers_are_told_what_was_set(reproduced):
    out, _ = reproduced
    for name in ("report.html", "summary.md"):
        assert "Not the study as it is: with duration = 30 s at all points." in (out / name).read_text()


def test_the_report_has_the_command_that_made_it(reproduced):
    out, _ = reproduced
    [command] = re.findall(r'<code class="command">(airfair reproduce [^<]*)</code>', (out / "report.html").read_text())
    made = "airfair reproduce jung --figure fig2a --figure vegas_fair --seeds 2 --set 'duration=30 s'"
    assert html.unescape(command) == made


def test_a_command_of_the_report_gives_its_point(reproduced):
    out, document = reproduced
    commands = re.findall(r'<code class="command">(airfair run [^<]*)</code>', (out / "report.html").read_text())
    assert len(commands) == sum(len(points) for points in document["figures"].values())
    words = shlex.split(html.unescape(commands[0]))
    assert Path(AIRFAIR).name == words[0]
    rerun = json.loads(call(*words[1:], "--json").stdout)
    point = document["figures"]["fig2a"][0]
    assert rerun["metrics"][point["metric"]]["value"] == point["mean"]
    assert rerun["metrics"][point["metric"]]["ci95"] == point["ci95"]


def test_for_people(tmp_path):
    finished = call("reproduce", "jung", "--figure", "restart", "--quick", *SHORT, cwd=tmp_path)
    assert finished.returncode == 0, finished.stderr
    assert "holds" in finished.stdout or "fails" in finished.stdout or "undecided" in finished.stdout
    told = " ".join(finished.stdout.split())
    assert re.search(r"Not judged: [^:]* and \d+ more: its points were not run\.", told)
    report = tmp_path / "airfair-results" / "jung,duration=30s"
    assert (
        "Not judged" in (report / "report.html").read_text() and "### Not judged" in (report / "summary.md").read_text()
    )
    assert "Not the study as it is: with duration = 30 s at all points." in told
    assert finished.stdout.rstrip().endswith(f"report: {report.relative_to(tmp_path)}/report.html")
    assert finished.stderr == ""  # no progress bars in a pipe


def test_no_table_of_claims_is_shown_where_none_can_be_judged(tmp_path):
    finished = call("reproduce", "jung", "--figure", "choices", *SHORT, "--out", str(tmp_path))
    said = "No claim can be judged from these points."
    lines = finished.stdout.splitlines()
    assert lines[0] == said and lines[1].startswith("Not judged: ") and "Verdict" not in finished.stdout
    assert "its points were not run." in finished.stdout
    summary, report = (tmp_path / "summary.md").read_text(), (tmp_path / "report.html").read_text()
    assert said in summary and "| Section | Claim |" not in summary
    assert f"<p>{said}</p>" in report and 'class="claims' not in report and 'class="tally"' not in report


def test_results_of_other_settings_are_kept(tmp_path):
    def reproduce(*more):
        return call("reproduce", "jung", "--figure", "restart", "--quick", "--seeds", "1", *more, cwd=tmp_path)

    results = tmp_path / "airfair-results"
    document = results / "jung" / "reproduce.json"
    assert reproduce().returncode == 0
    before = document.read_bytes()
    assert reproduce("--set", "duration=20 s").returncode == 0
    assert document.read_bytes() == before
    assert {path.name for path in results.iterdir()} == {"jung", "jung,duration=20s"}
    # The same command finds its runs, however the value is written.
    again = reproduce("--set", "duration=20s", "--json", "--dry-run")
    assert json.loads(again.stdout)["to_compute"] == 0
    assert reproduce("--set", "duration=20s").returncode == 0
    refused = reproduce("--set", "duration=20 s", "--out", str(results / "jung"))
    assert refused.returncode == 2 and refused.stderr.count("\n") == 1 and document.read_bytes() == before
    assert "there nothing more, here duration=20 s; give another --out" in refused.stderr
    assert reproduce("--set", "duration=20 s", "--out", str(results / "jung"), "--force").returncode == 0
    assert json.loads(document.read_text())["set"] == {"duration": "20 s"}


@pytest.fixture(scope="module")
def lee(tmp_path_factory):
    """A complete study with a sensitivity analysis, with runs of 4 s."""
    out = tmp_path_factory.mktemp("lee")
    finished = call("reproduce", "lee", "--quick", "--seeds", "2", "--set", "duration=4 s", "--out", str(out), "--json")
    assert finished.returncode == 0, finished.stderr
    return out, json.loads(finished.stdout)


def test_means_over_an_axis(lee):
    _, document = lee
    points = document["figures"]["fig4b"]
    assert {point["metric"] for point in points} == {"agi"} and all(0 < point["mean"] < 1 for point in points)
    assert all("wireless" not in point for point in points) and len(points) == 6 * 2
    single = [
        point["mean"] for point in document["figures"]["fig3b"] if (point["tcp"], point["window"]) == ("reno", 1000)
    ]
    [mean] = [point["mean"] for point in points if (point["tcp"], point["window"]) == ("reno", 1000)]
    assert mean == pytest.approx(sum(single) / len(single))


def test_points_without_randomness_run_once(lee):
    _, document = lee
    assert all(point["ci95"] == pytest.approx([point["mean"]] * 2) for point in document["figures"]["fig2a"])


def test_claims_in_other_set_ups(lee):
    out, document = lee
    judged = document["sensitivity"]
    setups = {item["setup"] for item in judged}
    assert {"assumed", "loss-both", "rfc"} <= setups
    assert all(item["verdict"] in {"holds", "fails", "undecided"} and item["evidence"] for item in judged)
    concerned = {item["id"] for item in judged if item["setup"] == "loss-both"}
    assert concerned == {claim["id"] for claim in document["claims"] if claim["id"].startswith(("light", "heavy"))} - {
        claim["id"] for claim in document["claims"] if "/" in claim["id"]
    } | {"lossy-westwood-best", "limited-scale"}
    page = (out / "report.html").read_text()
    assert 'id="sensitivity"' in page and page.count('class="turned"') == len(setups)
    assert "## What survives other set-ups" in (out / "summary.md").read_text()


@pytest.mark.parametrize("figure", ["fig24", "convergence"])
def test_figures_of_mamatas(figure, tmp_path):
    finished = call(
        "reproduce", "mamatas", "--figure", figure, "--quick", "--seeds", "2", "--out", str(tmp_path), "--json"
    )
    assert finished.returncode == 0, finished.stderr
    document = json.loads(finished.stdout)
    points = document["figures"][figure]
    assert points and "sensitivity" not in document
    assert (tmp_path / "figures" / f"{figure}.png").is_file()
    assert all(point.get("predicted", 0) >= 1 for point in points) == (figure == "convergence")


def test_figures_over_time(tmp_path):
    finished = call("reproduce", "fall-floyd", "--figure", "cwnd", "--out", str(tmp_path))
    assert finished.returncode == 0, finished.stderr
    assert (tmp_path / "figures" / "cwnd.png").read_bytes().startswith(b"\x89PNG")
    assert "--trace cwnd" in (tmp_path / "report.html").read_text()
    assert "![Congestion window over time](figures/cwnd.png)" in (tmp_path / "summary.md").read_text()


def test_the_best_window_and_its_gain(tmp_path):
    finished = call(
        "reproduce", "ghosh", "--figure", "gain", "--figure", "best-window", "--figure", "fig9", "--quick", "--json",
        *("--set", "duration=10 s"), "--out", str(tmp_path),
    )  # fmt: skip
    assert finished.returncode == 0, finished.stderr
    document = json.loads(finished.stdout)
    gains, windows = document["figures"]["gain"], document["figures"]["best-window"]
    assert len(gains) == len(windows) == 3 * 6 * 2 and "fig9" not in document["figures"]
    assert {(point["metric"], point["unit"], point["tcp"]) for point in gains} == {("goodput_total", "1", "constant")}
    assert all("cwnd" not in point for point in gains)
    assert {point["metric"] for point in windows} == {"best_cwnd"}
    assert all(2 <= point["mean"] <= 20 for point in windows)
    assert (tmp_path / "figures" / "fig9.png").read_bytes().startswith(b"\x89PNG")
    page = (tmp_path / "report.html").read_text()
    assert "Segments sent by each of 20 senders, DropTail" in page and "--set cwnd=" in page
