"""`airfair timeline` and `airfair.timeline`, as a user calls them."""

import html
import json
import re
import signal
from itertools import pairwise

import polars
import pytest
from conftest import ENDLESS, call, computing, needs_proc, rest_of, start, until

import airfair as af
from airfair import theme

WHOLE = ["--from", "20 s", "--to", "40 s"]
SHORT = ["--set", "duration=20 s"]


def timeline(tmp_path, *arguments):
    """Run the command. Returns the document, which must be all of stdout, and its directory."""
    finished = call("timeline", *arguments, "--json", cwd=tmp_path)
    assert finished.returncode == 0, finished.stderr
    return json.loads(finished.stdout)


def lasting(steps):
    """The points of a series at which its value changes."""
    return list(zip(steps["time"], steps["value"], strict=True))


def test_sessions_give_the_runs_index(tmp_path):
    document = timeline(tmp_path, "jung/mixed", *SHORT, *WHOLE)
    [run] = document["runs"]
    finished = [bar for bar in run["sessions"] if bar["sent"] is not None]
    assert len(finished) == 4
    for which in ("sent", "acked"):
        ratios = [bar["ideal"] / bar[which] for bar in finished]
        index = run["metrics"][f"instantaneous_fairness_{which}"]["value"]
        assert sum(ratios) / len(ratios) == pytest.approx(index)
        assert ratios == pytest.approx([bar[f"fairness_{which}"] for bar in finished])
    assert {bar["user"] for bar in finished} == {"sta2", "sta3"}
    metrics = json.loads(call("run", "jung/mixed", *SHORT, "--json").stdout)["metrics"]
    assert {name: m["value"] for name, m in metrics.items()} == {n: m["value"] for n, m in run["metrics"].items()}


def test_the_air_adds_up(tmp_path):
    document = timeline(tmp_path, "jung/mixed", *SHORT, *WHOLE)
    [medium] = document["runs"][0]["air"]
    lanes = [*medium["lanes"], medium["collisions"]]
    assert sum(lane["share"] for lane in lanes) + medium["idle"] == pytest.approx(1)
    for moment in zip(*(lane["bins"] for lane in lanes), strict=True):
        assert sum(moment) <= 1 + 1e-9
    for lane in lanes:
        assert sum(lane["bins"]) * medium["bin"] / 20 == pytest.approx(lane["share"])
    # The stations' airtime equals that of `run`, but `run` counts a collision for each of its senders.
    stations = json.loads(call("run", "jung/mixed", *SHORT, "--json").stdout)["stations"]
    busy = sum(lane["share"] for lane in lanes)
    assert busy == pytest.approx(sum(station["airtime"] for station in stations), rel=2e-3)
    assert busy < sum(station["airtime"] for station in stations)


def test_turns_are_given_where_they_can_be_seen(tmp_path):
    [medium] = timeline(tmp_path, "jung/mixed", "--from", "21 s", "--to", "22 s")["runs"][0]["air"]
    assert medium["every_turn"]
    turns = sorted(turn for lane in [*medium["lanes"], medium["collisions"]] for turn in lane["turns"])
    assert all(21 <= start < end <= 22 for start, end in turns)
    assert all(before[1] <= after[0] for before, after in pairwise(turns))
    assert sum(end - start for start, end in turns) == pytest.approx(1 - medium["idle"])
    [medium] = timeline(tmp_path, "jung/mixed", *WHOLE)["runs"][0]["air"]
    assert not medium["every_turn"] and not any(lane["turns"] for lane in medium["lanes"])


