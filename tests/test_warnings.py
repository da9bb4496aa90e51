"""A legal but hopeless scenario causes a warning on stderr, each text once, and changes nothing else."""

import json
import warnings

import pytest

import airfair
from airfair import console
from airfair.catalogue import warned

BASE = """\
run.duration = "1 s"
node = [{ name = "a" }, { name = "b" }]
flow = [{ name = "f", from = "a", to = "b" }]
tcp = { segment_bytes = "1000 B", header_bytes = "40 B" }
[[link]]
from = "a"
to = "b"
rate = "1 Mb/s"
delay = "1 ms"
"""

HOPELESS = {
    "loss of 1": ('errors = { model = "bernoulli", probability = 1, direction = "forward" }', "1 of a packet"),
    "bits": ('errors = { model = "per-bit", probability = 0.001, direction = "forward" }', "0.001 of a bit"),
    "long outage": ('outage = { duration = "2 s", direction = "forward" }', "not over when the run ends"),
    "late outage": ('outage = { duration = "1 s", start = "1 s", direction = "forward" }', "no effect"),
    "short queue": ('queue = "1 kB"', "no room for a packet of 1040 B"),
}


@pytest.fixture(params=HOPELESS)
def hopeless(request, tmp_path):
    """The text of a hopeless scenario, and the words of its warning. The file is `hopeless.toml`."""
    link, words = HOPELESS[request.param]
    (tmp_path / "hopeless.toml").write_text(BASE + link)
    return BASE + link, words


@pytest.mark.parametrize("command", ["check", "run"])
def test_a_hopeless_scenario_is_warned_of_on_stderr(airfair, hopeless, command):
    finished = airfair(command, "hopeless.toml", "--json")
    assert finished.returncode == 0
    json.loads(finished.stdout)
    assert finished.stderr.startswith("warning: link `a-b`: ")
    assert hopeless[1] in finished.stderr
    assert finished.stderr.count("\n") == 1


def test_documents_and_reports_have_the_warnings(airfair, hopeless, tmp_path):
    _, words = hopeless
    ran = airfair("run", "hopeless.toml", "--json", "--out", "ran")
    [warning] = json.loads(ran.stdout)["warnings"]
    assert ran.stderr == f"warning: {warning}\n" and words in warning
    assert json.loads((tmp_path / "ran" / "run.json").read_text())["warnings"] == [warning]
    swept = airfair("sweep", "hopeless.toml", "--over", "tcp.window=20,30", "--out", "swept", "--json")
    assert json.loads(swept.stdout)["warnings"] == [warning]
    assert airfair("report", "swept").returncode == 0
    page = (tmp_path / "swept" / "report.html").read_text()
    assert page.count("<p>Warning: link <code>a-b</code>: ") == 1 and words in page


def test_searches_and_timelines_have_the_warnings(hopeless, tmp_path):
    _, words = hopeless
    file = tmp_path / "hopeless.toml"
    with pytest.warns(airfair.ScenarioWarning) as caught:
        found = airfair.optimize(file, over={"tcp.window": [20, 30]}, maximize="throughput_total", seeds=2)
        drawn = airfair.timeline(file)
    texts = [str(one.message) for one in caught]
    assert [found.document["warnings"], drawn.document["warnings"]] == [[text] for text in texts]
    assert "<p>Warning: link <code>a-b</code>: " in found.html and words in found.html


def test_a_study_has_the_warnings(airfair, tmp_path):
    short = ("--set", "duration=5 s", "--set", "warmup=1 s")
    made = airfair("reproduce", "jung", "--quick", "--figure", "vegas_window", "--seeds", "1", *short, "--out", "jung")
    assert made.returncode == 0, made.stderr
    told = json.loads((tmp_path / "jung" / "reproduce.json").read_text())["warnings"]
    assert told and all("never send" in text for text in told)
    assert "".join(f"warning: {text}\n" for text in told) in made.stderr
    page = (tmp_path / "jung" / "report.html").read_text()
    assert all(f"<p>Warning: {text}.</p>" in page for text in told)


