"""A store whose keys are of an older form is still read.

`stores/keys-1.tar.gz` was written by version 0.1.0 with `MODEL_VERSION` 4, whose keys had no number of their form:

    airfair sweep jung/mixed --over tcp=reno,vegas --seeds 2 --set 'duration=10 s' --set 'warmup=5 s' --out keys-1
"""

import json
import tarfile
from pathlib import Path

import polars
import pytest

STORE = Path(__file__).parent / "stores" / "keys-1.tar.gz"


def results(directory):
    """The rows and the metadata of the table of results. Names in metadata may change their order between versions."""
    path = directory / "results.parquet"
    facts = polars.read_parquet_metadata(path)
    del facts["ARROW:schema"]
    return polars.read_parquet(path).rows(named=True), facts | {"units": json.loads(facts["units"])}


@pytest.fixture
def older(tmp_path):
    with tarfile.open(STORE) as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path / "keys-1"


def test_results_reads_it(older, answer):
    rows = answer("results", str(older))["rows"]
    assert [(row["tcp"], row["seed"]) for row in rows] == [("reno", 1), ("reno", 2), ("vegas", 1), ("vegas", 2)]
    assert all(row["throughput_total"] > 1e6 for row in rows)


def test_plot_and_report_read_it(older, airfair):
    drawn = airfair("plot", str(older), "--x", "tcp", "--y", "throughput_total", "--format", "svg")
    assert drawn.returncode == 0, drawn.stderr
    (figure,) = (older / "figures").glob("*.svg")
    assert "vegas" in figure.read_text()
    reported = airfair("report", str(older))
    assert reported.returncode == 0, reported.stderr
    assert "throughput_total" in (older / "report.html").read_text()


def test_a_sweep_computes_its_points_anew(older, airfair):
    before = results(older)
    again = airfair("sweep", str(older))
    assert again.returncode == 0, again.stderr
    assert "4 computed" in again.stdout + again.stderr
    assert json.loads((older / "manifest.json").read_text())["commands"][-1]["reused"] == 0
    assert results(older) == before, "the same models give the same results"
