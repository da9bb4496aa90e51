"""Options and help that several commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer


def option(
    usage: str, help: str, default: Any = None, *, unset: str | None = None, offers: str = "", **more: Any
) -> Any:
    """Declare an option, as the default of a command's parameter. `usage` names the option and its value: `--seeds N`.

    `unset` describes what holds without a value, where `default` does not. `offers` names the function of `completion`
    that completes the value.
    """
    name, _, metavar = usage.partition(" ")
    more |= {"metavar": metavar or None, "show_default": unset or True, "autocompletion": _offering(offers)}
    return typer.Option(default, name, help=help, **more)


def argument(metavar: str, help: str, default: Any = ..., *, unset: str | None = None, offers: str = "") -> Any:
    """Declare an argument, as the default of a command's parameter; it is required unless it has a `default`."""
    shown = unset or True
    return typer.Argument(default, metavar=metavar, help=help, show_default=shown, autocompletion=_offering(offers))


def _offering(name: str) -> Callable[[str], list[str]] | None:
    """A function of `completion` by name, whose module is imported only when the shell asks for completions."""

    def complete(incomplete: str) -> list[str]:
        from airfair.cli import completion

        offered: list[str] = getattr(completion, name)(incomplete)
        return offered

    return complete if name else None


def examples(*commands: str) -> str:
    """The end of a command's help: examples, each on lines of its own, which never wrap."""
    return "\b\nExamples:\n" + "\n".join(f"  {command}" for command in commands)


SCENARIO = argument("SCENARIO", "A packaged scenario's name, or a file; - is standard input.", offers="scenarios")
DIRECTORY = argument("DIR", "The directory of a sweep.")
METRICS = option(
    "--metrics NAMES", "Metrics to report instead of the scenario's own: A,B or all.", "", offers="metrics_listed"
)
WHERE = option("--where SQL", "A condition on the rows; values are in SI.", "")
ENGINE = option(
    "--engine NAME",
    "fast, or plain: each step of each packet is an event. Both give the same results.",
    unset="fast",
    offers="engines",
)
DRY_RUN = option(
    "--dry-run", "Compute nothing: show the number of runs, how many are stored, and the time the others take.", False
)
JOBS = option("--jobs N", "Parallel runs.", unset="one a core", min=1)


#: The help of `--out` for commands that write more than their JSON document.
RESULTS = "Write the results below DIR."


def common(seed: str | None, set_: bool, out: str) -> dict[str, tuple[Any, Any]]:
    """The options that every command accepts, so that scripts can pass them to any: type and option by name.

    `out` and `seed` are the help of `--out` and `--seed`. Help and completion hide `--seed` and `--set` where they have
    no effect.
    """
    force = "Replace files that AirFair has not written where results of the same name go."
    path = "Set a parameter, or any other key by its path (tcp.window=10); repeat for more."
    return {
        "json": (bool, option("--json", "One JSON document on stdout; everything else on stderr.", False)),
        "quiet": (bool, option("--quiet", "On stderr errors alone: no progress, no notes, no warnings.", False)),
        "out": (Path | None, option("--out DIR", out)),
        "force": (bool, option("--force", force, False)),
        "seed": (int, option("--seed S", seed or "", 1, min=0, hidden=seed is None)),
        "set": (list[str] | None, option("--set NAME=VALUE", path, offers="settings", hidden=not set_)),
    }
