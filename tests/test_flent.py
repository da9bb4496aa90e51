"""Data files for Flent: what is in them, and that Flent itself opens and plots them."""

import gzip
import json
import statistics
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from conftest import Airfair, execute

LENGTH = 6.0
#: Series that the tests have in Flent 2.3.0, those of each way without the word before them.
WAYS = {
    "rrul": ["BE", "BK", "CS5", "EF", "avg", "sum"],
    "voip-rrul": ["BE", "BE2", "BE3", "BE4", "avg", "sum"],
    "rtt_fair": ["BE1 server1", "BE2 server2", "BK1 server3", "BK2 server4", "avg", "sum", "fairness"],
}
PINGS = {
    "rrul": ["ICMP", "UDP BE", "UDP BK", "UDP EF", "avg"],
    "voip-rrul": ["ICMP", "UDP BE1", "UDP BE2", "UDP BE3", "avg"],
    "rtt_fair": ["ICMP1 server1", "ICMP2 server2", "ICMP3 server3", "ICMP4 server4", "avg"],
}


def written(airfair: Airfair, folder: Path, scenario: str, *options: str, length: float = LENGTH) -> dict[str, Any]:
    """Run a scenario for Flent and read the file of its first seed."""
    duration = ["--set", f"duration={length:g} s"]
    finished = airfair("run", scenario, *duration, "--format", "flent", "--out", str(folder), *options)
    assert finished.returncode == 0, finished.stderr
    first, *_ = sorted(folder.glob("*-seed1.flent.gz"))
    document: dict[str, Any] = json.loads(gzip.decompress(first.read_bytes()))
    return document


def known(values: list[float | None]) -> list[float]:
    return [value for value in values if value is not None]


@pytest.mark.parametrize("name", ["rrul", "rtt_fair", "voip-rrul"])
def test_the_series_are_those_of_the_test(airfair: Airfair, tmp_path: Path, name: str) -> None:
    document = written(airfair, tmp_path / "out", f"flent/{name.replace('-', '_')}")
    expected = {f"TCP {way} {series}" for way in ("upload", "download") for series in WAYS[name]}
    expected |= {f"Ping (ms) {series}" for series in PINGS[name]} | {"TCP totals"}
    if name == "voip-rrul":
        expected |= {f"VoIP::{series}" for series in ("delay", "jitter", "loss", "induced_delay")}
    assert set(document["results"]) == expected == set(document["metadata"]["SERIES_META"])
    assert document["metadata"]["NAME"] == name
    assert document["version"] == 4
    assert all(len(values) == len(document["x_values"]) for values in document["results"].values())


@pytest.mark.parametrize("way", ["up", "down"])
def test_flows_are_counted(airfair: Airfair, tmp_path: Path, way: str) -> None:
    document = written(airfair, tmp_path / "out", f"flent/tcp_n{way}", "--set", f"{way}load_streams=3")
    tcp = [f"TCP {way}load{rest}" for rest in ("::1", "::2", "::3", " avg", " sum", " fairness")]
    assert set(document["results"]) == {*tcp, "Ping (ms) ICMP"}
    assert document["metadata"]["TEST_PARAMETERS"][f"{way}load_streams"] == "3"


def test_the_values_are_those_of_the_run(airfair: Airfair, tmp_path: Path) -> None:
    document = written(airfair, tmp_path / "out", "flent/rrul")
    x, results = document["x_values"], document["results"]
    assert x[:3] == [0.0, 0.2, 0.4]
    assert document["metadata"]["TOTAL_LENGTH"] == LENGTH + 10
    # At rest: 84 bytes there and back over 10 ms, and 0.1 ms at 1 Gb/s, and at the rates of the line.
    rest = 2 * (10 + 0.1 + 84 * 8 / 1e6) + 84 * 8 / 20e3 + 84 * 8 / 100e3
    pings = results["Ping (ms) ICMP"]
    assert known(pings[1:20]) == pytest.approx([rest] * 19)
    assert max(known(pings)) > 2 * rest
    for way in ("upload", "download"):
        summed = results[f"TCP {way} sum"]
        assert not known([value for at, value in zip(x, summed, strict=True) if at <= 5])
        assert not known([value for at, value in zip(x, summed, strict=True) if at > 5 + LENGTH + 1e-9])
        parts = zip(*(results[f"TCP {way} {flow}"] for flow in ("BE", "BK", "CS5", "EF")), strict=True)
        assert known(summed) == pytest.approx([sum(part) for part in parts if None not in part])
        measured = json.loads((tmp_path / "out" / "run.json").read_bytes())["metrics"][f"throughput_{way}s"]["value"]
        assert statistics.fmean(known(summed)) * 1e6 == pytest.approx(measured, rel=1e-6)