def test_series_are_those_of_the_trace(tmp_path):
    document = timeline(tmp_path, "jung/mixed", "--from", "21 s", "--to", "22 s")
    run = document["runs"][0]
    series = af.run("jung/mixed", traces=["queue", "cwnd", "backlog", "drops"]).series.to_polars()

    def traced(quantity, subject):
        of = series.filter((polars.col("quantity") == quantity) & (polars.col("subject") == subject))
        before = of.filter(polars.col("time_s") <= 21)["value"][-1]
        rows = of.filter((polars.col("time_s") > 21) & (polars.col("time_s") < 22))
        return [(21.0, before), *rows.select("time_s", "value").iter_rows()]

    [queue] = run["queues"]
    assert queue["subject"] == "ap" and queue["access_point"] and queue["limit_packets"] == 50
    assert lasting(queue["held"]) == traced("queue", "ap")
    assert [window["flow"] for window in run["windows"]] == ["flow0", "flow1", "flow2", "flow3"]
    for window in run["windows"]:
        assert lasting(window) == traced("cwnd", window["flow"])
    # The packets held for each station add up to all packets held.
    for i, moment in enumerate(queue["sampled"][:-1]):
        held = [value for at, value in lasting(queue["held"]) if at <= moment][-1]
        assert sum(backlog["frames"][i] for backlog in queue["backlog"]) == held


def test_drops_are_those_of_the_run(tmp_path):
    document = timeline(tmp_path, "blefari/hotspot", "--set", "duration=10 s", "--from", "20 s", "--to", "30 s")
    [queue] = document["runs"][0]["queues"]
    stations = json.loads(call("run", "blefari/hotspot", "--set", "duration=10 s", "--json").stdout)["stations"]
    assert 100 < sum(queue["drops"]["value"]) == pytest.approx(stations[0]["dropped_full"], abs=1)


def test_default_window_is_around_the_first_session(tmp_path):
    document = timeline(tmp_path, "jung/mixed", "--compare", "tcp=reno,vegas")
    start, end = document["window"]["from"], document["window"]["to"]
    for run, tcp in zip(document["runs"], ("reno", "vegas"), strict=True):
        assert run["set"] == {"tcp": tcp} and run["parameters"]["tcp"]["value"] == tcp
        [bar] = run["sessions"]
        assert start < bar["start"] and bar["start"] + bar["acked"] < end
        assert (run["from"], run["to"]) == (start, end)
    reno, vegas = (run["sessions"][0] for run in document["runs"])
    assert reno["start"] == vegas["start"] and reno["fairness_sent"] < vegas["fairness_sent"]
    assert timeline(tmp_path, "lee/path")["window"] == {"from": 0, "to": 30, "unit": "s"}
    half = timeline(tmp_path, "jung/mixed", *SHORT, "--from", "30 s")["window"]
    assert half == {"from": 30, "to": 40, "unit": "s"}


def test_without_a_wlan_the_fullest_links_queue_is_shown(tmp_path):
    [run] = timeline(tmp_path, "mamatas/dumbbell", "--set", "flows=100", "--set", "duration=5 s")["runs"]
    assert run["air"] == [] and run["sessions"] == [] and run["windows"] == []
    [queue] = run["queues"]
    assert queue["subject"] == "R1-R2" and not queue["access_point"] and queue["backlog"] == []
    [crowd] = run["crowds"]
    assert crowd["flows"] == 100
    for low, median, high in zip(crowd["low"], crowd["median"], crowd["high"], strict=True):
        assert low <= median <= high


def test_sessions_that_do_not_end_are_told(tmp_path):
    late = ["--set", "session_bytes=10 MB", "--set", "duration=10 s", "--from", "28 s", "--to", "30 s"]
    drawn = af.timeline("jung/mixed", session_bytes="10 MB", duration="10 s", start="28 s", end="30 s")
    bars = timeline(tmp_path, "jung/mixed", *late)["runs"][0]["sessions"]
    assert bars and all(bar["acked"] is None for bar in bars)
    assert "is not sent by the end of the run" in drawn.svg


ANOMALY = ["wifi/anomaly", "--set", "duration=2 s"]


