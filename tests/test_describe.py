"""`airfair describe`, and the notes that accompany the results of runs."""

import json
import os

import pytest

import airfair as af
from airfair.described.names import names

WIDE = {**os.environ, "COLUMNS": "200"}


def test_metrics_are_listed(airfair):
    shown = airfair("describe", "metrics", env=WIDE)
    names = [entry["name"] for entry in af.metrics()]
    assert shown.returncode == 0 and all(name in shown.stdout for name in names)
    assert "time at all counts as 1 ms. " in shown.stdout
    assert "(x_1 + ... + x_n)^2" in shown.stdout  # these dots end no sentence
    assert [entry["name"] for entry in json.loads(airfair("describe", "metrics", "--json").stdout)["metrics"]] == names


@pytest.mark.parametrize(
    ("name", "scenario", "setting"),
    [("fq_codel", "blefari/hotspot", "--set policy=fq_codel"), ("vegas", "jung/mixed", "--set tcp=vegas")],
)
def test_a_value_of_a_parameter_says_where_it_is_set(airfair, name, scenario, setting):
    shown = airfair("describe", name, env=WIDE)
    assert shown.returncode == 0, shown.stderr
    assert any(scenario in line and setting in line for line in shown.stdout.splitlines())


def test_words_of_a_setting_have_their_meanings(airfair):
    [setting] = json.loads(airfair("describe", "restart", "--json").stdout)["settings"]
    assert setting["words"]["rfc7661"] == "Congestion window validation (RFC 7661)."
    shown = airfair("describe", "restart", env=WIDE).stdout
    assert all(word in shown for word in setting["words"]) and "backs the timer off" in shown
    [use] = json.loads(airfair("describe", "idle-timeout-is-loss", "--json").stdout)["value_of"]
    assert use["meaning"] == setting["words"]["idle-timeout-is-loss"]


def test_a_parameter_says_which_scenarios_have_it(airfair):
    uses = json.loads(airfair("describe", "max_window", "--json").stdout)["used_by"]
    assert {use["scenario"] for use in uses} == {
        entry["name"]
        for entry in af.scenarios()
        if "max_window" in {parameter["name"] for parameter in af.describe(entry["name"])["parameters"]}
    }
    assert all(use["value"] is None and use["help"] for use in uses)


def test_a_setting_says_what_it_means_by_path_and_by_key(airfair):
    by_path, by_key = (json.loads(airfair("describe", name, "--json").stdout) for name in ("tcp.rto_min", "rto_min"))
    [setting] = by_path["settings"]
    assert by_key["settings"] == [setting] and setting["also"] == ["flow.tcp.rto_min"]
    assert "`rfc` 1 s" in setting["description"]
    shown = airfair("describe", "rto_min", env=WIDE).stdout
    assert "retransmission timeout" in shown and "flow.tcp.rto_min" in shown


@pytest.mark.parametrize(
    ("name", "table", "key"),
    [
        ("run", "run", "run.warmup"),
        ("flow.udp", "flow.udp", "flow.udp.rate"),
        ("wlan.edca", "wlan.edca", "wlan.edca.vo"),
        ("wlan.ap_discipline", "wlan.ap_discipline", "wlan.ap_discipline.kind"),
        ("node.ap.queue", "wlan.ap_discipline", "wlan.ap_discipline.target"),
        ("link.server-ap.loss", "link.loss", "link.loss.model"),
        ("outage", "link.outage", "link.outage.duration"),
        ("edca", "wlan.edca", "wlan.edca.vo"),
    ],
)
def test_a_table_says_what_it_is_and_has_its_keys(airfair, name, table, key):
    told = json.loads(airfair("describe", name, "--json").stdout)
    assert told["description"].startswith(f"`{table}` is a table. ") and len(told["description"]) > 40
    assert [setting["description"] for setting in told["settings"] if setting["path"] == key] != [""]
    assert key in {setting["path"] for setting in told["settings"]}
    assert key in airfair("describe", name, env=WIDE).stdout


def test_of_tables_alike_one_is_described():
    paths = {setting["path"].rpartition(".")[0] for setting in af.describe("loss")["settings"]}
    assert paths == {"link.loss", "wlan.loss"}, "`wlan.station.loss` has the keys of `wlan.loss`"


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("node.ap.queue.length", "wlan.ap_queue"),
        ("node.ap.queue.target", "wlan.ap_discipline.target"),
        ("node.ap.policer.rate", "wlan.policer.rate"),
        ("node.sta.snr", "wlan.station.snr"),
        ("wlan.home.rts_threshold", "wlan.rts_threshold"),
        ("wlan.home.station.sta.snr", "wlan.station.snr"),
        ("link.server-ap.rate", "link.rate"),
    ],
)
def test_a_path_that_names_a_component_is_described(name, path):
    assert path in {also for one in af.describe(name)["settings"] for also in (one["path"], *one["also"])}
    [setting] = af.describe("wlan.station.queue")["settings"]
    assert setting["path"] == "wlan.station.queue", "`station` is no name"


@pytest.mark.parametrize(
    ("kind", "word", "key"),
    [("disciplines", "codel", "interval"), ("controls", "cubic", "hystart"), ("controls", "vegas", "gamma")],
)
def test_a_discipline_or_a_control_has_its_own_settings(airfair, kind, word, key):
    told = json.loads(airfair("describe", word, "--json").stdout)
    assert kind in told["kinds"] and told["used_by"]
    assert key in {setting["path"].rpartition(".")[2] for setting in told["settings"]}
    listed = json.loads(airfair("describe", kind, "--json").stdout)["words"]
    assert {entry["name"]: entry["settings"] for entry in listed}[word] == told["settings"]
    assert word in airfair("describe", kind).stdout


