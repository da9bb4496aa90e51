"""What is published: versions of the site, the workflows' pins, and the citation."""

import os
import re
import sys
from pathlib import Path

import pytest
import yaml
from conftest import execute

import airfair as af
from website.versions import publish

ROOT = Path(__file__).parent.parent


@pytest.fixture
def site(tmp_path):
    made = tmp_path / "site"
    made.mkdir()
    (made / "index.html").write_text("first")
    return made


def listed(every):
    return re.findall(r'<li><a href="([^"]+)">', (every / "versions.html").read_text())


def test_the_newest_release_comes_first(site, tmp_path):
    every = tmp_path / "all"
    every.mkdir()
    publish(site, every, "dev")
    assert 'url=dev/index.html"' in (every / "index.html").read_text()
    for name in ("v0.9.0", "v0.10.0", "v0.2.0"):
        publish(site, every, name)
    assert listed(every) == ["0.10.0/index.html", "0.9.0/index.html", "0.2.0/index.html", "dev/index.html"]
    assert 'url=0.10.0/index.html"' in (every / "index.html").read_text()


def test_a_version_replaces_itself_alone(site, tmp_path):
    every = tmp_path / "all"
    publish(site, every, "v0.1.0")
    (site / "index.html").write_text("second")
    (site / "new.html").write_text("new")
    publish(site, every, "v0.2.0")
    assert (every / "0.1.0" / "index.html").read_text() == "first" and not (every / "0.1.0" / "new.html").exists()
    (site / "new.html").unlink()
    publish(site, every, "v0.2.0")
    assert not (every / "0.2.0" / "new.html").exists()


@pytest.mark.parametrize("name", ["", "..", "v1", "main", "v1.2.3/../.."])
def test_other_names_are_no_versions(site, tmp_path, name):
    with pytest.raises(ValueError, match="is needed"):
        publish(site, tmp_path / "all", name)
    assert not (tmp_path / "all").exists()


def test_actions_are_pinned_to_commits_and_each_to_one():
    pins = {}
    for file in (ROOT / ".github" / "workflows").glob("*.yml"):
        for job in yaml.safe_load(file.read_text())["jobs"].values():
            for step in job["steps"]:
                if "uses" in step:
                    name, _, commit = step["uses"].partition("@")
                    assert re.fullmatch("[0-9a-f]{40}", commit), step["uses"]
                    assert pins.setdefault(name, commit) == commit


def test_the_workflows_pass_their_linter():
    linter = str(Path(sys.executable).with_name("zizmor"))
    finished = execute([linter, "--offline", "--no-progress", "--quiet", ".github"], cwd=ROOT)
    assert finished.returncode == 0, finished.stdout + finished.stderr


def test_workflows_call_targets_that_exist():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    for file in [*(ROOT / ".github" / "workflows").glob("*.yml"), ROOT / "Dockerfile", ROOT / ".ci" / "run"]:
        for script in re.findall(r"\.ci/\w+", file.read_text()):
            assert os.access(ROOT / script, os.X_OK), script
        for called in re.findall(r"^\W*(?:run: |RUN )?make ([a-z-]+)", file.read_text(), re.M):
            assert called in targets


def test_the_citation_has_the_version():
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"] == af.__version__
