"""The wheel, installed in empty environments and beside one data library."""

import json
import os
import sys
from pathlib import Path

import pytest
from conftest import execute

from airfair.pages.playground import PAGE

ROOT = Path(__file__).parent.parent
PINS = [ROOT / "requirements.txt", ROOT / "tests" / "constraints.txt"]
RUN = "import airfair as af; r = af.run('jung/mixed', duration='20 s'); t = r.sessions; "
LIBRARIES = {
    "polars": "import polars; n = polars.DataFrame(t).height; assert t.to_polars().height == n",
    "pandas": "n = len(t.to_pandas())",
    "pyarrow": "import pyarrow; n = pyarrow.table(pyarrow.table(t)).num_rows",
    "duckdb": "import duckdb; n = duckdb.sql('select count(*) from t').fetchall()[0][0]",
}

pytestmark = pytest.mark.slow


def checked(*command: str, **options) -> str:
    finished = execute(command, timeout=600, **options)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


def environment(directory: Path) -> str:
    """Create an empty environment. Returns the path of its Python."""
    checked(sys.executable, "-m", "venv", "--without-pip", str(directory))
    return str(directory / ("Scripts" if os.name == "nt" else "bin") / "python")


def install(python: str, *arguments: str) -> None:
    """Install packages in the versions that the project pins. Python compiles the few modules that a test imports."""
    pip = [sys.executable, "-m", "pip", "--python", python, "--quiet", "--disable-pip-version-check", "install"]
    pip.append("--no-compile")
    pins = [option for file in PINS for option in ("--constraint", str(file))]
    checked(*pip, *pins, *arguments)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> str:
    """The wheel, built with the same profile as the engine of the other tests."""
    out = tmp_path_factory.mktemp("wheel")
    maturin = str(Path(sys.executable).with_name("maturin"))
    checked(maturin, "build", "--profile", os.environ.get("PROFILE", "dev"), "--out", str(out), cwd=ROOT)
    [built] = out.glob("airfair-*-cp311-abi3-*.whl")
    return str(built)


def test_the_package_alone(wheel, tmp_path):
    """`import airfair` needs none of the package's dependencies."""
    python = environment(tmp_path / "venv")
    install(python, "--no-deps", wheel)
    out = checked(python, "-c", RUN + "print(r.metrics['throughput_total'].unit)", cwd=tmp_path)
    assert out.strip() == "bit/s"


@pytest.mark.parametrize("library", LIBRARIES)
def test_one_data_library_alone(wheel, tmp_path, library):
    python = environment(tmp_path / "venv")
    install(python, library, "pytest")
    install(python, "--no-deps", wheel)
    others = set(LIBRARIES) - {library}
    alone = f"import importlib.util as u; assert not [m for m in {others!r} if u.find_spec(m)]; "
    out = checked(python, "-c", alone + RUN + LIBRARIES[library] + "; print(n)", cwd=tmp_path)
    assert int(out) == 4
    tests = str(ROOT / "tests" / "test_arrow.py")
    checked(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", tests, cwd=tmp_path)


def test_every_command_of_the_wheel_works(wheel, tmp_path):
    """Installed with what it needs and nothing else."""
    python = environment(tmp_path / "venv")
    install(python, wheel)
    command = str(Path(python).with_name("airfair"))
    used = set()

    def told(*words):
        used.add(words[0])
        return checked(command, *words, cwd=tmp_path)

    def written(*names):
        return all((tmp_path / name).stat().st_size > 100 for name in names)

    short = ("--set", "run.duration=5 s", "--set", "run.warmup=1 s")
    told("init", "mine.toml", "--network", "802.11b", "--devices", "2", "--traffic", "mixed")
    assert "valid" in told("check", "mine.toml")
    assert "fair share: " in told("run", "mine.toml", *short, "--out", "ran", "--pcap", "run.pcapng")
    assert written("ran/run.json", "ran/flows.parquet", "run.pcapng")
    assert "fair_share.users=4" in told("fair-share", "jung/mixed", "--seeds", "1")
    assert 'title = "' in told("show", "mine.toml") and "devices" in told("describe", "mine.toml")
    assert "$schema" in told("schema") and "jung/mixed" in told("scenarios", "--json")
    assert json.loads(told("diff", "mine.toml", *short, "--set-b", "tcp=reno", "--seeds", "2", "--json"))["metrics"]
    # What commands need beside the engine: tables, figures, pages, a search.
    axes = ("--over", "queue=10,50", "--seeds", "2")
    told("sweep", "jung/mixed", *short, *axes, "--out", "swept")
    rows = told("results", "swept", "--select", "throughput_total", "--group", "queue", "--format", "csv")
    assert len(rows.splitlines()) == 3
    assert json.loads(told("cache", "swept", "--verify", "--json"))["damaged"] == 0
    formats = ("html", "png", "svg", "pdf")
    each = [option for format in formats for option in ("--format", format)]
    told("plot", "swept", "--y", "throughput_total", *each, "--out", "plot")
    assert written(*(f"plot/throughput_total-queue.{format}" for format in formats))
    for format in formats:
        told("timeline", "jung/mixed", *short, "--format", format, "--out", f"timeline-{format}")
        assert written(f"timeline-{format}/timeline.{format}")
    told("report", "swept")
    told("optimize", "jung/mixed", *short, *axes, "--maximize", "throughput_total", "--out", "best")
    assert written("swept/report.html", "best/optimum.html", "best/optimum.png")
    assert '"jung"' in told("studies", "--json")
    told("reproduce", "fall-floyd", "--quick", "--out", "study")
    assert written("study/report.html") and list((tmp_path / "study" / "figures").glob("*.png"))
    if PAGE.is_file():
        page = Path(json.loads(told("playground", "--no-browser", "--json"))["page"])
        assert page.read_bytes() == PAGE.read_bytes() and ROOT not in page.parents
    listed = checked(command, "--help", cwd=tmp_path).split("Commands:")[1].split("Examples:")[0]
    commands = {line.split()[0] for line in listed.splitlines() if line.strip()}
    assert commands - used <= {"playground"} and len(commands) > 15


def test_the_extra_for_learning(wheel, tmp_path):
    python = environment(tmp_path / "venv")
    install(python, f"{wheel}[gym]")
    script = (
        "import gymnasium, airfair.gym; "
        "env = gymnasium.make('airfair/Hotspot-v0', duration='20 s'); env.reset(seed=1); "
        "print(env.step(env.action_space.sample())[1]); print(airfair.gym.parallel('airfair/Home-v0').possible_agents)"
    )
    reward, agents = checked(python, "-c", script, cwd=tmp_path).splitlines()
    assert float(reward) == float(reward) and "cameras" in agents
