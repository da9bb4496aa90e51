"""What the site holds, and in which order."""

from __future__ import annotations

import airfair
from website import gallery, reference, rust
from website.source import ROOT, Source, relinked

#: The parts and their pages, in order. `*` stands for all pages of that beginning that no part names.
PARTS = {
    "Start": ["install", "tutorial", "play", "gallery"],
    "Guides": [
        "scenarios",
        "timeline",
        "sweeps",
        "optimize",
        "worlds",
        "gym",
        "scripts",
        "captures",
        "flent",
        "trust",
        "*",
    ],
    "Reference": [
        "reference/commands",
        "reference/scenarios",
        "reference/parameters",
        "reference/metrics",
        "reference/controls",
        "reference/disciplines",
        "reference/settings",
        "metrics",
        "counters",
        "glossary",
        "tcp",
        "wifi",
        "models",
        "api/python",
        "api/rust-crates",
    ],
    "Studies": ["studies/*"],
    "Evidence": ["fidelity", "fidelity/*", "performance", "performance-dropped"],
    "Extend": ["architecture", "add-a-*", "contributing"],
    "Project": ["changelog", "security"],
}
#: Pages that another page's contents list.
WITHIN = "reference/scenarios/"

PLAY = """# Playground

The same simulator, in this page. It needs no network and no installation.

<p><a href="playground/index.html">Open it in a page of its own</a>.</p>

<iframe class="playground" src="playground/index.html" title="Playground"></iframe>
"""
NO_PLAYGROUND = """# Playground

This site was built without the playground. `make playground` builds it, and `make site` then takes it in.
"""

PYTHON = """# Python

```python
import airfair as af
```

Values are in SI units: rates in bit/s, times in s, sizes in byte. Parameters are given as in scenario files, a number
and its unit: `wired_delay="20 ms"`; counts and fractions are bare.

```{eval-rst}
.. currentmodule:: airfair
"""
DEFINITIONS = """```

## `airfair.definitions`

```{eval-rst}
.. automodule:: airfair.definitions
   :members:
```

## `airfair.gym`

Needs the extra `gym`. [A learning environment](../gym.md) tells how it is used.

```{eval-rst}
.. currentmodule:: airfair.gym

.. autofunction:: parallel

.. autoclass:: Environment
   :members:

.. autoclass:: VectorEnvironment
   :members:

.. autoclass:: Task
   :members:

.. autoclass:: Action
   :members:

.. autoclass:: Reward
   :members:
```
"""


def write(source: Source, playground: bool, versions: bool) -> None:
    """Write every page that `docs/` does not hold."""
    reference.write(source)
    source.write("gallery", gallery.page())
    source.write("api/python", _python())
    source.write("api/rust-crates", rust.page())
    source.write("play", PLAY if playground else NO_PLAYGROUND)
    source.write("index", _first(source.pages(), versions))


def _python() -> str:
    """One entry for each public name."""
    lines = [PYTHON]
    for name in sorted(airfair.__all__, key=str.lower):
        value = getattr(airfair, name)
        if isinstance(value, type):
            kind = "autoexception" if issubclass(value, BaseException) else "autoclass"
            lines += [f".. {kind}:: {name}", "   :members:", *_inherited(value), ""]
        elif callable(value):
            lines += [f".. autofunction:: {name}", ""]
    return "\n".join([*lines, DEFINITIONS])


def _inherited(kind: type) -> list[str]:
    """The option that shows inherited members, too, if a class of the package has them."""
    own = any(base.__module__.startswith("airfair.") for base in kind.__mro__[1:])
    return ["   :inherited-members:"] if own and not issubclass(kind, BaseException) else []


def _first(pages: list[str], versions: bool) -> str:
    """The README, and the contents of all parts."""
    text = relinked(ROOT / "README.md")
    if versions:
        text += "\n[Other versions of this site](../versions.html)\n"
    return text + "".join(
        f"\n```{{toctree}}\n:hidden:\n:caption: {part}\n\n" + "\n".join(listed) + "\n```\n"
        for part, listed in parts(pages).items()
    )


def parts(pages: list[str]) -> dict[str, list[str]]:
    """The pages of each part. A page that no part names is a guide."""
    named = {entry for entries in PARTS.values() for entry in entries if "*" not in entry}
    left = [page for page in pages if page not in named and page != "index" and not page.startswith(WITHIN)]
    starts = [entry[:-1] for entries in PARTS.values() for entry in entries if entry.endswith("*") and entry != "*"]

    def of(entry: str) -> list[str]:
        if not entry.endswith("*"):
            return [entry] if entry in pages else []
        if entry != "*":
            return [page for page in left if page.startswith(entry[:-1])]
        return [page for page in left if not page.startswith(tuple(starts))]

    return {part: [page for entry in entries for page in of(entry)] for part, entries in PARTS.items()}