def test_aggregates_and_their_answers_are_told(tmp_path):
    document = timeline(tmp_path, *ANOMALY, "--compare", "policy=fifo,mac80211")
    for run in document["runs"]:
        part = run["excerpt"]
        assert run["from"] < part["from"] < part["to"] < run["to"]
        # The same time in all columns, though each column has its own exchanges.
        assert (part["from"], part["to"]) == tuple(document["runs"][0]["excerpt"][end] for end in ("from", "to"))
        [medium], [whole] = part["air"], run["air"]
        assert medium["every_turn"]
        by_user = {lane["user"]: lane for lane in whole["lanes"]}
        slow = by_user["slow0"]["down"]
        # One drop-tail queue may starve one of the two.
        fast = max((by_user[user]["down"] for user in ("fast0", "fast1")), key=lambda turns: turns["mpdus"])
        assert slow["mpdus"] == pytest.approx(3, abs=0.1) and fast["mpdus"] > 15
        assert [rate for rate, _ in slow["rates"]] == [7_222_222] and [rate for rate, _ in fast["rates"]] == [
            144_444_444
        ]
        assert slow["categories"] == [["be", pytest.approx(slow["share"])]]
        for lane in whole["lanes"]:
            assert lane["down"]["share"] + lane["up"]["share"] == pytest.approx(lane["share"])
        for lane in medium["lanes"]:
            told = lane["exchanges"]
            assert {len(values) for values in told.values()} == {len(lane["turns"])}
            assert told["arrived"] == told["mpdus"]
            for (begin, end), answered in zip(lane["turns"], told["answered"], strict=True):
                assert begin < answered or begin == part["from"]
                assert answered < end or end == part["to"]
    fifo, mac80211 = document["runs"]
    shares = [
        next(lane["share"] for lane in run["air"][0]["lanes"] if lane["user"] == "slow0") for run in (fifo, mac80211)
    ]
    assert shares[0] > shares[1]


def test_the_picture_magnifies_aggregates(tmp_path):
    drawn = af.timeline("wifi/anomaly", duration="2 s", compare={"policy": ["fifo", "mac80211"]})
    words = re.sub(r"<[^>]+>", "|", drawn.svg)
    assert words.count("On the air, magnified") == 1 and "144 Mb/s" in words and "|3|" in words
    assert re.search(r"to slow0: 3 MPDUs, [0-9.]+ kB at 7.22 Mb/s, best effort, block ack", drawn.svg)
    headline = r"Whole run: [0-9.]+ Mb/s\. Time shown: slow0 has \d+ % of the air \(7\.22 Mb/s, 3 MPDUs at a time\)\."
    assert re.search(headline, words) and re.search(r"<td>best effort \d", drawn.html)
    # Where the whole picture has few exchanges, nothing is magnified.
    short = af.timeline("wifi/anomaly", duration="2 s", start="6 s", end="6.05 s")
    assert "magnified" not in short.svg and "block ack" in short.svg
    assert short.document["runs"][0]["excerpt"] is None


def test_the_two_lines_of_a_lane_stay_together():
    drawn = af.timeline("wifi/anomaly", duration="2 s")
    facts = re.findall(r'y="([0-9.]+)"[^>]*>(?:[0-9.]+ %, [0-9.]+ MPDUs?|[0-9.]+ Mb/s)<', drawn.svg)
    lines = [float(y) for y in facts]
    assert len(lines) == 6
    lanes = list(zip(lines[1::2], lines[::2], strict=True))
    assert all(11 <= second - first < 13 for first, second in lanes)
    assert all(after[0] - before[1] > 18 for before, after in pairwise(lanes))


def test_other_access_categories_are_named():
    drawn = af.timeline("wifi/anomaly", start="6 s", end="6.05 s", **{"duration": "2 s", "wlan.access_category": "vo"})
    assert re.search(r">vo [0-9]+<", drawn.svg) and ", voice, block ack" in drawn.svg


def test_dcf_has_no_categories():
    drawn = af.timeline("jung/mixed", duration="20 s")
    [run] = drawn.document["runs"]
    assert run["excerpt"] is None and "magnified" not in drawn.svg
    assert all(not way["categories"] for lane in run["air"][0]["lanes"] for way in (lane["down"], lane["up"]) if way)


@pytest.mark.parametrize(
    ("kind", "start"), [("png", b"\x89PNG"), ("svg", b"<svg xmlns="), ("html", b"<!doctype html>")]
)
def test_files(tmp_path, kind, start):
    finished = call("timeline", "jung/mixed", *SHORT, "--format", kind, cwd=tmp_path)
    assert finished.returncode == 0 and finished.stderr == ""
    path = f"airfair-results/timeline/jung-mixed/timeline.{kind}"
    assert finished.stdout.strip() == f"timeline: {path}"
    assert (tmp_path / path).read_bytes().startswith(start)
    document = json.loads((tmp_path / path).with_name("timeline.json").read_text())
    assert document["scenario"] == "jung/mixed" and document["seed"] == 1
    assert not re.search(r"/tmp|/home|\bhost\b|wall", json.dumps(document))


