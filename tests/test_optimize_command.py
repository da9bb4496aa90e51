"""`airfair optimize` and `airfair.optimize`, as a user calls them."""

import json
import re
import signal
import sys

import polars
import pytest
from conftest import ENDLESS, call, completions, dying, execute, needs_proc, start, stop_twice
from sweeping import points

import airfair as af

SHORT = ["--set", "duration=20 s", "--seeds", "3"]
WINDOW = ["jung/mixed", "--over", "max_window=4..12:4", "--maximize", "instantaneous_fairness_acked"]
BOUND = ["--subject-to", "throughput_total >= 4 Mb/s"]
TWO = ["jung/mixed", "--over", "max_window=2..20", "--over", "queue=5..50", "--set", "duration=50 s", "--seeds", "2"]


@pytest.fixture(scope="module")
def optimized(tmp_path_factory):
    """The output of a search over three windows: files and text."""
    out = tmp_path_factory.mktemp("optimum")
    finished = call("optimize", *WINDOW, *BOUND, *SHORT, "--out", str(out), "--json")
    assert finished.returncode == 0, finished.stderr
    return out, json.loads(finished.stdout)


def test_document(optimized):
    out, document = optimized
    assert document["schema_version"] == 1
    assert document["scenario"] == "jung/mixed" and document["seeds"] == [1, 2, 3]
    assert document["metric"] == "instantaneous_fairness_acked" and document["goal"] == "maximize"
    assert document["parameters"]["duration"] == {"value": 20, "unit": "s"}
    assert "max_window" not in document["parameters"]
    points = {point["at"]["max_window"]: point for point in document["evaluations"]}
    assert list(points) == [4, 8, 12]
    # The smallest window is the fairest, but too slow.
    assert points[4]["value"] > points[8]["value"] > points[12]["value"]
    assert [points[window]["feasible"] for window in points] == [False, True, True]
    assert document["best"] == {"max_window": 8} and document["as_good_as_best"] == {"max_window": [8, 8]}
    assert document["within_5_percent"] == {"max_window": [8, 8]}
    assert document["value"] == points[8]["value"] and document["ci95"] == points[8]["ci95"]
    [constraint] = document["constraints"]
    assert constraint["bound"] == 4e6 and constraint["unit"] == "bit/s" and constraint["value"] >= 4e6
    assert points[12]["difference"]["value"] == pytest.approx(points[12]["value"] - points[8]["value"])
    assert json.loads((out / "optimize.json").read_text()) == document
    assert not re.search(r"/tmp|/home|\bhost\b|wall", json.dumps(document))


def test_the_values_are_those_of_run(optimized):
    _, document = optimized
    alone = call("run", "jung/mixed", *SHORT, "--set", "max_window=8", "--json")
    metric = json.loads(alone.stdout)["metrics"]["instantaneous_fairness_acked"]
    assert (document["value"], document["ci95"]) == (metric["value"], metric["ci95"])


def test_files(optimized):
    out, document = optimized
    assert (out / "optimum.png").read_bytes().startswith(b"\x89PNG")
    page = (out / "optimum.html").read_text()
    assert "throughput_total &gt;= " in page and "airfair optimize jung/mixed" in page
    svg = (out / "optimum.svg").read_text()
    assert "Instantaneous fairness, until acknowledged" in svg and "violates a constraint" in svg
    table = polars.read_parquet(out / "evaluations.parquet")
    assert table["max_window"].to_list() == [4, 8, 12] and table["as_good"].to_list() == [False, True, False]
    assert table["instantaneous_fairness_acked"].to_list() == [point["value"] for point in document["evaluations"]]


def test_for_people(tmp_path):
    finished = call("optimize", *WINDOW, *BOUND, *SHORT, cwd=tmp_path)
    assert finished.returncode == 0 and finished.stderr == ""
    assert "Mb/s" in finished.stdout and "As good as the best" in finished.stdout and "violates" in finished.stdout
    assert finished.stdout.rstrip().endswith("figure: airfair-results/optimize/jung-mixed/optimum.png")
    assert (tmp_path / "airfair-results" / "optimize" / "jung-mixed" / "optimum.png").is_file()


