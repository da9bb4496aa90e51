"""The wheel, installed in empty environments and beside one data library."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

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
    finished = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600, **options)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


def environment(directory: Path) -> str:
    """Create an empty environment. Returns the path of its Python."""
    checked(sys.executable, "-m", "venv", "--without-pip", str(directory))
    return str(directory / ("Scripts" if os.name == "nt" else "bin") / "python")


def install(python: str, *arguments: str) -> None:
    """Install packages in the versions that the project pins."""
    pip = [sys.executable, "-m", "pip", "--python", python, "--quiet", "--disable-pip-version-check", "install"]
    pins = [option for file in PINS for option in ("--constraint", str(file))]
    checked(*pip, *pins, *arguments)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> str:
    """The wheel, built with the same profile as the engine of the other tests."""
    out = tmp_path_factory.mktemp("wheel")
    maturin = str(Path(sys.executable).with_name("maturin"))
    checked(maturin, "build", "--profile", "dev", "--out", str(out), cwd=ROOT)
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


def test_pip_install_brings_the_command(wheel, tmp_path):
    python = environment(tmp_path / "venv")
    install(python, wheel)
    command = str(Path(python).with_name("airfair"))
    assert "reproduce" in checked(command, "--help", cwd=tmp_path)
    assert "jung/mixed" in checked(command, "scenarios", "--json", cwd=tmp_path)
    assert '"jung"' in checked(command, "studies", "--json", cwd=tmp_path)
    # What each command needs beside the engine: tables, figures, pages, a search.
    short = ("--set", "duration=5 s", "--set", "warmup=1 s")
    axes = ("--over", "queue=10,50", "--seeds", "2")
    checked(command, "run", "jung/mixed", *short, "--out", "ran", cwd=tmp_path)
    checked(command, "sweep", "jung/mixed", *short, *axes, "--out", "swept", cwd=tmp_path)
    checked(command, "plot", "swept", "--y", "throughput_total", "--format", "png", cwd=tmp_path)
    checked(command, "report", "swept", cwd=tmp_path)
    goal = ("--maximize", "throughput_total", "--out", "best")
    checked(command, "optimize", "jung/mixed", *short, *axes, *goal, cwd=tmp_path)
    written = ("ran/run.json", "ran/flows.parquet", "swept/report.html", "best/optimum.html", "best/optimum.png")
    assert all((tmp_path / name).stat().st_size > 100 for name in written)
    assert list((tmp_path / "swept" / "figures").glob("*.png"))
    if PAGE.is_file():
        page = Path(json.loads(checked(command, "playground", "--no-browser", "--json", cwd=tmp_path))["page"])
        assert page.read_bytes() == PAGE.read_bytes() and ROOT not in page.parents


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