def test_both_engines_write_the_same_bytes(airfair: Airfair, tmp_path: Path) -> None:
    for engine in ("fast", "plain"):
        written(airfair, tmp_path / engine, "flent/voip_rrul", "--set", "discipline=cake", "--engine", engine)
    fast, plain = ((tmp_path / engine / "voip-rrul-seed1.flent.gz").read_bytes() for engine in ("fast", "plain"))
    assert fast == plain


def test_files_of_one_setting_are_a_group(airfair: Airfair, tmp_path: Path) -> None:
    document = written(airfair, tmp_path / "out", "flent/tcp_nup", "--set", "rate_up=10 Mb/s")
    metadata = document["metadata"]
    assert metadata["TITLE"] == f"AirFair, duration={LENGTH:g} s, rate_up=10 Mb/s"
    # Flent takes the name without the first number between hyphens.
    assert metadata["DATA_FILENAME"] == f"tcp_nup-AirFair_duration_{LENGTH:g}_s_rate_up_10_Mb_s-1.flent.gz"


def test_each_seed_has_a_file_and_those_of_other_runs_stay(airfair: Airfair, tmp_path: Path) -> None:
    out = tmp_path / "out"
    written(airfair, out, "flent/tcp_nup", "--seeds", "2")
    (out / "mine.flent.gz").write_bytes(b"mine")
    both = sorted(path.name for path in out.glob("*.flent.gz"))
    assert both == ["mine.flent.gz", "tcp_nup-seed1.flent.gz", "tcp_nup-seed2.flent.gz"]
    second = (out / both[2]).read_bytes()
    written(airfair, out, "flent/tcp_nup", "--set", "rate_up=10 Mb/s")
    written(airfair, out, "flent/tcp_ndown")
    assert airfair("run", "flent/tcp_nup", "--set", "duration=1 s", "--out", "out").returncode == 0
    assert sorted(path.name for path in out.glob("*.flent.gz")) == [both[0], "tcp_ndown-seed1.flent.gz", *both[1:]]
    assert (out / both[2]).read_bytes() == second


def test_what_is_no_test_of_flents_is_told(airfair: Airfair, tmp_path: Path) -> None:
    for arguments, told in (
        (["jung/mixed", "--out", "out"], "do not have the names of a test that Flent has"),
        (["flent/rrul"], "add --out DIR"),
        (["flent/rrul", "--out", "out", "--pcap", "x.pcapng"], "leave --pcap out"),
    ):
        finished = airfair("run", *arguments, "--format", "flent")
        assert finished.returncode == 2
        assert told in finished.stderr
        assert "Traceback" not in finished.stderr
    assert not list(tmp_path.iterdir())


def test_a_flow_of_another_kind_is_told(airfair: Airfair, tmp_path: Path) -> None:
    text = airfair("show", "flent/rrul").stdout.replace('name = "ping-ICMP"', 'name = "upload-ICMP"')
    (tmp_path / "mine.toml").write_text(text)
    finished = airfair("run", "mine.toml", "--format", "flent", "--out", "out")
    assert finished.returncode == 2
    assert "`upload-ICMP` has the name of a flow of Flent's, but is not TCP" in finished.stderr


@dataclass
class Flent:
    """Flent itself, in an environment of its own."""

    command: str
    #: Files that it measured, by the names of its tests.
    measured: dict[str, Path]

    def plot(self, plot: str, files: list[Path], picture: Path) -> None:
        arguments = [self.command, *map(str, files), "--plot", plot, "--output", str(picture)]
        done = execute(arguments, cwd=picture.parent)
        assert done.returncode == 0, done.stderr
        assert "rror" not in done.stderr, done.stderr
        assert "not from the same test" not in done.stderr, done.stderr
        assert picture.read_bytes().startswith(b"\x89PNG"), (plot, done.stdout, done.stderr)