def test_several_dimensions_do_not_depend_on_jobs(tmp_path):
    search = ["optimize", *TWO, "--evaluations", "20", "--minimize", "finish_time_acked_mean", "--json"]
    one, two = (call(*search, "--jobs", jobs, "--out", str(tmp_path / jobs)) for jobs in ("1", "2"))
    assert one.returncode == 0 and one.stderr == ""
    assert one.stdout == two.stdout
    document = json.loads(one.stdout)
    assert document["method"] == "tpe" and len(document["evaluations"]) == 20
    assert document["value"] == min(point["value"] for point in document["evaluations"])
    assert (tmp_path / "1" / "optimum.svg").read_text() == (tmp_path / "2" / "optimum.svg").read_text()


def test_words(airfair, answer):
    arguments = ["optimize", "jung/mixed", "--over", "tcp=reno,vegas", "--maximize", "instantaneous_fairness_acked"]
    document = answer(*arguments, *SHORT)
    assert document["best"] == {"tcp": "vegas"} and document["as_good_as_best"] == {"tcp": ["vegas"]}


@pytest.mark.parametrize("panels", [2, 3])
def test_figures_of_several_parameters(tmp_path, panels):
    over = ["--over", "max_window=4,8", "--over", "queue=20,50", "--over", "tcp=reno,vegas"][: 2 * panels]
    finished = call("optimize", "jung/mixed", *over, *SHORT, "--maximize", "throughput_total", "--out", str(tmp_path))
    assert finished.returncode == 0, finished.stderr
    svg = (tmp_path / "optimum.svg").read_text()
    assert "Max window" in svg and "Queue" in svg and "Total throughput (Mb/s)" in svg


def test_nothing_satisfies_the_constraints(tmp_path):
    finished = call("optimize", *WINDOW, "--subject-to", "throughput_total >= 9 Mb/s", *SHORT, "--json", cwd=tmp_path)
    assert finished.returncode == 1
    assert "no candidate satisfies throughput_total >= 9 Mb/s; the closest is max_window = 12" in finished.stderr
    document = json.loads(finished.stdout)
    assert document["best"] is None and document["as_good_as_best"] == {} and "max_window = 12" in document["reason"]


def test_a_bad_combination_is_skipped(tmp_path):
    over = ["--set", "tcp=vegas", "--over", "alpha=1..2", "--over", "beta=1..2", "--maximize", "throughput_total"]
    finished = call("optimize", "jung/mixed", *over, *SHORT, "--json", cwd=tmp_path)
    assert finished.returncode == 0, finished.stderr
    points = json.loads(finished.stdout)["evaluations"]
    refused = [point for point in points if point["value"] is None]
    assert len(points) == 4 and [point["at"] for point in refused] == [{"alpha": 2, "beta": 1}]
    assert "above beta" in refused[0]["reason"]


def test_a_metric_without_a_value(tmp_path):
    # No session can finish in this time.
    arguments = ["--set", "duration=10 ms", "--over", "queue=10,20", "--maximize", "instantaneous_fairness_acked"]
    finished = call("optimize", "jung/mixed", *arguments, "--seeds", "2", cwd=tmp_path)
    assert finished.returncode == 1
    assert "instantaneous_fairness_acked has no value: " in finished.stderr


def over(values, *others):
    return ["jung/mixed", "--over", values, *others]


def test_any_metric_can_be_the_goal(airfair):
    """Also a metric that the scenario's file does not name."""
    found = airfair("optimize", *over("max_window=4..8:4", "--minimize", "finish_time_acked_p95"), *SHORT)
    assert found.returncode == 0 and "Smallest finish_time_acked_p95" in found.stdout
    none = airfair("optimize", *over("max_window=4..8:4", "--maximize", "agi"), *SHORT)
    assert none.returncode == 1 and "agi has no value: a way over the air has no rate of its own" in none.stderr


