"""Warnings on scenarios: which texts commands and Python tell, and how Python tells them."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Sequence
from typing import Protocol

from airfair.catalogue.wording import in_all


class ScenarioWarning(UserWarning):
    """A scenario is legal, but something in it is hopeless or has no effect."""


class Warned(Protocol):
    """Something that the engine has warnings on, such as a scenario."""

    @property
    def warnings(self) -> Sequence[str]:
        """Legal but hopeless settings, a sentence each."""

    @property
    def useless(self) -> Sequence[str]:
        """Settings without effect, a sentence each."""


def texts(scenarios: Iterable[Warned]) -> list[str]:
    """The warnings on these scenarios, each once. A useless setting counts if it has no effect in any of them."""
    each = list(scenarios)
    useless = in_all([scenario.useless for scenario in each])
    return list(dict.fromkeys([*(text for scenario in each for text in scenario.warnings), *useless]))


#: Packages whose lines are not the user's. Gymnasium makes the environments of `airfair.gym`.
_NOT_THE_USER = ("airfair", "gymnasium")


def tell(found: Iterable[str]) -> None:
    """Issue a `ScenarioWarning` for each text, at the user's line."""
    # `skip_file_prefixes` of `warnings.warn` needs Python 3.12.
    level = 1
    frame = sys._getframe()
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in _NOT_THE_USER:
        level, frame = level + 1, frame.f_back
    for text in found:
        warnings.warn(text, ScenarioWarning, stacklevel=level)