def test_the_picture_has_titles_and_labels():
    drawn = af.timeline("jung/mixed", seed=3, stations=4, compare={"tcp": ["reno", "vegas"]})
    words = re.sub(r"<[^>]+>", "|", drawn.svg)
    for expected in ("jung/mixed, stations = 4, seed 3", "tcp = reno", "tcp = vegas", "Queue at the access point"):
        assert expected in words
    for run in drawn.document["runs"]:
        index = run["metrics"]["instantaneous_fairness_sent"]["value"]
        assert f"IF of the whole run: {index:.2f}" in words
        for bar in run["sessions"]:
            assert f"IF {bar['fairness_sent']:.2f}" in words and f"sent {1000 * bar['sent']:.3g} ms" in words
    assert "nan" not in drawn.svg and "inf" not in re.sub(r"<desc>.*?</desc>", "", drawn.svg)


def test_the_page_needs_no_network():
    drawn = af.timeline("jung/mixed", duration="20 s")
    links = set(re.findall(r"https?://[^\s\"'<>]+", drawn.html))
    assert links <= {"http://www.w3.org/2000/svg"}
    assert drawn.command in html.unescape(drawn.html) and "<script src" not in drawn.html


def test_the_same_on_each_call(tmp_path):
    first, second = (af.timeline("jung/mixed", duration="20 s").svg for _ in range(2))
    assert first == second
    af.timeline("jung/mixed", duration="20 s").save(tmp_path / "mine.svg")
    assert (tmp_path / "mine.svg").read_text() == first


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["jung/mixd"], ["jung/mixd", "jung/mixed"]),
        (["jung/mixed", "--set", "statoins=4"], ["statoins", "stations"]),
        (["jung/mixed", "--from", "21"], ["start", "21", "time"]),
        (["jung/mixed", "--from", "5 s"], ["5 s", "warm-up at 20 s", "end at 170 s"]),
        (["jung/mixed", "--to", "171 s"], ["171 s", "170 s"]),
        (["jung/mixed", "--from", "30 s", "--to", "25 s"], ["25 s", "30 s"]),
        (["jung/mixed", "--compare", "tcp"], ["NAME=V1,V2"]),
        (["jung/mixed", "--compare", "tcp=reno"], ["tcp", "4"]),
        (["jung/mixed", "--compare", "tcp=reno,reno"], ["itself"]),
        (["jung/mixed", "--compare", "tcp=reno,vegas", "--compare", "queue=20,50"], ["several: tcp, queue"]),
        (["jung/mixed", "--compare", "tcp=reno,vegass"], ["vegass", "vegas"]),
        (["jung/mixed", "--compare", "tcp=reno,vegas", "--set", "tcp=sack"], ["tcp", "compared"]),
        (["jung/mixed", "--compare", "warmup=20s,400s"], ["nothing in common"]),
        (["jung/mixed", "--format", "eps"], ["eps", "png"]),
    ],
)
def test_bad_input(tmp_path, arguments, told):
    finished = call("timeline", *arguments, cwd=tmp_path)
    assert finished.returncode == 2 and finished.stdout == ""
    assert "Traceback" not in finished.stderr
    for words in told:
        assert words in finished.stderr
    assert list(tmp_path.iterdir()) == []


def test_bad_input_in_python(tmp_path):
    for wrong in (
        lambda: af.timeline("jung/mixed", start="5 s"),
        lambda: af.timeline("jung/mixed", compare={"tcp": ["reno", "vegas"], "stations": [4, 6]}),
        lambda: af.timeline("jung/mixed", compare={"tcp": ["reno", "vegas"]}, tcp="sack"),
        lambda: af.timeline("jung/mixed", compare="tcp"),
        lambda: af.timeline("jung/mixed", compare={"stations": 4}),
        lambda: af.timeline("jung/mixed", duration="20 s").save(tmp_path / "picture.gif"),
    ):
        with pytest.raises(af.InputError):
            wrong()
    assert list(tmp_path.iterdir()) == []


