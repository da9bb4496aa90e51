"""Options and help that several commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

#: Maximum number of seeds: each run is held in memory.
SEED_LIMIT = 1_000_000


def offers(what: str) -> Callable[[str], list[str]]:
    """A function of `completion`, imported when the shell asks."""

    def complete(incomplete: str) -> list[str]:
        from airfair.cli import completion

        offered: list[str] = getattr(completion, what)(incomplete)
        return offered

    return complete


def examples(*commands: str) -> str:
    """The end of a command's help: examples, each on lines of its own, which never wrap."""
    return "\b\nExamples:\n" + "\n".join(f"  {command}" for command in commands)


Scenario = Annotated[
    str,
    typer.Argument(
        metavar="SCENARIO", help="A packaged scenario's name, or a file.", autocompletion=offers("scenarios")
    ),
]
Metrics = Annotated[
    str,
    typer.Option(
        "--metrics",
        metavar="NAMES",
        help="Metrics to report instead of the scenario's own: A,B or all.",
        autocompletion=offers("metrics_listed"),
    ),
]
Where = Annotated[str, typer.Option("--where", metavar="SQL", help="A condition on the rows; values are in SI.")]
Engine = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="NAME",
        help="fast, or plain: each step of each packet is an event. Both give the same.  [default: fast]",
        show_default=False,
        autocompletion=offers("engines"),
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option("--jobs", metavar="N", min=1, help="Parallel runs.  [default: one a core]", show_default=False),
]
Directory = Annotated[Path, typer.Argument(metavar="DIR", help="The directory of a sweep.")]


def common(seed: str | None, set_: bool, out: str) -> dict[str, tuple[Any, Any]]:
    """The options that every command accepts, so that scripts can pass the same to all: type and default by name.

    `out` and `seed` are their help. Help and completion hide `--seed` and `--set` where they have no effect.
    """
    return {
        "json": (
            Annotated[bool, typer.Option("--json", help="One JSON document on stdout; everything else on stderr.")],
            False,
        ),
        "out": (Annotated[Path | None, typer.Option("--out", metavar="DIR", help=out)], None),
        "force": (
            Annotated[
                bool,
                typer.Option(
                    "--force",
                    help="Replace files that AirFair has not written where results of the same name go.",
                ),
            ],
            False,
        ),
        "seed": (Annotated[int, typer.Option("--seed", metavar="S", min=0, help=seed, hidden=seed is None)], 1),
        "set": (
            Annotated[
                list[str] | None,
                typer.Option(
                    "--set",
                    metavar="NAME=VALUE",
                    help="Set a parameter, or any other key by its path (tcp.window=10); repeat for more.",
                    autocompletion=offers("settings"),
                    hidden=not set_,
                ),
            ],
            None,
        ),
    }
