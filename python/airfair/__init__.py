"""AirFair: a laboratory for fairness on shared air.

    import airfair as af

    r = af.run("jung/mixed", tcp="vegas", stations=4, seed=1)
    r.metrics["instantaneous_fairness_sent"]     # a value with its unit
    r.sessions.to_polars()                       # one row for each finite session
    af.definitions.friendly_alpha(0.875)         # a closed form
    w = af.World("blefari/hotspot")              # to be driven: run_until, counts, set, record
    s = af.sweep("jung/mixed", {"stations": "2..16", "tcp": ["reno", "vegas"]}, seeds=10, out="mine")

Values are in SI units: rates in bit/s, times in s, sizes in byte. Parameters are given as in scenario files, a number
and its unit: ``wired_delay="20 ms"``, ``session_bytes="10 kB"``; counts and fractions are bare.

Importing this module needs nothing but the engine; tables and figures import their libraries when they are used.
"""

from airfair import definitions
from airfair._engine import (
    MODEL_VERSION,
    Ack,
    ControlError,
    EngineError,
    InputError,
    Loss,
    Scenario,
    Table,
    Window,
    __version__,
)
from airfair.api import diff, fair_share, optimize, run, sweep, timeline
from airfair.catalogue.known import metrics, scenarios
from airfair.described.names import describe
from airfair.runs.control import Control, Reduction
from airfair.runs.result import Metric, Result
from airfair.runs.world import World

__all__ = [
    "MODEL_VERSION",
    "Ack",
    "Control",
    "ControlError",
    "EngineError",
    "InputError",
    "Loss",
    "Metric",
    "Reduction",
    "Result",
    "Scenario",
    "Table",
    "Window",
    "World",
    "__version__",
    "definitions",
    "describe",
    "diff",
    "fair_share",
    "metrics",
    "optimize",
    "run",
    "scenarios",
    "sweep",
    "timeline",
]
