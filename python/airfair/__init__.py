"""AirFair: a laboratory for fairness on shared air.

    import airfair as af

    r = af.run("jung/mixed", tcp="vegas", stations=4, seed=1)
    r.metrics["instantaneous_fairness_sent"]     # a value with its unit
    r.sessions.to_polars()                       # one row for each finite session
    af.definitions.friendly_alpha(0.875)         # a closed form
    w = af.World("blefari/hotspot")              # to be driven: run_until, run_for, counts, set, record
    s = af.sweep("jung/mixed", {"stations": "2..16", "tcp": ["reno", "vegas"]}, seeds=10, out="mine")

Values are in SI units: rates in bit/s, times in s, sizes in byte. Parameters are given as in scenario files, a number
and its unit: ``wired_delay="20 ms"``, ``session_bytes="10 kB"``; counts and fractions are bare.

Importing this module loads nothing else: the engine and the rest are loaded when the first of their names is used, and
the libraries for tables and figures when they are needed.
"""

from typing import TYPE_CHECKING

#: The public names, by the module that has them.
_PUBLIC = {
    "_engine": (
        "MODEL_VERSION",
        "Ack",
        "ControlError",
        "EngineError",
        "InputError",
        "LimitError",
        "Loss",
        "Scenario",
        "Table",
        "Window",
        "__version__",
    ),
    "api": ("diff", "fair_share", "load", "optimize", "run", "sweep", "timeline"),
    "catalogue.known": ("metrics", "scenarios"),
    "catalogue.warned": ("ScenarioWarning",),
    "comparison.difference": ("Difference",),
    "definitions": ("definitions",),
    "described.names": ("describe",),
    "figures.timeline.result": ("Timeline",),
    "optimizer.result": ("Optimum",),
    "runs.control": ("Control", "Reduction"),
    "runs.loading": ("ScenarioLike",),
    "runs.result": ("Metric", "Result"),
    "runs.share": ("FairShare",),
    "runs.world": ("World",),
    "sweeps.calls": ("SweepResult",),
}
__all__ = sorted(name for names in _PUBLIC.values() for name in names)

if TYPE_CHECKING:
    # The public names for type checkers; tests/test_startup.py compares them with `_PUBLIC`.
    from airfair import definitions as definitions  # noqa: I001 - it would take each name by itself
    from airfair._engine import (
        MODEL_VERSION as MODEL_VERSION,
        Ack as Ack,
        ControlError as ControlError,
        EngineError as EngineError,
        InputError as InputError,
        LimitError as LimitError,
        Loss as Loss,
        Scenario as Scenario,
        Table as Table,
        Window as Window,
        __version__ as __version__,
    )
    from airfair.api import (
        diff as diff,
        fair_share as fair_share,
        load as load,
        optimize as optimize,
        run as run,
        sweep as sweep,
        timeline as timeline,
    )
    from airfair.catalogue.known import metrics as metrics, scenarios as scenarios
    from airfair.catalogue.warned import ScenarioWarning as ScenarioWarning
    from airfair.comparison.difference import Difference as Difference
    from airfair.described.names import describe as describe
    from airfair.figures.timeline.result import Timeline as Timeline
    from airfair.optimizer.result import Optimum as Optimum
    from airfair.runs.control import Control as Control, Reduction as Reduction
    from airfair.runs.loading import ScenarioLike as ScenarioLike
    from airfair.runs.result import Metric as Metric, Result as Result
    from airfair.runs.share import FairShare as FairShare
    from airfair.runs.world import World as World
    from airfair.sweeps.calls import SweepResult as SweepResult
else:

    def __getattr__(name: str) -> object:
        """Load a public name when it is used for the first time."""
        from importlib import import_module

        for place, names in _PUBLIC.items():
            if name in names:
                module = import_module(f"airfair.{place}")
                globals()[name] = value = module if name == place else getattr(module, name)
                return value
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        """List the public names and the names that are loaded already."""
        return sorted({*globals(), *__all__})