@needs_proc
def test_ctrl_c_ends_it(tmp_path):
    process = start("timeline", "jung/mixed", *ENDLESS, cwd=tmp_path)
    assert until(lambda: computing(process), process)
    process.send_signal(signal.SIGINT)
    _, errors = rest_of(process)
    assert process.returncode == 130 and "interrupted" in errors and "Traceback" not in errors


def test_the_air_can_be_traced(tmp_path):
    finished = call("run", "jung/mixed", *SHORT, "--trace", "air", "--out", "results", cwd=tmp_path)
    assert finished.returncode == 0, finished.stderr
    turns = polars.read_parquet(tmp_path / "results" / "air.parquet")
    stations = json.loads((tmp_path / "results" / "run.json").read_text())["stations"]
    for station in stations:
        own = turns.filter(polars.col("from") == station["name"])
        assert abs(own.height - station["attempts"]) <= 1
        assert abs(own["collided"].sum() - station["collisions"]) <= 1
        assert abs(own["acknowledged"].sum() - station["delivered"]) <= 1
    assert af.run("jung/mixed", duration="20 s", traces=["air"]).air.to_polars().equals(turns)


def area(path):
    """The area of the shapes of a path of horizontal and vertical lines."""
    total, x, y = 0.0, 0.0, 0.0
    for shape in re.findall(r"M[^Z]*Z", path):
        x, y = map(float, re.match(r"M([\d.]+) ([\d.]+)", shape).groups())
        first, around = x, 0.0
        for which, value in re.findall(r"([HV])([\d.]+)", shape):
            around += y * (float(value) - x) if which == "H" else 0.0
            x, y = (float(value), y) if which == "H" else (x, float(value))
        total += abs(around + y * (first - x))
    return total


@pytest.fixture(scope="module")
def home():
    # With this seed some sessions do not end.
    return af.timeline("wifi/home", duration="15 s", start="6 s", end="12 s", seed=3)


def test_lanes_show_the_share_of_the_time(home):
    [run] = home.document["runs"]
    [medium] = run["air"]
    assert medium["every_turn"] and "the height of a lane shows the share of the time" in home.svg
    shares = {lane["user"]: lane["share"] for lane in medium["lanes"]} | {"collisions": medium["collisions"]["share"]}
    lanes = re.findall(r'<path d="([^"]*)"[^>]*><title>(\w+): [^<]* of the time shown<', home.svg)
    wide, high = 900, 13
    # The last lanes are those of the excerpt.
    seen = {name: area(path) / (wide * high) for path, name in reversed(lanes) if name in shares}
    assert len(seen) > 8 and shares["collisions"] > 0.1
    for name, drawn in seen.items():
        # A trace of a pixel shows those that have next to nothing.
        assert shares[name] * 0.99 <= drawn <= shares[name] + 1 / high, name


@pytest.mark.parametrize(("stations", "last"), [(9, "sta8"), (10, "sta9"), (11, "2 others")])
def test_no_lane_is_shared_by_one_station(stations, last):
    drawn = af.timeline("bench/wlan", stations=stations, duration="1 s").svg
    labels = re.findall(r">(sta\d+|\d+ others)</text>", drawn)
    assert last in labels and ("others" in last) == ("others" in "".join(labels))


def test_few_exchanges_are_wide_enough_to_see():
    drawn = af.timeline("jung/mixed", duration="20 s", start="21.8 s", end="22.2 s")
    assert "the share of the time that they take" not in drawn.svg
    [path] = re.findall(r'<path d="([^"]*)"[^>]*><title>sta3: ', drawn.svg)
    widths = [float(end) - float(start) for start, end in re.findall(r"M([\d.]+) [\d.]+H([\d.]+)", path)]
    assert widths and min(widths) > 1.19


def test_sessions_that_do_not_end_have_rows_before_others(home):
    [run] = home.document["runs"]
    unfinished = sum(bar["sent"] is None for bar in run["sessions"])
    drawn = len(re.findall("its last byte is not sent by the end of the run", home.svg))
    told = re.search(
        r"For lack of room, (\d+) of (\d+) sessions are not drawn(?:, (\d+) of these unfinished)?\.", home.svg
    )
    left, of, hidden = (int(number or 0) for number in told.groups())
    rows = {float(y) for y in re.findall(r'<rect [^>]*y="([\d.]+)"[^>]*><title>[^<]* asks for', home.svg)}
    assert of == len(run["sessions"]) and 0 < left < of and len(rows) == 40
    assert unfinished > 0 and drawn == unfinished - hidden


