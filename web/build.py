"""Build the playground: one HTML page with the engine in it, which needs neither a server nor the network."""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
import sys
from graphlib import TopologicalSorter
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from airfair import _engine, theme
from airfair.catalogue import graded, known

WEB = Path(__file__).parent
#: An import of another module of the page, which stands at the start of a line.
IMPORT = re.compile(r'^import \{[^}]*\} from "\./(\w+)\.js";\n', re.MULTILINE)
#: A name at the top of a module. All modules share one scope in the page.
TOP = re.compile(
    r"^(?:export )?(?:async )?(?:const|let|class|function)\s+(?:\{([^}]*)\}|\[([^\]]*)\]|(\w+))", re.MULTILINE
)


def joined(first: str) -> str:
    """A module with all that it imports, in one text: pages from files may not import others."""
    sources: dict[str, str] = {}
    graph: dict[str, set[str]] = {}
    waiting = [first]
    while waiting:
        name = waiting.pop()
        if name not in sources:
            sources[name] = (WEB / f"{name}.js").read_text()
            graph[name] = set(IMPORT.findall(sources[name]))
            waiting += graph[name]
    owners: dict[str, str] = {}
    for name in TopologicalSorter(graph).static_order():
        for found in TOP.finditer(sources[name]):
            for declared in re.findall(r"\w+", "".join(filter(None, found.groups()))):
                if owners.setdefault(declared, name) != name:
                    raise SystemExit(f"web/{name}.js: `{declared}` is declared in web/{owners[declared]}.js, too")
    parts = (
        re.sub(r"^export ", "", IMPORT.sub("", sources[name]), flags=re.MULTILINE)
        for name in TopologicalSorter(graph).static_order()
    )
    return "\n".join(parts)


def page(module: bytes) -> str:
    """The page with this WebAssembly module."""
    script = joined("main")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    # The page runs its own script and its own worker, and asks nothing of the network.
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}' 'wasm-unsafe-eval' blob:; worker-src blob:; "
        "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
    )
    environment = Environment(
        loader=FileSystemLoader(WEB), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template("index.html").render(
        theme=theme,
        rule_heads=graded.RULE_HEADS,
        rules=list(zip(known.grades(), graded.rule_rows(known.grades()), strict=True)),
        version=_engine.__version__,
        policy=policy,
        style=(WEB / "style.css").read_text(),
        worker=(WEB / "worker.js").read_text(),
        script=script,
        # Compressed before it is written as text: text does not compress as well.
        engine=base64.b64encode(gzip.compress(module, 9, mtime=0)).decode(),
    )


if __name__ == "__main__":
    source, target = map(Path, sys.argv[1:])
    target.write_text(page(source.read_bytes()))