@pytest.fixture(scope="module")
def flent(tmp_path_factory: pytest.TempPathFactory) -> Flent:
    """Install Flent from its source, which has files that it measured."""
    place = tmp_path_factory.mktemp("flent")
    execute([sys.executable, "-m", "venv", place], check=True)
    pip = str(place / "bin" / "pip")
    fetch = [pip, "download", "--quiet", "--no-deps", "--no-binary", ":all:", "--dest", str(place), "flent==2.3.0"]
    install = [pip, "install", "--quiet", "flent==2.3.0", "matplotlib"]
    for command in (fetch, install):
        done = execute(command)
        if done.returncode:
            pytest.skip(f"Flent cannot be installed: {done.stderr.strip().splitlines()[-1]}")
    (source,) = place.glob("flent-*.tar.gz")
    with tarfile.open(source) as archive:
        archive.extractall(place, filter="data")
    data = next(place.glob("flent-*/unittests/test_data"))
    measured = {name: data / f"test-{name}.flent.gz" for name in ("tcp_nup", "voip-rrul")}
    return Flent(str(place / "bin" / "flent"), measured)


@pytest.mark.long
@pytest.mark.parametrize(
    ("scenario", "plots"),
    [
        ("rrul", ["all", "all_scaled", "totals", "box_totals", "ping_cdf", "box_combine"]),
        ("rtt_fair", ["all", "totals", "bar_fairness", "box_combine"]),
        ("tcp_nup", ["totals", "upload", "upload_box", "bar_fairness", "box_totals_combine"]),
        ("tcp_ndown", ["totals", "download", "box_totals", "bar_fairness", "box_totals_combine"]),
        ("voip_rrul", ["totals_loss", "voip_delay_cdf", "box_combine", "cdf_combine", "all"]),
    ],
)
def test_flent_opens_and_plots_them(
    airfair: Airfair, flent: Flent, tmp_path: Path, scenario: str, plots: list[str]
) -> None:
    files = []
    for discipline in ("drop_tail", "fq_codel"):
        written(airfair, tmp_path / discipline, f"flent/{scenario}", "--set", f"discipline={discipline}")
        files += list((tmp_path / discipline).glob("*.flent.gz"))
    for plot in plots:
        for number, inputs in enumerate((files[:1], files)):
            flent.plot(plot, inputs, tmp_path / f"{plot}-{number}.png")


@pytest.mark.long
@pytest.mark.parametrize(
    ("scenario", "plots"),
    [
        ("tcp_nup", ["totals", "upload", "ping_cdf", "box_totals_combine"]),
        ("voip_rrul", ["totals_loss", "ping_cdf", "voip_delay_cdf", "box_combine"]),
    ],
)
def test_flent_plots_them_over_what_it_measured(
    airfair: Airfair, flent: Flent, tmp_path: Path, scenario: str, plots: list[str]
) -> None:
    measured = flent.measured[scenario.replace("voip_", "voip-")]
    simulated = written(
        airfair, tmp_path / "out", f"flent/{scenario}", *(["--set", "upload_streams=12"] * ("nup" in scenario))
    )
    theirs = set(json.loads(gzip.decompress(measured.read_bytes()))["results"])
    # Those that our file has, and theirs has not: Flent 2.3.0 defines it, and the version that measured did not.
    assert set(simulated["results"]) - theirs <= {"TCP upload fairness"}
    ours = next((tmp_path / "out").glob("*.flent.gz"))
    for plot in plots:
        flent.plot(plot, [measured, ours], tmp_path / f"{plot}.png")


def under_load(document: dict[str, Any], series: str) -> float:
    """The mean from 10 s to the end of the flows."""
    timed = zip(document["x_values"], document["results"][series], strict=True)
    return statistics.fmean(known([value for at, value in timed if 10 < at < document["metadata"]["LENGTH"]]))


@pytest.mark.long
def test_a_run_is_near_what_flent_measured(airfair: Airfair, flent: Flent, tmp_path: Path) -> None:
    """The table of docs/flent.md: the testbed's rates, delay and discipline are in its file."""
    measured = json.loads(gzip.decompress(flent.measured["voip-rrul"].read_bytes()))
    assert measured["metadata"]["TITLE"] == "qdisc:fq_codel rep:01 rtt:50ms rate:100Mbit/100Mbit cc:cubic"
    settings = ("rate_down=100 Mb/s", "rate_up=100 Mb/s", "delay=25 ms", "discipline=fq_codel")
    options = [word for setting in settings for word in ("--set", setting)]
    simulated = written(airfair, tmp_path / "out", "flent/voip_rrul", *options, length=140)
    for way in ("download", "upload"):
        series = f"TCP {way} sum"
        assert under_load(simulated, series) == pytest.approx(under_load(measured, series), rel=0.07)
    for series, most in (("Ping (ms) avg", 0.6), ("VoIP::delay", 0.3), ("VoIP::jitter", 0.05)):
        assert under_load(simulated, series) == pytest.approx(under_load(measured, series), abs=most), series
