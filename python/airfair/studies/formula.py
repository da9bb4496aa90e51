"""Closed forms in study files: expressions over resolved parameters and measured metrics, with Python's operators.

The language is Jinja's, as MiniJinja's in scenario files, with `log`, `sqrt`, `floor`, `ceil`,
`min`, `max` and the functions of `airfair.definitions`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from typing import Any

from jinja2 import StrictUndefined
from jinja2.environment import TemplateExpression
from jinja2.meta import find_undeclared_variables
from jinja2.sandbox import SandboxedEnvironment

from airfair import definitions
from airfair.catalogue.known import every_metric
from airfair.runs.estimate import number


@cache
def _environment() -> SandboxedEnvironment:
    environment = SandboxedEnvironment(undefined=StrictUndefined)
    known = {"log": math.log, "sqrt": math.sqrt, "floor": math.floor, "ceil": math.ceil, "min": min, "max": max}
    environment.globals = known | {name: getattr(definitions, name) for name in definitions.__all__}
    return environment


@cache
def _compiled(source: str) -> TemplateExpression:
    return _environment().compile_expression(source, undefined_to_none=False)


def value(source: str | None, parameters: Mapping[str, Any]) -> float | None:
    """The value of an expression over these resolved parameters (SI) and words.

    `None` without an expression, and if it uses a metric that has no value.
    """
    if source is None:
        return None
    known = {name: resolved for name, entry in parameters.items() if (resolved := _known(entry)) is not None}
    if not _metrics(source) <= known.keys():
        return None
    result: Any = _compiled(source)(**known)
    return float(result)


@cache
def _metrics(source: str) -> set[str]:
    """The metrics that an expression uses."""
    return find_undeclared_variables(_environment().parse(f"{{{{ {source} }}}}")) & every_metric().keys()


def _known(parameter: Any) -> float | str | None:
    """The value of a parameter in expressions: its number in SI, or its word."""
    value = parameter.get("value") if isinstance(parameter, Mapping) else parameter
    return value if isinstance(value, str) else number(parameter)
