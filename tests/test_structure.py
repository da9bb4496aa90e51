"""The structure of the Python package: few modules at the top, imports only downwards, no cycle."""

import ast
import re
import tomllib
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import airfair

REPOSITORY = Path(__file__).parent.parent
ROOT = REPOSITORY / "python" / "airfair"

ARCHITECTURE = (REPOSITORY / "docs" / "architecture.md").read_text()


def layers() -> list[set[str]]:
    """The parts of the package, from the bottom, a row of the document's table each. The last one is `cli`."""
    rows = re.findall(r"^\| (`[^|]+`) \|", ARCHITECTURE.split("| `airfair.` |")[1].split("\n\n")[0], re.MULTILINE)
    *others, cli = [set(re.findall(r"`(\w+)`", row)) for row in rows]
    return [{"_engine"}, *others, {"__init__"}, cli, {"__main__"}]


def modules() -> dict[str, Path]:
    """Every module by its name below `airfair`."""
    found = {"_engine": ROOT / "_engine.pyi"}
    for path in ROOT.rglob("*.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if len(parts) > 1 and parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


def named(name: str) -> str:
    """A module's name below `airfair`."""
    return name.removeprefix("airfair").removeprefix(".") or "__init__"


def imports(path: Path) -> Iterator[str]:
    """The modules that a module imports: at the top, in functions, and for type checking."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (named(alias.name) for alias in node.names if alias.name.split(".")[0] == "airfair")
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            if node.module is not None and node.module.split(".")[0] == "airfair":
                for alias in node.names:
                    inside = named(f"{node.module}.{alias.name}")
                    yield inside if inside in MODULES else named(node.module)


GRAPH = {name: set(imports(path)) for name, path in MODULES.items()}


def test_every_import_is_of_a_module_that_is_there():
    assert set().union(*GRAPH.values()) <= set(MODULES)


def test_imports_form_no_cycle():
    try:
        list(TopologicalSorter(GRAPH).static_order())
    except CycleError as error:
        raise AssertionError(" -> ".join(reversed(error.args[1]))) from None


def test_layers_only_import_downwards():
    height = {part: number for number, layer in enumerate(layers()) for part in layer}
    assert {name.split(".")[0] for name in MODULES} == set(height), "the table names every part"
    upwards = [
        f"{name} imports {other}"
        for name, others in GRAPH.items()
        for other in others
        if (above := name.split(".")[0]) != (below := other.split(".")[0]) and height[below] >= height[above]
    ]
    assert not upwards


def test_few_modules_lie_at_the_top():
    assert len(list(ROOT.glob("*.py"))) <= 8


def test_no_package_hides_a_function():
    """A package `airfair.run` would replace the function `airfair.run` when imported."""
    functions = {name for name in airfair.__all__ if callable(getattr(airfair, name))}
    assert not functions & {name.split(".")[0] for name in MODULES}


def test_the_table_of_crates_has_their_dependencies():
    rows = re.findall(r"^\| `crates/(\w+)` \|.*\| (.*?) ?\|$", ARCHITECTURE, re.MULTILINE)
    told: dict[str, set[str]] = {}
    for name, words in rows:
        told[name] = set(told) if words == "all of the above" else set(re.findall(r"\w+", words.partition("(")[0]))
    declared = {name: tomllib.loads((REPOSITORY / "crates" / name / "Cargo.toml").read_text()) for name in told}
    dependencies = {
        name: {key.removeprefix("airfair-") for key in manifest["dependencies"] if key.startswith("airfair-")}
        for name, manifest in declared.items()
    }
    assert told == dependencies
    assert set(told) == {path.parent.name for path in (REPOSITORY / "crates").glob("*/Cargo.toml")}