def test_the_line_of_a_crowded_queue_fills_no_area():
    drawn = af.timeline("wifi/anomaly", duration="10 s", compare={"policy": ["fifo", "mac80211"]})
    assert all(len(run["queues"][0]["held"]["time"]) > 1000 for run in drawn.document["runs"])
    lines = re.findall(r'<path d="([^"]*)" stroke="[^"]*" fill="none"', drawn.svg)
    assert lines and max(path.count("V") for path in lines) < 1000


def test_windows_of_sleepers_are_left_out_and_those_that_can_be_seen_are_named(home):
    two = af.timeline("jung/mixed", duration="20 s")
    assert "<title>flow3</title>" in two.svg and "<title>flow2</title>" not in two.svg
    words = re.findall(r">([^<>]+)</text>", home.svg)
    more = [word for word in words if re.fullmatch(r"and \d+ more", word)]
    awake = [window for window in home.document["runs"][0]["windows"] if len(window["value"]) > 1]
    tallest = max(awake, key=lambda window: max(window["value"]) * ("page" in window["flow"]))
    assert len(more) == 1 and any(
        f"({tallest['flow']})" in word for word in words[words.index(more[0]) - 9 : words.index(more[0])]
    )


def test_devices_of_one_kind_have_one_colour(home):
    colours = {}
    for colour, flow in re.findall(r'<rect [^>]*fill="(#\w+)"><title>([a-z]+)\d+ asks for', home.svg):
        colours.setdefault(flow, set()).add(colour)
    assert set(colours) >= {"sensor", "page", "stream"} and all(len(found) == 1 for found in colours.values())
    assert len({colour for found in colours.values() for colour in found}) == len(colours)
    assert "tv0 (stream0)" in home.svg


def test_flows_in_both_directions_have_colours_of_their_own():
    drawn = af.timeline("flent/rrul", duration="10 s")
    lines = dict(re.findall(r'stroke="(#\w+)"[^>]*><title>((?:up|down)load-\w+)<', drawn.svg))
    assert len(lines) == 8 and "Grey are" not in drawn.svg


def test_runs_side_by_side_fit_a_window_of_1280_pixels():
    compared = {"policy": ["none", "rate_limiter", "red"]}
    for count in (2, 3):
        policies = {"policy": compared["policy"][:count]}
        drawn = af.timeline("blefari/hotspot", duration="2 s", compare=policies)
        assert float(re.search(r'viewBox="0 0 ([\d.]+)', drawn.svg)[1]) <= 1232


def test_the_page_has_a_heading_and_no_empty_tables(home):
    tables = re.findall(r"<th[^>]*>([^<]+)</th>", home.html)
    assert "Acknowledged after" in tables and not {"At the fair share", "IF"} & set(tables)
    assert home.html.count("<h1") == 1 and f'aria-label="Timeline: {html.escape(home.title)}"' in home.html
    assert "At the fair share" in af.timeline("jung/mixed", duration="20 s").html
    assert "<details" not in af.timeline("lee/path", duration="5 s").html


def test_the_description_says_which_run_a_finding_is_of():
    drawn = af.timeline("wifi/anomaly", duration="2 s", compare={"policy": ["fifo", "mac80211"]})
    [told] = re.findall(r"<desc>(.*?)</desc>", drawn.svg)
    assert re.search(r"of the run\. policy = fifo: Whole run: .* policy = mac80211: Whole run: ", told)


def test_bands_that_are_cut_off_and_idle_time_can_be_seen():
    drawn = af.timeline("blefari/hotspot", duration="20 s")
    assert "10 uploads ↑" in drawn.svg
    idle = re.findall(rf'<rect [^>]*fill="{theme.EMPTY}"[^>]*>', drawn.svg)
    assert len(idle) == 2 and all(f'stroke="{theme.QUIET}"' in one for one in idle)