def test_estimates_of_time_warn_as_well(airfair):
    for command in ("run", "sweep"):
        told = airfair(command, "jung/mixed", "--set", "duration=5 s", "--set", "warmup=1 s", "--dry-run").stderr
        assert told.startswith("warning: 4 of 4 flows never send")


def test_what_has_no_warnings_says_none(airfair, tmp_path):
    (tmp_path / "fine.toml").write_text(BASE)
    assert json.loads(airfair("run", "fine.toml", "--json").stdout)["warnings"] == []
    assert airfair("sweep", "fine.toml", "--out", "swept").returncode == airfair("report", "swept").returncode == 0
    assert "Warning" not in (tmp_path / "swept" / "report.html").read_text()


def test_python_has_the_warnings(hopeless):
    text, words = hopeless
    [warning] = airfair.Scenario.parse(text, "hopeless.toml").warnings
    assert words in warning
    assert airfair.Scenario.parse(BASE, "fine.toml").warnings == []


def test_a_warning_is_told_once_for_all_scenarios(hopeless, capfd):
    text, words = hopeless
    console.warn(warned.texts(airfair.Scenario.parse(text, "hopeless.toml") for _ in range(3)))
    assert capfd.readouterr().err.count(words) == 1


#: Each function that runs a scenario, called on a file.
CALLS = {
    "run": lambda file: airfair.run(file),
    "run with seeds": lambda file: airfair.run(file, seeds=3, jobs=2),
    "run of a Scenario": lambda file: airfair.run(airfair.Scenario.load(file)),
    "World": lambda file: airfair.World(file),
    "sweep": lambda file: airfair.sweep(file, {"tcp.window": "20,30"}, seeds=2, jobs=2),
    "optimize": lambda file: airfair.optimize(
        file, over={"tcp.window": "20..60"}, maximize="throughput_total", seeds=2, evaluations=10, jobs=2
    ),
    "diff": lambda file: airfair.diff(file, set_b={"tcp.window": 20}, seeds=2),
    "timeline": lambda file: airfair.timeline(file, compare={"tcp.window": "20,30"}),
    "fair_share": lambda file: airfair.fair_share(file, seeds=1),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_each_function_of_python_warns_once_at_the_line_of_its_caller(call, tmp_path):
    link, words = HOPELESS["long outage"]
    (tmp_path / "hopeless.toml").write_text(BASE + link)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(str(tmp_path / "hopeless.toml"))
    [warning] = caught
    assert warning.category is airfair.ScenarioWarning and words in str(warning.message)
    assert warning.filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", airfair.ScenarioWarning)
        call(str(tmp_path / "hopeless.toml"))


def test_a_warning_that_is_an_error_stops_a_call_before_anything_is_written(tmp_path):
    with warnings.catch_warnings(), pytest.raises(airfair.ScenarioWarning, match="never send"):
        warnings.simplefilter("error", airfair.ScenarioWarning)
        airfair.sweep("jung/mixed", duration="5 s", warmup="1 s", out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_search_warns_of_a_setting_that_no_candidate_uses(tmp_path):
    text = BASE.replace('to = "b" }]', 'to = "b" }, { name = "g", from = "a", to = "b", count = 0 }]')
    (tmp_path / "own.toml").write_text(text)

    def told(counts):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            settings = {"flow.g.tcp.recovery": "reno"}
            over = {"flow.g.count": counts, "tcp.window": [20, 30]}
            airfair.optimize(tmp_path / "own.toml", over=over, maximize="throughput_total", seeds=2, **settings)
        return [str(one.message) for one in caught]

    assert told([0, 1]) == []
    assert "`flow.g.tcp.recovery` changes nothing: its group of flows has no member" in told([0])


def test_a_comparison_names_the_side_that_alone_is_warned_of(airfair):
    end = "4 of 4 flows never send: they start at 10 s at the earliest, and the run ends at 6 s\n"
    short = ("--set-b", "duration=5 s")
    assert airfair("diff", "jung/mixed", "--set", "warmup=1 s", *short).stderr == f"warning: B: {end}"
    both = airfair("diff", "jung/mixed", "--set", "warmup=1 s", "--set-a", "duration=5 s", *short)
    assert both.stderr == f"warning: {end}"


def test_flows_that_start_after_the_end_are_warned_of(airfair):
    finished = airfair("run", "jung/mixed", "--set", "duration=5 s", "--set", "warmup=1 s")
    assert finished.returncode == 0
    end = "never send: they start at 10 s at the earliest, and the run ends at 6 s\n"
    assert finished.stderr == f"warning: 4 of 4 flows {end}"


@pytest.mark.parametrize(
    "traffic", ['stop = "{} ms"', 'traffic = "trace", start = "{} ms", trace = "0, 9000; 1, 9000"']
)
def test_flows_that_have_nothing_to_send_after_the_warmup_are_warned_of(traffic):
    def told(last):
        text = BASE.replace('"1 s"', '"2 s"\nrun.warmup = "4 s"')
        at = last - 1000 * ("trace" in traffic)
        text = text.replace('to = "b" }]', f'to = "b", {traffic.format(at)} }}]')
        return airfair.Scenario.parse(text, "own.toml").warnings

    assert told(4000) == [
        "1 of 1 flows has its last data to send at 4 s, and nothing counts before the warm-up ends at 4 s"
    ]
    assert told(4001) == []


def test_settings_that_reach_no_flow_are_warned_of(airfair, tmp_path):
    own = 'tcp = { variant = "cubic", window = 30 }'
    text = BASE.replace('to = "b" }]', f'to = "b", {own} }}, {{ name = "g", from = "a", to = "b", count = 0 }}]')
    (tmp_path / "own.toml").write_text(text)

    def told(*settings):
        finished = airfair("check", "own.toml", *(part for setting in settings for part in ("--set", setting)))
        assert finished.returncode == 0
        return finished.stderr

    parameter = (
        "no flow has the control of `[tcp]`; one with a `variant` of its own has its parameters in its own table"
    )
    for setting, why in [
        ("tcp.control.beta=0.5", f"{parameter}, as in `flow.NAME.tcp.control`"),
        ("tcp.window=20", "no flow takes it from `[tcp]`"),
        ("flow.g.tcp.window=20", "its group of flows has no member"),
    ]:
        assert told(setting) == f"warning: `{setting.partition('=')[0]}` changes nothing: {why}\n"
    assert told("flow.f.tcp.control.beta=0.5", "flow.f.tcp.window=20", "tcp.rto_min=1 s") == ""
    # The flow's own control is that of `[tcp]`, or its group has members.
    assert "beta" not in told("tcp.variant=cubic", "tcp.control.beta=0.5")
    assert told("flow.g.count=1", "flow.g.tcp.recovery=reno", "tcp.window=30") == ""
    # A group without members is what these ask for.
    assert told("flow.g.count=0") == told("flow.f.count=1", "flow.f.when=true", "flow.g.when=false") == ""


def test_a_setting_that_some_points_of_a_sweep_use_is_no_mistake(airfair, tmp_path):
    text = BASE.replace('to = "b" }]', 'to = "b" }, { name = "g", from = "a", to = "b", count = 0 }]')
    (tmp_path / "own.toml").write_text(text)

    def told(counts):
        axes = ("--over", f"flow.g.count={counts}", "--over", "tcp.window=20,30", "--set", "flow.g.tcp.recovery=reno")
        return airfair("sweep", "own.toml", *axes, "--out", f"of {counts}").stderr

    assert "changes nothing" not in told("0,1")
    assert "warning: `flow.g.tcp.recovery` changes nothing: its group of flows has no member\n" in told("0")


def test_the_packaged_scenarios_are_not_hopeless():
    for entry in airfair.scenarios():
        assert airfair.Scenario.load(entry["name"]).warnings == [], entry["name"]