def test_lists_have_all_words_of_the_schema():
    schema = af._engine.schema_json()
    controls = [entry["name"] for entry in af.describe("controls")["words"]]
    assert len(controls) > 10 and all(f"`{word}`" in schema for word in controls)
    disciplines = [entry["name"] for entry in af.describe("disciplines")["words"]]
    assert {"drop_tail", "fq_codel", "cake"} <= set(disciplines)
    for word in disciplines:
        af.run("blefari/hotspot", **{"node.ap.queue.kind": word}, duration="1 s", warmup="10 s")
    for word in controls:
        given = {"tcp.control.cwnd": 10} if word == "constant" else {}
        af.run("lee/path", tcp=word, **given, duration="1 s")


def test_a_list_has_no_empty_column(airfair):
    assert "Settings of its own" in airfair("describe", "recoveries").stdout
    assert airfair("describe", "profiles").stdout.split() == [
        "profiles",
        "Defaults",
        "of",
        "TCP",
        "Name",
        "ns2",
        "rfc",
        "linux",
    ]


def test_the_rule_for_grades_is_printed_with_its_limits(airfair):
    lines = [" ".join(line.split()) for line in airfair("describe", "grades").stdout.splitlines()]
    assert "page mean page load time up to 1 s, 2 s, 4 s, 8 s, 10 s" in lines
    assert "bulk share of the fair rate from 0.8, 0.6, 0.4, 0.2, 0.1" in lines


def test_a_family_lists_its_metrics(airfair):
    told = json.loads(airfair("describe", "finish_time", "--json").stdout)["metrics"]
    assert "finish_time_acked_mean" in {entry["name"] for entry in told}
    listed = af.describe("families")["families"]
    assert listed["finish_time"] == [entry["name"] for entry in told]
    assert all(name.startswith(family) for family, members in listed.items() for name in members)
    assert "finish_time" in airfair("describe", "families").stdout


@pytest.mark.parametrize(
    ("name", "field", "said"),
    [
        ("web", "value_of", {"path": "flow.traffic", "meaning": "Pages that a browser loads."}),
        ("minstrel", "value_of", {"path": "wlan.rate_control"}),
        ("802.11ax", "value_of", {"path": "wlan.phy"}),
        ("dropped", "counters", {"table": "links", "unit": "packet"}),
        ("jung", "claims", {}),
        ("jung", "figures", {"name": "fig2a"}),
        ("studies", "studies", {"name": "today"}),
        ("counters", "counters", {"name": "timeouts", "table": "flows"}),
        ("grades", "grades", {"application": "page", "measure": "mean page load time"}),
    ],
)
def test_whatever_has_a_name_is_described(airfair, name, field, said):
    told = json.loads(airfair("describe", name, "--json").stdout)
    assert any(said.items() <= entry.items() for entry in told[field])
    shown = airfair("describe", name, env=WIDE)
    assert shown.returncode == 0 and all(word in shown.stdout for word in said.values())


@pytest.mark.parametrize(
    ("kind", "name", "source"), [("controls", "vegas", "Brakmo"), ("disciplines", "pie", "RFC 8033")]
)
def test_controls_and_disciplines_say_what_they_are(airfair, kind, name, source):
    assert source in airfair("describe", name, env=WIDE).stdout
    assert all(word["description"].endswith(".") for word in af.describe(kind)["words"])


def test_environments_are_described(airfair):
    pytest.importorskip("gymnasium")
    from airfair.gym import TASKS

    for name, task in TASKS.items():
        told = af.describe(name)
        assert [action["name"] for action in told["actions"]] == [action.name for action in task.actions]
        shown = airfair("describe", name, env=WIDE).stdout
        assert all(reward.metric in shown for reward in task.rewards)
    assert "did you mean airfair/Home-v0?" in airfair("describe", "airfair/Hom-v0").stderr


def test_every_offered_name_is_described():
    for name in names():
        assert af.describe(name)["name"]


def test_an_unknown_setting_gets_a_suggestion(airfair):
    assert "did you mean rto_min?" in airfair("describe", "rto_mni").stderr


def test_an_unknown_name_gets_a_suggestion(airfair):
    refused = airfair("describe", "fq_codle")
    assert refused.returncode == 2 and refused.stderr.count("\n") == 1
    assert "did you mean fq_codel?" in refused.stderr and "airfair describe metrics" in refused.stderr


def test_misleading_names_have_a_note(airfair):
    names = ["--metrics", "throughput_total,throughput,drop_rate,ap_drop_rate"]
    short = ["--set", "duration=1 s", "--set", "warmup=1 s"]
    shown = airfair("run", "blefari/hotspot", *short, *names, env=WIDE).stdout.splitlines()
    assert "throughput_total: goodput: payload once, no headers, nothing sent again" in shown
    assert "throughput: payload and 40 header bytes of each segment sent, retransmissions included" in shown
    assert "drop_rate: at the queues of the wired links" in shown
    assert "ap_drop_rate: at the access point's wireless queue" in shown
    for metric in ("throughput_total", "drop_rate"):
        assert af.describe(metric)["note"] in airfair("describe", metric, env=WIDE).stdout


def test_traces_without_a_place_are_warned_of(airfair, tmp_path):
    short = ["run", "jung/mixed", "--set", "duration=5 s", "--trace", "cwnd"]
    lost = airfair(*short, "--json")
    assert lost.returncode == 0 and json.loads(lost.stdout)
    assert lost.stderr == "warning: --trace cwnd: the recorded series are kept only with --out DIR\n"
    assert airfair(*short, "--out", "kept").stderr == "" and (tmp_path / "kept" / "series.parquet").is_file()


def test_descriptions_are_whole_paragraphs():
    assert [entry["path"] for entry in af.describe("settings")["settings"] if "\n" in entry["description"]] == []