BAD = {
    "no range": (["jung/mixed", "--maximize", "jain_persistent"], ["--over"]),
    "no goal": (over("stations=2..4"), ["--maximize", "--minimize"]),
    "two goals": (over("stations=2..4", "--maximize", "throughput_up", "--minimize", "ap_drop_rate"), ["one of"]),
    "an empty range": (over("queue=20..10", "--maximize", "throughput_total"), ["--over queue=20..10", "empty"]),
    "no step": (over("period=1..10 s", "--maximize", "throughput_total"), ["needs a step"]),
    "no equals sign": (over("queue", "--maximize", "throughput_total"), ["NAME=LOW..HIGH"]),
    "an unknown parameter": (over("queu=1..2", "--maximize", "throughput_total"), ["queu", "queue"]),
    "out of the parameter's range": (over("queue=0..9", "--maximize", "throughput_total"), ["parameters.queue", "`0`"]),
    "off the parameter's steps": (over("stations=2..8:3", "--maximize", "throughput_total"), ["`5`", "multiple of 2"]),
    "an unknown word": (over("tcp=reno,vegass", "--maximize", "throughput_total"), ["vegass", "vegas"]),
    "the wrong unit": (over("period=1..2 kB:1 kB", "--maximize", "throughput_total"), ["period", "a size"]),
    "over twice": (over("queue=1..2", "--over", "queue=3", "--maximize", "throughput_total"), ["queue", "twice"]),
    "set and over": (over("queue=1..2", "--set", "queue=3", "--maximize", "throughput_total"), ["queue", "either"]),
    "an unknown metric": (over("queue=1..2", "--maximize", "throughput_totl"), ["throughput_totl", "throughput_total"]),
    "an unknown scenario": (["jung/mixd", "--over", "queue=1..2", "--maximize", "agi"], ["jung/mixed"]),
    "one seed": (over("queue=1..2", "--maximize", "throughput_total", "--seeds", "1"), ["--seeds"]),
    "an unknown parameter set": (over("queue=1..2", "--maximize", "throughput_total", "--set", "x=1"), ["`x`"]),
    "a bad combination in all": (
        over("alpha=3,4", "--set", "beta=2", "--set", "tcp=vegas", "--maximize", "throughput_total"),
        ["alpha", "above beta"],
    ),
    "a constraint without a relation": (
        over("queue=1..2", "--maximize", "throughput_total", "--subject-to", "throughput_total > 1 Mb/s"),
        ["METRIC >= X"],
    ),
    "a constraint's unknown metric": (
        over("queue=1..2", "--maximize", "throughput_total", "--subject-to", "ap_drop_rat <= 1 %"),
        ["ap_drop_rat", "ap_drop_rate"],
    ),
    "a constraint without its unit": (
        over("queue=1..2", "--maximize", "throughput_total", "--subject-to", "throughput_total >= 4"),
        ["throughput_total >= 4", "a rate"],
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input(airfair, tmp_path, case):
    arguments, words = BAD[case]
    finished = airfair("optimize", *arguments, "--out", "results")
    assert finished.returncode == 2, finished.stderr
    assert finished.stdout == "" and "Traceback" not in finished.stderr
    assert len(re.findall(r"^error: ", finished.stderr, re.IGNORECASE | re.MULTILINE)) == 1, finished.stderr
    for word in words:
        assert word in finished.stderr, finished.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_answer_to_another_question_is_kept(tmp_path):
    def optimize(goal, *more):
        asked = ["jung/mixed", "--over", "max_window=4,8", "--set", "duration=20 s", "--maximize", goal]
        return call("optimize", *asked, *more, "--out", "out", cwd=tmp_path)

    answer = tmp_path / "out" / "optimize.json"
    assert optimize("throughput_total", "--seeds", "2").returncode == 0
    before = answer.read_bytes()
    refused = optimize("throughput_down", "--seeds", "2")
    assert refused.returncode == 2 and refused.stdout == "" and answer.read_bytes() == before
    assert "out holds the answer to another question" in refused.stderr
    assert "there maximize=throughput_total, here maximize=throughput_down" in refused.stderr
    assert optimize("throughput_total", "--seeds", "3").returncode == 0 and answer.read_bytes() != before
    forced = optimize("throughput_down", "--seeds", "2", "--force")
    assert forced.returncode == 0 and "--force: " in forced.stderr
    assert json.loads(answer.read_text())["metric"] == "throughput_down"


def test_unwritable_out(airfair, tmp_path):
    (tmp_path / "file").write_text("in the way")
    finished = airfair("optimize", *WINDOW, *SHORT, "--out", "file/results")
    assert finished.returncode == 2 and "file/results" in finished.stderr


def results(directory):
    return points(directory / "out")


@pytest.mark.parametrize(("how", "status"), [("interrupted", 130), ("named", -signal.SIGKILL)])
def test_a_search_that_was_stopped_continues(tmp_path, how, status):
    search = [*TWO, "--evaluations", "40", "--maximize", "throughput_total"]
    stopped = dying(how, "*.segment", 6, "optimize", *search, "--out", "out", cwd=tmp_path)
    assert stopped.returncode == status
    assert "Traceback" not in stopped.stderr and not (tmp_path / "out" / "optimize.json").exists()
    kept = results(tmp_path)
    assert 6 <= len(kept) < 80
    again = call("optimize", *search, "--out", "out", "--json", cwd=tmp_path)
    fresh = call("optimize", *search, "--out", "fresh", "--json", cwd=tmp_path)
    assert again.returncode == 0 and again.stdout == fresh.stdout
    everything = results(tmp_path)
    assert len(everything) == 80 and all(everything[path] == when for path, when in kept.items())


@needs_proc
def test_a_second_ctrl_c_stops_at_once(tmp_path):
    process = start("optimize", *WINDOW, *ENDLESS, "--out", "out", cwd=tmp_path)
    stop_twice(process)
    assert process.returncode == 130 and results(tmp_path) == {}


def test_from_python(optimized):
    _, document = optimized
    found = af.optimize(
        "jung/mixed",
        over={"max_window": [4, 8, 12]},
        maximize="instantaneous_fairness_acked",
        subject_to="throughput_total >= 4 Mb/s",
        seeds=3,
        duration="20 s",
    )
    assert found.document == document
    assert found.best == {"max_window": 8} and found.as_good_as_best == {"max_window": [8, 8]}
    assert float(found.metric) == document["value"] and found.metric.ci95 == tuple(document["ci95"])
    assert "max_window = 8" in repr(found)
    table = found.evaluations.to_polars()
    assert table["max_window"].to_list() == found.evaluations.to_pydict()["max_window"] == [4, 8, 12]
    assert found.figure.png.startswith(b"\x89PNG")


def test_python_refuses_what_the_command_refuses():
    with pytest.raises(af.InputError, match="either set or chosen"):
        af.optimize("jung/mixed", over={"queue": "1..2"}, maximize="throughput_total", queue=3)
    with pytest.raises(af.InputError, match="at least 2"):
        af.optimize("jung/mixed", over={"queue": range(1, 3)}, maximize="throughput_total", seeds=1)
    with pytest.raises(af.InputError, match=r"over = 'queue=1\.\.2': a dictionary such as"):
        af.optimize("jung/mixed", over="queue=1..2", maximize="throughput_total")


def test_help(airfair):
    finished = airfair("optimize", "--help")
    assert finished.returncode == 0 and "airfair optimize" in finished.stdout.split("Examples")[1]
    for option in ("--over", "--maximize", "--minimize", "--subject-to", "--seeds", "--evaluations", "--json", "--out"):
        assert option in finished.stdout


def test_a_grid_needs_no_optimiser():
    """Optuna is imported by a search that uses it."""
    program = (
        "import sys, airfair as af; af.optimize('jung/mixed', over={'queue': [10, 20]}, maximize='throughput_total', "
        "seeds=2, duration='1 s'); print({'optuna', 'numpy', 'altair'} & set(sys.modules))"
    )
    finished = execute([sys.executable, "-c", program], check=True)
    assert finished.stdout.strip() == "set()"


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("airfair opti", "optimize"),
        ("airfair optimize jung/mi", "jung/mixed"),
        ("airfair optimize jung/mixed --over max_w", "max_window="),
        ("airfair optimize jung/mixed --maximize instantaneous_fairness_s", "instantaneous_fairness_sent"),
        ("airfair optimize jung/mixed --subject-to throughput_to", "throughput_total"),
    ],
)
def test_completion(line, offered):
    assert offered in completions(line)
