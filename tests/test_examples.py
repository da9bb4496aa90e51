"""The notebooks of the documentation run from top to bottom, and each value that they show can be shown."""

import ast
import json
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parent.parent / "docs" / "examples").glob("*.ipynb"))


def run(notebook, place):
    """Run the cells of a notebook in order, as a kernel would. Returns what each code cell shows."""
    names = {"__name__": "__main__"}
    shown = []
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        body = ast.parse("".join(cell["source"])).body
        last = body.pop() if isinstance(body[-1], ast.Expr) else None
        exec(compile(ast.Module(body, []), str(place), "exec"), names)
        if last:
            shown.append(eval(compile(ast.Expression(last.value), str(place), "eval"), names))
    return shown


@pytest.mark.parametrize("place", NOTEBOOKS, ids=lambda place: place.stem)
def test_a_notebook_runs(place, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    notebook = json.loads(place.read_text())
    shown = run(notebook, place)
    assert len(shown) > 2
    for value in shown:
        html = getattr(value, "_repr_html_", None) or getattr(value, "_repr_mimebundle_", None)
        assert html() if html else repr(value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", NOTEBOOKS, ids=lambda place: place.stem)
def test_a_notebook_is_kept_without_outputs(place):
    notebook = json.loads(place.read_text())
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert code and all(not cell["outputs"] and cell["execution_count"] is None for cell in code)
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])


def test_there_are_notebooks():
    assert len(NOTEBOOKS) == 3
